import { dirname } from 'node:path';
import type { Argument, Field, ToolModel } from './model.ts';
import { createNames, isIdentifier } from './names.ts';
import { printAccess, printKey, printText, printValue } from './print.ts';
import { shown } from './project.ts';
import type { Revival } from './revival.ts';
import { createReviver, type Reviver, reviveHelper } from './revive.ts';

export interface EmitOptions {
  /** The generated file, absolute. */
  readonly out: string;
  /** The sources, absolute. */
  readonly files: readonly string[];
  /** What imports of the sources end in. */
  readonly extension: 'ts' | 'js' | 'none';
  /** Where `defineTool` is imported from. */
  readonly importFrom: string;
  /** Further flags of the command that writes the same file. */
  readonly flags: readonly string[];
}

/** Writes the module. The text depends on the sources and the options alone, not on where or by whom it is made. */
export function emit(tools: readonly ToolModel[], options: EmitOptions): string {
  const folder = dirname(options.out);
  const name = createNames(['defineTool', 'tools', 'args', 'context', 'revive', 'value', 'item', 'list', 'text', 'at']);
  const imported = new Map(tools.map((tool) => [tool, name(tool.call.preferred)]));
  const helpers: string[] = [];
  const constants: string[] = [];
  const body = tools.map((tool) => {
    const base = imported.get(tool) ?? tool.name;
    const schema = name(`${base}Parameters`);
    const constant = name(`${base}Tool`);
    constants.push(constant);
    const reviver = createReviver(tool.revivals, (definition) => `${base}Revive${definition}`);
    const text = toolText(tool, base, schema, constant, reviver);
    helpers.push(...reviver.helpers());
    return text;
  });
  const text = [
    header(options, folder),
    `import { defineTool } from ${printText(options.importFrom)};\n`,
    ...importsOf(tools, imported, folder, options.extension),
    '\n',
    body.join('\n'),
    `\n/** All of them, in order. */\nexport const tools = [${constants.join(', ')}];\n`,
  ].join('');
  const dated = text.includes('revive(');
  return [text, ...helpers, ...(dated ? [reviveHelper] : [])].join(dated ? '\n' : '');
}

function header(options: EmitOptions, folder: string): string {
  const files = options.files.map((file) => shellWord(shown(folder, file)));
  const command = ['callgate gen', ...files, '--out', shellWord(shown(folder, options.out)), ...options.flags].join(
    ' ',
  );
  return (
    '// Written by callgate gen from the signatures of the functions. Do not edit: change the functions, then run here\n' +
    `//   ${command}\n// The same with --check fails when this file and the functions have drifted apart.\n\n`
  );
}

// A name with a line end in it would otherwise end the comment that it stands in.
const shellWord = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : JSON.stringify(path));

function importsOf(
  tools: readonly ToolModel[],
  imported: ReadonlyMap<ToolModel, string>,
  folder: string,
  extension: EmitOptions['extension'],
): string[] {
  const byFile = new Map<string, ToolModel[]>();
  for (const tool of tools) byFile.set(tool.call.file, [...(byFile.get(tool.call.file) ?? []), tool]);
  return [...byFile].map(([file, group]) => {
    const names = group.map((tool) => {
      const local = imported.get(tool) ?? tool.call.preferred;
      const { exported } = tool.call;
      return exported === local ? local : `${isIdentifier(exported) ? exported : printText(exported)} as ${local}`;
    });
    return `import { ${names.join(', ')} } from ${printText(specifierOf(shown(folder, file), extension))};\n`;
  });
}

function specifierOf(file: string, extension: EmitOptions['extension']): string {
  const relative = file.startsWith('.') ? file : `./${file}`;
  if (extension === 'ts') return relative;
  return relative.replace(/\.([cm]?)tsx?$/, (_, kind: string) => (extension === 'js' ? `.${kind}js` : ''));
}

function toolText(tool: ToolModel, base: string, schema: string, constant: string, reviver: Reviver): string {
  const fields: [string, unknown][] = [
    ['name', tool.name],
    ['description', tool.description],
  ];
  const declared = Object.entries({
    permission: tool.permission,
    timeout: tool.timeout,
    tags: tool.tags,
    annotations: tool.annotations,
    paths: tool.paths,
    urls: tool.urls,
    commands: tool.commands,
  }).filter(([, value]) => value !== undefined);
  const lines = [
    ...fields.map(([key, value]) => `  ${key}: ${printValue(value, '  ')},\n`),
    `  parameters: ${schema},\n`,
    ...declared.map(([key, value]) => `  ${key}: ${printValue(value, '  ')},\n`),
    `  handler: ${handlerText(tool, base, reviver)},\n`,
  ];
  return (
    `export const ${schema} = ${printValue(tool.parameters)} as const;\n\n` +
    `export const ${constant} = defineTool({\n${lines.join('')}});\n`
  );
}

function handlerText(tool: ToolModel, base: string, reviver: Reviver): string {
  const parts = tool.call.arguments.map((argument, index) => argumentText(argument, index, tool, base, reviver));
  const sources: readonly { readonly kind: string }[] = tool.call.arguments.flatMap<Argument | Field>((argument) =>
    argument.kind === 'bag' ? argument.fields : [argument],
  );
  const usesContext = sources.some(({ kind }) => kind === 'context' || kind === 'signal');
  const usesArgs = sources.some(({ kind }) => kind === 'property' || kind === 'rest');
  const parameters = usesContext ? `(${usesArgs ? 'args' : '_args'}, context)` : usesArgs ? '(args)' : '()';
  const line = `${parameters} => ${base}(${parts.join(', ')})`;
  return line.length <= 102
    ? line
    : `${parameters} =>\n    ${base}(\n${parts.map((part) => `      ${part},\n`).join('')}    )`;
}

function argumentText(argument: Argument, index: number, tool: ToolModel, base: string, reviver: Reviver): string {
  // Where the schema says less than the function's own type, the validated value is taken at the function's word.
  const cast = (text: string, exact: boolean): string => {
    if (exact) return text;
    return tool.call.overloaded ? `${text} as never` : `${text} as unknown as Parameters<typeof ${base}>[${index}]`;
  };
  switch (argument.kind) {
    case 'context':
      return cast('context', argument.exact);
    case 'signal':
      return 'context.signal';
    case 'bag':
      return cast(bagText(argument.fields, reviver), argument.fields.every(isExact));
    case 'property':
    case 'rest': {
      const { text, exact } = valueText(argument, reviver);
      if (argument.kind === 'property') return cast(text, exact);
      return exact ? `...(${text} ?? [])` : `...((${text} ?? []) as never[])`;
    }
  }
}

function valueText(
  value: { readonly name: string; readonly revival?: Revival; readonly exact: boolean },
  reviver: Reviver,
): { readonly text: string; readonly exact: boolean } {
  const access = printAccess('args', value.name);
  if (!value.revival || !reviver.hasDates(value.revival)) return { text: access, exact: value.exact };
  return { text: reviver.code(value.revival, access), exact: true };
}

const isExact = (field: Field): boolean => field.kind === 'signal' || (field.exact && !field.revival);

/** Absent fields stay absent, so that `in` and spreads inside the function see what the caller gave. */
function bagText(fields: readonly Field[], reviver: Reviver): string {
  const parts = fields.map((field) => {
    const key = printKey(field.name);
    if (field.kind === 'signal') return `${key}: context.signal`;
    const { text } = valueText(field, reviver);
    if (field.present) return `${key}: ${text}`;
    return `...(${printAccess('args', field.name)} !== undefined && { ${key}: ${text} })`;
  });
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}
