import type { Source } from './backend.ts';
import type { DocTag } from './jsdoc.ts';
import type { Place, Reporter } from './reporter.ts';
import { constrain, type Schema } from './schema.ts';
import { type Constraint, constraints, constraintValue, meantTag } from './tags.ts';

/** Puts the tags of a property's documentation on its schema. */
export function applyPropertyTags(
  schema: Schema,
  tags: readonly DocTag[],
  source: Source,
  place: Place,
  reporter: Reporter,
): void {
  for (const tag of tags) {
    const constraint = constraints.get(tag.name);
    const wrong = constraint ? applyConstraint(schema, constraint, tag.text) : applyOther(schema, tag);
    if (wrong !== undefined) reporter.atPosition(source, tag.position, `${place.label}: ${wrong}.`);
  }
}

/** Gives what is wrong, if anything is. */
export function applyConstraint(schema: Schema, constraint: Constraint, text: string): string | undefined {
  const read = constraintValue(constraint, text);
  if ('wrong' in read) return read.wrong;
  if (constrain(schema, constraint.keyword, read.value, constraint.types)) return undefined;
  const type = schema['type'] === undefined ? 'this type' : String(schema['type']);
  return `@${constraint.keyword} is for ${constraint.types.join(' or ')}, not for ${type}`;
}

function applyOther(schema: Schema, tag: DocTag): string | undefined {
  if (tag.name === 'default') return applyDefault(schema, tag.text);
  if (tag.name === 'deprecated') schema['deprecated'] = true;
  else if (tag.name === 'title') schema['title'] = tag.text;
  else if (tag.name !== 'readonly') {
    const meant = meantTag(tag);
    if (meant !== undefined && constraints.has(meant)) return `@${tag.name} is no tag; @${meant} may be meant`;
  }
  return undefined;
}

function applyDefault(schema: Schema, text: string): string | undefined {
  try {
    schema['default'] = JSON.parse(text);
    return undefined;
  } catch {
    return `@default takes a JSON value, not ${JSON.stringify(text)}`;
  }
}
