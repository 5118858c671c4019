// The client address of a request: the peer of the connection, or the address that a trusted proxy
// forwards. Entries of X-Forwarded-For by untrusted peers are ignored. The address is for logs,
// rate limits and the networks of API keys; access never depends on it alone.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Null for a connection inside the process. */
export type ClientAddress = (request: IncomingMessage) => string | null;

export function isNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  // A zone (RFC 4007) names an interface of one machine.
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bitsOf(family));
}

export function withinNetworks(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    const family = isIP(address);
    list.addSubnet(address, Number(length ?? bitsOf(family)), familyName(family));
  }
  return (address) => list.check(address, familyName(isIP(address)));
}

/** Reads the chain of proxies from the end. The first untrusted address is the client. */
export function clientAddressOver(trustedNetworks: readonly string[]): ClientAddress {
  const isTrusted = withinNetworks(trustedNetworks);
  return (request) => {
    let client = plain(request.socket.remoteAddress ?? '');
    if (client === '' || !isTrusted(client)) return client === '' ? null : client;
    const header = `${request.headers['x-forwarded-for'] ?? ''}`;
    const forwarded = header.split(',').map((entry) => plain(withoutPort(entry.trim())));
    while (isTrusted(client)) {
      const before = forwarded.pop() ?? '';
      // Not an address: the last trusted proxy is all that is known.
      if (isIP(before) === 0) break;
      client = before;
    }
    return client;
  };
}

/** Some proxies append the port: `203.0.113.9:5555`, `[2001:db8::1]:443`. */
function withoutPort(entry: string): string {
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(entry) ?? [];
  return inBrackets ?? beforePort ?? entry;
}

/** Without its zone; an IPv4-mapped IPv6 address as IPv4. */
function plain(address: string): string {
  return address.replace(/%.*/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}

function bitsOf(family: number): number {
  return family === 4 ? 32 : 128;
}

function familyName(family: number): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}
