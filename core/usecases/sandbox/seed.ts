// Payments in every state that lasts, for developers and demonstrations: the sandbox plays their
// buyers and partner, and the caller's clock moves on, so the oldest is a month old.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/base/instant.js';
import { money } from '../../domain/base/money.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { unsentFields } from '../../domain/payments/idempotency.js';
import { trialFacts } from '../../domain/payments/payer-relation.js';
import type { PaymentStatus } from '../../domain/payments/payment.js';
import type { SimulatedEvent } from '../../domain/payments/simulated-event.js';
import type { Deps } from '../../ports/deps.js';
import { approvePayment, cancelPayment, createPayment } from '../payments/payments.js';
import { advancePayment } from './sandbox.js';
import { simulate } from './simulations.js';

interface SeedRow {
  readonly count: number;
  readonly currency?: 'EUR' | 'GBP';
  /** An intent unless it is an invoice, which a member approves. */
  readonly invoice?: 'to approve' | 'approved';
  /** It expires before the next one is made. */
  readonly expires?: true;
  /** How far the buyer gets; null: the buyer does nothing. */
  readonly to: PaymentStatus | null;
  /** What happens then, at once. */
  readonly events?: readonly (SimulatedEvent | 'cancel')[];
  /** What happens an hour later. */
  readonly later?: readonly SimulatedEvent[];
}

/** Oldest first. */
const endedRows: readonly SeedRow[] = [
  { count: 8, to: 'settled' },
  { count: 2, to: null, expires: true },
  { count: 8, to: 'settled', invoice: 'approved' },
  { count: 2, to: 'buyer_kyc_pending', events: ['identity_sent', 'identity_rejected'] },
  { count: 4, to: 'settled', currency: 'EUR' },
  { count: 2, to: 'on_ramp_pending', events: ['money_fails'] },
  { count: 1, to: 'on_ramp_pending', events: ['money_twice'] },
  { count: 1, to: 'on_ramp_pending', events: ['payout_returns', 'money_arrives'] },
  { count: 1, to: 'on_ramp_pending', events: ['payout_fails', 'money_arrives'] },
  { count: 2, to: null, events: ['cancel'] },
  { count: 1, to: 'on_ramp_pending', events: ['cancel'], later: ['money_late'] },
  { count: 3, to: 'settled', currency: 'GBP' },
];

/** What waits for somebody is new: nothing is late. */
const waitingRows: readonly SeedRow[] = [
  { count: 2, to: 'on_ramp_pending', events: ['money_short'] },
  { count: 2, to: 'buyer_kyc_pending' },
  { count: 1, to: 'buyer_kyc_pending', events: ['identity_sent', 'identity_pending'] },
  { count: 1, to: 'buyer_kyc_pending', events: ['identity_sent', 'identity_documents_again'] },
  { count: 1, to: 'buyer_kyc_approved' },
  { count: 2, to: null, invoice: 'to approve' },
  { count: 1, to: null, invoice: 'approved' },
  { count: 2, to: 'on_ramp_pending' },
  { count: 2, to: null },
  { count: 1, to: 'fx_quoted' },
];

/** How long before the present the first one is made. */
export const SEEDED_MS = 30 * DAY_MS;
/** Between two that ended, and between two that wait: all take less than that time. */
const ENDED_APART_MS = 18 * HOUR_MS;
const WAITING_APART_MS = 3 * HOUR_MS;
const FIRST_AMOUNT_MINOR = 12_000n;
const NEXT_AMOUNT_MINOR = 18_750n;

interface SeedScene {
  readonly tenant: Tenant;
  /** Makes the payments and approves the invoices. */
  readonly memberId: string;
  /** Moves the clock and runs what falls due. */
  readonly pass: (durationMs: number) => Promise<void>;
}

/** Returns how many payments it made. The tenant is of test mode and may collect. */
export async function seedPayments(deps: Deps, scene: SeedScene): Promise<number> {
  let made = 0;
  const seed = async (rows: readonly SeedRow[], apartMs: number) => {
    for (const row of rows) {
      for (let count = 0; count < row.count; count += 1) {
        made += 1;
        await seedPayment(deps, scene, row, made);
        await scene.pass(apartMs);
      }
    }
  };
  await seed(endedRows, ENDED_APART_MS);
  await seed(waitingRows, WAITING_APART_MS);
  return made;
}

async function seedPayment(
  deps: Deps,
  { tenant, memberId, pass }: SeedScene,
  row: SeedRow,
  number: number,
): Promise<void> {
  const { currency = 'USD', invoice, expires, to, events = [], later = [] } = row;
  const digits = `${number}`.padStart(2, '0');
  const nowMs = deps.clock.nowMs();
  const common = {
    ...unsentFields,
    ...trialFacts,
    externalId: `seed-${digits}`,
    amount: money(FIRST_AMOUNT_MINOR + BigInt(number) * NEXT_AMOUNT_MINOR, currency),
    buyer: {
      email: `buyer-${digits}@example.com`,
      name: `Buyer ${digits}`,
      country: null,
      phone: null,
    },
    expiresAtMs: expires ? nowMs + HOUR_MS : null,
    idempotencyKey: null,
    createdByMemberId: null,
    createdBy: memberId,
  } as const;
  const { payment } = await createPayment(
    deps,
    tenant,
    invoice === undefined
      ? { ...common, origin: 'payment_intent' }
      : { ...common, origin: 'invoice', number: `SEED-${digits}` },
  );
  const { id } = payment;
  if (invoice === 'approved') await approvePayment(deps, tenant, id, memberId);
  if (to !== null) await advancePayment(deps, tenant, id, to);
  await pass(MINUTE_MS);
  for (const event of events) {
    if (event === 'cancel') await cancelPayment(deps, tenant, id, 'ordered twice');
    else await simulate(deps, tenant, id, event);
  }
  if (later.length > 0) await pass(HOUR_MS);
  for (const event of later) await simulate(deps, tenant, id, event);
}
