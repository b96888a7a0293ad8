import type { Span } from './redact.ts';

/** What every private key begins with. */
export const keyHeader = '-----BEGIN ';
const end = '-----END ';
const label = /(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** A key without an end, such as the head of a file: its lines of base64, with real or written-out line breaks. */
const body = /(?:(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{16,})+(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]+$)?/y;

/** The longest private key, in characters, for which an end is looked for. An RSA key of 16,384 bits has about 13,000. */
const longest = 32_768;

/**
 * Finds private keys in PEM form (RFC 7468), and the OpenPGP form that looks like it. One pass: a long text full of
 * headers without an end costs no more than any other.
 */
export function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  let nextEnd = -2;
  for (let start = text.indexOf(keyHeader); start !== -1; start = text.indexOf(keyHeader, start)) {
    label.lastIndex = start + keyHeader.length;
    if (!label.test(text)) {
      start += keyHeader.length;
      continue;
    }
    const afterLabel = label.lastIndex;
    if (nextEnd !== -1 && nextEnd < afterLabel) nextEnd = text.indexOf(end, afterLabel);
    const stop = endOfKey(text, afterLabel, nextEnd);
    if (stop > afterLabel) spans.push({ start, end: stop, type: 'private-key' });
    start = stop;
  }
  return spans;
}

function endOfKey(text: string, afterLabel: number, nextEnd: number): number {
  if (nextEnd !== -1 && nextEnd - afterLabel <= longest) {
    label.lastIndex = nextEnd + end.length;
    if (label.test(text)) return label.lastIndex;
  }
  body.lastIndex = afterLabel;
  return body.test(text) ? body.lastIndex : afterLabel;
}
