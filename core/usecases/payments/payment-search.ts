// Finds payments by what people have at hand. Each meaning of the text is sought by its index, so
// that a search costs the same among a million payments.
import { emailKey } from '../../domain/base/email-address.js';
import { LATEST_MS } from '../../domain/base/instant.js';
import { type Money, money, parseTypedAmount } from '../../domain/base/money.js';
import { sameTenant, type Tenant } from '../../domain/base/tenant.js';
import { plainSigns } from '../../domain/base/typed-text.js';
import type { ShownView } from '../../domain/payments/change.js';
import {
  EXTERNAL_PREFIX,
  newestFirst,
  originsNamed,
  paymentOrigins,
} from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import { listPayments, type PaymentListFilter } from './payment-lists.js';

/** Payments read at once to find those that pass the other filters. */
const PART = 500;

type Match = Pick<PaymentListFilter, 'id' | 'externalId' | 'number' | 'buyerId' | 'amount'>;

const noMatch: Match = { id: null, externalId: null, number: null, buyerId: null, amount: null };
/** The end of the address of a payment page, or that part alone. */
const publicIdForm = /(?:^|\/r\/)([\w-]{24})$/;
/** A dollar sign means USD, as buyers pay in no other dollar. */
const signs = { US$: 'USD', R$: 'BRL', $: 'USD', '€': 'EUR', '£': 'GBP' } as const;
const signForm = /(?:US|R)?\$|€|£/gi;
/** The currency stands before or behind the amount. */
const amountForm = /^([A-Z]{3})?([^A-Z]+)([A-Z]{3})?$/i;

/** The id of the one payment that the text names: its id, or the address of its page. */
export async function findNamed(deps: Deps, tenant: Tenant, text: string): Promise<string | null> {
  const publicId = publicIdForm.exec(text)?.[1];
  const isId = !text.startsWith(EXTERNAL_PREFIX) && originsNamed(text, paymentOrigins).length > 0;
  const [byId, byPage] = await deps.store.run((tx) =>
    Promise.all([
      isId ? tx.payments.get(tenant, text) : null,
      publicId === undefined ? null : tx.payments.byPublicId(publicId),
    ]),
  );
  if (byId !== null) return byId.id;
  return byPage !== null && sameTenant(byPage, tenant) ? byPage.id : null;
}

/**
 * The page of payments whose id, externalId, invoice number, amount, address of the buyer or of the
 * page is the text, and that pass the filter. Other payments of that buyer or amount may be read in
 * vain.
 */
export async function searchPayments(
  deps: Deps,
  tenant: Tenant,
  text: string,
  filter: PaymentListFilter,
): Promise<readonly ShownView[]> {
  const [matches, named] = await Promise.all([
    matchesOf(deps, tenant, text),
    findNamed(deps, tenant, text),
  ]);
  const all = named === null ? matches : [...matches, { ...noMatch, id: named }];
  const lists = await Promise.all(
    all.map((match) => listMatch(deps, tenant, { ...filter, ...match })),
  );
  const found = new Map(lists.flat().map((view) => [view.payment.id, view]));
  const sorted = [...found.values()].toSorted((left, right) =>
    newestFirst(left.payment, right.payment),
  );
  return filter.afterId === null ? sorted.slice(0, filter.limit) : sorted.slice(-filter.limit);
}

/**
 * Many payments may have one amount or one number, of which a state or a seller leaves a few: these
 * are read in parts, so that no statement holds up the host. So are those of some days of
 * settlement: a search is in the order of creation.
 */
export async function listMatch(
  deps: Deps,
  tenant: Tenant,
  filter: PaymentListFilter,
  partMax: number = PART,
): Promise<readonly ShownView[]> {
  const { amount, number, statuses, sellerExternalId, afterId, limit } = filter;
  const { settledFromMs, settledToMs } = filter;
  const isOfSettled = settledFromMs !== null || settledToMs !== null;
  const isShared = amount !== null || number !== null;
  if (!isOfSettled && (!isShared || (statuses === null && sellerExternalId === null))) {
    return listPayments(deps, tenant, filter);
  }
  const passes = ({ payment }: ShownView) =>
    (statuses === null || statuses.includes(payment.status)) &&
    (sellerExternalId === null || payment.sellerExternalId === sellerExternalId) &&
    (!isOfSettled || payment.settledAtMs !== null) &&
    (settledFromMs ?? 0) <= (payment.settledAtMs ?? 0) &&
    (settledToMs ?? LATEST_MS) > (payment.settledAtMs ?? 0);
  const all = {
    ...filter,
    statuses: null,
    sellerExternalId: null,
    settledFromMs: null,
    settledToMs: null,
    limit: partMax,
  };
  let found: readonly ShownView[] = [];
  for (let { beforeId } = filter, newestId = afterId; ; ) {
    const part = await listPayments(deps, tenant, { ...all, beforeId, afterId: newestId });
    const own = part.filter(passes);
    found = afterId === null ? [...found, ...own] : [...own, ...found];
    if (part.length < partMax || found.length >= limit) break;
    if (afterId === null) beforeId = part.at(-1)?.payment.id ?? null;
    else newestId = part.at(0)?.payment.id ?? null;
  }
  return afterId === null ? found.slice(0, limit) : found.slice(-limit);
}

async function matchesOf(deps: Deps, tenant: Tenant, text: string): Promise<readonly Match[]> {
  const externalId = text.startsWith(EXTERNAL_PREFIX) ? text.slice(EXTERNAL_PREFIX.length) : text;
  const buyer = text.includes('@')
    ? await deps.store.run((tx) => tx.buyers.byEmail(tenant.mode, emailKey(text)))
    : null;
  const currencies = deps.partners[tenant.mode]?.currencies ?? [];
  return [
    { ...noMatch, externalId },
    { ...noMatch, number: text },
    ...(buyer === null ? [] : [{ ...noMatch, buyerId: buyer.id }]),
    ...amountsIn(text, currencies).map((amount) => ({ ...noMatch, amount })),
  ];
}

/** Without a currency, the amount in each of these. */
export function amountsIn(text: string, currencies: readonly string[]): readonly Money[] {
  const spelled = text.replaceAll(
    signForm,
    (sign) => ` ${signs[sign.toUpperCase() as keyof typeof signs]} `,
  );
  const [, before, typed = '', behind] = amountForm.exec(plainSigns(spelled).trim()) ?? [];
  const amountMinor = parseTypedAmount(typed);
  if (amountMinor === null || amountMinor === 0n) return [];
  const named = new Set([before, behind].flatMap((code) => code?.toUpperCase() ?? []));
  if (named.size > 1) return [];
  return (named.size === 0 ? currencies : [...named]).map((code) => money(amountMinor, code));
}
