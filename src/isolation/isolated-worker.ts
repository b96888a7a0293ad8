import type { Clock } from '../clock.ts';
import { readFromWorker } from './protocol.ts';
import { type IsolatedCall, type Outcome, Session } from './session.ts';
import type { Gone, StartTransport, Transport } from './transport.ts';

/** Messages that belong to no call; a worker that sends more has run wild. */
const mostStrays = 100;

/** A thread or process, as the router sees it: it serves one call at a time, all of one module. */
export class IsolatedWorker {
  readonly module: string;
  readonly #transport: Transport;
  readonly #timing: { readonly clock: Clock; readonly grace: number };
  readonly #ended: () => void;
  readonly #loaded = new Set<string>();
  #session: Session | undefined;
  #calls = 0;
  #strays = 0;
  #stopped: Gone | undefined;
  #gone: Gone | undefined;

  /** @param ended called once, when the thread or process is there no more and its call has its outcome */
  constructor(
    module: string,
    start: StartTransport,
    timing: { readonly clock: Clock; readonly grace: number },
    ended: () => void,
  ) {
    this.module = module;
    this.#timing = timing;
    this.#ended = ended;
    this.#transport = start({
      message: (bytes) => this.#message(bytes),
      broken: (how) => this.kill({ reason: 'rules', how }),
      gone: (gone) => this.#end(gone),
    });
    this.#transport.release();
  }

  /** Whether it can serve a further call. */
  get usable(): boolean {
    return this.#stopped === undefined && this.#gone === undefined;
  }

  run(call: IsolatedCall): Promise<Outcome> {
    this.#transport.hold();
    return new Promise<Outcome>((resolve) => {
      const settle = (outcome: Outcome): void => {
        this.#transport.release();
        if (outcome.kind === 'unloadable') this.kill({ reason: 'stopped', how: 'its module cannot be loaded' });
        resolve(outcome);
      };
      const session = new Session(
        ++this.#calls,
        call,
        {
          send: (message, flushed) => this.#transport.send(message, flushed),
          kill: (gone) => this.kill(gone),
        },
        this.#timing,
        settle,
      );
      this.#session = session;
      if (this.#gone !== undefined) session.gone(this.#gone);
      else session.start(this.#loaded.has(call.handler.name));
    });
  }

  kill(gone: Gone = { reason: 'stopped', how: 'it was ended' }): void {
    if (!this.usable) return;
    this.#stopped = gone;
    // Somebody may wait for its place, and for nothing else.
    this.#transport.hold();
    this.#transport.kill();
  }

  #message(bytes: Uint8Array): void {
    // Whatever still comes from one that is being ended counts no more.
    if (!this.usable) return;
    const read = readFromWorker(bytes);
    if (read === undefined) {
      this.kill({ reason: 'rules', how: 'it sent what is no message' });
      return;
    }
    const { message, values } = read;
    const session = this.#session;
    if (session?.hear(message, values)) {
      if (message.type === 'loaded') this.#loaded.add(session.handler);
      return;
    }
    // More than its answer, or too late: nobody hears it.
    if (++this.#strays > mostStrays) this.kill({ reason: 'rules', how: 'it sent messages without a call' });
  }

  #end(gone: Gone): void {
    this.#gone = this.#stopped ?? gone;
    this.#session?.gone(this.#stopped === undefined ? gone : { ...gone, ...this.#stopped });
    this.#ended();
  }
}
