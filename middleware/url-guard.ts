import { checkKinds, checkOptions } from '../src/basics/options.ts';
import { completeLimits, type FetchLimits } from '../src/capabilities/net/limits.ts';
import type { GrantedFetch } from '../src/capabilities/net/scoped-fetch.ts';
import type { ScopedFetch } from '../src/capabilities/net/types.ts';
import { type CheckedUrl, UrlPolicy, type UrlPolicyOptions } from '../src/capabilities/net/url-policy.ts';
import { refusedAt, rewriteAt } from '../src/definition/argument-places.ts';
import { ToolError } from '../src/errors.ts';
import type { Failure } from '../src/result.ts';
import { type Guard, guard, makesStages, step, type Traits } from '../src/traits.ts';
import type { Effect, Maybe, Ready, Stage } from '../src/types.ts';

/** The rules and limits of {@link urlGuard}. */
export interface UrlGuardOptions extends UrlPolicyOptions, FetchLimits {}

/** What {@link urlGuard} hands on for a tool that declares URLs. */
export interface UrlGuardAdds {
  /** The arguments, each URL in canonical form; the same object when nothing had to be rewritten. */
  readonly args: unknown;
  /** The host and port of every URL. */
  readonly effects: readonly Effect[];
  /** Reaches the checked URLs, until the call settles. */
  readonly fetch: ScopedFetch;
}

const policyOptions = ['allow', 'deny', 'ports', 'schemes', 'privateAddresses'] satisfies (keyof UrlPolicyOptions)[];
const limitOptions = [
  'redirects',
  'maxBytes',
  'connectTimeout',
  'headersTimeout',
  'totalTimeout',
  'lookup',
  'certificateAuthorities',
] satisfies (keyof FetchLimits)[];

/**
 * Checks every argument that a tool declares in `urls`, rewrites it canonically, and gives the tool `ctx.fetch`, which
 * reaches just these URLs. Without options: public addresses only, http and https on ports 80 and 443.
 *
 * Nothing is looked up here, as that alone would tell somebody something before permission has judged the call. What
 * a name leads to is judged when `ctx.fetch` connects, at every redirect anew.
 *
 * Fails with: `url_denied`; the reason stands in `details.reason`, the argument in `details.pointer`.
 *
 * @example
 * defaultPipeline().replace('urlGuard', urlGuard({ allow: ['docs.example.com', '*.wikipedia.org'] }))
 */
export function urlGuard(options: UrlGuardOptions = {}): Stage<Ready, UrlGuardAdds> & Guard {
  checkOptions('urlGuard', options, [...policyOptions, ...limitOptions], ['allow', 'deny']);
  checkKinds('urlGuard', options, { allow: 'texts', certificateAuthorities: 'texts' });
  const policy = new UrlPolicy(only(options, policyOptions));
  const limits = completeLimits(only(options, limitOptions));
  let grant: Grant | undefined;

  const stage = step(function urlGuard(ctx: Ready): Maybe<UrlGuardAdds | Failure | undefined> {
    const { urls } = ctx.tool;
    if (urls === undefined) return undefined;
    return grant === undefined ? later(ctx, urls) : check(policy, grant, ctx, urls);
  });

  async function later(ctx: Ready, urls: readonly string[]): Promise<UrlGuardAdds | Failure> {
    // What fetches is loaded with the first tool that declares URLs.
    const { Fetcher } = await import('../src/capabilities/net/fetcher.ts');
    const { GrantedFetch } = await import('../src/capabilities/net/scoped-fetch.ts');
    const fetcher = new Fetcher(policy, limits);
    grant ??= (granted) => new GrantedFetch(fetcher, granted);
    return check(policy, grant, ctx, urls);
  }
  const traits: Traits = {
    needs: ['tool', 'args'],
    adds: ['args', 'effects', 'fetch'],
    provides: ['fetch'],
    rewrites: true,
    concerns: ({ urls }) => urls !== undefined,
  };
  return guard(stage as Stage<Ready, UrlGuardAdds>, traits);
}
makesStages(urlGuard);

type Grant = (granted: readonly CheckedUrl[]) => GrantedFetch;

function check(policy: UrlPolicy, grant: Grant, ctx: Ready, urls: readonly string[]): UrlGuardAdds | Failure {
  const granted: CheckedUrl[] = [];
  const effects: Effect[] = ctx.effects === undefined ? [] : [...ctx.effects];
  let args = ctx.args;
  let at = '';
  try {
    for (const declared of urls) {
      args = rewriteAt(args, declared, 'url', (value, pointer) => {
        at = pointer;
        const url = policy.check(value);
        granted.push(url);
        effects.push({ kind: 'net', host: url.name, port: url.port });
        return url.href;
      });
    }
  } catch (error) {
    if (error instanceof ToolError) return refusedAt(ctx, at, error);
    throw error;
  }
  const access = grant(granted);
  ctx.onAbort(() => access.revoke(new ToolError('The call was withdrawn.', { code: 'aborted' })));
  ctx.onSettled(() => access.revoke());
  return { args, effects, fetch: access.fetch };
}

/** The options that were given, of those that are meant. */
function only<O extends object, K extends keyof O>(options: O, names: readonly K[]): Pick<O, K> {
  return Object.fromEntries(
    names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  ) as Pick<O, K>;
}
