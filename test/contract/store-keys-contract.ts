// What every store promises about keys: check values, the guard on sealed texts, re-sealing, the
// service's own keys. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SealedColumn } from '../../core/domain/service/sealed-columns.js';
import type { Subscription } from '../../core/domain/webhooks/subscription.js';
import type { SealedRow, Store, Tx } from '../../core/ports/storage.js';
import { aDeposit } from '../support/samples/deposit-samples.js';
import {
  aCommand,
  anAccount,
  aPartyDraft,
  aSubmission,
  aSubscription,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { aCheckValue, aServiceKey } from '../support/samples/key-samples.js';
import { aMail } from '../support/samples/mail-samples.js';
import { valuesOf } from '../support/values-of.js';
import { assertContended } from './contention.js';
import type { OpenStore } from './store-contracts.js';

export function storeKeysContract(fresh: OpenStore): void {
  /** A process that seals under k1, and how often it registered that key. */
  const sealing = async () => {
    let count = 0;
    const registerKey = async (): Promise<void> => {
      count += 1;
      await store.run(async (tx) => {
        const known = (await tx.keyCheckValues.list()).find(({ keyId }) => keyId === 'k1');
        if (known === undefined) tx.keyCheckValues.insert(aCheckValue({ keyId: 'k1' }));
        else if (known.state !== 'in_use') tx.keyCheckValues.update({ ...known, state: 'in_use' });
      });
    };
    const store: Store = await fresh(undefined, { keyId: 'k1', registerKey });
    return { store, registered: () => count };
  };

  test('a check value is stored once per key; only its state changes', async () => {
    const store = await fresh();
    const [first, second] = [aCheckValue({ keyId: 'k1' }), aCheckValue({ keyId: 'k2' })];
    const list = () => store.run((tx) => tx.keyCheckValues.list());
    await store.run(async (tx) => tx.keyCheckValues.insert(second));
    await store.run(async (tx) => tx.keyCheckValues.insert(first));
    assert.deepEqual(await list(), [first, second]);
    await assertContended(store, (tx) => tx.keyCheckValues.insert({ ...first, sealed: 'another' }));
    const retiring = { ...first, state: 'retiring' } as const;
    await store.run(async (tx) => tx.keyCheckValues.update(retiring));
    assert.deepEqual(await list(), [{ ...retiring, version: 2 }, second]);
    await assertContended(store, (tx) => tx.keyCheckValues.remove(retiring));
    await store.run(async (tx) => tx.keyCheckValues.remove({ ...retiring, version: 2 }));
    assert.deepEqual(await list(), [second]);
  });

  test('a service key comes back as it was written; only its expiry changes', async () => {
    const [key, other] = [aServiceKey(), aServiceKey({ id: 'skey_2', purpose: 'partner' })];
    const store = await fresh((tx) => {
      tx.serviceKeys.insert(other);
      tx.serviceKeys.insert(key);
    });
    const list = (purpose: 'session' | 'partner') =>
      store.run((tx) => tx.serviceKeys.list(purpose));
    assert.deepEqual(await list('session'), [key]);
    assert.deepEqual(await list('partner'), [other]);
    const changed = { ...key, sealed: 'other', expiresAtMs: T0 + 9 };
    await store.run(async (tx) => tx.serviceKeys.update(changed));
    assert.deepEqual(await list('session'), [{ ...key, expiresAtMs: T0 + 9, version: 2 }]);
    await assertContended(store, (tx) => tx.serviceKeys.remove(key));
    await store.run(async (tx) => tx.serviceKeys.remove({ ...key, version: 2 }));
    assert.deepEqual(await list('session'), []);
  });

  test('a purpose has one current key, also after concurrent inserts', async () => {
    const store = await fresh();
    const make = (id: string, purpose: 'session' | 'partner') =>
      store.run(async (tx) => {
        const known = await tx.serviceKeys.list(purpose);
        if (known.length > 0) return known[0]?.id;
        tx.serviceKeys.insert(aServiceKey({ id, purpose, expiresAtMs: null }));
        return id;
      });
    const made = await Promise.all([
      ...['skey_1', 'skey_2'].map((id) => make(id, 'session')),
      make('skey_3', 'partner'),
    ]);
    assert.equal(made[0], made[1]);
    assert.equal(made[2], 'skey_3');
    await store.run(async (tx) => {
      for (const key of await tx.serviceKeys.list('session')) {
        tx.serviceKeys.update({ ...key, expiresAtMs: T0 });
      }
      tx.serviceKeys.insert(aServiceKey({ id: 'skey_4', expiresAtMs: null }));
    });
    const keys = await store.run((tx) => tx.serviceKeys.list('session'));
    assert.deepEqual(valuesOf(keys, 'expiresAtMs'), [T0, null]);
  });

  test('a text sealed under the key of the process requires its check value', async () => {
    for (const [name, write] of eachColumn) {
      const { store, registered } = await sealing();
      await store.run(async (tx) => write(tx, 's1.k2.a'));
      await store.run(async (tx) => write(tx, 'sealed', '_other'));
      assert.equal(registered(), 0, `${name}: another key, or none`);
      await store.run(async (tx) => write(tx, 's1.k1.a', '_first'));
      assert.equal(registered(), 1, name);
      const [checkValue] = await store.run((tx) => tx.keyCheckValues.list());
      assert.equal(checkValue?.state, 'in_use');
      await store.run(async (tx) => write(tx, 's1.k1.b', '_second'));
      assert.equal(registered(), 1, `${name}: already registered`);
    }
  });

  test('a retiring key is in use again once it seals', async () => {
    const { store, registered } = await sealing();
    const retiring = aCheckValue({ keyId: 'k1', state: 'retiring' });
    await store.run(async (tx) => tx.keyCheckValues.insert(retiring));
    await store.run(async (tx) => tx.subscriptions.insert(aSubscription()));
    assert.deepEqual(await store.run((tx) => tx.keyCheckValues.list()), [retiring]);
    await store.run(async (tx) => tx.subscriptions.update(sealed(aSubscription())));
    assert.equal(registered(), 1);
    const known = await store.run((tx) => tx.keyCheckValues.list());
    assert.deepEqual(known, [{ ...retiring, state: 'in_use', version: 2 }]);
  });

  test('sealed texts are paged in key order, without those of one secret key', async () => {
    for (const [column, write] of eachColumn) {
      const texts = { _1: 's1.k_1.a', _2: 's1.kx1.b', _3: 's1.K_1.c', _4: 's1.k_1.d', _5: 'e' };
      const store = await fresh((tx) => {
        for (const [more, text] of Object.entries(texts).reverse()) write(tx, text, more);
      });
      const page = (after: SealedRow | null, limit: number) =>
        store.run((tx) => tx.sealed.page(column, { exceptKeyId: 'k_1', after, limit }));
      const all = await page(null, 9);
      assert.deepEqual(
        all.map(({ id, sealed }) => [id.slice(-2), sealed]),
        Object.entries({ ...texts, _1: null, _4: null }),
        column,
      );
      const first = await page(null, 2);
      const next = await page(first.at(-1) ?? null, 9);
      assert.deepEqual([...first, ...next], all, column);
      assert.deepEqual(await page(all.at(-1) ?? null, 9), []);
    }
  });

  test('a sealed text is replaced only if it is unchanged', async () => {
    for (const [column, write] of eachColumn) {
      const store = await fresh((tx) => {
        for (const more of ['_1', '_2']) write(tx, 's1.k2.a', more);
      });
      const rows = () =>
        store.run((tx) => tx.sealed.page(column, { exceptKeyId: 'k9', after: null, limit: 9 }));
      const [row, other] = await rows();
      assert.ok(row !== undefined && other !== undefined);
      await store.run(async (tx) => tx.sealed.replace(column, row, 's1.k1.b'));
      assert.deepEqual(await rows(), [{ ...row, sealed: 's1.k1.b' }, other], column);
      await store.run(async (tx) => {
        tx.sealed.replace(column, row, 's1.k1.c');
        tx.sealed.replace(column, { ...other, sealed: null }, 's1.k1.c');
      });
      assert.deepEqual(await rows(), [{ ...row, sealed: 's1.k1.b' }, other], column);
    }
  });

  test('an update of a row read before its text was replaced is a conflict', async () => {
    const store = await fresh((tx) => tx.subscriptions.insert(aSubscription()));
    const column = 'subscriptions.secret_sealed';
    await store.run(async (tx) => {
      const page = { exceptKeyId: 'k1', after: null, limit: 9 };
      for (const row of await tx.sealed.page(column, page)) tx.sealed.replace(column, row, 'new');
    });
    await assertContended(store, (tx) => tx.subscriptions.update(aSubscription({ active: false })));
    const replaced = aSubscription({ secretSealed: 'new', version: 2 });
    assert.deepEqual(await store.run((tx) => tx.subscriptions.get(tenant, 'whs_1')), replaced);
  });

  test('without its check value, nothing that the key sealed is stored', async () => {
    const store = await fresh(undefined, { keyId: 'k1', registerKey: async () => undefined });
    const written = store.run(async (tx) => tx.subscriptions.insert(sealed(aSubscription())));
    await assert.rejects(written, { code: 'StoreContention' });
    assert.equal(await store.run((tx) => tx.subscriptions.find('whs_1')), null);
  });

  test('a key that seals while it is retired keeps its check value', async () => {
    const { store } = await sealing();
    const rounds = 25;
    for (let round = 0; round < rounds; round += 1) {
      await store.run(async (tx) => {
        const known = await tx.keyCheckValues.list();
        if (known.length === 0) tx.keyCheckValues.insert(aCheckValue({ keyId: 'k1' }));
      });
      // One by one, so that they fall before, between and after the steps of `retire`.
      const write = async () => {
        for (let index = 0; index < 5; index += 1) {
          const id = `whs_${round}_${index}`;
          await store.run(async (tx) => tx.subscriptions.insert(sealed(aSubscription({ id }))));
        }
      };
      await Promise.all([write(), retire(store)]);
      const left = (await store.run((tx) => tx.subscriptions.list(tenant, 100))).filter(isUnderK1);
      const checkValues = await store.run((tx) => tx.keyCheckValues.list());
      assert.ok(left.length === 0 || checkValues.length === 1, `${left.length} without checkValue`);
    }
  });
}

type Write = (tx: Tx, sealedText: string, more?: string) => void;

/** Writes a row with this text, for each sealed column. */
const sealedWrites: Readonly<Record<SealedColumn, Write>> = {
  'connected_accounts.tax_id_sealed': (tx, taxIdSealed, more = '') =>
    tx.accounts.insert(anAccount({ id: `acct_1${more}`, taxIdSealed })),
  'kyc_submissions.dossier_sealed': (tx, dossierSealed, more = '') =>
    tx.buyers.insertSubmission(
      aSubmission({
        id: `kyc_2${more}`,
        buyerId: `byr_2${more}`,
        flowId: null,
        draftSealed: null,
        dossierSealed,
      }),
    ),
  'party_drafts.draft_sealed': (tx, draftSealed, more = '') =>
    tx.partyDrafts.insert(aPartyDraft({ id: `acct_1${more}`, draftSealed })),
  'kyc_submissions.draft_sealed': (tx, draftSealed, more = '') =>
    tx.buyers.insertSubmission(
      aSubmission({
        id: `kyc_1${more}`,
        buyerId: `byr_1${more}`,
        flowId: null,
        draftSealed,
        dossierSealed: null,
      }),
    ),
  'mails.token_sealed': (tx, tokenSealed, more = '') =>
    tx.mails.insert(aMail({ id: `mail_1${more}`, tokenHash: `h${more}`, nth: null, tokenSealed })),
  'partner_commands.request': (tx, request, more = '') =>
    tx.commands.insert(aCommand({ id: `cmd_1${more}`, request })),
  'deposits.payer_sealed': (tx, payerSealed, more = '') =>
    tx.deposits.insert(aDeposit({ id: `dep_1${more}`, partnerRef: `p${more}`, payerSealed })),
  'subscriptions.secret_sealed': (tx, secretSealed, more = '') =>
    tx.subscriptions.insert(aSubscription({ id: `whs_1${more}`, secretSealed })),
  'service_keys.sealed': (tx, text, more = '') =>
    tx.serviceKeys.insert(aServiceKey({ id: `skey_1${more}`, sealed: text })),
};

const eachColumn = Object.entries(sealedWrites) as readonly (readonly [SealedColumn, Write])[];

function sealed(subscription: Subscription): Subscription {
  return { ...subscription, secretSealed: 's1.k1.a' };
}

function isUnderK1({ secretSealed }: Subscription): boolean {
  return secretSealed.startsWith('s1.k1.');
}

/** As a reseal does it: mark, re-seal, scan again, remove if unused. */
async function retire(store: Store): Promise<void> {
  const marked = await store.run(async (tx) => {
    const [checkValue] = await tx.keyCheckValues.list();
    if (checkValue === undefined) return null;
    const retiring = { ...checkValue, state: 'retiring' } as const;
    tx.keyCheckValues.update(retiring);
    return { ...retiring, version: checkValue.version + 1 };
  });
  if (marked === null) return;
  for (let left = 1; left > 0; ) {
    left = await store.run(async (tx) => {
      const under = (await tx.subscriptions.list(tenant, 100)).filter(isUnderK1);
      for (const one of under) tx.subscriptions.update({ ...one, secretSealed: 's1.k2.a' });
      return under.length;
    });
  }
  await store.run(async (tx) => {
    const [checkValue] = await tx.keyCheckValues.list();
    if (checkValue?.version === marked.version) tx.keyCheckValues.remove(checkValue);
  });
}
