// A settlement partner some of whose calls do something else.
import assert from 'node:assert/strict';
import type {
  PartnerAnswer,
  PartnerEntry,
  PartnerReports,
  PartnerStatement,
  SettlementPartner,
} from '../../../core/ports/partner.js';

type TransactionKind = keyof PartnerReports;

export type PartnerChanges = Partial<Omit<SettlementPartner, TransactionKind>> & {
  readonly [K in TransactionKind]?: Partial<SettlementPartner[K]>;
};

/** A copy of the partner with these calls replaced. */
export function changedPartner<P extends SettlementPartner>(
  partner: P,
  { party, payin, payout, refund, ...others }: PartnerChanges,
): P {
  return {
    ...partner,
    ...others,
    party: { ...partner.party, ...party },
    payin: { ...partner.payin, ...payin },
    payout: { ...partner.payout, ...payout },
    refund: { ...partner.refund, ...refund },
  };
}

/** Replaces these calls of the partner itself; `Object.assign` puts earlier calls back. */
export function changePartner(partner: SettlementPartner, changes: PartnerChanges): void {
  Object.assign(partner, changedPartner(partner, changes));
}

export const later = (reason = 'busy'): PartnerAnswer<never> => ({ outcome: 'later', reason });

/** The answer to a read, which `changed` makes another one. */
async function answerWith<T>(
  answer: Promise<PartnerAnswer<T>>,
  changed: (value: T) => T | Promise<T>,
): Promise<PartnerAnswer<T>> {
  const found = await answer;
  return found.outcome === 'done' ? { ...found, value: await changed(found.value) } : found;
}

/** Reports of this kind have these fields when they are read; the result puts the call back. */
export function changeReports<K extends TransactionKind>(
  partner: SettlementPartner,
  kind: K,
  changed: (
    report: PartnerReports[K],
    ref: string,
  ) => Partial<PartnerReports[K]> | Promise<Partial<PartnerReports[K]>>,
): () => void {
  const usual = partner[kind];
  const usualRead = usual.read as (ref: string) => Promise<PartnerAnswer<PartnerReports[K]>>;
  const read = (ref: string) =>
    answerWith(usualRead(ref), async (report) => ({ ...report, ...(await changed(report, ref)) }));
  changePartner(partner, { [kind]: { read } });
  return () => void Object.assign(partner, { [kind]: usual });
}

/** The books of a partner that has some. */
export function booksOf({ statement }: SettlementPartner): PartnerStatement {
  return statement ?? assert.fail('the partner has books');
}

/** The lists of its books have these entries; the result puts the books back. */
export function changeLists(
  partner: SettlementPartner,
  changed: (entry: PartnerEntry) => PartnerEntry,
): () => void {
  const statement = booksOf(partner);
  const page: PartnerStatement['page'] = (...asked) =>
    answerWith(statement.page(...asked), (value) => ({
      ...value,
      entries: value.entries.map(changed),
    }));
  Object.assign(partner, { statement: { ...statement, page } });
  return () => void Object.assign(partner, { statement });
}
