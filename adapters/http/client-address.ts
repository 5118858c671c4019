// Who a request comes from: the peer of the connection, or what a proxy that the operator trusts
// says of it. Anybody can write X-Forwarded-For, so nothing that an untrusted peer added counts. It
// is for logs; access depends on keys and sessions alone.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Null where there is no address: a connection inside the process. */
export type ClientAddress = (request: IncomingMessage) => string | null;

/** Whether the text is an IP address or a CIDR network. */
export function isNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bitsOf(family));
}

/** Reads chains of proxies from the end: the first address that is not trusted is the client's. */
export function clientAddressOver(trustedNetworks: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const network of trustedNetworks) {
    const [address = '', length] = network.split('/');
    const family = isIP(address);
    trusted.addSubnet(address, Number(length ?? bitsOf(family)), familyName(family));
  }
  const isTrusted = (address: string) => trusted.check(address, familyName(isIP(address)));
  return (request) => {
    let client = plain(request.socket.remoteAddress ?? '');
    if (client === '') return null;
    const forwarded = `${request.headers['x-forwarded-for'] ?? ''}`.split(',').map(plain);
    while (isTrusted(client)) {
      const before = forwarded.pop() ?? '';
      // What is no address was written by nobody who knows.
      if (isIP(before) === 0) break;
      client = before;
    }
    return client;
  };
}

/** IPv4 in the clothes of IPv6 is IPv4. */
function plain(address: string): string {
  return address.trim().replace(/^::ffff:(?=\d+\.)/i, '');
}

function bitsOf(family: number): number {
  return family === 4 ? 32 : 128;
}

function familyName(family: number): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}
