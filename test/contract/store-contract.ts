// What every store promises about writing: batches are whole, guarded, and run again when they lose
// a race; what was staged is not read; the ledger only grows. Run over each database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionFailure, PonteError } from '../../core/errors.js';
import type { Tx } from '../../core/ports/storage.js';
import {
  aBuyer,
  aCommand,
  aDelivery,
  aKey,
  aMessage,
  anAdvance,
  anEvent,
  anOrganization,
  aPayment,
  aProfile,
  aSubmission,
  aSubscription,
  someFunds,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import type { OpenStore } from './store-contracts.js';

/** Opens an empty, migrated store; the contract closes it. */
export function storeContract(fresh: OpenStore): void {
  test('work without staged writes gives what it returned', async () => {
    const store = await fresh();
    assert.equal(await store.run(async (tx) => tx.organizations.get('org_none')), null);
  });

  test('all staged writes are applied, and visible to the next work', async () => {
    const store = await fresh((tx) => {
      tx.payments.insert(aPayment());
      tx.funds.put(someFunds());
    });
    const [payment, funds] = await store.run((tx) =>
      Promise.all([tx.payments.get(tenant, 'pi_1'), tx.funds.get(tenant, 'pi_1')]),
    );
    assert.deepEqual([payment, funds], [aPayment(), someFunds({ version: 1 })]);
  });

  test('work that throws writes nothing', async () => {
    const store = await fresh();
    const refusal = new PonteError('NotFound');
    await assert.rejects(
      store.run(async (tx) => {
        tx.buyers.insert(aBuyer());
        throw refusal;
      }),
      refusal,
    );
    assert.equal(await store.run((tx) => tx.buyers.get('test', 'byr_1')), null);
  });

  test('an update raises the version by one; what may not change stays', async () => {
    const store = await fresh((tx) => tx.payments.insert(aPayment()));
    const changed = { status: 'settled', publicId: 'other', updatedAtMs: T0 + 9 } as const;
    await store.run(async (tx) => tx.payments.update(aPayment(changed)));
    const payment = await store.run((tx) => tx.payments.get(tenant, 'pi_1'));
    assert.deepEqual(payment, aPayment({ status: 'settled', updatedAtMs: T0 + 9, version: 2 }));
  });

  const staleWrites = {
    'an update': (tx) => tx.payments.update(aPayment({ version: 2 })),
    'an expected profile': (tx) => tx.organizations.expectProfile(aProfile({ version: 2 })),
    'an expected submission': (tx) => tx.buyers.expectSubmission(aSubmission({ version: 2 })),
    'an advance that was replaced': (tx) => tx.advances.remove(anAdvance({ version: 2 })),
  } as const satisfies Record<string, (tx: Tx) => void>;

  for (const [what, stage] of Object.entries(staleWrites)) {
    test(`${what} that is stale fails its whole batch and no other`, async () => {
      const store = await fresh((tx) => {
        tx.payments.insert(aPayment());
        tx.organizations.insert(anOrganization(), [aProfile()]);
        tx.buyers.insertSubmission(aSubmission());
        tx.subscriptions.insert(aSubscription());
        tx.advances.put(anAdvance());
      });
      const [before, failed, later] = await Promise.allSettled([
        store.run(async (tx) => tx.commands.insert(aCommand({ id: 'cmd_before' }))),
        store.run(async (tx) => {
          tx.commands.insert(aCommand({ id: 'cmd_failed' }));
          stage(tx);
          tx.commands.insert(aCommand({ id: 'cmd_failed_too' }));
        }),
        store.run(async (tx) => tx.commands.insert(aCommand({ id: 'cmd_later' }))),
      ]);
      assert.deepEqual([before.status, failed.status], ['fulfilled', 'rejected']);
      assert.equal(later.status, 'fulfilled');
      const commands = await store.run((tx) => tx.commands.list({ stuck: false, limit: 10 }));
      assert.deepEqual(commands.map(({ id }) => id).sort(), ['cmd_before', 'cmd_later']);
    });
  }

  test('guards that hold let the batch through and change nothing', async () => {
    const store = await fresh((tx) => {
      tx.organizations.insert(anOrganization(), [aProfile()]);
      tx.buyers.insertSubmission(aSubmission());
      tx.subscriptions.insert(aSubscription());
    });
    await store.run(async (tx) => {
      tx.organizations.expectProfile(aProfile());
      tx.buyers.expectSubmission(aSubmission());
      tx.buyers.insert(aBuyer());
    });
    const [profile, buyer] = await store.run((tx) =>
      Promise.all([tx.organizations.profile(tenant), tx.buyers.get('test', 'byr_1')]),
    );
    assert.deepEqual([profile, buyer], [aProfile(), aBuyer()]);
  });

  test('work that lost a race runs again and reads the winner', async () => {
    const store = await fresh();
    const create = (id: string) =>
      store.run(async (tx) => {
        const known = await tx.payments.byExternalId(tenant, 'payment_intent', 'order-1');
        if (known !== null) return { id: known.id, created: false };
        tx.payments.insert(aPayment({ id, externalId: 'order-1' }));
        return { id, created: true };
      });
    const results = await Promise.all(['pi_1', 'pi_2', 'pi_3'].map(create));
    assert.equal(results.filter(({ created }) => created).length, 1);
    assert.equal(new Set(results.map(({ id }) => id)).size, 1);
  });

  const uniqueWrites = {
    'an externalId of one tenant and origin': {
      first: (tx) => tx.payments.insert(aPayment({ id: 'pi_1', externalId: 'e' })),
      second: (tx) => tx.payments.insert(aPayment({ id: 'pi_2', externalId: 'e' })),
    },
    'a public id': {
      first: (tx) => tx.payments.insert(aPayment({ id: 'pi_1', publicId: 'p' })),
      second: (tx) => tx.payments.insert(aPayment({ id: 'pi_2', publicId: 'p' })),
    },
    'an idempotency key': {
      first: (tx) => tx.idempotency.bind(tenant, 'k', 'payment_intent', 'pi_1', T0),
      second: (tx) => tx.idempotency.bind(tenant, 'k', 'invoice', 'inv_1', T0),
    },
    'an e-mail address of one mode': {
      first: (tx) => tx.buyers.insert(aBuyer({ id: 'byr_1' })),
      second: (tx) => tx.buyers.insert(aBuyer({ id: 'byr_2' })),
    },
    'a current submission of one tenant and buyer': {
      first: (tx) => tx.buyers.insertSubmission(aSubmission({ id: 'kyc_1' })),
      second: (tx) => tx.buyers.insertSubmission(aSubmission({ id: 'kyc_2' })),
    },
  } as const satisfies Record<string, Record<'first' | 'second', (tx: Tx) => void>>;

  for (const [what, { first, second }] of Object.entries(uniqueWrites)) {
    test(`${what} is taken once: the second writer runs again, then gives up`, async () => {
      const store = await fresh(first);
      let runs = 0;
      await assert.rejects(
        store.run(async (tx) => {
          runs += 1;
          second(tx);
        }),
        (error: unknown) => {
          assert.ok(error instanceof PonteError);
          assert.equal(error.code, 'StoreContention');
          assert.equal((error.cause as { kind?: unknown }).kind, 'unique');
          return true;
        },
      );
      assert.equal(runs, 8);
    });
  }

  test('the same externalId serves other modes, organizations and origins', async () => {
    await fresh((tx) => {
      const places = [
        { orgId: 'org_a', mode: 'test', origin: 'payment_intent' },
        { orgId: 'org_a', mode: 'live', origin: 'payment_intent' },
        { orgId: 'org_b', mode: 'test', origin: 'payment_intent' },
        { orgId: 'org_a', mode: 'test', origin: 'invoice' },
      ] as const;
      for (const [index, place] of places.entries()) {
        tx.payments.insert(aPayment({ ...place, id: `pi_${index}`, externalId: 'e' }));
      }
      tx.payments.insert(aPayment({ id: 'pi_none_1', externalId: null }));
      tx.payments.insert(aPayment({ id: 'pi_none_2', externalId: null }));
    });
  });

  test('concurrent increments of a counter are each counted once', async () => {
    const store = await fresh((tx) => tx.funds.put(someFunds()));
    const raises = Array.from({ length: 20 }, () =>
      store.run(async (tx) => {
        const funds = await tx.funds.get(tenant, 'pi_1');
        assert.ok(funds);
        tx.funds.put({ ...funds, receivedMinor: funds.receivedMinor + 1n });
      }),
    );
    const outcomes = await Promise.allSettled(raises);
    const raised = outcomes.filter(({ status }) => status === 'fulfilled').length;
    const funds = await store.run((tx) => tx.funds.get(tenant, 'pi_1'));
    assert.ok(raised >= 1);
    assert.equal(funds?.receivedMinor, BigInt(raised));
    assert.equal(funds?.version, raised + 1);
  });

  test('a refusal decided on rows that changed between two reads is decided again', async () => {
    const store = await fresh((tx) => {
      tx.payments.insert(aPayment());
      tx.funds.put(someFunds());
    });
    let runs = 0;
    const sum = await store.run(async (tx) => {
      runs += 1;
      const payment = await tx.payments.get(tenant, 'pi_1');
      if (runs === 1) {
        await store.run(async (other) => {
          other.payments.update(aPayment());
          other.funds.put(someFunds({ version: 1 }));
        });
      }
      const funds = await tx.funds.get(tenant, 'pi_1');
      if (payment?.version !== funds?.version) throw new Error('torn');
      return payment?.version;
    });
    assert.deepEqual([sum, runs], [2, 2]);
  });

  const staleEnds = {
    write: (tx) => tx.deliveries.insert(aDelivery()),
    throw: () => {
      throw new Error('decided on a row that has changed');
    },
  } as const satisfies Record<string, (tx: Tx) => void>;

  for (const [what, end] of Object.entries(staleEnds)) {
    test(`what a run decides on a row that was read before it is decided again: a ${what}`, async () => {
      const store = await fresh((tx) => tx.commands.insert(aCommand({ tries: 0 })));
      await store.run(async (tx) => tx.commands.update(aCommand({ tries: 1 })));
      const runs: (number | undefined)[] = [];
      await store.run(async (tx) => {
        const command = await tx.commands.known(aCommand({ tries: 0 }));
        runs.push(command?.tries);
        if (command?.tries === 0) end(tx);
      });
      assert.deepEqual(runs, [0, 1]);
      assert.equal(await store.run((tx) => tx.deliveries.get('whd_1')), null);
      const current = (await store.run((tx) => tx.commands.get('cmd_1'))) ?? assert.fail();
      // One that has not changed is taken as it is.
      await store.run(async (tx) => {
        assert.equal(await tx.commands.known(current), current);
        tx.deliveries.insert(aDelivery());
      });
    });
  }

  test('a run takes what is known of a payment, and reads it if another write has won', async () => {
    const payment = aPayment();
    const command = aCommand();
    const store = await fresh((tx) => {
      tx.payments.insert(payment);
      tx.funds.put(someFunds({ version: 0 }));
      tx.commands.insert(command);
    });
    const funds = await store.run((tx) => tx.funds.of(payment));
    const known = { was: { payment, funds }, commands: [] };
    const runs: unknown[] = [];
    const decide = () =>
      store.run(
        async (tx) => {
          const was = (await tx.payments.withFunds(tenant, payment.id)) ?? assert.fail();
          runs.push([was, await tx.commands.ofPayment(tenant, payment.id)]);
          tx.payments.update({ ...was.payment, failureReason: 'decided' });
        },
        { known },
      );
    await decide();
    await decide();
    const taken = [known.was, known.commands];
    const again = { payment: { ...payment, failureReason: 'decided', version: 2 }, funds };
    assert.deepEqual(runs, [taken, taken, [again, [command]]]);
    // Another payment is read, and so is one of another tenant.
    for (const [by, id] of [
      [tenant, 'pi_2'],
      [{ ...tenant, orgId: 'org_b' }, payment.id],
    ] as const) {
      const read = await store.run((tx) => tx.payments.withFunds(by, id), { known });
      const found = await store.run((tx) => tx.commands.ofPayment(by, id), { known });
      assert.deepEqual([read, found], [null, []]);
    }
  });

  test('a message that had no row is inserted once; the second run reads it', async () => {
    const store = await fresh();
    const found: (number | undefined)[] = [];
    const receive = () =>
      store.run(async (tx) => {
        const known = await tx.inbox.known(aMessage({ version: 0 }));
        found.push(known?.version);
        if (known === null) tx.inbox.insert(aMessage());
      });
    await receive();
    await receive();
    assert.deepEqual(found, [undefined, undefined, 1]);
  });

  test('a row is not read after a write to it was staged; other rows are', async () => {
    const store = await fresh((tx) => {
      tx.payments.insert(aPayment({ id: 'pi_1' }));
      tx.deliveries.insert(aDelivery({ id: 'whd_2' }));
    });
    await store.run(async (tx) => {
      tx.deliveries.insert(aDelivery({ id: 'whd_1' }));
      assert.equal((await tx.deliveries.get('whd_2'))?.id, 'whd_2');
      await assert.rejects(tx.deliveries.get('whd_1'), AssertionFailure);
      await assert.rejects(tx.deliveries.pendingOf('whs_1', 5), AssertionFailure);
      tx.payments.update(aPayment({ id: 'pi_1' }));
      await assert.rejects(tx.payments.find('pi_1'), AssertionFailure);
      tx.feed.append(anEvent());
      await assert.rejects(tx.feed.after(tenant, 0, 1), AssertionFailure);
    });
  });

  test('a row is not written twice in one batch', async () => {
    const store = await fresh();
    const writeTwice = (first: 'insert' | 'update') =>
      store.run(async (tx) => {
        tx.payments[first](aPayment());
        tx.payments.update(aPayment());
      });
    await assert.rejects(writeTwice('insert'), AssertionFailure);
    await store.run(async (tx) => tx.payments.insert(aPayment()));
    await assert.rejects(writeTwice('update'), AssertionFailure);
  });

  test('a row may be expected and changed in one batch, in either order', async () => {
    const store = await fresh((tx) => tx.buyers.insertSubmission(aSubmission()));
    await store.run(async (tx) => {
      tx.buyers.expectSubmission(aSubmission());
      tx.buyers.updateSubmission(aSubmission());
    });
    await store.run(async (tx) => {
      tx.buyers.updateSubmission(aSubmission({ version: 2 }));
      tx.buyers.expectSubmission(aSubmission({ version: 2 }));
    });
  });

  test('of two works that each rely on what the other changes, one is decided again', async () => {
    const store = await fresh((tx) => {
      tx.organizations.insert(anOrganization(), [aProfile()]);
      tx.buyers.insertSubmission(aSubmission());
    });
    let runs = 0;
    const works = ['profile', 'submission'].map((changed) =>
      store.run(async (tx) => {
        runs += 1;
        const profile = (await tx.organizations.profile(tenant)) ?? aProfile();
        const submission = (await tx.buyers.submissionById(tenant, 'kyc_1')) ?? aSubmission();
        if (changed === 'profile') tx.organizations.updateProfile(profile);
        else tx.organizations.expectProfile(profile);
        if (changed === 'submission') tx.buyers.updateSubmission(submission);
        else tx.buyers.expectSubmission(submission);
      }),
    );
    await Promise.all(works);
    assert.equal(runs, 3);
  });

  test('what is staged after the work has returned is refused', async () => {
    const store = await fresh();
    const late = await store.run(async (tx) => tx.buyers.insert.bind(tx.buyers));
    assert.throws(() => late(aBuyer()), AssertionFailure);
  });

  test('the time of last use only grows; it and the used scopes need no version', async () => {
    const store = await fresh();
    const read = () => store.run((tx) => tx.keys.get('key_1'));
    await store.run(async (tx) => tx.keys.insert(aKey({ lastUsedAtMs: T0 })));
    await store.run(async (tx) => tx.keys.touch('key_1', T0 + 5));
    await store.run(async (tx) => tx.keys.touch('key_1', T0 + 3));
    assert.deepEqual(await read(), aKey({ lastUsedAtMs: T0 + 5 }));
    await store.run(async (tx) => tx.keys.update(aKey({ revokedAtMs: T0, lastUsedAtMs: null })));
    const revoked = aKey({ revokedAtMs: T0, lastUsedAtMs: T0 + 5, version: 2 });
    assert.deepEqual(await read(), revoked);
    await store.run(async (tx) => tx.keys.noteScopes('key_1', ['webhooks:read']));
    assert.deepEqual(await read(), { ...revoked, usedScopes: ['webhooks:read'] });
  });

  test('a closed store refuses in words', async () => {
    const store = await fresh();
    await store.close();
    await assert.rejects(
      store.run((tx) => tx.buyers.get('test', 'byr_1')),
      PonteError,
    );
    await assert.rejects(
      store.run(async (tx) => tx.buyers.insert(aBuyer())),
      PonteError,
    );
  });
}
