import { forTerminal } from '../../output/control-characters.ts';
import type { ToolResult } from '../../result.ts';
import type { ToolCall } from '../../types.ts';
import { type CallingOptions, inSession } from '../calling.ts';
import { type Command, command } from '../command.ts';
import { exitStatus, UsageError } from '../errors.ts';
import { type Io, isTerminal, print, widthOf } from '../io.ts';
import { resultLine } from '../result-line.ts';
import { helpOption, sessionOptions } from '../session-options.ts';
import { callBlock } from '../terminal/call-block.ts';
import { styleFor } from '../terminal/style.ts';
import { finishingStages, newTrace, traceCalls } from '../trace.ts';
import { Turns } from '../turns.ts';
import type { Parsed } from '../usage.ts';

const help = {
  usage: 'callgate call NAME [ARGUMENTS] [options]',
  about: `Makes one call. ARGUMENTS is JSON text, such as '{"a": 2, "b": 3}', or - to read it from standard input.
Prints the result as JSON; on a terminal it shows the call's way through the stages, and the data.`,
  options: {
    ...sessionOptions,
    id: { type: 'string', value: 'ID', help: 'the id of the call; default: call_1' },
    json: { type: 'boolean', help: 'JSON also on a terminal' },
    ...helpOption,
  },
  more: 'Exit status: 0 when the call was answered with ok, 1 with a failure, 2 when it could not be made.',
} as const;

type Arguments = Parsed<(typeof help)['options']>;

/** `callgate call`. */
export const callCommand: Command = command(help, makeCall);

async function makeCall({ values, positionals }: Arguments, io: Io): Promise<number> {
  const [name, given, ...others] = positionals;
  if (name === undefined) throw new UsageError('Name the tool to call.', help.usage);
  if (others.length > 0) {
    throw new UsageError('The arguments are one piece of JSON text: put it in quotes.', help.usage);
  }
  const args = given === '-' ? await textOf(io.stdin) : given;
  const call: ToolCall = {
    name,
    ...(values.id !== undefined && { id: values.id }),
    ...(args !== undefined && { arguments: args }),
  };
  const turns = new Turns();
  const asking: CallingOptions = { callsFromStdin: given === '-', alone: (work) => turns.take(work) };
  return inSession(values, io, asking, async ({ router }, interruption) => {
    const view = isTerminal(io.stdout, io.env) && values.json !== true;
    const trace = newTrace();
    const begun = performance.now();
    let reports = 0;
    const onProgress = (): void => void reports++;
    const work = (): Promise<ToolResult> => router.call(call, { signal: interruption.signal, onProgress });
    const result = await (view ? traceCalls(router).follow(trace, work) : work());
    const answered = { ordinal: 1, call, result, trace, reports, milliseconds: performance.now() - begun };
    const hidden = finishingStages(router);
    const width = widthOf(io.stdout);
    const style = styleFor(io.stdout, io.env);
    await print(
      io.stdout,
      view
        ? callBlock(answered, { width, style, hidden, withoutData: true }) + dataText(result)
        : resultLine(result, io.stdout.isTTY === true),
    );
    return result.ok ? exitStatus.done : exitStatus.failed;
  });
}

function dataText(result: ToolResult): string {
  if (!result.ok) return '';
  const text = typeof result.data === 'string' ? result.data : (JSON.stringify(result.data, null, 2) ?? '');
  return text === '' ? '' : `${forTerminal(text).replace(/\n$/, '')}\n`;
}

async function textOf(stream: Io['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString('utf8');
}
