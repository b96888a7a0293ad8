import { findBubblewrap } from './bubblewrap.ts';
import { findPortable } from './portable.ts';
import type { SandboxTier } from './types.ts';

/** Which tier is wanted: `auto` is the best that there is, and never none at all by itself. */
export type SandboxChoice = 'auto' | 'bubblewrap' | 'portable' | 'unsandboxed';

export const sandboxChoices: readonly SandboxChoice[] = ['auto', 'bubblewrap', 'portable', 'unsandboxed'];

/** A tier, with where its program or package is. */
export interface Sandbox {
  readonly tier: SandboxTier;
  /** The file of bubblewrap, or the address of the interpreter's module. */
  readonly entry: string;
}

let bubblewrap: { readonly entry: string | undefined } | undefined;
let portable: { readonly entry: string | undefined } | undefined;

/** Looks what this machine offers; what takes trying out is tried once for a process. */
export function chooseSandbox(choice: SandboxChoice): Sandbox {
  if (choice === 'unsandboxed') return { tier: 'unsandboxed', entry: '' };
  if (choice !== 'portable') {
    bubblewrap ??= { entry: findBubblewrap() };
    if (bubblewrap.entry !== undefined) return { tier: 'bubblewrap', entry: bubblewrap.entry };
  }
  if (choice !== 'bubblewrap') {
    portable ??= { entry: findPortable() };
    if (portable.entry !== undefined) return { tier: 'portable', entry: portable.entry };
  }
  return { tier: 'none', entry: '' };
}
