import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** What every contender has to do: check the arguments, run the handler under a deadline, wrap its result. */
export const parameters = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
  additionalProperties: false,
};
export const description = 'Adds two numbers.';
export const handler = async ({ a, b }) => a + b;
export const syncHandler = ({ a, b }) => a + b;
export const throwingHandler = async () => {
  throw new Error('the disk is full');
};

/** A new call object each time, as a model's answer would give. */
export const objectCall = () => ({ id: 'c1', name: 'add', arguments: { a: 2, b: 3 } });
export const textCall = () => ({ id: 'c1', name: 'add', arguments: '{"a":2,"b":3}' });
export const invalidCall = () => ({ id: 'c1', name: 'add', arguments: { a: 2, b: 'three' } });

/** In milliseconds; long enough never to pass while the bench runs. */
export const deadline = 30_000;

const noMeta = Object.freeze({});

/**
 * The floor, F1: the same thing written by hand in one async function. Parse if text, precompiled Ajv, await the handler,
 * build the envelope. `around` may wrap the handler's promise, for floors that have a deadline.
 */
export function floor(run = handler, around = undefined) {
  const Ajv = require('ajv').default;
  const validate = new Ajv().compile(parameters);
  const failure = (call, code, error, effect) => ({
    ok: false,
    tool_name: call.name,
    data: null,
    error,
    call_id: call.id,
    meta: noMeta,
    code,
    retryable: false,
    effect,
  });
  const success = (call, data) => ({
    ok: true,
    tool_name: call.name,
    data,
    error: null,
    call_id: call.id,
    meta: noMeta,
  });
  const parse = (value) => (typeof value === 'string' ? JSON.parse(value) : value);
  const explain = ([error]) => `Invalid arguments: ${error.instancePath} ${error.message}`;
  if (around === undefined) {
    return async function byHand(call) {
      try {
        const args = parse(call.arguments);
        if (!validate(args)) return failure(call, 'invalid_arguments', explain(validate.errors), 'none');
        return success(call, await run(args));
      } catch (error) {
        return failure(call, 'tool_error', error.message, 'unknown');
      }
    };
  }
  return async function byHandWithDeadline(call) {
    try {
      const args = parse(call.arguments);
      if (!validate(args)) return failure(call, 'invalid_arguments', explain(validate.errors), 'none');
      return success(call, await around(run(args)));
    } catch (error) {
      return failure(call, 'tool_error', error.message, 'unknown');
    }
  };
}
