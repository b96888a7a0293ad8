import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const hide = (packages: string) => `
  import { register } from 'node:module';
  const hooks = \`export async function resolve(name, context, next) {
    if (!name.startsWith('${packages}')) return next(name, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  }\`;
  register('data:text/javascript,' + encodeURIComponent(hooks));
`;
const importing = `
  import { createRegistry, createRouter } from './src/index.ts';
  import { mcpServer, mcpTools, serveMcpHttp, serveMcpStdio } from './src/mcp/index.ts';
  const router = createRouter({ tools: [] });
  const connect = (source) => mcpTools(source, { name: 'a', registry: createRegistry() });
  const said = (work) => work.then(() => 'it worked', (error) => error.message).then(console.log);
`;

const rows: [missing: string, install: string, work: readonly string[]][] = [
  ['client', 'client', ["connect({ command: 'x' })", "connect({ url: 'http://127.0.0.1:9/' })"]],
  ['server', 'server', ['serveMcpStdio(router)', 'serveMcpHttp(router)', 'mcpServer(router)()']],
  ['node', 'node', ['serveMcpHttp(router)']],
];

test.each(rows)('without the %s package the error says to install %s', async (missing, install, work) => {
  const hidden = encodeURIComponent(hide(`@modelcontextprotocol/${missing}`));
  const imports = ['--import', `data:text/javascript,${hidden}`, '--import', 'tsx'];
  const program = `${importing}${work.map((one) => `await said(${one});`).join('\n')}`;
  const { stdout } = await promisify(execFile)(process.execPath, [...imports, '--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(work.length);
  for (const line of lines) expect(line).toMatch(new RegExp(`npm install @modelcontextprotocol/${install}$`));
});
