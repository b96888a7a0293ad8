export { cfworkerEngine } from './cfworker.ts';
export {
  type CompileOptions,
  createSchemaEngine,
  type SchemaEngine,
  type SchemaEngineOptions,
  type Validator,
  type Violation,
} from './engine.ts';
export { checkForeignSchema, type SchemaLimits } from './foreign.ts';
export type { Infer } from './infer.ts';
export type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
export { type LenientSchema, toLenientSchema } from './lenient.ts';
export { lintSchema } from './lint.ts';
export type { SchemaNote } from './note.ts';
