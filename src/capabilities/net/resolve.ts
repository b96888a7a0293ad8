import { lookup } from 'node:dns/promises';
import { type AddressBits, addressBits } from './addresses.ts';
import type { Lookup } from './limits.ts';
import { refusal, unavailable } from './refusal.ts';
import type { CheckedUrl, UrlPolicy } from './url-policy.ts';

/** An address that may be connected to. */
export interface Address {
  readonly text: string;
  readonly bits: AddressBits;
}

/** Asks the operating system, as other programs do. */
export const systemLookup: Lookup = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * The addresses of a checked URL's host. A single one that may not be connected to refuses the host, since a name that
 * leads both outside and inside is an attack, or wrong.
 */
export async function addressesOf(url: CheckedUrl, policy: UrlPolicy, find: Lookup): Promise<readonly Address[]> {
  if (url.bits !== undefined) return [{ text: url.name, bits: url.bits }];
  let found: readonly string[];
  try {
    found = await find(url.name);
  } catch (error) {
    throw unavailable('The host name has no address', 'no-address', error);
  }
  const addresses = found.map((text) => ({ text, bits: addressBits(text) }));
  if (addresses.length === 0) throw unavailable('The host name has no address', 'no-address');
  for (const { bits } of addresses) if (bits === undefined || !policy.accepts(bits, url.port)) throw refusal('address');
  return addresses as readonly Address[];
}
