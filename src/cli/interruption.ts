import { ToolError } from '../errors.ts';
import { exitStatus } from './errors.ts';

/** Turns the first interruption (Ctrl-C, a request to terminate, a terminal that went away) into an abort; the second ends the process. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The exit status it asks for; undefined while nobody interrupted. */
  readonly status: number | undefined;
  /** As Ctrl-C, where the terminal gives it to somebody else. */
  interrupt(): void;
  /** Aborts because the process cannot be relied on any more. */
  crash(): void;
  /** Aborts because nobody reads the results any more. */
  leave(): void;
  stop(): void;
}

export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  let status: number | undefined;
  const end = (asked: number) => (): void => {
    if (status !== undefined) process.exit(asked);
    status = asked;
    controller.abort(new ToolError('The run was interrupted.', { code: 'aborted' }));
  };
  const onInterrupt = end(exitStatus.interrupted);
  const onTerminate = end(exitStatus.terminated);
  const onHangUp = end(exitStatus.hungUp);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onHangUp);
  return {
    signal: controller.signal,
    get status() {
      return status;
    },
    interrupt: onInterrupt,
    crash() {
      status ??= exitStatus.failed;
      controller.abort(new ToolError('A tool brought the run down.', { code: 'aborted' }));
    },
    leave: () => controller.abort(new ToolError('Nobody reads the results any more.', { code: 'aborted' })),
    stop() {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
      process.off('SIGHUP', onHangUp);
    },
  };
}
