import type { CallContext } from './context.ts';

// A handler may call the router again. Such a call is known by the signal: a handler that passes its own one on has its
// inner calls withdrawn with it, and whoever lets calls wait for each other can tell that these two belong together.
const owners = new WeakMap<AbortSignal, CallContext>();
const parents = new WeakMap<object, CallContext>();

/** The signal is the call's own, so who holds it is the call's handler. */
export function ownSignal(signal: AbortSignal, ctx: CallContext): void {
  owners.set(signal, ctx);
}

/** `signal` stands for another one that was given. */
export function adoptSignal(signal: AbortSignal, given: AbortSignal | undefined): void {
  const owner = given === undefined ? undefined : owners.get(given);
  if (owner !== undefined) owners.set(signal, owner);
}

/** The call was made with this signal. */
export function nest(ctx: CallContext, signal: AbortSignal): void {
  const owner = owners.get(signal);
  if (owner !== undefined) parents.set(ctx, owner.root);
}

/** The call from within whose handler this one was made, as far as that is known. Of a fork, that of its call. */
export function parentOf(ctx: object): CallContext | undefined {
  return parents.get(rootOf(ctx));
}

/** The context of the call itself, of which this may be a fork. */
export function rootOf(ctx: object): object {
  return (ctx as { readonly root?: object }).root ?? ctx;
}

/** The calls from within whose handlers this one was made, the nearest first, as far as they are known. */
export function ancestorsOf(ctx: object): readonly object[] {
  let at = parentOf(ctx);
  if (at === undefined) return none;
  const ancestors: object[] = [];
  for (; at !== undefined; at = parentOf(at)) ancestors.push(at);
  return ancestors;
}

const none: readonly object[] = [];
