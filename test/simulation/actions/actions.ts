// What people and chance do to a simulated world: integrators, buyers, banks, operators, the mail,
// the clock. Each action begins one thing; how it goes on is decided at the gates.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import { type Tenant, tenantOf } from '../../../core/domain/base/tenant.js';
import { readyToCollect } from '../../../core/domain/parties/connected-account.js';
import { isExpirable } from '../../../core/domain/payments/payment.js';
import { receivePartnerMessage } from '../../../core/usecases/commands/partner-inbox.js';
import { cancelPayment } from '../../../core/usecases/payments/payments.js';
import {
  replayAllDead,
  replayByOperator,
  replayDelivery,
} from '../../../core/usecases/webhooks/deliveries.js';
import {
  createSubscription,
  deleteSubscription,
  rotateSecret,
  testSubscription,
} from '../../../core/usecases/webhooks/subscriptions.js';
import { everyEventReachesEverySubscription } from '../invariants/event-invariants.js';
import type { ActionName } from '../run-profile.js';
import { GIVEN_UP, tenants } from '../world/actors.js';
import { readFeed } from '../world/feed-reader.js';
import {
  bookWorkers,
  type SimulatedHost,
  type WorkerName,
  workers,
} from '../world/simulated-host.js';
import { moods } from '../world/simulated-receivers.js';
import type { Acts, Pointless, World } from '../world/world.js';
import { bankEvent, deliver, lateBankEvent, readyMessages } from './bank-events.js';
import { documentActs, documentsPointless } from './document-actions.js';
import { invoiceActs, invoicesPointless } from './invoice-actions.js';
import { operatorActs } from './operator-actions.js';
import { partiesPointless, partyActs } from './party-actions.js';
import {
  advance,
  buyerAsks,
  buyerConfirms,
  buyerSignsIn,
  buyerStep,
  buyerSubmits,
  buyersTurn,
  create,
  newRequest,
  onPayment,
  operatorEnds,
  shown,
  variant,
} from './payment-actions.js';
import { peopleActs, peoplePointless } from './people-actions.js';
import { transferActs, transfersPointless } from './transfer-actions.js';

/** More would slow every step down and show nothing new. */
const SUBSCRIPTIONS_MAX = 4;

const acts: Acts<ActionName> = {
  ...partyActs,
  ...documentActs,
  ...invoiceActs,
  ...peopleActs,
  ...transferActs,
  create: (world, host) => create(world, host, newRequest(world)),
  raceCreates: (world, host) => {
    const request = newRequest(world);
    create(world, host, request);
    create(world, world.host() ?? host, { ...request, input: variant(world, request.input) });
  },
  repeatCreate: (world, host) => {
    if (world.requests.length === 0) return;
    const request = world.random.pick(world.requests);
    create(world, host, { ...request, input: variant(world, request.input) });
  },
  buyerStep: (world, host) => buyerStep(world, host, world.random.pick(buyersTurn(world))),
  strayStep: (world, host) =>
    onPayment(world, (found) => {
      world.random.pick([buyerSignsIn, buyerSubmits, buyerAsks, buyerConfirms])(world, host, found);
    }),
  cancel: (world, host) =>
    onPayment(world, ({ payment }) => {
      const { id } = payment;
      const by = tenantOf(payment);
      host.begin(`cancel ${id}`, () => cancelPayment(host.deps, by, id, 'changed my mind'), {
        by,
        ...shown(world),
      });
    }),
  operatorCancel: (world, host) =>
    onPayment(world, ({ payment }) =>
      operatorEnds(world, host, payment, ['cancel', 'asked by phone']),
    ),
  operatorFail: (world, host) =>
    onPayment(world, ({ payment }) => operatorEnds(world, host, payment, ['fail', GIVEN_UP])),
  advance: (world, host) =>
    onPayment(world, ({ payment }) => {
      const to = world.random.pick([null, null, 'fx_quoted', 'on_ramp_pending'] as const);
      if (payment.mode === 'test') advance(world, host, payment, to);
    }),
  bankEvent,
  lateBankEvent,
  message: (world, host) => deliver(world, host, world.random.pick(readyMessages(world))),
  forgedMessage: (world, host) => {
    const partner = world.partners.test;
    const forged = { id: 'forged', body: '[]' };
    const body = Buffer.from(forged.body);
    const headers = partner.headersOf(forged, false);
    const message = { partner: partner.name, mode: 'test' as const, headers, body };
    host.begin('forged message', () => receivePartnerMessage(host.deps, message), {
      done: () => world.observed.surprises.push('a forged message was accepted'),
    });
  },
  work: (world, host) => {
    const { random } = world;
    host.work(random.pick(random.chance(0.9) ? dueWorkers(world) : workersOf(world)));
  },
  tick: (world) => world.pass(world.random.between(1, 3_000)),
  jump: async (world) => {
    const dueAtMs = (await world.store.claims.nextDueAtMs()) ?? world.nowMs;
    const waitMs = Math.min(Math.max(dueAtMs - world.nowMs, 1_000), 20 * MINUTE_MS);
    await world.pass(world.random.chance(0.7) ? waitMs : world.random.between(1, 5 * MINUTE_MS));
  },
  leap: (world) => world.pass(world.random.pick([HOUR_MS, 7 * HOUR_MS, DAY_MS])),
  receiverMood: (world) => {
    const urls = [...world.observed.subscriptions.values()].map(({ url }) => url);
    if (urls.length === 0) return;
    const mood = world.random.pick(moods);
    const url = world.random.pick(urls);
    world.receivers.moods.set(url, mood);
    world.trace(`${url} ${mood}`);
  },
  subscribe: (world, host) => subscribe(world, host),
  unsubscribe: (world, host) =>
    onSubscription(world, (tenant, id) =>
      host.begin(`unsubscribe ${id}`, () => deleteSubscription(host.deps, tenant, id), {
        by: tenant,
        done: () => world.observed.acknowledged.push({ kind: 'unsubscribed', tenant, id }),
      }),
    ),
  rotateSecret: (world, host) =>
    onSubscription(world, (tenant, id) =>
      host.begin(`rotate ${id}`, () => rotateSecret(host.deps, tenant, id), { by: tenant }),
    ),
  testWebhook: (world, host) =>
    onSubscription(world, (tenant, id) =>
      host.begin(`test ${id}`, () => testSubscription(host.deps, tenant, id), { by: tenant }),
    ),
  replay: (world, host) => {
    const deliveries = [...world.observed.deliveries.values()];
    if (deliveries.length === 0) return;
    const delivery = world.random.pick(deliveries);
    const { id, subscriptionId } = delivery;
    const replay = world.random.chance(0.5)
      ? () => replayByOperator(host.deps, id)
      : () => replayDelivery(host.deps, tenantOf(delivery), subscriptionId, id);
    host.begin(`replay ${id}`, replay);
  },
  readFeed,
  replayAllDead: (_world, host) => host.begin('replay all dead', () => replayAllDead(host.deps)),
  operatorRetries: (world, host) => {
    const { payments, partyCommands } = world.observed;
    const ofPayments = [...payments.values()].flatMap((found) => found.commands);
    const commands = [...ofPayments, ...partyCommands.values()];
    if (commands.length === 0) return;
    operatorActs(world, host, world.random.pick(commands));
  },
};

/** Where there are accounts, half of the payments wait until one of them can be named. */
function hasEnough({ observed, profile }: World): boolean {
  const { accounts } = observed.parties;
  const waits = accounts.size > 0 && ![...accounts.values()].some(readyToCollect);
  return observed.payments.size >= profile.paymentsMax / (waits ? 2 : 1);
}

/** When an action would do nothing; those not named can always do something. */
const pointless: Pointless = {
  ...partiesPointless,
  ...documentsPointless,
  ...invoicesPointless,
  ...peoplePointless,
  ...transfersPointless,
  create: hasEnough,
  createInvoice: hasEnough,
  raceCreates: hasEnough,
  buyerStep: (world) => buyersTurn(world).length === 0,
  bankEvent: ({ partners }) => Object.values(partners).every((partner) => partner.isIdle),
  message: (world) => readyMessages(world).length === 0,
  work: (world) => dueWorkers(world).length === 0,
};

/** Begins one thing that the world's profile picks. */
export async function act(world: World): Promise<void> {
  const host = world.host();
  let name: ActionName = 'tick';
  if (host !== null) {
    do name = world.random.weighted(world.profile.weights);
    while (pointless[name]?.(world));
  }
  world.count(name);
  await acts[name](world, host as SimulatedHost);
}

function workersOf({ observed }: World): readonly WorkerName[] {
  return observed.outside.abilities.hasStatement ? [...workers, ...bookWorkers] : workers;
}

/** The workers that would find something to do now. */
export function dueWorkers(world: World): readonly WorkerName[] {
  const { observed, nowMs } = world;
  const readings = [...observed.bookReadings.values()];
  const isDue = ({ dueAtMs }: { readonly dueAtMs: number | null }) =>
    dueAtMs !== null && dueAtMs <= nowMs;
  const payments = [...observed.payments.values()];
  const due: Readonly<Record<WorkerName, boolean>> = {
    commands: [
      ...payments.flatMap(({ commands }) => commands),
      ...observed.partyCommands.values(),
    ].some(isDue),
    deliveries: [...observed.deliveries.values()].some(isDue),
    missing: everyEventReachesEverySubscription(observed) !== null,
    inbox: [...observed.inbox.values()].some(isDue),
    expiry: payments.some(
      ({ payment: { status, expiresAtMs } }) =>
        isExpirable(status) && expiresAtMs !== null && expiresAtMs <= nowMs,
    ),
    advances: payments.some(({ advance }) => advance !== null && isDue(advance)),
    purges: [...observed.parties.documents.values()].some(isDue),
    mails: [...observed.parties.mails.values()].some(isDue),
    // The first ones are due at once.
    readings: readings.length === 0 || readings.some(isDue),
  };
  return workersOf(world).filter((worker) => due[worker]);
}

function onSubscription(world: World, action: (tenant: Tenant, id: string) => void): void {
  const all = [...world.observed.subscriptions.values()];
  if (all.length === 0) return;
  const subscription = world.random.pick(all);
  action(tenantOf(subscription), subscription.id);
}

function subscribe(world: World, host: SimulatedHost): void {
  const active = [...world.observed.subscriptions.values()].filter((each) => each.active);
  if (active.length >= SUBSCRIPTIONS_MAX) return;
  const { random } = world;
  const tenant = random.pick(tenants);
  const url = `https://receiver.example/${world.observed.subscriptions.size + 1}`;
  const eventTypes = random.pick([
    ['*'],
    ['payment_intent.*'],
    ['invoice.settled', 'connected_account.*'],
  ]);
  host.begin(`subscribe ${url}`, () => createSubscription(host.deps, tenant, { url, eventTypes }), {
    by: tenant,
    done: ({ subscription: { id } }) =>
      world.observed.acknowledged.push({ kind: 'subscribed', tenant, id }),
  });
}
