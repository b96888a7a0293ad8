import { isToolResult } from 'callgate';

/** A line of a program's output: what it is about, and what came out, as plain data. */
export function line(label, value) {
  return [label, value];
}

/** A result, once it has been looked at whether it is exactly one and well-formed. */
export function checked(result, call) {
  if (!isToolResult(result)) throw new Error(`no result came out of ${call.id}`);
  if (result.call_id !== call.id) throw new Error(`${call.id} was answered with the result of ${result.call_id}`);
  if (JSON.stringify(JSON.parse(JSON.stringify(result))) !== JSON.stringify(result))
    throw new Error(`${call.id}: not JSON`);
  return result;
}

/** What `make` gives, or what it throws, as far as that is callgate's own. */
export function attempt(make) {
  try {
    return { gives: make() };
  } catch (error) {
    return { throws: error?.name, message: error?.message, ...(error?.code !== undefined && { code: error.code }) };
  }
}

/** Lets this many turns of the event loop pass. */
export async function turns(count) {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

// Made anew for every process, and no part of what a call came to.
const fleeting = new Set(['created', 'expires', 'etag', 'mtimeMs', 'signature', 'shown', 'duration_ms']);

/** Plain data without what differs from one process to the next. `ids` are the approvals' own. */
export function lasting(value) {
  return JSON.parse(
    JSON.stringify(value, function keep(key, inner) {
      if (fleeting.has(key)) return undefined;
      if (key === 'id' && this.version === 1) return undefined;
      return inner;
    }) ?? 'null',
  );
}

/** The same, with a name in place of a folder that every process makes anew, and without the digests that depend on it. */
export function withoutFolder(value, folder) {
  const text = JSON.stringify(value, (key, inner) => (key === 'digest' || key === 'identity' ? undefined : inner));
  return JSON.parse(text.replaceAll(JSON.stringify(folder).slice(1, -1), '<folder>'));
}
