import { ArgumentsFault } from '../../schema/fault.ts';
import { parseArguments } from '../../schema/parse.ts';

/**
 * The value of a JSON text, under the same limits and refusals as arguments themselves: a key twice, `__proto__`, too
 * much of it. `undefined` for what is refused and for what is not JSON.
 */
export function parseText(text: string): unknown {
  const held = plainObject(`{"value":${text}}`);
  return held && Object.keys(held).length === 1 ? held['value'] : undefined;
}

/** The value as an object of plain data, copied; `undefined` for anything that the validate stage would refuse. */
export function plainObject(value: unknown): Record<string, unknown> | undefined {
  const object = parseArguments(value);
  return object instanceof ArgumentsFault ? undefined : object;
}

/** Whether a text is JSON, whatever the limits for arguments. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What stands inside a fenced code block that is all there is of the text; `undefined` when it is none. */
export function withoutFence(text: string): string | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```') || trimmed.length < 6) return undefined;
  const inner = trimmed.slice(3, -3).replace(/^(?:json|JSON)?[ \t]*\r?\n?/, '');
  return inner.includes('```') ? undefined : inner.trim();
}

/**
 * Whether a text that is not JSON may be the beginning of a longer one: a bracket or a quote is left open, or an
 * ellipsis stands outside quotes. Mending such text would make a smaller call out of a larger one.
 */
export function isCutOff(text: string): boolean {
  let open = 0;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (quote !== '') {
      if (character === '\\') index++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{' || character === '[') open++;
    else if (character === '}' || character === ']') open--;
    else if (character === '…' || text.startsWith('...', index)) return true;
  }
  return open > 0 || quote !== '' || !/[}\]]\s*;?\s*$/.test(text);
}
