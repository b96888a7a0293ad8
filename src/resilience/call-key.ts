import { canonicalJson, isPlain } from '../canonical-json.ts';
import { sha256, toolDigest } from '../policy/digest.ts';
import { atOnce } from '../thenable.ts';
import type { Tool } from '../tool.ts';
import type { Ready, Run } from '../types.ts';

/** The longest key that is kept as the text that it is, in characters. */
const longestKey = 512;

/**
 * One text for everything on which the answer to a call may depend, and the same text for no other call:
 *
 * - on whose behalf it is: the principal, and without one the run, since nobody knows whether two runs are one user's;
 * - the tool: this very object, so that another one of the same name or definition is another tool; and the digest of what it
 *   declares, its schemas included;
 * - the registry it was found in, and the mode;
 * - the arguments and effects, as the guards left them, in canonical form;
 * - `vary(ctx)` if that is given, and otherwise the state: members that are plain values count by what they are, objects
 *   among them by which they are.
 *
 * `undefined` where arguments have no canonical form: such a call is like no other.
 */
export function callKey(ctx: Ready, vary: ((ctx: Ready) => unknown) | undefined): string | undefined {
  const { tool, args, effects, run, registry, state } = ctx;
  // Outside the try: what an option throws is told, and not taken for arguments without a form.
  const varied = vary === undefined ? undefined : canonicalJson(atOnce(vary(ctx)));
  try {
    // Parts in which no line ends, one a line: so no two lists of parts are the same text.
    const who = `${JSON.stringify([...ownerOf(run), run.mode])}\n${identityOf(registry)}\n${versionOf(tool)}`;
    const what = `${canonicalJson(args)}\n${effects === undefined ? '[]' : canonicalJson(effects)}`;
    const text = `${who}\n${what}\n${varied ?? (state === undefined ? '' : canonicalJson(stateOf(state)))}`;
    return text.length > longestKey ? sha256(text) : text;
  } catch {
    return undefined;
  }
}

/** On whose behalf a call is. */
export function ownerOf({ principal, id }: Run): readonly [string, string] {
  return principal ? ['principal', principal] : ['run', id];
}

const identities = new WeakMap<object, number>();
let count = 0;

/** A number for an object, the same for no other. */
function identityOf(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  count++;
  identities.set(value, count);
  return count;
}

const versions = new WeakMap<Tool, string>();

function versionOf(tool: Tool): string {
  const known = versions.get(tool);
  if (known !== undefined) return known;
  const version = `${identityOf(tool)} ${toolDigest(tool)}`;
  // What may still be changed is looked at every time.
  if (Object.isFrozen(tool)) versions.set(tool, version);
  return version;
}

function stateOf(state: unknown): unknown {
  if (typeof state !== 'object' || state === null) return memberOf(state);
  const names = Object.keys(state);
  if (!isPlain(state) || Reflect.ownKeys(state).length !== names.length) return ['object', identityOf(state)];
  return names.sort().map((name) => [name, memberOf(state[name])]);
}

function memberOf(value: unknown): unknown {
  switch (typeof value) {
    case 'function':
      return ['function', identityOf(value)];
    case 'object':
      return value === null ? null : ['object', identityOf(value)];
    default:
      return value;
  }
}
