import { type AddressBits, addressBits, isPublic } from './addresses.ts';
import {
  type Host,
  type HostRule,
  hostRule,
  isHostName,
  isTooWide,
  matchesNarrowly,
  matchesWidely,
} from './host-rules.ts';
import { checkText } from './raw-url.ts';
import { refusal } from './refusal.ts';
import { isLocalName } from './special-names.ts';

/** Which URLs may be reached. */
export interface UrlPolicyOptions {
  /**
   * The only hosts that may be reached: `example.com` is that host, `*.example.com` every host below it, an address is
   * that address; each with `:port` opens that port for it. Default: every public host.
   */
  readonly allow?: readonly string[];
  /**
   * Hosts that may never be reached, whatever else is said: a name means the hosts below it, too; blocks of addresses
   * such as `8.8.8.0/24` also count for what a name leads to. Default: none.
   */
  readonly deny?: readonly string[];
  /** The ports that are open on every host. Default 80 and 443. */
  readonly ports?: readonly number[];
  /** Default `http` and `https`. */
  readonly schemes?: readonly ('http' | 'https')[];
  /**
   * Addresses that may be reached though they are not public, directly and by any allowed name that leads to them:
   * `10.1.0.0/16`, `127.0.0.1:8080`, `[::1]:8080`. Default: none.
   */
  readonly privateAddresses?: readonly string[];
}

/** A URL that the policy lets pass, in canonical form. */
export interface CheckedUrl extends Host {
  readonly href: string;
  readonly secure: boolean;
  readonly port: number;
}

const usualPorts = [80, 443];

/**
 * The rules for URLs. A verdict looks at the text only and asks no name server: what is asked for there would leave
 * this machine before anybody has agreed to it. What a name leads to is judged when it is connected to.
 */
export class UrlPolicy {
  readonly #allow: readonly HostRule[] | undefined;
  readonly #deny: readonly HostRule[];
  readonly #private: readonly HostRule[];
  readonly #ports: ReadonlySet<number>;
  readonly #schemes: ReadonlySet<string>;

  /** Throws a TypeError for options that cannot be meant. */
  constructor(options: UrlPolicyOptions = {}) {
    const { allow, deny = [], ports = usualPorts, schemes = ['http', 'https'], privateAddresses = [] } = options;
    this.#allow = allow && rules(allow, 'allow');
    this.#deny = rules(deny, 'deny');
    this.#private = rules(privateAddresses, 'privateAddresses');
    this.#ports = new Set(list(ports, 'ports'));
    this.#schemes = new Set(list(schemes, 'schemes').map((scheme) => `${scheme}:`));
    if (![...this.#ports].every((port) => Number.isInteger(port) && port > 0 && port < 65_536)) {
      throw new TypeError('urlGuard({ ports }) must be whole numbers from 1 to 65535.');
    }
    if (![...this.#schemes].every((scheme) => scheme === 'http:' || scheme === 'https:')) {
      throw new TypeError('urlGuard({ schemes }) must be http or https.');
    }
    const wide = this.#allow?.findIndex((rule) => isTooWide(rule) || isWholeBlock(rule)) ?? -1;
    if (wide >= 0)
      throw new TypeError(`urlGuard({ allow }) has "${allow?.[wide]}", which is wider than one owner's hosts.`);
    if (this.#private.some(({ block }) => block === undefined)) {
      throw new TypeError(
        'urlGuard({ privateAddresses }) must be addresses or blocks of them; a name belongs into allow.',
      );
    }
  }

  /** Checks a URL. Fails with `url_denied`, the reason in `details.reason`. */
  check(input: unknown): CheckedUrl {
    const url = checkText(input);
    if (!this.#schemes.has(url.protocol)) throw refusal('scheme');
    const secure = url.protocol === 'https:';
    const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
    const host = hostOf(url);
    this.#checkHost(host, port);
    return { ...host, href: url.href, secure, port };
  }

  /** Whether an address that a name leads to may be connected to. */
  accepts(bits: AddressBits, port: number): boolean {
    const host: Host = { name: '', bits };
    if (this.#forbids(host, port)) return false;
    return isPublic(bits) || this.#private.some((rule) => matchesNarrowly(rule, host) && isFor(rule, port));
  }

  #checkHost(host: Host, port: number): void {
    if (this.#forbids(host, port)) throw refusal('rule');
    const named = this.#allow?.filter((rule) => matchesNarrowly(rule, host)) ?? [];
    if (host.bits === undefined) {
      if (named.length === 0 && !host.name.includes('.'))
        throw refusal(isLocalName(host.name) ? 'special-name' : 'single-label');
      if (named.length === 0 && isLocalName(host.name)) throw refusal('special-name');
    } else if (named.length === 0 && !this.#acceptsSomewhere(host.bits)) {
      throw refusal('address');
    }
    if (this.#allow !== undefined && named.length === 0) throw refusal('not-allowed');
    if (!this.#isOpen(host, port, named)) throw refusal('port');
  }

  #forbids(host: Host, port: number): boolean {
    return this.#deny.some((rule) => matchesWidely(rule, host) && isFor(rule, port));
  }

  /** Whether an address may be reached at one port or another. */
  #acceptsSomewhere(bits: AddressBits): boolean {
    return isPublic(bits) || this.#private.some((rule) => matchesNarrowly(rule, { name: '', bits }));
  }

  #isOpen(host: Host, port: number, named: readonly HostRule[]): boolean {
    const listed = host.bits === undefined ? [] : this.#private.filter((rule) => matchesNarrowly(rule, host));
    if (named.some((rule) => rule.port === port) || listed.some((rule) => rule.port === port)) return true;
    if (!this.#ports.has(port)) return false;
    if (this.#allow !== undefined) return named.some((rule) => rule.port === undefined);
    // A private address that is listed with a port is reached at no other.
    return host.bits === undefined || isPublic(host.bits) || listed.some((rule) => rule.port === undefined);
  }
}

/** The canonical host of a URL, one trailing dot taken off; the URL is changed accordingly. */
function hostOf(url: URL): Host {
  const bare = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const bits = addressBits(bare);
  if (bits !== undefined) return { name: bare, bits };
  const name = bare.endsWith('.') ? bare.slice(0, -1) : bare;
  if (!isHostName(name)) throw refusal('host');
  if (name !== bare) url.hostname = name;
  return { name, bits: undefined };
}

function isFor(rule: HostRule, port: number): boolean {
  return rule.port === undefined || rule.port === port;
}

function isWholeBlock({ block }: HostRule): boolean {
  return block !== undefined && block.length !== block.bits.length * 16;
}

function rules(entries: readonly string[], option: string): readonly HostRule[] {
  return list(entries, option).map((entry) => hostRule(entry, option));
}

function list<T>(entries: readonly T[], option: string): readonly T[] {
  if (!Array.isArray(entries)) throw new TypeError(`urlGuard({ ${option} }) must be a list.`);
  return entries;
}
