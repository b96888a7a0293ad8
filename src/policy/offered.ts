import { checkOptions } from '../basics/options.ts';
import type { Tool } from '../tool.ts';
import { createModes, type Modes } from './modes.ts';
import type { Foresight, Policy } from './policy.ts';

export interface OfferedOptions {
  /** Default: none. */
  readonly policies?: readonly Policy[];
  /** Default: the built-in modes. */
  readonly modes?: Modes;
}

let builtIn: Modes | undefined;

/**
 * Whether a tool is worth offering to the model in this mode: `false` when every call of it would be denied, whatever
 * its arguments. Where that depends on the call, it is offered.
 *
 * @example
 * const tools = registry.list().filter((tool) => offered(tool, 'plan', { policies: [house] }));
 */
export function offered(tool: Tool, mode: string, options: OfferedOptions = {}): boolean {
  checkOptions('offered', options, ['policies', 'modes']);
  const outlooks = (options.policies ?? []).map((policy) => outlookOf(policy, tool, mode));
  if (outlooks.includes('deny')) return false;
  builtIn ??= createModes();
  const preset = (options.modes ?? builtIn).defaultFor(mode, tool.permission);
  if (preset === undefined) return false;
  return preset !== 'deny' || outlooks.includes('depends');
}

function outlookOf(policy: Policy, tool: Tool, mode: string): Foresight {
  if (policy.foresee === undefined) return 'depends';
  try {
    const outlook: unknown = policy.foresee(tool, mode);
    return outlook === 'silent' || outlook === 'depends' ? outlook : 'deny';
  } catch {
    return 'deny';
  }
}
