import { causeOf, type ToolResult } from '../result.ts';
import { isAnswer } from '../traits.ts';
import type { Ready } from '../types.ts';
import type { AlwaysScope } from './always.ts';
import type { Ruling } from './verdict.ts';

/** How asking about a call went: what observers hear of it beside what it came to. */
export class Course {
  asked = false;
  remembered: AlwaysScope | undefined;
  /** Nobody was asked now, as the answer had been given before. */
  earlier = false;
  #told = false;

  /** Tells observers what it came to, once. */
  tell(ctx: Ready, why: Ruling, outcome: ToolResult | { readonly args: unknown }, edited = false): void {
    if (this.#told) return;
    this.#told = true;
    const failure = isAnswer(outcome) ? outcome : undefined;
    const left = failure?.ok === false && failure.code === 'denied' ? 'deny' : 'ask';
    ctx.tell?.('decision', {
      decision: failure === undefined ? 'allow' : left,
      rule: this.earlier ? 'approval given before' : (why.rule ?? 'policy'),
      reason: failure?.error ?? why.reason,
      asked: this.asked,
      edited,
      remembered: this.remembered,
      cause: failure === undefined ? undefined : causeOf(failure),
    });
  }
}
