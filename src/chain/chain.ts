import type { CallContext } from '../call/context.ts';
import type { ToolResult } from '../result.ts';
import type { AnyStage } from '../traits.ts';
import type { Maybe } from '../types.ts';

/** A stage under the name it has in its pipeline. */
export interface Entry {
  readonly name: string;
  readonly stage: AnyStage;
}

/** A composed list of stages, or the rest of one. */
export type Chain = (ctx: CallContext) => Maybe<ToolResult>;
