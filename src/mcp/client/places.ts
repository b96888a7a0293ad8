import { ToolError } from '../../errors.ts';

/**
 * Throws a ToolError (`path_denied`, `url_denied` or `command_denied`) for arguments in which a declared place cannot be
 * found because something else stands on the way to it: a text where a list of paths was declared. What a guard could not
 * see must not be sent; the server's own schema, which may allow it, is the server's word.
 */
export function checkPlaces(
  args: unknown,
  declared: readonly string[],
  code: 'path_denied' | 'url_denied' | 'command_denied',
): void {
  for (const place of declared) {
    const parts = place.startsWith('/') ? place.slice(1).split('/').map(unescaped) : [place];
    check(args, parts, '', code);
  }
}

function check(
  value: unknown,
  parts: readonly string[],
  pointer: string,
  code: 'path_denied' | 'url_denied' | 'command_denied',
): void {
  const [part, ...rest] = parts;
  if (part === undefined || value === undefined || value === null) return;
  const wantsList = part === '*';
  if (Array.isArray(value)) {
    if (!wantsList && !/^\d+$/.test(part)) throw unseen(pointer, 'an object', code);
    for (const [index, item] of value.entries()) {
      if (wantsList || String(index) === part) check(item, rest, `${pointer}/${index}`, code);
    }
    return;
  }
  if (wantsList || typeof value !== 'object') throw unseen(pointer, wantsList ? 'a list' : 'an object', code);
  if (Object.hasOwn(value, part)) {
    check((value as Record<string, unknown>)[part], rest, `${pointer}/${part}`, code);
  }
}

function unseen(pointer: string, expected: string, code: 'path_denied' | 'url_denied' | 'command_denied'): ToolError {
  const text = `${pointer || 'The arguments'} must be ${expected}: what it holds has to be checked.`;
  return new ToolError(text, { code, effect: 'none', retryable: false, details: { reason: 'unchecked', pointer } });
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
