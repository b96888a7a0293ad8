import { longestTimer } from '../../basics/milliseconds.ts';
import { longestDescription } from './clean-text.ts';
import { anything, type Sender } from './sender.ts';

/** What a server says of one of its tools; nothing of it has been checked. */
export interface ListedTool {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** All that a server offers, as far as it was listened to. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  /** Why some of it was not. */
  readonly cut: string | undefined;
}

const mostPages = 100;
/** In characters of JSON text, of all pages together. */
const mostText = 33_554_432;
const mostTools = 2_000;

/**
 * Asks for the tools, page by page: 100 pages, 2,000 tools and 32 MiB at most, and no page
 * twice. `timeout` is for all of them
 * together, in milliseconds. Rejects when the server does not answer by then, or with something else.
 */
export async function listTools(client: Sender, timeout: number, ending: AbortSignal): Promise<Listing> {
  const controller = new AbortController();
  const end = (): void => controller.abort(ending.reason);
  const late = (): void => controller.abort(new Error(`The server did not tell its tools within ${timeout} ms.`));
  const timer = setTimeout(late, Math.min(timeout, longestTimer));
  ending.addEventListener('abort', end, { once: true });
  if (ending.aborted) end();
  try {
    return await allPages(client, controller.signal);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', end);
  }
}

async function allPages(client: Sender, signal: AbortSignal): Promise<Listing> {
  const tools: ListedTool[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let size = 0;
  for (let page = 1; ; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, anything, { timeout: longestTimer, signal });
    const { tools: listed, nextCursor } = (answer ?? {}) as { tools?: unknown; nextCursor?: unknown };
    if (!Array.isArray(listed)) throw new Error('The server answered to tools/list with something that is no list.');
    size += JSON.stringify(listed).length;
    if (size > mostText) return { tools, cut: 'more than can be looked at' };
    for (const tool of listed as unknown[]) {
      if (tools.length >= mostTools) return { tools, cut: `more than ${mostTools} tools` };
      if (isListed(tool)) tools.push(onlyWhatCounts(tool));
    }
    if (typeof nextCursor !== 'string') return { tools, cut: undefined };
    if (seen.has(nextCursor)) return { tools, cut: 'a page that leads back to one before' };
    if (page === mostPages) return { tools, cut: `more than ${mostPages} pages` };
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}

function isListed(tool: unknown): tool is ListedTool {
  return typeof tool === 'object' && tool !== null && typeof (tool as { name?: unknown }).name === 'string';
}

/** A tool is remembered for as long as it is registered, so that what nobody reads is not kept. */
function onlyWhatCounts({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  execution,
}: ListedTool): ListedTool {
  const text = typeof description === 'string' ? description.slice(0, 2 * longestDescription) : undefined;
  return { name, title, description: text, inputSchema, outputSchema, annotations, execution };
}
