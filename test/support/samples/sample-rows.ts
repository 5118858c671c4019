// One payment of 100.00 USD with its funds, its quote and its commands in every state: rows for
// tests of the domain.
import { money } from '../../../core/domain/base/money.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import {
  acceptCommand,
  COMMAND_LEASE_MS,
  type CommandState,
  denyCommand,
  type MoneyCommand,
  markUnknown,
  newCommand,
  recordAbsence,
  sendCommand,
  voidCommand,
} from '../../../core/domain/commands/partner-command.js';
import type { Quote } from '../../../core/domain/commands/quote.js';
import { type SettlementFacts, withSettlement } from '../../../core/domain/commands/settlement.js';
import { type Funds, noFunds } from '../../../core/domain/payments/funds.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import { aBarePayment, aQuote } from './domain-samples.js';

export const START_MS = 1_790_000_000_000;

export const sampleTenant: Tenant = { orgId: 'org_1', mode: 'test' };

/** 100.00 USD, just created by the API, without an expiry. */
export const samplePayment: Payment = Object.freeze(
  aBarePayment({
    ...sampleTenant,
    publicId: 'public_1',
    externalId: 'order-1',
    amount: money(10_000n, 'USD'),
    createdAtMs: START_MS,
    updatedAtMs: START_MS,
  }),
);

export const sampleFunds: Funds = noFunds({
  ...sampleTenant,
  id: 'pi_1',
  amount: { currency: 'USD' },
});

export const sampleQuote: Quote = Object.freeze(
  aQuote({
    ...sampleTenant,
    source: money(10_000n, 'USD'),
    fees: money(100n, 'USD'),
    rate: '5.20',
    target: money(51_480n, 'BRL'),
    rateKind: 'indicative',
    lockedUntilMs: null,
    expiresAtMs: START_MS + 60_000,
    createdAtMs: START_MS,
  }),
);

/** Of the fake partner. */
export const EFFECT_WITHIN_MS = 360_000;

/** A payout command as it is first stored. */
export const sampleCommand: MoneyCommand = newCommand(
  sampleTenant,
  { id: 'cmd_1', reference: 'reference_1' },
  { kind: 'payout', payinId: null, paymentId: 'pi_1', amount: money(10_000n, 'USD') },
  START_MS,
);

/** As the store's claim does: due again only when the lease ends. */
export function leased(command: MoneyCommand, nowMs: number): MoneyCommand {
  return { ...command, leaseToken: 'lease_1', dueAtMs: nowMs + COMMAND_LEASE_MS };
}

/** Claimed and sent. */
export function sent(command: MoneyCommand, nowMs = START_MS): MoneyCommand {
  return sendCommand(leased(command, nowMs), 'sealed', nowMs);
}

/** Refused by the partner, and not yet looked up. */
export function denied(command: MoneyCommand, nowMs = START_MS): MoneyCommand {
  return denyCommand(command, { code: 'account_blocked', message: 'blocked' }, nowMs);
}

/** One command in each state, as it got there. */
export const commandIn: Readonly<Record<CommandState, MoneyCommand>> = {
  pending: sampleCommand,
  sent: sent(sampleCommand),
  unknown: markUnknown(sent(sampleCommand), 'time-out', START_MS),
  done: acceptCommand(sent(sampleCommand), 'partner_1', START_MS),
  denied: denied(sent(sampleCommand)),
  refused: recordAbsence(denied(sent({ ...sampleCommand, kind: 'refund' })), 0, START_MS),
  void: voidCommand(sampleCommand, START_MS),
};

/** The partner's report of a completed payout of 100.00 USD. */
export const sampleSettlement: SettlementFacts = {
  settled: money(51_480n, 'BRL'),
  fees: money(100n, 'USD'),
  fxRate: '5.20',
  endToEndId: 'E1',
};

/** A command about money that the partner accepted: open, unless `fields` say otherwise. */
export function commandOf(
  kind: 'payin' | 'payout' | 'refund',
  id: string,
  fields: Partial<MoneyCommand> & { readonly amountMinor?: bigint } = {},
): MoneyCommand {
  const { amountMinor = 10_000n, ...others } = fields;
  const isPaid = kind === 'payout' && fields.end === 'completed';
  return {
    ...commandIn.done,
    id,
    kind,
    reference: `reference_of_${id}`,
    partnerRef: `partner_${id}`,
    amount: money(amountMinor, 'USD'),
    payinId: kind === 'refund' ? 'in' : null,
    settlements: isPaid ? withSettlement([], sampleSettlement, START_MS) : [],
    ...others,
  };
}

/** A pay-in that the partner reported completed, with so much received. */
export function completedPayin(id: string, receivedMinor: bigint, amountMinor = 10_000n) {
  const confirmedMinor = receivedMinor;
  return commandOf('payin', id, { end: 'completed', receivedMinor, confirmedMinor, amountMinor });
}
