import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configSchema } from '../../../src/mcp/gateway/config-schema.ts';

it('the schema for editors is the one that configurations are checked by', () => {
  const file = new URL('../../../src/mcp/gateway/callgate.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(configSchema);
});
