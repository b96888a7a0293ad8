const words: Readonly<Record<string, readonly string[]>> = {
  object: ['dict', 'dictionary', 'map', 'hashmap', 'hash', 'record', 'struct', 'json', 'mapping'],
  array: [
    'list',
    'tuple',
    'set',
    'arraylist',
    'vector',
    'sequence',
    'arr',
    'iterable',
    'queue',
    'stack',
    'linkedlist',
    'hashset',
  ],
  string: [
    'str',
    'text',
    'char',
    'character',
    'varchar',
    'date',
    'datetime',
    'time',
    'uuid',
    'bytes',
    'file',
    'uri',
    'url',
    'path',
    'email',
    'byte[]',
  ],
  number: ['float', 'double', 'decimal', 'real', 'numeric', 'float32', 'float64', 'complex'],
  integer: ['int', 'long', 'short', 'byte', 'bigint', 'int32', 'int64', 'uint', 'uint32', 'uint64', 'biginteger'],
  boolean: ['bool', 'logical'],
  null: ['none', 'nil', 'void', 'nonetype', 'undefined'],
};
const anything: readonly string[] = [
  'any',
  'unknown',
  'mixed',
  'variant',
  'interface{}',
  'dynamic',
  'callable',
  'function',
  'class',
];

const standard: ReadonlySet<string> = new Set(Object.keys(words));
const byWord: ReadonlyMap<string, string | null> = new Map<string, string | null>([
  ...Object.entries(words).flatMap(([type, others]) => others.map((other): [string, string] => [other, type])),
  ...anything.map((word): [string, null] => [word, null]),
]);

/**
 * The JSON Schema type for a type name of another language, such as `object` for Python's `dict` or `array` for
 * `List[int]`; `null` where no type is meant, as in `any`; `undefined` for a word that is JSON Schema already, or that
 * nobody knows.
 */
export function wordFor(type: string): string | null | undefined {
  if (standard.has(type)) return undefined;
  const bare = type.trim().toLowerCase();
  if (standard.has(bare)) return bare;
  const known = byWord.get(bare);
  if (known !== undefined) return known;
  if (bare.endsWith('[]')) return 'array';
  const generic = /^([a-z_][a-z0-9_.]*)\s*[<[(]/.exec(bare)?.[1];
  if (generic === undefined) return undefined;
  return standard.has(generic) ? generic : byWord.get(generic);
}
