import type { DefinitionOptions, Offer, ProviderName, ToolSchemas } from './providers/index.ts';
import type { Registry, ToolFilter } from './registry.ts';
import type { Tool } from './tool.ts';

/** Which tools to offer to a model, and how. */
export interface OfferOptions extends ToolFilter, DefinitionOptions {
  /** The permission mode to offer for: what it denies outright is left out. Default: the router's. */
  readonly mode?: string;
}

/** Whether a tool can be allowed at all in a mode. */
export type Offers = (tool: Tool, mode: string) => boolean;

/** Remembers a registry's tools in the providers' formats until the tools change. */
export class OfferCache {
  readonly #registry: Registry;
  readonly #offers: Offers;
  readonly #known = new Map<string, Promise<Offer>>();
  #version = -1;

  constructor(registry: Registry, offers: Offers) {
    this.#registry = registry;
    this.#offers = offers;
  }

  get<Name extends ProviderName>(
    provider: Name,
    mode: string,
    allowed: readonly string[] | undefined,
    options: OfferOptions,
  ): Promise<Offer<ToolSchemas<Name>>> {
    if (this.#version !== this.#registry.version) {
      this.#known.clear();
      this.#version = this.#registry.version;
    }
    // JSON leaves out `source: undefined`, which asks for the program's own tools.
    const key = isEmpty(options)
      ? `${provider} ${mode}`
      : JSON.stringify([provider, mode, 'source' in options, options]);
    let offer = this.#known.get(key);
    if (offer === undefined) {
      offer = this.#make(provider, mode, allowed, options);
      this.#known.set(key, offer);
    }
    return offer as Promise<Offer<ToolSchemas<Name>>>;
  }

  async #make(
    provider: ProviderName,
    mode: string,
    allowed: readonly string[] | undefined,
    { strict, ...filter }: OfferOptions,
  ): Promise<Offer> {
    const tools = this.#registry
      .list(filter)
      .filter((tool) => (allowed === undefined || allowed.includes(tool.name)) && this.#offers(tool, mode));
    // Loaded on first use: a program that speaks MCP only has no need of nine formats.
    const { offerTools } = await import('./providers/index.ts');
    const offer = offerTools(provider, tools, strict === undefined ? {} : { strict });
    // Handed out again and again: what one caller pushes onto it must not be offered to the next.
    return Object.freeze({ ...offer, tools: Object.freeze(offer.tools) });
  }
}

/** Servers ask for everything with every call. */
function isEmpty(options: object): boolean {
  for (const _ in options) return false;
  return true;
}
