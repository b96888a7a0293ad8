import { type CommandGuardAdds, type CommandGuardOptions, commandGuard } from '../middleware/command-guard.ts';
import { type ConcurrencyOptions, concurrency } from '../middleware/concurrency.ts';
import { execute } from '../middleware/execute.ts';
import { type IsolateOptions, isolate } from '../middleware/isolate.ts';
import { type LocksOptions, locks } from '../middleware/locks.ts';
import { lookup } from '../middleware/lookup.ts';
import { type NormalizeOptions, normalize } from '../middleware/normalize.ts';
import { type PathGuardAdds, type PathGuardOptions, pathGuard } from '../middleware/path-guard.ts';
import { type PermissionOptions, permission } from '../middleware/permission.ts';
import { timeout } from '../middleware/timeout.ts';
import { type UrlGuardAdds, type UrlGuardOptions, urlGuard } from '../middleware/url-guard.ts';
import { type ValidateOptions, validate } from '../middleware/validate.ts';
import { checkKinds, checkOptions, type OptionKind } from './basics/options.ts';
import type { Clock } from './clock.ts';
import { type Pipeline, type Place, pipeline } from './pipeline.ts';
import { closingPermissionOptions, permissionOptions } from './policy/settings.ts';
import type { Failure } from './result.ts';
import type { Tool } from './tool.ts';
import { type Guard, guard, step } from './traits.ts';
import type { Call, Found, Ready, Stage } from './types.ts';

/** The options of the default pipeline: those of its stages, the common ones without a detour. */
export interface DefaultPipelineOptions extends PermissionOptions {
  /** The folders that path arguments may lie in; the first is where relative paths begin. Default: none. */
  readonly roots?: PathGuardOptions['roots'];
  /** For tools that set no timeout of their own, in milliseconds. Default 30,000. */
  readonly timeout?: number;
  /** How calls that touch the same files, or the same of whatever else their tools name, take turns. */
  readonly locks?: Omit<LocksOptions, 'clock'>;
  /** How many calls may be at work at the same time: in all, for each tool, for each key. Default: no limit. */
  readonly limits?: Omit<ConcurrencyOptions, 'clock'>;
  /** Where the stages take the time from. Default: the machine's own. */
  readonly clock?: Clock;
  /** Values that must never leave in a result, such as keys from the environment. Default: none. */
  readonly secrets?: NormalizeOptions['secrets'];
  /** The path guard's further options. */
  readonly pathGuard?: Omit<PathGuardOptions, 'roots'>;
  /**
   * Where commands run, and with what. Default: in the best sandbox that this machine has, with the roots and their rules;
   * refused where it has none.
   */
  readonly commands?: Omit<CommandGuardOptions, keyof PathGuardOptions>;
  /** Which URLs tools may reach. Default: public addresses, http and https on ports 80 and 443. */
  readonly urls?: UrlGuardOptions;
  /**
   * Lets tools with `isolate` run in threads and processes, and says how; `{}` for the defaults. Without it such tools are
   * refused, so that a router starts threads and processes only where its host has said so.
   */
  readonly isolation?: Omit<IsolateOptions, 'engine'>;
  /** The validate stage's options; its `engine` checks the data of tools as well. */
  readonly validate?: ValidateOptions;
  /** The normalize stage's further options. */
  readonly normalize?: Omit<NormalizeOptions, 'secrets'>;
}

/** The names of {@link DefaultPipelineOptions}. */
export const defaultPipelineOptions: readonly string[] = [
  'roots',
  ...permissionOptions,
  'timeout',
  'locks',
  'limits',
  'secrets',
  'pathGuard',
  'commands',
  'urls',
  'isolation',
  'validate',
  'normalize',
] satisfies (keyof DefaultPipelineOptions)[];

/** Those by which nothing would be closed if they were undefined. */
export const closingPipelineOptions: readonly string[] = [
  ...closingPermissionOptions,
  'secrets',
  'pathGuard',
  'urls',
] satisfies (keyof DefaultPipelineOptions)[];

/** Those that hold the options of a stage: of another kind they would be taken apart, and close nothing. */
export const pipelineOptionKinds: { readonly [O in keyof DefaultPipelineOptions]?: OptionKind } = {
  locks: 'object',
  limits: 'object',
  pathGuard: 'object',
  commands: 'object',
  urls: 'object',
  isolation: 'object',
  validate: 'object',
  normalize: 'object',
};

/** The places of the default pipeline, outermost first. */
export interface DefaultPlaces<State> {
  readonly normalize: Place<Call<State>, unknown, false>;
  readonly lookup: Place<Call<State>, { tool: Tool }, false>;
  readonly validate: Place<Found<State>, { args: unknown }, false>;
  readonly pathGuard: Place<Ready<State>, PathGuardAdds, true>;
  readonly commandGuard: Place<Ready<State>, CommandGuardAdds, true>;
  readonly urlGuard: Place<Ready<State>, UrlGuardAdds, true>;
  readonly permission: Place<Ready<State>, unknown, true>;
  readonly locks: Place<Ready<State>, unknown, false>;
  readonly concurrency: Place<Ready<State>, unknown, false>;
  readonly timeout: Place<Ready<State>, unknown, false>;
  readonly execute: Place<Ready<State>, unknown, false>;
}

/**
 * The stages that a tool call passes unless you say otherwise. `normalize` stands first and so acts last.
 *
 * @example
 * const mine = defaultPipeline({ roots: ['./workspace'], approve }).before('normalize', 'audit', audit(console.error));
 */
export function defaultPipeline<State = unknown>(
  options: DefaultPipelineOptions = {},
): Pipeline<State, DefaultPlaces<State>, Ready<State>> {
  checkOptions('defaultPipeline', options, defaultPipelineOptions, closingPipelineOptions);
  checkKinds('defaultPipeline', options, pipelineOptionKinds);
  const {
    roots,
    timeout: limit,
    locks: turns,
    limits,
    clock,
    secrets,
    pathGuard: paths,
    commands,
    urls,
    isolation,
    validate: reading,
    normalize: output,
    ...rest
  } = options;
  const timed = clock === undefined ? {} : { clock };
  const checking = reading?.engine === undefined ? {} : { engine: reading.engine };
  const stages = pipeline<State>()
    .use('normalize', normalize({ ...output, ...(secrets !== undefined && { secrets }) }))
    .use('lookup', lookup())
    .use('validate', validate(reading))
    .use('pathGuard', roots === undefined ? closed() : pathGuard({ ...paths, roots }))
    .use(
      'commandGuard',
      roots === undefined ? idle(commands) : within('commands', () => commandGuard({ ...paths, ...commands, roots })),
    )
    .use(
      'urlGuard',
      within('urls', () => urlGuard(urls)),
    )
    .use('permission', permission({ ...rest, ...timed }))
    .use('locks', locks({ ...turns, ...timed }))
    .use(
      'concurrency',
      within('limits', () => concurrency({ ...limits, ...timed })),
    )
    .use(
      'timeout',
      within('timeout', () => timeout({ ...timed, ...(limit !== undefined && { default: limit }) })),
    )
    .use(
      'execute',
      isolation === undefined ? execute(checking) : within('isolation', () => isolate({ ...isolation, ...checking })),
    );
  return stages as unknown as Pipeline<State, DefaultPlaces<State>, Ready<State>>;
}

/** A stage that has another name than the option that is for it: what it complains of is found under that option. */
function within<S>(option: keyof DefaultPipelineOptions, make: () => S): S {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TypeError(`In the option ${option}: ${error.message}`, { cause: error });
  }
}

/** Stands where the command guard would while no roots are given. */
function idle(commands: object | undefined): Stage<Ready, CommandGuardAdds> & Guard {
  if (commands !== undefined) throw new TypeError('defaultPipeline({ commands }) needs roots: commands run in them.');
  return guard(
    step(function commandGuard(ctx: Ready): Failure | undefined {
      if (ctx.tool.commands === undefined) return undefined;
      return ctx.fail('command_denied', `No folder is open to "${ctx.tool.name}": no roots were given.`, {
        details: { reason: 'no-roots' },
      });
    }) as unknown as Stage<Ready, CommandGuardAdds>,
    { needs: ['tool', 'args'], provides: [], concerns: (tool) => tool.commands !== undefined },
  );
}

/** Stands where the path guard would while no roots are given: nothing is lent, so no tool with paths can run. */
function closed(): Stage<Ready, PathGuardAdds> & Guard {
  return guard(
    step(function pathGuard(ctx: Ready): Failure | undefined {
      if (ctx.tool.paths === undefined) return undefined;
      return ctx.fail('path_denied', `No folder is open to "${ctx.tool.name}": no roots were given.`, {
        details: { reason: 'no-roots' },
      });
    }) as unknown as Stage<Ready, PathGuardAdds>,
    // Provides nothing, in so many words: a stage that stands in for a capability's guard.
    { needs: ['tool', 'args'], provides: [], concerns: (tool) => tool.paths !== undefined },
  );
}
