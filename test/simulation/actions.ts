// What people and chance do to a simulated world: integrators, buyers, banks, operators, the mail,
// the clock. Each action begins one thing; how it goes on is decided at the gates.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/domain/instant.js';
import {
  isExpirable,
  isTerminal,
  type Payment,
  type PaymentStatus,
} from '../../core/domain/payment.js';
import { type Tenant, tenantOf } from '../../core/domain/tenant.js';
import { confirmQuote, requestQuote, signIn } from '../../core/usecases/buyers.js';
import type { PaymentView } from '../../core/usecases/collections.js';
import { retryCommand } from '../../core/usecases/command-retries.js';
import { replayAllDead, replayByOperator, replayDelivery } from '../../core/usecases/deliveries.js';
import { submitBuyerKyc } from '../../core/usecases/kyc.js';
import {
  type CreatePaymentInput,
  cancelPayment,
  cancelPaymentByOperator,
  createPayment,
  failPaymentByOperator,
} from '../../core/usecases/payments.js';
import { advancePayment } from '../../core/usecases/sandbox.js';
import { receivePartnerMessage } from '../../core/usecases/settlement.js';
import {
  createSubscription,
  deleteSubscription,
  rotateSecret,
  testSubscription,
} from '../../core/usecases/subscriptions.js';
import { afterthought, bankMoves, deliver, readyMessages } from './banks.js';
import type { ActionName } from './chaos.js';
import type { PaymentEvidence } from './evidence.js';
import { type SimulatedHost, type WorkerName, workers } from './simulated-host.js';
import { PARTNER_NAME } from './simulated-partner.js';
import { moods } from './simulated-receivers.js';
import { type CreateRequest, tenants, type World } from './world.js';

/** More would slow every step down and show nothing new. */
const PAYMENTS_MAX = 5;
const SUBSCRIPTIONS_MAX = 4;
const person = {
  entityType: 'individual',
  firstName: 'Ana',
  lastName: 'Lima',
  dateOfBirth: '1990-01-31',
  country: 'US',
  idDocCountry: 'US',
  idDocType: 'PASSPORT',
  selfieFile: 'https://files.example/selfie.jpg',
  idDocFrontFile: 'https://files.example/passport.jpg',
} as const;

type Act = (world: World, host: SimulatedHost) => void | Promise<void>;

const acts: Readonly<Record<ActionName, Act>> = {
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
      const { externalId, id } = payment;
      const reference = world.random.chance(0.5) ? id : `ext_${externalId}`;
      host.begin(
        `cancel ${id}`,
        () => cancelPayment(host.deps, tenantOf(payment), reference, 'changed my mind'),
        told(world),
      );
    }),
  operatorCancel: (world, host) =>
    onPayment(world, ({ payment: { id } }) =>
      host.begin(
        `operator cancels ${id}`,
        () => cancelPaymentByOperator(host.deps, id, 'asked by phone'),
        told(world),
      ),
    ),
  operatorFail: (world, host) =>
    onPayment(world, ({ payment: { id } }) =>
      host.begin(
        `operator fails ${id}`,
        () => failPaymentByOperator(host.deps, id, 'given up'),
        told(world),
      ),
    ),
  advance: (world, host) =>
    onPayment(world, ({ payment }) => {
      const to = world.random.pick([null, null, 'fx_quoted', 'on_ramp_pending'] as const);
      if (payment.mode === 'test') advance(world, host, payment, to);
    }),
  bankMoves,
  afterthought,
  message: (world, host) => deliver(world, host, world.random.pick(readyMessages(world))),
  forgedMessage: (world, host) => {
    const body = Buffer.from('[]');
    const headers = { 'message-id': 'forged', genuine: 'no' };
    const message = { partner: PARTNER_NAME, mode: 'test' as const, headers, body };
    host.begin('forged message', () => receivePartnerMessage(host.deps, message), {
      done: () => world.evidence.surprises.push('a forged message was accepted'),
    });
  },
  work: (world, host) => {
    const { random } = world;
    host.work(random.pick(random.chance(0.9) ? dueWorkers(world) : workers));
  },
  tick: (world) => world.pass(world.random.between(1, 3_000)),
  jump: async (world) => {
    const dueAtMs = (await world.store.claims.nextDueAtMs()) ?? world.nowMs;
    const waitMs = Math.min(Math.max(dueAtMs - world.nowMs, 1_000), 20 * MINUTE_MS);
    await world.pass(world.random.chance(0.7) ? waitMs : world.random.between(1, 5 * MINUTE_MS));
  },
  leap: (world) => world.pass(world.random.pick([HOUR_MS, 7 * HOUR_MS, DAY_MS])),
  receiverMood: (world) => {
    const urls = [...world.evidence.subscriptions.values()].map(({ url }) => url);
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
        done: () => world.evidence.acknowledged.push({ kind: 'unsubscribed', tenant, id }),
      }),
    ),
  rotateSecret: (world, host) =>
    onSubscription(world, (tenant, id) =>
      host.begin(`rotate ${id}`, () => rotateSecret(host.deps, tenant, id)),
    ),
  testWebhook: (world, host) =>
    onSubscription(world, (tenant, id) =>
      host.begin(`test ${id}`, () => testSubscription(host.deps, tenant, id)),
    ),
  replay: (world, host) => {
    const deliveries = [...world.evidence.deliveries.values()];
    if (deliveries.length === 0) return;
    const delivery = world.random.pick(deliveries);
    const { id, subscriptionId } = delivery;
    const replay = world.random.chance(0.5)
      ? () => replayByOperator(host.deps, id)
      : () => replayDelivery(host.deps, tenantOf(delivery), subscriptionId, id);
    host.begin(`replay ${id}`, replay);
  },
  replayAllDead: (_world, host) => host.begin('replay all dead', () => replayAllDead(host.deps)),
  operatorRetries: (world, host) => {
    const commands = [...world.evidence.payments.values()].flatMap((found) => found.commands);
    if (commands.length === 0) return;
    const { id, kind } = world.random.pick(commands);
    host.begin(`operator retries ${kind} ${id}`, () => retryCommand(host.deps, id));
  },
};

/** When an action would do nothing; those not named can always do something. */
const pointless: Partial<Readonly<Record<ActionName, (world: World) => boolean>>> = {
  create: ({ evidence }) => evidence.payments.size >= PAYMENTS_MAX,
  raceCreates: ({ evidence }) => evidence.payments.size >= PAYMENTS_MAX,
  buyerStep: (world) => buyersTurn(world).length === 0,
  bankMoves: ({ partners }) => Object.values(partners).every((partner) => partner.isIdle),
  message: (world) => readyMessages(world).length === 0,
  work: (world) => dueWorkers(world).length === 0,
};

/** Begins one thing that the world's chaos picks. */
export async function act(world: World): Promise<void> {
  const host = world.host();
  let name: ActionName = 'tick';
  if (host !== null) {
    do name = world.random.weighted(world.chaos.weights);
    while (pointless[name]?.(world));
  }
  world.count(name);
  await acts[name](world, host as SimulatedHost);
}

function newRequest(world: World): CreateRequest {
  const { random, requests } = world;
  const number = requests.length + 1;
  const expiresInMs = random.pick([null, null, 90_000, HOUR_MS, DAY_MS, 3 * DAY_MS]);
  const request: CreateRequest = {
    tenant: random.pick(tenants),
    input: {
      origin: 'payment_intent',
      idempotencyKey: random.chance(0.6) ? `key-${number}` : null,
      externalId: `order-${number}`,
      amount: {
        amountMinor: BigInt(random.between(1_000, 500_000)),
        currency: random.pick(['USD', 'USD', 'EUR']),
      },
      buyer: {
        email: random.pick(['ana@example.com', 'Ana@Example.com ', 'bob@example.com']),
        name: null,
        country: null,
        phone: null,
      },
      sellerExternalId: null,
      returnUrl: null,
      display: null,
      metadata: `{"b":${number},"a":"x"}`,
      expiresAtMs: expiresInMs === null ? null : world.nowMs + expiresInMs,
    },
  };
  requests.push(request);
  return request;
}

/** The same request with another body, another key, or as it was. */
function variant({ random }: World, input: CreatePaymentInput): CreatePaymentInput {
  const other = `${input.idempotencyKey ?? input.externalId}-${random.between(1, 2)}`;
  return {
    ...input,
    idempotencyKey: random.pick([input.idempotencyKey, input.idempotencyKey, other, null]),
    externalId:
      input.idempotencyKey !== null && random.chance(0.2) ? `not ${other}` : input.externalId,
  };
}

function create(world: World, host: SimulatedHost, { tenant, input }: CreateRequest): void {
  const { externalId, idempotencyKey } = input;
  host.begin(
    `create ${externalId} ${idempotencyKey}`,
    () => createPayment(host.deps, tenant, input),
    told(world, idempotencyKey),
  );
}

/** Whoever is shown a payment may rely on what was shown. */
export function told(world: World, idempotencyKey: string | null = null) {
  return {
    done: ({ payment }: PaymentView) => {
      const { id, status, version, externalId } = payment;
      const tenant = tenantOf(payment);
      world.evidence.acknowledged.push({
        kind: 'payment',
        tenant,
        id,
        status,
        version,
        externalId,
        idempotencyKey,
      });
    },
  };
}

function onPayment(world: World, action: (found: PaymentEvidence) => void): void {
  const all = [...world.evidence.payments.values()];
  const running = all.filter(({ payment }) => !isTerminal(payment.status));
  const from = running.length > 0 && world.random.chance(0.85) ? running : all;
  if (from.length > 0) action(world.random.pick(from));
}

function buyersTurn({ evidence }: World): readonly PaymentEvidence[] {
  const turns: readonly PaymentStatus[] = [
    ...(['awaiting_buyer', 'buyer_kyc_pending', 'buyer_kyc_approved', 'fx_quoted'] as const),
  ];
  return [...evidence.payments.values()].filter(({ payment }) => turns.includes(payment.status));
}

/** The workers that would find something to do now. */
export function dueWorkers({ evidence, nowMs }: World): readonly WorkerName[] {
  const isDue = ({ dueAtMs }: { readonly dueAtMs: number | null }) =>
    dueAtMs !== null && dueAtMs <= nowMs;
  const payments = [...evidence.payments.values()];
  const due: Readonly<Record<WorkerName, boolean>> = {
    commands: [
      ...payments.flatMap(({ commands }) => commands),
      ...evidence.submissions.values(),
    ].some(isDue),
    sequencer: evidence.outbox.length > 0,
    deliveries: [...evidence.deliveries.values()].some(isDue),
    inbox: [...evidence.inbox.values()].some(isDue),
    expiry: payments.some(
      ({ payment: { status, expiresAtMs } }) =>
        isExpirable(status) && expiresAtMs !== null && expiresAtMs <= nowMs,
    ),
    advances: payments.some(({ advance }) => advance !== null && isDue(advance)),
  };
  return workers.filter((worker) => due[worker]);
}

function onSubscription(world: World, action: (tenant: Tenant, id: string) => void): void {
  const all = [...world.evidence.subscriptions.values()];
  if (all.length === 0) return;
  const subscription = world.random.pick(all);
  action(tenantOf(subscription), subscription.id);
}

/** What a buyer on the hosted page does next. */
export function buyerStep(world: World, host: SimulatedHost, found: PaymentEvidence): void {
  switch (found.payment.status) {
    case 'awaiting_buyer':
      buyerSignsIn(world, host, found);
      break;
    case 'buyer_kyc_pending':
      buyerSubmits(world, host, found);
      break;
    case 'buyer_kyc_approved':
      buyerAsks(world, host, found);
      break;
    case 'fx_quoted':
      (world.random.chance(0.8) ? buyerConfirms : buyerAsks)(world, host, found);
      break;
    default:
  }
}

function buyerSignsIn(world: World, host: SimulatedHost, { payment }: PaymentEvidence): void {
  const { id } = payment;
  host.begin(`sign in ${id}`, () => signIn(host.deps, tenantOf(payment), id), told(world));
}

function buyerSubmits(_world: World, host: SimulatedHost, { payment }: PaymentEvidence): void {
  const { id } = payment;
  host.begin(`submit KYC ${id}`, () => submitBuyerKyc(host.deps, tenantOf(payment), id, person));
}

function buyerAsks(_world: World, host: SimulatedHost, { payment }: PaymentEvidence): void {
  const { id } = payment;
  host.begin(`quote ${id}`, () => requestQuote(host.deps, tenantOf(payment), id));
}

function buyerConfirms(world: World, host: SimulatedHost, { payment }: PaymentEvidence): void {
  const { id } = payment;
  host.begin(`confirm ${id}`, () => confirmQuote(host.deps, tenantOf(payment), id), told(world));
}

export function advance(
  world: World,
  host: SimulatedHost,
  payment: Payment,
  to: PaymentStatus | null,
): void {
  host.begin(
    `advance ${payment.id}`,
    () => advancePayment(host.deps, tenantOf(payment), payment.id, to),
    told(world),
  );
}

function subscribe(world: World, host: SimulatedHost): void {
  const active = [...world.evidence.subscriptions.values()].filter((each) => each.active);
  if (active.length >= SUBSCRIPTIONS_MAX) return;
  const { random } = world;
  const tenant = random.pick(tenants);
  const url = `https://receiver.example/${world.evidence.subscriptions.size + 1}`;
  const eventTypes = random.pick([['*'], ['payment_intent.*'], ['invoice.settled']]);
  host.begin(`subscribe ${url}`, () => createSubscription(host.deps, tenant, { url, eventTypes }), {
    done: ({ subscription: { id } }) =>
      world.evidence.acknowledged.push({ kind: 'subscribed', tenant, id }),
  });
}
