import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openGateway } from '../../../src/mcp/gateway/open.ts';
import { parseGatewayConfig } from '../../../src/mcp/gateway/read-config.ts';
import { folderWith } from '../../cli/run-cli.ts';

const script = fileURLToPath(new URL('./scripted-server.mjs', import.meta.url));

it('a gateway that is closed answers the calls under way, and takes no more', async () => {
  const text = JSON.stringify({ mcpServers: { s: { command: process.execPath, args: [script] } }, mode: 'trusted' });
  const config = parseGatewayConfig(text, { name: 'callgate.json', folder: folderWith({}), environment: process.env });
  const gateway = await openGateway(config, { report: () => {} });
  const { router } = gateway;
  const underWay = router.call({ name: 's.hang' });
  expect(await router.call({ name: 's.pid' })).toMatchObject({ ok: true });
  const closed = gateway.close();
  expect(await router.call({ name: 's.pid' })).toMatchObject({
    error: 'This router has been closed and takes no more calls.',
  });
  expect(await underWay).toMatchObject({
    code: 'aborted',
    error: 'The call was stopped, since its router was closed.',
  });
  await closed;
  await gateway.close();
});
