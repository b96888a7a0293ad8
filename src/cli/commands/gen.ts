import { type Io, print } from '../io.ts';

/** `callgate gen`: the schema generator has its own command line; this lends it the terminal. */
export async function genCommand(argv: readonly string[], io: Io): Promise<number> {
  const { genCommand } = await import('../../codegen/command.ts');
  const ended = new AbortController();
  const end = (): void => ended.abort();
  process.once('SIGINT', end);
  try {
    const status = await genCommand([...argv], {
      stdout: (text) => void io.stdout.write(text),
      stderr: (text) => void io.stderr.write(text),
      cwd: io.cwd,
      signal: ended.signal,
    });
    await print(io.stdout, '');
    return status;
  } finally {
    process.off('SIGINT', end);
  }
}
