import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../cli/run-cli.ts';
import { type Served, script, served } from './serve.ts';

const text = { type: 'string' };
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

/** Where a path may stand that no declaration can name, or that the schema does not speak of at all. */
const places: readonly [what: string, schema: object, args: (path: unknown) => object][] = [
  ['a schema that says nothing', { type: 'object' }, (x) => ({ anything: x })],
  ['a property that the schema does not name', object({ path: text }), (file) => ({ path: 'a.txt', file })],
  ['another spelling of one that it names', object({ path: text }), (Path) => ({ path: 'a.txt', Path })],
  ['a name that says nothing', object({ path: text, target: text }), (target) => ({ path: 'a.txt', target })],
  ['a name in another language', object({ path: text, Pfad: text }), (Pfad) => ({ path: 'a.txt', Pfad })],
  ['an object of any names', object({ x: { type: 'object' } }), (file) => ({ x: { file } })],
  [
    'an object that may be a text',
    object({ path: text, input: { anyOf: [text, object({ path: text })] } }),
    (path) => ({ path: 'a.txt', input: { path } }),
  ],
  [
    'objects of one form by any names',
    object({ entries: { type: 'object', additionalProperties: object({ path: text }) } }),
    (path) => ({ entries: { one: { path } } }),
  ],
  [
    'names that fit a pattern',
    object({ entries: { type: 'object', patternProperties: { '^x': object({ path: text }) } } }),
    (path) => ({ entries: { x1: { path } } }),
  ],
  ['a list of anything', object({ x: { type: 'array' } }), (x) => ({ x: [1, [x]] })],
  ['the name of a member', object({ contents: { type: 'object' } }), (x) => ({ contents: { [String(x)]: 'x' } })],
  ['JSON in a text', object({ x: text }), (file) => ({ x: JSON.stringify({ file }) })],
  ['a list in a text', object({ path: text, x: text }), (x) => ({ path: 'a.txt', x: `a, ${x}` })],
  ['a list in a path', object({ path: text }), (x) => ({ path: `a.txt,${x}` })],
  ['braces in a path', object({ path: text }), (x) => ({ path: `{a.txt,${x}}` })],
];

const paths = (root: string, outside: string): readonly string[] => [
  ...[outside, `${root}/../x`, '~/x', '$HOME/x', 'file:///x', 'C:\\x', '../x', `${outside}/*`],
  ...[`${root}/link/x`, encodeURIComponent(outside)],
];

let root = '';
let outside = '';
let one: Served;
let rootless: Served;

beforeAll(async () => {
  root = folderWith({ 'a.txt': 'a', 'sub/b.txt': 'b' });
  outside = folderWith({ x: 'secret' });
  symlinkSync(outside, `${root}/link`);
  mkdirSync(`${root}/private`);
  writeFileSync(`${root}/private/c.txt`, 'c');
  const tools = places.map(([, inputSchema], at) => ({
    name: `read_${at}`,
    inputSchema,
    annotations: { readOnlyHint: true },
  }));
  const policy = JSON.stringify({ rules: [{ decision: 'deny', effects: { kind: 'fs.read', path: '**/private/**' } }] });
  const folder = folderWith({ 'rules.json': policy });
  const says = JSON.stringify({ tools });
  const argv = ['wrap', '--root', root, '--accept-guesses', '--policy', `${folder}/rules.json`, '--'];
  one = await served('2.x', [...argv, process.execPath, script, says], { cwd: root });
  rootless = await served('2.x', ['wrap', '--accept-guesses', '--', process.execPath, script, says], { cwd: root });
}, 30_000);
afterAll(async () => {
  await one?.end();
  await rootless?.end();
});

const reached = async (at: number, path: string, { driver } = one): Promise<boolean> => {
  const args = places[at]?.[2](path) as { [name: string]: unknown };
  return (await driver.call(`read_${at}`, args))['isError'] !== true;
};

describe.each(places.map(([what], at) => [what, at] as const))('with guesses accepted, through %s', (what, at) => {
  test('no path leads out of the roots', async () => {
    for (const path of paths(root, outside)) expect([path, await reached(at, path)]).toEqual([path, false]);
  });

  test('without roots, no path leads anywhere', async () => {
    for (const path of [...paths(root, outside), `${root}/a.txt`]) {
      expect([path, await reached(at, path, rootless)]).toEqual([path, false]);
    }
  });

  test('paths within the roots and other texts reach the server, and rules see them', async () => {
    const isInPath = what.endsWith('in a path');
    const texts = ['notes', 'a b', 'x/y', ...(isInPath ? [] : ['5 / 3', `${root}/sub/b.txt`])];
    for (const path of texts) expect([path, await reached(at, path)]).toEqual([path, true]);
    expect(await reached(at, `${root}/private/c.txt`)).toBe(false);
  });
});

test('without roots, texts that lead nowhere reach the server', async () => {
  for (const text of ['notes', 'a b', 'x/y', '5 / 3']) expect(await reached(0, text, rootless)).toBe(true);
});

test('more paths than can be looked at are refused', async () => {
  const many = (count: number): object => ({ anything: Array.from({ length: count }, () => `${root}/a.txt`) });
  const isRefused = async (count: number) =>
    (await one.driver.call('read_0', many(count) as { [name: string]: unknown }))['isError'] === true;
  expect(await isRefused(500)).toBe(false);
  expect(await isRefused(501)).toBe(true);
});
