import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/output/redact.ts';

// Made up, and put together here so that no scanner takes this file for a leak.
const alnum = (length: number): string => 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0fG'.repeat(10).slice(0, length);
const jwt = `eyJ${alnum(20)}.eyJ${alnum(40)}.${alnum(43)}`;
const pem = (kind: string): string =>
  `-----BEGIN ${kind}-----\n${`${alnum(64)}\n`.repeat(20)}${alnum(20)}==\n-----END ${kind}-----`;

const found: [what: string, secret: string, type: string][] = [
  ['an AWS key id', `AKIA${'ABCDEFGH23456789'}`, 'aws'],
  ['a temporary AWS key id', `ASIA${'ABCDEFGH23456789'}`, 'aws'],
  ['a GitHub token', `ghp_${alnum(36)}`, 'github'],
  ['a GitHub server token', `ghs_${alnum(36)}`, 'github'],
  ['a fine-grained GitHub token', `github_pat_${alnum(22)}_${alnum(59)}`, 'github'],
  ['a GitLab token', `glpat-${alnum(20)}`, 'gitlab'],
  ['an OpenAI key', `sk-${alnum(48)}`, 'api-key'],
  ['an OpenAI project key', `sk-proj-${alnum(60)}-${alnum(30)}`, 'api-key'],
  ['an Anthropic key', `sk-ant-api03-${alnum(93)}-AA`, 'api-key'],
  ['a Slack bot token', `xoxb-1234567890-${alnum(24)}`, 'slack'],
  ['a Slack app token', `xapp-1-${alnum(30)}`, 'slack'],
  ['a Google key', `AIza${alnum(35)}`, 'google'],
  ['an npm token', `npm_${alnum(36)}`, 'npm'],
  ['a Stripe key', `sk_live_${alnum(24)}`, 'stripe'],
  ['a JSON Web Token', jwt, 'jwt'],
  ['a private key', pem('PRIVATE KEY'), 'private-key'],
  ['an RSA key', pem('RSA PRIVATE KEY'), 'private-key'],
  ['an OpenSSH key', pem('OPENSSH PRIVATE KEY'), 'private-key'],
  ['an encrypted key', pem('ENCRYPTED PRIVATE KEY'), 'private-key'],
  ['an OpenPGP key', pem('PGP PRIVATE KEY BLOCK'), 'private-key'],
  ['a private key written as JSON', JSON.stringify(pem('EC PRIVATE KEY')).slice(1, -1), 'private-key'],
  ['a private key whose end is missing', pem('PRIVATE KEY').split('\n').slice(0, 4).join('\n'), 'private-key'],
];

const spared: string[] = [
  'task-list-for-2024-10-10-and-more',
  'the disk-usage-of-volume-0123456789',
  'class="sk-folding-cube-loader-inner"',
  'https://example.com/a:b@c',
  'http://[::1]:8080/path@x',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source code of a tool's caller
  'postgres://${user}:${password}@host/db',
  'postgres://{user}:{password}@host/db',
  'redis://user:***@host',
  'mailto:someone@example.com',
  '-----BEGIN PRIVATE KEY----- is how such a file begins',
  '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUabc\n-----END CERTIFICATE-----',
  'npm_config_registry and npm_package_name',
  'eyJhbGciOiJIUzI1NiJ9 alone is only a header',
  'the bearer of this letter',
  'Bearer authentication-is-used-here',
  'ghp_short AKIA1234 xoxb-1 AIzaX',
];

describe('createRedactor', () => {
  const { redact } = createRedactor();

  it.each(found)('finds %s', (_what, secret, type) => {
    const kinds = new Set<string>();
    expect(redact(secret, kinds)).toBe(`[redacted:${type}]`);
    expect([...kinds]).toEqual([type]);
    expect(redact(`key = "${secret}"; next`)).toBe(`key = "[redacted:${type}]"; next`);
    expect(redact(`${secret}\n${secret}`).split('\n')).toEqual([`[redacted:${type}]`, `[redacted:${type}]`]);
  });

  it.each(spared)('leaves %j', (text) => {
    const kinds = new Set<string>();
    expect(redact(text, kinds)).toBe(text);
    expect(kinds.size).toBe(0);
  });

  it('takes only the secret part of what gives it away', () => {
    expect(redact('postgres://user:pa55@host:5432/db')).toBe('postgres://[redacted:credentials]@host:5432/db');
    expect(redact('https://user:p@ss@host/')).toBe('https://[redacted:credentials]@host/');
    expect(redact('https://:tokentoken@host/')).toBe('https://[redacted:credentials]@host/');
    expect(redact(`Authorization: Bearer ${alnum(30)}`)).toBe('Authorization: Bearer [redacted:bearer]');
    expect(redact(`aws_secret_access_key = ${alnum(40)}`)).toBe('aws_secret_access_key = [redacted:aws]');
    expect(redact(`"SecretAccessKey": "${alnum(40)}"`)).toBe('"SecretAccessKey": "[redacted:aws]"');
  });

  it('finds the last, short line of a private key that is cut off', () => {
    expect(redact(`before ${pem('PRIVATE KEY').slice(0, 300)}`)).toBe('before [redacted:private-key]');
  });

  it('finds secrets that stand next to each other', () => {
    const text = `npm_${alnum(36)}AKIAABCDEFGH23456789ghp_${alnum(36)}`;
    expect(redact(text)).toBe('[redacted:npm][redacted:aws][redacted:github]');
  });

  it('gives a text without secrets as it is', () => {
    expect(redact('short')).toBe('short');
    expect(redact('x'.repeat(100_000))).toBe('x'.repeat(100_000));
  });

  it.each([
    ['-----BEGIN PRIVATE KEY-----', 20_000],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkqhkiG9w0BAQ\n', 20_000],
    ['-----BEGIN PRIVATE KEY-----\n-----END CERTIFICATE-----\n', 20_000],
    ['eyJ', 300_000],
    ['eyJaaaaa.', 100_000],
    ['sk-', 300_000],
    ['-sk-', 300_000],
    ['://a:', 200_000],
    ['secret_key=', 100_000],
    ['Bearer ', 100_000],
    ['A', 1_000_000],
  ])('takes linear time for %j again and again', (unit, times) => {
    const begun = performance.now();
    redact(unit.repeat(times));
    // About 20 ms; what grows with the square takes minutes.
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('refuses what cannot work', () => {
    expect(() => createRedactor({ secrets: [1 as unknown as string] })).toThrow(TypeError);
    expect(() => createRedactor({ patterns: [{ type: 'X!', triggers: ['x'], pattern: /x/g }] })).toThrow(/type/);
    expect(() => createRedactor({ patterns: [{ type: 'x', triggers: ['x'], pattern: /x/ }] })).toThrow(/g flag/);
    expect(() => createRedactor({ patterns: [{ type: 'x', triggers: [], pattern: /x/g }] })).toThrow(/trigger/);
  });

  it('takes patterns of your own', () => {
    const own = createRedactor({ patterns: [{ type: 'badge', triggers: ['EMP-'], pattern: /EMP-\d{6}/g }] });
    expect(own.redact('EMP-123456')).toBe('[redacted:badge]');
  });
});

describe('known secrets', () => {
  const secret = 'pässword/with "quotes" & more';
  const { redact } = createRedactor({ secrets: [secret, 'hunter2hunter2', 'short', 'redacted'] });

  const forms: [form: string, text: string][] = [
    ['as it is', secret],
    ['in base64', Buffer.from(secret).toString('base64').replace(/=+$/, '')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded in lower case', encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['as a form field', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['JSON-escaped', JSON.stringify(secret)],
  ];

  it.each(forms)('are found %s (O11)', (_form, text) => {
    const clean = redact(`<${text}>`);
    expect(clean).toContain('[redacted:secret]');
    expect(clean.replace('[redacted:secret]', '').length).toBeLessThan(8);
  });

  it.each(['', 'u', 'us', 'user'])('are found in base64 after %j', (user) => {
    const header = Buffer.from(`${user}:hunter2hunter2:x`).toString('base64');
    expect(redact(`Basic ${header}`)).toContain('[redacted:secret]');
  });

  it('are ignored when they are shorter than 8 characters', () => {
    expect(redact('a short text')).toBe('a short text');
  });

  it('leave no remnant where they overlap', () => {
    const { redact: both } = createRedactor({ secrets: ['12345678', '56789abc', 'xyxyxyxy'] });
    expect(both('_123456789abc_')).toBe('_[redacted:secret]_');
    expect(both('_xyxyxyxyxyxy_')).toBe('_[redacted:secret]_');
  });

  it('are found without end in a long text of them, in linear time', () => {
    const begun = performance.now();
    expect(redact('hunter2hunter2'.repeat(70_000))).not.toContain('hunter2');
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe('redaction', () => {
  const secrets = ['s3cr3t-value', 'another=secret', '0123456789'];
  const { redact } = createRedactor({ secrets });
  const part = fc.oneof(
    fc.constantFrom(
      ...found.map(([, secret]) => secret),
      ...secrets,
      '://',
      ':',
      '@',
      'u',
      'Bearer ',
      'sk-',
      'eyJ',
      ' ',
      '\n',
      'a',
      '9',
    ),
    fc.string({ maxLength: 5 }),
  );

  it('changes nothing more when done again', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const once = redact(parts.join(''));
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  it('lets no known secret through', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const clean = redact(parts.join(''));
        for (const secret of secrets) expect(clean).not.toContain(secret);
      }),
      { numRuns: 1_000 },
    );
  });
});
