// The fake partner with a memory: keys and transactions survive the process and the database.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createFakePartner } from '../../../adapters/partner/fake.js';
import { type FakeMemory, memoryInFile } from '../../../adapters/partner/fake-memory.js';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { money } from '../../../core/domain/base/money.js';
import { memoryOnly } from '../../support/partners/memory-only.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
let files = 0;

/** Yields the same memory as another process has it. */
const memories = {
  'in memory': () => {
    const memory = memoryOnly();
    return () => memory;
  },
  'in a file': () => {
    files += 1;
    const path = join(folder, `${files}.jsonl`);
    return () => memoryInFile(path);
  },
} as const;

function partnerWith(memory: FakeMemory | null) {
  let nowMs = 1_800_000_000_000;
  const tick = () => {
    nowMs += 1_000;
    return nowMs;
  };
  return createFakePartner({
    mode: 'test',
    // Each request is prepared at another time.
    clock: { nowMs: tick },
    delayMs: 0,
    secret: 'whsec_c2VjcmV0',
    deliver: async () => undefined,
    memory,
  });
}

type Partner = ReturnType<typeof partnerWith>;

let parties = 0;

async function payoutRequest(partner: Partner, reference = 'ref_1'): Promise<string> {
  parties += 1;
  const transaction = { role: 'seller', entityType: 'business', email: 'a@b.example' } as const;
  const party = done(
    await partner.party.start(
      done(await partner.party.prepare({ ...transaction, reference: `party_${parties}` })),
    ),
  );
  const pix = { pixKey: '12345678901', accountHolderName: 'Ana', key: 'k' };
  const { destinationRef: destination } = done(
    await partner.registerPixDestination({ ...pix, partyRef: party.partnerRef }),
  );
  const amount = money(10_000n, 'USD');
  return done(
    await partner.payout.prepare({ reference, amount, destination, payinRefs: [], quote: null }),
  );
}

for (const [name, newMemory] of Object.entries(memories)) {
  describe(name, () => {
    test('a transaction is found by its reference after a restart, once it was started', async () => {
      const open = newMemory();
      const partner = partnerWith(open());
      const request = await payoutRequest(partner);
      assert.equal(done(await partner.findCommand('payout', 'ref_1')), null);
      assert.equal(done(await partner.payout.find(request)), null);
      const { partnerRef } = done(await partner.payout.start(request));
      const again = partnerWith(open());
      assert.deepEqual(done(await again.findCommand('payout', 'ref_1')), { partnerRef });
      assert.deepEqual(done(await again.payout.find(request)), { partnerRef });
      assert.equal(done(await again.findCommand('refund', 'ref_1')), null);
      assert.equal(done(await again.findCommand('payout', 'ref_2')), null);
    });

    test('the same request again is the same order; another under its key is refused', async () => {
      const open = newMemory();
      const partner = partnerWith(open());
      const request = await payoutRequest(partner);
      const started = done(await partner.payout.start(request));
      const again = partnerWith(open());
      assert.deepEqual(done(await again.payout.start(request)), started);
      const other = await again.payout.start(await payoutRequest(again));
      assert.equal(other.outcome === 'refused' && other.code, 'idempotency_key_reused');
      const payouts = open()
        .all()
        .filter(({ kind }) => kind === 'payout');
      assert.equal(payouts.length, 1);
    });
  });
}

test('what another process appends is known immediately, and half a line waits', () => {
  const path = join(folder, 'shared.jsonl');
  const [here, there] = [memoryInFile(path), memoryInFile(path)];
  const transaction = {
    mode: 'test',
    kind: 'payout',
    reference: 'r',
    digest: 'd',
    atMs: 1,
  } as const;
  const first = here.insert({ ...transaction, partnerRef: 'one' });
  assert.deepEqual(there.insert({ ...transaction, partnerRef: 'two' }), first);
  const line = JSON.stringify({ ...transaction, reference: 's', partnerRef: 'three' });
  appendFileSync(path, line.slice(0, 20));
  assert.equal(here.find({ ...transaction, reference: 's' }), null);
  appendFileSync(path, `${line.slice(20)}\n`);
  assert.equal(here.find({ ...transaction, reference: 's' })?.partnerRef, 'three');
});

test('without a memory a look-up by the reference alone cannot be done', async () => {
  const partner = partnerWith(null);
  assert.equal((await partner.findCommand('payout', 'ref_1')).outcome, 'later');
});
