import { randomUUID } from 'node:crypto';
import { undoNulls } from './arguments/nulls.ts';
import { isJson } from './arguments/text.ts';
import type { ProviderCall, ReadOffer } from './types.ts';

/** A call as a provider's own fields have it. */
export interface RawCall {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
}

export interface CallMakerOptions {
  readonly offer?: ReadOffer | undefined;
  /** Makes an id for a call that came without one. Default `call_` and 24 hex digits. */
  readonly makeId?: () => string;
}

/** Turns the calls of one response into ours, one after the other: it remembers which ids it has given. */
export function callMaker({
  offer,
  makeId = randomId,
}: CallMakerOptions): (raw: RawCall, cut?: boolean) => ProviderCall {
  const given = new Set<string>();
  const unique = (wanted: string | undefined): string => {
    const base = wanted ?? makeId();
    let id = base;
    for (let n = 2; given.has(id); n++) id = wanted === undefined ? makeId() : `${base}~${n}`;
    given.add(id);
    return id;
  };
  return (raw, cut = false) => {
    const sentId = typeof raw.id === 'string' && raw.id !== '' ? raw.id : undefined;
    const sentName = typeof raw.name === 'string' ? raw.name : '';
    const name = offer?.aliases.canonical(sentName) ?? sentName;
    const truncated = cut && !isWhole(raw.arguments);
    return {
      id: unique(sentId),
      name,
      arguments: truncated ? unparsable(raw.arguments) : undoNullsOf(name, raw.arguments ?? {}, offer),
      origin: sentId === undefined ? { name: sentName } : { id: sentId, name: sentName },
      ...(truncated && { truncated }),
    };
  };
}

/**
 * Whether these arguments cannot be the beginning of longer ones. The text of a JSON object is: no text that goes on
 * after its closing brace is JSON. An object that the provider parsed is not: its parser may have closed the braces.
 */
export function isWhole(args: unknown): boolean {
  return typeof args === 'string' && args.trimStart().startsWith('{') && isJson(args);
}

/** Text that shows what there is of cut-off arguments and that no parser takes for all of them. */
function unparsable(args: unknown): string {
  const text = typeof args === 'string' ? args : (JSON.stringify(args) ?? '').replace(/\}$/, '');
  return text.trim() === '' || isJson(text) ? '{' : text;
}

function undoNullsOf(name: string, args: unknown, offer: ReadOffer | undefined): unknown {
  const tool = offer?.nullsMeanAbsent.get(name);
  return tool ? undoNulls(tool.parameters, args) : args;
}

function randomId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
