const everywhere =
  '$anchor $comment $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary allOf anyOf const default definitions deprecated description else enum examples format if not oneOf readOnly then title type writeOnly contentEncoding contentMediaType contentSchema';

/** The keywords of JSON Schema that bear on one type only. */
export const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  object: [
    'additionalProperties',
    'dependencies',
    'dependentRequired',
    'dependentSchemas',
    'maxProperties',
    'minProperties',
    'patternProperties',
    'properties',
    'propertyNames',
    'required',
    'unevaluatedProperties',
  ],
  array: [
    'additionalItems',
    'contains',
    'items',
    'maxContains',
    'maxItems',
    'minContains',
    'minItems',
    'prefixItems',
    'unevaluatedItems',
    'uniqueItems',
  ],
  string: ['maxLength', 'minLength', 'pattern'],
  number: ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'],
};

/** Every keyword that validates or annotates in drafts 7, 2019-09 or 2020-12, and OpenAPI's `nullable`, which Ajv knows. */
export const knownKeywords: ReadonlySet<string> = new Set([
  ...everywhere.split(' '),
  ...Object.values(keywordsOfType).flat(),
  'nullable',
]);

/** Annotations of other specifications that mean nothing to a validator and are no mistake. */
export const harmlessKeywords: ReadonlySet<string> = new Set([
  'discriminator',
  'example',
  'externalDocs',
  'xml',
  'markdownDescription',
  'enumDescriptions',
  'enumNames',
  'deprecationMessage',
  'errorMessage',
  'optional',
  'id',
]);

/** The formats that are checked. */
export const knownFormats: ReadonlySet<string> = new Set([
  'date',
  'time',
  'date-time',
  'iso-time',
  'iso-date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'url',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'regex',
  'uuid',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
  'byte',
  'int32',
  'int64',
  'float',
  'double',
  'password',
  'binary',
]);
