import type { Maybe } from '../types.ts';

/** What may be decided about a call. */
export type Decision = 'allow' | 'ask' | 'deny';

/** A decision with its reason. The reason of a `deny` is told to the model, that of an `ask` to the approver. */
export interface Ruling {
  readonly decision: Decision;
  readonly reason?: string;
  /** Which rule or policy decided, for people. */
  readonly rule?: string;
  /** Private: why a policy could not decide. Reaches observers, never the model. */
  readonly cause?: unknown;
  /**
   * With `ask`: it may be that this should be denied. The mode's default then counts as well, so that doubt never lets
   * pass what the mode would stop.
   */
  readonly doubtful?: boolean;
}

/** What a policy answers; `undefined` is no opinion. */
export type Verdict = Decision | Ruling;

/** Whether `value` is one of the three decisions. */
export function isDecision(value: unknown): value is Decision {
  return value === 'allow' || value === 'ask' || value === 'deny';
}

function strictness({ decision, doubtful }: Ruling): number {
  if (decision === 'deny') return 3;
  return decision === 'allow' ? 0 : doubtful ? 2 : 1;
}

/** The stricter of two: deny before ask before allow before no opinion. Of two equally strict ones, the first. */
export function stricter(first: Ruling | undefined, second: Ruling | undefined): Ruling | undefined {
  if (first === undefined) return second;
  if (second === undefined) return first;
  return strictness(second) > strictness(first) ? second : first;
}

/** The strictest of what each of them says of a request; what is still to come is not waited for where one has denied. */
export function strictestOf<Judge, Request>(
  judges: readonly Judge[],
  request: Request,
  say: (judge: Judge, request: Request) => Maybe<Ruling | undefined>,
): Maybe<Ruling | undefined> {
  if (judges.length === 1) return say(judges[0] as Judge, request);
  let strictest: Ruling | undefined;
  let waiting: Promise<Ruling | undefined>[] | undefined;
  for (const judge of judges) {
    const ruling = say(judge, request);
    if (ruling instanceof Promise) {
      waiting ??= [];
      waiting.push(ruling);
    } else {
      strictest = stricter(strictest, ruling);
    }
  }
  if (waiting === undefined || strictest?.decision === 'deny') return strictest;
  return Promise.all(waiting).then((rulings) => rulings.reduce(stricter, strictest));
}

const plain: Readonly<Record<Decision, Ruling>> = Object.freeze({
  allow: Object.freeze({ decision: 'allow' }),
  ask: Object.freeze({ decision: 'ask' }),
  deny: Object.freeze({ decision: 'deny' }),
});

/** Reads what a policy answered. What is not a verdict is a denial: a policy that cannot be understood did not allow. */
export function readVerdict(verdict: unknown, by: string): Ruling | undefined {
  if (verdict === undefined) return undefined;
  if (isDecision(verdict)) return plain[verdict];
  if (typeof verdict === 'object' && verdict !== null) {
    const { decision, reason, rule, cause, doubtful } = verdict as Partial<Ruling>;
    if (isDecision(decision) && (reason === undefined || typeof reason === 'string')) {
      return {
        decision,
        ...(reason !== undefined && { reason }),
        rule: typeof rule === 'string' ? rule : by,
        cause,
        doubtful: doubtful === true,
      };
    }
  }
  return failed(by, new TypeError(`Policy "${by}" gave an unknown verdict. Give allow, ask, deny or undefined.`));
}

/** The ruling for a policy or rule that could not decide. */
export function failed(by: string, cause: unknown): Ruling {
  return { decision: 'deny', reason: 'a policy could not decide', rule: by, cause };
}
