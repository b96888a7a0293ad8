import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { toLenientSchema } from '../../schema/lenient.ts';
import { pointerStep } from '../../schema/pointer.ts';
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
  const loose: GuardGuess[] = [];
  const deeper: GuardGuess[] = [];
  const taken = new Set<string>();
  const texts = new Set<string>();
  // What counts is how a registry reads a tool from elsewhere.
  for (const { property, schemas, argument, form } of textPlaces(toLenientSchema(tool.parameters).schema)) {
    const found = guess(property, schemas, tool);
    const outer = outerOf(argument);
    if (form === 'text' && found === undefined) texts.add(pointerOf(argument));
    // What may be a text is not made an object for paths: these can be looked at call by call.
    if ((found ?? beyond).kind === 'path' && outer.some((place) => texts.has(place))) continue;
    // Of an object with any names in it, only its own name says something.
    if (found === undefined || (form === 'map' && found.confidence === 'low')) {
      if (form === 'deeper') deeper.push({ tool: tool.name, argument, ...beyond });
      continue;
    }
    // Of a text that may be an object as well, its own name says more than what may be in it.
    if (outer.some((place) => taken.has(place))) continue;
    if (form !== 'loose') taken.add(pointerOf(argument));
    const list = form === 'loose' ? loose : guesses;
    if (found.kind !== 'path') list.push({ tool: tool.name, argument, ...found });
    else {
      const { intent, reason } = guessIntent(tool, property);
      list.push({ tool: tool.name, argument, ...found, intent, reason: `${found.reason}; ${reason}` });
    }
  }
  // What has something within it that is declared has to be an object or a list.
  const holding = new Set([...guesses, ...loose].flatMap(({ argument }) => outerOf(argument)));
  const alone = loose.filter(({ argument }) => !holding.has(pointerOf(argument)));
  for (const { argument } of alone) taken.add(pointerOf(argument));
  // Where nothing looks like anything, what lies deeper is more of the same.
  if (taken.size === 0) return [];
  return [
    ...guesses,
    ...alone,
    ...deeper.filter(({ argument }) => !outerOf(argument).some((place) => taken.has(place))),
  ];
}

function pointerOf(argument: string): string {
  return argument.startsWith('/') ? argument : pointerStep(argument);
}

/** The pointers to what a place is within. */
function outerOf(argument: string): readonly string[] {
  const steps = pointerOf(argument).split('/');
  return steps.slice(2).map((_, at) => steps.slice(0, at + 2).join('/'));
}

/** Taken for a path, nothing but text within the roots gets through. */
const beyond = {
  kind: 'path',
  intent: 'write',
  confidence: 'low',
  reason: 'what lies deeper could not be looked at, and would have no guard',
} as const;

function guess(property: string, schemas: readonly JsonSchemaObject[], tool: Described): Found | undefined {
  for (const { format } of schemas) {
    if (format === 'uri' || format === 'url' || format === 'iri') {
      return { kind: 'url', confidence: 'high', reason: `its format is "${format}"` };
    }
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
  const texts = schemas.map(({ description }) => (typeof description === 'string' ? description : ''));
  const [kind] = said.find(([, test]) => texts.some((text) => test.test(text))) ?? [];
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
