import { isSchemaObject } from '../../schema/walk.ts';
import type { Tool } from '../../tool.ts';
import { guessIntent } from './guess-intent.ts';
import { textPlaces } from './text-places.ts';
import type { GuardDeclaration, GuardDeclarations } from './types.ts';
import { wordsOf } from './words.ts';

/** One argument that looks like a path, a URL or a command. A guess, for a person to confirm. */
export interface GuardGuess {
  /** The tool's name, with its namespace. */
  readonly tool: string;
  /** A property name or JSON pointer, as in a tool's declarations. */
  readonly argument: string;
  readonly kind: 'path' | 'url' | 'command';
  /** Of a path. */
  readonly intent?: 'read' | 'write';
  /** `low` where only a description speaks for it, or a word that often means something else. */
  readonly confidence: 'high' | 'low';
  /** What it was taken from. */
  readonly reason: string;
}

/** Guesses, and what they would be as declarations. */
export interface GuardGuesses {
  readonly guesses: readonly GuardGuess[];
  readonly guards: GuardDeclarations;
}

type Described = Pick<Tool, 'name' | 'description' | 'parameters' | 'annotations'>;
type Found = Pick<GuardGuess, 'kind' | 'confidence' | 'reason'>;

const sure: Readonly<Record<GuardGuess['kind'], ReadonlySet<string>>> = {
  path: new Set(
    (
      'path paths file files filename filenames filepath filepaths directory directories dir dirs folder folders cwd ' +
      'pathname pathnames dirname fname infile outfile logfile subpath subdir basedir rootdir workdir outdir homedir'
    ).split(' '),
  ),
  url: new Set(['url', 'urls', 'href', 'hyperlink', 'website']),
  command: new Set(['command', 'commands', 'cmd', 'shell', 'script', 'bash']),
};
const unsure: Readonly<Record<GuardGuess['kind'], ReadonlySet<string>>> = {
  path: new Set(['source', 'src', 'destination', 'dest', 'dst', 'root', 'workspace', 'location']),
  url: new Set(['uri', 'uris', 'link', 'links', 'endpoint', 'origin', 'webhook']),
  command: new Set(['code', 'program', 'exec', 'cli']),
};
const said: readonly (readonly [GuardGuess['kind'], RegExp])[] = [
  ['url', /\b(?:urls?|https?:\/\/)/i],
  ['command', /\b(?:shell|bash|terminal)\b|\bcommands? (?:line|to (?:run|execute))\b/i],
  ['path', /\b(?:file ?paths?|paths? (?:to|of)|absolute path|relative path|director(?:y|ies)|folders?)\b/i],
];
const kinds = ['path', 'url', 'command'] as const;

/**
 * Guesses which arguments of foreign tools are paths, URLs and commands: by their names, by `format`, by descriptions. To be
 * looked at by a person: a guess too many costs calls, and one too few leaves an argument without a guard. Nothing is ever
 * applied by itself.
 */
export function guessGuards(tools: Iterable<Described>): GuardGuesses {
  const guesses = [...tools].flatMap(guessesOf);
  const guards: { [tool: string]: GuardDeclaration } = {};
  for (const guess of guesses) {
    const before = Object.hasOwn(guards, guess.tool) ? guards[guess.tool] : undefined;
    guards[guess.tool] = withGuess(before ?? {}, guess);
  }
  return { guesses, guards };
}

function guessesOf(tool: Described): readonly GuardGuess[] {
  const guesses: GuardGuess[] = [];
  const deeper: GuardGuess[] = [];
  for (const { property, schema, argument, form } of textPlaces(tool.parameters)) {
    if (form === 'deeper') {
      deeper.push({ tool: tool.name, argument, kind: 'path', intent: 'write', confidence: 'low', reason: beyond });
      continue;
    }
    const found = guess(property, schema, tool);
    // Of an object with any names in it, only its own name says something.
    if (found === undefined || (form === 'map' && found.confidence === 'low')) continue;
    if (found.kind !== 'path') guesses.push({ tool: tool.name, argument, ...found });
    else {
      const { intent, reason } = guessIntent(tool, property);
      guesses.push({ tool: tool.name, argument, ...found, intent, reason: `${found.reason}; ${reason}` });
    }
  }
  // Where nothing looks like anything, what lies deeper is more of the same.
  return guesses.length === 0 ? [] : [...guesses, ...deeper];
}

/** Taken for a path, nothing but text within the roots gets through. */
const beyond = 'what lies deeper could not be looked at, and would have no guard';

function guess(property: string, schema: unknown, tool: Described): Found | undefined {
  const { format, description } = isSchemaObject(schema) ? schema : {};
  if (format === 'uri' || format === 'url' || format === 'iri') {
    return { kind: 'url', confidence: 'high', reason: `its format is "${format}"` };
  }
  const words = wordsOf(property);
  const reason = `it is called "${property.slice(0, 80)}"`;
  for (const kind of kinds) {
    // `url_path` is what the last word says.
    if (sure[kind].has(words.at(-1) ?? '')) return { kind, confidence: 'high', reason };
  }
  for (const kind of kinds) if (words.some((word) => sure[kind].has(word))) return { kind, confidence: 'low', reason };
  for (const kind of kinds)
    if (words.some((word) => unsure[kind].has(word))) return { kind, confidence: 'low', reason };
  const text = typeof description === 'string' ? description : '';
  const [kind] = said.find(([, test]) => test.test(text)) ?? [];
  return kind && { kind, confidence: 'low', reason: `its description speaks of a ${kind} (of ${tool.name})` };
}

function withGuess(before: GuardDeclaration, { kind, argument, intent = 'read' }: GuardGuess): GuardDeclaration {
  switch (kind) {
    case 'path':
      return { ...before, paths: { ...before.paths, [argument]: intent } };
    case 'url':
      return { ...before, urls: [...(before.urls ?? []), argument] };
    case 'command':
      return { ...before, commands: [...((before.commands as readonly string[] | undefined) ?? []), argument] };
  }
}
