import type { Revival } from './revival.ts';
import type { Schema } from './schema.ts';

/** Everything the generated file says about one function. */
export interface ToolModel {
  /** The tool's name. */
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  readonly revivals: ReadonlyMap<string, Revival>;
  readonly permission?: string;
  /** In milliseconds. */
  readonly timeout?: number;
  readonly tags?: readonly string[];
  readonly annotations?: Readonly<Record<string, boolean | string>>;
  readonly paths?: Readonly<Record<string, string>>;
  readonly urls?: readonly string[];
  readonly commands?: readonly string[];
  readonly call: CallModel;
}

/** How the wrapper calls the function. */
interface CallModel {
  /** Absolute. */
  readonly file: string;
  /** The name it is exported by; `default` for the default export. */
  readonly exported: string;
  /** What the generated file calls it, unless that name is taken. */
  readonly preferred: string;
  /** `Parameters<typeof f>` says nothing useful of a function with overloads. */
  readonly overloaded: boolean;
  readonly arguments: readonly Argument[];
}

/** One positional argument. */
export type Argument =
  | { readonly kind: 'property' | 'rest'; readonly name: string; readonly revival?: Revival; readonly exact: boolean }
  | { readonly kind: 'bag'; readonly fields: readonly Field[] }
  | { readonly kind: 'context'; readonly exact: boolean }
  | { readonly kind: 'signal' };

/** A field of a destructured parameter, which the model sees beside the other parameters. */
export type Field =
  | {
      readonly kind: 'property';
      readonly name: string;
      readonly present: boolean;
      readonly revival?: Revival;
      readonly exact: boolean;
    }
  | { readonly kind: 'signal'; readonly name: string };
