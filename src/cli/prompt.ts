import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ReadStream } from 'node:tty';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../policy/approval.ts';
import { questionFor, ruleText } from '../policy/question.ts';
import { findJsonFault } from '../schema/json-faults.ts';
import { type Io, isTerminal } from './io.ts';
import { asciiJson } from './terminal/ascii-json.ts';
import type { Style } from './terminal/style.ts';

/** A terminal on which somebody can be asked. */
export interface Asker {
  readonly input: Readable & { setRawMode?(raw: boolean): unknown };
  readonly output: Writable;
  readonly style: Style;
  /** Does something while all other output keeps away. Questions are asked in it. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Called when the person presses Ctrl-C at a question. */
  readonly interrupted: () => void;
}

/**
 * Where somebody can answer: standard input if it is a terminal and no calls come from it, else the terminal that the
 * process was started from. `undefined` without a terminal that shows the question.
 */
export function terminalInput(io: Io, callsFromStdin: boolean): Asker['input'] | undefined {
  if (!isTerminal(io.stderr, io.env)) return undefined;
  if (io.stdin.isTTY === true) return callsFromStdin ? undefined : io.stdin;
  if (!callsFromStdin) return undefined;
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined;
  }
}

/**
 * Asks on a terminal, one question after the other: yes, no, always, or with other arguments. What is too long to be shown
 * at once cannot be said yes to before it has been shown whole, and what was typed before a question was shown answers
 * nothing. When the input ends there is no answer: `undefined`.
 */
export function terminalApprover(asker: Asker): Approve {
  return (request, { signal }) => asker.alone(async () => (signal.aborted ? undefined : ask(asker, request, signal)));
}

async function ask(asker: Asker, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
  const { output, style } = asker;
  let { text, isCut } = questionFor(request, style);
  if (!(await forgetsTyped(asker)) || signal.aborted) return undefined;
  output.write(`${style.yellow('?')} ${text}`);
  for (;;) {
    const choices = choicesFor(request, isCut);
    const said = (await readLine(asker, `  [${choices}] `, '', signal))?.trim().toLowerCase();
    // No more input, or the call was withdrawn: nobody has said anything.
    if (said === undefined) return undefined;
    if (said === 'n' || said === 'no') return 'deny';
    if (isCut && (said === 's' || said === 'show')) {
      ({ text, isCut } = questionFor(request, style, true));
      if (!(await forgetsTyped(asker))) return undefined;
      output.write(`${style.yellow('?')} ${text}`);
    } else if (isCut) {
      output.write(`  There is more than is shown. Answer ${choices}.\n`);
    } else if (said === 'y' || said === 'yes') {
      return 'allow';
    } else if (said === 'e' || said === 'edit') {
      return await edit(asker, request, signal);
    } else if (request.always !== undefined && (said === 'a' || said === 'always')) {
      const answer = await always(asker, request.always, signal);
      if (answer !== 'back') return answer;
    } else {
      output.write(`  Answer ${choices}.\n`);
    }
  }
}

function choicesFor({ always }: ApprovalRequest, isCut: boolean): string {
  if (isCut) return 's show all of it, n no';
  return `y yes, n no, e edit the arguments${always === undefined ? '' : ', a always'}`;
}

const scopeKeys = { run: 'r for this run', project: 'p for this project' } as const;

/** Shows the rule whole and asks for how long. */
async function always(
  asker: Asker,
  { rule, scopes }: NonNullable<ApprovalRequest['always']>,
  signal: AbortSignal,
): Promise<ApprovalAnswer | 'back' | undefined> {
  if (!(await forgetsTyped(asker))) return undefined;
  asker.output.write(ruleText(rule, asker.style));
  const choices = [...scopes.map((scope) => scopeKeys[scope]), 'b back'].join(', ');
  for (;;) {
    const said = (await readLine(asker, `  [${choices}] `, '', signal))?.trim().toLowerCase();
    if (said === undefined) return undefined;
    if (said === 'b' || said === 'back') return 'back';
    const scope = scopes.find((each) => said === each || said === each[0]);
    if (scope !== undefined) return { decision: 'allow', always: { scope } };
    asker.output.write(`  Answer ${choices}.\n`);
  }
}

async function edit(asker: Asker, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
  let text = JSON.stringify(request.arguments);
  for (;;) {
    const written = await readLine(asker, '  arguments: ', text, signal);
    if (written === undefined) return undefined;
    if (written.trim() === '') return 'deny';
    try {
      return { decision: 'allow', arguments: JSON.parse(written) };
    } catch {
      const fault = findJsonFault(written, 1_000);
      const place = fault === undefined ? '' : ` at character ${fault.index + 1}`;
      asker.output.write(`  That is not JSON${place}; correct it, or leave it empty to decline.\n`);
      text = written;
    }
  }
}

/** How long a terminal has to hand over what was typed before, in milliseconds. */
const handingOver = 20;

/** Drops what waits in the terminal already. Whether a question can follow: not when Ctrl-C was among it. */
async function forgetsTyped({ input, output, interrupted }: Asker): Promise<boolean> {
  // Nothing but a terminal is typed at.
  if (input.setRawMode === undefined || input.readableEnded || input.destroyed) return true;
  let isInterrupted = false;
  const onData = (data: Buffer | string): void => {
    isInterrupted ||= data.includes('\u0003');
  };
  // Raw, as a terminal keeps a line that has not been ended to itself.
  input.setRawMode(true);
  input.on('data', onData).resume();
  await wait(handingOver);
  input.off('data', onData);
  input.pause();
  input.setRawMode(false);
  if (!isInterrupted) return true;
  output.write('\n');
  interrupted();
  return false;
}

/** One line from the terminal; `undefined` when the input ends or the call does. */
function readLine(
  { input, output, interrupted }: Asker,
  question: string,
  proposed: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  // On an input that has ended already, readline would wait for ever.
  if (input.readableEnded || input.destroyed) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    // Control characters in what is proposed are escaped by JSON; everything else is escaped here.
    const lines = createInterface({ input, output, terminal: true, historySize: 0 });
    const end = (line: string | undefined): void => {
      signal.removeEventListener('abort', onAbort);
      lines.off('close', onClose);
      lines.close();
      resolve(line);
    };
    const onAbort = (): void => {
      output.write('\n');
      end(undefined);
    };
    const onClose = (): void => end(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    lines.on('close', onClose);
    lines.on('SIGINT', () => {
      output.write('\n');
      end(undefined);
      interrupted();
    });
    lines.question(question, end);
    if (proposed !== '') lines.write(asciiJson(proposed));
  });
}
