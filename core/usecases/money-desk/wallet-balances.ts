// Compares what the partner's wallets hold with the float of the ledger: the money of payments that
// is received, and neither paid out nor returned. Changes nothing.
import type { Mode } from '../../domain/base/tenant.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerWallets } from '../../ports/partner.js';
import type { PaymentFloat } from '../../ports/storage.js';

/** In minor units of `currency`. */
export interface WalletBalance {
  /** The partner's id. */
  readonly wallet: string;
  readonly currency: string;
  /** The float of the ledger. */
  readonly floatMinor: bigint;
  /** The float without the fees that the partner takes from pay-ins, and without withdrawals. */
  readonly leastMinor: bigint;
  /** The float with the money of all deposits, whose wallet the ledger does not know. */
  readonly mostMinor: bigint;
  /** Null if it could not be read. */
  readonly balanceMinor: bigint | null;
  /** Why it could not be read. */
  readonly reason: string | null;
  readonly differs: boolean;
}

/** Empty if the partner does not report what its wallets hold. */
export async function compareWallets(
  { store, partners }: Pick<Deps, 'store' | 'partners'>,
  mode: Mode,
): Promise<readonly WalletBalance[]> {
  const wallets = partners[mode]?.wallets;
  if (wallets === undefined) return [];
  const { floats, balances } = await store.run(async (tx) => ({
    floats: await tx.ledger.floats(mode),
    balances: await tx.ledger.balances(mode),
  }));
  const ofDeposits = balances.filter(
    ({ account }) => account === 'suspense' || account === 'adjustments',
  );
  // The float of deposits: what operators withdrew.
  const ofFloat = balances.filter(
    ({ account }) => account === 'partner_float' || account === 'refunds',
  );
  const compared: WalletBalance[] = [];
  for (const [wallet, held] of heldBy(wallets, floats)) {
    const sumOf = (all: readonly Summed[]) =>
      all
        .filter(({ currency }) => currency === held.currency)
        .reduce((sum, one) => sum + ('floatMinor' in one ? one.floatMinor : one.amountMinor), 0n);
    const withdrawnMinor = sumOf(floats) - sumOf(ofFloat);
    const depositsMinor = sumOf(ofDeposits);
    compared.push(await compare(wallets, wallet, { ...held, depositsMinor, withdrawnMinor }));
  }
  return compared;
}

type Summed = Pick<PaymentFloat, 'currency'> &
  ({ readonly floatMinor: bigint } | { readonly amountMinor: bigint });

interface Held {
  readonly currency: string;
  readonly floatMinor: bigint;
  readonly leastMinor: bigint;
}

function heldBy(
  wallets: PartnerWallets,
  floats: readonly PaymentFloat[],
): ReadonlyMap<string, Held> {
  const found = new Map<string, Held>();
  for (const float of floats) {
    const wallet = wallets.walletOf(float.destination);
    if (wallet === null) continue;
    const { currency, floatMinor } = float;
    const known = found.get(wallet) ?? { currency, floatMinor: 0n, leastMinor: 0n };
    found.set(wallet, {
      currency,
      floatMinor: known.floatMinor + floatMinor,
      leastMinor: known.leastMinor + floatMinor - feesOf(float),
    });
  }
  return found;
}

/** The part of the quoted fees for this float, rounded up. */
function feesOf({ floatMinor, quotedMinor, feesMinor }: PaymentFloat): bigint {
  if (quotedMinor === null || feesMinor === null || quotedMinor === 0n) return 0n;
  return (floatMinor * feesMinor + quotedMinor - 1n) / quotedMinor;
}

async function compare(
  wallets: PartnerWallets,
  wallet: string,
  {
    currency,
    floatMinor,
    leastMinor: ofPayments,
    depositsMinor,
    withdrawnMinor,
  }: Held & {
    /** Below zero: more was withdrawn than came as deposits. */
    readonly depositsMinor: bigint;
    /** By operators, in all wallets. */
    readonly withdrawnMinor: bigint;
  },
): Promise<WalletBalance> {
  const answer = await wallets.balance(wallet);
  const mostMinor = floatMinor + (depositsMinor > 0n ? depositsMinor : 0n);
  const leastMinor = ofPayments - withdrawnMinor + (depositsMinor < 0n ? depositsMinor : 0n);
  const known = { wallet, currency, floatMinor, leastMinor, mostMinor };
  if (answer.outcome !== 'done') {
    const reason = answer.outcome === 'refused' ? answer.code : answer.reason;
    return { ...known, balanceMinor: null, reason, differs: false };
  }
  const { amountMinor: balanceMinor } = answer.value;
  const differs = balanceMinor < leastMinor || balanceMinor > mostMinor;
  return { ...known, balanceMinor, reason: null, differs };
}
