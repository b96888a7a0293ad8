import { cache } from '../../../middleware/cache.ts';
import { circuitBreaker } from '../../../middleware/circuit-breaker.ts';
import { dedupe } from '../../../middleware/dedupe.ts';
import { rateLimit } from '../../../middleware/rate-limit.ts';
import { retry } from '../../../middleware/retry.ts';
import { when } from '../../../middleware/when.ts';
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
  if (once !== undefined) found.push(['dedupe', limited(once, dedupe)]);
  if (kept !== undefined) found.push(['cache', limited(kept, cache)]);
  if (again !== undefined) {
    const { safe, ...options } = again;
    const isSafe = anyOf(safe ?? []);
    found.push(['retry', limited({ ...options, safe: ({ name }: { readonly name: string }) => isSafe(name) }, retry)]);
  }
  if (breaker !== undefined) found.push(['circuitBreaker', limited(breaker, circuitBreaker)]);
  for (const [at, rate] of (rates === undefined ? [] : [rates].flat()).entries()) {
    found.push([at === 0 ? 'rateLimit' : `rateLimit${at + 1}`, limited(rate, rateLimit)]);
  }
  return found;
}

/** The stage for the tools that it is meant for. */
function limited<Options extends { readonly tools?: readonly string[] }>(
  { tools, ...options }: Options,
  make: (options: Omit<Options, 'tools'>) => AnyStage,
): AnyStage {
  const stage = make(options);
  if (tools === undefined) return stage;
  const isMeant = anyOf(tools);
  return when((ctx) => isMeant(ctx.call.name), stage as never) as AnyStage;
}

/** By the patterns that guards have, too. */
function anyOf(patterns: readonly string[]): (name: string) => boolean {
  const tests = patterns.map(globTest);
  return (name) => tests.some((test) => test(name));
}
