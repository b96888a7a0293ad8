import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ToolError } from '../../errors.ts';
import { unavailable } from './refusal.ts';

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
} as const;

/** What of a body is wanted. */
export interface BodyLimit {
  /** In decoded bytes. */
  readonly maxBytes: number;
  readonly overflow: 'fail' | 'cut';
}

/** A body, read and decoded. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
}

/**
 * Reads a body and counts what comes out of decompression, so that a small answer cannot become a large one. Fails with
 * `tool_error`: `too-large`, `encoding`; `unavailable`: `broken-body`.
 */
export async function readBody(answer: IncomingMessage, { maxBytes, overflow }: BodyLimit): Promise<Body> {
  const stream = decoded(answer, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) {
        if (overflow === 'fail') throw tooLarge(maxBytes);
        chunks.push(chunk.subarray(0, chunk.length - (size - maxBytes)));
        return { bytes: Buffer.concat(chunks), truncated: true };
      }
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), truncated: false };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw unavailable('The answer broke off or could not be decoded', 'broken-body', error);
  } finally {
    stream.destroy();
    answer.destroy();
  }
}

function decoded(answer: IncomingMessage, maxBytes: number): Readable {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return answer;
  // One layer only: layers upon layers are made to blow up.
  if (!Object.hasOwn(decoders, encoding)) {
    answer.destroy();
    throw new ToolError('The answer is compressed in a way that is not read here.', {
      details: { reason: 'encoding' },
    });
  }
  const decoder = decoders[encoding as keyof typeof decoders]();
  let received = 0;
  async function* counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      received += chunk.length;
      // Compressed data can also be endless and decode to nothing.
      if (received > maxBytes + 65_536) throw tooLarge(maxBytes);
      yield chunk;
    }
  }
  // Whoever reads the decoder gets its error.
  return pipeline(answer, counted, decoder, () => {});
}

function tooLarge(maxBytes: number): ToolError {
  return new ToolError(`The answer is larger than ${maxBytes} bytes, which is the most that is read here.`, {
    details: { reason: 'too-large', maxBytes },
  });
}
