import type { RouterPipeline } from '../pipeline.ts';
import type { Tool } from '../tool.ts';
import { type Capability, traitsOf } from '../traits.ts';

const declared: readonly (readonly [keyof Tool, Capability])[] = [
  ['paths', 'fs'],
  ['urls', 'fetch'],
  ['commands', 'exec'],
  ['isolate', 'isolation'],
];

const advice: Readonly<Record<Capability, string>> = {
  fs: ': give createRouter({ roots }), or use pathGuard({ roots })',
  fetch: ': use urlGuard()',
  exec: ': give createRouter({ roots }), or use commandGuard({ roots })',
  isolation: ': give createRouter({ isolation: {} }), or put isolate() in the place of execute()',
};

/** Throws a TypeError for a tool that declares what no stage of the pipeline would lend it. */
export function checkCapabilities(tool: Tool, pipeline: RouterPipeline<never>): void {
  for (const [declaration, capability] of declared) {
    if (tool[declaration] === undefined) continue;
    if (pipeline.entries.some(({ stage }) => traitsOf(stage).provides?.includes(capability))) continue;
    throw new TypeError(
      `Tool "${tool.name}" declares ${declaration}, but no stage provides "${capability}"` +
        `${advice[capability]}. ` +
        `The stages are: ${pipeline.names.join(', ')}.`,
    );
  }
}
