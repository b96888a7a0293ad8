import type * as Sdk from '@modelcontextprotocol/server';
import type { ErrorCode } from '../../errors.ts';
import { isRetryable } from '../../errors.ts';
import { type Failure, noMeta, type ToolResult } from '../../result.ts';
import type { Router } from '../../router.ts';
import { toMcpResult } from '../results.ts';
import { linkCall, unlinkCall } from './links.ts';
import { type ClientFacts, capabilityFor, Ongoing } from './ongoing.ts';
import type { Settings } from './options.ts';
import type { Session } from './session.ts';
import type { Traffic } from './traffic.ts';

/** What answering calls needs to know of the connection they come over. */
export interface CallHost<State = unknown> {
  readonly sdk: typeof Sdk;
  readonly router: Router<State>;
  readonly settings: Settings;
  readonly session: Session;
  readonly traffic: Traffic;
  /** The ids of the requests under way on this connection. */
  readonly requests: Set<string | number>;
  facts(exchange: Sdk.ServerContext): ClientFacts;
  /** The protocol has no requests to the client. */
  readonly rounds: boolean;
  /** Puts a result into the form of the client's protocol, which may know of structured content only as an object. */
  project(result: Sdk.CallToolResult): Sdk.CallToolResult;
}

interface Call {
  readonly name: string;
  readonly arguments: unknown;
}

type Answer = Sdk.CallToolResult | Sdk.InputRequiredResult;

/**
 * Answers `tools/call`. Whatever the router says is a result, failures with `isError` and the text for the model; a
 * protocol error is given only for a tool that does not exist, an id that is in use, and an answer to no question.
 */
export async function answerCall<State>(
  host: CallHost<State>,
  params: { readonly name: string; readonly arguments?: unknown },
  exchange: Sdk.ServerContext,
): Promise<Answer> {
  const { sdk, requests } = host;
  const { id } = exchange.mcpReq;
  if (requests.has(id)) {
    throw new sdk.ProtocolError(
      sdk.ProtocolErrorCode.InvalidRequest,
      `The request id ${JSON.stringify(id)} is in use.`,
    );
  }
  requests.add(id);
  try {
    const { aliases } = await host.router.offer('mcp');
    const call = { name: aliases.canonical(params.name), arguments: params.arguments ?? {} };
    const isNew = exchange.mcpReq.requestState() === undefined;
    const ongoing = isNew ? begin(host, call, exchange) : await comeBack(host, call, exchange);
    return ongoing instanceof Ongoing ? await conclude(host, ongoing) : ongoing;
  } finally {
    requests.delete(id);
  }
}

/** Starts the call, unless there are too many. */
function begin<State>(host: CallHost<State>, call: Call, exchange: Sdk.ServerContext): Ongoing | Answer {
  const { router, settings, session, traffic } = host;
  const refused = refusal(host, call);
  if (refused !== undefined) return refused;
  const callId = `mcp_${process.getBuiltinModule('node:crypto').randomUUID()}`;
  const ongoing = new Ongoing(exchange, {
    runId: session.run.id,
    call,
    mayApprove: settings.approvals === 'elicit' && !session.silent,
    rounds: host.rounds,
    facts: host.facts(exchange),
  });
  linkCall(callId, ongoing);
  session.add(ongoing);
  traffic.begin();
  const { signal, tell } = ongoing;
  const options = { signal, run: session.run, ...(ongoing.wantsProgress && { onProgress: tell }) };
  ongoing.settles(
    router.call({ id: callId, ...call }, options).then((result) => {
      unlinkCall(callId);
      // Whoever has given up on an answer leaves no question open.
      ongoing.unanswered();
      session.remove(ongoing);
      traffic.end();
      return result;
    }),
  );
  return ongoing;
}

/** Finds the call that waits for the answers which this request brings. */
async function comeBack<State>(
  { sdk, session }: CallHost<State>,
  call: Call,
  exchange: Sdk.ServerContext,
): Promise<Ongoing> {
  const ticket: unknown = exchange.mcpReq.requestState();
  const ongoing = typeof ticket === 'string' ? session.take(ticket) : undefined;
  if (ongoing?.is(call) !== true) {
    // Another call in the place of the one that was asked about: nobody has said anything to either.
    ongoing?.unanswered();
    const reason = { reason: 'invalid_request_state' };
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', reason);
  }
  ongoing.resume(exchange, exchange.mcpReq.inputResponses ?? {});
  return ongoing;
}

async function conclude<State>(
  { sdk, session, settings, project }: CallHost<State>,
  ongoing: Ongoing,
): Promise<Answer> {
  const result = await ongoing.outcome();
  if (result === 'asked') {
    return sdk.inputRequired({
      inputRequests: ongoing.suspend() as NonNullable<Sdk.InputRequiredSpec['inputRequests']>,
      requestState: session.wait(ongoing, settings.maxInFlight),
    });
  }
  if (!result.ok && result.code === 'unknown_tool') {
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, result.error);
  }
  if (!result.ok && ongoing.lacking !== undefined) {
    const requiredCapabilities = { [capabilityFor(ongoing.lacking)]: {} };
    throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities }, result.error);
  }
  const answer = explained(result, ongoing);
  return answer.structuredContent === undefined ? answer : project(answer);
}

/** The result for the client; a call that nobody could be asked about says why. */
function explained(result: ToolResult, ongoing: Ongoing): Sdk.CallToolResult {
  const answer = toMcpResult(result) as Sdk.CallToolResult;
  if (result.ok || result.code !== 'approval_required') return answer;
  const why = !ongoing.mayApprove
    ? 'This server asks nobody over this connection.'
    : ongoing.can('elicitation/create')
      ? 'This server has not been set up to ask over this connection.'
      : 'This client offers no way to ask its user (elicitation).';
  const text = `${why} Whoever runs the server can allow the call there.`;
  return { ...answer, content: [...(answer.content ?? []), { type: 'text', text }] };
}

function refusal<State>({ settings, session, traffic }: CallHost<State>, call: Call): Answer | undefined {
  if (traffic.closing) {
    return refused(call, 'unavailable', 'The server is stopping and takes no new calls. The call did not run.');
  }
  if (session.size < settings.maxInFlight) return undefined;
  const text = `${session.size} calls are under way, and no more run at a time. Wait for one of them, then repeat this call; it did not run.`;
  return refused(call, 'rate_limited', text);
}

function refused({ name }: Call, code: ErrorCode, error: string): Answer {
  const failure: Failure = {
    ok: false,
    tool_name: name,
    data: null,
    error,
    call_id: '',
    meta: noMeta,
    code,
    retryable: isRetryable(code),
    effect: 'none',
  };
  return toMcpResult(failure) as Sdk.CallToolResult;
}
