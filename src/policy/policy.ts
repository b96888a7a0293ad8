import { checkOptions } from '../basics/options.ts';
import { isThenable } from '../basics/thenable.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Tool } from '../tool.ts';
import type { Effect, Maybe, Run } from '../types.ts';
import { failed, type Ruling, readVerdict, strictestOf, type Verdict } from './verdict.ts';

/** What a policy judges: one call, after validation and the guards. To be read only. */
export interface PolicyRequest {
  readonly tool: Tool;
  /** After validation and defaults, with canonical paths. */
  readonly arguments: unknown;
  /** What the guards found that the call would do. */
  readonly effects: readonly Effect[];
  readonly mode: string;
  readonly run: Run;
  readonly callId: string;
  /** The user's own, as on the context. */
  readonly state: unknown;
}

/** What is certain about a tool before any call of it; see {@link Policy.foresee}. */
export type Foresight = 'deny' | 'silent' | 'depends';

/**
 * Something that judges calls: a function, a list of rules, an engine. Several count together, the strictest wins.
 * One that throws, answers nonsense or does not answer in time has denied.
 */
export interface Policy {
  /** For explanations. Default `policy`. */
  readonly name?: string;
  /** Stands for the policy's content: approvals that were given under another version are void. */
  readonly version?: string;
  /** Judges a call; `undefined` is no opinion. */
  decide(request: PolicyRequest): Maybe<Verdict | undefined>;
  /**
   * What it will say of every call of this tool, whatever the arguments: it always denies (`deny`), it never gives leave
   * that the mode does not (`silent`), or that depends. Without this method, it depends. Only used to leave out of the
   * model's list what is always denied.
   */
  foresee?(tool: Tool, mode: string): Foresight;
}

export interface PolicyOptions {
  /** Default: the function's name, else `policy`. */
  readonly name?: string;
  /** See {@link Policy.version}. Default: the function's source text. */
  readonly version?: string;
}

/**
 * Makes a policy of a function.
 *
 * @example
 * const officeHours = policy(function officeHours({ tool }) {
 *   const hour = new Date().getHours();
 *   return tool.permission === 'write' && (hour < 8 || hour > 18) ? deny('nothing is written at night') : undefined;
 * });
 */
export function policy(
  decide: (request: PolicyRequest) => Maybe<Verdict | undefined>,
  options: PolicyOptions = {},
): Policy {
  if (typeof decide !== 'function') throw new TypeError('policy() needs a function that judges a request.');
  checkOptions('policy', options, ['name', 'version']);
  return Object.freeze({
    name: options.name ?? (decide.name || 'policy'),
    version: options.version ?? String(decide),
    decide,
  });
}

/** The verdict `allow`, with a reason for people. */
export function allow(reason?: string): Ruling {
  return ruling('allow', reason);
}

/** The verdict `ask`; the approver is shown the reason. */
export function ask(reason?: string): Ruling {
  return ruling('ask', reason);
}

/** The verdict `deny`; the model is told the reason. */
export function deny(reason?: string): Ruling {
  return ruling('deny', reason);
}

function ruling(decision: Ruling['decision'], reason: string | undefined): Ruling {
  return reason === undefined ? { decision } : { decision, reason };
}

/** Whether `value` can be used as a policy. */
export function isPolicy(value: unknown): value is Policy {
  return typeof (value as Partial<Policy> | null | undefined)?.decide === 'function';
}

/**
 * Asks all policies and gives the strictest ruling, or `undefined` when none has an opinion. Never throws or rejects.
 * A policy that has not answered after `milliseconds` has denied.
 */
export function judge(
  policies: readonly Policy[],
  request: PolicyRequest,
  milliseconds: number,
  clock: Clock = systemClock,
): Maybe<Ruling | undefined> {
  const ruling = strictestOf(policies, request, rulingOf);
  return ruling instanceof Promise ? inTime(ruling, milliseconds, clock) : ruling;
}

function rulingOf(judging: Policy, request: PolicyRequest): Maybe<Ruling | undefined> {
  const name = judging.name ?? 'policy';
  try {
    const verdict: unknown = judging.decide(request);
    if (!isThenable(verdict)) return readVerdict(verdict, name);
    return Promise.resolve(verdict)
      .then((settled) => readVerdict(settled, name))
      .catch((error: unknown) => failed(name, error));
  } catch (error) {
    return failed(name, error);
  }
}

/** What is to come, or a denial when that takes too long. */
function inTime(ruling: Promise<Ruling | undefined>, milliseconds: number, clock: Clock): Promise<Ruling | undefined> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => {
      resolve(failed('deadline', new Error(`A policy had not decided after ${milliseconds} ms.`)));
    }, milliseconds);
    ruling.then((settled) => {
      clock.clearTimeout(timer);
      resolve(settled);
    });
  });
}
