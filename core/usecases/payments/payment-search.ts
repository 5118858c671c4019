// Finds payments by what people have at hand. Each meaning of the text is sought by its index, so
// that a search costs the same among a million payments.
import { emailKey } from '../../domain/base/email-address.js';
import { LATEST_MS } from '../../domain/base/instant.js';
import { type Money, money, parseTypedAmount } from '../../domain/base/money.js';
import { isNamed, searchKey, typedWords } from '../../domain/base/search-text.js';
import { sameTenant, type Tenant } from '../../domain/base/tenant.js';
import { plainSigns } from '../../domain/base/typed-text.js';
import type { ShownView } from '../../domain/payments/change.js';
import {
  EXTERNAL_PREFIX,
  externalIdIn,
  newestFirst,
  originsNamed,
  paymentOrigins,
} from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { DueRange, Tx } from '../../ports/storage.js';
import { listPayments, type PaymentListFilter } from './payment-lists.js';

/** Payments read at once to find those that pass the other filters. */
const PART = 500;
/** A text with which more payments or parties begin asks for the newest of them. */
const FEW = 50;
/** Parts of the newest payments that are looked through if more than FEW begin like the text. */
const PARTS_MAX = 20;

type Match = Pick<PaymentListFilter, 'id' | 'buyerId' | 'sellerExternalId' | 'amount'>;

const noMatch: Match = { id: null, buyerId: null, sellerExternalId: null, amount: null };
/** The end of the address of a payment page, or that part alone. */
const publicIdForm = /(?:^|\/r\/)([a-z0-9]{28})$/;
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
 * The page of payments that pass the filter and that the text names: by the beginning of the id,
 * externalId, number, purchase order or PIX id, by words with which those of the names of buyer or
 * seller begin, or as an amount, or the address of the buyer or of the page. Case and accents do
 * not count. If more than FEW payments or parties begin like it, the newest payments are looked
 * through as well: PARTS_MAX times PART of them. Null: it is not searched.
 */
export async function searchPayments(
  deps: Deps,
  tenant: Tenant,
  text: string | null,
  filter: PaymentListFilter,
): Promise<readonly ShownView[]> {
  if (text === null) return listPayments(deps, tenant, filter);
  const key = searchKey(externalIdIn(text));
  const words = typedWords(text);
  const [named, buyer, keyed, owners] = await Promise.all([
    findNamed(deps, tenant, text),
    buyerOf(deps, tenant, text),
    startingWith(deps, tenant, key),
    ownersNamed(deps, tenant, words),
  ]);
  const amounts = amountsIn(text, deps.partners[tenant.mode]?.currencies ?? []);
  const ids = new Set([...keyed.slice(0, FEW), ...(named === null ? [] : [named])]);
  const matches: readonly Match[] = [
    ...[...ids].map((id) => ({ ...noMatch, id })),
    ...(owners ?? []).map((owner) => ({ ...noMatch, ...owner })),
    ...(buyer === null ? [] : [{ ...noMatch, buyerId: buyer }]),
    ...amounts.map((amount) => ({ ...noMatch, amount })),
  ];
  const isMany = keyed.length > FEW || owners === null;
  const isFound = ({ payment }: ShownView) => isKeyed(payment, key) || isOfName(payment, words);
  const lists = await Promise.all([
    ...matches.map((match) => listMatch(deps, tenant, narrowed(filter, match))),
    ...(isMany ? [listPassing(deps, tenant, filter, isFound, PARTS_MAX)] : []),
  ]);
  const found = new Map(lists.flat().map((view) => [view.payment.id, view]));
  const sorted = [...found.values()].toSorted((left, right) =>
    newestFirst(left.payment, right.payment),
  );
  return filter.afterId === null ? sorted.slice(0, filter.limit) : sorted.slice(-filter.limit);
}

/** A seller that the filter names stays: the others have no payment of it. */
function narrowed(filter: PaymentListFilter, match: Match): PaymentListFilter {
  const { sellerExternalId, ...rest } = match;
  const isOther = filter.sellerExternalId !== null && filter.sellerExternalId !== sellerExternalId;
  if (sellerExternalId !== null && isOther) return { ...filter, ...rest, statuses: [] };
  return { ...filter, ...rest, sellerExternalId: sellerExternalId ?? filter.sellerExternalId };
}

/**
 * Many payments may have one amount, of which a state or a seller leaves a few: these are read in
 * parts, so that no statement holds up the host. So are those of some days of settlement or some
 * due days: a search is in the order of creation.
 */
export async function listMatch(
  deps: Deps,
  tenant: Tenant,
  filter: PaymentListFilter,
  partMax: number = PART,
): Promise<readonly ShownView[]> {
  const { amount, statuses, sellerExternalId } = filter;
  const isOfSettled = filter.settledFromMs !== null || filter.settledToMs !== null;
  const isOfDays = isOfSettled || filter.due !== null;
  if (!isOfDays && (amount === null || (statuses === null && sellerExternalId === null))) {
    return listPayments(deps, tenant, filter);
  }
  return listPassing(deps, tenant, filter, () => true, Infinity, partMax);
}

/** The page of those that pass, out of so many parts of the others. */
async function listPassing(
  deps: Deps,
  tenant: Tenant,
  filter: PaymentListFilter,
  isFound: (view: ShownView) => boolean,
  partsMax: number,
  partMax: number = PART,
): Promise<readonly ShownView[]> {
  const { statuses, sellerExternalId, afterId, limit, settledFromMs, settledToMs } = filter;
  const { due } = filter;
  const isOfSettled = settledFromMs !== null || settledToMs !== null;
  const passes = (view: ShownView) =>
    (statuses === null || statuses.includes(view.payment.status)) &&
    (sellerExternalId === null || view.payment.sellerExternalId === sellerExternalId) &&
    (!isOfSettled || view.payment.settledAtMs !== null) &&
    (settledFromMs ?? 0) <= (view.payment.settledAtMs ?? 0) &&
    (settledToMs ?? LATEST_MS) > (view.payment.settledAtMs ?? 0) &&
    (due === null || isDueIn(view, due)) &&
    isFound(view);
  const all = {
    ...filter,
    statuses: null,
    sellerExternalId: null,
    settledFromMs: null,
    settledToMs: null,
    due: null,
    limit: partMax,
  };
  let found: readonly ShownView[] = [];
  let { beforeId } = filter;
  let newestId = afterId;
  for (let parts = 1; ; parts += 1) {
    const part = await listPayments(deps, tenant, { ...all, beforeId, afterId: newestId });
    const own = part.filter(passes);
    found = afterId === null ? [...found, ...own] : [...own, ...found];
    if (part.length < partMax || found.length >= limit || parts >= partsMax) break;
    if (afterId === null) beforeId = part.at(-1)?.payment.id ?? null;
    else newestId = part.at(0)?.payment.id ?? null;
  }
  return afterId === null ? found.slice(0, limit) : found.slice(-limit);
}

function isDueIn(
  { payment: { dueDate, coveredAtMs } }: ShownView,
  { from, to, isUncovered }: DueRange,
): boolean {
  const isIn = dueDate !== null && from <= dueDate && dueDate <= to;
  return isIn && !(isUncovered && coveredAtMs !== null);
}

async function buyerOf(deps: Deps, { mode }: Tenant, text: string): Promise<string | null> {
  if (!text.includes('@')) return null;
  const buyer = await deps.store.run((tx) => tx.buyers.byEmail(mode, emailKey(text)));
  return buyer?.id ?? null;
}

async function startingWith(deps: Deps, tenant: Tenant, key: string): Promise<readonly string[]> {
  if (key === '') return [];
  return deps.store.run((tx) => tx.payments.startingWith(tenant, key, FEW + 1));
}

/**
 * Ids of the buyers and accounts of which each typed word begins a word of their names. Null: more
 * than FEW have a word that begins like each of them.
 */
export async function partiesNamed(
  tx: Tx,
  tenant: Tenant,
  words: readonly string[],
): Promise<readonly string[] | null> {
  if (words.length === 0) return [];
  const lists = await Promise.all(words.map((word) => tx.names.owners(tenant, word, FEW + 1)));
  const few = lists.filter((list) => list.length <= FEW);
  const [ids] = few.toSorted((left, right) => left.length - right.length);
  if (ids === undefined) return null;
  const found = ids.map(async (id) => {
    const names = await tx.names.ofOwner(tenant, id);
    return words.every((word) => names.some((name) => name.startsWith(word))) ? [id] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Null: too many parties have such names. */
async function ownersNamed(
  deps: Deps,
  tenant: Tenant,
  words: readonly string[],
): Promise<readonly Pick<Match, 'buyerId' | 'sellerExternalId'>[] | null> {
  return deps.store.run(async (tx) => {
    const ids = await partiesNamed(tx, tenant, words);
    if (ids === null) return null;
    const owners = ids.map(async (id) => {
      const account = await tx.accounts.get(tenant, id);
      if (account === null) return { buyerId: id, sellerExternalId: null };
      const isSeller = account.role === 'seller';
      return { buyerId: null, sellerExternalId: isSeller ? account.externalId : null };
    });
    const found = await Promise.all(owners);
    return found.filter((owner) => (owner.buyerId ?? owner.sellerExternalId) !== null);
  });
}

function isKeyed(payment: ShownView['payment'], key: string): boolean {
  const { id, externalId, number, purchaseOrder, settlement } = payment;
  const names = [id, externalId, number, purchaseOrder, settlement?.endToEndId ?? null];
  return key !== '' && names.some((name) => name !== null && searchKey(name).startsWith(key));
}

function isOfName(payment: ShownView['payment'], words: readonly string[]): boolean {
  return isNamed(words, [payment.buyer.name]) || isNamed(words, [payment.payeeName]);
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
