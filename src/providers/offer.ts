import type { JsonSchemaObject } from '../schema/json-schema.ts';
import type { Tool } from '../tool.ts';
import { makeAliases, type NameRule } from './aliases.ts';
import { openSchema } from './dialects/open.ts';
import { openaiStrictSchema, type StrictlyConverted } from './dialects/strict.ts';
import type { Converted, DefinitionOptions, Loss, Offer, ToolReport } from './types.ts';

/** One tool as it is offered. */
export interface Offered {
  readonly tool: Tool;
  readonly alias: string;
  readonly schema: JsonSchemaObject;
  readonly losses: readonly Loss[];
  readonly strict: boolean;
  /** To be added to the tool's description. */
  readonly note?: string | undefined;
}

/** Builds an offer: aliases for all names, then one definition a tool, in the order given. */
export function makeOffer<Definition, Definitions = Definition[]>(
  tools: readonly Tool[],
  rule: NameRule,
  convert: (tool: Tool) => Omit<Offered, 'tool' | 'alias' | 'strict'> & { readonly strict?: boolean },
  define: (offered: Offered) => Definition,
  collect: (definitions: Definition[]) => Definitions,
  nullsMeanAbsent: (offered: Offered) => boolean = () => false,
): Offer<Definitions> {
  const aliases = makeAliases(
    tools.map((tool) => tool.name),
    rule,
  );
  const all = tools.map(
    (tool): Offered => ({ strict: false, ...convert(tool), tool, alias: aliases.alias(tool.name) }),
  );
  return {
    tools: collect(all.map(define)),
    aliases,
    report: all.map(({ tool, alias, strict, losses }): ToolReport => ({ tool: tool.name, alias, strict, losses })),
    nullsMeanAbsent: new Map(all.filter(nullsMeanAbsent).map(({ tool }) => [tool.name, tool])),
  };
}

/** Whether the options ask for this tool in strict mode. */
export function asksStrict({ strict = false }: DefinitionOptions, tool: Tool): boolean {
  return typeof strict === 'boolean' ? strict : strict.includes(tool.name);
}

/** The strict form of a schema where it is asked for and possible, else the open one and the reasons. */
export function strictOrOpen(
  wanted: boolean,
  schema: JsonSchemaObject,
  strictly: (schema: JsonSchemaObject) => StrictlyConverted,
  openly: (schema: JsonSchemaObject) => Converted,
): Converted & { readonly strict: boolean } {
  if (!wanted) return { ...openly(schema), strict: false };
  const { impossible, ...converted } = strictly(schema);
  if (impossible.length === 0) return { ...converted, strict: true };
  const open = openly(schema);
  return { ...open, losses: [...open.losses, ...impossible.map(asReason)], strict: false };
}

function asReason({ pointer, reason }: Loss): Loss {
  return { pointer, keyword: 'strict', kind: 'dropped', reason: `offered without strict mode: ${reason}` };
}

/** As OpenAI and those who imitate it take it. */
export function openaiSchema(tool: Tool, options: DefinitionOptions): Converted & { readonly strict: boolean } {
  return strictOrOpen(asksStrict(options, tool), tool.parameters, openaiStrictSchema, openSchema);
}

/** The description of a tool, with the note of a dialect. */
export function descriptionOf({ tool, note }: Offered): string {
  return note ? `${tool.description}${tool.description.endsWith('.') ? '' : '.'} ${note}` : tool.description;
}

/** Makes what the SDKs' types want of a schema: an object that may be written to. */
export function mutable(schema: JsonSchemaObject): { [keyword: string]: unknown } {
  return schema as { [keyword: string]: unknown };
}
