import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { commandLine } from '../../../src/cli/command-line.ts';
import type { Io } from '../../../src/cli/io.ts';
import { folderWith } from '../../cli/run-cli.ts';
import { type Answering, connect, type Driver, type Line, overStreams } from './clients.ts';

/** The program of a server of the tests' own. */
export const script: string = fileURLToPath(new URL('./scripted-server.mjs', import.meta.url));

/** Such a server, which is what this says. */
export function scripted(says: object = {}): { command: string; args: string[] } {
  return { command: process.execPath, args: [script, JSON.stringify(says)] };
}

/** A gateway in this process, and a client that talks to it. */
export interface Served {
  readonly driver: Driver;
  /** What was written to standard error so far. */
  readonly log: () => string;
  /** Closes the client; gives the status with which the command ended. */
  end(): Promise<number>;
}

/** Runs `callgate mcp ARGV`, in this process, and connects a client to it. */
export async function served(
  line: Line,
  argv: readonly string[],
  { cwd, env = {}, answer }: { cwd: string; env?: Io['env']; answer?: Answering },
): Promise<Served> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let log = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const io: Io = { stdin, stdout, stderr, env: { PATH: process.env['PATH'], ...env }, cwd };
  const running = commandLine(['mcp', ...argv], io);
  const early = running.then((status) => {
    throw new Error(`The gateway ended with ${status}: ${log}`);
  });
  early.catch(() => {});
  const driver = await Promise.race([connect(line, overStreams(stdout, stdin), answer), early]);
  return {
    driver,
    log: () => log,
    async end() {
      await driver.close();
      return await running;
    },
  };
}

/** Gives back what it is given, and ends it with the test. */
export function endedWithTest(): (starting: Promise<Served>) => Promise<Served> {
  let open: Served[] = [];
  afterEach(async () => {
    for (const one of open) await one.end();
    open = [];
  });
  return async (starting) => {
    const one = await starting;
    open.push(one);
    return one;
  };
}

/** As {@link served}, of `mcp serve` with this configuration. */
export function servedConfig(
  line: Line,
  config: object,
  options: { cwd?: string; answer?: Answering } = {},
): Promise<Served> {
  const { cwd = folderWith({}), answer } = options;
  const folder = folderWith({ 'callgate.json': JSON.stringify(config) });
  const argv = ['serve', '--config', `${folder}/callgate.json`];
  return served(line, argv, { cwd, ...(answer !== undefined && { answer }) });
}
