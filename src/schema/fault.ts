/** Why arguments cannot be used, as a short word for the program. */
export type ArgumentsFaultReason =
  | 'not_json'
  | 'truncated'
  | 'duplicate_key'
  | 'forbidden_key'
  | 'too_large'
  | 'too_deep'
  | 'too_many_values'
  | 'not_an_object'
  | 'double_encoded'
  | 'not_plain_data';

/** Where in a text, and where in a value, a fault was found; as far as either is known. */
export interface FaultPlace {
  /** From 1. */
  readonly line?: number;
  /** In characters, from 1. */
  readonly column?: number;
  /** JSON pointer (RFC 6901) to the value. */
  readonly pointer?: string;
}

/** What `parseArguments` gives for arguments that cannot be used; an answer and not an exception. */
export class ArgumentsFault {
  readonly code: 'invalid_json' | 'invalid_arguments';
  readonly reason: ArgumentsFaultReason;
  /** Written for the model: what was wrong, where, and what to send instead. */
  readonly message: string;
  readonly place: FaultPlace;

  constructor(
    code: 'invalid_json' | 'invalid_arguments',
    reason: ArgumentsFaultReason,
    message: string,
    place: FaultPlace = {},
  ) {
    this.code = code;
    this.reason = reason;
    this.message = message;
    this.place = place;
  }
}
