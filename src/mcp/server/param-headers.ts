import { isRecord } from '../../basics/plain-object.ts';

/** An argument that the headers of a call repeat, so that what lies in between can see it without reading the body. */
interface Declared {
  readonly path: readonly string[];
  readonly header: string;
  readonly isNumber: boolean;
}

/** A call whose headers and arguments do not say the same. */
export interface Mismatch {
  readonly header: string;
  readonly problem: string;
}

const keyword = 'x-mcp-header';
const prefix = 'Mcp-Param-';
/** A token of RFC 9110, section 5.6.2: all that the name of a header can be. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);
const decimal = /^-?\d+(\.\d+)?$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const none: readonly Declared[] = [];

/**
 * The first argument that a tool's schema says is repeated in a header (`x-mcp-header`, on properties that are reached by
 * names alone) and is not. An argument that is not there, or null, needs no header.
 *
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function headerMismatch(schema: object, args: unknown, headers: Headers): Mismatch | undefined {
  for (const { path, header, isNumber } of declaredIn(schema)) {
    const value = valueAt(args, path);
    const expected = textOf(value);
    if (expected === undefined) continue;
    const sent = headers.get(header);
    if (sent === null) return { header, problem: `the argument ${path.join('.')} needs the header ${header}` };
    const said = decoded(sent);
    if (said === undefined) return { header, problem: `the header ${header} is no valid Base64 of UTF-8` };
    const isSame =
      isNumber && typeof value === 'number' && decimal.test(said) ? Number(said) === value : said === expected;
    if (!isSame)
      return { header, problem: `the header ${header} does not say what the argument ${path.join('.')} says` };
  }
  return undefined;
}

// Of schemas that are kept for as long as the tools are what they are.
const known = new WeakMap<object, readonly Declared[]>();

function declaredIn(schema: object): readonly Declared[] {
  let found = known.get(schema);
  if (found === undefined) {
    found = JSON.stringify(schema).includes(keyword) ? below(schema, []) : none;
    known.set(schema, found);
  }
  return found;
}

function below(schema: unknown, path: readonly string[]): readonly Declared[] {
  if (!isRecord(schema)) return none;
  const { [keyword]: name, type, properties } = schema;
  const isUsable = path.length > 0 && typeof name === 'string' && token.test(name) && types.has(type);
  const own = isUsable ? [{ path, header: prefix + name, isNumber: type === 'integer' || type === 'number' }] : none;
  if (!isRecord(properties)) return own;
  return [...own, ...Object.entries(properties).flatMap(([key, inner]) => below(inner, [...path, key]))];
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined), args);
}

/** What stands in a header for a value; nothing where none can. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** Text that a header cannot carry as it is comes as `=?base64?...?=`. */
function decoded(sent: string): string | undefined {
  if (!sent.startsWith('=?base64?') || !sent.endsWith('?=')) return sent;
  const packed = sent.slice('=?base64?'.length, -'?='.length);
  if (!base64.test(packed)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(packed, 'base64'));
  } catch {
    return undefined;
  }
}
