// Where requests to addresses given by integrators may go: the form of a URL, and which network
// addresses a host may have. Every connection resolves the name here and is made to the very
// addresses that were checked, so a name that changes its address between two looks gains nothing.
// What is sent is not this file's matter.
import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** Beside the ranges that are not public unicast: Azure's platform endpoint has a public number. */
const platformAddresses: readonly string[] = ['168.63.129.16'];

/** What of IPv6 is given to the public internet: ipaddr.js takes unassigned space for unicast. */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** For each of two tries, so that a name server that never answers costs a connection attempt. */
const DNS_TIMEOUT_MS = 1_500;
const DNS_TRIES = 2;

const URL_LENGTH_MAX = 2_048;

/** The addresses of a host name; rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface EgressOptions {
  /** Lifts https and the address rules: development only. */
  readonly allowPrivate: boolean;
  readonly connectTimeoutMs: number;
  /** Certificate authorities instead of the machine's, PEM. */
  readonly ca?: string;
  readonly resolve?: Resolve;
}

export interface EgressGuard {
  /** What is wrong with a URL by its form and a literal address, in one sentence; or null. */
  problem(url: string): string | null;
  /**
   * `problem`, and for a host name whether it has a forbidden address now. A name that cannot be
   * resolved is not refused: it may come to exist, and every connect checks again.
   */
  refusal(url: string): Promise<string | null>;
  /** Makes undici's connections; fails with ForbiddenAddress before a packet is sent. */
  readonly connector: buildConnector.connector;
}

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  readonly code = 'PONTE_FORBIDDEN_ADDRESS';
}

export function egressGuard(options: EgressOptions): EgressGuard {
  const { allowPrivate } = options;
  const resolve = options.resolve ?? (allowPrivate ? resolveBySystem : resolveByDns);
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);

  const allowedAddresses = async (hostname: string): Promise<readonly string[]> => {
    const addresses = await resolve(hostname);
    if (!addresses.every(isAllowed)) throw new ForbiddenAddress();
    return addresses;
  };
  const connect = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs,
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
      // No look-up is made for a literal address.
      if (isIP(target.hostname) !== 0 && !isAllowed(target.hostname)) {
        callback(new ForbiddenAddress(), null);
      } else {
        connect(target, callback);
      }
    },
  };
}

/** Whether an address in its canonical form belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
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
  // The URL parser has made one canonical form of every way to write an address.
  const hostname = parsed.hostname.replace(/^\[|\]$/g, '');
  if (isIP(hostname) !== 0 && !allowPrivate && !isPublicAddress(hostname)) return NOT_PUBLIC;
  return null;
}

function lookupWith(addressesOf: Resolve): LookupFunction {
  return (hostname, { all }, callback) => {
    addressesOf(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all === true) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** As the machine does it, with its hosts file. */
const resolveBySystem: Resolve = (hostname) =>
  new Promise((done, fail) => {
    systemLookup(hostname, { all: true }, (error, found) => {
      if (error === null) done(found.map(({ address }) => address));
      else fail(error);
    });
  });

/**
 * By DNS alone. The system's look-up runs on few threads for the whole process, so names whose
 * servers never answer would make everybody wait.
 */
const resolveByDns: Resolve = async (hostname) => {
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};
