import { defineTool } from '../../src/define-tool.ts';
import { createRouter } from '../../src/router.ts';

/** Loads what the first call of a process loads, which takes real time: a fake clock does not wait for that. */
export async function warmUp(): Promise<void> {
  const tool = defineTool({ name: 'warm', description: '', parameters: { type: 'object' }, handler: () => 1 });
  await createRouter({ tools: [tool], mode: 'trusted' }).call({ name: 'warm' });
}

/** What is waited for in real time, a turn of the event loop at a time. */
export async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setImmediate(resolve));
}

/** Something that a test settles when it wants to. */
export class Gate<T> {
  readonly passed: Promise<T>;
  open!: (value: T) => void;
  fail!: (error: unknown) => void;

  constructor() {
    this.passed = new Promise<T>((resolve, reject) => {
      this.open = resolve;
      this.fail = reject;
    });
  }
}
