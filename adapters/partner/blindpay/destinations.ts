// Where a seller's money goes: the PIX account and, because a payout starts there, the managed
// wallet. A destination is `<customer>.<bank account>.<wallet>`. Objects that exist are used again,
// so a repeat makes no second one, even after BlindPay has forgotten the idempotency key (24 h).
import { z } from 'zod';
import { plainFact } from '../../../core/domain/parties/identity-facts.js';
import { isPixKey } from '../../../core/domain/parties/pix-key.js';
import type { PartnerAnswer, SettlementPartner } from '../../../core/ports/partner.js';
import {
  type BlindPayContext,
  done,
  idText,
  isId,
  joinIds,
  later,
  notFound,
  readObject,
  refused,
  splitIds,
} from './blindpay-context.js';

/** Names the wallet of Ponte among those of a customer. */
const WALLET_NAME = 'ponte';
const goneStatuses = ['rejected', 'deprecated'];

const bankAccountShape = z.object({
  id: idText,
  type: z.string().nullish(),
  name: z.string().nullish(),
  pix_key: z.string().nullish(),
  status: z.string().nullish(),
});

const walletShape = z.object({
  id: idText,
  network: z.string(),
  external_id: z.string().nullish(),
  address: z.string().nullish(),
});

const accountNumberShape = z.object({ account_number: z.string() }).nullish();
const virtualAccountShape = z.object({
  id: idText,
  banking_partner: z.string().nullish(),
  us: z.object({ ach: accountNumberShape, wire: accountNumberShape }).nullish(),
});

export interface Destination {
  readonly customerId: string;
  readonly bankAccountId: string;
  readonly walletId: string;
}

export function readDestination(text: string): Destination | null {
  return splitIds(text, ['customerId', 'bankAccountId', 'walletId']);
}

type PixInput = Parameters<SettlementPartner['registerPixDestination']>[0];
type RailsInput = Parameters<SettlementPartner['provisionRails']>[0];

export async function registerPix(
  desk: BlindPayContext,
  input: PixInput,
): Promise<PartnerAnswer<{ destinationRef: string }>> {
  const { partyRef: customerId } = input;
  if (!isId(customerId)) return notFound;
  if (input.pixKey.trim() === '') return refused('pix_key_invalid', 'pixKey is empty.');
  const account = await ensuredBankAccount(desk, input);
  if (account.outcome !== 'done') return account;
  const wallet = await ensuredWallet(desk, customerId);
  if (wallet.outcome !== 'done') return wallet;
  return done({ destinationRef: joinIds([customerId, account.value, wallet.value]) });
}

async function ensuredBankAccount(
  { client }: BlindPayContext,
  { partyRef, pixKey, accountHolderName: name, key }: PixInput,
): Promise<PartnerAnswer<string>> {
  const path = `/instances/:instance/customers/${partyRef}/bank-accounts`;
  const found = await client.search(
    path,
    bankAccountShape,
    (account) => {
      const isSame =
        account.type === 'pix' &&
        isPixKey(account.pix_key ?? '', pixKey) &&
        plainFact('name', account.name ?? '') === plainFact('name', name);
      return isSame && !goneStatuses.includes(account.status ?? '') ? account : null;
    },
    'whole',
  );
  if (found.outcome !== 'done') return found;
  const fields = { type: 'pix', name, pix_key: pixKey, recipient_relationship: 'first_party' };
  const account =
    found.value === null
      ? await client.post({ path, body: JSON.stringify(fields), key, shape: bankAccountShape })
      : done(found.value);
  if (account.outcome !== 'done') return account;
  const { id, status, pix_key: paidTo } = account.value;
  // The seller's money would go to somebody else.
  if (paidTo && !isPixKey(paidTo, pixKey))
    return later('BlindPay answers with another PIX account');
  if (goneStatuses.includes(status ?? '')) {
    return refused('pix_account_rejected', 'BlindPay has rejected the PIX account.');
  }
  return status === 'verifying' ? later('BlindPay verifies the PIX account') : done(id);
}

/** One per customer and network. */
async function ensuredWallet(
  { client, route: { network } }: BlindPayContext,
  customerId: string,
): Promise<PartnerAnswer<string>> {
  const path = `/instances/:instance/customers/${customerId}/wallets`;
  const found = await client.search(
    path,
    walletShape,
    (wallet) =>
      wallet.network === network && wallet.external_id === WALLET_NAME ? wallet.id : null,
    'whole',
  );
  if (found.outcome !== 'done') return found;
  if (found.value !== null) return done(found.value);
  const body = JSON.stringify({ network, name: WALLET_NAME, external_id: WALLET_NAME });
  const key = `${customerId}.${network}.wallet`;
  const made = await client.post({ path, body, key, shape: walletShape });
  return made.outcome === 'done' ? done(made.value.id) : made;
}

/** From where a payout to this destination is sent. */
export async function walletAddress(
  desk: BlindPayContext,
  { customerId, walletId }: Destination,
): Promise<PartnerAnswer<string>> {
  const wallet = await readObject(desk, `customers/${customerId}/wallets`, walletId, walletShape);
  if (wallet.outcome !== 'done') return wallet;
  const { address } = wallet.value;
  return address ? done(address) : later('the wallet has no address yet');
}

/** The virtual account, or the wallet where the instance is to have none. */
export async function provision(
  desk: BlindPayContext,
  { partyRef, destinationRef, key }: RailsInput,
): Promise<PartnerAnswer<{ virtualAccountRef: string }>> {
  const destination = readDestination(destinationRef);
  if (destination === null || destination.customerId !== partyRef) return notFound;
  const { client, route } = desk;
  const { token, bankingPartner } = route;
  if (bankingPartner === null) {
    const address = await walletAddress(desk, destination);
    return address.outcome === 'done' ? done({ virtualAccountRef: destination.walletId }) : address;
  }
  const path = `/instances/:instance/customers/${partyRef}/virtual-accounts`;
  const found = await client.search(
    path,
    virtualAccountShape,
    (account) => (account.banking_partner === bankingPartner ? account.id : null),
    'whole',
  );
  if (found.outcome !== 'done') return found;
  if (found.value !== null) return done({ virtualAccountRef: found.value });
  const body = JSON.stringify({
    banking_partner: bankingPartner,
    token,
    blockchain_wallet_id: destination.walletId,
  });
  const made = await client.post({ path, body, key, shape: virtualAccountShape });
  return made.outcome === 'done' ? done({ virtualAccountRef: made.value.id }) : made;
}

/**
 * Whether one of these numbers is the customer's virtual account, where a memo code is ignored. A
 * customer from before the setting has none and needs the code, so without an answer it counts.
 */
export async function isVirtualAccount(
  { client, route }: BlindPayContext,
  customerId: string,
  numbers: readonly string[],
): Promise<boolean> {
  if (route.bankingPartner === null) return false;
  const path = `/instances/:instance/customers/${customerId}/virtual-accounts`;
  const isShown = (its: z.output<typeof accountNumberShape>) =>
    its !== null && its !== undefined && numbers.includes(its.account_number);
  const found = await client.search(
    path,
    virtualAccountShape,
    ({ us }) => (isShown(us?.ach) || isShown(us?.wire) ? true : null),
    'whole',
  );
  return found.outcome === 'done' && found.value === true;
}
