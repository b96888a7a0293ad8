import { expect, test, vi } from 'vitest';
import { commandGuard } from '../../middleware/command-guard.ts';
import { createRouter } from '../../src/index.ts';
import { runPython } from '../../src/tools/run-python.ts';
import { runShell } from '../../src/tools/run-shell.ts';
import { runsUnasked, verdictOf, workspace } from '../capabilities/process/support.ts';

// A machine that offers nothing.
vi.mock('../../src/capabilities/process/bubblewrap.ts', async (original) => ({
  ...(await original<object>()),
  findBubblewrap: () => undefined,
}));
vi.mock('../../src/capabilities/process/portable.ts', async (original) => ({
  ...(await original<object>()),
  findPortable: () => undefined,
}));

const root = workspace();

test.each(['auto', 'bubblewrap', 'portable'] as const)(
  'with %s nothing runs, in any mode, and the model is told why',
  async (sandbox) => {
    expect(commandGuard({ roots: [root], sandbox }).tier).toBe('none');
    const { failure } = await verdictOf('ls', { roots: [root], sandbox });
    expect(failure).toMatchObject({ code: 'command_denied', details: { reason: 'no-sandbox' }, retryable: false });
    expect(failure?.error).toContain('no sandbox on this machine');
    const router = createRouter({
      tools: [runShell, runPython],
      roots: [root],
      mode: 'trusted',
      commands: { sandbox },
    });
    for (const call of [
      { name: 'run_shell', arguments: { command: 'ls' } },
      { name: 'run_python', arguments: { code: '1' } },
    ]) {
      expect(await router.call(call)).toMatchObject({ ok: false, code: 'command_denied', effect: 'none' });
    }
  },
);

test('what is not sandboxed is chosen in so many words, and nothing of it runs unasked', async () => {
  const options = { roots: [root], sandbox: 'unsandboxed' as const };
  expect(commandGuard(options).tier).toBe('unsandboxed');
  for (const command of ['ls', 'pwd', 'echo a', 'git status']) expect(await runsUnasked(command, options)).toBe(false);
});

test('the pipeline says so', () => {
  const router = createRouter({ tools: [runShell], roots: [root] });
  expect(router.describe().find(({ name }) => name === 'commandGuard')?.traits).toContain('runs in none');
});
