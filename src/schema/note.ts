/** Something to say about one place of a schema. */
export interface SchemaNote {
  /** JSON pointer (RFC 6901) to the schema that is meant; `''` for the root. */
  readonly pointer: string;
  readonly keyword: string;
  /** One sentence without a full stop, for the author of the tool. */
  readonly message: string;
}
