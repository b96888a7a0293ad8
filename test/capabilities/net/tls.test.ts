import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, fetchUnder } from './server.ts';

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasOpenssl())('a secure connection (needs openssl to make a certificate)', () => {
  let server: https.Server;
  let port = 0;
  let certificate = '';
  const names: unknown[] = [];

  beforeAll(async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'callgate-tls-'));
    const file = (name: string) => path.join(folder, name);
    const subject = ['-subj', '/CN=ok.example', '-addext', 'subjectAltName=DNS:ok.example'];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', file('key'), '-out', file('cert')], {
      stdio: 'ignore',
    });
    certificate = fs.readFileSync(file('cert'), 'utf8');
    const secrets = { key: fs.readFileSync(file('key')), cert: certificate };
    fs.rmSync(folder, { recursive: true });
    server = https.createServer(secrets, (request, response) => {
      names.push((request.socket as { servername?: unknown }).servername);
      if (request.url === '/down') response.writeHead(302, { location: 'http://ok.example/' });
      response.end('secure');
    });
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

  const options = (name: string, trusted = true) => ({
    allow: [`${name}:${port}`, 'ok.example'],
    privateAddresses: [`127.0.0.1:${port}`],
    lookup: async () => ['127.0.0.1'],
    ...(trusted && { certificateAuthorities: [certificate] }),
  });

  it('is made for the name that was asked for, though by address', async () => {
    const answer = await fetchUnder(options('ok.example'), `https://ok.example:${port}/`);
    expect(await answer.text()).toBe('secure');
    expect(names).toEqual(['ok.example']);
  });

  it.each([
    ['with another name', 'other.example', true],
    ['that nobody vouches for', 'ok.example', false],
  ])('does not do with a certificate %s', async (_, name, trusted) => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    // What the environment says does not count.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const outcome = await failureOf(fetchUnder(options(name, trusted), `https://${name}:${port}/`));
      expect(outcome).toBe('unavailable certificate');
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it('is not given up for an open one', async () => {
    const outcome = await failureOf(fetchUnder(options('ok.example'), `https://ok.example:${port}/down`));
    expect(outcome).toBe('url_denied redirect-scheme');
  });
});
