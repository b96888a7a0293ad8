import { ToolError } from '../../errors.ts';
import { withoutAnswer } from './careful-transport.ts';
import { statusOf } from './open.ts';
import { RedirectError } from './own-origin.ts';
import { UnreadError } from './unread.ts';

/** Codes of JSON-RPC and of the protocol. */
const methodNotFound = -32601;
const invalidParams = -32602;
/** A file that was not found is a matter of the arguments, and may have been looked for. */
const knowsNoTool = /\b(?:unknown|no such) tool\b|\btool\b.{0,200}\b(?:not found|not exist)/is;

/** What a call that has failed on its way, or at the server, comes to. `signal` is the call's own. */
export function callFailure(error: unknown, tool: string, server: string, signal: AbortSignal): unknown {
  // The reason of the call's end is known to whoever ended it.
  if (signal.aborted) return signal.reason;
  if (error instanceof ToolError) return error;
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  const text = typeof message === 'string' ? message : String(error);
  const gone = (why: string, more: object = {}) =>
    new ToolError(`${tool} cannot be answered: ${why}`, { code: 'unavailable', cause: error, ...more });
  if (data === withoutAnswer) {
    return gone(
      `its server "${server}" sent no answer that can be read. It may have taken effect: check before you try again.`,
    );
  }
  if (typeof code === 'number') return protocolFailure(code, text, tool, server, error);
  switch (code) {
    case 'INVALID_RESULT':
      return new ToolError(
        `${tool} ran, but its server's answer is not one of the protocol. This is a fault of the server.`,
        {
          code: 'invalid_output',
          cause: error,
        },
      );
    case 'UNSUPPORTED_RESULT_TYPE':
    case 'INPUT_REQUIRED_ROUNDS_EXCEEDED':
    case 'CAPABILITY_NOT_SUPPORTED':
      return new ToolError(`${tool} needs something that this client does not offer to servers.`, { cause: error });
    case 'REQUEST_TIMEOUT':
      return new ToolError(
        `${tool} did not finish in the time that it may take. It may have taken effect all the same: check before you try again.`,
        { code: 'timeout', cause: error },
      );
    case 'CONNECTION_CLOSED':
      return gone(
        `its server "${server}" ended during the call. It may have taken effect: check before you try again.`,
      );
  }
  if (error instanceof UnreadError) {
    return gone(`${error.message} ("${server}"). Nothing was sent; try again later.`, { effect: 'none' });
  }
  if (error instanceof RedirectError) {
    return gone(`its server "${server}" redirects. ${error.message}`, { retryable: false });
  }
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    return gone(`its server "${server}" refuses access (HTTP ${status}).`, { retryable: false, effect: 'none' });
  }
  if (status !== 0) return gone(`its server "${server}" answered with HTTP ${status}.`);
  if (hasNotConnected(error)) return gone(`its server "${server}" cannot be reached.`, { effect: 'none' });
  return gone(`the connection to its server "${server}" failed.`);
}

function protocolFailure(code: number, text: string, tool: string, server: string, cause: unknown): ToolError {
  const details = { reason: 'protocol_error', code };
  if (code === invalidParams && !knowsNoTool.test(text)) {
    return new ToolError(`The server "${server}" refuses the arguments: ${text}`, {
      code: 'invalid_arguments',
      details,
      cause,
    });
  }
  if (code === invalidParams || code === methodNotFound) {
    const said = `${tool} is not there any more: its server "${server}" does not know it. ${text}`;
    return new ToolError(said, { code: 'unavailable', retryable: false, effect: 'none', details, cause });
  }
  return new ToolError(text, { code: 'tool_error', details, cause });
}

/** Whether a request was never sent, as nobody listens there. */
function hasNotConnected(error: unknown): boolean {
  const codes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 4; depth++) {
    if (codes.includes((at as { code?: string }).code ?? '')) return true;
    at = (at as { cause?: unknown }).cause;
  }
  return false;
}
