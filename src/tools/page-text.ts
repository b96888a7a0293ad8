import { textOf } from '../capabilities/net/decode.ts';

const markupTypes: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

/** Whether an answer is a page, by its type, or by its beginning where it has none. */
export function isHtml(type: string, text: string): boolean {
  return markupTypes.has(type) || (type === '' && /^\ufeff?\s{0,100}<(?:!doctype html|html)\b/i.test(text));
}

/** Decodes a page: a charset that the server does not name may stand in the page itself, in its first 1,024 bytes. */
export function htmlText(bytes: Uint8Array, contentType: string): string {
  if (/charset\s*=/i.test(contentType) || !/html/i.test(contentType)) return textOf(bytes, contentType);
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const declared = /<meta\s[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(start)?.[1];
  // As the standard has it: a page in which this can be read is not in UTF-16, whatever it says.
  return textOf(bytes, declared === undefined || /^utf-?16/i.test(declared) ? contentType : `; charset=${declared}`);
}
