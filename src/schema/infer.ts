/**
 * The TypeScript type of the values that a literal JSON Schema describes, after defaults were filled in: a property is
 * present when it is required or has a default. Keywords that the types cannot follow (`$ref`, `not`, `if` ...) give
 * `unknown`, which is never wrong.
 */
export type Infer<S> = S extends true
  ? unknown
  : S extends false
    ? never
    : S extends { readonly const: infer Value }
      ? Value
      : S extends { readonly enum: readonly (infer Value)[] }
        ? Value
        : S extends { readonly anyOf: readonly (infer Branch)[] }
          ? Infer<Branch>
          : S extends { readonly oneOf: readonly (infer Branch)[] }
            ? Infer<Branch>
            : S extends { readonly type: infer Type }
              ? OfType<S, Type extends readonly (infer One)[] ? One : Type> | Nullable<S>
              : S extends { readonly properties: object }
                ? OfObject<S>
                : unknown;

type Nullable<S> = S extends { readonly nullable: true } ? null : never;

type OfType<S, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? OfArray<S>
          : Type extends 'object'
            ? OfObject<S>
            : unknown;

type OfArray<S> = S extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? OfTuple<S, Items>
  : S extends { readonly items: infer Items extends readonly unknown[] }
    ? OfTuple<S, Items>
    : S extends { readonly items: infer Item }
      ? Infer<Item>[]
      : unknown[];

// Items of a tuple may be left out in JSON Schema, unless `minItems` says otherwise.
type OfTuple<S, Items extends readonly unknown[]> = S extends { readonly minItems: Items['length'] }
  ? { -readonly [At in keyof Items]: Infer<Items[At]> }
  : Partial<{ -readonly [At in keyof Items]: Infer<Items[At]> }>;

type OfObject<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Key in keyof Properties as Key extends Present<S, Properties> ? Key : never]: Infer<Properties[Key]>;
      } & {
        -readonly [Key in keyof Properties as Key extends Present<S, Properties> ? never : Key]?: Infer<
          Properties[Key]
        >;
      }
    >
  : S extends { readonly additionalProperties: infer Value }
    ? Value extends false
      ? Record<string, never>
      : Record<string, Infer<Value>>
    : Record<string, unknown>;

type Present<S, Properties> =
  | (S extends { readonly required: readonly (infer Key)[] } ? Key : never)
  | {
      [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
    }[keyof Properties];

type Flat<T> = { [Key in keyof T]: T[Key] };
