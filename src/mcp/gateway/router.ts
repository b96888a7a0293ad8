import type { Writable } from 'node:stream';
import { audit } from '../../../middleware/audit.ts';
import { budget } from '../../../middleware/budget.ts';
import { loopGuard } from '../../../middleware/loop-guard.ts';
import { type DefaultPipelineOptions, defaultPipeline } from '../../default-pipeline.ts';
import type { RouterPipeline } from '../../pipeline.ts';
import type { Approve } from '../../policy/approval.ts';
import { fileIdentities, memoryIdentities } from '../../policy/identities.ts';
import { ruleMemory } from '../../policy/rule-memory.ts';
import type { Registry } from '../../registry.ts';
import type { ToolResult } from '../../result.ts';
import { createRouter, type Router } from '../../router.ts';
import type { Maybe } from '../../types.ts';
import { ConfigError, type GatewayConfig } from './config.ts';
import { resilienceStages } from './stages.ts';
import { strayPaths } from './stray-paths.ts';

/** What a gateway's router is made of beside its configuration. */
export interface GatewayParts {
  readonly registry: Registry;
  /** Asks somebody. Default: nobody is there. */
  readonly approve?: Approve;
  /** Where audit lines go. Default: nowhere. */
  readonly auditFile?: Writable;
  /** Whether tools are guarded by guesses, so that what these did not see has to be looked at. Default false. */
  readonly acceptGuesses?: boolean;
}

/** The router of a gateway. Throws a {@link ConfigError} for what cannot be put together. */
export function gatewayRouter(config: GatewayConfig, parts: GatewayParts): Router {
  try {
    return createRouter({ registry: parts.registry, mode: config.mode, pipeline: pipelineOf(config, parts) });
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
}

function pipelineOf(
  config: GatewayConfig,
  { approve, auditFile, acceptGuesses }: GatewayParts,
): RouterPipeline<unknown> {
  const { roots, stages, secrets } = config;
  // Every tool waits for its server, and that wait has its limit where the request is made.
  let pipeline = (defaultPipeline(optionsOf(config, approve)) as EditablePipeline).replace('timeout', requestTimeout);
  if (acceptGuesses) pipeline = pipeline.before('permission', 'strayPaths', strayPaths({ roots }));
  if (stages.loopGuard !== undefined)
    pipeline = pipeline.before('permission', 'loopGuard', loopGuard(stages.loopGuard));
  if (stages.budget !== undefined) pipeline = pipeline.after('permission', 'budget', budget(stages.budget));
  for (const [name, stage] of resilienceStages(stages)) pipeline = pipeline.before('timeout', name, stage);
  if (stages.audit === undefined || auditFile === undefined) return pipeline;
  const { file: _file, ...options } = stages.audit;
  return pipeline.before('normalize', 'audit', audit(auditFile, { ...options, secrets }));
}

/** Stands where the deadline would. */
function requestTimeout(_ctx: unknown, next: () => Maybe<ToolResult>): Maybe<ToolResult> {
  return next();
}

/** Names are checked when it is edited, whatever the types know of them. */
type EditablePipeline = RouterPipeline<unknown> & {
  before(anchor: string, name: string, stage: unknown): EditablePipeline;
  after(anchor: string, name: string, stage: unknown): EditablePipeline;
  replace(name: string, stage: unknown): EditablePipeline;
};

function optionsOf(config: GatewayConfig, approve: Approve | undefined): DefaultPipelineOptions {
  const { roots, policy, policyFile, urls, secrets, identities, stages } = config;
  const { maxArgumentBytes, ...sizes } = config.limits;
  const store = identities === undefined ? memoryIdentities() : fileIdentities(identities);
  return {
    ...(roots.length > 0 && { roots }),
    ...(policy?.modes !== undefined && { modes: policy.modes }),
    // A file's rules count as what is remembered, since that is where more of them are kept.
    ...(policyFile === undefined ? { rules: policy?.rules ?? [] } : { remember: ruleMemory(policyFile) }),
    ...(urls !== undefined && { urls }),
    ...(maxArgumentBytes !== undefined && { validate: { limits: { maxBytes: maxArgumentBytes } } }),
    ...(approve !== undefined && config.approvals !== 'deny' && { approve }),
    ...(stages.concurrency !== undefined && { limits: stages.concurrency }),
    // What a tool said of itself when it came is what counts; a change is asked about, whatever the mode.
    identities: { store, firstUse: 'trust' },
    secrets,
    normalize: sizes,
  };
}
