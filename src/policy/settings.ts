import { checkMilliseconds } from '../basics/milliseconds.ts';
import { checkKinds, checkOptions } from '../basics/options.ts';
import { type Clock, checkClock, systemClock } from '../clock.ts';
import type { Approve } from './approval.ts';
import { askingOnDemand, type Enacting } from './enact.ts';
import { type Identities, identityPolicy } from './identities.ts';
import { createModes, type ModeTable } from './modes.ts';
import { isPolicy, type Policy } from './policy.ts';
import type { Rule } from './rule.ts';
import { type RuleMemory, ruleMemory } from './rule-memory.ts';
import { isRuleList, rules } from './rules.ts';
import type { ApprovalStore } from './store.ts';
import { modeFault } from './unknown-modes.ts';

/** The options of `permission`. */
export interface PermissionOptions {
  /** Rules; all that match count, and the strictest wins. Default: none. */
  readonly rules?: readonly Rule[];
  /** Further policies, which count together with the rules. Default: none. */
  readonly policies?: readonly Policy[];
  /** Modes of your own beside `plan`, `ask`, `auto` and `trusted`: a decision for each level. Default: none. */
  readonly modes?: { readonly [mode: string]: ModeTable };
  /** Asks somebody. Default: nobody is there, and what needs asking fails with `approval_required`. */
  readonly approve?: Approve;
  /** Keeps what nobody is there to decide, so that `resume` can carry out a decision that comes later. Default: none. */
  readonly approvals?: ApprovalStore;
  /** Keeps the rules of approvers who say "always". Default: in memory, for the run. */
  readonly remember?: RuleMemory;
  /** Asks about tools from elsewhere that are new, or that have changed since they were approved. Default: none is. */
  readonly identities?: Identities;
  /** How long to wait for an answer, in milliseconds. Default `Infinity`: until the call is withdrawn. */
  readonly approveTimeout?: number;
  /** How long policies may take together, and a tool's preview, in milliseconds. Default 10,000. */
  readonly decideTimeout?: number;
  /** Where these times are taken from. Default: the machine's own. */
  readonly clock?: Clock;
}

/** What permission decides by, checked and with no default left open. */
export interface PermissionSettings extends Enacting {
  readonly policies: readonly Policy[];
  /** The policies that keep nothing when they decide. */
  readonly lasting: readonly Policy[];
  /** In milliseconds. */
  readonly decideTimeout: number;
  readonly clock: Clock;
}

/** The names of {@link PermissionOptions}. */
export const permissionOptions: readonly (keyof PermissionOptions)[] = [
  'rules',
  'policies',
  'modes',
  'approve',
  'approvals',
  'remember',
  'identities',
  'approveTimeout',
  'decideTimeout',
  'clock',
];

/** Those that close something, and by which nothing would be closed if they were undefined. */
export const closingPermissionOptions: readonly (keyof PermissionOptions)[] = ['rules', 'policies', 'identities'];

/** Throws a TypeError for options that do not exist or cannot be meant. */
export function permissionSettings(options: PermissionOptions): PermissionSettings {
  if (typeof options === 'object' && options !== null && 'mode' in options) {
    throw new TypeError(
      'permission() has no option "mode": the mode belongs to the run. Give it to createRouter({ mode }), or to a call as ' +
        'run: { mode }; modes is for tables of your own.',
    );
  }
  checkOptions('permission', options, permissionOptions, closingPermissionOptions);
  checkKinds('permission', options, { modes: 'object' });
  const { approve, approvals, identities } = options;
  if (approve !== undefined && typeof approve !== 'function') {
    throw new TypeError('permission({ approve }) must be a function that answers a request.');
  }
  if (approvals !== undefined && !has(approvals, 'save', 'load', 'use')) {
    throw new TypeError('permission({ approvals }) must be a store with save, load and use.');
  }
  if (identities !== undefined) checkIdentities(identities);
  const memory = options.remember ?? ruleMemory();
  if (!isMemory(memory)) throw new TypeError('permission({ remember }) must come from ruleMemory().');
  const { approveTimeout, decideTimeout, clock } = timesIn(options);
  const lasting = lastingPolicies(options, memory);
  const policies = identities === undefined ? lasting : [identityPolicy(identities), ...lasting];
  const asking = askingOnDemand({
    approve,
    approveTimeout,
    previewTimeout: decideTimeout,
    clock,
    policies,
    approvals,
    memory,
  });
  const modes = createModes(options.modes);
  checkModes(lasting, modes.names);
  return { policies, lasting, modes, decideTimeout, clock, asking, memory, identities };
}

function timesIn(
  options: PermissionOptions,
): Required<Pick<PermissionOptions, 'approveTimeout' | 'decideTimeout' | 'clock'>> {
  const { approveTimeout = Number.POSITIVE_INFINITY, decideTimeout = 10_000, clock = systemClock } = options;
  const times = {
    approveTimeout: checkMilliseconds(approveTimeout, 'permission({ approveTimeout })'),
    decideTimeout: checkMilliseconds(decideTimeout, 'permission({ decideTimeout })'),
    clock: checkClock(clock, 'permission({ clock })'),
  };
  if (times.decideTimeout === Number.POSITIVE_INFINITY) {
    throw new TypeError('permission({ decideTimeout }) needs a limit: a policy that hangs must be a denial some day.');
  }
  return times;
}

function lastingPolicies({ rules: own, policies = [] }: PermissionOptions, memory: RuleMemory): readonly Policy[] {
  if (!Array.isArray(policies)) throw new TypeError('permission({ policies }) must be a list of policies.');
  for (const [index, policy] of policies.entries()) {
    if (isPolicy(policy)) continue;
    throw new TypeError(`permission(): policies[${index}] is no policy; wrap a function in policy(...).`);
  }
  return [
    ...(own === undefined ? [] : [rules(own)]),
    ...(memory.rules.length === 0 ? [] : [rules(memory.rules, { name: 'rules file' })]),
    ...policies,
  ];
}

/**
 * A rule for a mode that nobody has would never count, and what it forbids would be open. What an approver had kept stays
 * behind when its mode goes, and opens nothing.
 */
function checkModes(policies: readonly Policy[], modes: readonly string[]): void {
  for (const { rule, label, decision } of policies.filter(isRuleList).flatMap((list) => list.rules)) {
    const fault = modeFault(rule, modes);
    if (fault === undefined || (decision === 'allow' && rule.identity !== undefined)) continue;
    throw new TypeError(`In ${label} of permission: ${fault}`);
  }
}

function checkIdentities(identities: Identities): void {
  checkOptions('permission({ identities })', identities, ['store', 'firstUse']);
  const { store, firstUse } = identities;
  if (firstUse !== 'ask' && firstUse !== 'trust') {
    throw new TypeError('permission({ identities }) must say what a first use means: firstUse: ask or trust.');
  }
  if (typeof store?.get === 'function' && typeof store.set === 'function') return;
  throw new TypeError('permission({ identities: { store } }) must be a store with get and set.');
}

function isMemory(memory: RuleMemory): boolean {
  return Array.isArray(memory.scopes) && Array.isArray(memory.rules) && has(memory, 'allows', 'keep');
}

function has(value: object, ...methods: readonly string[]): boolean {
  return methods.every((method) => typeof Reflect.get(value, method) === 'function');
}
