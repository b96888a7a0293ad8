import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { type Alternative, type JsonType, typeOf, typesOf, wantsInteger } from './alternatives.ts';
import { isCutOff, isJson, parseText, plainObject, withoutFence } from './text.ts';
import { walkWithSchema } from './walk.ts';

/** The rungs of the ladder, in the order in which they are tried. */
export const repairSteps = [
  'code-fence',
  'double-encoding',
  'json-syntax',
  'json-text',
  'number-text',
  'boolean-text',
  'absent-null',
] as const;

/**
 * | step | turns | into |
 * | --- | --- | --- |
 * | `code-fence` | a fenced code block | its content |
 * | `double-encoding` | a JSON text that holds the JSON text of an object | that text |
 * | `json-syntax` | trailing commas, single quotes and the like, through jsonrepair | JSON |
 * | `json-text` | JSON text where only an object or array fits | the object or array |
 * | `number-text` | the text of a number where a number fits and no text does | the number |
 * | `boolean-text` | `"true"` or `"false"` where a boolean fits and no text does | the boolean |
 * | `absent-null` | null for an optional property that may not be null | an absent property |
 */
export type RepairStep = (typeof repairSteps)[number];

/** One step that was taken, and at which place of the arguments; the empty pointer is all of them. */
export interface Repair {
  readonly step: RepairStep;
  readonly pointer: string;
}

export interface Ladder {
  readonly steps: ReadonlySet<RepairStep>;
  /** What mends the syntax, such as jsonrepair; may throw. Without it there is no such rung. */
  readonly mend?: ((text: string) => string) | undefined;
}

/**
 * Takes arguments as a model sent them up the ladder. With nothing to mend, or where mending leads to nothing that is an
 * object, they come back as they were and `repaired` is empty.
 */
export function repairArguments(
  schema: JsonSchemaObject,
  args: unknown,
  ladder: Ladder,
): { readonly arguments: unknown; readonly repaired: readonly Repair[] } {
  const repaired: Repair[] = [];
  const object =
    typeof args === 'string'
      ? mendText(args, ladder, repaired)
      : typeOf(args) === 'object'
        ? plainObject(args)
        : undefined;
  if (object === undefined || typeOf(object) !== 'object') return { arguments: args, repaired: [] };
  const mended = walkWithSchema(schema, object, {
    replace: (ways, value, pointer) =>
      typeof value === 'string' ? mendValue(ways, value, pointer, ladder, repaired) : value,
    ...(ladder.steps.has('absent-null') && { dropped: (pointer) => repaired.push({ step: 'absent-null', pointer }) }),
  });
  // Untouched text goes on as text: what is wrong with it is for the validate stage to say.
  return repaired.length > 0 ? { arguments: mended, repaired } : { arguments: args, repaired };
}

// Each encoding inside another one costs the model escapes that double, so three are plenty.
const mostEncodings = 3;

function mendText(sent: string, { steps, mend }: Ladder, repaired: Repair[]): unknown {
  let text = sent;
  for (let encodings = 0; encodings <= mostEncodings; encodings++) {
    const value = parseText(text);
    if (typeOf(value) === 'object') return value;
    if (typeof value === 'string' && steps.has('double-encoding')) {
      repaired.push({ step: 'double-encoding', pointer: '' });
      text = value;
      continue;
    }
    const inner = steps.has('code-fence') ? withoutFence(text) : undefined;
    if (inner === undefined) break;
    repaired.push({ step: 'code-fence', pointer: '' });
    text = inner;
  }
  // JSON that is refused for what it says, such as a key that nobody may send, has no fault of syntax to mend.
  if (!steps.has('json-syntax') || !mend || isCutOff(text) || isJson(text)) return undefined;
  repaired.push({ step: 'json-syntax', pointer: '' });
  try {
    return parseText(mend(text));
  } catch {
    return undefined;
  }
}

function mendValue(
  ways: readonly Alternative[],
  text: string,
  pointer: string,
  { steps }: Ladder,
  repaired: Repair[],
): unknown {
  const types = new Set(ways.flatMap((way) => [...typesOf(way)]));
  if (types.has('string')) return text;
  const attempts: readonly [RepairStep, () => unknown][] = [
    ['json-text', () => structureIn(text, types)],
    ['number-text', () => (types.has('number') ? numberIn(text, ways) : undefined)],
    ['boolean-text', () => (types.has('boolean') ? { true: true, false: false }[text] : undefined)],
  ];
  for (const [step, attempt] of attempts) {
    const value = steps.has(step) ? attempt() : undefined;
    if (value === undefined) continue;
    repaired.push({ step, pointer });
    return value;
  }
  return text;
}

function structureIn(text: string, types: ReadonlySet<JsonType>): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = parseText(text);
  return value !== undefined && types.has(typeOf(value)) ? value : undefined;
}

// Numbers as JSON writes them: no leading zero, no plus, no blank. "020" is a code and stays one.
const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function numberIn(text: string, ways: readonly Alternative[]): number | undefined {
  // With more digits than a double holds the number would not be the one that was sent.
  if (!numberText.test(text) || text.replace(/[eE].*|\D/g, '').length > 15) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return Number.isInteger(value) || !ways.every(wantsInteger) ? value : undefined;
}
