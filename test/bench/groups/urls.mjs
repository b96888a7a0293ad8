import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare } from '../lib/measure.mjs';
import { median } from '../lib/statistics.mjs';

/** What judging a URL costs; nothing is looked up or connected to. */
export const title = 'urls';

const options = { allow: ['docs.example.com', '*.wikipedia.org'], deny: ['evil.example'] };

async function judge({ entry = bench.builtEntry, ...pace }) {
  const { urlGuard } = await import(new URL('../middleware/url-guard.js', entry).href);
  const { UrlPolicy } = await import(new URL('./capabilities/net/url-policy.js', entry).href);
  const policy = new UrlPolicy(options);
  const guard = urlGuard(options);
  const tool = { name: 'fetch', urls: ['url'] };
  const url = 'https://docs.example.com/guide/page?section=2#top';
  const ctx = () => ({ tool, args: { url }, onAbort() {}, onSettled() {}, fail: (code) => ({ call_id: '', code }) });
  const refused = () => {
    try {
      return policy.check('http://0x7f.1/admin');
    } catch (error) {
      return error;
    }
  };
  const contenders = [
    { name: 'passed', call: () => policy.check(url), check: expect((found) => found.port === 443) },
    { name: 'refused', call: refused, check: expect((found) => found.code === 'url_denied') },
    { name: 'guard', call: () => guard(ctx(), (adds) => adds), check: expect((adds) => adds.args.url === url) },
  ];
  return compare(contenders, pace);
}

function expect(holds) {
  return (found) => {
    if (!holds(found)) throw new Error('the verdict is another');
  };
}

export const cases = { judge };

export async function* rows(options) {
  const samples = await inChild(import.meta.url, 'judge', options);
  const row = (key, what) => ({
    group: title,
    key,
    what,
    value: median(samples[key].cpu) / 1000,
    unit: 'us',
    atMost: 20,
  });
  yield row('passed', 'verdict of a URL that passes: CPU');
  yield row('refused', 'verdict of a loopback address in disguise: CPU');
  yield row('guard', 'the whole guard, which also lends access: CPU');
}
