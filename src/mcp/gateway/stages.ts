import { cache } from '../../../middleware/cache.ts';
import { circuitBreaker } from '../../../middleware/circuit-breaker.ts';
import { dedupe } from '../../../middleware/dedupe.ts';
import { rateLimit } from '../../../middleware/rate-limit.ts';
import { retry } from '../../../middleware/retry.ts';
import { when } from '../../../middleware/when.ts';
import { type NamedTools, namedBy } from '../../chain/named-tools.ts';
import type { AnyStage } from '../../traits.ts';
import { globTest } from '../client/globs.ts';
import type { GatewayStages } from './config.ts';

/** A stage and the name of its place. */
export type NamedStage = readonly [name: string, stage: AnyStage];

/**
 * The stages for tools that fail and models that repeat themselves, from the outside in. Their order is the one that is
 * safe: all stand behind the guards and permission; what answers from what it stored stands outside of what repeats, and
 * what counts stands inside of it, so that every attempt counts.
 */
export function resilienceStages(stages: GatewayStages): readonly NamedStage[] {
  const { dedupe: once, cache: kept, retry: again, circuitBreaker: breaker, rateLimit: rates } = stages;
  const found: NamedStage[] = [];
  if (once !== undefined) found.push(['dedupe', limited('dedupe', once, dedupe)]);
  if (kept !== undefined) found.push(['cache', limited('cache', kept, cache)]);
  if (again !== undefined) {
    const { safe, ...options } = again;
    const isSafe = anyOf(safe ?? []);
    const stage = limited('retry', { ...options, safe: ({ name }: { readonly name: string }) => isSafe(name) }, retry);
    found.push(['retry', naming(stage, 'retry.safe', safe)]);
  }
  if (breaker !== undefined) found.push(['circuitBreaker', limited('circuitBreaker', breaker, circuitBreaker)]);
  for (const [at, rate] of (rates === undefined ? [] : [rates].flat()).entries()) {
    found.push([at === 0 ? 'rateLimit' : `rateLimit${at + 1}`, limited('rateLimit', rate, rateLimit)]);
  }
  return found;
}

/** The stage for the tools that it is meant for. */
function limited<Options extends { readonly tools?: readonly string[] }>(
  name: string,
  { tools, ...options }: Options,
  make: (options: Omit<Options, 'tools'>) => AnyStage,
): AnyStage {
  const stage = make(options);
  if (tools === undefined) return stage;
  const isMeant = anyOf(tools);
  return naming(when((ctx) => isMeant(ctx.call.name), stage as never) as AnyStage, `${name}.tools`, tools);
}

/** The stage, which says which tools its options name. */
function naming(stage: AnyStage, option: string, patterns: readonly string[] = []): AnyStage {
  const further = patterns.map((pattern): NamedTools => {
    const test = globTest(pattern);
    return { option, name: pattern, means: ({ name }) => test(name) };
  });
  return Object.assign(stage, { namesTools: [...namedBy([{ stage }]), ...further] });
}

/** By the patterns that guards have, too. */
function anyOf(patterns: readonly string[]): (name: string) => boolean {
  const tests = patterns.map(globTest);
  return (name) => tests.some((test) => test(name));
}
