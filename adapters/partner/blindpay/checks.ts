// The checks of `ponte doctor --partner`: reads of the instance, one after the other, and what an
// operator has to do about each finding. No key and no secret appears in a detail.
import { z } from 'zod';
import { CLOCK_ERROR_MAX_MS, MINUTE_MS, SECOND_MS } from '../../../core/domain/base/instant.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { PartnerCheck, SettlementPartner } from '../../../core/ports/partner.js';
import { answerCode } from './answer-codes.js';
import type { BlindPayClient, Probe } from './blindpay-client.js';
import { neededEvents } from './inbound.js';
import { type BlindPaySettings, variableName } from './settings.js';

export interface Connection extends Omit<BlindPaySettings, 'limit'> {
  readonly client: Pick<BlindPayClient, 'probe'>;
  readonly mode: Mode;
  nowMs(): number;
}

type Input = Parameters<NonNullable<SettlementPartner['checks']>>[0];

/** What managed wallets may have: the guide on wallets, 2026-08-21. */
const walletRoutes: Readonly<Record<Mode, Readonly<Record<'networks' | 'tokens', string[]>>>> = {
  test: {
    networks: ['polygon_amoy', 'sepolia', 'base_sepolia', 'arbitrum_sepolia', 'solana_devnet'],
    tokens: ['USDB'],
  },
  live: {
    networks: ['polygon', 'ethereum', 'base', 'arbitrum', 'solana'],
    tokens: ['USDC', 'USDT'],
  },
};

/** Messages that differ more are not accepted. */
const MESSAGE_AGE_MAX_MS = 5 * MINUTE_MS;
const CODE_LENGTH_MAX = 80;
/** Endpoints at one address whose secrets are read. */
const SECRETS_READ_MAX = 3;

const endpointsShape = z.array(
  z.object({ id: z.string(), url: z.string(), events: z.array(z.string()).nullish() }),
);
type Endpoint = z.output<typeof endpointsShape>[number];
const secretShape = z.object({ key: z.string() });
const railsShape = z.array(z.object({ value: z.string() }));
const customersShape = z.object({ data: z.array(z.object({ id: z.string() })) });
const keysShape = z.array(
  z.object({ token: z.string().nullish(), ip_whitelist: z.array(z.string()).nullish() }),
);
const errorShape = z.object({ message: z.string(), code: z.string().nullish() });

export async function checkConnection(
  connection: Connection,
  input: Input,
): Promise<readonly PartnerCheck[]> {
  const listed = await connection.client.probe('/instances/:instance/webhook-endpoints');
  const reached = reachChecks(connection, listed);
  const clock = clockCheck(connection, listed);
  const route = routeCheck(connection);
  const endpoints = readAs(listed, endpointsShape);
  if (endpoints === null) return [...reached, ...clock, route];
  return [
    ...reached,
    ...clock,
    ...(await webhookChecks(connection, input, endpoints)),
    await railsCheck(connection),
    await walletsCheck(connection),
    route,
    await addressesCheck(connection),
  ];
}

function ok(name: string, detail: string): PartnerCheck {
  return { name, severity: 'ok', detail };
}

function warning(name: string, detail: string): PartnerCheck {
  return { name, severity: 'warning', detail };
}

function critical(name: string, detail: string): PartnerCheck {
  return { name, severity: 'critical', detail };
}

/** The parsed body of an answer that succeeded; else null. */
function readAs<T>(probe: Probe, shape: z.ZodType<T>): T | null {
  if (!('status' in probe) || probe.status < 200 || probe.status > 299) return null;
  return shape.safeParse(probe.json).data ?? null;
}

function errorCodeOf(probe: Probe): string {
  if (!('status' in probe)) return probe.failure;
  const error = errorShape.safeParse(probe.json).data;
  if (error === undefined) return '';
  return answerCode({ message: error.message, code: error.code ?? null }).slice(0, CODE_LENGTH_MAX);
}

/** In this order; the first that fails is the last one shown. */
const stages = ['connection', 'edge', 'API key', 'instance'] as const;
type CheckStage = (typeof stages)[number];

function reachChecks(connection: Connection, listed: Probe): readonly PartnerCheck[] {
  const { url, instanceId } = connection;
  const found = {
    connection: `${new URL(url).origin} answers`,
    edge: 'lets this client through',
    'API key': 'accepted',
    instance: `${instanceId} exists`,
  } as const satisfies Record<CheckStage, string>;
  const failure = failureOf(connection, listed);
  const reached = failure === null ? stages : stages.slice(0, stages.indexOf(failure[0]));
  const passed = reached.map((stage) => ok(stage, found[stage]));
  return failure === null ? passed : [...passed, critical(...failure)];
}

const unresolved = 'its name cannot be resolved';
const untrusted = 'its certificate is not trusted here: does a proxy of this network replace it?';
const noRoute = 'there is no route to it: may this machine call out?';

/** By the code of the failed connection. */
const failedConnections: Readonly<Record<string, string>> = {
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  ECONNREFUSED: 'it refuses connections at this port',
  ENETUNREACH: noRoute,
  EHOSTUNREACH: noRoute,
  UND_ERR_CONNECT_TIMEOUT: noRoute,
  CERT_HAS_EXPIRED: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is of another name',
};

function failureOf(
  { url, mode, instanceId }: Connection,
  listed: Probe,
): readonly [stage: CheckStage, detail: string] | null {
  const [address, key, instance] = (['URL', 'API_KEY', 'INSTANCE_ID'] as const).map((ending) =>
    variableName(mode, ending),
  );
  if (!('status' in listed)) {
    const why = failedConnections[listed.failure] ?? 'it gives no answer';
    const advice = `Check ${address}, DNS and firewall`;
    return ['connection', `${new URL(url).origin}: ${why} (${listed.failure}). ${advice}`];
  }
  const { status, json } = listed;
  const code = errorCodeOf(listed);
  const isPage = json === undefined;
  const isForm = readAs(listed, endpointsShape) !== null;
  const rules: readonly (readonly [applies: boolean, stage: CheckStage, detail: string])[] = [
    [
      isPage && [403, 429, 503].includes(status),
      'edge',
      `the network in front of BlindPay blocks this client or address (${status}, a web page). ` +
        'The key was not looked at. Ask BlindPay to let the address of this host through',
    ],
    [isPage, 'edge', `${status} and no JSON: is ${address} the address of BlindPay's API?`],
    [
      code === 'AUTH_IP_BLOCKED',
      'API key',
      'not accepted from the address of this host: make a key that lists it (ip_whitelist)',
    ],
    [status === 401, 'API key', `not accepted (${code}): is ${key} complete, and not deleted?`],
    [code === 'INSTANCES_BLOCKED', 'instance', `${instanceId} is blocked: ask BlindPay`],
    [
      status === 403,
      'API key',
      `accepted, but not for ${instanceId} (${code}): is ${key} of another instance?`,
    ],
    [status === 404, 'instance', `there is no ${instanceId} (${code}): check ${instance}`],
    [status === 429, 'instance', `no calls are left (${code}): run this again in a minute`],
    [!isForm, 'instance', `an answer that is not documented (${status} ${code}): ask BlindPay`],
  ];
  const rule = rules.find(([applies]) => applies);
  return rule === undefined ? null : [rule[1], rule[2]];
}

function clockCheck({ nowMs }: Connection, listed: Probe): readonly PartnerCheck[] {
  const atMs = 'status' in listed ? Date.parse(listed.date ?? '') : Number.NaN;
  if (Number.isNaN(atMs)) return [];
  const skewMs = nowMs() - atMs;
  const off = `${Math.round(Math.abs(skewMs) / SECOND_MS)} s ${skewMs < 0 ? 'behind' : 'ahead of'}`;
  const found = `this machine is ${off} BlindPay: set its clock by NTP`;
  if (Math.abs(skewMs) <= CLOCK_ERROR_MAX_MS) return [ok('clock', 'that of BlindPay')];
  if (Math.abs(skewMs) <= MESSAGE_AGE_MAX_MS) return [warning('clock', found)];
  return [critical('clock', `${found}. Its messages are refused as too old or too new`)];
}

function routeCheck({ mode, route: { network, token } }: Connection): PartnerCheck {
  const { networks, tokens } = walletRoutes[mode];
  const kind = mode === 'test' ? 'a development' : 'a production';
  if (!networks.includes(network)) {
    const advice = `${variableName(mode, 'NETWORK')} is one of ${networks.join(', ')}`;
    return critical('route', `${kind} instance has no managed wallets on ${network}: ${advice}`);
  }
  if (!tokens.includes(token)) {
    const advice = `${variableName(mode, 'TOKEN')} is ${tokens.join(' or ')}`;
    return critical('route', `${kind} instance has no ${token}: ${advice}`);
  }
  return ok('route', `${token} on ${network}, as ${kind} instance has it`);
}

async function webhookChecks(
  connection: Connection,
  { inboundUrl }: Input,
  endpoints: readonly Endpoint[],
): Promise<readonly PartnerCheck[]> {
  const ours = endpoints.filter(({ url }) => sameAddress(url, inboundUrl));
  if (ours.length === 0) return [warning('webhook', missingEndpoint(inboundUrl, endpoints))];
  const missing = neededEvents.filter((event) =>
    ours.every(({ events }) => (events ?? []).length > 0 && !events?.includes(event)),
  );
  const ids = ours.map(({ id }) => id).join(', ');
  return [
    missing.length === 0
      ? ok('webhook', `${ids} sends messages to ${inboundUrl}`)
      : warning('webhook', `${ids} does not send ${missing.join(', ')}: choose all events`),
    await secretCheck(connection, ours.slice(0, SECRETS_READ_MAX)),
  ];
}

function missingEndpoint(inboundUrl: string, endpoints: readonly Endpoint[]): string {
  const { pathname, protocol } = new URL(inboundUrl);
  const polls = 'Until then polls find changes, later';
  const others = endpoints.flatMap(({ url }) =>
    URL.canParse(url) && new URL(url).pathname === pathname ? [new URL(url).origin] : [],
  );
  if (others.length > 0) {
    const at = `messages go to ${others.join(', ')}, and not to ${inboundUrl}`;
    return `${at}: correct PONTE_BASE_URL, or add an endpoint. ${polls}`;
  }
  const secure = protocol === 'https:' ? '' : ' (PONTE_BASE_URL must be public and https)';
  return `no endpoint sends messages to ${inboundUrl}: add it${secure}. ${polls}`;
}

function sameAddress(left: string, right: string): boolean {
  if (!URL.canParse(left)) return false;
  const [one, other] = [new URL(left), new URL(right)];
  return one.origin === other.origin && one.pathname.replace(/\/$/, '') === other.pathname;
}

async function secretCheck(
  { client, secrets, mode }: Connection,
  endpoints: readonly Endpoint[],
): Promise<PartnerCheck> {
  const name = 'webhook secret';
  const variable = variableName(mode, 'WEBHOOK_SECRETS');
  for (const { id } of endpoints) {
    const path = `/instances/:instance/webhook-endpoints/${encodeURIComponent(id)}/secret`;
    const read = await client.probe(path);
    const secret = readAs(read, secretShape);
    if (secret === null) {
      return warning(name, `that of ${id} cannot be read (${errorCodeOf(read)})`);
    }
    if (!secrets.includes(secret.key)) {
      return warning(name, `that of ${id} is not in ${variable}: its messages are refused`);
    }
  }
  return ok(name, `in ${variable}`);
}

async function railsCheck({ client }: Connection): Promise<PartnerCheck> {
  const listed = await client.probe('/available/rails');
  const rails = readAs(listed, railsShape);
  if (rails === null) return warning('rails', `cannot be read (${errorCodeOf(listed)})`);
  return rails.some(({ value }) => value === 'pix')
    ? ok('rails', 'pix is available')
    : critical('rails', 'pix is not available: no seller can be paid. Ask BlindPay');
}

/** Any read of wallets says whether the instance has them; it needs a customer. */
async function walletsCheck({ client }: Connection): Promise<PartnerCheck> {
  const name = 'managed wallets';
  const listed = await client.probe('/instances/:instance/customers?limit=10');
  const [customer] = readAs(listed, customersShape)?.data ?? [];
  if (customer === undefined) return ok(name, 'not known before the instance has a customer');
  const path = `/instances/:instance/customers/${encodeURIComponent(customer.id)}/wallets`;
  const wallets = await client.probe(path);
  if (readAs(wallets, z.array(z.unknown())) !== null) return ok(name, 'enabled');
  const code = errorCodeOf(wallets);
  return code === 'TRANSFERS_NOT_ENABLED'
    ? critical(name, 'not enabled: ask BlindPay for wallets_and_transfers')
    : warning(name, `cannot be read (${code})`);
}

/** A key has full access, so in live mode it should work from the hosts only. */
async function addressesCheck({ client, apiKey, mode }: Connection): Promise<PartnerCheck> {
  const name = 'addresses';
  const keys = readAs(await client.probe('/instances/:instance/api-keys'), keysShape);
  if (keys === null) return ok(name, 'not known: the key may not list the keys');
  // The list has the beginning of each key.
  const own = keys.filter(
    ({ token }) => token && apiKey.startsWith(token.replace(/(?<![.…*])[.…*]+$/, '')),
  );
  const listed = (own.length > 0 ? own : keys).map(({ ip_whitelist: list }) => list?.length ?? 0);
  const fewest = Math.min(...listed);
  if (listed.length > 0 && fewest > 0)
    return ok(name, `the key works from listed addresses only: ${fewest}`);
  const found = 'the key works from any address: make one that lists those of the hosts';
  return mode === 'live' ? warning(name, found) : ok(name, found);
}
