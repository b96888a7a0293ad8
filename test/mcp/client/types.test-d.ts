import type { Client } from '@modelcontextprotocol/client';
import { expectTypeOf, test } from 'vitest';
import type { ConnectedClient } from '../../../src/mcp/index.ts';

test('a client of the package is a source', () => {
  expectTypeOf<Client>().toExtend<ConnectedClient>();
});
