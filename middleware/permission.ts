import { canonicalJson } from '../src/canonical-json.ts';
import { checkMilliseconds } from '../src/milliseconds.ts';
import { checkOptions } from '../src/options.ts';
import type { Approve } from '../src/policy/approval.ts';
import type { Approved, Asking, AskingOptions } from '../src/policy/asking.ts';
import type { Explanation } from '../src/policy/explain.ts';
import { approvedIdentity, type Identities, identityPolicy } from '../src/policy/identities.ts';
import type { LintFinding } from '../src/policy/lint.ts';
import { createModes, type Modes, type ModeTable } from '../src/policy/modes.ts';
import { offered } from '../src/policy/offered.ts';
import { isPolicy, judge, type Policy, type PolicyRequest } from '../src/policy/policy.ts';
import type { Rule } from '../src/policy/rule.ts';
import { type RuleMemory, ruleMemory } from '../src/policy/rule-memory.ts';
import { rules } from '../src/policy/rules.ts';
import type { ApprovalStore } from '../src/policy/store.ts';
import { type Ruling, stricter } from '../src/policy/verdict.ts';
import type { Failure, ToolResult } from '../src/result.ts';
import type { StageEvents } from '../src/stage-events.ts';
import type { Tool } from '../src/tool.ts';
import { type Guard, guard, isAnswer, step } from '../src/traits.ts';
import type { Effect, Maybe, Ready, Stage } from '../src/types.ts';

export interface PermissionOptions {
  /** Rules; all that match count, and the strictest wins. Default: none. */
  readonly rules?: readonly Rule[];
  /** Further policies, which count together with the rules. Default: none. */
  readonly policies?: readonly Policy[];
  /** Modes of your own beside `plan`, `ask`, `auto` and `trusted`: a decision for each level. Default: none. */
  readonly modes?: { readonly [mode: string]: ModeTable };
  /** Asks somebody. Default: nobody is there, and what needs asking fails with `approval_required`. */
  readonly approve?: Approve;
  /** Keeps what nobody is there to decide, so that `resume` can carry out a decision that comes later. Default: none. */
  readonly approvals?: ApprovalStore;
  /** Keeps the rules of approvers who say "always". Default: in memory, for the run. */
  readonly remember?: RuleMemory;
  /** Asks about tools from elsewhere that are new, or that have changed since they were approved. Default: none is. */
  readonly identities?: Identities;
  /** How long to wait for an answer, in milliseconds. Default `Infinity`: until the call is withdrawn. */
  readonly approveTimeout?: number;
  /** How long policies may take together, and a tool's preview, in milliseconds. Default 10,000. */
  readonly decideTimeout?: number;
}

/** The stage, which also knows what is worth offering to a model. */
export type PermissionStage = Stage<Ready> &
  Guard & {
    /** The names of the modes it knows; absent where it knows none. */
    readonly modes?: readonly string[];
    /** Whether a tool can be allowed at all in a mode; see `offered`. */
    offers(tool: Tool, mode: string): boolean;
    /** Which rule, policy or mode decides about a call, and what the other modes would do. Nothing is asked or kept. */
    explain(ctx: Ready): Promise<Explanation>;
    /** Rules that can never matter, or mean more than they seem to, given the tools there are. */
    lint(tools: Iterable<Tool>): Promise<readonly LintFinding[]>;
  };

/**
 * Lets a call through, stops it, or asks somebody, by the rules and policies and otherwise by the mode of the run.
 *
 * @example
 * permission({
 *   rules: [{ decision: 'deny', tool: 'run_*', tag: 'production', reason: 'production is changed by people' }],
 *   approve: async ({ tool, arguments: args }) => confirm(`Run ${tool} with ${JSON.stringify(args)}?`),
 * })
 *
 * Fails with `denied` and `approval_required`, and with `aborted` when the call is withdrawn while somebody is asked.
 */
export function permission(options: PermissionOptions = {}): PermissionStage {
  const set = checked(options);
  const { policies, modes, decideTimeout } = set;

  function permission(ctx: Ready): Maybe<Approved | ToolResult | undefined> {
    const { mode } = ctx.run;
    const preset = modes.defaultFor(mode, levelOf(ctx));
    if (policies.length === 0 && preset === 'allow' && ctx.mustAsk === undefined) {
      ctx.tell?.('decision', unasked({ decision: 'allow', rule: `mode ${mode}` }));
      return undefined;
    }
    if (preset === undefined) return unknownMode(ctx, modes);
    if (policies.length === 0) return enact(ctx, undefined, set);
    const ruling = judge(policies, requestOf(ctx), decideTimeout);
    if (!(ruling instanceof Promise)) return enact(ctx, ruling, set);
    return enactLater(ctx, ruling, set);
  }

  const stage = guard(step(permission), { needs: ['tool', 'args'] }) as Stage<Ready> & Guard;
  return Object.assign(stage, {
    modes: modes.names,
    offers: (tool: Tool, mode: string) => offered(tool, mode, { policies, modes }),
    // What tools are known to be is kept by deciding, and explaining must keep nothing.
    explain: async (ctx: Ready) => {
      const { explainRequest } = await import('../src/policy/explain.ts');
      const { level, mustAsk } = ctx;
      const deciders = { policies: set.lasting, modes, decideTimeout, mustAsk, ...(level !== undefined && { level }) };
      return explainRequest(requestOf(ctx), deciders);
    },
    lint: async (tools: Iterable<Tool>) => {
      const { lint } = await import('../src/policy/lint.ts');
      return lint(set.rules, { tools, ...(options.modes !== undefined && { modes: options.modes }) });
    },
  });
}

/**
 * Lets every call through. For `replace('permission', allowAll())`, so that switching permission off can be searched for.
 *
 * @example
 * defaultPipeline({ roots }).replace('permission', allowAll());
 *
 * Fails with nothing.
 */
export function allowAll(): PermissionStage {
  function allowAll(): undefined {
    return undefined;
  }
  const stage = guard(step(allowAll), { needs: ['tool', 'args'] }) as Stage<Ready> & Guard;
  const modes = { plan: 'allow', ask: 'allow', auto: 'allow', trusted: 'allow' } as const;
  return Object.assign(stage, {
    offers: () => true,
    explain: async () => ({ decision: 'allow' as const, by: 'allowAll', matches: [], modes }),
    lint: async () => [],
  });
}

const noEffects: readonly Effect[] = Object.freeze([]);

function requestOf(ctx: Ready): PolicyRequest {
  return {
    tool: ctx.tool,
    arguments: ctx.args,
    effects: ctx.effects ?? noEffects,
    mode: ctx.run.mode,
    run: ctx.run,
    callId: ctx.call.id,
    state: ctx.state,
  };
}

function enact(ctx: Ready, ruling: Ruling | undefined, set: Checked): Maybe<Approved | ToolResult | undefined> {
  const { modes, memory, identities, asking } = set;
  const ruled = (ruling?.doubtful ? stricter(ruling, byMode(ctx, modes)) : ruling) ?? byMode(ctx, modes);
  const found = heeding(ctx, ruled);
  if (found.decision === 'allow') {
    ctx.tell?.('decision', unasked(found));
    return undefined;
  }
  if (found.decision === 'deny') return denied(ctx, found);
  const isByMode = ruling === undefined && ctx.mustAsk === undefined;
  if (isByMode && memory.allows(requestOf(ctx))) {
    ctx.tell?.('decision', unasked({ decision: 'allow', rule: `always ${ctx.tool.name}` }));
    return undefined;
  }
  const answered = asking(ctx, { ...found, byMode: isByMode });
  return identities === undefined ? answered : noted(ctx, answered, identities);
}

/** What asks somebody is loaded with the first question. */
function askingOnDemand(options: AskingOptions): Asking {
  let asking: Asking | undefined;
  return async (ctx, why) => {
    if (asking === undefined) {
      const { tool } = ctx;
      const judged = contentOf(ctx);
      const { createAsking } = await import('../src/policy/asking.ts');
      asking ??= createAsking(options);
      // As below: what was judged must be what somebody is asked about.
      if (ctx.tool !== tool || contentOf(ctx) !== judged) return changed(ctx);
    }
    return asking(ctx, why);
  };
}

/** A tool from elsewhere whose call was approved is known from now on. */
async function noted(
  ctx: Ready,
  answered: Promise<Approved | ToolResult>,
  identities: Identities,
): Promise<Approved | ToolResult> {
  const keep = approvedIdentity(identities, ctx.tool);
  const answer = await answered;
  if (keep === undefined || isAnswer(answer)) return answer;
  try {
    await keep();
    return answer;
  } catch (cause) {
    const text = `That ${ctx.tool.name} was approved could not be noted, so it did not run.`;
    ctx.tell?.('decision', unasked({ decision: 'deny', rule: 'identities', reason: text, cause }));
    return ctx.fail('denied', text, { details: { reason: 'store_failed' }, cause });
  }
}

async function enactLater(
  ctx: Ready,
  pending: Promise<Ruling | undefined>,
  set: Checked,
): Promise<Approved | ToolResult | undefined> {
  const judged = contentOf(ctx);
  const ruling = await pending;
  // What was judged must be what runs, also when somebody held on to the arguments meanwhile.
  if (contentOf(ctx) !== judged) return changed(ctx);
  return enact(ctx, ruling, set);
}

/** The arguments and effects as text; of those that have no such form, their identity has to do. */
function contentOf(ctx: Ready): unknown {
  try {
    return canonicalJson([ctx.args, ctx.effects ?? []]);
  } catch {
    return ctx.args;
  }
}

/** What this call needs: a guard that looked at it knows better than the tool's own level says. */
function levelOf(ctx: Ready): Tool['permission'] {
  return ctx.level ?? ctx.tool.permission;
}

/** Nothing allows what a guard says somebody must be asked about. */
function heeding({ mustAsk }: Ready, ruling: Ruling): Ruling {
  if (mustAsk === undefined) return ruling;
  return stricter(ruling, { decision: 'ask', reason: mustAsk, rule: 'guard' }) ?? ruling;
}

function byMode(ctx: Ready, modes: Modes): Ruling {
  const { mode } = ctx.run;
  const needed = levelOf(ctx);
  const level = needed === undefined ? 'tools without a level' : `tools of level "${needed}"`;
  const decision = modes.defaultFor(mode, needed) ?? 'deny';
  const does = decision === 'deny' ? 'does not allow' : 'asks before';
  return { decision, reason: `mode "${mode}" ${does} ${level}`, rule: `mode ${mode}` };
}

function denied(ctx: Ready, { reason, rule, cause }: Partial<Ruling>): Failure {
  ctx.tell?.('decision', unasked({ decision: 'deny', rule: rule ?? 'policy', ...(reason && { reason }), cause }));
  const text = `Denied: ${reason ?? 'a rule forbids this call'}. Do not repeat the call; take another way, or tell the user what you need.`;
  return ctx.fail('denied', text, { details: { reason: 'policy', rule: rule ?? 'policy' }, cause });
}

/** What observers hear of a decision that nobody had to be asked about. */
function unasked({ decision, rule = 'policy', reason, cause }: Ruling): StageEvents['decision'] {
  return { decision, rule, reason, asked: false, edited: false, cause };
}

function changed(ctx: Ready): Failure {
  return denied(ctx, { reason: 'its arguments changed while it was being judged' });
}

function unknownMode(ctx: Ready, modes: Modes): Failure {
  const text = `Denied: this run has the mode "${ctx.run.mode}", which does not exist. The modes are ${modes.names.join(', ')}.`;
  ctx.tell?.('decision', unasked({ decision: 'deny', rule: `mode ${ctx.run.mode}`, reason: text }));
  return ctx.fail('denied', text, { details: { reason: 'unknown_mode' } });
}

interface Checked {
  readonly policies: readonly Policy[];
  /** The policies that keep nothing when they decide. */
  readonly lasting: readonly Policy[];
  readonly rules: readonly Rule[];
  readonly modes: Modes;
  readonly decideTimeout: number;
  readonly asking: Asking;
  readonly memory: RuleMemory;
  readonly identities: Identities | undefined;
}

const optionNames: readonly (keyof PermissionOptions)[] = [
  'rules',
  'policies',
  'modes',
  'approve',
  'approvals',
  'remember',
  'identities',
  'approveTimeout',
  'decideTimeout',
];

function checked(options: PermissionOptions): Checked {
  checkOptions('permission', options, optionNames);
  const { approve } = options;
  if (approve !== undefined && typeof approve !== 'function') {
    throw new TypeError('permission({ approve }) must be a function that answers a request.');
  }
  if (options.approvals !== undefined && !isStore(options.approvals)) {
    throw new TypeError('permission({ approvals }) must be a store with save, load and use.');
  }
  const approveTimeout = checkMilliseconds(
    options.approveTimeout ?? Number.POSITIVE_INFINITY,
    'permission({ approveTimeout })',
  );
  const decideTimeout = checkMilliseconds(options.decideTimeout ?? 10_000, 'permission({ decideTimeout })');
  if (decideTimeout === Number.POSITIVE_INFINITY) {
    throw new TypeError('permission({ decideTimeout }) needs a limit: a policy that hangs must be a denial some day.');
  }
  if (options.policies !== undefined && !Array.isArray(options.policies)) {
    throw new TypeError('permission({ policies }) must be a list of policies.');
  }
  const { identities } = options;
  if (identities !== undefined) checkIdentities(identities);
  const memory = options.remember ?? ruleMemory();
  if (!isMemory(memory)) throw new TypeError('permission({ remember }) must come from ruleMemory().');
  const lasting = [
    ...(options.rules === undefined ? [] : [rules(options.rules)]),
    ...(memory.rules.length === 0 ? [] : [rules(memory.rules, { name: 'rules file' })]),
    ...(options.policies ?? []),
  ];
  const policies = identities === undefined ? lasting : [identityPolicy(identities), ...lasting];
  for (const [index, policy] of policies.entries()) {
    if (isPolicy(policy)) continue;
    const place = index - (policies.length - (options.policies?.length ?? 0));
    throw new TypeError(`permission(): policies[${place}] is no policy; wrap a function in policy(...).`);
  }
  const asking = askingOnDemand({
    approve,
    approveTimeout,
    previewTimeout: decideTimeout,
    policies,
    approvals: options.approvals,
    memory,
  });
  const modes = createModes(options.modes);
  const all = [...(options.rules ?? []), ...memory.rules];
  return { policies, lasting, rules: all, modes, decideTimeout, asking, memory, identities };
}

function checkIdentities(identities: Identities): void {
  checkOptions('permission({ identities })', identities, ['store', 'firstUse']);
  const { store, firstUse } = identities;
  if (firstUse !== 'ask' && firstUse !== 'trust') {
    throw new TypeError('permission({ identities }) must say what a first use means: firstUse: ask or trust.');
  }
  if (typeof store?.get === 'function' && typeof store.set === 'function') return;
  throw new TypeError('permission({ identities: { store } }) must be a store with get and set.');
}

function isMemory({ scopes, rules: present, allows, keep }: RuleMemory): boolean {
  return Array.isArray(scopes) && Array.isArray(present) && typeof allows === 'function' && typeof keep === 'function';
}

function isStore(value: object): boolean {
  return ['save', 'load', 'use'].every((method) => typeof Reflect.get(value, method) === 'function');
}
