export { canonicalJson } from '../basics/canonical-json.ts';
export type { AlwaysScope } from './always.ts';
export type { Answer, ApprovalAnswer, ApprovalRequest, Approve, PendingApproval } from './approval.ts';
export type { ArgumentMatchers } from './arguments.ts';
export { type Binding, callDigest, toolDigest } from './digest.ts';
export type { EffectCondition, EffectMatcher } from './effects.ts';
export type { ExampleCall } from './examples.ts';
export { type ExplainOptions, type Explanation, explain } from './explain.ts';
export { type PolicyFile, parsePolicy, readPolicyFile } from './file.ts';
export { fileStore } from './file-store.ts';
export { fileIdentities, type Identities, type IdentityStore, memoryIdentities } from './identities.ts';
export { type LintFinding, type LintOptions, lint } from './lint.ts';
export type { ValueMatcher } from './matchers.ts';
export { builtInModes, createModes, type Modes, type ModeTable } from './modes.ts';
export { type OfferedOptions, offered } from './offered.ts';
export {
  allow,
  ask,
  deny,
  type Foresight,
  type Policy,
  type PolicyOptions,
  type PolicyRequest,
  policy,
} from './policy.ts';
export { type Resumable, type ResumeOptions, resume } from './resume.ts';
export type { CompiledRule, Rule } from './rule.ts';
export { type RuleMemory, ruleMemory } from './rule-memory.ts';
export { type RuleList, type RulesOptions, rules } from './rules.ts';
export { type Difference, type ShadowOptions, shadow } from './shadow.ts';
export { type DecisionOptions, type SignedDecision, signDecision } from './signed.ts';
export { type ApprovalStore, memoryStore } from './store.ts';
export type { Decision, Ruling, Verdict } from './verdict.ts';
