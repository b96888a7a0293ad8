import { checkKinds, checkOptions } from '../src/basics/options.ts';
import { type WorkspaceOptions, workspaceOptions } from '../src/capabilities/fs/workspace.ts';
import type { CommandPlan } from '../src/capabilities/process/argvs.ts';
import { type CommandOptions, CommandSpace } from '../src/capabilities/process/space.ts';
import type { CommandLanguage, SandboxTier, ScopedExec } from '../src/capabilities/process/types.ts';
import { refusedAt, rewriteAt } from '../src/definition/argument-places.ts';
import { ToolError } from '../src/errors.ts';
import type { Failure } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { type Guard, guard, makesStages, step, type Traits } from '../src/traits.ts';
import type { Effect, Maybe, Ready, Stage } from '../src/types.ts';

/** The folders, rules and sandbox of {@link commandGuard}. The folders and their rules are those of the path guard. */
export interface CommandGuardOptions extends CommandOptions, WorkspaceOptions {}

/** What {@link commandGuard} hands on for a tool that declares commands. */
export interface CommandGuardAdds {
  /** Every argument list, and the paths that commands read which only read. */
  readonly effects: readonly Effect[];
  /** Runs the commands that were read, until the call settles. */
  readonly exec: ScopedExec;
  /** `read` when every command is known only to read. */
  readonly level?: 'read';
  /** Set where the mode must not let it pass by itself. */
  readonly mustAsk?: string;
}

/** The stage, which also says where commands run on this machine. */
export type CommandGuardStage = Stage<Ready, CommandGuardAdds> & Guard & { readonly tier: SandboxTier };

const commandOptions = ['sandbox', 'path', 'readable', 'env', 'access', 'limits'] satisfies (keyof CommandOptions)[];
/**
 * Reads every argument that a tool declares in `commands`, and gives the tool `ctx.exec`, which runs just these
 * commands, as the argument lists that were read: no shell reads them a second time. Commands that are known only to
 * read count as level `read`, so that most modes let them pass; all others are judged by the tool's own level. A text
 * that means more than argument lists can say is judged as a whole, and runs in a sandbox or not at all.
 *
 * Rules are a convenience, and the sandbox is the boundary: commands run in the best one that this machine has, and are
 * refused where it has none, unless `sandbox: 'unsandboxed'` is chosen, with which every call asks. Every call also asks
 * where a tool from elsewhere runs the commands, such as one of an MCP server.
 *
 * Fails with: `command_denied` and `path_denied`; the reason stands in `details.reason`, the argument in `details.pointer`.
 *
 * @example
 * const guard = commandGuard({ roots: ['./workspace'], path: ['/opt/node/bin'], readable: ['/opt/node'] });
 * defaultPipeline({ roots: ['./workspace'] }).replace('commandGuard', guard)
 */
export function commandGuard(options: CommandGuardOptions): CommandGuardStage {
  checkOptions('commandGuard', options, [...commandOptions, ...workspaceOptions], ['allow', 'deny']);
  checkKinds('commandGuard', options, { env: 'object', limits: 'object' });
  const space = new CommandSpace(options, options);

  const stage = step(function commandGuard(ctx: Ready): Maybe<CommandGuardAdds | Failure | undefined> {
    return ctx.tool.commands === undefined ? undefined : judged(space, ctx, ctx.tool.commands);
  });
  const traits: Traits = {
    needs: ['tool', 'args'],
    adds: ['effects', 'exec', 'level', 'mustAsk'],
    provides: ['exec'],
    concerns: ({ commands }) => commands !== undefined,
  };
  const guarding = guard(stage as Stage<Ready, CommandGuardAdds>, traits);
  // What this machine offers is tried out when somebody wants to know, and not for programs that never run a command.
  Object.defineProperty(guarding, 'tier', { get: () => space.sandbox.tier, enumerable: true });
  return guarding as CommandGuardStage;
}
makesStages(commandGuard);

async function judged(
  space: CommandSpace,
  ctx: Ready,
  commands: NonNullable<Tool['commands']>,
): Promise<CommandGuardAdds | Failure> {
  // What reads and runs commands is loaded with the first tool that declares some.
  const { planOf } = await import('../src/capabilities/process/plan.ts');
  const { GrantedExec } = await import('../src/capabilities/process/granted-exec.ts');
  const plans: CommandPlan[] = [];
  let at = '';
  try {
    for (const [declared, language] of languages(commands)) {
      rewriteAt(ctx.args, declared, 'command', (value, pointer) => {
        at = pointer;
        plans.push(planOf(value, language));
        return value;
      });
    }
    const { effects, readOnly, mustAsk } = await space.judge(plans);
    const exec = new GrantedExec(space, plans, readOnly);
    // Whoever runs them elsewhere has neither our parser nor our sandbox: what was read here is what rules and people judge.
    const isForeign = ctx.tool.source !== undefined && plans.length > 0;
    const asking = mustAsk ?? (isForeign ? `${ctx.tool.source} runs it, outside of any sandbox` : undefined);
    ctx.onAbort(() => exec.revoke());
    ctx.onSettled(() => exec.revoke());
    return {
      effects: ctx.effects === undefined ? effects : [...ctx.effects, ...effects],
      exec,
      ...(readOnly && plans.length > 0 && !isForeign && { level: 'read' as const }),
      ...(asking !== undefined && { mustAsk: asking }),
    };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return refusedAt(ctx, at, error);
  }
}

function languages(commands: NonNullable<Tool['commands']>): readonly (readonly [string, CommandLanguage])[] {
  if (!Array.isArray(commands)) return Object.entries(commands as { readonly [argument: string]: CommandLanguage });
  return commands.map((argument: string) => [argument, 'shell'] as const);
}
