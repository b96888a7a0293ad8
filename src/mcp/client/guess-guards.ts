import type { Tool } from '../../tool.ts';
import type { GuardDeclarations } from './types.ts';

/** One argument that looks like a path, a URL or a command. A guess: for a person to confirm. */
export interface GuardGuess {
  /** The tool's name, with namespace. */
  readonly tool: string;
  /** A property name or JSON pointer, as in a tool's declarations. */
  readonly argument: string;
  readonly kind: 'path' | 'url' | 'command';
  /** Of a path. */
  readonly intent?: 'read' | 'write';
  readonly confidence: 'high' | 'low';
  /** What it was taken from. */
  readonly reason: string;
}

/** Guesses, and what they would be in a configuration. */
export interface GuardGuesses {
  readonly guesses: readonly GuardGuess[];
  readonly guards: GuardDeclarations;
}

/** Under construction. */
export function guessGuards(
  _tools: Iterable<Pick<Tool, 'name' | 'description' | 'parameters' | 'annotations'>>,
): GuardGuesses {
  return { guesses: [], guards: {} };
}
