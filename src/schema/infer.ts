/**
 * The TypeScript type of the values that a literal JSON Schema describes. Keywords that the types cannot follow (`$ref`,
 * `not`, `if` ...) give `unknown`, which is never wrong.
 *
 * With `Filled`, as for arguments, it is the value after defaults were filled in: a property is present when it is
 * required or has a default. Without it, as for data and for what a caller sends, only when it is required.
 */
export type Infer<S, Filled extends boolean = true> = S extends boolean
  ? OfBoolean<S>
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends Combined
        ? OfPlain<S, Filled> & OfCombined<S, Filled>
        : OfPlain<S, Filled>;

type OfBoolean<S> = S extends true ? unknown : never;

type Combined =
  | { readonly anyOf: readonly unknown[] }
  | { readonly oneOf: readonly unknown[] }
  | { readonly allOf: readonly unknown[] };

type OfCombined<S, Filled extends boolean> = (S extends { readonly anyOf: readonly (infer Branch)[] }
  ? Infer<Branch, Filled>
  : unknown) &
  (S extends { readonly oneOf: readonly (infer Branch)[] } ? Infer<Branch, Filled> : unknown) &
  (S extends { readonly allOf: infer Parts extends readonly unknown[] } ? OfAll<Parts, Filled> : unknown);

type OfAll<Parts extends readonly unknown[], Filled extends boolean> = Parts extends readonly [
  infer First,
  ...infer Rest,
]
  ? Infer<First, Filled> & OfAll<Rest, Filled>
  : unknown;

type OfPlain<S, Filled extends boolean> = S extends { readonly type: infer Type }
  ? OfType<S, Type extends readonly (infer One)[] ? One : Type, Filled> | Nullable<S>
  : S extends { readonly properties: object }
    ? OfObject<S, Filled>
    : unknown;

type Nullable<S> = S extends { readonly nullable: true } ? null : never;

type OfType<S, Type, Filled extends boolean> = Type extends keyof Simple
  ? Simple[Type]
  : Type extends 'array'
    ? OfArray<S, Filled>
    : Type extends 'object'
      ? OfObject<S, Filled>
      : unknown;

interface Simple {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

type OfArray<S, Filled extends boolean> = S extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? OfTuple<S, Items, Filled>
  : S extends { readonly items: infer Items extends readonly unknown[] }
    ? OfTuple<S, Items, Filled>
    : S extends { readonly items: infer Item }
      ? Infer<Item, Filled>[]
      : unknown[];

// Items of a tuple may be left out in JSON Schema, unless `minItems` says otherwise; and more may follow.
type OfTuple<S, Items extends readonly unknown[], Filled extends boolean> = S extends {
  readonly minItems: Items['length'];
}
  ? [...Each<Items, Filled>, ...Following<S, Filled>]
  : [...Partial<Each<Items, Filled>>, ...Following<S, Filled>];

type Each<Items extends readonly unknown[], Filled extends boolean> = {
  -readonly [At in keyof Items]: Infer<Items[At], Filled>;
};

type Following<S, Filled extends boolean> = S extends { readonly maxItems: number }
  ? []
  : S extends { readonly prefixItems: unknown; readonly items: infer Item }
    ? OfFollowing<Item, Filled>
    : S extends { readonly prefixItems: unknown }
      ? unknown[]
      : S extends { readonly additionalItems: infer Item }
        ? OfFollowing<Item, Filled>
        : unknown[];

type OfFollowing<Item, Filled extends boolean> = Item extends false ? [] : Infer<Item, Filled>[];

type OfObject<S, Filled extends boolean> = S extends { readonly properties: infer Properties }
  ? OfProperties<Properties, Present<S, Properties, Filled>, Filled>
  : S extends { readonly additionalProperties: infer Value }
    ? Value extends false
      ? S extends { readonly patternProperties: infer Patterns }
        ? Record<string, Infer<Patterns[keyof Patterns], Filled>>
        : Record<string, never>
      : Record<string, Infer<Value, Filled>>
    : S extends { readonly '~kind': 'Record'; readonly patternProperties: infer Patterns }
      ? Record<string, Infer<Patterns[keyof Patterns], Filled>>
      : Record<string, unknown>;

type OfProperties<Properties, Names, Filled extends boolean> = Flat<
  {
    -readonly [Key in keyof Properties as Key extends Names ? Key : never]: Infer<Properties[Key], Filled>;
  } & {
    -readonly [Key in keyof Properties as Key extends Names ? never : Key]?: Infer<Properties[Key], Filled>;
  }
>;

type Present<S, Properties, Filled extends boolean> =
  | (S extends { readonly required: readonly (infer Key)[] } ? Key : never)
  | (Filled extends true
      ? {
          [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
        }[keyof Properties]
      : never);

type Flat<T> = { [Key in keyof T]: T[Key] };
