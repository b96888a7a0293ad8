import type { ToolResult } from '../result.ts';
import { isAnswer } from '../traits.ts';
import type { Maybe, Ready } from '../types.ts';
import type { Approved, Asking, AskingOptions } from './asking.ts';
import { approvedIdentity, type Identities } from './identities.ts';
import { contentOf, levelOf, requestOf } from './judged-call.ts';
import type { Modes } from './modes.ts';
import { changed, denied, notNoted, unasked } from './refusals.ts';
import type { RuleMemory } from './rule-memory.ts';
import { type Ruling, stricter } from './verdict.ts';

/** What it takes to carry a ruling out. */
export interface Enacting {
  readonly modes: Modes;
  readonly memory: RuleMemory;
  readonly identities: Identities | undefined;
  readonly asking: Asking;
}

/** What becomes of a call: it goes on as it is, or as it was approved, or is answered. */
export type Enacted = Approved | ToolResult | undefined;

/** Does what the policies say of a call; the mode decides where they say nothing (`undefined`). */
export function enact(ctx: Ready, ruling: Ruling | undefined, enacting: Enacting): Maybe<Enacted> {
  const { modes, memory, identities, asking } = enacting;
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

/** As {@link enact}, of a ruling that is still to come. */
export async function enactLater(
  ctx: Ready,
  pending: Promise<Ruling | undefined>,
  enacting: Enacting,
): Promise<Enacted> {
  const judged = contentOf(ctx);
  const ruling = await pending;
  // What was judged must be what runs, also when somebody held on to the arguments meanwhile.
  if (contentOf(ctx) !== judged) return changed(ctx);
  return enact(ctx, ruling, enacting);
}

/** What asks somebody is loaded with the first question. */
export function askingOnDemand(options: AskingOptions): Asking {
  let asking: Asking | undefined;
  return async (ctx, why) => {
    if (asking === undefined) {
      const { tool } = ctx;
      const judged = contentOf(ctx);
      const { createAsking } = await import('./asking.ts');
      asking ??= createAsking(options);
      // As above: what was judged must be what somebody is asked about.
      if (ctx.tool !== tool || contentOf(ctx) !== judged) return changed(ctx);
    }
    return asking(ctx, why);
  };
}

function byMode(ctx: Ready, modes: Modes): Ruling {
  const { mode } = ctx.run;
  const needed = levelOf(ctx);
  const level = needed === undefined ? 'tools without a level' : `tools of level "${needed}"`;
  const decision = modes.defaultFor(mode, needed) ?? 'deny';
  const does = decision === 'deny' ? 'does not allow' : 'asks before';
  return { decision, reason: `mode "${mode}" ${does} ${level}`, rule: `mode ${mode}` };
}

/** Nothing allows what a guard says somebody must be asked about. */
function heeding({ mustAsk }: Ready, ruling: Ruling): Ruling {
  if (mustAsk === undefined) return ruling;
  return stricter(ruling, { decision: 'ask', reason: mustAsk, rule: 'guard' }) ?? ruling;
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
    return notNoted(ctx, cause);
  }
}
