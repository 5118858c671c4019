// What integrators and buyers do with payments: create them, again and again, and take the steps of
// the hosted page. The steps of invoices are in invoice-actions.ts.
import { DAY_MS, HOUR_MS } from '../../../core/domain/base/instant.js';
import { tenantOf } from '../../../core/domain/base/tenant.js';
import { readyToCollect } from '../../../core/domain/parties/connected-account.js';
import type { PaymentView } from '../../../core/domain/payments/change.js';
import {
  isTerminal,
  type Payment,
  type PaymentStatus,
} from '../../../core/domain/payments/payment.js';
import { confirmQuote, requestQuote, signIn } from '../../../core/usecases/hosted/buyer-steps.js';
import { submitBuyerKyc } from '../../../core/usecases/parties/kyc.js';
import { readView } from '../../../core/usecases/payments/payment-store.js';
import {
  type CreatePaymentInput,
  createPayment,
  readPayment,
} from '../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../core/usecases/sandbox/sandbox.js';
import { operatorDoes } from '../../support/operator-action.js';
import type { ObservedPayment } from '../invariants/observed-payment.js';
import { buyerEmails, membersOf, tenants } from '../world/actors.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { CreateRequest, World } from '../world/world.js';
import { personalDossier } from './document-actions.js';

/** A cent, more than a partner takes in one pay-in, and the least that BlindPay takes. */
const extremesMinor = [1n, 999_999_999n, 1_000n] as const;
const EXTREME_EVERY = 4;

/** Each fourth payment has an extreme amount. */
function amountOf(number: number, usualMinor: bigint): bigint {
  const [at, rest] = [Math.floor(number / EXTREME_EVERY), number % EXTREME_EVERY];
  return (rest === 0 ? extremesMinor[at % extremesMinor.length] : null) ?? usualMinor;
}

/** What the next create says; a named seller may be anybody's, and ready or not. */
export function newRequest(world: World, origin: Payment['origin'] = 'payment_intent') {
  const { random, requests, observed } = world;
  const number = requests.length + 1;
  const accounts = [...observed.parties.accounts.values()];
  const ready = accounts.filter(readyToCollect);
  const from = ready.length > 0 && random.chance(0.8) ? ready : accounts;
  const seller = from.length > 0 && random.chance(0.5) ? random.pick(from) : null;
  // Transfers for several payments need payments of one buyer.
  const isAlike = world.profile.transfers > 0;
  const possible = isAlike ? tenants.slice(0, 1) : tenants;
  const tenant = seller === null || random.chance(0.1) ? random.pick(possible) : tenantOf(seller);
  const expiresInMs = random.pick([null, null, null, 90_000, HOUR_MS, DAY_MS, 3 * DAY_MS]);
  const common = {
    idempotencyKey: random.chance(0.6) ? `key-${number}` : null,
    externalId: `order-${number}`,
    amount: {
      amountMinor: amountOf(number, BigInt(random.between(1_000, 500_000))),
      currency: isAlike ? 'USD' : random.pick(['USD', 'USD', 'EUR']),
    },
    buyer: {
      email: random.pick(isAlike ? buyerEmails.slice(0, 1) : buyerEmails),
      name: null,
      country: null,
      phone: null,
    },
    sellerExternalId: seller?.externalId ?? null,
    returnUrl: null,
    purchaseOrder: null,
    buyerReference: null,
    display: null,
    metadata: `{"b":${number},"a":"x"}`,
    expiresAtMs: expiresInMs === null ? null : world.nowMs + expiresInMs,
    purpose: null,
    payerRelation: null,
    fiscalDocument: null,
    bookedRate: null,
    createdBy: 'key_1',
  };
  const createdByMemberId = random.pick([null, ...membersOf(tenant.orgId)]);
  const input: CreatePaymentInput =
    origin === 'invoice'
      ? {
          ...common,
          origin,
          number: `${number}`,
          dueDate: null,
          attachmentDocumentId: null,
          createdByMemberId,
        }
      : { ...common, origin, createdByMemberId: null };
  const request: CreateRequest = { tenant, input };
  requests.push(request);
  return request;
}

/** The same request with another body, another key, or as it was. */
export function variant({ random }: World, input: CreatePaymentInput): CreatePaymentInput {
  const other = `${input.idempotencyKey ?? input.externalId}-${random.between(1, 2)}`;
  return {
    ...input,
    idempotencyKey: random.pick([input.idempotencyKey, input.idempotencyKey, other, null]),
    externalId:
      input.idempotencyKey !== null && random.chance(0.2) ? `not ${other}` : input.externalId,
  };
}

export function create(world: World, host: SimulatedHost, { tenant, input }: CreateRequest): void {
  const { externalId, idempotencyKey } = input;
  host.begin(
    `create ${externalId} ${idempotencyKey}`,
    () => createPayment(host.deps, tenant, input),
    { by: tenant, ...shown(world, idempotencyKey) },
  );
}

/** Records the payment that a caller received: it may rely on it. */
export function shown(world: World, idempotencyKey: string | null = null) {
  return {
    done: ({ payment }: PaymentView) => {
      const { id, status, version, externalId } = payment;
      const tenant = tenantOf(payment);
      world.observed.acknowledged.push({
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

/** An operator cancels or fails the payment. */
export function operatorEnds(
  world: World,
  host: SimulatedHost,
  payment: Payment,
  [verb, reason]: readonly ['cancel' | 'fail', reason: string],
): void {
  const end = async () => {
    // Those of the operator: the call has begun.
    const { deps } = host;
    await operatorDoes(deps, payment.id, { verb, reason });
    return readPayment(deps, tenantOf(payment), payment.id);
  };
  host.begin(`operator ${verb}s ${payment.id}`, end, shown(world));
}

export function onPayment(world: World, action: (found: ObservedPayment) => void): void {
  const all = [...world.observed.payments.values()];
  const running = all.filter(({ payment }) => !isTerminal(payment.status));
  const from = running.length > 0 && world.random.chance(0.85) ? running : all;
  if (from.length > 0) action(world.random.pick(from));
}

/** Payments of which the buyer has something to do; who is being verified waits. */
export function buyersTurn({ observed }: World): readonly ObservedPayment[] {
  const turns: readonly PaymentStatus[] = [
    ...(['awaiting_buyer', 'buyer_kyc_pending', 'buyer_kyc_approved', 'fx_quoted'] as const),
  ];
  const verifying = new Set(
    [...observed.parties.kyc.values()]
      .filter(({ status }) => status === 'verifying')
      .map(({ orgId, mode, buyerId }) => `${orgId} ${mode} ${buyerId}`),
  );
  return [...observed.payments.values()].filter(({ payment }) => {
    const { status, orgId, mode, buyerId } = payment;
    if (!turns.includes(status)) return false;
    return status !== 'buyer_kyc_pending' || !verifying.has(`${orgId} ${mode} ${buyerId}`);
  });
}

/** What a buyer on the hosted page does next. */
export function buyerStep(world: World, host: SimulatedHost, found: ObservedPayment): void {
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

export function buyerSignsIn(
  world: World,
  host: SimulatedHost,
  { payment }: ObservedPayment,
): void {
  const { id } = payment;
  const by = tenantOf(payment);
  host.begin(`sign in ${id}`, () => signIn(host.deps, by, id), { by, ...shown(world) });
}

export function buyerSubmits(world: World, host: SimulatedHost, { payment }: ObservedPayment) {
  const { id, buyerId } = payment;
  const by = tenantOf(payment);
  const dossier = personalDossier(world, by, { party: 'buyer', id: buyerId });
  const submit = () => submitBuyerKyc(host.deps, by, id, { entityType: 'individual', ...dossier });
  host.begin(`submit KYC ${id}`, submit, { by });
}

export function buyerAsks(_world: World, host: SimulatedHost, { payment }: ObservedPayment): void {
  const { id } = payment;
  const by = tenantOf(payment);
  host.begin(`quote ${id}`, () => requestQuote(host.deps, by, id), { by });
}

export function buyerConfirms(
  world: World,
  host: SimulatedHost,
  { payment }: ObservedPayment,
): void {
  const { id } = payment;
  const by = tenantOf(payment);
  // The page was loaded some time ago: another quote may be current by now.
  const quoteId = payment.quoteId ?? 'qt_none';
  const confirm = async () => {
    await confirmQuote(host.deps, by, id, quoteId);
    return readView(host.deps, by, id);
  };
  host.begin(`confirm ${id}`, confirm, {
    by,
    ...shown(world),
    refused: ({ code }) => world.count(`confirmation refused: ${code}`),
  });
}

export function advance(
  world: World,
  host: SimulatedHost,
  payment: Payment,
  to: PaymentStatus | null,
): void {
  const by = tenantOf(payment);
  const { id } = payment;
  host.begin(`advance ${id}`, () => advancePayment(host.deps, by, id, to), { by, ...shown(world) });
}
