import { checkOptions } from '../src/basics/options.ts';
import type { GrantedFs } from '../src/capabilities/fs/scoped-fs.ts';
import type { FsLevel, PathIntent, ScopedFs } from '../src/capabilities/fs/types.ts';
import {
  type CheckedPath,
  Workspace,
  type WorkspaceOptions,
  workspaceOptions,
} from '../src/capabilities/fs/workspace.ts';
import { refusedAt, rewriteAt } from '../src/definition/argument-places.ts';
import { ToolError } from '../src/errors.ts';
import type { Failure } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { type Guard, guard, makesStages, step, type Traits } from '../src/traits.ts';
import type { Effect, Ready, Stage } from '../src/types.ts';

/** The folders and rules of {@link pathGuard}. */
export interface PathGuardOptions extends WorkspaceOptions {}

/** What {@link pathGuard} hands on for a tool that declares paths. */
export interface PathGuardAdds {
  /** The arguments, each path rewritten canonically; the same object when nothing had to be rewritten. */
  readonly args: unknown;
  /** Absolute and canonical paths, each with what the tool means to do there. */
  readonly effects: readonly Effect[];
  /** Reaches the checked paths and what lies below them, until the call settles. */
  readonly fs: ScopedFs;
}

/** The stage, which also says how far the operating system helps on this machine. */
export type PathGuardStage = Stage<Ready, PathGuardAdds> & Guard & { readonly level: FsLevel };

/**
 * Checks every argument that a tool declares in `paths`, rewrites it canonically, and gives the tool `ctx.fs`, which
 * reaches just these paths. Paths in the first root become relative to it, paths in another root absolute.
 *
 * Files that other programs obey or execute (`.git`, `.bashrc`, `.vscode`, workflows ...) may be read but not
 * written, unless `allowProtected` lists them.
 *
 * Fails with: `path_denied`; the reason stands in `details.reason`, the argument in `details.pointer`.
 *
 * @example
 * defaultPipeline().replace('pathGuard', pathGuard({ roots: ['./workspace'], deny: ['secrets/**'] }))
 */
export function pathGuard(options: PathGuardOptions): PathGuardStage {
  checkOptions('pathGuard', options, workspaceOptions, ['allow', 'deny']);
  const workspace = new Workspace(options);

  const stage = step(function pathGuard(ctx: Ready): PathGuardAdds | Failure | undefined {
    const { paths } = ctx.tool;
    return paths === undefined ? undefined : check(workspace, ctx, paths);
  });
  const traits: Traits = {
    needs: ['tool', 'args'],
    adds: ['args', 'effects', 'fs'],
    provides: ['fs'],
    rewrites: true,
    concerns: ({ paths }) => paths !== undefined,
  };
  return Object.assign(guard(stage as Stage<Ready, PathGuardAdds>, traits), { level: workspace.level });
}
makesStages(pathGuard);

function check(workspace: Workspace, ctx: Ready, paths: NonNullable<Tool['paths']>): PathGuardAdds | Failure {
  const grants: CheckedPath[] = [];
  const effects: Effect[] = ctx.effects === undefined ? [] : [...ctx.effects];
  let args = ctx.args;
  let at = '';
  try {
    for (const declared of Object.keys(paths)) {
      const intent = paths[declared] as PathIntent;
      args = rewriteAt(args, declared, 'path', (value, pointer) => {
        at = pointer;
        const checked = workspace.check(value, intent);
        grants.push(checked);
        effects.push({ kind: intent === 'write' ? 'fs.write' : 'fs.read', path: checked.absolute });
        return checked.argument;
      });
    }
  } catch (error) {
    if (error instanceof ToolError) return refusedAt(ctx, at, error);
    throw error;
  }
  const fs: GrantedFs = workspace.scope(grants);
  ctx.onSettled(() => fs.revoke());
  return { args, effects, fs };
}
