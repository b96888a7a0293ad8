/** One way in which a value does not fit its schema. */
export interface Violation {
  /** JSON pointer (RFC 6901) to the value, or to the property that is missing; `''` for the whole. */
  readonly pointer: string;
  /** The keyword of JSON Schema that was broken, such as `type` or `required`. */
  readonly keyword: string;
  /** What would have fitted, such as `integer` or `one of "a", "b"`. */
  readonly expected: string;
  /** What was there, such as `string "4"`; values are cut at 80 characters. */
  readonly received: string;
  /** One sentence without a full stop: `/a must be integer (got string "4")`. */
  readonly message: string;
}
