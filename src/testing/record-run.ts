import { checkOptions } from '../basics/options.ts';
import { ignore } from '../basics/thenable.ts';
import { cleanerOf } from '../chain/stage-properties.ts';
import { type Clock, checkClock, systemClock } from '../clock.ts';
import type { Router } from '../router.ts';
import type { RecordedLine } from './recording.ts';

/** Where the lines of a recording go: a function that gets each line, or something that is written to, such as a file stream. */
export type RecordSink = ((line: string) => unknown) | { write(line: string): unknown };

export interface RecordOptions {
  /** Where the times come from. Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * Records the calls of a router, from now until the function that it gives is called: a JSON line for every call, decision,
 * retry and result. All of it is cleaned as the pipeline cleans results, so that secrets which a result may not show are
 * not recorded either. The sink is not waited for; what it throws is dropped, but for the first line, which is written at once.
 *
 * @example
 * const stop = recordRun(router, createWriteStream('run.jsonl'));
 * await agent.run(router);
 * stop();
 */
export function recordRun<State>(router: Router<State>, sink: RecordSink, options: RecordOptions = {}): () => void {
  checkOptions('recordRun', options, ['clock']);
  const clock = checkClock(options.clock ?? systemClock, 'recordRun({ clock })');
  const write = typeof sink === 'function' ? sink : (line: string) => sink.write(line);
  const clean = cleanerOf(router.pipeline) ?? ((data: unknown) => data);
  const begun = clock.now();
  /** The arguments of the calls under way, as they were recorded. */
  const sent = new Map<number, string>();

  const at = (): number => Math.round(1_000 * (clock.now() - begun)) / 1_000;
  const put = (line: RecordedLine): void => ignore(write(`${JSON.stringify(line)}\n`));
  const cleaned = (args: unknown): { readonly arguments?: unknown } =>
    args === undefined ? {} : { arguments: clean(args) };

  put({ type: 'run', version: 1, startedAt: new Date().toISOString() });
  const offs = [
    router.on('start', ({ call: { serial, id, name, arguments: args }, run }) => {
      const line = { type: 'call', serial, at: at(), id, name, ...cleaned(args), run } as const;
      sent.set(serial, JSON.stringify(line.arguments) ?? '');
      put(line);
    }),
    router.on('decision', ({ call: { serial }, cause, ...decision }) => {
      if (!sent.has(serial)) return;
      const reason = decision.reason === undefined ? undefined : String(clean(decision.reason));
      put({ type: 'decision', serial, at: at(), ...decision, reason });
    }),
    router.on('retry', ({ call: { serial }, ...retry }) => {
      if (sent.has(serial)) put({ type: 'retry', serial, at: at(), ...retry, reason: String(clean(retry.reason)) });
    }),
    router.on('end', ({ call: { serial, arguments: args }, result, durationMs }) => {
      // Of a call that was under way when the recording began there is only an end, which says nothing.
      const before = sent.get(serial);
      if (before === undefined) return;
      sent.delete(serial);
      const { arguments: ran } = cleaned(args);
      const isChanged = (JSON.stringify(ran) ?? '') !== before;
      put({ type: 'result', serial, at: at(), result, durationMs, ...(isChanged && { ran }) });
    }),
  ];
  return () => {
    for (const off of offs) off();
  };
}
