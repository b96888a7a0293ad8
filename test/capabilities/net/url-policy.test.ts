import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressBits, isPublic } from '../../../src/capabilities/net/addresses.ts';
import { UrlPolicy, type UrlPolicyOptions } from '../../../src/capabilities/net/url-policy.ts';
import type { ToolError } from '../../../src/errors.ts';

/** The canonical URL, or why it was refused. */
function verdict(policy: UrlPolicy, input: unknown): string {
  try {
    return policy.check(input).href;
  } catch (error) {
    return (((error as ToolError).options.details ?? {}) as { reason: string }).reason;
  }
}

const open = new UrlPolicy();
const listed = new UrlPolicy({ allow: ['ok.example', '*.sub.example'] });

type Row = readonly [what: string, input: string, expected: string];

const spellings: readonly Row[] = [
  ['U1 loopback', 'http://127.0.0.1/', 'address'],
  ['U2 a decimal number', 'http://2130706433/', 'address'],
  ['U3 hexadecimal and short', 'http://0x7f.1/', 'address'],
  ['U4 octal parts', 'http://0177.0.0.1/', 'address'],
  ['U5 one octal number', 'http://017700000001/', 'address'],
  ['U6 short', 'http://127.1/', 'address'],
  ['U7 zero', 'http://0/', 'address'],
  ['U8 circled digits', 'http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/', 'address'],
  ['U9 a trailing dot', 'http://127.0.0.1./', 'address'],
  ['U10 ideographic dots', 'http://127\u30020\u30020\u30021/', 'address'],
  ['U11 localhost with its dot', 'http://localhost./', 'special-name'],
  ['U12 circled letters', 'http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/', 'special-name'],
  ['U13 below localhost', 'http://foo.localhost/', 'special-name'],
  ['U14 IPv6 loopback', 'http://[::1]/', 'address'],
  ['U15 unspecified', 'http://[::]/', 'address'],
  ['U16 mapped loopback', 'http://[::ffff:127.0.0.1]/', 'address'],
  ['U17 the same in hexadecimal', 'http://[::ffff:7f00:1]/', 'address'],
  ['U18 compatible', 'http://[::127.0.0.1]/', 'address'],
  ['U19 NAT64', 'http://[64:ff9b::7f00:1]/', 'address'],
  ['U20 local NAT64', 'http://[64:ff9b:1::7f00:1]/', 'address'],
  ['U21 6to4', 'http://[2002:7f00:1::]/', 'address'],
  ['U22 Teredo', 'http://[2001:0:7f00:1::]/', 'address'],
  ['U23 a zone', 'http://[fe80::1%25eth0]/', 'syntax'],
  ['U24 metadata by IPv6', 'http://[fd00:ec2::254]/', 'address'],
  ['U25 metadata', 'http://169.254.169.254/latest/', 'address'],
  ['U26 metadata in octal', 'http://0251.0376.0251.0376/', 'address'],
  ['U27 shared by carriers', 'http://100.64.0.1/', 'address'],
  ['U27 benchmarks', 'http://198.18.0.1/', 'address'],
  ['U27 assignments', 'http://192.0.0.8/', 'address'],
  ['U28 private networks', 'http://10.0.0.1/', 'address'],
  ['U28 private networks', 'http://192.168.1.1/', 'address'],
  ['U34 a user name', 'http://ok.example@evil.example/', 'userinfo'],
  ['U35 a backslash', 'http://ok.example\\@evil.example/', 'backslash'],
  ['U36 a backslash without a user', 'http:\\\\ok.example/', 'backslash'],
  ['punycode of nothing', 'https://xn--.example/', 'syntax'],
  ['punycode of a letter that needs none', 'https://xn--a.example/', 'syntax'],
  ['punycode that decodes to punycode', 'https://xn--xn---epa.example/', 'syntax'],
  ['punycode that cannot be decoded, below a name', 'https://a.xn--pokxncvks./', 'syntax'],
  ['U40 a blank in the host', 'http://ok.example /', 'char'],
  ['U41 NUL', 'http://evil.example\u0000.ok.example/', 'char'],
  ['U42 a file', 'file:///etc/passwd', 'scheme'],
  ['U42 FTP', 'ftp://ok.example/', 'scheme'],
  ['U42 gopher', 'gopher://127.0.0.1:6379/_x', 'scheme'],
  ['U42 a web socket', 'ws://ok.example/', 'scheme'],
  ['U42 a blob', 'blob:https://ok.example/x', 'scheme'],
  ['U42 JavaScript', 'javascript:alert(1)', 'scheme'],
  ['U42 view-source', 'view-source:https://ok.example/', 'scheme'],
  ['U43 SSH', 'https://ok.example:22/', 'port'],
  ['U43 Redis', 'https://ok.example:6379/', 'port'],

  ['mixed radixes', 'http://0x7f.0.01.1/', 'address'],
  ['upper case hexadecimal', 'http://0X7F000001/', 'address'],
  ['full width digits', 'http://\uff11\uff12\uff17.0.0.1/', 'address'],
  ['a full width dot', 'http://127\uff0e0\uff0e0\uff0e1/', 'address'],
  ['percent-encoded digits', 'http://%31%32%37.0.0.1/', 'address'],
  ['percent-encoded dots', 'http://127%2e0%2e0%2e1/', 'address'],
  ['percent-encoded letters', 'http://%6c%6f%63%61%6c%68%6f%73%74/', 'special-name'],
  ['a number out of range', 'http://4294967296/', 'syntax'],
  ['too many parts', 'http://127.0.0.0.1/', 'syntax'],
  ['the last loopback', 'http://127.255.255.254/', 'address'],
  ['broadcast', 'http://255.255.255.255/', 'address'],
  ['multicast', 'http://224.0.0.1/', 'address'],
  ['IPv6 in full', 'http://[0:0:0:0:0:0:0:1]/', 'address'],
  ['IPv6 with zeros', 'http://[0000:0000:0000:0000:0000:0000:0000:0001]/', 'address'],
  ['a bare zone', 'http://[fe80::1%eth0]/', 'syntax'],
  ['link-local', 'http://[fe80::1]/', 'address'],
  ['mapped metadata', 'http://[::ffff:a9fe:a9fe]/', 'address'],
  ['NAT64 metadata', 'http://[64:ff9b::a9fe:a9fe]/', 'address'],
  ['metadata by name', 'http://metadata.google.internal/', 'special-name'],
  ['metadata elsewhere', 'http://metadata.azure.com/', 'special-name'],
  ['multicast names', 'http://printer.local/', 'special-name'],
  ['names of a home', 'http://router.home.arpa/', 'special-name'],
  ['a name without a dot', 'http://wiki/', 'single-label'],
  ['the same with a dot behind it', 'http://wiki./', 'single-label'],
  ['hidden services', 'http://abc.onion/', 'special-name'],
  ['an empty user name', 'http://@ok.example/', 'userinfo'],
  ['an empty password', 'http://:@ok.example/', 'userinfo'],
  ['a user name and no host', 'http://user@/', 'userinfo'],
  ['a token', 'https://user:token@ok.example/', 'userinfo'],
  ['a line feed', 'http://ok.example/\nHost: x', 'char'],
  ['a tab in the scheme', 'ht\ttp://ok.example/', 'char'],
  ['blanks around it', ' http://ok.example/', 'char'],
  ['an ideographic blank', 'http://ok.example/\u3000', 'char'],
  ['a soft hyphen', 'http://o\u00adk.example/', 'invisible'],
  ['a zero width joiner', 'http://o\u200dk.example/', 'invisible'],
  ['right to left', 'http://ok.example/\u202egnp.exe', 'invisible'],
  ['a variation selector', 'http://ok.example/\ufe0f', 'invisible'],
  ['half a character', 'http://ok.example/\ud800', 'char'],
  ['one slash', 'http:/ok.example/', 'syntax'],
  ['no slash', 'http:ok.example', 'syntax'],
  ['three slashes', 'http:///ok.example/', 'syntax'],
  ['no scheme', '//ok.example/', 'syntax'],
  ['no scheme at all', 'ok.example', 'syntax'],
  ['nothing', '', 'empty'],
  ['only a scheme', 'http://', 'syntax'],
  ['a host that is a path', 'http:///', 'syntax'],
  ['two dots', 'http://ok..example/', 'host'],
  ['two trailing dots', 'http://ok.example../', 'host'],
  ['only a dot', 'http://./', 'host'],
  ['other characters in the host', 'http://ok$.example/', 'host'],
  ['a star', 'http://*.example/', 'host'],
  ['a label that is too long', `http://${'a'.repeat(64)}.example/`, 'host'],
  ['too long', `http://ok.example/${'a'.repeat(8192)}`, 'length'],
  ['port zero', 'http://ok.example:0/', 'port'],
  ['a port out of range', 'http://ok.example:65616/', 'syntax'],
  ['a port that is none', 'http://ok.example:80x/', 'syntax'],
  ['data', 'data:text/html,x', 'scheme'],
  ['about', 'about:blank', 'scheme'],
  ['chrome', 'chrome://settings', 'scheme'],
  ['a drive', 'C:\\x', 'backslash'],
];

describe('a URL', () => {
  it.each(spellings)('%s is refused: %j', (_, input, reason) => {
    expect(verdict(open, input)).toBe(reason);
    // Also where only some hosts are allowed it is refused, whatever for.
    expect(verdict(listed, input)).not.toMatch(/:/);
  });

  it.each<Row>([
    ['U37 as a prefix', 'http://ok.example.evil.example/', 'not-allowed'],
    ['U37 as a suffix', 'http://notok.example/', 'not-allowed'],
    ['U38 upper case and a dot', 'http://OK.EXAMPLE./', 'http://ok.example/'],
    ['U39 a Cyrillic letter', 'http://\u043ek.example/', 'not-allowed'],
    ['the host itself', 'https://ok.example', 'https://ok.example/'],
    ['a scheme in upper case', 'HTTPS://ok.example/', 'https://ok.example/'],
    ['a port that is the usual one', 'https://ok.example:443/a', 'https://ok.example/a'],
    ['the other usual port', 'https://ok.example:80/a', 'https://ok.example:80/a'],
    ['below the host', 'http://a.ok.example/', 'not-allowed'],
    ['below a suffix', 'http://a.sub.example/', 'http://a.sub.example/'],
    ['far below a suffix', 'http://a.b.sub.example/', 'http://a.b.sub.example/'],
    ['the suffix itself', 'http://sub.example/', 'not-allowed'],
    ['a neighbour of the suffix', 'http://asub.example/', 'not-allowed'],
    ['a public address', 'http://8.8.8.8/', 'not-allowed'],
    ['a host in the path', 'http://evil.example/ok.example/', 'not-allowed'],
    ['a host in the query', 'http://evil.example/?ok.example', 'not-allowed'],
    ['a host in the fragment', 'http://evil.example/#@ok.example', 'not-allowed'],
    ['an @ in the path', 'http://ok.example/@evil.example', 'http://ok.example/@evil.example'],
    ['an @ in the query', 'http://ok.example?@evil.example', 'http://ok.example/?@evil.example'],
    ['full width letters', 'http://\uff4f\uff4b.example/', 'http://ok.example/'],
    ['dots in the path', 'http://ok.example/a/../b/%2e%2e/c', 'http://ok.example/c'],
    ['other letters in the path', 'http://ok.example/caf\u00e9', 'http://ok.example/caf%C3%A9'],
  ])('%s is judged by its host: %j', (_, input, expected) => {
    expect(verdict(listed, input)).toBe(expected);
  });

  it.each<Row>([
    ['a host', 'https://docs.example.com/a?b=c#d', 'https://docs.example.com/a?b=c#d'],
    ['a host of other letters', 'https://b\u00fccher.example/', 'https://xn--bcher-kva.example/'],
    ['punycode, with a trailing dot', 'https://xn--bcher-kva.example./', 'https://xn--bcher-kva.example/'],
    ['a public address', 'http://93.184.216.34/', 'http://93.184.216.34/'],
    ['a public IPv6 address', 'https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
    ['an underscore', 'https://my_host.example.com/', 'https://my_host.example.com/'],
  ])('of everyday use passes: %s', (_, input, expected) => {
    expect(verdict(open, input)).toBe(expected);
  });

  it.each([undefined, null, 1, {}, ['http://ok.example/'], new URL('http://ok.example/')])(
    'is a string and not %s',
    (input) => {
      expect(verdict(open, input)).toBe('type');
    },
  );

  it('that stands for an address which is not public is refused in every spelling', () => {
    const number = fc.constantFrom(
      (part: number) => String(part),
      (part: number) => `0x${part.toString(16)}`,
      (part: number) => `0X${part.toString(16).toUpperCase()}`,
      (part: number) => `0${part.toString(8)}`,
      (part: number) => `0x000${part.toString(16)}`,
    );
    const dot = fc.constantFrom('.', '\u3002', '\uff0e', '\uff61', '%2e', '%2E');
    const digits = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
      (text: string) => text.replace(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit))),
      (text: string) => text.replace(/\d/g, (digit) => `%3${digit}`),
    );
    const address = fc.tuple(
      fc.constantFrom(0, 10, 127, 169, 172, 192, 198, 224, 255),
      fc.constantFrom(0, 16, 18, 88, 168, 254),
      fc.nat(255),
      fc.nat(255),
    );
    const spelled = fc.tuple(
      address,
      fc.tuple(number, number, number, number),
      dot,
      digits,
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('', '.'),
    );
    fc.assert(
      fc.property(spelled, ([parts, numbers, separator, digit, count, end]) => {
        const bits = addressBits(parts.join('.'));
        const head = parts.slice(0, count - 1);
        const tail = parts.slice(count - 1).reduce((sum, part) => sum * 256 + part, 0);
        const text = [...head, tail].map((part, at) => digit(numbers[at]?.(part) ?? '')).join(separator);
        const url = `http://${text}${end}/`;
        const passed = verdict(open, url);
        // Where it passes, it must be the same public address that was meant.
        if (bits !== undefined && isPublic(bits)) expect([`http://${parts.join('.')}/`]).toContain(passed);
        else expect(passed).not.toMatch(/^http/);
      }),
      { numRuns: 3000 },
    );
  });

  it('never passes with a host that is an address which is not public, nor with anything that another parser reads otherwise', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'http://',
        'https://',
        '127.0.0.1',
        '[::1]',
        'localhost',
        'ok.example',
        '@',
        ':',
        '/',
        '\\',
        '?',
        '#',
        '.',
        '%',
      ),
      fc.constantFrom(
        '0x7f',
        '\u3002',
        '\u200b',
        ' ',
        '\t',
        '[',
        ']',
        '::',
        '80',
        '8080',
        '%00',
        '%2f',
        '%40',
        'xn--',
        '\u2460',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const passed = verdict(open, `http://${pieces.join('')}`);
        if (!/^https?:/.test(passed)) return;
        const url = new URL(passed);
        const bits = addressBits(url.hostname.replace(/^\[|\]$/g, ''));
        expect(bits === undefined || isPublic(bits)).toBe(true);
        expect(url.hostname).not.toMatch(/(?:^|\.)localhost$/);
        expect(url.href).toBe(passed);
        // One canonical form: what came out is judged the same again.
        expect(verdict(open, passed)).toBe(passed);
        expect([url.username, url.password]).toEqual(['', '']);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('rules', () => {
  it.each<[string, UrlPolicyOptions, string, string]>([
    ['a denied host', { deny: ['evil.example'] }, 'http://evil.example/', 'rule'],
    ['what lies below a denied host', { deny: ['evil.example'] }, 'http://a.evil.example/', 'rule'],
    ['a neighbour', { deny: ['evil.example'] }, 'http://notevil.example/', 'http://notevil.example/'],
    ['a denied registry', { deny: ['*.zip'] }, 'http://a.zip/', 'rule'],
    ['deny before allow', { allow: ['a.example'], deny: ['a.example'] }, 'http://a.example/', 'rule'],
    ['a denied port', { deny: ['a.example:80'] }, 'http://a.example/', 'rule'],
    ['another port than the denied', { deny: ['a.example:80'] }, 'https://a.example/', 'https://a.example/'],
    ['a denied public block', { deny: ['8.8.0.0/16'] }, 'http://8.8.8.8/', 'rule'],
    ['an allowed port', { allow: ['a.example:8080'] }, 'http://a.example:8080/', 'http://a.example:8080/'],
    ['no other port then', { allow: ['a.example:8080'] }, 'http://a.example/', 'port'],
    ['both', { allow: ['a.example:8080', 'a.example'] }, 'http://a.example/', 'http://a.example/'],
    ['no strange port without a rule', { allow: ['a.example'] }, 'http://a.example:8080/', 'port'],
    ['other ports', { ports: [8443] }, 'https://a.example:8443/', 'https://a.example:8443/'],
    ['then not the usual ones', { ports: [8443] }, 'https://a.example/', 'port'],
    ['one scheme only', { schemes: ['https'] }, 'http://a.example/', 'scheme'],
    ['a local name that is listed', { allow: ['localhost:3000'] }, 'http://localhost:3000/', 'http://localhost:3000/'],
    ['a name without a dot that is listed', { allow: ['wiki'] }, 'http://wiki/', 'http://wiki/'],
    [
      'a metadata name that is listed',
      { allow: ['metadata.example.com'] },
      'http://metadata.example.com/',
      'http://metadata.example.com/',
    ],
    ['names of a cluster', { allow: ['*.svc.internal'] }, 'http://a.svc.internal/', 'http://a.svc.internal/'],
    ['an address that is listed', { allow: ['127.0.0.1:3000'] }, 'http://127.1:3000/', 'http://127.0.0.1:3000/'],
    ['at no other port', { allow: ['127.0.0.1:3000'] }, 'http://127.0.0.1/', 'port'],
    ['an address as a mapped one', { allow: ['127.0.0.1'] }, 'http://[::ffff:127.0.0.1]/', 'address'],
    ['a private block', { privateAddresses: ['10.1.0.0/16'] }, 'http://10.1.2.3/', 'http://10.1.2.3/'],
    ['outside the private block', { privateAddresses: ['10.1.0.0/16'] }, 'http://10.2.0.0/', 'address'],
    [
      'a private address with its port',
      { privateAddresses: ['127.0.0.1:8080'] },
      'http://127.0.0.1:8080/',
      'http://127.0.0.1:8080/',
    ],
    ['at no other port', { privateAddresses: ['127.0.0.1:8080'] }, 'http://127.0.0.1/', 'port'],
    ['IPv6 with its port', { privateAddresses: ['[::1]:8080'] }, 'http://[::1]:8080/', 'http://[::1]:8080/'],
    [
      'a private address where only names are allowed',
      { allow: ['a.example'], privateAddresses: ['10.0.0.0/8'] },
      'http://10.0.0.1/',
      'not-allowed',
    ],
    [
      'a private block, one address denied',
      { privateAddresses: ['10.0.0.0/8'], deny: ['10.0.0.1'] },
      'http://10.0.0.1/',
      'rule',
    ],
    [
      'other letters',
      { allow: ['b\u00fccher.example'] },
      'http://xn--bcher-kva.example/',
      'http://xn--bcher-kva.example/',
    ],
    ['nothing at all', { allow: [] }, 'http://a.example/', 'not-allowed'],
  ])('%s', (_, options, input, expected) => {
    expect(verdict(new UrlPolicy(options), input)).toBe(expected);
  });

  it.each<[string, UrlPolicyOptions]>([
    ['a whole registry', { allow: ['*.com'] }],
    ['half a country', { allow: ['*.co.uk'] }],
    ['everything', { allow: ['*'] }],
    ['a block of addresses', { allow: ['8.8.0.0/16'] }],
    ['a star in the middle', { allow: ['a.*.example'] }],
    ['a URL', { allow: ['https://a.example'] }],
    ['a path', { allow: ['a.example/b'] }],
    ['a trailing dot', { allow: ['a.example.'] }],
    ['an address in disguise', { allow: ['127.1'] }],
    ['a port out of range', { allow: ['a.example:0'] }],
    ['a port that is none', { deny: ['a.example:x'] }],
    ['nothing', { deny: [''] }],
    ['a name as an address', { privateAddresses: ['a.example'] }],
    ['bits beyond the block', { privateAddresses: ['10.0.0.1/8'] }],
    ['ports that are none', { ports: [0] }],
    ['another scheme', { schemes: ['http', 'ftp' as 'http'] }],
    ['a text for a list', { allow: 'a.example' as unknown as string[] }],
  ])('refuse what cannot be meant: %s', (_, options) => {
    expect(() => new UrlPolicy(options)).toThrow(TypeError);
  });
});
