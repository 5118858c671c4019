// Actions on connected accounts that are repeated because their answer was lost: one effect for
// each Idempotency-Key, also if something else happened in between.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refusalOf, sharedSite } from '../checked-site.js';
import { newSeller, payoutConfig, sellerDossier } from './account-calls.js';
import {
  type AccountClient,
  accountsPath,
  newAccountClient,
  reportOn,
  withPartner,
} from './account-client.js';

const site = sharedSite();

let api: AccountClient;

beforeEach(async () => {
  api = await newAccountClient(site);
});

/** A call of an action under a key. */
function act(id: unknown, action: string, body: unknown, idempotencyKey: string) {
  return site.call('POST', `${accountsPath}/${String(id)}/${action}`, {
    key: api.key,
    body,
    headers: { 'idempotency-key': idempotencyKey },
  });
}

test('a submit that was answered by a rejection makes no second party when it is repeated', async () => {
  const { id } = await newSeller(site.world, api.tenant);
  const dossier = { ...sellerDossier, legalName: 'Fail' };
  const first = await act(id, 'submit', dossier, 'submit-1');
  assert.equal(first.body['status'], 'rejected');
  assert.deepEqual((await act(id, 'submit', dossier, 'submit-1')).body, first.body);
  const ofAccount = ['created', 'kyb_rejected'];
  assert.deepEqual(await api.events(), ofAccount);
  const again = await act(id, 'submit', dossier, 'submit-2');
  assert.notEqual(again.body['receiverId'], first.body['receiverId']);
  assert.deepEqual(await api.events(), [...ofAccount, 'kyb_rejected']);
});

test('a payout that is repeated does not undo the change after it', async () => {
  const id = await api.approvedSeller();
  const changes = async () => (await api.get(`${id}/payout-changes`)).body['data'];
  await act(id, 'payout-config', payoutConfig, 'payout-1');
  await act(id, 'payout-config', { ...payoutConfig, pixKey: 'new@example.com' }, 'payout-2');
  const before = await changes();
  assert.equal((await act(id, 'payout-config', payoutConfig, 'payout-1')).status, 200);
  assert.deepEqual(await changes(), before);
  await act(id, 'payout-config', payoutConfig, 'payout-3');
  assert.notDeepEqual(await changes(), before);
});

test('terms that are repeated stay those of the first request', async () => {
  const { id } = await newSeller(site.world, api.tenant);
  const { body } = await api.on(id, 'tos-session', { redirectUrl: 'https://shop.example/t' });
  const tosId = new URL(String(body['url'])).searchParams.get('tos_id');
  const first = await act(id, 'tos-accepted', { tosId }, 'terms-1');
  assert.equal(first.body['tosAccepted'], true);
  assert.deepEqual((await act(id, 'tos-accepted', { tosId }, 'terms-1')).body, first.body);
});

test('a repeat with another body reaches no partner, changes nothing and names what differs', async () => {
  const id = await api.approvedSeller();
  const { id: fresh } = await newSeller(site.world, api.tenant);
  const { body } = await api.on(fresh, 'tos-session', { redirectUrl: 'https://shop.example/t' });
  const tosId = new URL(String(body['url'])).searchParams.get('tos_id');
  const spaced = { pixKey: ' ANA@example.com ', accountHolderName: ' Ana  Lima' };
  const failing = { ...sellerDossier, legalName: 'Fail' };
  const rows = [
    [id, 'payout-config', payoutConfig, spaced, undefined],
    [id, 'payout-config', payoutConfig, { ...payoutConfig, pixKey: 'b@example.com' }, 'pixKey'],
    [id, 'payout-config', payoutConfig, { pixKey: 'b@example.com', accountHolderName: 'Bo' }, both],
    [fresh, 'tos-accepted', { tosId }, { tosId: 'tos_other' }, 'tosId'],
    [fresh, 'submit', failing, failing, undefined],
    [fresh, 'submit', failing, { ...sellerDossier, website: 'https://a.example' }, more],
  ] as const;
  for (const [at, [account, action, first, other, mismatch]] of rows.entries()) {
    const done = await act(account, action, first, `repeat-${at}`);
    assert.equal(done.headers['idempotent-replayed'], undefined);
    let calls = 0;
    const unreached = async () => {
      calls += 1;
      return { outcome: 'unknown', reason: 'reached' } as const;
    };
    const changes = { registerPixDestination: unreached, party: { prepare: unreached } };
    await withPartner(site.world, changes, async () => {
      const again = await act(account, action, other, `repeat-${at}`);
      assert.deepEqual([again.status, again.body], [200, done.body], `${at}`);
      assert.equal(again.headers['idempotent-replayed'], 'true');
      assert.equal(again.headers['idempotent-mismatch'], mismatch, `${at}`);
    });
    assert.equal(calls, 0);
  }
});

const both = 'pixKey, accountHolderName';
const more = 'legalName, website';

test('of two requests at once with one key and two destinations, one counts', async () => {
  const id = await api.approvedSeller();
  const ends = await Promise.all(
    ['a@example.com', 'b@example.com'].map((pixKey) =>
      act(id, 'payout-config', { ...payoutConfig, pixKey }, 'at-once'),
    ),
  );
  const mismatches = ends.map(({ headers }) => headers['idempotent-mismatch']);
  assert.deepEqual(new Set(mismatches), new Set([undefined, 'pixKey']));
  const { body } = await api.get(`${id}/payout-changes`);
  assert.equal([body['data']].flat().length, 1);
});

test('a key counts for one account, for each action apart, and names no payment', async () => {
  const [id, other] = [await api.approvedSeller(), await api.approvedSeller()];
  await act(id, 'payout-config', payoutConfig, 'one');
  const refused = await act(other, 'payout-config', payoutConfig, 'one');
  assert.equal(refusalOf(refused), '409 IdempotencyKeyConflict');
  await reportOn(site.world, await api.submissionOf(id), { status: 'rejected', reason: 'late' });
  assert.equal((await act(id, 'submit', sellerDossier, 'one')).body['status'], 'approved');
  const { key } = api;
  for (const path of ['one', 'one%0Apayout']) {
    const read = await site.call('GET', `/v1/idempotency-keys/${path}`, { key });
    assert.equal(refusalOf(read), '404 NotFound');
  }
});
