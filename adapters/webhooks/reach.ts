// How this machine reaches a server: its name, each of its addresses, and its certificate, with the
// times taken. Nothing is sent but the handshakes.
import { Resolver } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type HealthCheck, untrusted } from '../../core/domain/service/health-check.js';
import { ADDRESSES_MAX, isPublicAddress, type Resolve } from './egress.js';

export interface ReachTarget {
  readonly host: string;
  readonly port: number;
  /** Whether the connection begins with a TLS handshake. */
  readonly isTls: boolean;
  /** Whether Ponte refuses addresses that are not public. */
  readonly isGuarded: boolean;
  readonly resolve: Resolve;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A handshake over an ocean takes a third of it. */
const SLOW_MS = 1_000;

/** What to do about a connection that fails, by its code. */
const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: is the port right, and does the server run?',
  ECONNRESET: 'closes the connection: does a firewall or a proxy end it?',
  ETIMEDOUT: 'does not answer: does a firewall drop what this host sends?',
  ENETUNREACH: 'no route: this host has no connection of this kind',
  EHOSTUNREACH: 'no route: this host has no connection of this kind',
  EADDRNOTAVAIL: 'no route: this host has no connection of this kind',
};
const noRoute: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL']);

type Tried = Awaited<ReturnType<typeof tryAddress>>;

/** One check for the name, for each family of addresses, and for TLS. */
export async function reach(target: ReachTarget): Promise<readonly HealthCheck[]> {
  const { host, isGuarded } = target;
  const since = stopwatch();
  let addresses: readonly string[];
  try {
    addresses = isIP(host) === 0 ? await target.resolve(host) : [host];
    if (addresses.length === 0) throw Object.assign(new Error(), { code: 'ENOTFOUND' });
  } catch (error) {
    const detail = `${host} does not resolve (${codeIn(error)}): check the name and the DNS server`;
    return [{ name: 'name', severity: 'critical', detail }];
  }
  const name = nameCheck(addresses, since(), isGuarded);
  if (name.severity === 'critical') return [name];
  const tried = await Promise.all(
    [4, 6].flatMap((family) =>
      addresses
        .filter((address) => isIP(address) === family)
        .slice(0, ADDRESSES_MAX)
        .map((address) => tryAddress(address, target.port)),
    ),
  );
  const reached = tried.find(({ socket }) => socket !== null)?.socket ?? null;
  try {
    const families = [4, 6].flatMap((family) => familyCheck(family, tried, reached !== null));
    const secured = reached === null || !target.isTls ? [] : [await tlsCheck(reached, host)];
    return [name, ...families, ...secured];
  } finally {
    for (const { socket } of tried) socket?.destroy();
  }
}

function nameCheck(addresses: readonly string[], ms: number, isGuarded: boolean): HealthCheck {
  const refused = isGuarded ? addresses.filter((address) => !isPublicAddress(address)) : [];
  if (refused.length > 0) {
    const detail = 'not public, so Ponte does not connect. Use a public host';
    return { name: 'name', severity: 'critical', detail: `${refused.join(', ')}: ${detail}` };
  }
  const detail = `${addresses.join(', ')} in ${ms} ms`;
  return { name: 'name', severity: ms > SLOW_MS ? 'warning' : 'ok', detail };
}

function familyCheck(
  family: number,
  all: readonly Tried[],
  isReached: boolean,
): readonly HealthCheck[] {
  const tried = all.filter(({ address }) => isIP(address) === family);
  if (tried.length === 0) return [];
  const detail = tried
    .map(({ address, ms, code }) =>
      code === null
        ? `${address} in ${ms} ms`
        : `${address} ${advice[code] ?? 'cannot be reached'} (${code})`,
    )
    .join('; ');
  const failed = tried.flatMap(({ code }) => code ?? []);
  // Without a route the other family is tried at once. An address that does not answer costs time.
  const isHarmless = isReached && failed.every((code) => noRoute.has(code));
  const isSlow = tried.some(({ ms, code }) => code === null && ms > SLOW_MS);
  const severity = failed.length > 0 && !isReached ? 'critical' : 'warning';
  const isOk = failed.length === 0 ? !isSlow : isHarmless;
  return [{ name: `IPv${family}`, severity: isOk ? 'ok' : severity, detail }];
}

async function tryAddress(address: string, port: number) {
  const since = stopwatch();
  const socket = connect({ host: address, port, timeout: CONNECT_TIMEOUT_MS });
  const code = await new Promise<string | null>((done) => {
    socket.once('connect', () => done(null));
    socket.once('timeout', () => done('ETIMEDOUT'));
    socket.on('error', (error) => done(codeIn(error)));
  });
  socket.setTimeout(0);
  if (code !== null) socket.destroy();
  return { address, ms: since(), code, socket: code === null ? socket : null };
}

async function tlsCheck(socket: Socket, host: string): Promise<HealthCheck> {
  const since = stopwatch();
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const secured = connectTls({ socket, host, ...servername, timeout: CONNECT_TIMEOUT_MS });
  const code = await new Promise<string | null>((done) => {
    secured.once('secureConnect', () => done(null));
    secured.once('timeout', () => done('ETIMEDOUT'));
    secured.on('error', (error) => done(codeIn(error)));
    socket.once('close', () => done('ECONNRESET'));
  });
  const protocol = secured.getProtocol();
  secured.destroy();
  if (code === null) return { name: 'TLS', severity: 'ok', detail: `${protocol} in ${since()} ms` };
  const isCertificate = /CERT|SIGNATURE|SIGNED|ISSUER/.test(code);
  const detail = isCertificate
    ? untrusted(code)
    : `no handshake (${code}): does the server speak TLS 1.2 or 1.3 at this port?`;
  return { name: 'TLS', severity: 'critical', detail };
}

/** Its addresses show the prefix of DNS64 (RFC 7050). */
const NAT64_NAME = 'ipv4only.arpa';
const NAT64_TIMEOUT_MS = 1_500;

/** Whether the network translates IPv6 to IPv4, and whether Ponte takes such addresses. */
export async function nat64Check(): Promise<HealthCheck> {
  const resolver = new Resolver({ timeout: NAT64_TIMEOUT_MS, tries: 1 });
  const found = await resolver.resolve6(NAT64_NAME).catch(() => []);
  const refused = found.filter((address) => !isPublicAddress(address));
  if (refused.length > 0) {
    const detail =
      `${refused.join(', ')}: DNS64 uses a prefix that Ponte refuses for webhooks. ` +
      'Use 64:ff9b::/96 (RFC 6052)';
    return { name: 'NAT64', severity: 'warning', detail };
  }
  const detail = found.length === 0 ? 'none' : `${found.join(', ')}: its addresses are taken`;
  return { name: 'NAT64', severity: 'ok', detail };
}

function stopwatch(): () => number {
  const startedAtMs = performance.now();
  return () => Math.round(performance.now() - startedAtMs);
}

function codeIn(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : 'unknown';
}
