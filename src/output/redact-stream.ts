import type { Redactor } from './redact.ts';

/** How much text, in characters, is held back at least: a secret may have begun in it. */
const heldBack = 512;
/** How much text, in characters, is held back at most. */
const mostHeldBack = 65_536;

export interface RedactingStream {
  /** Takes the next piece and gives what is safe to show by now; often nothing. */
  push(piece: string): string;
  /** Gives the rest, once no more comes. */
  end(): string;
}

/**
 * Redacts text that comes in pieces. A secret that is cut in two by the end of a piece is found too, because text is held
 * back until what could belong together has come: at least 512 characters, at most 65,536.
 */
export function redactStream(redactor: Redactor): RedactingStream {
  let held = '';

  function push(piece: string): string {
    held += piece;
    const cut = held.slice(0, Math.max(0, held.length - heldBack)).search(/\s\S*$/);
    if (cut > 0) {
      const head = redactor.redact(held.slice(0, cut));
      // Whatever reaches across the cut makes a difference here, such as a private key of many lines.
      if (head + redactor.redact(held.slice(cut)) === redactor.redact(held)) {
        held = held.slice(cut);
        return head;
      }
    }
    return held.length > mostHeldBack ? end() : '';
  }

  function end(): string {
    const rest = redactor.redact(held);
    held = '';
    return rest;
  }
  return { push, end };
}
