import { ToolError } from '../errors.ts';

/** Makers of what code throws that nobody thought of. */
export const oddThrows: readonly (() => unknown)[] = [
  () => new Error('Something broke.'),
  () => new TypeError("Cannot read properties of undefined (reading 'x')"),
  () => new ToolError('The service is closed.', { code: 'unavailable' }),
  () => new AggregateError([new Error('one'), 'two'], 'Several broke.'),
  () => new DOMException('Taken back.', 'AbortError'),
  () => 'a text',
  () => '',
  () => 42,
  () => null,
  () => undefined,
  () => Symbol('odd'),
  () => Object.freeze({ code: 'EODD' }),
  () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    return circular;
  },
  () => ({
    get message(): never {
      throw new Error('cannot even be read');
    },
  }),
  () => new Proxy({}, { get: unreadable, getPrototypeOf: unreadable, ownKeys: unreadable }),
];

function unreadable(): never {
  throw new Error('cannot even be looked at');
}
