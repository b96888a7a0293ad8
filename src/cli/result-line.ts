import type { ToolResult } from '../result.ts';

/**
 * A result as one line of JSON. On a terminal, characters that act or hide are written as escapes: the same JSON value.
 */
export function resultLine(result: ToolResult, onTerminal: boolean): string {
  const text = jsonOf(result);
  return `${onTerminal ? text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped) : text}\n`;
}

function jsonOf(result: ToolResult): string {
  try {
    return JSON.stringify(result);
  } catch {
    // Only a pipeline without normalize lets such data through; the call still gets its line.
    const { call_id, tool_name } = result;
    const error = 'The result holds data that is not JSON. Put normalize() into the pipeline.';
    const told = { ok: false, tool_name, data: null, error, call_id, meta: {}, code: 'internal', retryable: false };
    return JSON.stringify({ ...told, effect: 'unknown' });
  }
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
