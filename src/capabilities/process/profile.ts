/**
 * What a program may be given for its run to count as reading only: a list of what is known to be harmless. An option
 * that is not listed, an abbreviation of one included, makes the command one to ask about.
 */
export interface Profile {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /** Letters of short options with a value. */
  readonly valued?: string;
  /** Long options, exact; with `=` at the end those that take a value. */
  readonly long?: string;
  /** What the operands are; with `pattern` the first is one, with `anything` there are no options. Default `paths`. */
  readonly operands?: 'paths' | 'text' | 'pattern' | 'anything';
  /** The most operands; a further one would be written to. Default: any number. */
  readonly most?: number;
  /** Accepts `-20` as a number of lines. Default false. */
  readonly numbers?: boolean;
  /** Options with which it also reads what lies below its operands; `always` without any. Default: none. */
  readonly walks?: string;
  /** Without operands it reads the current folder, and not its standard input. Default false. */
  readonly here?: boolean;
}
