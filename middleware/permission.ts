import { checkMilliseconds } from '../src/milliseconds.ts';
import { checkOptions } from '../src/options.ts';
import type { Approve } from '../src/policy/approval.ts';
import { type Approved, type Asking, createAsking } from '../src/policy/asking.ts';
import { canonicalJson } from '../src/policy/canonical-json.ts';
import { createModes, type Modes, type ModeTable } from '../src/policy/modes.ts';
import { offered } from '../src/policy/offered.ts';
import { isPolicy, judge, type Policy } from '../src/policy/policy.ts';
import type { Rule } from '../src/policy/rule.ts';
import { rules } from '../src/policy/rules.ts';
import type { ApprovalStore } from '../src/policy/store.ts';
import { type Ruling, stricter } from '../src/policy/verdict.ts';
import type { Failure, ToolResult } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { type Guard, guard, step } from '../src/traits.ts';
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
  /** How long to wait for an answer, in milliseconds. Default `Infinity`: until the call is withdrawn. */
  readonly approveTimeout?: number;
  /** How long policies may take together, and a tool's preview, in milliseconds. Default 10,000. */
  readonly decideTimeout?: number;
}

/** The stage, which also knows what is worth offering to a model. */
export type PermissionStage = Stage<Ready> &
  Guard & {
    /** Whether a tool can be allowed at all in a mode; see `offered`. */
    offers(tool: Tool, mode: string): boolean;
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
  const { policies, modes, decideTimeout, asking } = checked(options);

  function permission(ctx: Ready): Maybe<Approved | ToolResult | undefined> {
    const { mode } = ctx.run;
    const preset = modes.defaultFor(mode, levelOf(ctx));
    if (policies.length === 0 && preset === 'allow' && ctx.mustAsk === undefined) return undefined;
    if (preset === undefined) return unknownMode(ctx, modes);
    if (policies.length === 0) return enact(ctx, undefined, asking, modes);
    const ruling = judge(policies, requestOf(ctx), decideTimeout);
    if (!(ruling instanceof Promise)) return enact(ctx, ruling, asking, modes);
    return enactLater(ctx, ruling, asking, modes);
  }

  const stage = guard(step(permission), { needs: ['tool', 'args'] }) as Stage<Ready> & Guard;
  return Object.assign(stage, { offers: (tool: Tool, mode: string) => offered(tool, mode, { policies, modes }) });
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
  return Object.assign(stage, { offers: () => true });
}

const noEffects: readonly Effect[] = Object.freeze([]);

function requestOf(ctx: Ready): Parameters<Policy['decide']>[0] {
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

function enact(
  ctx: Ready,
  ruling: Ruling | undefined,
  asking: Asking,
  modes: Modes,
): Maybe<Approved | ToolResult | undefined> {
  const ruled = (ruling?.doubtful ? stricter(ruling, byMode(ctx, modes)) : ruling) ?? byMode(ctx, modes);
  const { decision, ...why } = heeding(ctx, ruled);
  if (decision === 'allow') return undefined;
  return decision === 'ask' ? asking(ctx, { decision, ...why }) : denied(ctx, why);
}

async function enactLater(
  ctx: Ready,
  pending: Promise<Ruling | undefined>,
  asking: Asking,
  modes: Modes,
): Promise<Approved | ToolResult | undefined> {
  const judged = contentOf(ctx);
  const ruling = await pending;
  // What was judged must be what runs, also when somebody held on to the arguments meanwhile.
  if (contentOf(ctx) !== judged) return denied(ctx, { reason: 'its arguments changed while it was being judged' });
  return enact(ctx, ruling, asking, modes);
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

function denied(ctx: Ready, { reason, rule, cause }: Omit<Ruling, 'decision'>): Failure {
  const text = `Denied: ${reason ?? 'a rule forbids this call'}. Do not repeat the call; take another way, or tell the user what you need.`;
  return ctx.fail('denied', text, { details: { reason: 'policy', rule: rule ?? 'policy' }, cause });
}

function unknownMode(ctx: Ready, modes: Modes): Failure {
  const text = `Denied: this run has the mode "${ctx.run.mode}", which does not exist. The modes are ${modes.names.join(', ')}.`;
  return ctx.fail('denied', text, { details: { reason: 'unknown_mode' } });
}

interface Checked {
  readonly policies: readonly Policy[];
  readonly modes: Modes;
  readonly decideTimeout: number;
  readonly asking: Asking;
}

const optionNames: readonly (keyof PermissionOptions)[] = [
  'rules',
  'policies',
  'modes',
  'approve',
  'approvals',
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
  const policies = [...(options.rules === undefined ? [] : [rules(options.rules)]), ...(options.policies ?? [])];
  for (const [index, policy] of policies.entries()) {
    if (isPolicy(policy)) continue;
    throw new TypeError(`permission(): policies[${index}] is no policy; wrap a function in policy(...).`);
  }
  const asking = createAsking({
    approve,
    approveTimeout,
    previewTimeout: decideTimeout,
    policies,
    approvals: options.approvals,
  });
  return { policies, modes: createModes(options.modes), decideTimeout, asking };
}

function isStore(value: object): boolean {
  return ['save', 'load', 'use'].every((method) => typeof Reflect.get(value, method) === 'function');
}
