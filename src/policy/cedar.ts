import { createRequire } from 'node:module';
import { checkOptions } from '../basics/options.ts';
import type { Tool } from '../tool.ts';
import { type CedarUid, type CedarValue, cedarEffects, cedarValue } from './cedar-values.ts';
import type { Policy, PolicyRequest } from './policy.ts';
import { failed, type Ruling } from './verdict.ts';
import { versionOf } from './version.ts';

export type { CedarUid, CedarValue };

/** An entity in Cedar's JSON form. */
export interface CedarEntity {
  readonly uid: CedarUid;
  readonly attrs?: { readonly [attribute: string]: CedarValue };
  readonly parents?: readonly CedarUid[];
}

export interface CedarOptions {
  /** Policies in Cedar's language; `@id("...")` names one, `@reason("...")` says why, `@ask` makes a permit ask. */
  readonly policies: string;
  /** A schema, as Cedar text or JSON: policies are checked against it at once, and every request. Default: none. */
  readonly schema?: string | object;
  /** Entities beside the tools, such as users and their groups. Default: none. */
  readonly entities?: readonly CedarEntity[];
  /** Who calls. Default: `User::"..."` with the run's principal, or `Agent::"..."` with the run's id without one. */
  readonly principal?: (request: PolicyRequest) => CedarUid;
  /** What it means when no policy speaks of a call: `deny`, as Cedar has it (default), or `silent`: no opinion. */
  readonly otherwise?: 'deny' | 'silent';
  /** For explanations. Default `cedar`. */
  readonly name?: string;
}

/**
 * Lets Cedar decide: `principal` is the user or agent, `action` is `Action::"call"`, `resource` is `Tool::"name"` (with
 * `level`, `source`, `tags`, in `Toolset::"source"` or `Toolset::"own"`), and `context` has `arguments` (after validation,
 * with canonical paths), `effects` (`reads`, `writes`, `hosts`, `connections`, `commands`) and `mode`.
 *
 * A policy that errs, as one does that reads an attribute which is not there, is left out by Cedar, a `forbid` too. Here
 * every error is a denial; write `context.arguments has path && ...`. `like` knows nothing of folders: keep paths in the
 * path guard's roots.
 *
 * Needs the package `@cedar-policy/cedar-wasm`, which is loaded by the first call of this function. Throws an Error when
 * it is missing, and a TypeError for policies, entities or a schema that Cedar cannot read or that do not fit together.
 *
 * @example
 * permission({ policies: [cedarPolicy({ policies: 'permit(principal, action, resource) when { resource.level == "read" };' })] });
 *
 * @see https://docs.cedarpolicy.com/
 */
export function cedarPolicy(options: CedarOptions): Policy {
  checkOptions('cedarPolicy', options, optionNames);
  const { policies, schema, entities = [], principal = principalOf, otherwise = 'deny', name = 'cedar' } = options;
  if (otherwise !== 'deny' && otherwise !== 'silent') {
    throw new TypeError('cedarPolicy({ otherwise }) must be deny or silent.');
  }
  const cedar = load();
  const parts = readPolicies(cedar, policies);
  const staticPolicies = Object.fromEntries([...parts].map(([id, { text }]) => [id, text]));
  const ownEntities = entities.map(({ uid, attrs = {}, parents = [] }) => ({ uid, attrs, parents }));
  if (schema !== undefined) checkFit(cedar, schema, staticPolicies);
  hold(cedar.checkParseEntities({ entities: ownEntities, ...(schema !== undefined && { schema }) }), 'entities');
  // Cedar keeps what it has read by name; two that are equal share one.
  const version = versionOf([policies, schema, ownEntities, otherwise, principal]);
  const setId = `callgate ${versionOf([staticPolicies])}`;
  hold(cedar.preparsePolicySet(setId, { staticPolicies }), 'policies');
  const schemaId = schema === undefined ? undefined : `callgate ${versionOf([schema])}`;
  if (schemaId !== undefined) hold(cedar.preparseSchema(schemaId, schema), 'schema');

  function decide(request: PolicyRequest): Ruling | undefined {
    const { tool, arguments: args, effects, mode } = request;
    const answer: Partial<Authorization> = cedar.statefulIsAuthorized({
      principal: principal(request),
      action: { type: 'Action', id: 'call' },
      resource: { type: 'Tool', id: tool.name },
      context: { arguments: cedarValue(args), effects: cedarEffects(effects), mode },
      preparsedPolicySetId: setId,
      ...(schemaId !== undefined && { preparsedSchemaName: schemaId, validateRequest: true }),
      entities: [...ownEntities, entityOf(tool)],
    });
    if (answer.type !== 'success') return undecided(`Cedar gave no decision: ${messageOf(answer)}`);
    const { decision, diagnostics } = answer.response ?? {};
    const errors = diagnostics?.errors;
    if (!Array.isArray(errors) || errors.length > 0) {
      const erred = errors?.map(({ policyId, error }) => `${policyId}: ${error.message}`).join('; ');
      return undecided(`Cedar left out policies that erred: ${erred}`);
    }
    const reasons: readonly string[] = diagnostics?.reason ?? [];
    if (decision === 'allow') return allowed(reasons);
    if (decision !== 'deny') return undecided('Cedar gave an unknown decision.');
    if (reasons.length > 0) return ruling('deny', reasons);
    if (otherwise === 'silent') return undefined;
    return { decision: 'deny', reason: 'no policy permits this call', rule: name };
  }

  function allowed(ids: readonly string[]): Ruling {
    const asking = ids.filter((id) => parts.get(id)?.asks);
    return asking.length > 0 ? ruling('ask', asking) : ruling('allow', ids);
  }

  function ruling(decision: Ruling['decision'], ids: readonly string[]): Ruling {
    const said = ids.flatMap((id) => parts.get(id)?.reason ?? []);
    return { decision, rule: ids.join(', '), ...(said.length > 0 && { reason: said.join('; ') }) };
  }

  function undecided(what: string): Ruling {
    return failed(name, new Error(what));
  }

  return Object.freeze({ name, version, decide });
}

const optionNames = [
  'policies',
  'schema',
  'entities',
  'principal',
  'otherwise',
  'name',
] satisfies (keyof CedarOptions)[];

function principalOf({ run }: PolicyRequest): CedarUid {
  return run.principal === undefined ? { type: 'Agent', id: run.id } : { type: 'User', id: run.principal };
}

function entityOf({ name, permission, source, tags }: Tool): object {
  return {
    uid: { type: 'Tool', id: name },
    attrs: {
      name,
      ...(permission !== undefined && { level: permission }),
      ...(source !== undefined && { source }),
      tags: tags ?? [],
    },
    parents: [{ type: 'Toolset', id: source ?? 'own' }],
  };
}

interface Part {
  readonly text: string;
  readonly reason: string | undefined;
  readonly asks: boolean;
}

/** The policies one by one, by their ids. */
function readPolicies(cedar: Cedar, policies: unknown): ReadonlyMap<string, Part> {
  if (typeof policies !== 'string')
    throw new TypeError('cedarPolicy({ policies }) must be text in the Cedar language.');
  // Asked first, as this error says where.
  hold(cedar.checkParsePolicySet({ staticPolicies: policies }), 'policies');
  const { policies: texts = [] } = cedar.policySetTextToParts(policies);
  const parts = new Map<string, Part>();
  for (const [index, text] of texts.entries()) {
    const { json } = cedar.policyToJson(text);
    if (json === undefined) throw new TypeError(`cedarPolicy({ policies }): policy ${index} cannot be read.`);
    const { id = `policy${index}`, reason, ask } = json.annotations ?? {};
    if (parts.has(id)) throw new TypeError(`cedarPolicy({ policies }) has two policies with the id "${id}".`);
    if (ask !== undefined && json.effect !== 'permit') {
      throw new TypeError(`cedarPolicy({ policies }): "${id}" is a forbid with @ask; only a permit can ask.`);
    }
    parts.set(id, { text, reason: reason ?? (ask === '' ? undefined : ask), asks: ask !== undefined });
  }
  return parts;
}

/** Policies that name what the schema does not have would never match, or always err. */
function checkFit(cedar: Cedar, schema: unknown, staticPolicies: object): void {
  hold(cedar.checkParseSchema(schema), 'schema');
  const answer = cedar.validate({ schema, policies: { staticPolicies } });
  hold(answer, 'policies');
  const [first] = answer.validationErrors ?? [];
  if (first === undefined) return;
  const { message, help } = first.error;
  throw new TypeError(
    `cedarPolicy({ policies }): "${first.policyId}" does not fit the schema: ${message}${help ? ` (${help})` : ''}.`,
  );
}

function hold(answer: Answered, option: string): void {
  if (answer.type === 'success') return;
  throw new TypeError(`cedarPolicy({ ${option} }) cannot be read by Cedar: ${messageOf(answer)}`);
}

function messageOf({ errors = [] }: { readonly errors?: Answered['errors'] }): string {
  return errors.map(({ message, help }) => `${message}${help ? ` (${help})` : ''}`).join('; ') || 'it did not say why';
}

interface Fault {
  readonly message: string;
  readonly help?: string | null;
}

interface Answered {
  readonly type: 'success' | 'failure';
  readonly errors?: readonly Fault[];
}

interface Authorization extends Answered {
  readonly response?: {
    readonly decision?: unknown;
    readonly diagnostics?: {
      readonly reason?: readonly string[];
      readonly errors?: readonly { readonly policyId: string; readonly error: Fault }[];
    };
  };
}

/** The part of `@cedar-policy/cedar-wasm` that is used here; its own types are there only where it is installed. */
interface Cedar {
  checkParsePolicySet(set: object): Answered;
  checkParseSchema(schema: unknown): Answered;
  checkParseEntities(call: object): Answered;
  policySetTextToParts(text: string): Answered & { readonly policies?: readonly string[] };
  policyToJson(text: string): Answered & {
    readonly json?: { readonly effect: string; readonly annotations?: Readonly<Record<string, string>> };
  };
  preparsePolicySet(id: string, set: object): Answered;
  preparseSchema(id: string, schema: unknown): Answered;
  validate(call: object): Answered & {
    readonly validationErrors?: readonly { readonly policyId: string; readonly error: Fault }[];
  };
  statefulIsAuthorized(call: object): Authorization;
}

let loaded: Cedar | undefined;

function load(): Cedar {
  if (loaded !== undefined) return loaded;
  try {
    loaded = createRequire(import.meta.url)('@cedar-policy/cedar-wasm/nodejs') as Cedar;
    return loaded;
  } catch (cause) {
    throw new Error(
      'cedarPolicy() needs the package @cedar-policy/cedar-wasm. Run: npm install @cedar-policy/cedar-wasm',
      { cause },
    );
  }
}
