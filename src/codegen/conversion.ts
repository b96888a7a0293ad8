import type { Node, Program, Type } from './backend.ts';
import type { Place, Reporter } from './reporter.ts';
import type { Revival } from './revival.ts';
import type { Converted } from './schema.ts';

/** What the converters of the several kinds of types share. */
export interface Conversion {
  readonly program: Program;
  readonly reporter: Reporter;
  /** Unions in which something other than null stands beside what may hold a Date. */
  readonly mixed: { readonly revivals: readonly Revival[]; readonly place: Place }[];
  convert(type: Type, node: Node | undefined, place: Place): Converted;
  /** Reports, and gives something to go on with. */
  fail(place: Place, message: string): Converted;
}

/** Made anew each time, because documentation is added to it. */
export const nothing = (): Converted => ({ schema: {}, exact: false });
