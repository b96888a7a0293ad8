import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { TracedCall } from 'callgate';
import { expectTypeOf, test } from 'vitest';
import { callChannel, stageChannel } from '../../src/observing/diagnostics.ts';

test('the channels mean the same where the type parameters have changed places, as in @types/node 26', () => {
  expectTypeOf(callChannel).toEqualTypeOf<TracingChannel<object, object>>();
  expectTypeOf(stageChannel).toEqualTypeOf<TracingChannel<object, object>>();
});

test('a store of spans is bound to calls', () => {
  const active = new AsyncLocalStorage<{ readonly name: string }>();
  const calls = tracingChannel<{ readonly name: string }, TracedCall>('callgate:call');
  calls.start.bindStore(active, (event) => {
    expectTypeOf(event).toEqualTypeOf<TracedCall>();
    return { name: event.call.name };
  });
});
