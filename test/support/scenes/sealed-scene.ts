// A service with a text in every sealed column, the same service under other secret keys, and all
// its sealed texts, raw and opened.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createSecretBox, type SecretKey } from '../../../adapters/crypto/secret-box.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { newCommand, requestPurpose } from '../../../core/domain/commands/partner-command.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import { type SealedColumn, sealedColumns } from '../../../core/domain/service/sealed-columns.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { SealedRow, Store } from '../../../core/ports/storage.js';
import { readDeposit } from '../../../core/usecases/deposits/deposits.js';
import { saveKycPage } from '../../../core/usecases/hosted/kyc-forms.js';
import { createAccount } from '../../../core/usecases/parties/accounts.js';
import { startBuyerKyc } from '../../../core/usecases/parties/kyc.js';
import { inviteBuyer } from '../../../core/usecases/payments/invoices.js';
import { advancePayment } from '../../../core/usecases/sandbox/sandbox.js';
import { currentKey } from '../../../core/usecases/service/service-keys.js';
import { createSubscription } from '../../../core/usecases/webhooks/subscriptions.js';
import { ana } from '../samples/dossiers.js';
import { Books } from './deposit-scene.js';
import { makeInvoice } from './made-payments.js';
import { sellerSession } from './seller-scene.js';
import { type World, world } from './test-world.js';

export const secondKey: SecretKey = { id: 'second', bytes: Buffer.alloc(32, 2) };

export interface SealedScene extends World {
  readonly tenant: Tenant;
  readonly subscriptionId: string;
}

export async function sealedScene(t: TestContext): Promise<SealedScene> {
  const made = await world(t);
  const tenant = await made.newTenant();
  return { ...made, tenant, ...(await sealEverything(made.deps, tenant)) };
}

/** Fills each sealed column through use cases. A pending mail keeps its token. */
export async function sealEverything(
  deps: Deps,
  tenant: Tenant,
): Promise<{ readonly subscriptionId: string }> {
  const { subscription } = await createSubscription(deps, tenant, {
    url: 'https://receiver.example/webhooks',
    eventTypes: ['*'],
  });
  const { account } = await createAccount(deps, tenant, {
    role: 'seller',
    entityType: 'business',
    externalId: null,
    email: null,
    country: null,
    legalName: null,
    displayName: null,
    taxId: '11.222.333/0001-81',
  });
  const typed = { legalName: 'Ana Ltda' };
  await saveKycPage(deps, sellerSession(tenant, account.id), { page: 'company', typed });
  await startBuyerKyc(deps, tenant, {
    email: 'bo@buyer.example',
    name: 'Bo',
    entityType: null,
    paymentId: null,
    dossier: {},
  });
  await startBuyerKyc(deps, tenant, {
    email: 'ana@buyer.example',
    name: null,
    entityType: 'individual',
    paymentId: null,
    // The sandbox does not decide on it: its dossier stays.
    dossier: { ...ana, firstName: 'Slow' },
  });
  const { payment } = await makeInvoice(deps, tenant);
  await inviteBuyer(deps, tenant, payment.id);
  const other = await makeInvoice(deps, tenant, { number: 'INV/8' });
  await advancePayment(deps, tenant, other.payment.id, 'settled');
  await orderPayin(deps, tenant, other.payment);
  await receiveDeposit(deps);
  await currentKey(deps, 'session');
  return { subscriptionId: subscription.id };
}

/** A command about money keeps its request. */
async function orderPayin(deps: Deps, tenant: Tenant, { id, amount }: Payment): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const name = { id: deps.ids.next('cmd', nowMs), reference: `payin of ${id}` };
  const draft = { kind: 'payin', amount, payinId: null } as const;
  const command = newCommand(tenant, name, { ...draft, paymentId: id }, nowMs);
  const request = deps.secretBox.seal('{}', requestPurpose(command));
  await deps.store.run(async (tx) => tx.commands.insert({ ...command, request, dueAtMs: null }));
}

/** Of a partner with books. */
async function receiveDeposit(deps: Deps): Promise<void> {
  const { test } = deps.partners;
  assert.ok(test);
  const books = new Books();
  books.deposit('va_1', { partyRef: null, createdAtMs: deps.clock.nowMs() });
  const partners = { ...deps.partners, test: { ...test, statement: books.statement } };
  assert.equal(
    await readDeposit({ ...deps, partners }, 'test', { book: 'payin', partnerRef: 'va_1' }),
    'deposit',
  );
}

/** The same service in a process with other secret keys. */
export function withKeys(deps: Deps, keys: readonly SecretKey[]): Deps {
  return { ...deps, secretBox: createSecretBox(keys) };
}

export const allColumns = Object.keys(sealedColumns) as readonly SealedColumn[];

/** Every sealed text, by column and id. */
export async function sealedTexts(store: Store): Promise<ReadonlyMap<string, string>> {
  const rows = await sealedRows(store);
  return new Map(rows.map(([column, { id, sealed }]) => [`${column} ${id}`, sealed]));
}

type SealedText = readonly [SealedColumn, SealedRow & { readonly sealed: string }];

async function sealedRows(store: Store): Promise<readonly SealedText[]> {
  const texts: SealedText[] = [];
  for (const column of allColumns) {
    let after: SealedRow | null = null;
    for (;;) {
      const page = { exceptKeyId: 'none', after, limit: 100 };
      const rows: readonly SealedRow[] = await store.run((tx) => tx.sealed.page(column, page));
      for (const { sealed, ...row } of rows) {
        if (sealed !== null) texts.push([column, { ...row, sealed }]);
      }
      after = rows.at(-1) ?? null;
      if (after === null) break;
    }
  }
  return texts;
}

/** Every sealed text, opened. */
export async function openedTexts({
  store,
  secretBox,
}: Deps): Promise<ReadonlyMap<string, string>> {
  const rows = await sealedRows(store);
  const opened = rows.map(([column, row]) => {
    return [`${column} ${row.id}`, secretBox.open(row.sealed, sealedColumns[column](row))] as const;
  });
  return new Map(opened);
}
