import { afterEach } from 'vitest';
import { compiledCallgate } from '../compiled.ts';
import { isAlive } from '../is-alive.ts';

type Callgate = typeof import('callgate');
export type Kind = 'thread' | 'process';
export const kinds: readonly Kind[] = ['thread', 'process'];

export const callgate: Callgate = await compiledCallgate();
export const handlers = new URL('../fixtures/isolation/handlers.mjs', import.meta.url);
export const hostile = new URL('../fixtures/isolation/hostile.mjs', import.meta.url);

type Options = Parameters<Callgate['createRouter']>[0];
type Definition = Partial<Parameters<Callgate['defineTool']>[0]>;

/** A tool whose handler is an export of a fixture. */
export function isolated(kind: Kind, name: string, more: Definition = {}, module: URL | string = handlers) {
  return callgate.defineTool({
    name,
    description: 'a test',
    parameters: { type: 'object' },
    permission: 'read',
    isolate: kind,
    handler: callgate.moduleHandler(module, name),
    ...more,
  } as Parameters<Callgate['defineTool']>[0]) as unknown as import('callgate').Tool;
}

const open: { close(): Promise<unknown> }[] = [];

/** A router that is closed with its test, so that no thread or process outlives it. */
export function routerWith(tools: import('callgate').Tool[], more: object = {}) {
  const router = callgate.createRouter({ tools, mode: 'trusted', isolation: {}, ...more } as Options);
  open.push({ close: () => Promise.all(router.pipeline.entries.map(({ stage }) => closing(stage))) });
  return router;
}

function closing(stage: unknown): unknown {
  return (stage as { closes?: () => unknown }).closes?.();
}

afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
});

/** Resolves when a process is there no more. */
export async function goneOf(pid: number): Promise<void> {
  // Nothing tells of the end of a process that is not one's own child.
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
