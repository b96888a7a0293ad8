import { ToolError } from '../errors.ts';

/** A failure with its reason in a word, as the documentation of the tools lists them. */
export function failure(message: string, reason: string): ToolError {
  return new ToolError(message, { details: { reason } });
}
