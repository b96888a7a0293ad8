/** The text of a body: by its byte order mark, else by the charset that the server names, else UTF-8. Never guessed. */
export function textOf(bytes: Uint8Array, contentType: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder().decode(bytes);
  const charset = /;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i.exec(contentType)?.[1];
  const decoder = decoderFor(charset);
  return decoder.encoding === 'windows-1252' ? windows1252(bytes) : decoder.decode(bytes);
}

function decoderFor(charset: string | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

// What stands where Latin-1 has control characters. https://encoding.spec.whatwg.org/index-windows-1252.txt
const upper =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/** Several versions of Node decode these bytes as Latin-1, which is another charset. */
function windows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (character) => upper[character.charCodeAt(0) - 0x80] ?? character);
}
