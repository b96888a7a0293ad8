import { createRequire } from 'node:module';
import { compilePattern } from '../pattern/compile.ts';
import { library } from './library.ts';

type Test = (text: string) => boolean;

/** The one name under which all checks stand in the package's table of formats. */
const entry = 'callgate';
let current: TextCheck | undefined;

/**
 * What a schema asks of a text by `pattern` and `format`, put in the place of its `format`. The package would match
 * patterns by backtracking, and knows other formats than Ajv; it looks a format up by name, and being asked for the name
 * is how a check learns that it is the one that is meant.
 */
export class TextCheck {
  readonly tests: readonly { readonly keyword: 'pattern' | 'format'; readonly name: string; readonly test: Test }[];

  constructor(pattern: string | undefined, format: string | undefined) {
    const tests: { keyword: 'pattern' | 'format'; name: string; test: Test }[] = [];
    if (pattern !== undefined) {
      const compiled = compilePattern(pattern);
      tests.push({ keyword: 'pattern', name: pattern, test: (text) => compiled.test(text) });
    }
    const check = format === undefined ? undefined : formatTest(format);
    if (format !== undefined && check !== undefined) tests.push({ keyword: 'format', name: format, test: check });
    this.tests = tests;
    library().format[entry] ??= (text) => current?.tests.every(({ test }) => test(text)) ?? true;
  }

  toString(): string {
    current = this;
    return entry;
  }
}

type Format = RegExp | Test | { readonly type?: string; readonly validate?: RegExp | Test };

const require = createRequire(import.meta.url);
let formats: ReadonlyMap<string, Format> | undefined;

/** The formats that the engine on Ajv checks; `undefined` for one that nobody knows, or that is not for texts. */
function formatTest(name: string): Test | undefined {
  formats ??= new Map(
    Object.entries((require('ajv-formats/dist/formats.js') as { fullFormats: Record<string, Format> }).fullFormats),
  );
  const format = formats.get(name);
  if (format === undefined) return undefined;
  if (typeof format === 'object' && !(format instanceof RegExp)) {
    return format.type === 'number' || format.validate === undefined ? undefined : testOf(format.validate);
  }
  return testOf(format);
}

function testOf(format: RegExp | Test): Test {
  return typeof format === 'function' ? format : (text) => format.test(text);
}
