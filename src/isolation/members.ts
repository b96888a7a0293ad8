/** An own member of data that somebody else wrote; nothing where there is none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** As {@link member}, for a text; empty where there is none. */
export function textMember(value: unknown, name: string): string {
  const text = member(value, name);
  return typeof text === 'string' ? text : '';
}
