/**
 * The two interfaces of the Standard Schema specification that a tool's arguments need, as structural types of our own:
 * validation, and the JSON Schema that the model is shown. https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, options?: never) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: never }) => Record<string, unknown>;
      readonly output: (options: { readonly target: never }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a Standard Schema makes of a value. */
export type StandardOutput<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : unknown;

/** What a Standard Schema takes. */
export type StandardInput<S> = S extends {
  readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined };
}
  ? Input
  : unknown;

/** Whether `value` is a Standard Schema of any library; some are objects, some are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  const standard = (value as { '~standard'?: { version?: unknown; validate?: unknown } })['~standard'];
  return typeof standard === 'object' && standard.version === 1 && typeof standard.validate === 'function';
}

/**
 * The JSON Schema that a Standard Schema library derives for its input or its output, in the 2020-12 dialect.
 * Throws a TypeError that says what to do when the library derives none.
 */
export function jsonSchemaOf(
  schema: StandardSchema,
  tool: string,
  side: 'input' | 'output' = 'input',
): Record<string, unknown> {
  const { vendor, jsonSchema } = schema['~standard'];
  const instead = side === 'input' ? 'give the JSON Schema as "jsonSchema"' : 'give "output" as JSON Schema';
  if (jsonSchema === undefined) {
    throw new TypeError(
      `Tool "${tool}": ${vendor} schemas do not yield JSON Schema by themselves. Wrap the schema ` +
        `(valibot: toStandardJsonSchema() of @valibot/to-json-schema), or ${instead}.`,
    );
  }
  try {
    return jsonSchema[side]({ target: 'draft-2020-12' as never });
  } catch (cause) {
    const because = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new TypeError(
      `Tool "${tool}": ${vendor} cannot say this schema in JSON Schema (${because}). Use what JSON has, or ${instead}.`,
      { cause },
    );
  }
}
