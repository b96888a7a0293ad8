import { askWhether, nearest } from '../basics/nearest.ts';
import { isRecord } from '../basics/plain-object.ts';
import { isIndex } from '../definition/argument-places.ts';
import type { Tool } from '../tool.ts';
import type { Found } from './lint.ts';
import { tellsItsFolders } from './paths.ts';
import type { CompiledRule } from './rule.ts';
import { pathOf } from './values.ts';

/** A text that a rule compares with what stands at a place. */
interface Said {
  readonly place: string;
  readonly text: string;
  /** Whether it is a pattern for paths; else the value itself is meant. */
  readonly isPattern: boolean;
  /** Whether it is taken in a wide sense, as what forbids or asks is. */
  readonly wide: boolean;
  /** As what a tool declares that place; absent where it declares nothing there. */
  declaredBy(tool: Tool): 'path' | 'host' | 'command' | undefined;
  /** Whether the tool may be meant to read or write there. */
  touches(tool: Tool): boolean;
}

/** What a rule says of places that cannot be meant, given the tools that it concerns. */
export function misplaced(rule: CompiledRule, tools: readonly Tool[]): readonly Found[] {
  const concerned = tools.filter((tool) => rule.concerns(tool));
  if (concerned.length === 0) return [];
  const said = [...saidOfArguments(rule), ...saidInShort(rule), ...saidOfEffects(rule)];
  return [
    ...Object.keys(rule.rule.arguments ?? {}).map((argument) => noArgument(argument, concerned)),
    ...said.map((one) =>
      one.isPattern ? (noPath(one, concerned) ?? search(one, concerned)) : exactText(one, concerned),
    ),
  ];
}

function saidOfArguments({ rule, decision }: CompiledRule): readonly Said[] {
  return Object.entries(rule.arguments ?? {}).flatMap(([argument, matcher]) => {
    const isHere = (pointer: string): boolean => pathOf(pointer).join('\0') === pathOf(argument).join('\0');
    const declaredBy = ({ paths, urls, commands = [] }: Tool): 'path' | 'host' | 'command' | undefined => {
      if (Object.keys(paths ?? {}).some(isHere)) return 'path';
      if (urls?.some(isHere)) return 'host';
      const lines: readonly string[] = Array.isArray(commands) ? commands : Object.keys(commands);
      return lines.some(isHere) ? 'command' : undefined;
    };
    const touches = (tool: Tool): boolean => declaredBy(tool) === 'path';
    const read = (one: unknown, wide: boolean): readonly Said[] => {
      const more = { place: `arguments.${argument}`, wide, declaredBy, touches };
      if (isRecord(one) && 'not' in one) return read(one['not'], !wide);
      if (isRecord(one)) return textsIn(one['path']).map((text) => ({ ...more, text, isPattern: true }));
      return textsIn(one).map((text) => ({ ...more, text, isPattern: false }));
    };
    return read(matcher, decision !== 'allow');
  });
}

function saidInShort({ rule, decision }: CompiledRule): readonly Said[] {
  return textsIn(rule.tool).flatMap((short) => {
    const [, name, text] = /^([\w./-]+)\((.*)\)$/s.exec(short) ?? [];
    if (name === undefined || text === undefined || text.startsWith('domain:')) return [];
    const touches = (tool: Tool): boolean =>
      tool.name === name && tool.paths !== undefined && tool.commands === undefined;
    const declaredBy = (tool: Tool): 'path' | undefined => (touches(tool) || tool.name !== name ? 'path' : undefined);
    return [{ place: short, text, isPattern: true, wide: decision !== 'allow', declaredBy, touches }];
  });
}

function saidOfEffects({ rule, decision }: CompiledRule): readonly Said[] {
  return [rule.effects ?? []].flat().flatMap((effect) => {
    if (!isRecord(effect)) return [];
    const { path, kind } = effect;
    const touches = ({ paths = {} }: Tool): boolean =>
      Object.values(paths).some((intent) => kind === undefined || textsIn(kind).includes(`fs.${intent}`));
    return textsIn(path).map((text) => ({
      place: 'effects.path',
      text,
      isPattern: true,
      wide: decision !== 'allow',
      // Whatever the tool declares, an effect has a canonical path.
      declaredBy: () => 'path' as const,
      touches,
    }));
  });
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().filter((text): text is string => typeof text === 'string');
}

function noArgument(argument: string, tools: readonly Tool[]): Found {
  const path = pathOf(argument);
  if (tools.some(({ parameters }) => mayHave(parameters, path))) return undefined;
  const names = new Set(tools.flatMap(({ parameters }) => Object.keys(parameters.properties ?? {})));
  const hint = askWhether(nearest(path[0] ?? '', names, 2), 'clause');
  return { kind: 'no-argument', message: `No tool that it concerns has an argument ${argument}${hint || '.'}` };
}

/** Whether a schema knows a place, or does not say enough to be sure. */
function mayHave(schema: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || !isRecord(schema)) return true;
  const { properties, items, additionalProperties = false } = schema;
  if (Object.keys(schema).some((word) => /^(\$ref|\$dynamicRef|allOf|anyOf|oneOf|if|patternProperties)$/.test(word))) {
    return true;
  }
  if (name === '*' || isIndex(name)) return !('items' in schema) || mayHave(items, rest);
  if (!isRecord(properties) || additionalProperties !== false) return true;
  return Object.hasOwn(properties, name) && mayHave(properties[name], rest);
}

function exactText({ place, text, declaredBy }: Said, tools: readonly Tool[]): Found {
  const declared = tools.map(declaredBy).find((kind) => kind !== undefined);
  if (declared === undefined || !(declared === 'path' ? /[*?]|\{.*,.*\}/ : /\*/).test(text)) return undefined;
  const pattern = declared === 'command' ? [text.split(/[\s:*]/)[0]] : text;
  return {
    kind: 'exact-text',
    message:
      `${place} must be exactly ${JSON.stringify(text)}, in which no sign stands for others. ` +
      `For a pattern write ${JSON.stringify({ [declared]: pattern })}, for the text itself ${JSON.stringify({ equals: text })}.`,
  };
}

function noPath({ place, text, declaredBy }: Said, tools: readonly Tool[]): Found {
  // What is declared to be no path stands in the arguments as the model wrote it.
  if (!tools.every((tool) => declaredBy(tool) === 'path')) return undefined;
  const problem = text.split('/').includes('..')
    ? 'paths are compared without ".."'
    : /^~/.test(text)
      ? 'no path begins with "~"'
      : text !== '/' && text.endsWith('/')
        ? `no path ends in "/"; write ${JSON.stringify(`${text}**`)} for what is in a folder`
        : /\\[^[\](){}*?!+@|^\\]/.test(text)
          ? 'folders are separated by "/"'
          : undefined;
  if (problem === undefined) return undefined;
  return { kind: 'no-path', message: `${place}: ${JSON.stringify(text)} never matches, for ${problem}.` };
}

function search({ place, text, wide, touches }: Said, tools: readonly Tool[]): Found {
  if (!wide || tellsItsFolders(text)) return undefined;
  const names = tools.filter((tool) => tool.walks === undefined && touches(tool)).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return {
    kind: 'search',
    message:
      `${place}: ${JSON.stringify(text)} does not hold for what a call finds below a folder that it names, as ` +
      `${names.slice(0, 3).join(', ')} may. pathGuard: { deny: [...] } keeps it from every tool.`,
  };
}
