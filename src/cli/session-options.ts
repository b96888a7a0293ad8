import { resolve } from 'node:path';
import { didYouMean } from '../basics/nearest.ts';
import { builtInModes } from '../policy/modes.ts';
import type { Config } from './define-config.ts';
import { UsageError } from './errors.ts';
import type { Parsed } from './usage.ts';

/** The options of every command that works with a router. */
export const sessionOptions = {
  config: {
    type: 'string',
    short: 'c',
    value: 'FILE',
    help: 'the configuration; default: callgate.config.mjs, .js or .ts',
  },
  root: {
    type: 'string',
    short: 'r',
    multiple: true,
    value: 'FOLDER',
    help: 'a folder that tools may work in; may be repeated',
  },
  mode: {
    type: 'string',
    short: 'm',
    value: 'MODE',
    help: 'plan, ask (default), auto, trusted, or one of the configuration',
  },
  timeout: {
    type: 'string',
    short: 't',
    value: 'TIME',
    help: 'for tools without a limit of their own: 500ms, 30s, 2m',
  },
  answers: { type: 'string', value: 'FILE', help: 'recorded answers to questions; nobody is asked' },
} as const;

export const helpOption = {
  help: { type: 'boolean', short: 'h', help: 'this text' },
} as const;

export type SessionValues = Parsed<typeof sessionOptions>['values'];

/** A configuration with what the command line says, which counts more. Throws a {@link UsageError}. */
export function withCommandLine(config: Config, values: SessionValues, cwd: string): Config {
  const { root, mode, timeout, answers } = values;
  if (typeof config.pipeline === 'object') {
    for (const option of ['root', 'timeout', 'answers'] as const) {
      if (values[option] === undefined) continue;
      throw new UsageError(
        `--${option} has no effect: the configuration has a pipeline of its own, with its own stages.`,
      );
    }
  } else if (mode !== undefined) {
    checkMode(mode, [...Object.keys(builtInModes), ...Object.keys(config.modes ?? {})]);
  }
  return {
    ...config,
    ...(root !== undefined && { roots: root.map((folder) => resolve(cwd, folder)) }),
    ...(mode !== undefined && { mode }),
    ...(timeout !== undefined && { timeout: millisecondsOf(timeout) }),
    ...(answers !== undefined && { answers: resolve(cwd, answers) }),
  };
}

function checkMode(mode: string, modes: readonly string[]): void {
  if (modes.includes(mode)) return;
  throw new UsageError(`There is no mode "${mode}".${didYouMean(mode, modes)} The modes are: ${modes.join(', ')}.`);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** A time as it is written on a command line, in milliseconds. Its unit is not guessed: `30` would be over in no time. */
export function millisecondsOf(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (units[unit] ?? 0);
  if (milliseconds > 0) return milliseconds;
  throw new UsageError(`--timeout must be a time above 0 with its unit, such as 500ms, 30s or 2m; it is "${text}".`);
}

/** A whole number from 1, as it is written on a command line. */
export function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number from 1; it is "${text}".`);
}
