// The service under test: a listening server over the small world, with clients of three
// organizations. It also plays the surroundings: receivers that fail, partner messages that wait
// for delivery, time that passes, and outages.
import { keysOf } from '../../adapters/http/protocol/schemas.js';
import { type SignedMessage, signMessage } from '../../adapters/partner/signed-message.js';
import { scopes } from '../../core/domain/access/scope.js';
import { developmentOperator } from '../../core/domain/base/actor.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/domain/base/instant.js';
import type { Mode, Tenant } from '../../core/domain/base/tenant.js';
import type { ErrorCode } from '../../core/errors.js';
import { createKey, revokeKey, unlimitedKey } from '../../core/usecases/access/keys.js';
import { addMember, removeMember } from '../../core/usecases/access/members.js';
import { startMemberSession, tokenOf } from '../../core/usecases/access/sessions.js';
import { configureAccountPayout, submitAccount } from '../../core/usecases/parties/accounts.js';
import { requireApproval } from '../../core/usecases/parties/organizations.js';
import { PRUNABLE_MS, prune } from '../../core/usecases/service/prune.js';
import { allWell, type CheckedSite, openSite } from '../adapters/http/checked-site.js';
import { failingStore, override, silentPartner } from '../adapters/http/outages.js';
import { payoutConfig, sellerDossier } from '../adapters/http/resources/account-calls.js';
import type { SeededRandom } from '../simulation/seeded-random.js';
import { anyAuthor } from '../support/samples/domain-samples.js';
import { goLive } from '../support/scenes/organization-scene.js';
import { newSeller } from '../support/scenes/seller-scene.js';
import { KnownValues } from './known-values.js';

export const ALLOWED_ORIGIN = 'https://app.example';

/** A client of one organization and mode. */
export interface Client {
  readonly name: string;
  readonly tenant: Tenant;
  /** Unrestricted. */
  readonly key: string;
  readonly revokedKey: string;
  /** Each has one scope. */
  readonly scopedKeys: readonly string[];
  readonly known: KnownValues;
  session(of: 'owner' | 'viewer' | 'removed' | 'expired'): Promise<string>;
}

interface Outage {
  readonly name: string;
  /** The 5xx that it may cause. */
  readonly codes: readonly ErrorCode[];
  readonly requestsMax: number;
  /** Returns what ends it. */
  readonly begin: (site: CheckedSite, health: { worker: boolean }) => () => void;
}

export interface FuzzScene {
  readonly site: CheckedSite;
  readonly clients: readonly Client[];
  /** Messages of the partner that were not delivered yet, oldest first. */
  readonly messages: SignedMessage[];
  /** A message with the partner's genuine signature. */
  signed(text: string, messageId: string): SignedMessage;
  /** The 5xx that the current outage may cause. */
  outageCodes(): readonly ErrorCode[];
  /** Does due work, moves the clock, begins and ends outages. Returns what it did. */
  advance(random: SeededRandom): Promise<readonly string[]>;
  close(): Promise<void>;
}

const OUTAGE_CHANCE = 0.03;
const delaysMs = [
  100,
  100,
  SECOND_MS,
  SECOND_MS,
  31 * SECOND_MS,
  3 * MINUTE_MS,
  16 * MINUTE_MS,
  2 * HOUR_MS,
  DAY_MS,
];
const receiverAnswers = [
  ...[200, 200, 200, 204, 301, 400, 500].map((responseStatus) => ({ responseStatus })),
  { responseStatus: null, responseBody: null, error: 'connection refused' },
];

const outages: readonly Outage[] = [
  {
    name: 'the partner does not answer',
    codes: ['PartnerUnavailable'],
    requestsMax: 6,
    begin: ({ world }) => override(world.partner, silentPartner(world)),
  },
  {
    name: 'document storage is not configured',
    codes: ['KycStorageDisabled'],
    requestsMax: 6,
    begin: ({ world }) => override(world.deps, { documents: null }),
  },
  ...(['StoreContention', 'StoreUnavailable'] as const).map((code) => ({
    name: `the store fails with ${code}`,
    codes: [code],
    requestsMax: 6,
    begin: ({ world }: CheckedSite) => override(world.deps, failingStore(world.deps, code)),
  })),
  {
    name: 'one create a minute is allowed',
    codes: [],
    // Long enough for a second create with the same key.
    requestsMax: 40,
    begin: ({ world }) =>
      override(world.deps.settings, { rateLimitPerMinute: 1, rateLimitBurst: 1 }),
  },
  {
    name: 'workers are stalled',
    codes: [],
    requestsMax: 6,
    begin: (_, health) => override(health, { worker: false }),
  },
];

export async function fuzzScene(): Promise<FuzzScene> {
  const health = { ...allWell };
  const readiness = async () => health;
  const site = await openSite({}, { corsOrigins: [ALLOWED_ORIGIN], readiness });
  const { world } = site;
  const messages: SignedMessage[] = [];
  const clients = await newClients(site);
  for (const client of clients.slice(0, 2)) await begin(site, client);
  world.deliver = async (message) => {
    messages.push(message);
  };
  let outage: { codes: readonly ErrorCode[]; end: () => void; requestsLeft: number } | null = null;
  return {
    site,
    clients,
    messages,
    signed(text, messageId) {
      const sentAtMs = world.deps.clock.nowMs();
      return signMessage({ secret: world.partnerSecret, messageId, sentAtMs, text });
    },
    outageCodes: () => outage?.codes ?? [],
    async advance(random) {
      if (outage !== null) {
        outage.requestsLeft -= 1;
        if (outage.requestsLeft > 0) return [];
        outage.end();
        outage = null;
      }
      const notes = await surroundings(site, random);
      if (!random.chance(OUTAGE_CHANCE)) return notes;
      const { name, codes, requestsMax, begin } = random.pick(outages);
      const requestsLeft = random.between(1, requestsMax);
      outage = { codes, end: begin(site, health), requestsLeft };
      return [...notes, name];
    },
    close: () => site.close(),
  };
}

/** A payment and a seller at the end of their ways, which few sequences of a round reach. */
async function begin({ world }: CheckedSite, { tenant, known }: Client): Promise<void> {
  const seller = await newSeller(world.deps, tenant, { externalId: 'ready' });
  await submitAccount(world.deps, tenant, seller.id, sellerDossier);
  await configureAccountPayout(world.deps, tenant, seller.id, payoutConfig, anyAuthor);
  const paymentId = await world.newPayment(tenant, { sellerExternalId: 'ready' });
  await world.play(tenant, paymentId, 'settled');
  known.learnResource({ id: seller.id, externalId: 'ready', readyToCollect: true }, 0);
  known.learnResource({ id: paymentId, status: 'settled' }, 0);
}

async function surroundings(
  { world }: CheckedSite,
  random: SeededRandom,
): Promise<readonly string[]> {
  const notes: string[] = [];
  if (random.chance(0.2)) {
    const delayMs = random.pick(delaysMs);
    world.advanceClock(delayMs);
    notes.push(`${delayMs} ms pass`);
  }
  if (random.chance(0.3)) {
    const answer = random.pick(receiverAnswers);
    world.answer = () => answer;
    await world.settle();
    notes.push('due work is done');
  }
  if (random.chance(0.003)) {
    world.advanceClock(PRUNABLE_MS + DAY_MS);
    await world.settle();
    const { events } = await prune(world.deps, PRUNABLE_MS);
    notes.push(`${events} events are pruned`);
  }
  return notes;
}

async function newClients(site: CheckedSite): Promise<readonly Client[]> {
  const { world } = site;
  const [first, second, third] = [
    await world.organization(),
    await world.organization(),
    await world.organization({ sandboxKyb: false }),
  ];
  await goLive(world.deps, first);
  await requireApproval(world.deps, second, true);
  const excluded = new Set<string>();
  const clients: Client[] = [];
  for (const [name, orgId, mode] of [
    ['first', first, 'test'],
    ['second', second, 'test'],
    ['first live', first, 'live'],
    ['without KYB', third, 'test'],
  ] as const) {
    const client = await newClient(site, name, { orgId, mode }, new KnownValues(excluded));
    excluded.add(/key_\w+/.exec(client.key)?.[0] ?? '');
    clients.push(client);
  }
  return clients;
}

async function newClient(
  { world }: CheckedSite,
  name: string,
  tenant: Tenant,
  known: KnownValues,
): Promise<Client> {
  // An outage replaces parts of `world.deps`, and sign-ins are none of its requests.
  const deps = { ...world.deps };
  const { orgId, mode } = tenant;
  const members = await newMembers(world.deps, orgId, mode);
  const revoked = await createKey(deps, {
    ...tenant,
    createdBy: developmentOperator.id,
    name: 'revoked',
    ...unlimitedKey,
  });
  await revokeKey(deps, orgId, revoked.key.id);
  const scopedKeys: string[] = [];
  for (const scope of keysOf(scopes)) {
    scopedKeys.push(await world.key(orgId, { mode, scopes: [scope] }));
  }
  return {
    name,
    tenant,
    known,
    scopedKeys,
    key: await world.key(orgId, { mode }),
    revokedKey: revoked.secret,
    async session(of) {
      const member = members[of];
      const started = of === 'removed' ? members.ended : await startMemberSession(deps, member);
      const endsAtMs = of === 'expired' ? deps.clock.nowMs() - SECOND_MS : started.endsAtMs;
      const actor = { orgId, memberId: member.id, mode };
      return (await tokenOf(deps, { ...started, endsAtMs }, actor)).token;
    },
  };
}

async function newMembers(deps: CheckedSite['world']['deps'], orgId: string, mode: Mode) {
  const add = (name: string, role: 'owner' | 'viewer') =>
    addMember(deps, { orgId, email: `${name}.${mode}@acme.example`, role });
  const owner = await add('owner', 'owner');
  const viewer = await add('viewer', 'viewer');
  const removed = await add('removed', 'owner');
  const ended = await startMemberSession(deps, removed);
  await removeMember(deps, orgId, `removed.${mode}@acme.example`);
  return { owner, viewer, removed, ended, expired: owner } as const;
}
