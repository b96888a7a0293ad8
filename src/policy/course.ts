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
  /** Somebody said no: with these words, which the model is told in a sentence. */
  declined: { readonly reason: string | undefined } | undefined;
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
      reason: this.declined === undefined ? (failure?.error ?? why.reason) : this.declined.reason,
      asked: this.asked,
      edited,
      remembered: this.remembered,
      cause: failure === undefined ? undefined : causeOf(failure),
    });
  }
}
