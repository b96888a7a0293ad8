import { parseArgs } from 'node:util';
import { didYouMean } from '../basics/nearest.ts';
import { UsageError } from './errors.ts';

/** One option of a command. */
export interface OptionHelp {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  readonly short?: string;
  /** What stands for the value in the help, such as `FOLDER`. */
  readonly value?: string;
  readonly help: string;
}

/** The options that a command knows, by their long names. */
export type OptionTable = Readonly<Record<string, OptionHelp>>;

/** A command's own account of how it is used. */
export interface CommandHelp {
  /** Such as `callgate run CALLS [options]`. */
  readonly usage: string;
  readonly about: string;
  readonly options: OptionTable;
  /** Further paragraphs. */
  readonly more?: string;
}

type Values<T extends OptionTable> = {
  readonly [K in keyof T]?: T[K] extends { readonly multiple: true }
    ? readonly string[]
    : T[K]['type'] extends 'boolean'
      ? boolean
      : string;
};

/** A command line, read. */
export interface Parsed<T extends OptionTable> {
  readonly values: Values<T>;
  readonly positionals: readonly string[];
}

/** Reads a command's arguments. Throws a {@link UsageError} that names the nearest option for one that does not exist. */
export function parse<T extends OptionTable>(argv: readonly string[], help: CommandHelp & { options: T }): Parsed<T> {
  const { options, usage } = help;
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    options: plain(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean | string[]> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw new UsageError(unknownOption(rawName, options), usage);
    if (option.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value; it got "${value}".`, usage);
      values[name] = true;
      continue;
    }
    const missing = value === undefined || value === '' || (!token.inlineValue && /^-./.test(value));
    if (missing) throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value ?? 'VALUE'}.`, usage);
    if (option.multiple) values[name] = [...((values[name] as string[] | undefined) ?? []), value];
    else if (Object.hasOwn(values, name)) throw new UsageError(`${rawName} is given twice.`, usage);
    else values[name] = value;
  }
  return { values: values as Values<T>, positionals };
}

function plain(options: OptionTable): NonNullable<Parameters<typeof parseArgs>[0]>['options'] {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple, short }]) => [
      name,
      { type, ...(multiple !== undefined && { multiple }), ...(short !== undefined && { short }) },
    ]),
  );
}

function unknownOption(given: string, options: OptionTable): string {
  const names = Object.keys(options);
  const asWritten = (name: string): string => `--${name}`;
  const advice = didYouMean(given.replace(/^-+/, ''), names, 'sentence', asWritten);
  return `There is no option ${given}.${advice || ` The options are: ${names.map(asWritten).join(', ')}.`}`;
}

/** A command's help, for a person. */
export function helpText({ usage, about, options, more }: CommandHelp): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    return [
      `  ${short}--${name}${option.type === 'string' ? ` ${option.value ?? 'VALUE'}` : ''}`,
      option.help,
    ] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const listed = rows.map(
    ([left, right]) => `${left.padEnd(width)}${right.replaceAll('\n', `\n${' '.repeat(width)}`)}`,
  );
  const parts = [`Usage: ${usage}`, about, `Options:\n${listed.join('\n')}`];
  return `${[...parts, ...(more === undefined ? [] : [more])].join('\n\n')}\n`;
}
