import { toolName } from '../definition/check-tool.ts';
import type { Program } from './backend.ts';
import { wrongDefaults } from './default-check.ts';
import { applyFunctionTags } from './function-tags.ts';
import type { FunctionSource } from './functions.ts';
import type { ToolModel } from './model.ts';
import { humanized, snakeCase } from './names.ts';
import { readParameters } from './parameters.ts';
import type { Reporter } from './reporter.ts';
import type { Schema } from './schema.ts';
import { createSchemaWriter } from './types-to-schema.ts';

/** Reads one function. Without a description it gets its own name in words, and `warn` is told. */
export function toolModel(
  program: Program,
  fn: FunctionSource,
  reporter: Reporter,
  warn: (message: string) => void,
): ToolModel {
  const writer = createSchemaWriter(program, reporter);
  const parameters = readParameters(program, writer, reporter, fn);
  const definitions: Record<string, Schema> = {};
  const revivals = writer.finish();
  const root: Schema = {
    type: 'object',
    properties: Object.fromEntries(parameters.properties),
    ...(parameters.required.length > 0 && { required: parameters.required }),
    additionalProperties: false,
  };
  for (const [name, definition] of writer.definitions) definitions[name] = definition.schema;
  if (writer.definitions.size > 0) root['$defs'] = definitions;

  const { source, doc, nameNode } = fn;
  const { name: override, ...declared } = applyFunctionTags(
    doc.tags,
    root,
    parameters.undocumentable,
    source,
    reporter,
  );
  for (const { name, message } of wrongDefaults(root)) {
    reporter.at(parameters.places.get(name) ?? { label: `parameter \`${name}\``, node: nameNode }, message);
  }
  const name = override ?? snakeCase(fn.name);
  const place = { label: `function \`${fn.name}\``, node: nameNode };
  if (!toolName.test(name)) {
    reporter.at(place, `${JSON.stringify(name)} is no tool name (A-Z a-z 0-9 _ . / -). Give it one with @toolname.`);
  }
  const description = doc.description || doc.tags.find((tag) => tag.name === 'description')?.text;
  if (!description) warn(`${fn.name} has no description. Write one: it is how a model decides to call the tool.`);
  return {
    name,
    description: description || humanized(fn.name),
    parameters: root,
    revivals,
    ...declared,
    call: {
      file: source.fileName,
      exported: fn.exported,
      preferred: fn.name,
      overloaded: fn.overloaded,
      arguments: parameters.arguments,
    },
  };
}
