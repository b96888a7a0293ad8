import { canonicalJson } from '../basics/canonical-json.ts';
import { isPlainObject } from '../basics/plain-object.ts';
import { withSlashes } from '../basics/slashes.ts';
import { pointerStep } from '../schema/pointer.ts';
import type { Tool } from '../tool.ts';
import type { Effect } from '../types.ts';
import { plainWords } from './commands.ts';
import { toolDigest } from './digest.ts';
import type { ValueMatcher } from './matchers.ts';
import type { PolicyRequest } from './policy.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules.ts';
import { deepFreeze, snapshot } from './snapshot.ts';

/** How long an approval for calls like this one lasts: for this run, or for this project, in its rules file. */
export type AlwaysScope = 'run' | 'project';

/** More than a person reads before they say "always", in characters of JSON. */
const longestRule = 4_000;

/**
 * The rule that an approver may have kept for a call: it allows exactly this tool, as it is now, in this mode, with these
 * paths, hosts and commands. Only the texts that a tool of level `read` or `write` puts into files may be others, and
 * the path and query on a host. `undefined` where no such rule can be written: for command lines that a shell would
 * interpret, and for what is too long to be read.
 */
export function ruleFor(request: PolicyRequest): Rule | undefined {
  const { tool, arguments: args, effects, mode } = request;
  try {
    if (!isJsonObject(args) || hasUnreadCommand(tool, args, effects)) return undefined;
    // As a pattern, a name could stand for others.
    if (![tool.name, tool.source ?? '', mode].every((name) => /^[\w.:/ -]*$/.test(name))) return undefined;
    const matchers = Object.entries(args).flatMap(([name, value]) => {
      const matcher = matcherFor(name, value, tool, effects);
      return matcher === undefined ? [] : [[argumentFor(name), matcher] as const];
    });
    const names = Object.keys(args);
    const rule: Rule = {
      decision: 'allow',
      name: `always ${tool.name}`,
      tool: tool.name,
      ...(tool.source !== undefined && { source: tool.source }),
      identity: toolDigest(tool),
      mode,
      ...(matchers.length > 0 && { arguments: Object.fromEntries(matchers) }),
      only: names,
      ...(effects.length > 0 && { effects: effects.map(effectFor) }),
    };
    if (JSON.stringify(rule).length > longestRule) return undefined;
    // Whatever was overlooked: a rule that does not say yes to the very call is none.
    const ruling = rules([rule]).decide(request);
    return !(ruling instanceof Promise) && ruling?.decision === 'allow' ? deepFreeze(snapshot(rule)) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is an object of what JSON can say, so that a rules file says the same when it is read again. */
function isJsonObject(args: unknown): args is Record<string, unknown> {
  if (typeof args !== 'object' || args === null || !isPlainObject(args)) return false;
  if (Object.keys(args).includes('')) return false;
  return canonicalJson(JSON.parse(JSON.stringify(args))) === canonicalJson(args);
}

/** Whether a tool that starts programs is given a text that a shell might interpret. */
function hasUnreadCommand(tool: Tool, args: object, effects: readonly Effect[]): boolean {
  const starts = tool.commands !== undefined || tool.permission === 'execute' || 'command' in args;
  if (!starts && !effects.some(({ kind }) => kind === 'exec')) return false;
  const unread = (value: unknown): boolean => {
    if (typeof value === 'string') return plainWords(value) === undefined;
    return typeof value === 'object' && value !== null && Object.values(value).some(unread);
  };
  // A list of words is read already, whatever is in the words.
  return Object.values(args).some((value) => !isWords(value) && unread(value));
}

function isWords(value: unknown): boolean {
  return Array.isArray(value) && value.length > 1 && value.every((word) => typeof word === 'string');
}

/** What a rule demands of an argument; `undefined` where it may be anything. */
function matcherFor(name: string, value: unknown, tool: Tool, effects: readonly Effect[]): ValueMatcher | undefined {
  if (isContent(name, value, tool, effects)) return undefined;
  if (typeof value === 'string' && declares(tool.urls, name)) {
    const host = hostIn(value, effects);
    if (host !== undefined) return { host };
  }
  return typeof value === 'object' && value !== null ? { equals: value } : (value as ValueMatcher);
}

/** Names by which tools call what they put into a file. An argument of any other name may say what to do with it. */
const contentNames: ReadonlySet<string> = new Set(
  (
    'content contents text file_text new_text old_text insert_text new old new_string old_string new_str old_str ' +
    'search replace replacement edits patch diff'
  ).split(' '),
);

/** Text, and structures of it, that a tool writes into files that the rule names; not a choice that the schema offers. */
function isContent(name: string, value: unknown, tool: Tool, effects: readonly Effect[]): boolean {
  if (tool.permission !== 'read' && tool.permission !== 'write') return false;
  if (tool.paths === undefined || tool.urls !== undefined || tool.commands !== undefined) return false;
  if (effects.length === 0 || !effects.every(({ kind }) => kind === 'fs.read' || kind === 'fs.write')) return false;
  if (!contentNames.has(name) || declares(Object.keys(tool.paths), name)) return false;
  if (typeof value === 'object' && value !== null) return true;
  const schema: unknown = tool.parameters.properties?.[name];
  const isChoice = typeof schema !== 'object' || schema === null || 'enum' in schema || 'const' in schema;
  return typeof value === 'string' && !isChoice;
}

/** Whether an argument is declared, itself or something inside it. */
function declares(declared: unknown, name: string): boolean {
  const list: readonly unknown[] = Array.isArray(declared)
    ? declared
    : typeof declared === 'object' && declared !== null
      ? Object.keys(declared)
      : [];
  const inside = pointerStep(name);
  return list.some((at) => at === name || at === inside || (typeof at === 'string' && at.startsWith(`${inside}/`)));
}

/** The host of a URL, if a guard has found that the call goes there. */
function hostIn(url: string, effects: readonly Effect[]): string | undefined {
  const { hostname } = new URL(url);
  return effects.some((effect) => effect.kind === 'net' && effect.host === hostname) ? hostname : undefined;
}

function effectFor(effect: Effect): NonNullable<Rule['effects']> & { kind: Effect['kind'] } {
  switch (effect.kind) {
    case 'fs.read':
    case 'fs.write':
      return { kind: effect.kind, path: escapeGlob(effect.path) };
    case 'net':
      return { kind: effect.kind, host: effect.host, port: effect.port };
    case 'exec':
      return { kind: effect.kind, command: effect.argv };
  }
}

/** A path as a glob for just that path. */
function escapeGlob(path: string): string {
  return withSlashes(path).replace(/[?*+@!()[\]{}|^\\]/g, '\\$&');
}

function argumentFor(name: string): string {
  return name.startsWith('/') ? pointerStep(name) : name;
}
