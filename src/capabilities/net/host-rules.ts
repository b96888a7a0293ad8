import { type AddressBits, type AddressBlock, addressBlock, isInBlock } from './addresses.ts';

/** A host as it stands in a URL, in canonical form: lower case, punycode, no trailing dot, no brackets. */
export interface Host {
  readonly name: string;
  /** Set when the host is an IP address. */
  readonly bits: AddressBits | undefined;
}

/** One entry of `allow`, `deny` or `privateAddresses`. */
export interface HostRule {
  /** A host name, or the suffix `.example.com` for every host below it. */
  readonly name?: string;
  readonly block?: AddressBlock;
  /** Only this port; without it, every port that is open. */
  readonly port?: number;
}

const plainName = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/** Whether a text is a host name of letters, digits, `-`, `_` and single dots; the canonical form of all others. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && plainName.test(text);
}

/** Reads `example.com`, `*.example.com`, an address or a block of addresses, each with `:port` if need be. */
export function hostRule(text: unknown, option: string): HostRule {
  const [, target = '', digits] = typeof text === 'string' ? split(text) : [];
  const port = digits === undefined ? undefined : Number(digits);
  const rule = port === undefined || (port > 0 && port < 65_536) ? targetOf(target) : undefined;
  if (rule === undefined) {
    throw new TypeError(
      `urlGuard({ ${option} }) has ${JSON.stringify(text) ?? String(text)}; expected a host such as "example.com" or ` +
        '"*.example.com", or an address such as "10.1.2.3", each with a port if need be ("example.com:8080").',
    );
  }
  return port === undefined ? rule : { ...rule, port };
}

/** The host and the digits of the port, if there are any. An IPv6 address with a port stands in brackets. */
function split(text: string): readonly (string | undefined)[] {
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) return bracketed;
  const colons = text.split(':').length - 1;
  return colons === 1 ? (/^([^:]+):(\d{1,5})$/.exec(text) ?? []) : [text, text];
}

function targetOf(target: string): HostRule | undefined {
  const block = addressBlock(target);
  if (block !== undefined) return { block };
  const below = target.startsWith('*.');
  const name = canonicalName(below ? target.slice(2) : target);
  if (name === undefined) return undefined;
  return { name: below ? `.${name}` : name };
}

function canonicalName(text: string): string | undefined {
  if (!/^[^\s/\\?#@:[\]%*]+$/u.test(text)) return undefined;
  try {
    const { hostname } = new URL(`http://${text}/`);
    // A text such as `127.1` would become an address; it is to be written as one.
    return isHostName(hostname) && addressBlock(hostname) === undefined ? hostname : undefined;
  } catch {
    return undefined;
  }
}

// Whoever owns a name below these owns nothing of its neighbours, so that `*.co.uk` would mean half a country.
const registryLike = /^\.(?:[^.]+|(?:ac|co|com|edu|gov|net|or|org)\.[a-z]{2})$/;

/** Whether a rule would open a whole registry, such as `*.com`. */
export function isTooWide({ name }: HostRule): boolean {
  return name?.startsWith('.') === true && registryLike.test(name);
}

/** Whether a rule means exactly this host, or with `*.` every host below it; ports are not looked at. */
export function matchesNarrowly(rule: HostRule, host: Host): boolean {
  if (rule.block !== undefined) return host.bits !== undefined && isInBlock(host.bits, rule.block);
  if (host.bits !== undefined || rule.name === undefined) return false;
  return rule.name.startsWith('.') ? host.name.endsWith(rule.name) : host.name === rule.name;
}

/** As {@link matchesNarrowly}, but a name means the hosts below it, too: for rules that forbid. */
export function matchesWidely(rule: HostRule, host: Host): boolean {
  if (matchesNarrowly(rule, host)) return true;
  return (
    rule.name !== undefined &&
    host.bits === undefined &&
    host.name.endsWith(rule.name.startsWith('.') ? rule.name : `.${rule.name}`)
  );
}
