// What the managed wallets of sellers hold. Unlike all other amounts, balances are in whole tokens:
// 10.5 is 10.50 (OpenAPI description of 2026-08-07).
import { z } from 'zod';
import { money } from '../../../core/domain/base/money.js';
import type { PartnerWallets } from '../../../core/ports/partner.js';
import {
  type BlindPayContext,
  CURRENCY,
  done,
  joinIds,
  later,
  splitIds,
} from './blindpay-context.js';
import { readDestination } from './destinations.js';

const CENTS = 100;
/** The part of a token below which a sum of decimals is not exact. */
const SLACK = 1e-6;

const tokenShape = z.object({ amount: z.number().nonnegative() }).nullish();
const balanceShape = z.record(z.string(), z.unknown());

export function walletsApi({ client, route }: BlindPayContext): PartnerWallets {
  return {
    walletOf(destination) {
      const to = readDestination(destination);
      return to === null ? null : joinIds([to.customerId, to.walletId]);
    },
    async balance(wallet) {
      const ids = splitIds(wallet, ['customerId', 'walletId']);
      if (ids === null) return later('no wallet of BlindPay');
      const { customerId, walletId } = ids;
      const path = `/instances/:instance/customers/${customerId}/wallets/${walletId}/balance`;
      const answer = await client.get(path, balanceShape);
      if (answer.outcome !== 'done') return answer;
      const token = tokenShape.safeParse(answer.value[route.token]);
      if (!token.success) return later('BlindPay answered in another form: balance');
      // Parts of a cent are not paid out.
      const cents = Math.floor(((token.data?.amount ?? 0) + SLACK) * CENTS);
      if (!Number.isSafeInteger(cents)) return later('BlindPay answered in another form: balance');
      return done(money(BigInt(cents), CURRENCY));
    },
  };
}
