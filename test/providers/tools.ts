import type { Failure, Success } from '../../src/result.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import type { Tool } from '../../src/tool.ts';

/** A tool that nothing runs: enough for definitions, reading and writing. */
export function toolNamed(name: string, parameters: JsonSchemaObject = { type: 'object', properties: {} }): Tool {
  return { name, description: `Does ${name}.`, parameters, handler: () => null };
}

export function success(call_id: string, data: unknown, tool_name = 'get_weather'): Success {
  return { ok: true, tool_name, data, error: null, call_id, meta: {} };
}

export function failure(call_id: string, error = 'No such city.', more: Partial<Failure> = {}): Failure {
  return {
    ok: false,
    tool_name: 'get_weather',
    data: null,
    error,
    call_id,
    meta: {},
    code: 'tool_error',
    retryable: false,
    effect: 'unknown',
    ...more,
  };
}

export const getWeather: Tool = {
  ...toolNamed('get_weather', {
    type: 'object',
    properties: { city: { type: 'string', description: 'Where.' }, days: { type: 'integer', minimum: 1, default: 3 } },
    required: ['city'],
  }),
  annotations: { title: 'Weather', readOnly: true },
  output: { type: 'object', properties: { celsius: { type: 'number' } } },
};

/** One pixel, and the smallest of PDF files in name only. */
export const png = 'iVBORw0KGgo=';
export const pdf = 'JVBERi0=';
