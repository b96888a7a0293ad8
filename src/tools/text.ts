import { isUtf8 } from 'node:buffer';

export type TextEncoding = 'utf8' | 'utf16le' | 'utf16be';

/** The encoding of a text file by its first bytes, or nothing for a binary file: text holds no NUL. */
export function encodingOf(bytes: Uint8Array): TextEncoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf16be';
  return bytes.includes(0) ? undefined : 'utf8';
}

/** Decodes text with its byte order mark, if it has one. */
export function decodeText(bytes: Uint8Array, encoding: TextEncoding): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === 'utf8') return buffer.toString('utf8');
  return (encoding === 'utf16le' ? buffer : swapped(buffer)).toString('utf16le');
}

/** The bytes of a text in an encoding, one character a byte, so that texts can be searched and joined as bytes. */
export function bytesOf(text: string, encoding: TextEncoding): string {
  if (encoding === 'utf8') return Buffer.from(text, 'utf8').toString('latin1');
  const buffer = Buffer.from(text, 'utf16le');
  return (encoding === 'utf16le' ? buffer : swapped(buffer)).toString('latin1');
}

function swapped(buffer: Buffer): Buffer {
  return Buffer.from(buffer.subarray(0, buffer.length & ~1)).swap16();
}

/** Whether all bytes are text in this encoding; otherwise some are shown as U+FFFD. */
export function isWholeText(bytes: Uint8Array, encoding: TextEncoding): boolean {
  return encoding === 'utf8' ? isUtf8(bytes) : bytes.length % 2 === 0;
}
