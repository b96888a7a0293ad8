/** One line of a text, as it was written: without its line break. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Says where in its input a command found what it cannot use. */
export class InputError extends Error {
  override readonly name = 'InputError';
  /** Counted from 1. */
  readonly line: number;
  /** In characters, counted from 1. */
  readonly column: number;

  constructor(line: number, column: number, problem: string) {
    super(problem);
    this.line = line;
    this.column = column;
  }
}

/** The longest line that is read, in bytes: 16 MiB. Arguments may be 1 MiB; what is longer is no line of calls. */
export const longestLine: number = 16 * 1024 * 1024;

const lineFeed = 10;

/**
 * Splits a stream of bytes into lines, holding no more of it than one line. The last line needs no line break.
 * Throws an {@link InputError} for a line longer than {@link longestLine}.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Line> {
  let number = 1;
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array): void => {
    length += part.length;
    if (length > longestLine) {
      throw new InputError(number, 1, `the line is longer than ${longestLine} bytes; a line is one call`);
    }
    if (part.length > 0) parts.push(part);
  };
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      keep(bytes.subarray(start, end));
      yield { number, bytes: joined(parts) };
      number++;
      parts = [];
      length = 0;
      start = end + 1;
    }
    keep(bytes.subarray(start));
  }
  if (length > 0) yield { number, bytes: joined(parts) };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
}
