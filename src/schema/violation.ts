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

/** A violation as our own search finds it, of whose message it is known whether it is a harmless text. */
export class Finding implements Violation {
  readonly pointer: string;
  readonly keyword: string;
  readonly expected: string;
  readonly received: string;
  readonly message: string;
  readonly #harmless: string;

  /** @param isHarmless whether the message is */
  constructor({ pointer, keyword, expected, received, message }: Violation, isHarmless: boolean) {
    this.pointer = pointer;
    this.keyword = keyword;
    this.expected = expected;
    this.received = received;
    this.message = message;
    this.#harmless = isHarmless ? message : '';
  }

  /** Whether the message of a violation is known to be a harmless text. */
  static isHarmless(violation: Violation): boolean {
    return violation instanceof Finding && violation.#harmless === violation.message;
  }
}
