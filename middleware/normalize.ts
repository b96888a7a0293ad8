import { checkKinds, checkOptions } from '../src/basics/options.ts';
import { isContent } from '../src/content.ts';
import { isErrorCode, isRetryable } from '../src/errors.ts';
import { notAResult, toFailure } from '../src/failure.ts';
import { type Cleaner, createCleaner, Notes } from '../src/output/clean.ts';
import { cleanContent } from '../src/output/clean-content.ts';
import { withoutHostDetails, writtenIn } from '../src/output/host-paths.ts';
import { toJsonSafe } from '../src/output/json-safe.ts';
import { outboundHosts } from '../src/output/links.ts';
import { createRedactor } from '../src/output/redact.ts';
import type { SecretPattern } from '../src/output/secret-patterns.ts';
import { defaultHint } from '../src/output/truncate.ts';
import {
  causeOf,
  type Failure,
  isToolResult,
  isVouchedFor,
  type Meta,
  noMeta,
  rememberCause,
  type Success,
  type ToolResult,
} from '../src/result.ts';
import { finish, makesStages } from '../src/traits.ts';
import type { Call, Found, Stage } from '../src/types.ts';

export interface NormalizeOptions {
  /**
   * Values that must never leave, such as those of environment variables: also found in base64, URL-encoded and
   * JSON-escaped form. Values of fewer than 8 characters are ignored. Default: none.
   */
  readonly secrets?: readonly string[];
  /** Further kinds of secrets to recognize. Default: none. */
  readonly patterns?: readonly SecretPattern[];
  /** Whether secrets are taken out at all. Default true. */
  readonly redact?: boolean;
  /** The most data a result carries, in characters of text, or of JSON text. Default 262,144. */
  readonly maxCharacters?: number;
  /** The longest error text, in characters. Default 8,192. */
  readonly maxErrorCharacters?: number;
  /** The most base64 that the content blocks of a result carry together, in characters. Default 16,777,216. */
  readonly maxBinaryCharacters?: number;
  /**
   * Hosts that links in results may lead to: `example.com`, or `*.example.com` for every host below it. A result with
   * other links keeps them, and `meta.links` names their hosts, at most 20. Default: links are not looked at.
   */
  readonly linkHosts?: readonly string[];
  /** What the note in shortened data says the model can do about it. Default: ask for a range, a page or a filter. */
  readonly hint?: string;
}

/** The stage, which also says how it cleans what leaves the router before a call ends: progress, previews. */
export type NormalizeStage = Stage & { readonly cleans: (data: unknown) => unknown };

const optionNames = [
  ...[
    'secrets',
    'patterns',
    'redact',
    'maxCharacters',
    'maxErrorCharacters',
    'maxBinaryCharacters',
    'hint',
    'linkHosts',
  ],
];

/**
 * Turns every outcome into the envelope; stands outermost and acts last. What was thrown becomes a failure. Data becomes a
 * JSON-safe copy (the forms stand at `toJsonSafe`), loses control characters and hidden text, then secrets, and then, if it
 * is too large, its middle. Data that the tool's `output` schema describes stays valid: only texts that the schema leaves
 * free are cut, and data that is then still too large stays whole. Base64 in content blocks is never cut.
 *
 * `meta` notes what was done: `redacted` (the kinds of secrets), `truncated: { characters }` and `oversize: { characters }`
 * (the full size), `cleaned: true`, and with `linkHosts` `links` (hosts).
 *
 * Fails with: `internal`, for a stage that answers with something that is no result.
 *
 * @example
 * pipeline().use('normalize', normalize({ secrets: [process.env.API_TOKEN ?? ''] }))
 */
export function normalize(options: NormalizeOptions = {}): NormalizeStage {
  checkOptions('normalize', options, optionNames, ['secrets', 'patterns']);
  checkKinds('normalize', options, { redact: 'boolean', linkHosts: 'texts', hint: 'text' });
  const { redact = true, hint = defaultHint } = options;
  const redactor = redact ? createRedactor(options) : undefined;
  const maxCharacters = checkSize(options.maxCharacters ?? 262_144, 'maxCharacters', 256);
  const maxErrorCharacters = checkSize(options.maxErrorCharacters ?? 8_192, 'maxErrorCharacters', 256);
  const maxBinary = checkSize(options.maxBinaryCharacters ?? 16_777_216, 'maxBinaryCharacters', 0);
  const forData = createCleaner({ redactor, maxCharacters, hint });
  const forErrors = createCleaner({ redactor, maxCharacters: maxErrorCharacters, hint: '' });

  const forShowing = createCleaner({ redactor, maxCharacters, hint: '' });
  const outbound = options.linkHosts && outboundHosts(options.linkHosts);

  const stage: Stage = finish(
    function normalize(ctx: Call, outcome: unknown, threw: boolean): ToolResult {
      try {
        const result = threw ? toFailure(ctx, outcome) : outcome;
        if (!isToolResult(result)) return notAResult(ctx, result);
        return result.ok ? normalSuccess(ctx, result) : normalFailure(ctx, result);
      } catch (error) {
        // Only what was made to be unreadable comes here, such as a result that is a Proxy.
        return ctx.fail('internal', 'The result could not be read. This is a fault of a stage.', { cause: error });
      }
    },
    { total: true },
  );
  const cleans = (data: unknown) =>
    typeof data === 'string' ? forShowing.text(data, new Notes()) : forShowing.value(data, new Notes());
  return Object.assign(stage, { cleans });

  // Both read each member once, and make a result of their own: those of a getter may be others whenever somebody looks, and
  // what no result has leaves with none.

  function normalSuccess(ctx: Call, { tool_name, data, call_id, meta }: Success): Success {
    if (meta === noMeta && isPlainPrimitive(data)) return { ok: true, tool_name, data, error: null, call_id, meta };
    const notes = new Notes();
    const output = (ctx as Partial<Found>).tool?.output;
    const clean =
      typeof data === 'string' && output === undefined
        ? forData.text(data, notes)
        : isContent(data)
          ? cleanContent(data, forData, { maxBinary, maxCharacters }, notes, output)
          : forData.value(data, notes, output);
    const noted = withLinks(noteIn(meta, notes, forErrors), outbound?.(clean));
    return { ok: true, tool_name, data: clean, error: null, call_id, meta: noted };
  }

  function normalFailure(ctx: Call, result: Failure): Failure {
    const { tool_name, error: given, call_id, meta: before, code: kind, retryable: again, effect: had } = result;
    const notes = new Notes();
    const text = withoutHost(ctx, kind, forErrors.text(given, notes, isVouchedFor(result, given)));
    const details = normalDetails(kind, result.details, notes);
    const meta = noteIn(before, notes, forErrors);
    const code = isErrorCode(kind) ? kind : 'internal';
    const error = text || `${tool_name} failed without a message (${code}).`;
    const retryable = typeof again === 'boolean' ? again : isRetryable(code);
    const effect = had === 'none' ? 'none' : 'unknown';
    // Each written out: adding a member to an object, or spreading one, costs more than the object.
    const failure: Failure =
      details === undefined
        ? { ok: false, tool_name, data: null, error, call_id, meta, code, retryable, effect }
        : { ok: false, tool_name, data: null, error, call_id, meta, code, retryable, effect, details };
    return rememberCause(failure, causeOf(result));
  }

  function normalDetails(code: unknown, details: unknown, notes: Notes): unknown {
    if (details === undefined) return undefined;
    // A stored approval stands for exactly this call: changed arguments would no longer be what a person decides on.
    return code === 'approval_required' ? toJsonSafe(details) : forData.value(details, notes);
  }
}
makesStages(normalize);

/** Whether a failure's text begins with a place in the arguments or the data, which looks like a path. */
function isPointing(code: unknown): boolean {
  switch (code) {
    case 'invalid_json':
    case 'invalid_arguments':
    case 'invalid_output':
    case 'invalid_schema':
    case 'path_denied':
    case 'url_denied':
    case 'command_denied':
      return true;
    default:
      return false;
  }
}

/** An error's text without paths of the host. What the model itself wrote in its arguments is no news to it. */
function withoutHost(ctx: Call, code: unknown, text: string): string {
  return isPointing(code) ? text : withoutHostDetails(text, writtenIn(ctx.call.arguments));
}

function withLinks(meta: Meta, links: readonly string[] | undefined): Meta {
  return links === undefined || links.length === 0 ? meta : { ...meta, links };
}

/** Data that is its own JSON-safe form and that nothing can be wrong with. */
function isPlainPrimitive(data: unknown): boolean {
  if (typeof data === 'number') return Number.isFinite(data) && !Object.is(data, -0);
  return data === null || typeof data === 'boolean';
}

function noteIn(meta: Meta | undefined, notes: Notes, cleaner: Cleaner): Meta {
  const before = isEmpty(meta) ? noMeta : (cleaner.value(meta, notes) as Meta);
  const { redacted, cleaned, truncated, oversize } = notes;
  if (redacted === undefined && !cleaned && truncated === 0 && oversize === 0) return before;
  return {
    ...before,
    ...(redacted && { redacted: [...redacted] }),
    ...(truncated > 0 && { truncated: { characters: truncated } }),
    ...(oversize > 0 && { oversize: { characters: oversize } }),
    ...(cleaned && { cleaned: true }),
  };
}

function isEmpty(meta: unknown): boolean {
  if (meta === noMeta || typeof meta !== 'object' || meta === null || Array.isArray(meta)) return true;
  return Object.keys(meta).length === 0;
}

function checkSize(size: number, name: string, least: number): number {
  if (typeof size === 'number' && size >= least) return Math.floor(size);
  throw new TypeError(
    `normalize({ ${name} }) must be a number of characters, at least ${least}; it is ${String(size)}.`,
  );
}
