import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const hide = `
  import { register } from 'node:module';
  const hooks = \`export async function resolve(name, context, next) {
    if (!name.startsWith('@modelcontextprotocol/')) return next(name, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  }\`;
  register('data:text/javascript,' + encodeURIComponent(hooks));
`;
const program = `
  import { createRegistry } from './src/index.ts';
  import { mcpTools } from './src/mcp/index.ts';
  const connect = (source) => mcpTools(source, { name: 'a', registry: createRegistry() }).catch((error) => error.message);
  console.log(await connect({ command: 'x' }));
  console.log(await connect({ url: 'http://127.0.0.1:9/' }));
`;

test('without the client package the error says which one to install', async () => {
  const imports = ['--import', `data:text/javascript,${encodeURIComponent(hide)}`, '--import', 'tsx'];
  const { stdout } = await promisify(execFile)(process.execPath, [...imports, '--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
  });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toContain('npm install @modelcontextprotocol/client');
});
