import type { RegExpLike } from 'ajv/dist/types/index.js';

/**
 * Compiles a schema's `pattern`. With Unicode rules first, as JSON Schema has it; many patterns in the wild are only
 * regular expressions without them (`\:`), and mean the same.
 */
export function compilePattern(pattern: string): RegExpLike {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

compilePattern.code = 'compilePattern';
