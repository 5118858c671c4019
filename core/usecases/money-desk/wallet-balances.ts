// Compares what the partner's wallets hold with the float of the ledger: the money of payments that
// is received, and neither paid out nor returned. Changes nothing.
import { type Money, money } from '../../domain/base/money.js';
import { type Mode, tenantOf } from '../../domain/base/tenant.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer, PartnerWallets } from '../../ports/partner.js';
import type { PaymentFloat } from '../../ports/storage.js';

/** In minor units of `currency`. */
export interface WalletBalance {
  /** The partner's id. */
  readonly wallet: string;
  readonly currency: string;
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

/** One payment in the wallet of its payee, which may hold money of others. */
export interface PaymentWallet {
  /** The float of the payment. */
  readonly ours: Money;
  /** What the partner says that the wallet holds; null if nobody asked it. */
  readonly read: {
    readonly atMs: number;
    /** Null if it could not be read, and why. */
    readonly balance: Money | null;
    readonly reason: string | null;
  } | null;
}

/** `asks`: waits for the partner. Null if the partner does not report what its wallets hold. */
export async function walletOfPayment(
  { store, partners, clock }: Pick<Deps, 'store' | 'partners' | 'clock'>,
  payment: Payment,
  asks: boolean,
): Promise<PaymentWallet | null> {
  const wallets = partners[payment.mode]?.wallets;
  const wallet = wallets?.walletOf(payment.destination) ?? null;
  if (wallets === undefined || wallet === null) return null;
  const postings = await store.run((tx) => tx.ledger.ofSubject(tenantOf(payment), payment.id));
  const { currency } = payment.amount;
  const oursMinor = postings
    .flatMap(({ lines }) => lines)
    .filter((line) => floatAccounts.includes(line.account) && line.money.currency === currency)
    .reduce((sum, { money: { amountMinor } }) => sum + amountMinor, 0n);
  const ours = money(oursMinor, currency);
  if (!asks) return { ours, read: null };
  const answer = await wallets.balance(wallet);
  const atMs = clock.nowMs();
  return answer.outcome === 'done'
    ? { ours, read: { atMs, balance: answer.value, reason: null } }
    : { ours, read: { atMs, balance: null, reason: reasonOf(answer) } };
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
  const ofFloat = balances.filter(({ account }) => floatAccounts.includes(account));
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

/** What the partner holds of payments. */
const floatAccounts: readonly string[] = ['partner_float', 'refunds'];

function reasonOf(answer: Exclude<PartnerAnswer<Money>, { outcome: 'done' }>): string {
  return answer.outcome === 'refused' ? answer.code : answer.reason;
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
    return { ...known, balanceMinor: null, reason: reasonOf(answer), differs: false };
  }
  const { amountMinor: balanceMinor } = answer.value;
  const differs = balanceMinor < leastMinor || balanceMinor > mostMinor;
  return { ...known, balanceMinor, reason: null, differs };
}
