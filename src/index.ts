export type { StreamEvent } from './batch.ts';
export type { CloseOptions } from './call/shutdown.ts';
export type {
  FsLevel,
  GuardedPath,
  ListOptions,
  PathIntent,
  ReadTextOptions,
  ScopedEntry,
  ScopedFile,
  ScopedFs,
  ScopedStat,
  WriteTextOptions,
} from './capabilities/fs/types.ts';
export type { FetchInit, FetchResponse, LentProxy, ProxyOptions, ScopedFetch } from './capabilities/net/types.ts';
export type {
  CommandLanguage,
  ExecOptions,
  ExecResult,
  SandboxTier,
  ScopedExec,
} from './capabilities/process/types.ts';
export type { Entry } from './chain/chain.ts';
export type { StageOutcome } from './chain/compose.ts';
export { type Config, defineConfig, type RecordedAnswer, type StandardPipeline } from './cli/define-config.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  type Content,
  type ContentBlock,
  type ContentInput,
  content,
  isContent,
  type MediaBlock,
  type ResourceBlock,
  type ResourceLinkBlock,
  type TextBlock,
} from './content.ts';
export { type DefaultPipelineOptions, type DefaultPlaces, defaultPipeline } from './default-pipeline.ts';
export {
  type ArgumentsFor,
  type ArgumentsOf,
  type DataOf,
  type DefinedTool,
  defineTool,
  type ToolDefinition,
} from './define-tool.ts';
export {
  type CallEffect,
  type ErrorCode,
  errorCodes,
  type FailureOptions,
  ToolError,
  type ToolErrorOptions,
} from './errors.ts';
export { type HandlerModule, type ModuleHandler, moduleHandler } from './isolation/module-handler.ts';
export { toModelText } from './model-text.ts';
export type { TracedCall, TracedStage } from './observing/diagnostics.ts';
export type { HeardCall, Listener, ObservedCall, RouterEvent, RouterEvents } from './observing/observers.ts';
export type { StageEvent, StageEvents, Tell } from './observing/stage-events.ts';
export type { OfferOptions } from './offers.ts';
export { type Pipeline, type Place, pipeline, type RouterPipeline, type StageDescription } from './pipeline.ts';
export {
  type AddOptions,
  createRegistry,
  type Finding,
  type Registry,
  type ToolFilter,
  type ToolNote,
  type VerifyOptions,
} from './registry.ts';
export { type Failure, isToolResult, type Meta, type Success, type ToolResult } from './result.ts';
export { createRouter, type Router } from './router.ts';
export type { BatchOptions, CallOptions, CommonOptions, RouterOptions } from './router-options.ts';
export type { Infer } from './schema/infer.ts';
export type { JsonSchema, JsonSchemaObject, JsonSchemaType } from './schema/json-schema.ts';
export type { StandardIssue, StandardResult, StandardSchema } from './schema/standard-schema.ts';
export type {
  Isolation,
  Lock,
  PermissionLevel,
  StandardSchemaLike,
  Tool,
  ToolAnnotations,
  ToolContext,
} from './tool.ts';
export {
  type AnyStage,
  type Capability,
  type FinishFunction,
  finish,
  type Guard,
  guard,
  repeatable,
  type StepFunction,
  step,
  type Traits,
  traitsOf,
  withTraits,
} from './traits.ts';
export type { Call, Effect, Found, Maybe, Next, Ready, Run, Stage, ToolCall } from './types.ts';
