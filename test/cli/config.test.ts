import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { callgate, folderWith, jsonLines, outcomesIn, project, resultsIn } from './run-cli.ts';

const shout = `{
  name: 'shout', description: 'Shout.', permission: 'write',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => text.toUpperCase(),
}`;
const call = '{"id":"c","name":"shout","arguments":{"text":"hey"}}\n';
const run = (cwd: string, ...args: string[]) => callgate(['run', '-', ...args], { cwd, input: call });

describe('a configuration', () => {
  it.each(['callgate.config.mjs', 'callgate.config.js'])('is found in the current folder: %s', async (name) => {
    const files = {
      [name]: `export default { tools: [${shout}], mode: 'auto' };`,
      'package.json': '{"type":"module"}',
    };
    expect(resultsIn((await run(folderWith(files))).stdout)).toMatchObject([{ ok: true, data: 'HEY' }]);
  });

  it('is taken from --config, and its relative paths are relative to it', async () => {
    const cwd = folderWith({
      'there/mine.mjs': "export default { roots: ['./data'], answers: 'answers.json' };",
      'there/answers.json': '[]',
      'there/data/a.txt': 'A',
    });
    const input = jsonLines([{ name: 'read_file', arguments: { path: 'a.txt' } }]);
    const ran = await callgate(['run', '-', '-c', 'there/mine.mjs'], { cwd, input });
    expect(resultsIn(ran.stdout)).toMatchObject([{ ok: true, data: 'A' }]);
  });

  it('in TypeScript is loaded by tsx, also what Node by itself would only take the types out of', async () => {
    const source = `enum Mode { Auto = 'auto' }\nconst mode: string = Mode.Auto;\nexport default { tools: [${shout}], mode } satisfies object;`;
    const ran = await run(folderWith({ 'callgate.config.ts': source }));
    expect(ran.stderr).toBe('');
    expect(resultsIn(ran.stdout)).toMatchObject([{ ok: true, data: 'HEY' }]);
  });

  it('may be a promise', async () => {
    const files = { 'callgate.config.mjs': `export default Promise.resolve({ tools: [${shout}], mode: 'auto' });` };
    expect(outcomesIn((await run(folderWith(files))).stdout)).toEqual(['ok']);
  });

  it('gives rules, an approver and a timeout; the command line counts more', async () => {
    const files = {
      'callgate.config.mjs': `export default {
        tools: [${shout}], mode: 'auto',
        rules: [{ decision: 'ask', tool: 'shout' }],
        approve: ({ arguments: args }) => args.text === 'hey',
      };`,
    };
    expect(outcomesIn((await run(folderWith(files))).stdout)).toEqual(['ok']);
    expect(outcomesIn((await run(folderWith(files), '--mode', 'plan')).stdout)).toEqual(['ok']);
    const silent = { 'callgate.config.mjs': `export default { tools: [${shout}], mode: 'auto' };` };
    expect(outcomesIn((await run(folderWith(silent), '--mode', 'plan')).stdout)).toEqual(['denied']);
  });

  it('changes the default pipeline, or brings its own', async () => {
    const index = pathToFileURL(join(project, 'dist/src/index.js')).href;
    const stages = pathToFileURL(join(project, 'dist/middleware')).href;
    const changed = {
      'callgate.config.mjs': `import { step } from ${JSON.stringify(index)};
      export default { tools: [${shout}], mode: 'auto', pipeline: (standard) =>
        standard.after('lookup', 'closed', step((ctx) => ctx.fail('unavailable', 'Closed today.'))) };`,
    };
    expect(outcomesIn((await run(folderWith(changed))).stdout)).toEqual(['unavailable']);
    const own = {
      'callgate.config.mjs': `import { pipeline } from ${JSON.stringify(index)};
      import { lookup } from '${stages}/lookup.js';
      import { validate } from '${stages}/validate.js';
      import { execute } from '${stages}/execute.js';
      export default { tools: [${shout}], pipeline:
        pipeline().use('lookup', lookup()).use('validate', validate()).use('execute', execute()) };`,
    };
    expect(outcomesIn((await run(folderWith(own))).stdout)).toEqual(['ok']);
    expect(await run(folderWith(own), '--timeout', '5s')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--timeout has no effect'),
    });
  });

  it('is closed at the end, however the run ends', async () => {
    const files = {
      'callgate.config.mjs': `import { writeFileSync } from 'node:fs';
      export default { close: () => writeFileSync('closed', '') };`,
    };
    const good = folderWith(files);
    await run(good);
    expect(existsSync(join(good, 'closed'))).toBe(true);
    const bad = folderWith(files);
    expect((await callgate(['run', '-'], { cwd: bad, input: 'nonsense' })).status).toBe(2);
    expect(existsSync(join(bad, 'closed'))).toBe(true);
  });

  it.each([
    ['run', ['run', 'calls.jsonl'], 0],
    ['run, of lines that cannot be used', ['run', 'nonsense.jsonl'], 2],
    ['call', ['call', 'shout', '{}'], 0],
    ['call, of a tool that is not there', ['call', 'shot', '{}'], 1],
    ['tools', ['tools'], 0],
    ['describe', ['describe'], 0],
    ['policy explain', ['policy', 'explain', 'shout'], 0],
    ['policy lint, where there are no rules', ['policy', 'lint'], 2],
    ['policy test', ['policy', 'test', 'table.jsonl'], 0],
  ])('has what its stages own given up before it is closed itself: %s', async (_, args, status) => {
    const folder = folderWith({
      'callgate.config.mjs': `import { appendFileSync } from 'node:fs';
      const note = (word) => () => appendFileSync('closed', word);
      const owner = Object.assign((ctx, next) => next(), { closes: note('stage ') });
      export default { tools: [{ name: 'shout', description: '', parameters: { type: 'object' }, permission: 'read',
        handler: () => 'Hey' }], close: note('config'), pipeline: (standard) => standard.before('lookup', 'owner', owner) };`,
      'calls.jsonl': '{"name":"shout"}\n',
      'nonsense.jsonl': '{"name":"shout"}\nnonsense\n',
      'table.jsonl': '{"name":"shout","expect":"allow"}\n',
    });
    expect(await callgate(args, { cwd: folder })).toMatchObject({ status });
    expect(readFileSync(join(folder, 'closed'), 'utf8')).toBe('stage config');
  });

  it.each([
    [
      'a syntax error',
      "export default {\n  tools: [,\n  mode 'ask' };",
      'callgate.config.mjs could not be loaded (line 3)',
    ],
    ['an error of its own', "\nthrow new Error('no network');", 'could not be loaded (line 2, column 7): no network'],
    ['a package that is not there', "import 'no-such-package-here';", "no-such-package-here'"],
    ['no default export', 'export const tools = [];', 'must export a configuration'],
    ['a list', 'export default [];', 'must export a configuration'],
    ['an unknown option', 'export default { tool: [] };', 'option "tool", which does not exist. Did you mean tools?'],
    ['a tool that is none', "export default { tools: [{ name: 'x y' }] };", '"x y" is no tool name'],
    ['a rule that is none', "export default { rules: [{ decision: 'maybe' }] };", 'must be allow, ask or deny'],
    ['two who answer', 'export default { answers: [], approve: () => true };', 'both approve and answers'],
    ['no calls at a time', 'export default { concurrency: 0 };', 'concurrency must be a whole number from 1; it is 0.'],
    ['broken answers', 'export default { answers: [{}] };', 'entry 0 needs call_id and tool'],
    [
      'tools whose paths nobody guards',
      `export default { pipeline: { names: [], entries: [], describe: () => [] } };`,
      'no stage provides "fs"',
    ],
  ])('with %s ends with 2 and says where', async (_what, source, problem) => {
    const ran = await run(folderWith({ 'callgate.config.mjs': source }));
    expect(ran).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(problem) });
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });

  it('must be one', async () => {
    const source = 'export default {};';
    const ran = await run(folderWith({ 'callgate.config.mjs': source, 'callgate.config.ts': source }));
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('say which by --config') });
  });

  it('with answers that are no JSON says where they break', async () => {
    const cwd = folderWith({ 'answers.json': '[\n  {"call_id": "x",}\n]' });
    expect(await run(cwd, '--answers', 'answers.json')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('answers.json:2:19 is not JSON: '),
    });
  });
});

describe('the documentation of the configuration', () => {
  it('names every option that is accepted', async () => {
    const ran = await run(folderWith({ 'callgate.config.mjs': 'export default { nonsenseOption: 1 };' }));
    const source = readFileSync(join(project, 'src/cli/define-config.ts'), 'utf8');
    expect(ran.stderr).toContain('There are: tools, registry, mode');
    for (const option of ['concurrency', 'answers', 'close', 'pipeline']) {
      expect(ran.stderr).toContain(option);
      expect(source).toContain(`${option}?:`);
    }
  });
});
