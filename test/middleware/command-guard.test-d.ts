import { defineTool, type Effect, type Ready, type Stage } from 'callgate';
import { type CommandGuardAdds, commandGuard } from 'callgate/middleware/command-guard';
import { describe, expectTypeOf, it } from 'vitest';
import type { SandboxTier, ScopedExec } from '../../src/capabilities/process/types.ts';

const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] } as const;

describe('commandGuard', () => {
  it('is a guard that adds the effects and the exec, and says where commands run', () => {
    const guard = commandGuard({ roots: ['.'] });
    expectTypeOf(guard).toExtend<Stage<Ready, CommandGuardAdds>>();
    expectTypeOf(guard.guards).toEqualTypeOf<true>();
    expectTypeOf(guard.tier).toEqualTypeOf<SandboxTier>();
    expectTypeOf<CommandGuardAdds['effects']>().toEqualTypeOf<readonly Effect[]>();
    // @ts-expect-error a guard of commands needs roots
    commandGuard({});
    // @ts-expect-error an unknown sandbox
    commandGuard({ roots: ['.'], sandbox: 'none' });
  });

  it('gives exec to the tools that declare commands, and to no others', () => {
    defineTool({
      name: 'a',
      description: 'a',
      parameters,
      commands: ['command'],
      handler: (_, ctx) => expectTypeOf(ctx.exec).toEqualTypeOf<ScopedExec>(),
    });
    defineTool({
      name: 'b',
      description: 'b',
      parameters,
      commands: { command: 'python' },
      handler: (_, ctx) => expectTypeOf(ctx.exec).toEqualTypeOf<ScopedExec>(),
    });
    defineTool({
      name: 'c',
      description: 'c',
      parameters,
      handler: (_, ctx) => expectTypeOf(ctx.exec).toEqualTypeOf<ScopedExec | undefined>(),
    });
    defineTool({
      name: 'd',
      description: 'd',
      parameters,
      // @ts-expect-error an unknown language
      commands: { command: 'perl' },
      handler: () => null,
    });
  });
});
