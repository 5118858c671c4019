// Which URLs of integrators may be called: the form of the URL and the network addresses of its
// host. Every connection resolves the name here and uses the addresses that were checked, which
// prevents DNS rebinding.
import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** Azure's platform endpoint, which has a public address. */
const platformAddresses: readonly string[] = ['168.63.129.16'];

/** Assigned public IPv6: ipaddr.js counts unassigned space as unicast. */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * The well-known prefix of NAT64 (RFC 6052): the last four bytes are an IPv4 address. On a network
 * with IPv6 only, DNS64 answers with such addresses for hosts that have IPv4 only.
 */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Time for one of several addresses of a host, in milliseconds, before the next one is tried. Node
 * has 250 ms, in which a handshake over an ocean with one lost packet does not end. With at most
 * ADDRESSES_MAX addresses there is time left for the last one, which only the connection's limit
 * ends.
 */
const ADDRESS_TIMEOUT_MS = 1_500;
export const ADDRESSES_MAX = 4;

/** Per try: both end within the time limit of a connection. */
const DNS_TIMEOUT_MS = 1_500;
const DNS_TRIES = 2;
/** For all tries on all name servers, by default: shorter than the limit of a connection. */
const LOOKUP_TIMEOUT_MS = 5_000;

const URL_LENGTH_MAX = 2_048;

/** Returns the addresses of a host name; none, or a rejection, if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface EgressOptions {
  /** Allows http and private addresses: development only. */
  readonly allowPrivate: boolean;
  readonly connectTimeoutMs: number;
  /** For the addresses of a host name; 5 s by default. */
  readonly lookupTimeoutMs?: number;
  /** Certificate authorities instead of the machine's, PEM. */
  readonly ca?: string;
  readonly resolve?: Resolve;
}

interface EgressGuard {
  /** What is wrong with the form of a URL or its literal address, in one sentence; or null. */
  problem(url: string): string | null;
  /**
   * `problem`, and whether a host name has a forbidden address now. An unknown name is not refused:
   * it may exist later, and every connection is checked.
   */
  refusal(url: string): Promise<string | null>;
  /** The connector for undici; fails with ForbiddenAddress before a packet is sent. */
  readonly connector: buildConnector.connector;
}

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  readonly code = 'PONTE_FORBIDDEN_ADDRESS';
}

export function egressGuard(options: EgressOptions): EgressGuard {
  const { allowPrivate, lookupTimeoutMs = LOOKUP_TIMEOUT_MS } = options;
  const resolve = options.resolve ?? (allowPrivate ? resolveBySystem : resolveByDns);
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);

  const allowedAddresses = async (hostname: string): Promise<readonly string[]> => {
    const addresses: unknown = await inTime(resolve(hostname), lookupTimeoutMs);
    if (!isListOfAddresses(addresses)) throw lookupFailure('EBADRESP');
    if (addresses.length === 0) throw lookupFailure('ENOTFOUND');
    if (!addresses.every(isAllowed)) throw new ForbiddenAddress();
    return addresses;
  };
  const connect = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    lookup: lookupWith(allowedAddresses),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  const problem = (url: string) => problemOf(url, allowPrivate);

  return {
    problem,
    refusal: async (url) => {
      const found = problem(url);
      if (found !== null || allowPrivate) return found;
      try {
        await allowedAddresses(new URL(url).hostname);
        return null;
      } catch (error) {
        return error instanceof ForbiddenAddress ? NOT_PUBLIC : null;
      }
    },
    connector: (target, callback) => {
      // A literal address is not looked up.
      if (isIP(target.hostname) !== 0 && !isAllowed(target.hostname)) {
        callback(new ForbiddenAddress(), null);
      } else {
        connect(target, callback);
      }
    },
  };
}

/** Whether an address in its canonical form is public. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv6' && parsed.match(nat64)) {
    return isPublicAddress(parsed.toByteArray().slice(12).join('.'));
  }
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6') return parsed.match(publicIpv6);
  return !platformAddresses.includes(parsed.toString());
}

const NOT_PUBLIC =
  'The host must not have a private, loopback, link-local or other special address.';

function problemOf(url: string, allowPrivate: boolean): string | null {
  if (url.length > URL_LENGTH_MAX) return `The URL must have at most ${URL_LENGTH_MAX} characters.`;
  if (/[\s\p{Cc}]/u.test(url)) return 'The URL must not contain blanks or control characters.';
  if (!URL.canParse(url)) return 'The URL must be absolute, such as https://example.com/webhooks.';
  const parsed = new URL(url);
  const isHttp = parsed.protocol === 'http:' && allowPrivate;
  if (parsed.protocol !== 'https:' && !isHttp) {
    return allowPrivate ? 'The URL must use https or http.' : 'The URL must use https.';
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return 'The URL must not contain a user name or a password.';
  }
  if (parsed.href.includes('#')) return 'The URL must not contain a fragment.';
  // The URL parser has made the address canonical.
  const hostname = parsed.hostname.replace(/^\[|\]$/g, '');
  if (isIP(hostname) !== 0 && !allowPrivate && !isPublicAddress(hostname)) return NOT_PUBLIC;
  if (parsed.port === '0') return 'The URL must not have port 0.';
  if (!isReadAlike(url, parsed.hostname)) {
    return 'Write the host like that of https://erp.example/hooks: its name and no other signs.';
  }
  return null;
}

/**
 * Whether the host up to the path (RFC 3986, 3.2) is what the URL parser made of it. The parser of
 * browsers also takes a backslash as a slash, one slash for two, escapes, and numbers as addresses:
 * a firewall, or a person, reads another host there.
 */
function isReadAlike(url: string, hostname: string): boolean {
  const written = /^\w+:\/\/([^/?#]*)/.exec(url)?.[1]?.replace(/:\d*$/, '').toLowerCase() ?? '';
  // An address of IPv6 has several forms, and a name beyond ASCII another one on the wire.
  const isOther = written.startsWith('[') || !/^[!-~]*$/.test(written);
  return isOther ? !/[\\%]/.test(written) : written === hostname;
}

/**
 * Node calls `callback` outside any handler: what it throws fails the connection. If it throws
 * again, the time limit of the connection ends it.
 */
function lookupWith(addressesOf: Resolve): LookupFunction {
  return (hostname, { all }, callback) => {
    addressesOf(hostname)
      .then((addresses) => {
        const found = inTurns(addresses).map((address) => ({ address, family: isIP(address) }));
        if (all === true) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, []))
      .catch(() => undefined);
  };
}

/** The families in turns, so that one that does not answer hides no other (RFC 8305, section 4). */
function inTurns(addresses: readonly string[]): readonly string[] {
  const families = [4, 6].map((family) => addresses.filter((one) => isIP(one) === family));
  const longest = Math.max(...families.map(({ length }) => length));
  const mixed = Array.from({ length: longest }, (_, at) =>
    families.flatMap((ofFamily) => ofFamily.slice(at, at + 1)),
  );
  return mixed.flat().slice(0, ADDRESSES_MAX);
}

async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(lookupFailure('ETIMEOUT')), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function isListOfAddresses(found: unknown): found is readonly string[] {
  return Array.isArray(found) && found.every((one) => typeof one === 'string' && isIP(one) !== 0);
}

/** An error with a code of the DNS resolver. */
function lookupFailure(code: 'ENOTFOUND' | 'EBADRESP' | 'ESERVFAIL' | 'ETIMEOUT'): Error {
  return Object.assign(new Error(`the look-up of the host failed: ${code}`), { code });
}

/** Uses the hosts file too. */
export const resolveBySystem: Resolve = (hostname) =>
  new Promise((done, fail) => {
    systemLookup(hostname, { all: true }, (error, found) => {
      if (error === null) done(found.map(({ address }) => address));
      else fail(error);
    });
  });

/**
 * The system's look-up has few threads for the whole process, which slow name servers would block.
 */
export const resolveByDns: Resolve = async (hostname) => {
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (v4.status === 'rejected' && v6.status === 'rejected') {
    // The name server refused the connection, not the receiver.
    throw v4.reason.code === 'ECONNREFUSED' ? lookupFailure('ESERVFAIL') : v4.reason;
  }
  return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};
