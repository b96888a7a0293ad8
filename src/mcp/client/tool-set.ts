import { toolDigest } from '../../policy/digest.ts';
import { Registry } from '../../registry.ts';
import type { SchemaEngine } from '../../schema/engine.ts';
import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import type { Tool } from '../../tool.ts';
import { cleanText } from './clean-text.ts';
import { PatternList } from './globs.ts';
import type { GuardRules } from './guards.ts';
import { type ImportOptions, importTool } from './import-tool.ts';
import { KnownTools } from './known-tools.ts';
import type { ListedTool, Listing } from './list-tools.ts';
import { checkSchema } from './schema-texts.ts';
import type { McpChange, McpToolsOptions, SkippedTool } from './types.ts';
import { type NamingOptions, type UnfitNames, unfitNames } from './unfit-names.ts';
import { withGuesses } from './with-guesses.ts';

export interface ToolSetOptions
  extends Pick<
    McpToolsOptions,
    'name' | 'registry' | 'allow' | 'deny' | 'timeout' | 'trustAnnotations' | 'acceptGuesses' | 'onDrift'
  > {
  readonly rules: GuardRules;
  readonly shown: NamingOptions['shown'];
  readonly call: ImportOptions['call'];
  readonly warn: (text: string) => void;
}

const longestName = 128;
const described = ['description', 'parameters', 'output', 'annotations', 'permission'] as const;

/** The tools of one server in a registry: put in, kept up to date, taken out. */
export class ToolSet {
  readonly #options: ToolSetOptions;
  readonly #allow: PatternList | undefined;
  readonly #deny: PatternList;
  /** Those in the registry, by name, as the registry holds them, and what the server said of them. */
  readonly #tools = new Map<string, Tool>();
  readonly #listed = new Map<string, ListedTool>();
  readonly #known = new KnownTools();
  /** The digests of changed tools that were not taken, which are all known. */
  readonly #refused = new Map<string, string>();
  #skipped: SkippedTool[] = [];
  #engine: SchemaEngine | undefined;
  #applying: Promise<unknown> = Promise.resolve();

  constructor(options: ToolSetOptions) {
    this.#options = options;
    this.#allow = options.allow && new PatternList(options.allow, options.name);
    this.#deny = new PatternList(options.deny ?? [], options.name);
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  get skipped(): readonly SkippedTool[] {
    return this.#skipped;
  }

  /** Whether a tool still is what the server said of it then. */
  isCurrent(name: string, listed: ListedTool): boolean {
    return this.#listed.get(name) === listed;
  }

  /**
   * Makes the registry hold what the server offers now; one listing after another. `judge` gets what does not fit the
   * tools before any of them is put in, and may throw; without it, tools that their guards no longer fit are left out.
   */
  apply(listing: Listing, judge?: (unfit: UnfitNames) => void): Promise<McpChange> {
    const applied = this.#applying.then(() => this.#apply(listing, judge));
    this.#applying = applied.catch(() => {});
    return applied;
  }

  async #apply({ tools, cut }: Listing, judge?: (unfit: UnfitNames) => void): Promise<McpChange> {
    if (cut !== undefined) this.#options.warn(`Not all of its tools were listened to: it lists ${cut}.`);
    const skipped: SkippedTool[] = [];
    const skip = ({ name }: ListedTool, reason: string): void => {
      skipped.push({ name: cleanText(name, 200), reason: cleanText(reason, 1_000) });
    };
    const offered = await this.#offered(tools, skip);
    const finals = [...offered.values()].map(({ final }) => final);
    if (judge !== undefined)
      judge(
        unfitNames(
          this.#naming,
          tools.map(({ name }) => name),
          finals,
        ),
      );
    else {
      for (const [name, reason] of this.#escaped(finals)) {
        skip(offered.get(name)?.listed as ListedTool, reason);
        offered.delete(name);
      }
    }
    const removed = this.names.filter((name) => !offered.has(name));
    for (const name of removed) this.#remove(name);
    const [added, changed]: [string[], string[]] = [[], []];
    for (const [name, { listed, tool, final }] of offered) {
      if (!this.#known.takes(name, final)) {
        if (this.#tools.has(name)) removed.push(name);
        this.#remove(name);
        skip(listed, 'its server has shown more tools by now, or larger ones, than can be remembered');
        continue;
      }
      const known = this.#known.get(name);
      const isNew = known === undefined || toolDigest(known) === toolDigest(final);
      if (isNew && this.#tools.has(name)) continue;
      const problem = isNew ? this.#add(name, tool, listed) : await this.#replace(name, listed, tool, known, final);
      if (problem !== undefined) skip(listed, problem);
      else (isNew ? added : changed).push(name);
    }
    this.#skipped = skipped;
    return { added, removed, changed };
  }

  /** Takes all of them out. */
  clear(): void {
    for (const name of this.names) this.#remove(name);
  }

  get #naming(): NamingOptions {
    const { name: namespace, rules, shown } = this.#options;
    return { namespace, rules, shown, allow: this.#allow, deny: this.#deny };
  }

  /** Tools that their guards no longer fit, each with the reason for which it is left out; whoever listens is told once. */
  #escaped(tools: readonly Tool[]): readonly (readonly [name: string, reason: string])[] {
    const { name: source, rules, shown, warn } = this.#options;
    const escaped = rules.escaped(tools, (name) => this.#known.get(name));
    return [...escaped].map(([name, { pattern, argument }]) => {
      const reason = `its guard "${shown(pattern)}" is for an argument "${argument}", of which its schema does not speak`;
      const isKnown = this.#skipped.some((one) => `${source}.${one.name}` === name && one.reason === reason);
      if (!isKnown) warn(`${shown(name)} is left out: ${reason}.`);
      return [name, reason];
    });
  }

  async #offered(
    tools: readonly ListedTool[],
    skip: (listed: ListedTool, reason: string) => void,
  ): Promise<Map<string, { listed: ListedTool; tool: Tool; final: Tool }>> {
    const { name: source, rules, call, timeout, trustAnnotations = false, acceptGuesses = false } = this.#options;
    const offered = new Map<string, { listed: ListedTool; tool: Tool; final: Tool }>();
    for (const listed of tools) {
      const name = `${source}.${listed.name}`;
      if (offered.has(name)) {
        skip(listed, 'it is listed twice');
        continue;
      }
      if (this.#allow?.matches(listed.name) === false || this.#deny.matches(listed.name)) {
        skip(listed, 'it is left out by allow or deny');
        continue;
      }
      if (name.length > longestName) {
        skip(listed, `its name has more than ${longestName} characters with its namespace`);
        continue;
      }
      try {
        const guards = acceptGuesses ? withGuesses(rules.for(name), listed, name) : rules.for(name);
        const found = importTool(listed, { guards, timeout, trustAnnotations, call });
        if (typeof found === 'string') {
          skip(listed, found);
          continue;
        }
        checkSchema(found.parameters);
        const tool = await this.#withUsableOutput(found);
        const final = new Registry().add(tool, { source, lenient: true }).get(name) as Tool;
        offered.set(name, { listed, tool, final });
      } catch (error) {
        skip(listed, error instanceof Error ? error.message : String(error));
      }
    }
    return offered;
  }

  /** A schema that cannot be used must not cost a tool its answers. */
  async #withUsableOutput(tool: Tool): Promise<Tool> {
    if (tool.output === undefined) return tool;
    try {
      checkSchema(tool.output as JsonSchemaObject);
      const { name: source } = this.#options;
      const alone: Tool = { ...tool, parameters: { type: 'object' } };
      const { output } = new Registry().add(alone, { source, lenient: true }).list()[0] as Tool;
      this.#engine ??= (await import('../../schema/engine.ts')).createSchemaEngine();
      this.#engine.compile(output as NonNullable<Tool['output']>, { defaults: false });
      return tool;
    } catch (error) {
      const { output: _, ...rest } = tool;
      const why = error instanceof Error ? error.message : String(error);
      this.#options.warn(`The output schema of ${tool.name} cannot be used and was left out: ${why}`);
      return Object.freeze(rest);
    }
  }

  /** Puts a tool in; or says why not. */
  #add(name: string, tool: Tool, listed: ListedTool): string | undefined {
    const { registry, name: source } = this.#options;
    if (registry.has(name)) return 'a tool of that name is already registered';
    try {
      registry.add(tool, { source, lenient: true });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    const final = registry.get(name) as Tool;
    this.#tools.set(name, final);
    this.#listed.set(name, listed);
    this.#known.set(name, final);
    this.#refused.delete(name);
    return undefined;
  }

  async #replace(name: string, listed: ListedTool, tool: Tool, before: Tool, after: Tool): Promise<string | undefined> {
    const digest = toolDigest(after);
    const refusal = 'it has changed, and its new form was refused';
    // Out first: what a name stood for a moment ago must not be called meanwhile.
    this.#remove(name);
    if (this.#refused.get(name) === digest) return refusal;
    const changed = described.filter((part) => JSON.stringify(before[part]) !== JSON.stringify(after[part]));
    try {
      if ((await this.#options.onDrift?.({ name, before, after, changed })) !== false)
        return this.#add(name, tool, listed);
    } catch (error) {
      this.#options.warn(`onDrift failed, so ${name} was taken out: ${String(error)}`);
    }
    this.#refused.set(name, digest);
    return refusal;
  }

  /** Only what is still ours: the program may have put a tool of its own there. */
  #remove(name: string): void {
    const { registry } = this.#options;
    if (registry.get(name) === this.#tools.get(name)) registry.remove(name);
    this.#tools.delete(name);
    this.#listed.delete(name);
  }
}
