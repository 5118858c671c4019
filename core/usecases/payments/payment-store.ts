// Changes of a payment: read its rows, let the domain decide, stage everything in one batch. Every
// change raises the payment's version, so concurrent causes do not decide on the same rows.
import { emailKey } from '../../domain/base/email-address.js';
import { formatAmount } from '../../domain/base/money.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { type MoneyCommand, newCommand } from '../../domain/commands/partner-command.js';
import { settlementsOf } from '../../domain/commands/settlement.js';
import { noticesOf } from '../../domain/mail/payment-notices.js';
import type { KycStatus } from '../../domain/parties/buyer-kyc.js';
import type { Change, PaymentAggregate, PaymentView } from '../../domain/payments/change.js';
import { moneyEventIn, paymentEvents } from '../../domain/payments/event.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import { expectFound } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageNotice } from '../mail/mails.js';
import { stageMoneyNotices } from '../mail/owner-notices.js';
import { stageSettlementNotice } from '../mail/settlement-notices.js';
import { atInstance } from '../service/partner-calls.js';
import { currentKeyIn } from '../service/service-keys.js';
import { stageEvents } from '../webhooks/feed.js';
import { nextReference } from './command-references.js';

type Decide = (was: PaymentAggregate, tx: Tx) => Change | Promise<Change>;

/** Returns the stored change. `decide` may read and stage more through `tx`. NotFound. */
export async function changePayment(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  decide: Decide,
): Promise<Change> {
  const change = await deps.store.run(async (tx) => {
    const was = await loadPayment(tx, tenant, paymentId);
    return await stageChange(deps, tx, was, await decide(was, tx));
  });
  announce(deps, change);
  return change;
}

export async function loadPayment(
  tx: Tx,
  tenant: Tenant,
  paymentId: string,
): Promise<PaymentAggregate> {
  return expectFound(await tx.payments.withFunds(tenant, paymentId));
}

/**
 * Stages `change` and returns it as stored. `adopted` are commands without a row. `known` are all
 * commands; they are read if it is null.
 */
export async function stageChange(
  deps: Deps,
  tx: Tx,
  was: PaymentAggregate,
  change: Change,
  adopted: readonly MoneyCommand[] = [],
  known: readonly MoneyCommand[] | null = null,
): Promise<Change> {
  const { funds } = change;
  const touched =
    change.payment !== was.payment ||
    funds !== was.funds ||
    change.commands.length + change.changedCommands.length > 0;
  if (!touched) return change;
  const nowMs = deps.clock.nowMs();
  // Host clocks differ: the time of a payment must not go back.
  const updatedAtMs = Math.max(nowMs, was.payment.updatedAtMs, change.payment.updatedAtMs);
  const payment = Object.freeze({ ...change.payment, updatedAtMs });
  const tenant = tenantOf(payment);
  const added = await newCommands(deps, tx, payment, change, { nowMs, adopted, known });
  tx.payments.update(payment);
  if (funds !== was.funds) tx.funds.put(funds);
  for (const posting of change.postings) {
    const { id, atMs } = deps.ids.posting(nowMs);
    tx.ledger.append(tenant, payment.id, id, posting, atMs);
  }
  const events = paymentEvents(change.events, () => deps.ids.next('evt', nowMs));
  if (events.length > 0) {
    await stageEvents(deps, tx, events);
    await stageMoneyNotices(deps, tx, payment, events);
  }
  // A batch writes a row once: an adopted command is inserted with its changes.
  const changed = new Map(change.changedCommands.map((command) => [command.id, command]));
  const fresh = adopted.map((command) => changed.get(command.id) ?? command);
  for (const command of [...fresh, ...added]) tx.commands.insert(atInstance(deps, command));
  for (const { id } of adopted) changed.delete(id);
  for (const command of changed.values()) tx.commands.update(command);
  stageNotices(deps, tx, was, { ...change, payment });
  const isSettled = payment.settledAtMs !== was.payment.settledAtMs;
  if (isSettled) await stageSettlementNotice(deps, tx, payment, null);
  const again = events.find(({ type }) => type === `${payment.origin}.paid_again`);
  if (again !== undefined) await stageSettlementNotice(deps, tx, payment, again.id);
  return { ...change, payment };
}

function stageNotices(deps: Deps, tx: Tx, was: PaymentAggregate, change: Change): void {
  const { payment } = change;
  const { buyer, buyerLocale: locale } = payment;
  if (locale === null) return;
  const nowMs = deps.clock.nowMs();
  const subject = { kind: 'payment', paymentId: payment.id } as const;
  const to = { to: buyer.email.trim(), toKey: emailKey(buyer.email) };
  for (const notice of noticesOf(was, change)) {
    stageNotice(deps, tx, { ...tenantOf(payment), ...notice, ...to, subject, locale }, nowMs);
  }
}

interface KnownCommands {
  readonly nowMs: number;
  readonly adopted: readonly MoneyCommand[];
  readonly known: readonly MoneyCommand[] | null;
}

/** The drafted commands with their references (command-references.ts). */
async function newCommands(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  { commands: drafts }: Change,
  { nowMs, adopted, known: read }: KnownCommands,
): Promise<readonly MoneyCommand[]> {
  if (drafts.length === 0) return [];
  const known = read ?? [
    ...(await tx.commands.ofPayment(tenantOf(payment), payment.id)),
    ...adopted,
  ];
  const { bytes } = await currentKeyIn(deps, tx, 'partner');
  const made: MoneyCommand[] = [];
  for (const draft of drafts) {
    const reference = nextReference(bytes, payment, [...known, ...made], draft);
    const name = { id: deps.ids.next('cmd', nowMs), reference };
    made.push(newCommand(payment, name, { ...draft, paymentId: payment.id }, nowMs));
  }
  return made;
}

/** To be called after the batch is stored. */
export function announce(deps: Deps, change: Change): void {
  if (change.commands.length > 0) deps.wake('commands');
  const { payment, events, alerts } = change;
  const moved = events.filter(({ type }) => moneyEventIn(type) !== null);
  const isMailed = payment.buyerLocale !== null || moved.length > 0 || payment.settledAtMs !== null;
  if (isMailed) deps.wake('mails');
  for (const { type, amounts = {} } of isTerminal(payment.status) ? moved : []) {
    const texts = Object.entries(amounts).map(([name, { amountMinor, currency }]) => {
      return [name, `${formatAmount(amountMinor)} ${currency}`] as const;
    });
    deps.log.info('money of an ended payment moved', {
      paymentId: payment.id,
      event: type,
      ...Object.fromEntries(texts),
    });
  }
  for (const alert of alerts) {
    deps.log.error('alert', { alert, paymentId: payment.id });
  }
}

export async function viewAfter(
  deps: Deps,
  { payment, funds }: PaymentAggregate,
): Promise<PaymentView> {
  return deps.store.run(async (tx) => {
    const [kycStatus, commands] = await Promise.all([
      kycStatusOf(tx, payment),
      payment.settlement === null ? [] : tx.commands.ofPayment(tenantOf(payment), payment.id),
    ]);
    return { payment, funds, kycStatus, settlements: settlementsOf(commands) };
  });
}

export async function readView(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
): Promise<PaymentView> {
  return deps.store.run((tx) => loadView(tx, tenant, paymentId));
}

export async function loadView(tx: Tx, tenant: Tenant, paymentId: string): Promise<PaymentView> {
  return expectFound(await tx.views.get(tenant, paymentId));
}

export function kycStatusOf(tx: Tx, payment: Payment): Promise<KycStatus> {
  const { buyerId, buyer } = payment;
  return tx.views.kycStatus(tenantOf(payment), { id: buyerId, emailKey: emailKey(buyer.email) });
}
