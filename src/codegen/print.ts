const width = 116;

/** Prints a JSON-safe value as TypeScript: short lists and objects on one line, keys without quotes where possible. */
export function printValue(value: unknown, indent = ''): string {
  const line = inline(value);
  if (indent.length + line.length <= width || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${deeper}${printValue(item, deeper)},\n`).join('')}${indent}]`;
  }
  const entries = Object.entries(value).map(
    ([key, item]) => `${deeper}${printKey(key)}: ${printValue(item, deeper)},\n`,
  );
  return `{\n${entries.join('')}${indent}}`;
}

function inline(value: unknown): string {
  if (typeof value === 'string') return printText(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => `${printKey(key)}: ${inline(item)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return Object.is(value, -0) ? '0' : String(value);
}

/** A key of an object literal. */
export function printKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : printText(key);
}

/** A string literal in single quotes. */
export function printText(text: string): string {
  const body = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return `'${body}'`;
}

/** Reading a property. */
export function printAccess(object: string, key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${object}.${key}` : `${object}[${printText(key)}]`;
}
