import net from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AddressBits,
  addressBits,
  addressBlock,
  isInBlock,
  isPublic,
  sameAddress,
} from '../../../src/capabilities/net/addresses.ts';

const judge = (text: string): string => {
  const bits = addressBits(text);
  return bits === undefined ? 'none' : isPublic(bits) ? 'public' : 'not public';
};

describe('an address', () => {
  // The first and the last of every block, and their neighbours outside.
  it.each<[string, string, string, string, string]>([
    ['this network', '0.0.0.0', '0.255.255.255', '', '1.0.0.0'],
    ['private 10', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['shared by carriers', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['private 172', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['documentation 1', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['6to4 relays', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['private 192', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['documentation 2', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['documentation 3', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['multicast and above', '224.0.0.0', '255.255.255.255', '223.255.255.255', ''],
    ['below global unicast', '::', '1fff:ffff::', '', '2000::'],
    ['above global unicast', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', ''],
    ['assignments, Teredo', '2001::', '2001:1ff:ffff::', '2000:ffff::', '2001:200::'],
    ['documentation 4', '2001:db8::', '2001:db8:ffff::', '2001:db7:ffff::', '2001:db9::'],
    ['6to4', '2002::', '2002:ffff::', '2001:ffff::', '2003::'],
    ['documentation 5', '3fff::', '3fff:fff:ffff::', '3ffe:ffff::', '3fff:1000::'],
  ])('is not public from first to last: %s', (_, first, last, before, after) => {
    expect([judge(first), judge(last)]).toEqual(['not public', 'not public']);
    for (const outside of [before, after]) if (outside !== '') expect(judge(outside)).toBe('public');
  });

  it.each([
    ['mapped', '::ffff:8.8.8.8'],
    ['mapped, in hexadecimal', '::ffff:808:808'],
    ['compatible', '::8.8.8.8'],
    ['translated', '64:ff9b::8.8.8.8'],
    ['translated locally', '64:ff9b:1::8.8.8.8'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discard', '100::1'],
  ])('that carries or could carry another is not public, whatever it carries: %s', (_, text) => {
    expect(judge(text)).toBe('not public');
  });

  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e'])(
    '%s is public',
    (text) => expect(judge(text)).toBe('public'),
  );

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x7f.1',
    '1.2.3.4 ',
    '[::1]',
    'fe80::1%eth0',
    '::1%',
    ':::',
    'localhost',
  ])('is not what reads %j', (text) => expect(judge(text)).toBe('none'));

  it('has the same bits as Node sees in it', () => {
    const list = (blocks: readonly string[]) => {
      const blocked = new net.BlockList();
      for (const block of blocks) {
        const [address = '', length = ''] = block.split('/');
        blocked.addSubnet(address, Number(length), net.isIPv6(address) ? 'ipv6' : 'ipv4');
      }
      return blocked;
    };
    const blocks = [
      '10.0.0.0/8',
      '100.64.0.0/10',
      '172.16.0.0/12',
      '198.18.0.0/15',
      '2001:db8::/32',
      '2000::/3',
      'fe80::/10',
    ];
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.constantFrom(...blocks), (text, block) => {
        const family = net.isIPv6(text) ? 'ipv6' : 'ipv4';
        if (family !== (block.includes(':') ? 'ipv6' : 'ipv4')) return;
        const mine = isInBlock(
          addressBits(text) as AddressBits,
          addressBlock(block) as NonNullable<ReturnType<typeof addressBlock>>,
        );
        expect(mine).toBe(list([block]).check(text, family));
      }),
      { numRuns: 500 },
    );
  });

  it('is the same however it is written', () => {
    const same = (one: string, other: string) => sameAddress(addressBits(one) ?? [], addressBits(other) ?? []);
    expect(same('::1', '0:0:0:0:0:0:0:1')).toBe(true);
    expect(same('2001:DB8::a00:1', '2001:db8::10.0.0.1')).toBe(true);
    expect(same('::1', '::2')).toBe(false);
    expect(same('0.0.0.1', '::1')).toBe(false);
  });
});

describe('a block', () => {
  it.each([
    '10.0.0.1/8',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    'x/8',
    '/8',
  ])('is not %j', (text) => expect(addressBlock(text)).toBeUndefined());

  it.each([
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::', false],
    ['::/0', 'ffff::', true],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3/32', '10.1.2.2', false],
    ['10.1.2.2/31', '10.1.2.3', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
  ])('%s holds %s: %s', (block, text, holds) => {
    expect(isInBlock(addressBits(text) ?? [], addressBlock(block) ?? { bits: [], length: 0 })).toBe(holds);
  });
});
