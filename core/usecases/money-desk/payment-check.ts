// One payment of a restored database: look up a command at the partner, store what it has, until
// nothing is left to look for (core/domain/money-desk/restore-search.ts).
//
// A partner may store no reference with a pay-in: it is found by its quote, and if the quote was
// lost too, it becomes a deposit. A lost payout that is found takes the one deposit of its amount.
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  isMoneyCommand,
  type MoneyKind,
  newCommand,
  voidCommand,
} from '../../domain/commands/partner-command.js';
import {
  type KnownCommands,
  lookUps,
  type SearchOutcome,
} from '../../domain/money-desk/restore-search.js';
import { isTerminal } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerFact } from '../../ports/partner.js';
import { applyPartnerUpdate } from '../commands/partner-inbox.js';
import { ID_OF_ANOTHER, operationOf } from '../commands/partner-operations.js';
import { isIdOfAnother } from '../deposits/deposits.js';
import { readReview, storeStaged } from '../payments/command-changes.js';
import { commandReference, commandSubject } from '../payments/command-references.js';
import { loadPayment } from '../payments/payment-store.js';
import { currentKey } from '../service/service-keys.js';
import type { LostEntries } from './lost-entries.js';
import { type FoundCommand, lookUp, type WantedCommand } from './restore-look-ups.js';

export interface CheckedPayment extends Tenant {
  readonly paymentId: string;
  /** The status before and after. */
  readonly was: string;
  readonly is: string;
  /** Commands of the partner that had no row. */
  readonly adopted: readonly MoneyKind[];
  /** Reports under review. */
  readonly differs: readonly string[];
  /** What could not be looked up, and why. */
  readonly missed: readonly string[];
}

export interface PaymentCheck {
  readonly payment: CheckedPayment;
  /** Its payout was found, and no pay-in. */
  readonly isOrphan: boolean;
}

export async function checkPayment(
  deps: Deps,
  lost: LostEntries | null,
  row: Tenant & { readonly id: string },
): Promise<PaymentCheck> {
  const [tenant, { id: paymentId }] = [tenantOf(row), row];
  const read = (): Promise<KnownCommands> =>
    deps.store.run(async (tx) => ({
      payment: (await loadPayment(tx, tenant, paymentId)).payment,
      commands: await tx.commands.ofPayment(tenant, paymentId),
    }));
  let known = await read();
  const was = known.payment.status;
  const found = { ...tenant, paymentId, was, is: was, adopted: [], differs: [], missed: [] };
  if (isTerminal(was) && known.commands.length === 0) return { payment: found, isOrphan: false };
  const partner = deps.partners[tenant.mode];
  if (partner === null) {
    const todo = 'set its variables; if it never had one, ponte release --force <reason>';
    const missed = [`no settlement partner is configured for ${tenant.mode}: ${todo}`];
    return { payment: { ...found, missed }, isOrphan: false };
  }
  const { bytes: key } = await currentKey(deps, 'partner');
  const adopted: MoneyKind[] = [];
  const missed: string[] = [];
  try {
    const search = lookUps(known, lost !== null);
    for (let next = search.next(); next.done !== true; ) {
      const { kind, command, payin, numbers } = next.value;
      const subject = payin?.reference ?? commandSubject(known.payment);
      const references = numbers.map((number) => commandReference(key, { subject, kind, number }));
      const wanted = { ...next.value, references, amount: known.payment.amount };
      const answered = await lookUp({ deps, partner, lost }, wanted);
      if (answered.missed !== null) missed.push(answered.missed);
      let outcome: SearchOutcome = answered.missed === null ? 'absent' : 'missed';
      if (answered.found !== null) {
        await storeFound(deps, { ...tenant, paymentId }, wanted, answered.found);
        known = await read();
        outcome = 'found';
        if (command === null) adopted.push(kind);
      }
      next = search.next({ ...known, outcome });
    }
  } catch (error) {
    deps.log.error('a payment could not be checked', { paymentId, error });
    missed.push(String(error));
  }
  const after = await read();
  const reviews = after.commands.flatMap(({ review }) => review ?? []);
  const differs = reviews.map((review) => readReview(review).reason);
  const isOrphan =
    adopted.includes('payout') && !after.commands.some(({ kind }) => kind === 'payin');
  return { payment: { ...found, is: after.payment.status, adopted, differs, missed }, isOrphan };
}

/**
 * Stores that the partner has the command, and its report. A command without a row is stored with a
 * void one for each absent number before it, together: after a void payout alone, the next report
 * of a pay-in would send another one.
 */
async function storeFound(
  deps: Deps,
  { paymentId, ...tenant }: Tenant & { readonly paymentId: string },
  { kind, command, payin, references }: WantedCommand,
  { accepted, amount, report }: FoundCommand,
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const made = references.map((reference) => {
    const name = { id: deps.ids.next('cmd', nowMs), reference };
    const what = { kind, amount, payinId: payin?.id ?? null, paymentId };
    return voidCommand(newCommand(tenant, name, what, nowMs), nowMs);
  });
  const row = command ?? made.at(-1);
  assert(row !== undefined, 'a command without a row has a number');
  const stored =
    row.partnerRef !== null
      ? { command: row }
      : await storeStaged(deps, async (batch) => {
          const current = (await batch.tx.commands.get(row.id)) ?? row;
          assert(isMoneyCommand(current), 'it is about a payment');
          const isAnothers = await isIdOfAnother(batch, current, accepted.partnerRef);
          if (isAnothers) throw new Error(ID_OF_ANOTHER);
          return operationOf(current).onAccepted(batch, current, accepted, made);
        });
  if (stored === null || report === null) return;
  // Kind and report belong together by the port.
  const fact = { kind, reference: row.reference, partnerRef: accepted.partnerRef, report };
  const source = { polledVersion: stored.command.version };
  await applyPartnerUpdate(deps, stored.command, fact as PartnerFact, source);
}
