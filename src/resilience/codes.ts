import { type ErrorCode, isErrorCode } from '../errors.ts';

/** What may say something of the service behind a tool. Other codes speak of the call, or of who may make it. */
const ofTheService: ReadonlySet<ErrorCode> = new Set([
  'timeout',
  'rate_limited',
  'unavailable',
  'conflict',
  'tool_error',
  'invalid_output',
]);

/**
 * Checks a list of codes that a stage is to react to. A denial, wrong arguments or a call that was withdrawn are refused with
 * a TypeError: they say nothing of the service, and whoever reacts to them works against what refused the call.
 */
export function checkCodes(what: string, codes: readonly ErrorCode[]): ReadonlySet<ErrorCode> {
  if (!Array.isArray(codes) || codes.length === 0)
    throw new TypeError(`${what} must be a list of codes, and not empty.`);
  for (const code of codes) {
    if (ofTheService.has(code)) continue;
    const why = isErrorCode(code) ? 'says nothing of the service behind a tool' : 'does not exist';
    throw new TypeError(`${what}: the code "${String(code)}" ${why}. Possible are: ${[...ofTheService].join(', ')}.`);
  }
  return new Set(codes);
}
