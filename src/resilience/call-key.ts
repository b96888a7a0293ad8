import { canonicalJson } from '../basics/canonical-json.ts';
import { isPlainObject } from '../basics/plain-object.ts';
import { atOnce } from '../basics/thenable.ts';
import { shortened, toolDigest } from '../policy/digest.ts';
import type { Tool } from '../tool.ts';
import type { Effect, Ready } from '../types.ts';

/** The longest key that is kept as the text that it is, in characters; of a longer one a digest is kept. */
const longestKey = 512;

/**
 * One text for everything on which the answer to a call may depend, and the same text for no other call:
 *
 * - on whose behalf it is: the principal, and without one the run, since nobody knows whether two runs are one user's;
 * - the tool: this very object, so that another one of the same name or definition is another tool; and while it can still be
 *   changed, the digest of what it declares, its schemas included;
 * - the registry it was found in, and the mode;
 * - the arguments and effects, as the guards left them, in canonical form;
 * - `vary(ctx)` if that is given, and otherwise the state: members that are plain values count by what they are, objects
 *   among them by which they are; of a state that is of a class, both.
 *
 * `undefined` where arguments have no canonical form: such a call is like no other.
 */
export function callKey(ctx: Ready, vary: ((ctx: Ready) => unknown) | undefined): string | undefined {
  const { args, effects, state } = ctx;
  // Outside the try: what an option throws is told, and not taken for arguments without a form.
  const varied = vary === undefined ? undefined : canonicalJson(atOnce(vary(ctx)));
  try {
    // Parts in which no line ends, one a line: so no two lists of parts are the same text.
    const text = `${whoseTool(ctx)}${canonicalJson(args)}\n${effectsOf(effects)}\n${varied ?? stateOf(state)}`;
    return shortened(text, longestKey);
  } catch {
    return undefined;
  }
}

/** The part that all calls of a tool in a run have in common, one line for the owner and the mode, registry, and tool. */
function whoseTool({ tool, run, registry }: Ready): string {
  const { principal, id, mode } = run;
  const registryId = identityOf(registry);
  const latest = latestOf.get(tool);
  if (latest?.id === id && latest.principal === principal && latest.mode === mode && latest.registryId === registryId) {
    return latest.text;
  }
  const owner = principal ? ['principal', principal] : ['run', id];
  // What may still be changed is looked at every time.
  const isFixed = Object.isFrozen(tool);
  const version = isFixed ? '' : toolDigest(tool);
  const text = `${JSON.stringify([...owner, mode])}\n${registryId}\n${identityOf(tool)} ${version}\n`;
  if (isFixed) latestOf.set(tool, { principal, id, mode, registryId, text });
  return text;
}

interface Whose {
  readonly principal: string | undefined;
  readonly id: string;
  readonly mode: string;
  readonly registryId: number;
  readonly text: string;
}

// Of tools that stay as they are. Calls of one run come one after another.
const latestOf = new WeakMap<Tool, Whose>();

const identities = new WeakMap<object, number>();
let count = 0;

/** A number for an object, the same for no other. */
function identityOf(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  count++;
  identities.set(value, count);
  return count;
}

function effectsOf(effects: readonly Effect[] | undefined): string {
  return effects === undefined ? '[]' : canonicalJson(effects);
}

function stateOf(state: unknown): string {
  return state === undefined ? '' : canonicalJson(membersOf(state));
}

function membersOf(state: unknown): unknown {
  if (typeof state !== 'object' || state === null) return memberOf(state);
  const names = Object.keys(state).sort();
  const members = names.map((name) => [name, memberOf((state as Record<string, unknown>)[name])]);
  // Of a class, behind a Proxy, or with members that are not seen: those that are do not tell it from another.
  const isSeen = isPlainObject(state) && Reflect.ownKeys(state).length === names.length && !isProxy(state);
  return isSeen ? members : ['object', identityOf(state), members];
}

function isProxy(value: object): boolean {
  return process.getBuiltinModule('node:util').types.isProxy(value);
}

function memberOf(value: unknown): unknown {
  switch (typeof value) {
    case 'function':
      return ['function', identityOf(value)];
    case 'object':
      return value === null ? null : ['object', identityOf(value)];
    default:
      return value;
  }
}
