import { isHarmless, isShortAndHarmless } from '../output/harmless.ts';

/** How much of a value a message shows, in characters. */
const longest = 80;

/** A value for a message to a model: its type, and as much of it as is useful. `string "4"`, `array of 3 items`, `null`. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      // What is its own JSON text, but for the quotes.
      if (isShortAndHarmless(value)) return `string "${value}"`;
      return `string ${cut(JSON.stringify(value.slice(0, longest + 1)))}`;
    case 'number':
    case 'boolean':
      return `${typeof value} ${String(value)}`;
    case 'undefined':
      return 'nothing';
    case 'object':
      break;
    default:
      return `a ${typeof value}`;
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 1 ? 'array of 1 item' : `array of ${value.length} items`;
  const keys = Object.keys(value);
  return keys.length === 0 ? 'empty object' : cut(`object with ${keys.slice(0, 10).join(', ')}`);
}

/** Whether what {@link describeValue} says of a value is a harmless text. */
export function isShownHarmless(value: unknown, description: string): boolean {
  return (typeof value === 'string' && isShortAndHarmless(value)) || isHarmless(description);
}

/** A value as JSON, cut short, for a list of what is allowed. */
export function literal(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value));
}

/** The first ten of `items`, and how many there are beyond. */
export function listed(items: readonly string[], separator = ', '): string {
  const shown = items.slice(0, 10).join(separator);
  return items.length > 10 ? `${shown}${separator}and ${items.length - 10} more` : shown;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}
