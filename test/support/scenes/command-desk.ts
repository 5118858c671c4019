// A payment whose commands the partner accepts, without messages but those of the test: what the
// partner says of each kind when it is asked is what the test says.
import type { TestContext } from 'node:test';
import { money } from '../../../core/domain/base/money.js';
import type { PayinReport, PayoutReport } from '../../../core/domain/commands/report-check.js';
import type { RefundReport } from '../../../core/ports/partner.js';
import { changePartner } from '../partners/changed-partner.js';
import { type Scene, scene, silent } from './command-scene.js';

export const payin: PayinReport = {
  status: 'completed',
  received: money(10_000n, 'USD'),
  transactionHash: '0xabc',
  reason: null,
};
export const paid: PayoutReport = {
  status: 'completed',
  settled: { amountMinor: 53_460n, currency: 'BRL' },
  fxRate: '5.4',
  fees: { amountMinor: 100n, currency: 'USD' },
  endToEndId: 'E1',
  reason: null,
};
/** A payout that has no end yet. */
export const open = {
  ...paid,
  status: 'open',
  settled: null,
  fxRate: null,
  fees: null,
  endToEndId: null,
} as const;
export const refunded: RefundReport = {
  status: 'completed',
  amount: { amountMinor: 10_000n, currency: 'USD' },
  reason: null,
};

export interface Desk {
  readonly at: Scene;
  /** What the partner says when it is asked; each kind in its way. */
  readonly says: { payin: PayinReport; payout: PayoutReport; refund: RefundReport };
}

export async function desk(t: TestContext): Promise<Desk> {
  const at = await scene(t);
  const says: Desk['says'] = {
    payin: { ...payin, status: 'open', received: money(0n, 'USD') },
    payout: open,
    refund: { ...refunded, status: 'open' },
  };
  Object.assign(at.made.partner, silent);
  changePartner(at.made.partner, {
    payin: { read: async () => ({ outcome: 'done', value: says.payin }) },
    payout: { read: async () => ({ outcome: 'done', value: says.payout }) },
    refund: { read: async () => ({ outcome: 'done', value: says.refund }) },
  });
  while ((await at.commands('payin'))[0]?.state !== 'done') await at.pass(1);
  return { at, says };
}
