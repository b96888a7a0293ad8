import { homedir } from 'node:os';
import { content, createRouter, defaultPipeline, defineTool, pipeline, ToolError } from 'callgate';
import { execute, lookup, normalize, validate } from 'callgate/middleware';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../src/policy/approval.ts';

const known = 's3cr3t-V4lue-XYZ';
const token = `ghp_${'a1B2'.repeat(10)}`;
const parameters = { type: 'object', properties: { path: { type: 'string' } } } as const;

function toolOf(handler: () => unknown, more: object = {}) {
  return defineTool({ name: 'tool', description: 'For a test.', parameters, permission: 'read', handler, ...more });
}

describe('progress', () => {
  const noisy = defineTool({
    name: 'tool',
    description: 'For a test.',
    parameters,
    permission: 'read',
    handler: (_, { progress }) => {
      for (const data of [`step ${known}`, { [token]: known }, '\u001b[2J\u202e', new Date(0), 7, 'x'.repeat(600_000)])
        progress(data);
      return 'done';
    },
  });
  const clean = [
    'step [redacted:secret]',
    { '[redacted:github]': '[redacted:secret]' },
    '\\u202e',
    '1970-01-01T00:00:00.000Z',
    7,
  ];

  it('leaves the router clean, to listeners, callers and streams alike', async () => {
    const router = createRouter({ tools: [noisy], secrets: [known] });
    const heard: unknown[] = [];
    const called: unknown[] = [];
    const streamed: unknown[] = [];
    router.on('progress', ({ data }) => heard.push(data));
    await router.call({ name: 'tool' }, { onProgress: (data) => called.push(data) });
    for await (const event of router.stream([{ name: 'tool' }]))
      if (event.type === 'progress') streamed.push(event.data);
    for (const seen of [heard.slice(0, 6), called, streamed]) {
      expect(seen.slice(0, 5)).toEqual(clean);
      expect(String(seen[5]).length).toBeLessThanOrEqual(262_144);
    }
  });

  it('is copied and no more where no stage cleans', async () => {
    const router = createRouter({
      tools: [noisy],
      pipeline: pipeline().use('lookup', lookup()).use('validate', validate()).use('execute', execute()),
    });
    const called: unknown[] = [];
    await router.call({ name: 'tool' }, { onProgress: (data) => called.push(data) });
    expect(called[0]).toBe(`step ${known}`);
  });
});

describe('a preview', () => {
  it.each([
    ['shows no secret and nothing that acts', () => `-KEY=${known}\n+KEY=${token}\u001b[2J`],
    ['that fails tells no secret', () => Promise.reject(new Error(`cannot show ${known} ${token}`))],
    ['that is long is cut', () => 'x'.repeat(900_000)],
  ])('%s', async (_, preview) => {
    let request: ApprovalRequest | undefined;
    const router = createRouter({
      tools: [toolOf(() => 'done', { permission: 'write', preview })],
      secrets: [known],
      approve: (asked) => {
        request = asked;
        return 'deny';
      },
    });
    await router.call({ name: 'tool' });
    expect(request?.preview).toBeTypeOf('string');
    expect(JSON.stringify(request)).not.toContain(known);
    expect(request?.preview).not.toContain(token);
    expect(request?.preview).not.toContain('\u001b');
    expect(request?.preview?.length).toBeLessThanOrEqual(262_144);
  });
});

describe('the text of a failure', () => {
  const texts: readonly [text: string, shown: string][] = [
    ['Cannot read /etc/app/settings.json.', 'Cannot read <host>/settings.json.'],
    [`Cannot read ${homedir()}/notes.txt.`, 'Cannot read ~/notes.txt.'],
    [`Cannot read ${process.cwd()}/src/index.ts.`, 'Cannot read src/index.ts.'],
    ['See file:///var/log/app.log please', 'See <host>/app.log please'],
    ['It broke\n    at run (/srv/app/main.js:3:4)\nand stopped', 'It broke\nand stopped'],
    ['C:\\Users\\somebody\\key.pem is missing', '<host>/key.pem is missing'],
    ['Use either a/b or /c.', 'Use either a/b or /c.'],
    ['The ratio is 1/2, see https://example.com/etc/x', 'The ratio is 1/2, see https://example.com/etc/x'],
  ];

  it.each(texts)('%j holds no path of the host, whoever made it', async (text, shown) => {
    const thrown = createRouter({ tools: [toolOf(() => Promise.reject(new ToolError(text)))] });
    expect((await thrown.call({ name: 'tool' })).error).toBe(shown);
    const staged = createRouter({
      tools: [toolOf(() => 'done')],
      pipeline: defaultPipeline().replace('timeout', (ctx) => ctx.fail('unavailable', text)),
    });
    expect((await staged.call({ name: 'tool' })).error).toBe(shown);
  });

  it('keeps a path that the model wrote itself', async () => {
    const router = createRouter({
      tools: [toolOf(() => Promise.reject(new ToolError('No /etc/app/x, but /etc/app/y.')))],
    });
    const result = await router.call({ name: 'tool', arguments: { path: '/etc/app/x' } });
    expect(result.error).toBe('No /etc/app/x, but <host>/y.');
    const asText = await router.call({ name: 'tool', arguments: '{"path":"/etc/app/x"}' });
    expect(asText.error).toBe(result.error);
  });

  it('leaves pointers into arguments alone, though they look like paths', async () => {
    const home = {
      type: 'object',
      properties: { home: { type: 'object', properties: { var: { type: 'string' } } } },
    } as const;
    const tool = defineTool({
      name: 'tool',
      description: 'For a test.',
      parameters: home,
      permission: 'read',
      handler: () => 1,
    });
    const result = await createRouter({ tools: [tool] }).call({ name: 'tool', arguments: { home: { var: 1 } } });
    expect(result.error).toContain('/home/var');
  });
});

describe('a subclass of a built-in class', () => {
  it.each([
    [
      'Date',
      () =>
        new (class extends Date {
          override toISOString(): string {
            return token;
          }
        })(0),
    ],
    [
      'Map',
      () =>
        Object.assign(new Map([['a', 1]]), {
          *keys() {
            for (;;) yield token;
          },
        }),
    ],
    [
      'Set',
      () =>
        new (class extends Set {
          override get size(): number {
            return token as never;
          }
        })([1]),
    ],
    ['Blob', () => Object.defineProperty(new Blob([]), 'size', { value: token })],
  ])('%s cannot smuggle its own text past the check', async (_, make) => {
    const result = await createRouter({ tools: [toolOf(make)] }).call({ name: 'tool' });
    expect(result.ok).toBe(true);
    expect(JSON.stringify(result)).not.toContain(token);
  });
});

describe('content blocks', () => {
  it('have one limit together', async () => {
    const blocks = Array.from({ length: 100 }, (_, count) => `${count}:${'x'.repeat(100_000)}`);
    const result = await createRouter({ tools: [toolOf(() => content(blocks))] }).call({ name: 'tool' });
    expect(JSON.stringify(result).length).toBeLessThan(400_000);
    expect(JSON.stringify(result.data)).toContain('98 more blocks left out');
    expect(result.meta).toHaveProperty('truncated');
  });
});

describe('links to other hosts', () => {
  const hostsIn = async (data: unknown): Promise<unknown> => {
    const router = createRouter({
      tools: [toolOf(() => data)],
      normalize: { linkHosts: ['ok.example', '*.good.example'] },
    });
    return (await router.call({ name: 'tool' })).meta['links'];
  };

  it.each([
    ['see https://ok.example/a and https://A.Good.example./b', undefined],
    ['![x](https://evil.example/p.png?q=secret)', ['evil.example']],
    ['[x](//evil.example/p)', ['evil.example']],
    ['<img src="//evil.example/p">', ['evil.example']],
    ['https://ok.example@evil.example/', ['evil.example']],
    ['https://ok.example.evil.example/ https://notok.example', ['ok.example.evil.example', 'notok.example']],
    [{ deep: [{ 'https://key.example/': 'ftp://value.example/' }] }, ['key.example', 'value.example']],
    ['http://2130706433/', ['127.0.0.1']],
    ['good.example without a link', undefined],
    [content(['https://one.example']), ['one.example']],
  ])('in %j are %j', async (data, hosts) => {
    expect(await hostsIn(data)).toEqual(hosts);
  });

  it('are not looked for unless asked, and a list must be one of hosts', async () => {
    const router = createRouter({ tools: [toolOf(() => 'https://evil.example')] });
    expect((await router.call({ name: 'tool' })).meta).toEqual({});
    for (const linkHosts of [['https://x'], ['a/b'], [''], ['*'], [7 as never], 'x' as never]) {
      expect(() => normalize({ linkHosts })).toThrow(TypeError);
    }
  });
});
