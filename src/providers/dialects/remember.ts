import type { JsonSchemaObject } from '../../schema/json-schema.ts';

/**
 * Makes a conversion remember its outcome for as long as the schema lives. A list of a thousand tools then costs no more
 * than what is new in it.
 */
export function remember<Outcome>(
  convert: (schema: JsonSchemaObject) => Outcome,
): (schema: JsonSchemaObject) => Outcome {
  const known = new WeakMap<JsonSchemaObject, Outcome>();
  return (schema) => {
    let outcome = known.get(schema);
    if (outcome === undefined) {
      outcome = convert(schema);
      known.set(schema, outcome);
    }
    return outcome;
  };
}
