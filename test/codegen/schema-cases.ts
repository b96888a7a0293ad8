/** A function, and the schema that its parameters must get: only what stands beside the fixed parts of an object schema. */
export interface SchemaCase {
  readonly title: string;
  /** Without `export`; the function is called `f`. */
  readonly source: string;
  readonly properties: Record<string, unknown>;
  readonly required?: readonly string[];
  readonly $defs?: Record<string, unknown>;
}

const text = { type: 'string' };
const number = { type: 'number' };

export const schemaCases: readonly SchemaCase[] = [
  {
    title: 'a required parameter and one with a default',
    source: `function f(keyword: string, limit = 5) {}`,
    properties: { keyword: text, limit: { type: 'number', default: 5 } },
    required: ['keyword'],
  },
  {
    title: 'the primitives, and unknown for any JSON value',
    source: `function f(a: string, b: number, c: boolean, d: null, e: unknown, g: object) {}`,
    properties: { a: text, b: number, c: { type: 'boolean' }, d: { type: 'null' }, e: {}, g: { type: 'object' } },
    required: ['a', 'b', 'c', 'd', 'e', 'g'],
  },
  {
    title: 'an optional parameter is not required, with either spelling',
    source: `function f(a?: string, b: number | undefined = undefined, c?: boolean | undefined) {}`,
    properties: { a: text, b: number, c: { type: 'boolean' } },
  },
  {
    title: 'nullable scalars have two types, nullable objects two branches',
    source: `function f(a: string | null, b: { x: number } | null, c: null | 'q' | 'p', d: string[] | null) {}`,
    properties: {
      a: { type: ['string', 'null'] },
      b: {
        anyOf: [
          { type: 'object', properties: { x: number }, required: ['x'], additionalProperties: false },
          { type: 'null' },
        ],
      },
      c: { type: ['string', 'null'], enum: ['q', 'p', null] },
      d: { anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
    },
    required: ['a', 'b', 'c', 'd'],
  },
  {
    title: 'literals keep the order of their declaration, inline and through aliases',
    source: `type Sort = 'new' | 'old' | 'best';
      type More = Sort | 'any' | 3 | 1;
      function f(a: 'z' | 'm' | 'a', b: Sort, c?: Sort, d: More = 'any', e: Sort | null = null, g: 2 | 10 | 1 = 1, h: 'one' = 'one') {}`,
    properties: {
      a: { type: 'string', enum: ['z', 'm', 'a'] },
      b: { type: 'string', enum: ['new', 'old', 'best'] },
      c: { type: 'string', enum: ['new', 'old', 'best'] },
      d: { type: ['string', 'number'], enum: ['new', 'old', 'best', 'any', 3, 1], default: 'any' },
      e: { type: ['string', 'null'], enum: ['new', 'old', 'best', null], default: null },
      g: { type: 'number', enum: [2, 10, 1], default: 1 },
      h: { type: 'string', const: 'one', default: 'one' },
    },
    required: ['a', 'b'],
  },
  {
    title: 'the order is found through keyof, lists of constants and utility types too',
    source: `const levels = ['low', 'high', 'critical'] as const;
      interface Columns { title: string; author: string; date: string }
      type Sort = 'new' | 'old' | 'best';
      function f(a: (typeof levels)[number], b: keyof Columns, c: Exclude<Sort, 'old'>, d: Array<Sort>, e: readonly (typeof levels)[number][]) {}`,
    properties: {
      a: { type: 'string', enum: ['low', 'high', 'critical'] },
      b: { type: 'string', enum: ['title', 'author', 'date'] },
      c: { type: 'string', enum: ['new', 'best'] },
      d: { type: 'array', items: { type: 'string', enum: ['new', 'old', 'best'] } },
      e: { type: 'array', items: { type: 'string', enum: ['low', 'high', 'critical'] } },
    },
    required: ['a', 'b', 'c', 'd', 'e'],
  },
  {
    title: 'enums by value, in their order; their members as defaults',
    source: `export enum Color { Red = 'red', Blue = 'blue', Amber = 'amber' }
      export enum Level { Low, High = 5 }
      function f(color: Color, level: Level = Level.High, one: Color.Blue = Color.Blue, some: Color.Red | Color.Amber = Color.Red) {}`,
    properties: {
      color: { type: 'string', enum: ['red', 'blue', 'amber'] },
      level: { type: 'number', enum: [0, 5], default: 5 },
      one: { type: 'string', const: 'blue', default: 'blue' },
      some: { type: 'string', enum: ['red', 'amber'], default: 'red' },
    },
    required: ['color'],
  },
  {
    title: 'unions of types',
    source: `function f(a: string | number, b: string | string[], c: 'auto' | number, d: boolean | 'yes', e: string | number | { x: string }) {}`,
    properties: {
      a: { type: ['string', 'number'] },
      b: { anyOf: [text, { type: 'array', items: text }] },
      c: { anyOf: [{ type: 'string', const: 'auto' }, number] },
      d: { anyOf: [{ type: 'boolean' }, { type: 'string', const: 'yes' }] },
      e: {
        anyOf: [
          { type: ['string', 'number'] },
          { type: 'object', properties: { x: text }, required: ['x'], additionalProperties: false },
        ],
      },
    },
    required: ['a', 'b', 'c', 'd', 'e'],
  },
  {
    title: 'a discriminated union; the property that can never be there is left out',
    source: `type Shape = { kind: 'circle'; radius: number; side?: never } | { kind: 'square'; side: number };
      function f(shape: Shape) {}`,
    properties: {
      shape: {
        anyOf: [
          {
            type: 'object',
            properties: { kind: { type: 'string', const: 'circle' }, radius: number },
            required: ['kind', 'radius'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { kind: { type: 'string', const: 'square' }, side: number },
            required: ['kind', 'side'],
            additionalProperties: false,
          },
        ],
      },
    },
    required: ['shape'],
  },
  {
    title: 'lists, tuples and records',
    source: `function f(a: string[], b: readonly number[][], c: [string, number], d: [x: string, y?: number], e: [string, ...boolean[]],
      g: Record<string, number>, h: { [key: string]: string[] }, i: Record<number, string>, j: Record<'b' | 'a', number>, k: { x: string; [key: string]: string }) {}`,
    properties: {
      a: { type: 'array', items: text },
      b: { type: 'array', items: { type: 'array', items: number } },
      c: { type: 'array', prefixItems: [text, number], items: false, minItems: 2 },
      d: { type: 'array', prefixItems: [text, number], items: false, minItems: 1 },
      e: { type: 'array', prefixItems: [text], items: { type: 'boolean' }, minItems: 1 },
      g: { type: 'object', additionalProperties: number },
      h: { type: 'object', additionalProperties: { type: 'array', items: text } },
      i: { type: 'object', propertyNames: { pattern: '^-?\\d+(\\.\\d+)?$' }, additionalProperties: text },
      j: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'], additionalProperties: false },
      k: { type: 'object', properties: { x: text }, required: ['x'], additionalProperties: text },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'g', 'h', 'i', 'j', 'k'],
  },
  {
    title: 'a rest parameter is a list that may be left out',
    source: `function f(first: string, ...tags: string[]) {}`,
    properties: { first: text, tags: { type: 'array', items: text } },
    required: ['first'],
  },
  {
    title: 'interfaces and aliases, nested and inherited, with the documentation of their properties',
    source: `interface Base { /** When it was made. */ since: number }
      interface Author extends Base {
        /** Full name. */
        name: string;
        /** @format email */
        mail?: string;
      }
      /** not the property's */
      type Note = { readonly title: string; author: Author; 'odd-name': boolean };
      function f(note: Note) {}`,
    properties: {
      note: {
        type: 'object',
        properties: {
          title: text,
          author: {
            type: 'object',
            properties: {
              since: { type: 'number', description: 'When it was made.' },
              name: { type: 'string', description: 'Full name.' },
              mail: { type: 'string', format: 'email' },
            },
            required: ['since', 'name'],
            additionalProperties: false,
          },
          'odd-name': { type: 'boolean' },
        },
        required: ['title', 'author', 'odd-name'],
        additionalProperties: false,
      },
    },
    required: ['note'],
  },
  {
    title: 'utility types and intersections are what they come to, in the order of the declarations',
    source: `interface Note { id: string; title: string; size: number; draft: boolean }
      function f(a: Partial<Pick<Note, 'size' | 'id'>>, b: Omit<Note, 'draft'> & { extra: string }, c: Required<{ x?: string }>) {}`,
    properties: {
      a: { type: 'object', properties: { id: text, size: number }, additionalProperties: false },
      b: {
        type: 'object',
        properties: { id: text, title: text, size: number, extra: text },
        required: ['id', 'title', 'size', 'extra'],
        additionalProperties: false,
      },
      c: { type: 'object', properties: { x: text }, required: ['x'], additionalProperties: false },
    },
    required: ['a', 'b', 'c'],
  },
  {
    title: 'recursive types become definitions; what is not recursive stays inline',
    source: `interface Comment { text: string; replies?: Comment[]; parent: Comment | null }
      type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
      interface Doc { body: Json; extra?: Json }
      function f(comment: Comment, doc: Doc, data: Json) {}`,
    properties: {
      comment: { $ref: '#/$defs/Comment' },
      doc: {
        type: 'object',
        properties: { body: { $ref: '#/$defs/Json' }, extra: { $ref: '#/$defs/Json' } },
        required: ['body'],
        additionalProperties: false,
      },
      data: { $ref: '#/$defs/Json' },
    },
    required: ['comment', 'doc', 'data'],
    $defs: {
      Comment: {
        type: 'object',
        properties: {
          text,
          replies: { type: 'array', items: { $ref: '#/$defs/Comment' } },
          parent: { anyOf: [{ $ref: '#/$defs/Comment' }, { type: 'null' }] },
        },
        required: ['text', 'parent'],
        additionalProperties: false,
      },
      Json: {
        anyOf: [
          { type: ['string', 'number', 'boolean', 'null'] },
          { type: 'array', items: { $ref: '#/$defs/Json' } },
          { type: 'object', additionalProperties: { $ref: '#/$defs/Json' } },
        ],
      },
    },
  },
  {
    title: 'types that contain each other, and generic ones',
    source: `interface Folder<T> { entries: (File<T> | Folder<T>)[] }
      interface File<T> { inside?: Folder<T>; content: T }
      function f(root: Folder<string>, other: Folder<number>) {}`,
    properties: { root: { $ref: '#/$defs/Folder' }, other: { $ref: '#/$defs/Folder2' } },
    required: ['root', 'other'],
    $defs: Object.fromEntries(
      [
        ['Folder', 'string'],
        ['Folder2', 'number'],
      ].map(([name, type]) => [
        name,
        {
          type: 'object',
          properties: {
            entries: {
              type: 'array',
              items: {
                anyOf: [
                  {
                    type: 'object',
                    properties: { inside: { $ref: `#/$defs/${name}` }, content: { type } },
                    required: ['content'],
                    additionalProperties: false,
                  },
                  { $ref: `#/$defs/${name}` },
                ],
              },
            },
          },
          required: ['entries'],
          additionalProperties: false,
        },
      ]),
    ),
  },
  {
    title: 'the fields of a destructured parameter stand beside the others, with their defaults',
    source: `interface Options { limit?: number; /** Which ones. */ tags?: string[]; exact: boolean; rest?: string }
      function f(keyword: string, { limit = 10, tags: only = ['a'], exact }: Options) {}`,
    properties: {
      keyword: text,
      limit: { type: 'number', default: 10 },
      tags: { type: 'array', items: text, description: 'Which ones.', default: ['a'] },
      exact: { type: 'boolean' },
      rest: text,
    },
    required: ['keyword', 'exact'],
  },
  {
    title: 'a destructured parameter without a written type',
    source: `function f({ limit = 10, sort = 'new' } = {}) {}`,
    properties: { limit: { type: 'number', default: 10 }, sort: { type: 'string', default: 'new' } },
  },
  {
    title: 'Date is text in JSON',
    source: `function f(since: Date, until?: Date | null, days: Date[] = []) {}`,
    properties: {
      since: { type: 'string', format: 'date-time' },
      until: { type: ['string', 'null'], format: 'date-time' },
      days: { type: 'array', items: { type: 'string', format: 'date-time' }, default: [] },
    },
    required: ['since'],
  },
  {
    title: 'defaults that are known without running anything',
    source: `const size = 20; const settings = { depth: 3 } as const;
      function f(a = -1, b = 30 * 1_000, c = size, d = settings.depth, e = \`text\`, g = [1, 2], h = { x: [true, null] }, i: string | null = null, j = ('x' as string), k = 2 ** 10 - 1) {}`,
    properties: {
      a: { type: 'number', default: -1 },
      b: { type: 'number', default: 30_000 },
      c: { type: 'number', default: 20 },
      d: { type: 'number', const: 3, default: 3 },
      e: { type: 'string', default: 'text' },
      g: { type: 'array', items: number, default: [1, 2] },
      h: {
        type: 'object',
        properties: { x: { type: 'array', items: { type: ['boolean', 'null'] } } },
        required: ['x'],
        additionalProperties: false,
        default: { x: [true, null] },
      },
      i: { type: ['string', 'null'], default: null },
      j: { type: 'string', default: 'x' },
      k: { type: 'number', default: 1023 },
    },
  },
  {
    title: 'descriptions and constraints by tag, on parameters, their fields and their items',
    source: `/**
       * Searches.
       *
       * @param keyword - the word, with a {@link Date a link} in it
       *   and a second line
       * @param {number} limit how many
       * @param [page=1] which page
       * @param options.depth how deep
       * @param tags labels
       * @minLength keyword 2
       * @maxLength keyword 40
       * @pattern keyword ^[a-z @]+$
       * @integer limit
       * @minimum limit 1
       * @maximum limit 50
       * @exclusiveMinimum page 0
       * @multipleOf page 0.5
       * @integer options.depth
       * @minItems tags 1
       * @maxItems tags 9
       * @uniqueItems tags
       * @minLength tags[] 3
       * @integer ids
       * @format mail email
       * @maxProperties map 7
       */
      function f(keyword: string, limit = 5, page = 1, options: { depth: number }, tags: string[], ids: number[], mail: string | null, map: Record<string, string>) {}`,
    properties: {
      keyword: {
        type: 'string',
        description: 'the word, with a a link in it\n  and a second line',
        minLength: 2,
        maxLength: 40,
        pattern: '^[a-z @]+$',
      },
      limit: { type: 'integer', default: 5, description: 'how many', minimum: 1, maximum: 50 },
      page: { type: 'number', default: 1, description: 'which page', exclusiveMinimum: 0, multipleOf: 0.5 },
      options: {
        type: 'object',
        properties: { depth: { type: 'integer', description: 'how deep' } },
        required: ['depth'],
        additionalProperties: false,
      },
      tags: {
        type: 'array',
        items: { type: 'string', minLength: 3 },
        description: 'labels',
        minItems: 1,
        maxItems: 9,
        uniqueItems: true,
      },
      ids: { type: 'array', items: { type: 'integer' } },
      mail: { type: ['string', 'null'], format: 'email' },
      map: { type: 'object', additionalProperties: text, maxProperties: 7 },
    },
    required: ['keyword', 'options', 'tags', 'ids', 'mail', 'map'],
  },
  {
    title: 'constraints and defaults on properties',
    source: `interface Page {
        /**
         * How many.
         * @integer
         * @minimum 1
         * @default 20
         */
        size?: number;
        /** Old. @deprecated */
        offset?: number | null;
        /** @title Search text @pattern ^\\S+$ */
        query: string;
      }
      function f(page: Page) {}`,
    properties: {
      page: {
        type: 'object',
        properties: {
          size: { type: 'integer', description: 'How many.', minimum: 1, default: 20 },
          offset: { type: ['number', 'null'], description: 'Old.', deprecated: true },
          query: { type: 'string', title: 'Search text', pattern: '^\\S+$' },
        },
        required: ['query'],
        additionalProperties: false,
      },
    },
    required: ['page'],
  },
  {
    title: 'the documentation of a destructured parameter, under whatever name',
    source: `/**
       * Searches.
       * @param options - the options
       * @param options.limit - how many
       * @param exact - whether exactly
       */
      function f({ limit = 3, exact = false }: { limit?: number; exact?: boolean } = {}) {}`,
    properties: {
      limit: { type: 'number', description: 'how many', default: 3 },
      exact: { type: 'boolean', description: 'whether exactly', default: false },
    },
  },
  {
    title: 'the context and a signal come from the router, also from among destructured fields',
    source: `import type { ToolContext } from 'callgate';
      /**
       * @param word the word
       * @param context the context
       */
      function f(word: string, { timeout = 5, signal }: { timeout?: number; signal?: AbortSignal }, context: ToolContext) {}`,
    properties: { word: { type: 'string', description: 'the word' }, timeout: { type: 'number', default: 5 } },
    required: ['word'],
  },
  {
    title: 'constrained generics, brands and template literals',
    source: `type Id = string & { readonly __brand: 'id' };
      function f<K extends 'b' | 'a'>(key: K, id: Id, version: \`v\${number}.\${number}\`, path: \`/\${string}\`, list: K[]) {}`,
    properties: {
      key: { type: 'string', enum: ['b', 'a'] },
      id: text,
      version: { type: 'string', pattern: '^v-?\\d+(\\.\\d+)?\\.-?\\d+(\\.\\d+)?$' },
      path: { type: 'string', pattern: '^\\/[\\s\\S]*$' },
      list: { type: 'array', items: { type: 'string', enum: ['b', 'a'] } },
    },
    required: ['key', 'id', 'version', 'path', 'list'],
  },
  {
    title: 'documentation beside a parameter, comments that are none, and text outside ASCII',
    source: `/** Ünïcödé 😀 */
      // between
      /* also between */
      function f(/** größe 😀 @minimum 1 */ größe: number, /* no */ b: string) {}`,
    properties: { größe: { type: 'number', description: 'größe 😀', minimum: 1 }, b: text },
    required: ['größe', 'b'],
  },
  {
    title: 'members of enums as written; what the function does not name itself, by value',
    source: `type Handler = (word: 'z' | 'a', limit?: number) => void;
      enum Side { Left = 'l', Right = 'r' }
      function f(side: Side.Right | Side.Left, handler: Parameters<Handler>) {}`,
    properties: {
      side: { type: 'string', enum: ['r', 'l'] },
      handler: {
        type: 'array',
        prefixItems: [{ type: 'string', enum: ['a', 'z'] }, number],
        items: false,
        minItems: 1,
      },
    },
    required: ['side', 'handler'],
  },
  {
    title: 'a function without parameters',
    source: `function f() {}`,
    properties: {},
  },
];
