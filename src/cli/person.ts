import type { Approve } from '../policy/approval.ts';
import type { Io } from './io.ts';
import { type Asker, terminalApprover, terminalInput } from './prompt.ts';
import { styleFor } from './terminal/style.ts';

export interface PersonOptions extends Pick<Asker, 'alone' | 'interrupted'> {
  /** Whether standard input is taken up with the calls. */
  readonly callsFromStdin: boolean;
}

/** The person at the terminal, as an approver; `undefined` when there is none who could see the question and answer. */
export function personAt(io: Io, { callsFromStdin, ...asker }: PersonOptions): Approve | undefined {
  const input = terminalInput(io, callsFromStdin);
  if (input === undefined) return undefined;
  return terminalApprover({ ...asker, input, output: io.stderr, style: styleFor(io.stderr, io.env) });
}
