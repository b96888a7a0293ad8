import { didYouMean } from '../basics/nearest.ts';
import { levelFault } from '../definition/levels.ts';
import { pointerStep } from '../schema/pointer.ts';
import type { Source } from './backend.ts';
import { type DocTag, readParam } from './jsdoc.ts';
import type { ToolModel } from './model.ts';
import type { Undocumentable } from './parameters.ts';
import { applyConstraint } from './property-tags.ts';
import type { Reporter } from './reporter.ts';
import { type Schema, schemaAt } from './schema.ts';
import { type AnnotationTag, constraints, isAnnotation, meantTag } from './tags.ts';

type Declared = {
  -readonly [K in 'permission' | 'timeout' | 'tags' | 'annotations' | 'paths' | 'urls' | 'commands']?: ToolModel[K];
} & { name?: string };

/**
 * Reads the tags of a function: descriptions and constraints go onto `root`, the schema of its parameters, the rest is
 * returned. A tag that names no parameter is a problem: it is how documentation drifts from code.
 */
export function applyFunctionTags(
  tags: readonly DocTag[],
  root: Schema,
  undocumentable: Undocumentable,
  source: Source,
  reporter: Reporter,
): Declared {
  const declared: Declared = {};
  const describe = describer(root, undocumentable);
  for (const tag of tags) {
    const wrong = tag.name === 'param' ? describe(tag) : applyTag(tag, root, declared);
    if (wrong !== undefined) reporter.atPosition(source, tag.position, wrong);
  }
  return declared;
}

function levelProblem(level: string): string | undefined {
  const fault = levelFault(level);
  return fault && `@permission ${fault}.`;
}

/** Gives what is wrong, if anything is. */
function applyTag(tag: DocTag, root: Schema, declared: Declared): string | undefined {
  const [first = '', ...others] = tag.text.split(/\s+/);
  const rest = tag.text.slice(first.length).trim();
  const constraint = constraints.get(tag.name);
  if (constraint) {
    const target = schemaAt(root, first);
    if (!target) return missing(`@${tag.name}`, first, root);
    const wrong = applyConstraint(target, constraint, rest);
    return wrong && `parameter \`${first}\`: ${wrong}.`;
  }
  if (isAnnotation(tag.name)) return annotate(tag.name, tag.text, declared);
  switch (tag.name) {
    case 'toolname':
      declared.name = first;
      return first === '' ? '@toolname lacks the name.' : undefined;
    case 'title':
      declared.annotations = { ...declared.annotations, title: tag.text };
      return undefined;
    case 'permission':
      declared.permission = first;
      return first === '' || others.length > 0 ? '@permission takes one word, such as read.' : levelProblem(first);
    case 'timeout':
      declared.timeout = Number(first);
      return first !== '' && declared.timeout > 0
        ? undefined
        : '@timeout takes milliseconds, such as 5000, or Infinity.';
    case 'tag':
      declared.tags = [...(declared.tags ?? []), ...tag.text.split(/[\s,]+/).filter(Boolean)];
      return tag.text === '' ? '@tag lacks the tag.' : undefined;
    case 'path':
      if (rest !== 'read' && rest !== 'write')
        return '@path takes a parameter and read or write, such as: @path file read.';
      return addPointer(tag.name, first, root, (pointer) => {
        declared.paths = { ...declared.paths, [pointer]: rest };
      });
    case 'url':
      return addPointer(tag.name, first, root, (pointer) => {
        declared.urls = [...(declared.urls ?? []), pointer];
      });
    case 'command':
      return addPointer(tag.name, first, root, (pointer) => {
        declared.commands = [...(declared.commands ?? []), pointer];
      });
    default: {
      const meant = meantTag(tag);
      return meant && `@${tag.name} is no tag; @${meant} may be meant.`;
    }
  }
}

function annotate(name: AnnotationTag, text: string, declared: Declared): string | undefined {
  if (!['', 'true', 'false'].includes(text)) return `@${name} takes nothing, true or false, not "${text}".`;
  declared.annotations = { ...declared.annotations, [name]: text !== 'false' };
  return undefined;
}

/** `@param` names a parameter, a field of a destructured one (alone or behind any name), or a nested property. */
function describer(root: Schema, { injected, bags }: Undocumentable): (tag: DocTag) => string | undefined {
  const bagNames = new Set<string>();
  return (tag) => {
    const param = readParam(tag);
    if (!param) return '@param lacks the name of the parameter.';
    const [head = '', ...tail] = param.path.split('.');
    let target = schemaAt(root, param.path);
    if (!target && !injected.has(head) && (bagNames.has(head) || bagNames.size < bags)) {
      bagNames.add(head);
      if (tail.length === 0 || injected.has(tail[0] ?? '')) return undefined;
      target = schemaAt(root, tail.join('.'));
    }
    if (!target) return injected.has(head) ? undefined : missing('@param', param.path, root);
    if (param.text) target['description'] = param.text;
    return undefined;
  };
}

/** A declaration names a parameter, or a path such as `options.files[]`; a list stands for its items. */
function addPointer(tag: string, written: string, root: Schema, add: (pointer: string) => void): string | undefined {
  let target = schemaAt(root, written);
  if (!target) return missing(`@${tag}`, written, root);
  const steps = written.replaceAll('[]', '.*').split('.');
  // A command may be an argument list as a whole; a path or a URL is always one string.
  for (; tag !== 'command' && target?.['type'] === 'array'; target = target['items'] as Schema | undefined) {
    steps.push('*');
  }
  add(steps.length === 1 ? written : steps.map(pointerStep).join(''));
  return undefined;
}

function missing(what: string, name: string, root: Schema): string {
  const names = Object.keys((root['properties'] as Schema | undefined) ?? {});
  const hint = didYouMean(name, names, 'clause', (near) => `\`${near}\``);
  const advice = hint || `; The parameters are: ${names.join(', ') || '(none)'}.`;
  return `${what} names \`${name}\`, which is no parameter${advice}`;
}
