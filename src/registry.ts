import { checkOptions } from './basics/options.ts';
import { ownMembers } from './define-tool.ts';
import { checkMembers, checkTool } from './definition/check-tool.ts';
import { checkPlaces } from './definition/declarations.ts';
import type { SchemaEngine } from './schema/engine.ts';
import { checkForeignSchema } from './schema/foreign.ts';
import { toLenientSchema } from './schema/lenient.ts';
import type { SchemaNote } from './schema/note.ts';
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
  /**
   * Such as an MCP server's name: the tools become `source.name`, and may not take the place of another's tool. Their
   * schemas may be 64 KiB large and 32 levels deep, with 1,000 values in an `enum` and 50 patterns.
   */
  readonly source?: string;
  /**
   * Reads the tool's schemas as they were meant: type names of other languages (`dict`, `float`, `List[int]`, `any`),
   * `required: true` at a property. What was changed is told by `notes(name)`. Default false.
   */
  readonly lenient?: boolean;
}

/** Something to say about one of a tool's schemas. */
export interface ToolNote extends SchemaNote {
  readonly schema: 'parameters' | 'output';
}

/** What `verify` found: a schema that cannot be used, or (kind `note`) something in it that is probably not meant. */
export interface Finding {
  readonly tool: string;
  readonly problem: string;
  /** Absent for a problem. */
  readonly kind?: 'note';
}

export interface VerifyOptions {
  /**
   * Also tells what compiles and is probably not meant: mistyped keywords, unknown formats, and of a tool from elsewhere
   * declared arguments that its schema does not have ... Default false.
   */
  readonly notes?: boolean;
  /** The engine that the router's validate stage uses. Default: Ajv. */
  readonly engine?: SchemaEngine;
}

/** The tools there are, by their exact names. A `Map` underneath: no name finds what nobody registered. */
export class Registry {
  readonly #tools = new Map<string, Tool>();
  readonly #notes = new WeakMap<Tool, readonly ToolNote[]>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  /** Grows with every change, so that what was derived from the tools can be kept until then. */
  get version(): number {
    return this.#version;
  }

  /**
   * Calls `listener` after every change; returns the function that stops that. A listener must be quick, and whatever it
   * throws is ignored.
   */
  onChange(listener: () => void): () => void {
    if (typeof listener !== 'function') throw new TypeError('onChange() takes a function.');
    // Its own key, so that the same function may listen twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
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
   * elsewhere never shadows one that is there. Throws a TypeError for what is not a tool, and for a tool from elsewhere
   * whose schemas break the limits. Compiles no schema.
   */
  add(tool: Tool, options?: AddOptions): this {
    // A tool from elsewhere must not pass for one of the program's own.
    if (options !== undefined) checkOptions('registry.add', options, ['source', 'lenient'], ['source']);
    checkTool(tool);
    checkMembers(tool);
    const given = options?.source === undefined ? tool : named(tool, options.source);
    if (given.source !== undefined) checkLimits(given, given.source);
    // Not a pair for every tool: of a large registry, what is thrown away costs more than what is checked.
    const read = options?.lenient ? lenient(given) : undefined;
    const added = read?.tool ?? given;
    if (added.source === undefined) checkPlaces(added);
    else {
      const older = this.#tools.get(added.name);
      if (older !== undefined && older.source !== added.source) {
        throw new TypeError(`"${added.name}" from ${added.source} would shadow a tool that is already registered.`);
      }
    }
    this.#tools.set(added.name, added);
    if (read !== undefined && read.notes.length > 0) this.#notes.set(added, read.notes);
    this.#changed();
    return this;
  }

  /** What was changed in the schemas of a tool that was added with `lenient`; empty when nothing was. */
  notes(name: string): readonly ToolNote[] {
    const tool = this.#tools.get(name);
    return (tool !== undefined && this.#notes.get(tool)) || [];
  }

  /** Takes a tool out; whether it was there. */
  remove(name: string): boolean {
    const removed = this.#tools.delete(name);
    if (removed) this.#changed();
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

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // Who only listens must not keep a tool from being added.
      }
    }
  }

  /** Compiles every schema, for start-up checks and CI. Returns what is wrong, tool by tool; empty when all is well. */
  async verify(options: VerifyOptions = {}): Promise<Finding[]> {
    const { createSchemaEngine } = await import('./schema/engine.ts');
    const { lintSchema } = await import('./schema/lint.ts');
    const engine = options.engine ?? createSchemaEngine();
    const findings: Finding[] = [];
    for (const tool of this.#tools.values()) {
      const { name, parameters, output } = tool;
      const unseen = options.notes ? misplaced(tool) : undefined;
      if (unseen !== undefined) findings.push({ tool: name, problem: unseen, kind: 'note' });
      for (const [part, schema] of Object.entries({ parameters, output })) {
        if (schema === undefined) continue;
        try {
          engine.compile(schema, part === 'output' ? { defaults: false } : { plain: true });
        } catch (error) {
          findings.push({ tool: name, problem: error instanceof Error ? error.message : String(error) });
          continue;
        }
        for (const { pointer, message } of options.notes ? lintSchema(schema) : []) {
          findings.push({ tool: name, problem: `${part}${pointer}: ${message}.`, kind: 'note' });
        }
      }
    }
    return findings;
  }
}

/** Makes a registry with these tools in it. Throws a TypeError for two of one name, of which one would be lost. */
export function createRegistry(tools: Iterable<Tool> = []): Registry {
  const registry = new Registry();
  if (typeof tools?.[Symbol.iterator] !== 'function') throw new TypeError('Tools are given as a list: [tool, ...].');
  for (const tool of tools) {
    const other = registry.get(tool?.name);
    if (other !== undefined && other !== tool) {
      throw new TypeError(
        `Two tools have the name "${tool.name}". To put one in the other's place, add it later: registry.add(tool).`,
      );
    }
    registry.add(tool);
  }
  return registry;
}

/** What is wrong with the places that a tool declares. One of the program's own with such a place is not added at all. */
function misplaced(tool: Tool): string | undefined {
  try {
    checkPlaces(tool);
    return undefined;
  } catch (error) {
    return (error as TypeError).message;
  }
}

function named(tool: Tool, source: string): Tool {
  const name = `${source}.${tool.name}`;
  const renamed = Object.freeze({ ...ownMembers(tool), name, source });
  checkTool(renamed);
  return renamed;
}

function lenient(tool: Tool): { readonly tool: Tool; readonly notes: readonly ToolNote[] } {
  const parameters = toLenientSchema(tool.parameters);
  const output = tool.output === undefined ? undefined : toLenientSchema(tool.output);
  const notes = [
    ...parameters.notes.map((note): ToolNote => ({ ...note, schema: 'parameters' })),
    ...(output?.notes ?? []).map((note): ToolNote => ({ ...note, schema: 'output' })),
  ];
  if (notes.length === 0) return { tool, notes };
  const schemas = { parameters: parameters.schema, ...(output !== undefined && { output: output.schema }) };
  return { tool: Object.freeze({ ...ownMembers(tool), ...schemas }), notes };
}

/** What others wrote is looked at before it is ever compiled: it must not be large enough to do harm. */
function checkLimits({ name, parameters, output }: Tool, source: string): void {
  for (const [part, schema] of Object.entries({ parameters, output })) {
    const [note] = schema === undefined ? [] : checkForeignSchema(schema);
    if (note === undefined) continue;
    throw new TypeError(`"${name}" from ${source} cannot be registered: in ${part}${note.pointer}, ${note.message}.`);
  }
}
