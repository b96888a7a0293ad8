/** One step of a JSON pointer (RFC 6901): `/` and the escaped name. */
export function pointerStep(name: string | number): string {
  const text = String(name);
  return text.includes('~') || text.includes('/') ? `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}` : `/${text}`;
}

/** The names in a JSON pointer. `''` has none. */
export function pointerNames(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What a JSON pointer leads to, by own properties only; `undefined` where it leads nowhere. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const name of pointerNames(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
