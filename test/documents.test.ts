import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseGatewayConfig } from '../src/mcp/gateway/read-config.ts';
import { parsePolicy } from '../src/policy/file.ts';
import { allOptions, commandLinesIn, faultOf, optionsIn } from './documents/command-lines.ts';
import { documents, project, readMarkdown } from './documents/markdown.ts';
import { deadLinksIn, missingFilesIn, missingScriptsIn, unshippedLinksIn } from './documents/places.ts';
import { docstringExamples, type Snippet, snippetsAmong } from './documents/snippets.ts';
import { typeCheck } from './documents/type-check.ts';

const read = documents().map(readMarkdown);

test('every snippet of the documents and every example of a docstring compiles against the package', () => {
  const snippets = [...read.flatMap(({ blocks }) => snippetsAmong(blocks)), ...docstringExamples()];
  expect(snippets.length).toBeGreaterThan(90);
  // These show that the others are looked at.
  const wrong = [
    "\ncreateRouter({ tools, mood: 'ask' });",
    "import { defineTool } from 'callgate';\ncreateRouter({ tools });",
  ].map(
    (text, index): Snippet => ({ document: 'wrong.md', line: 10 * index, language: 'ts', section: undefined, text }),
  );
  expect(typeCheck([...snippets, ...wrong])).toEqual([
    expect.stringMatching(/^wrong\.md:1: .*'mood' does not exist/),
    expect.stringMatching(/^wrong\.md:11: Cannot find name 'createRouter'/),
  ]);
}, 120_000);

describe('the command lines in the documents', () => {
  const shown = read.flatMap(commandLinesIn);

  test('there are many', () => expect(shown.length).toBeGreaterThan(20));

  test.each(shown.map((line) => [`${line.document}:${line.line}: ${line.words.join(' ')}`, line] as const))(
    '%s',
    async (_, line) => expect(await faultOf(line)).toBeUndefined(),
  );

  test('options that stand alone exist as well', async () => {
    const known = await allOptions();
    const ofServers = ['--token'];
    const unknown = read.flatMap(optionsIn).filter(({ option }) => !known.has(option) && !ofServers.includes(option));
    expect(unknown).toEqual([]);
  });

  test.each([
    [['rnu', 'calls.jsonl']],
    [['run', '--modde', 'ask', 'calls.jsonl']],
    [['policy', 'lnit']],
    [['mcp', 'warp']],
  ])('one such as %j is found out', async (words) => expect(await faultOf({ words })).toBeDefined());
});

describe('what the documents show as JSON is read by what reads it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-documents-'));
  mkdirSync(join(folder, 'notes'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const blocks = read.flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'json'));

  test.each(blocks.map((block) => [`${block.document}:${block.line}`, block] as const))('%s', (_, { text }) => {
    // A part of a configuration stands without what is around it.
    const isPart = text.trimStart().startsWith('"');
    const servers = '"mcpServers": { "fs": { "command": "npx" }, "web": { "url": "https://mcp.example.com/mcp" } }';
    const whole = isPart ? `{ ${servers}, ${text} }` : text;
    const value = JSON.parse(whole) as object;
    if ('mcpServers' in value) {
      parseGatewayConfig(whole, { name: 'callgate.json', folder, environment: { WEB_TOKEN: 'a-token-of-the-web' } });
    } else {
      expect(value).toHaveProperty('rules');
      parsePolicy(value);
    }
  });
});

describe('what the documents name exists', () => {
  const prose = [
    '[here](docs/mcp.md#callgate-mcp-wrap) and `src/router.ts`',
    '[gone](docs/gone.md) and [no heading](docs/mcp.md#gone)',
    '`src/gone.ts`',
  ].join('\n');
  const wrong = { name: 'README.md', prose, blocks: [], headings: [] };

  test('links lead to files, and to headings in them', () => {
    expect(read.flatMap(deadLinksIn)).toEqual([]);
    expect(deadLinksIn(wrong)).toEqual(['README.md:2: docs/gone.md', 'README.md:2: docs/mcp.md#gone']);
  });

  test('what README links to is there in an installed package as well', () => {
    expect(read.filter(({ name }) => name === 'README.md').flatMap(unshippedLinksIn)).toEqual([]);
    expect(unshippedLinksIn(wrong)).toEqual([]);
    expect(unshippedLinksIn({ ...wrong, prose: '[a test](test/documents.test.ts)' })).toEqual([
      'test/documents.test.ts',
    ]);
  });

  test('files of the project', () => {
    expect(read.flatMap(missingFilesIn)).toEqual([]);
    expect(missingFilesIn(wrong)).toEqual(['README.md:3: src/gone.ts']);
  });

  test('scripts of npm', () => {
    const texts = read.map(({ name }) => readFileSync(join(project, name), 'utf8'));
    expect(texts.flatMap(missingScriptsIn)).toEqual([]);
    expect(missingScriptsIn('`npm run gone`, npm run --silent lost')).toEqual(['gone', 'lost']);
  });
});
