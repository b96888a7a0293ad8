import { canonicalJson } from '../basics/canonical-json.ts';
import type { Clock } from '../clock.ts';
import { toFailure } from '../failure.ts';
import type { Failure, ToolResult } from '../result.ts';
import type { Tool } from '../tool.ts';
import type { Effect, Ready } from '../types.ts';
import { type AlwaysScope, ruleFor } from './always.ts';
import type { Approve, PendingApproval } from './approval.ts';
import { Course } from './course.ts';
import { callDigest } from './digest.ts';
import { covers, remember, take } from './grants.ts';
import type { Policy } from './policy.ts';
import { previewOf } from './preview.ts';
import type { Rule } from './rule.ts';
import type { RuleMemory } from './rule-memory.ts';
import { deepFreeze, snapshot } from './snapshot.ts';
import type { ApprovalStore } from './store.ts';
import type { Ruling } from './verdict.ts';
import { versionOf } from './version.ts';
import { waitForAnswer } from './wait.ts';

export interface AskingOptions {
  readonly approve: Approve | undefined;
  /** How long to wait for an answer, in milliseconds; `Infinity` for no limit. */
  readonly approveTimeout: number;
  /** How long a tool's preview may take, in milliseconds. */
  readonly previewTimeout: number;
  readonly clock: Clock;
  readonly policies: readonly Policy[];
  /** Keeps what nobody is there to decide. */
  readonly approvals: ApprovalStore | undefined;
  /** Keeps the rules of those who say "always". */
  readonly memory: RuleMemory;
}

/** Lets the call go on with exactly the arguments that were approved. */
export interface Approved {
  readonly args: unknown;
}

/** The call as it stands when somebody is asked. */
interface Moment {
  readonly ctx: Ready;
  readonly why: Why;
  readonly tool: Tool;
  /** What the registry held under the tool's name. */
  readonly registered: Tool | undefined;
  /** Our own copies: nobody else can change them. */
  readonly args: unknown;
  readonly effects: readonly Effect[];
  readonly digest: string;
  readonly identity: string;
  /** The rule that "always" would keep. */
  readonly always: Rule | undefined;
  readonly course: Course;
}

/** Asks for a call: gives what was approved, or the answer that ends the call. Never throws for what an approver does. */
export type Asking = (ctx: Ready, why: Why) => Promise<Approved | ToolResult>;

/** Why it is asked. */
export interface Why extends Ruling {
  /** It is the mode that asks, so that a rule that allows would spare the question. */
  readonly byMode: boolean;
}

/** Makes the part of permission that asks somebody and holds the call to what was approved. */
export function createAsking(options: AskingOptions): Asking {
  return async (ctx, why) => {
    const course = new Course();
    const outcome = await decide(ctx, why, course, options);
    course.tell(ctx, why, outcome);
    return outcome;
  };
}

async function decide(ctx: Ready, why: Why, course: Course, options: AskingOptions): Promise<Approved | ToolResult> {
  let moment: Moment;
  try {
    moment = momentOf(ctx, why, course, options.policies);
  } catch (cause) {
    return refuse(ctx, 'not_presentable', `${ctx.tool.name} needs approval, and its arguments cannot be shown.`, cause);
  }
  const decided = await byGrant(moment, options);
  if (decided !== undefined) return decided;
  const pending = await pendingOf(moment, options);
  if (options.approve === undefined) return unanswered(moment, pending, options);
  course.asked = true;
  return ask(moment, pending, options.approve, options);
}

function momentOf(ctx: Ready, why: Why, course: Course, policies: readonly Policy[]): Moment {
  const { tool } = ctx;
  const args = deepFreeze(snapshot(ctx.args));
  const effects = deepFreeze(snapshot(ctx.effects ?? []));
  const policy = policyVersion(policies);
  const digest = callDigest({ tool, arguments: args, effects, policy });
  const identity = callDigest({ tool, arguments: null, effects: [], policy });
  const { run, state, call } = ctx;
  const request = { tool, arguments: args, effects, mode: run.mode, run, callId: call.id, state };
  const always = why.byMode ? ruleFor(request) : undefined;
  const registered = ctx.registry.get(tool.name);
  return { ctx, why, tool, registered, args, effects, digest, identity, always, course };
}

function policyVersion(policies: readonly Policy[]): string {
  return policies.length === 0 ? '' : versionOf(policies.map(({ name, version }) => [name, version]));
}

/** Looks whether this very call was decided on before it came by: an approver's own edit, or an answer from elsewhere. */
async function byGrant(moment: Moment, options: AskingOptions): Promise<Approved | Failure | undefined> {
  const { ctx, tool, args, effects, digest, identity } = moment;
  const grant = take(ctx.call.arguments);
  if (grant === undefined) return undefined;
  moment.course.earlier = true;
  const present = { callId: ctx.call.id, identity, registered: tool, digest, arguments: args, effects };
  if (covers(grant, present)) {
    if (grant.always === undefined) return { args };
    return (await keep(moment, grant.always.rule, grant.always.scope, options)) ?? { args };
  }
  // An edit that means something else by now can be asked about; an answer from elsewhere was for another call.
  moment.course.earlier = grant.digest !== undefined;
  return moment.course.earlier ? voided(moment) : undefined;
}

async function pendingOf(moment: Moment, options: AskingOptions): Promise<PendingApproval> {
  const { ctx, tool, args, effects, why, always } = moment;
  const shown = await previewOf(ctx, snapshot(args), options.previewTimeout, options.clock);
  const { id, principal, mode, tools } = ctx.run;
  return deepFreeze(
    snapshot({
      version: 1 as const,
      id: process.getBuiltinModule('node:crypto').randomUUID() as string,
      digest: moment.digest,
      identity: moment.identity,
      callId: ctx.call.id,
      run: { id, mode, ...(principal !== undefined && { principal }), ...(tools !== undefined && { tools }) },
      tool: tool.name,
      description: tool.description,
      ...(tool.permission !== undefined && { level: tool.permission }),
      ...(tool.source !== undefined && { source: tool.source }),
      ...(tool.tags !== undefined && { tags: tool.tags }),
      ...(tool.annotations !== undefined && { annotations: tool.annotations }),
      arguments: args,
      effects,
      reason: why.reason ?? 'a rule asks before calls like this one',
      rule: why.rule ?? 'policy',
      ...shown,
      ...(always !== undefined && { always: { rule: always, scopes: options.memory.scopes } }),
      created: new Date().toISOString(),
    }),
  );
}

async function ask(
  moment: Moment,
  pending: PendingApproval,
  approve: Approve,
  options: AskingOptions,
): Promise<Approved | ToolResult> {
  const { ctx, tool } = moment;
  const { signal } = ctx;
  const waited = await waitForAnswer(() => approve(pending, { signal }), signal, options.approveTimeout, options.clock);
  // An answer and the end of the call may come in the same turn; the end counts.
  if (waited.how === 'aborted' || signal.aborted) {
    return toFailure(ctx, signal.reason);
  }
  if (waited.how === 'failed') {
    return refuse(ctx, 'approver_failed', `The call of ${tool.name} could not be approved.`, waited.cause);
  }
  if (waited.how === 'expired') {
    return refuse(
      ctx,
      'approval_timeout',
      `Nobody approved the call of ${tool.name} within ${options.approveTimeout} ms.`,
    );
  }
  const { answer } = waited;
  if (answer.allowed === undefined) return unanswered(moment, pending, options);
  if (!answer.allowed) {
    moment.course.declined = { reason: answer.reason };
    const said = answer.reason === undefined || answer.reason === '' ? '.' : `: ${answer.reason}`;
    return refuse(ctx, 'declined', `The user declined this call${said}`);
  }
  if (!isUnchanged(moment, options.policies)) return voided(moment);
  if (answer.edited !== undefined) return restart(moment, answer.edited.arguments);
  if (answer.always === undefined) return { args: moment.args };
  return (await keep(moment, pending.always?.rule, answer.always, options)) ?? { args: moment.args };
}

/** Keeps the rule that was shown; gives the answer that ends the call when that is not possible. */
async function keep(
  moment: Moment,
  rule: Rule | undefined,
  scope: AlwaysScope,
  { memory, policies }: AskingOptions,
): Promise<Failure | undefined> {
  const { ctx, tool } = moment;
  if (rule === undefined || !memory.scopes.includes(scope)) {
    return refuse(ctx, 'not_rememberable', `For the call of ${tool.name}, no rule can be kept for this ${scope}.`);
  }
  try {
    await memory.keep(rule, scope, ctx.run);
  } catch (cause) {
    return refuse(ctx, 'store_failed', `The rule for ${tool.name} could not be kept, so the call did not run.`, cause);
  }
  moment.course.remembered = scope;
  return isUnchanged(moment, policies) ? undefined : voided(moment);
}

/** Whether the call is still the one that was shown: same tool, arguments, effects and rules. */
function isUnchanged(moment: Moment, policies: readonly Policy[]): boolean {
  const { ctx, tool, registered, digest } = moment;
  if (ctx.tool !== tool || ctx.registry.get(tool.name) !== registered) return false;
  try {
    const now = { tool, arguments: ctx.args, effects: ctx.effects ?? [], policy: policyVersion(policies) };
    return callDigest(now) === digest;
  } catch {
    return false;
  }
}

/** Sends the arguments that the approver wrote through validation and all guards. */
async function restart(moment: Moment, edited: unknown): Promise<Approved | ToolResult> {
  const { ctx, tool, args, effects } = moment;
  let written: unknown;
  try {
    written = snapshot(edited);
    if (canonicalJson(written) === canonicalJson(args)) return { args };
  } catch (cause) {
    return refuse(ctx, 'unusable_edit', `The edited arguments for ${tool.name} could not be used.`, cause);
  }
  if (typeof written === 'object' && written !== null) {
    remember(written, {
      callId: ctx.call.id,
      identity: moment.identity,
      registered: tool,
      arguments: snapshot(written),
      kinds: new Set(effects.map((effect) => effect.kind)),
    });
  }
  // Before the call runs again, and is decided on again.
  moment.course.tell(ctx, moment.why, { args: written }, true);
  return ctx.restart(written);
}

/** Nobody has decided: notes what is pending, for a decision that comes later. */
async function unanswered({ ctx }: Moment, pending: PendingApproval, { approvals }: AskingOptions): Promise<Failure> {
  try {
    await approvals?.save(pending);
  } catch (cause) {
    return refuse(ctx, 'store_failed', `${ctx.tool.name} needs approval, and that could not be noted.`, cause);
  }
  const text = `${ctx.tool.name} needs approval, and nobody is there to give it. Nothing was done. Tell the user what you want to do, and do not repeat the call until it is approved.`;
  return ctx.fail('approval_required', text, { details: { reason: 'no_approver', pending } });
}

function voided({ ctx, tool }: Moment): Failure {
  return refuse(
    ctx,
    'approval_void',
    `The call of ${tool.name} is no longer the one that was approved, so it did not run.`,
  );
}

function refuse(ctx: Ready, reason: string, what: string, cause?: unknown): Failure {
  const text = `${/[.!?]$/.test(what) ? what : `${what}.`} Do not repeat the call unchanged; take another way, or ask the user how to go on.`;
  return ctx.fail('denied', text, { details: { reason }, cause });
}
