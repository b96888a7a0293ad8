import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { type CommandGuardOptions, commandGuard } from '../../../middleware/command-guard.ts';
import { defineTool } from '../../../src/define-tool.ts';
import type { Failure } from '../../../src/result.ts';
import { step } from '../../../src/traits.ts';
import type { Call, Effect, Ready } from '../../../src/types.ts';
import { chainOf, contextFor } from '../../support.ts';

export const harmlessConfig = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n';

/** A folder with a few files, and one beside it; gone after the tests of the file. */
export function workspace(files: { readonly [name: string]: string } = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-test-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const all = {
    'package.json': '{ "version": "1.0.0" }\n',
    'src/index.ts': 'export const one = 1; // TODO\n',
    'src/a.test.ts': 'test\n',
    'README.md': '# Read me\n',
    'data.csv': 'a,b\nc,d\n',
    'old.txt': 'old\n',
    'new.txt': 'new\n',
    'secret.env': 'KEY=1\n',
    'logs/app.log': 'an error\n',
    'dist/index.js': '1\n',
    'node_modules/x/index.js': '1\n',
    '.git/config': harmlessConfig,
    '.git/HEAD': 'ref: refs/heads/main\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    const path = join(folder, 'ws', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'outside/s.txt'), 'SECRET\n');
  return join(folder, 'ws');
}

const tool = defineTool({
  name: 'run',
  description: 'runs',
  parameters: { type: 'object', properties: { command: {} } },
  permission: 'execute',
  commands: ['command'],
  handler: () => null,
});

export interface Verdict {
  readonly level?: string | undefined;
  readonly mustAsk?: string | undefined;
  readonly effects?: readonly Effect[] | undefined;
  readonly failure?: Failure;
}

/** What the guard says of a command. In the portable tier unless told otherwise, so that it is the same everywhere. */
export async function verdictOf(command: unknown, options: CommandGuardOptions): Promise<Verdict> {
  const given = step((_: Call) => ({ tool, args: { command } }));
  let verdict: Verdict = {};
  const seen = (ctx: Ready) => {
    const { level, mustAsk, effects } = ctx;
    verdict = { level, mustAsk, effects };
    return ctx.ok(null);
  };
  const ctx = contextFor('run', { command }, [tool as never]);
  const guard = commandGuard({ sandbox: 'portable', ...options });
  const result = await chainOf([given, guard, seen])(ctx);
  ctx.settle();
  return result.ok ? verdict : { failure: result };
}

/** Whether a mode that asks would let the command run without asking. */
export async function runsUnasked(command: unknown, options: CommandGuardOptions): Promise<boolean> {
  const { level, mustAsk } = await verdictOf(command, options);
  return level === 'read' && mustAsk === undefined;
}
