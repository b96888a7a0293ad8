import { type CallingOptions, inSession } from '../calling.ts';
import { type Command, command } from '../command.ts';
import { exitStatus, UsageError } from '../errors.ts';
import { openCalls } from '../input/open.ts';
import type { Interruption } from '../interruption.ts';
import { type Io, isTerminal } from '../io.ts';
import { createReporter, type Reporter } from '../run/reporter.ts';
import { type Route, route } from '../run/route.ts';
import { countOf, helpOption, sessionOptions } from '../session-options.ts';
import { finishingStages, traceCalls } from '../trace.ts';
import type { Parsed } from '../usage.ts';

const help = {
  usage: 'callgate run CALLS [options]',
  about: `Routes tool calls, one JSON object a line ({"id", "name", "arguments"}), from the file CALLS, or from standard
input for "-". Prints one JSON result a line, in the order of the calls; on a terminal it shows each call's way
through the stages instead.`,
  options: {
    ...sessionOptions,
    concurrency: { type: 'string', short: 'j', value: 'N', help: 'how many calls run at the same time; default 1' },
    json: { type: 'boolean', help: 'JSON lines also on a terminal' },
    quiet: { type: 'boolean', short: 'q', help: 'no progress and no summary' },
    ...helpOption,
  },
  more: `Exit status: 0 when every call got a result, failures included; 2 when the command line, the configuration or a
line of the input cannot be used (the calls before that line are answered); 130 when interrupted: the calls under way
are aborted and answered.`,
} as const;

type Arguments = Parsed<(typeof help)['options']>;

/** `callgate run`. */
export const runCommand: Command = command(help, runCalls);

async function runCalls({ values, positionals }: Arguments, io: Io): Promise<number> {
  const [file, ...others] = positionals;
  if (file === undefined) throw new UsageError('Name the file of calls, or - for standard input.', help.usage);
  if (others.length > 0) throw new UsageError(`One file of calls at a time; there is also ${others[0]}.`, help.usage);
  const concurrency = values.concurrency === undefined ? undefined : countOf('concurrency', values.concurrency);

  const calls = await openCalls(file, io);
  let reporter: Reporter | undefined;
  const asking: CallingOptions = {
    callsFromStdin: file === '-',
    alone: (work) => (reporter === undefined ? work() : reporter.alone(work)),
  };
  return inSession(values, io, asking, async (session, interruption) => {
    const { router } = session;
    const view = isTerminal(io.stdout, io.env) && values.json !== true;
    const running = route(router, calls, {
      concurrency: concurrency ?? session.config.concurrency ?? 1,
      signal: interruption.signal,
      tracer: view ? traceCalls(router) : undefined,
    });
    reporter = createReporter({
      io,
      view,
      quiet: values.quiet === true,
      hidden: finishingStages(router),
      underway: running.underway,
    });
    await report(running, reporter, interruption);
    return exitStatus.done;
  });
}

async function report(running: Route, reporter: Reporter, interruption: Interruption): Promise<void> {
  const begun = performance.now();
  let unusable: unknown;
  try {
    for await (const answered of running.answered) await reporter.answered(answered);
  } catch (error) {
    // Whatever is still under way is of no use to anybody.
    interruption.leave();
    unusable = error;
  }
  await reporter.end(performance.now() - begun);
  if (unusable !== undefined) throw unusable;
}
