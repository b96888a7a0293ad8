import { defineTool, type Effect, type Ready, type Stage } from 'callgate';
import { type UrlGuardAdds, urlGuard } from 'callgate/middleware/url-guard';
import { describe, expectTypeOf, it } from 'vitest';
import type { ScopedFetch } from '../../src/capabilities/net/types.ts';

const parameters = { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] } as const;

describe('urlGuard', () => {
  it('is a guard that adds the effects and the fetch', () => {
    expectTypeOf(urlGuard()).toExtend<Stage<Ready, UrlGuardAdds>>();
    expectTypeOf(urlGuard().guards).toEqualTypeOf<true>();
    expectTypeOf<UrlGuardAdds['effects']>().toEqualTypeOf<readonly Effect[]>();
    // @ts-expect-error an unknown option
    urlGuard({ allowed: [] });
    // @ts-expect-error an unknown scheme
    urlGuard({ schemes: ['ftp'] });
  });

  it('gives fetch to the tools that declare URLs, and to no others', () => {
    defineTool({
      name: 'a',
      description: 'a',
      parameters,
      urls: ['url'],
      handler: (_, ctx) => expectTypeOf(ctx.fetch).toEqualTypeOf<ScopedFetch>(),
    });
    defineTool({
      name: 'b',
      description: 'b',
      parameters,
      handler: (_, ctx) => expectTypeOf(ctx.fetch).toEqualTypeOf<ScopedFetch | undefined>(),
    });
  });
});
