import { didYouMean } from '../basics/nearest.ts';
import type { ProviderName } from '../providers/types.ts';
import type { Router } from '../router.ts';
import { UsageError } from './errors.ts';

/**
 * What a model of `provider` is given as tools: those that the mode and the rules do not deny whatever the arguments.
 * Throws a {@link UsageError} for a provider that is none.
 */
export async function schemasFor(provider: string, router: Router, strict: boolean, usage: string): Promise<unknown> {
  const { providers } = await import('../providers/index.ts');
  if (!Object.hasOwn(providers, provider)) {
    const names = Object.keys(providers);
    const advice = didYouMean(provider, names);
    throw new UsageError(`There is no format "${provider}".${advice} The formats are: ${names.join(', ')}.`, usage);
  }
  return await router.schemas(provider as ProviderName, { strict });
}
