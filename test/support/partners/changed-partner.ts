// A settlement partner some of whose calls do something else.
import type { PartnerReports, SettlementPartner } from '../../../core/ports/partner.js';

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
