/** Something in the sources that stops generation, with the place where it stands. */
export interface Problem {
  /** Relative to the folder the generator runs in, separated by `/`. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number;
  /** What was found, which parameter it belongs to, and what to do. */
  readonly message: string;
}

/** `file:line:column - message`, the form that editors and CI logs make clickable. */
export function formatProblem(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column} - ${problem.message}`;
}

/**
 * The sources hold something that has no JSON Schema, or that contradicts itself. All problems are reported at once.
 * The message lists them, one a line.
 */
export class GenerateError extends Error {
  override readonly name = 'GenerateError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** What the generator was asked to do cannot be done: a missing file, no usable compiler, options that contradict. */
export class GenerateSetupError extends Error {
  override readonly name = 'GenerateSetupError';
}
