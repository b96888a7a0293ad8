import { checkTool, ownMembers } from './define-tool.ts';
import type { Tool } from './tool.ts';

/** Which tools to list. Every condition given must hold. */
export interface ToolFilter {
  /** Tools that carry this tag. */
  readonly tag?: string;
  /** Tools with this permission level. */
  readonly level?: string;
  /** Tools from this source; `undefined` as a value means the program's own. */
  readonly source?: string | undefined;
}

/** Where tools come from that the program did not define itself. */
export interface AddOptions {
  /** Such as an MCP server's name: the tools become `source.name`, and may not take the place of another's tool. */
  readonly source?: string;
}

/** The tools there are, by their exact names. A `Map` underneath: no name finds what nobody registered. */
export class Registry {
  readonly #tools = new Map<string, Tool>();
  #version = 0;

  /** Grows with every change, so that what was derived from the tools can be kept until then. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#tools.size;
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  names(): IterableIterator<string> {
    return this.#tools.keys();
  }

  /**
   * Adds a tool. One of the same name takes the older one's place, so that a test can put a stub there; but a tool from
   * elsewhere never shadows one that is there. Throws a TypeError for what is not a tool. Compiles no schema.
   */
  add(tool: Tool, options?: AddOptions): this {
    checkTool(tool);
    const added = options?.source === undefined ? tool : named(tool, options.source);
    if (added.source !== undefined) {
      const older = this.#tools.get(added.name);
      if (older !== undefined && older.source !== added.source) {
        throw new TypeError(`"${added.name}" from ${added.source} would shadow a tool that is already registered.`);
      }
    }
    this.#tools.set(added.name, added);
    this.#version++;
    return this;
  }

  /** Takes a tool out; whether it was there. */
  remove(name: string): boolean {
    const removed = this.#tools.delete(name);
    if (removed) this.#version++;
    return removed;
  }

  /** The tools in the order they were added, for the program. The model is shown `router.schemas(...)`. */
  list(filter: ToolFilter = {}): Tool[] {
    const tools = [...this.#tools.values()];
    const { tag, level } = filter;
    return tools.filter(
      (tool) =>
        (tag === undefined || tool.tags?.includes(tag)) &&
        (level === undefined || tool.permission === level) &&
        (!('source' in filter) || tool.source === filter.source),
    );
  }

  /** Compiles every schema, for start-up checks and CI. Returns what is wrong, tool by tool; empty when all is well. */
  async verify(): Promise<{ tool: string; problem: string }[]> {
    const { compile } = await import('./schema/engine.ts');
    const problems: { tool: string; problem: string }[] = [];
    for (const tool of this.#tools.values()) {
      for (const schema of [tool.parameters, tool.output]) {
        try {
          if (schema !== undefined) compile(schema);
        } catch (error) {
          problems.push({ tool: tool.name, problem: error instanceof Error ? error.message : String(error) });
        }
      }
    }
    return problems;
  }
}

/** Makes a registry with these tools in it. */
export function createRegistry(tools: Iterable<Tool> = []): Registry {
  const registry = new Registry();
  for (const tool of tools) registry.add(tool);
  return registry;
}

function named(tool: Tool, source: string): Tool {
  const name = `${source}.${tool.name}`;
  const renamed = Object.freeze({ ...ownMembers(tool), name, source });
  checkTool(renamed);
  return renamed;
}
