import { checkMilliseconds } from '../basics/milliseconds.ts';
import { didYouMean, isTypo } from '../basics/nearest.ts';
import { isPlainObject, isRecord } from '../basics/plain-object.ts';
import { checkIsolation } from '../isolation/module-handler.ts';
import type { Tool, ToolAnnotations } from '../tool.ts';
import { checkDeclarations, checkGiven } from './declarations.ts';
import { levelFault } from './levels.ts';

/** What a tool's name may be. */
export const toolName: RegExp = /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$/;

const memberNames: readonly string[] = [
  ...(['name', 'description', 'parameters', 'standardSchema', 'permission', 'timeout', 'tags', 'annotations'] as const),
  ...(['output', 'paths', 'urls', 'commands', 'walks', 'locks', 'isolate', 'source', 'handler', 'preview'] as const),
] satisfies (keyof Tool)[];

// Not a set of these names: every tool of a large registry is asked about each of its members.
function isMember(name: string): boolean {
  const known = name as keyof Tool;
  switch (known) {
    case 'name':
    case 'description':
    case 'parameters':
    case 'standardSchema':
    case 'permission':
    case 'timeout':
    case 'tags':
    case 'annotations':
    case 'output':
    case 'paths':
    case 'urls':
    case 'commands':
    case 'walks':
    case 'locks':
    case 'isolate':
    case 'source':
    case 'handler':
    case 'preview':
      return true;
    default:
      known satisfies never;
      return false;
  }
}

const hints: readonly string[] = [
  ...(['title', 'readOnly', 'destructive', 'idempotent', 'openWorld'] as const),
] satisfies (keyof ToolAnnotations)[];

/** Throws a TypeError that says what is wrong with a tool. Looks at the shape only: no schema is compiled. */
export function checkTool(tool: Tool): void {
  if (typeof tool !== 'object' || tool === null)
    throw new TypeError(`A tool must be an object; it is ${String(tool)}.`);
  const { name } = tool;
  if (typeof name !== 'string' || !toolName.test(name)) {
    throw new TypeError(
      `${JSON.stringify(name) ?? String(name)} is no tool name. A name is 1 to 128 of the characters ` +
        'A-Z a-z 0-9 _ . / - and begins with a letter, a digit or _.',
    );
  }
  if (typeof tool.handler !== 'function')
    throw new TypeError(`Tool "${name}" needs a handler: a function (args, context).`);
  if (typeof tool.description !== 'string') {
    throw new TypeError(`Tool "${name}" needs a description: it is how a model decides whether to call it.`);
  }
  if (!isRecord(tool.parameters)) {
    throw new TypeError(
      `Tool "${name}" needs parameters: a JSON Schema object such as { type: 'object', properties: {} }.`,
    );
  }
  checkIsolation(tool);
  if (tool.timeout !== undefined) checkMilliseconds(tool.timeout, `The timeout of tool "${name}"`);
  if (tool.permission !== undefined) checkLevel(tool);
  if (tool.annotations !== undefined) checkAnnotations(tool);
  checkKinds(tool);
  checkDeclarations(tool);
}

const defined = new WeakSet<object>();

/** Throws a TypeError for a member of a definition that no tool has; `made` is what becomes of the definition. */
export function checkDefinition(definition: object, made: Tool): void {
  defined.add(made);
  // What an instance of a class has is its own affair.
  if (!isPlainObject(definition)) return;
  checkGiven(definition, made);
  for (const member of Object.keys(definition)) {
    if (!isMember(member) && member !== 'jsonSchema') throw unknownMember(made, member);
  }
}

/**
 * The same for a tool that nobody has defined: it may have members of its own, but one that is almost a tool's was meant to be
 * that, and would declare nothing.
 */
export function checkMembers(tool: Tool): void {
  for (const member in tool) {
    const isOdd = isMember(member)
      ? tool[member as keyof Tool] === undefined
      : memberNames.some((known) => isTypo(member, known));
    // Few get here, so that it is asked last what costs most.
    if (!isOdd || !isPlainObject(tool) || defined.has(tool)) continue;
    if (!isMember(member)) throw unknownMember(tool, member);
    checkGiven(tool, tool);
  }
}

function unknownMember({ name }: Tool, member: string): TypeError {
  const advice = `Its members are: ${memberNames.join(', ')}.${didYouMean(member, memberNames)}`;
  return new TypeError(`Tool "${name}" declares "${member}", which no tool has. ${advice}`);
}

function checkLevel({ name, permission }: Tool): void {
  if (typeof permission !== 'string' || permission === '') {
    throw new TypeError(`Tool "${name}": permission must be the name of a level; it is ${String(permission)}.`);
  }
  const fault = levelFault(permission);
  if (fault !== undefined) throw new TypeError(`Tool "${name}": permission ${fault}.`);
}

function checkAnnotations({ name, annotations }: Tool): void {
  if (!isRecord(annotations)) throw new TypeError(`Tool "${name}": annotations must be an object of hints.`);
  for (const [hint, value] of Object.entries(annotations)) {
    if (!hints.includes(hint)) {
      const advice = `They are: ${hints.join(', ')}.${didYouMean(hint, hints)}`;
      throw new TypeError(`Tool "${name}": "${hint}" is none of the annotations. ${advice}`);
    }
    const wanted = hint === 'title' ? 'string' : 'boolean';
    if (value === undefined || typeof value === wanted) continue;
    const words = wanted === 'string' ? 'a text' : 'true or false';
    throw new TypeError(`Tool "${name}": annotations.${hint} must be ${words}; it is ${String(value)}.`);
  }
}

/** What is of another kind than it must be would be taken for something else, or for nothing. */
function checkKinds(tool: Tool): void {
  const { tags, source, output, walks, locks, preview } = tool;
  if (tags !== undefined && !isWords(tags)) throw wrongKind(tool, 'tags', 'a list of words');
  if (source !== undefined && (typeof source !== 'string' || source === '')) throw wrongKind(tool, 'source', 'a name');
  if (output !== undefined && !isRecord(output)) throw wrongKind(tool, 'output', 'a JSON Schema object');
  if (walks !== undefined && typeof walks !== 'function') throw wrongKind(tool, 'walks', 'a function (args)');
  if (locks !== undefined && typeof locks !== 'function') throw wrongKind(tool, 'locks', 'a function (args)');
  if (preview !== undefined && typeof preview !== 'function') {
    throw wrongKind(tool, 'preview', 'a function (args, context)');
  }
}

function wrongKind({ name }: Tool, member: string, expected: string): TypeError {
  return new TypeError(`Tool "${name}": ${member} must be ${expected}.`);
}

function isWords(value: unknown): boolean {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
