/** An address as the bits it consists of, 16 at a time: two parts for IPv4, eight for IPv6. */
export type AddressBits = readonly number[];

/** Reads an IPv4 address in dotted form or an IPv6 address without brackets; nothing for all else, zones included. */
export function addressBits(text: string): AddressBits | undefined {
  // Fetched on first use: it brings streams and sockets along.
  const { isIPv4, isIPv6 } = process.getBuiltinModule('node:net');
  if (isIPv4(text)) return bitsOfV4(text);
  // A zone such as `%eth0` names an interface of this machine, so that what carries one is never public.
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return bitsOfV6(text);
}

function bitsOfV4(text: string): AddressBits {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function bitsOfV6(text: string): AddressBits {
  const dotted = text.lastIndexOf(':') + 1;
  const tail = text.includes('.') ? bitsOfV4(text.slice(dotted)) : undefined;
  const plain =
    tail === undefined ? text : `${text.slice(0, dotted)}${tail.map((part) => part.toString(16)).join(':')}`;
  const [head = '', rest] = plain.split('::');
  const before = partsOf(head);
  if (rest === undefined) return before;
  const after = partsOf(rest);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function partsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
}

/** A block of addresses: those that share the first `length` bits with `bits`. */
export interface AddressBlock {
  readonly bits: AddressBits;
  /** In bits; the family's whole length for a single address. */
  readonly length: number;
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a single address; nothing for all else, bits set beyond the length included. */
export function addressBlock(text: string): AddressBlock | undefined {
  const slash = text.indexOf('/');
  const bits = addressBits(slash < 0 ? text : text.slice(0, slash));
  if (bits === undefined) return undefined;
  const whole = bits.length * 16;
  if (slash < 0) return { bits, length: whole };
  const digits = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(digits) || Number(digits) > whole) return undefined;
  const block = { bits, length: Number(digits) };
  const rest = bits.some((part, at) => (part & ~maskOf(block.length, at) & 0xffff) !== 0);
  return rest ? undefined : block;
}

/** Whether an address lies in a block of the same family. */
export function isInBlock(address: AddressBits, { bits, length }: AddressBlock): boolean {
  if (address.length !== bits.length) return false;
  for (let at = 0; at * 16 < length; at++) {
    if ((((address[at] ?? 0) ^ (bits[at] ?? 0)) & maskOf(length, at)) !== 0) return false;
  }
  return true;
}

function maskOf(length: number, at: number): number {
  const inPart = Math.min(16, Math.max(0, length - at * 16));
  return (0xffff << (16 - inPart)) & 0xffff;
}

/**
 * IPv4 addresses that are not public.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const notPublicV4 = blocks([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, where clouds keep their metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
]);

/**
 * Global unicast is the only IPv6 space that is public, less what lies in it for other ends. All else is refused, so
 * that no form which carries an IPv4 address (mapped, compatible, translated) can slip through.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const publicV6 = blocks(['2000::/3']);
const notPublicV6 = blocks([
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which carries an IPv4 address
  '3fff::/20', // documentation
]);

/** Whether anybody on the internet is reached at this address, and nobody in the house. */
export function isPublic(address: AddressBits): boolean {
  if (address.length === 2) return !notPublicV4(address);
  return publicV6(address) && !notPublicV6(address);
}

/** Whether two addresses are the same, however they are written. */
export function sameAddress(one: AddressBits, other: AddressBits): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at]);
}

/** Whether an address lies in one of some blocks, which are read when the first is asked about. */
function blocks(texts: readonly string[]): (address: AddressBits) => boolean {
  let read: readonly AddressBlock[] | undefined;
  return (address) => {
    read ??= texts.map((text) => addressBlock(text) as AddressBlock);
    return read.some((block) => isInBlock(address, block));
  };
}
