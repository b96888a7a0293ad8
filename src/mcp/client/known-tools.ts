import { ToolError } from '../../errors.ts';
import type { Tool } from '../../tool.ts';

/** How many tools of one server are remembered. */
const mostTools = 10_000;
/** How much they may say of themselves altogether, in characters of JSON text. */
const mostText = 33_554_432;

/**
 * What each tool of a server was when it counted last, also of those that are gone: one that comes back changed has
 * changed. Nothing is ever forgotten, as a server could then make us forget; it is full at 10,000 tools, or when they say
 * more of themselves than 32 MiB, and takes no others then.
 */
export class KnownTools {
  readonly #tools = new Map<string, { readonly tool: Tool; readonly size: number }>();
  #size = 0;

  get(name: string): Tool | undefined {
    return this.#tools.get(name)?.tool;
  }

  /** Whether there is room for a tool, in the place of what it was. */
  takes(name: string, tool: Tool): boolean {
    const before = this.#tools.get(name);
    if (before === undefined && this.#tools.size >= mostTools) return false;
    const growth = sizeOf(tool) - (before?.size ?? 0);
    return growth <= 0 || this.#size + growth <= mostText;
  }

  set(name: string, tool: Tool): void {
    const size = sizeOf(tool);
    this.#size += size - (this.#tools.get(name)?.size ?? 0);
    // Its handler holds all that the server has said, which may be far more than what is shown of it.
    this.#tools.set(name, { tool: Object.freeze({ ...tool, handler: gone }), size });
  }
}

function gone(): never {
  throw new ToolError('This is what the tool was before it changed.', { code: 'conflict', effect: 'none' });
}

function sizeOf({ name, description, parameters, output, annotations }: Tool): number {
  return JSON.stringify([name, description, parameters, output, annotations]).length;
}
