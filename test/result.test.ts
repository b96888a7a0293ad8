import { describe, expect, it } from 'vitest';
import { errorCodes, isErrorCode } from '../src/errors.ts';
import { causeOf, type Failure, isVouchedFor, noMeta, rememberCause, vouchFor } from '../src/result.ts';

function failure(): Failure {
  return {
    ...({ ok: false, tool_name: 'tool', data: null, error: 'It failed.', call_id: 'c1', meta: noMeta } as const),
    ...({ code: 'tool_error', retryable: false, effect: 'none' } as const),
  };
}

describe('what is known of a failure beside what it says', () => {
  it('is seen by nobody', () => {
    const known = vouchFor(rememberCause(failure(), new Error('gone')));
    expect(known).toStrictEqual(failure());
    expect(Reflect.ownKeys(known)).toEqual(Reflect.ownKeys(failure()));
    expect(structuredClone(known)).toEqual(failure());
  });

  it('is the last cause that it was given, and a cause that is nothing changes nothing', () => {
    const known = rememberCause(rememberCause(failure(), 'one'), 'two');
    expect(causeOf(rememberCause(known, undefined))).toBe('two');
    expect(causeOf(rememberCause(known, null))).toBeNull();
    expect(causeOf(failure())).toBeUndefined();
  });

  it('belongs to this one failure and to no copy', () => {
    const copy = { ...vouchFor(rememberCause(failure(), 'cause')) };
    expect(causeOf(copy)).toBeUndefined();
    expect(isVouchedFor(copy, copy.error)).toBe(false);
  });

  it('is a word for the text that it had, whether it has a cause or not', () => {
    for (const known of [vouchFor(failure()), rememberCause(vouchFor(failure()), 'cause')]) {
      expect(isVouchedFor(known, known.error)).toBe(true);
      (known as { error: string }).error += ' And more.';
      expect(isVouchedFor(known, known.error)).toBe(false);
    }
    expect(isVouchedFor(failure(), failure().error)).toBe(false);
    expect(isVouchedFor(rememberCause(failure(), 'cause'), failure().error)).toBe(false);
  });
});

describe('an error code', () => {
  it('is one of the list, and nothing else', () => {
    expect(errorCodes.filter(isErrorCode)).toEqual(errorCodes);
    for (const other of ['', 'toString', 'Internal', 'internal ', undefined, null, 7, ['internal']]) {
      expect(isErrorCode(other)).toBe(false);
    }
  });
});
