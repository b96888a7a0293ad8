import { createRouter, defaultPipeline, type ToolResult } from 'callgate';
import { audit, commandGuard, execute, isolate, normalize, permission, urlGuard, validate } from 'callgate/middleware';
import { cfworkerEngine } from 'callgate/schema';
import { expect, test } from 'vitest';

const kinds: Readonly<Record<string, { readonly fits: unknown; readonly words: string }>> = {
  boolean: { fits: false, words: 'true or false' },
  text: { fits: 'text', words: 'a text' },
  texts: { fits: ['text'], words: 'a list of texts' },
  function: { fits: () => undefined, words: 'a function' },
  object: { fits: {}, words: 'an object' },
  engine: { fits: cfworkerEngine(), words: 'a schema engine' },
};
const wrong: readonly unknown[] = [null, 0, 'no', [1], {}, true, () => true];

const stages: Readonly<Record<string, (options: object) => unknown>> = {
  audit: (options) => audit(() => {}, options),
  commandGuard: (options) => commandGuard({ roots: ['.'], ...options }),
  createRouter,
  execute,
  isolate,
  normalize,
  permission,
  urlGuard,
  validate,
};

// Each of these would be taken for something else, or for nothing: a `redact: 0`, an `allow: null`, a `principal` of an object.
test.each([
  ['audit', 'arguments', 'boolean'],
  ['audit', 'onError', 'function'],
  ['audit', 'secrets', 'texts'],
  ['commandGuard', 'env', 'object'],
  ['commandGuard', 'limits', 'object'],
  ['createRouter', 'allowed', 'texts'],
  ['createRouter', 'principal', 'text'],
  ['createRouter', 'strict', 'boolean'],
  ['execute', 'engine', 'engine'],
  ['isolate', 'engine', 'engine'],
  ['isolate', 'env', 'object'],
  ['isolate', 'reuse', 'boolean'],
  ['isolate', 'state', 'function'],
  ['normalize', 'hint', 'text'],
  ['normalize', 'linkHosts', 'texts'],
  ['normalize', 'redact', 'boolean'],
  ['permission', 'modes', 'object'],
  ['urlGuard', 'allow', 'texts'],
  ['urlGuard', 'certificateAuthorities', 'texts'],
  ['validate', 'engine', 'engine'],
  ['validate', 'limits', 'object'],
])('%s refuses a value for %s that is of another kind', (name, option, kind) => {
  const make = (value: unknown) => () => stages[name]?.({ [option]: value });
  const { fits, words } = kinds[kind] as (typeof kinds)[string];
  const others = wrong.filter((value) => typeof value !== typeof fits || Array.isArray(value) || value === null);
  const refused = kind === 'engine' ? [...others, {}] : others;
  for (const value of refused) expect(make(value)).toThrow(`${name}({ ${option} }) must be ${words}`);
  expect(make(undefined)).not.toThrow('must be');
  if (name !== 'urlGuard') expect(make(fits)).not.toThrow();
});

test.each(['id', 'principal', 'mode'])('a call of a run whose %s is no text is not made', async (member) => {
  const router = createRouter({ tools: [] });
  const result: ToolResult = await router.call({ name: 'any' }, { run: { [member]: null } });
  expect(result).toMatchObject({ code: 'internal', error: `The ${member} of a run must be a text; it is null.` });
  expect(await router.call({ name: 'any' }, { run: { [member]: undefined } })).toMatchObject({ code: 'unknown_tool' });
});

test.each<[object, RegExp]>([
  [{ limits: { totl: 3 } }, /^In the option limits: .*"totl".* Did you mean total\?$/],
  [{ urls: { alow: [] } }, /^In the option urls: .*"alow"/],
  [{ timeout: 'soon' }, /^In the option timeout: /],
  [{ isolation: { reus: true } }, /^In the option isolation: .*"reus"/],
  [{ roots: ['.'], commands: { limit: {} } }, /^In the option commands: .*"limit"/],
  [{ roots: '.' }, /roots.* must name at least one folder, in a list such as \["\."\]\.$/],
])('what is wrong in %j is told by the name of the option that holds it', (options, message) => {
  expect(() => createRouter(options)).toThrow(message);
  expect(() => defaultPipeline(options)).toThrow(message);
});

test('each option of a router is listed once', () => {
  const listed = /Its options are: (.*)\.$/;
  try {
    createRouter({ xyzxyzxyz: 1 } as never);
    expect.unreachable();
  } catch (error) {
    const names = listed.exec((error as Error).message)?.[1]?.split(', ') ?? [];
    expect(names).toContain('clock');
    expect(new Set(names).size).toBe(names.length);
  }
});
