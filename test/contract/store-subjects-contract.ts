// What every store promises about reading by subject: the events that speak of one payment, on
// their way and in the feed, their deliveries and the attempts of these, of one tenant, by pages.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Store, TimePage } from '../../core/ports/storage.js';
import {
  aDelivery,
  aFeedEvent,
  anAttempt,
  anAttemptResult,
  otherMode,
  otherOrg,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

interface Row {
  readonly id: string;
  readonly atMs: number;
}

export function storeSubjectsContract(open: OpenStore): void {
  let store: Store;
  before(async () => {
    store = await open();
    await fill(store);
  });

  test('events of the feed come in the order of their sequence', async () => {
    const notes = await store.run((tx) => tx.feed.ofSubject(tenant, 'pi_1'));
    assert.deepEqual(valuesOf(notes, 'id'), ['evt_0', 'evt_6', 'evt_3']);
    const type = 'payment_intent.created';
    assert.deepEqual(notes[0], { id: 'evt_0', type, createdAtMs: T0, actor: null });
  });

  test('an event has the actor of the run that appended it', async () => {
    const tenant = { orgId: 'org_acting', mode: 'test' } as const;
    const event = { ...tenant, type: 'invoice.created', body: '{}', createdAtMs: T0 };
    const actors = [{ kind: 'link', id: 'a b / c' } as const, null];
    for (const [at, actor] of actors.entries()) {
      await store.run(async (tx) => {
        if (actor !== null) tx.actAs(actor);
        tx.feed.append({ ...event, id: `evt_${at}`, subjectId: 'pi_1' });
      });
    }
    const notes = await store.run((tx) => tx.feed.ofSubject(tenant, 'pi_1'));
    assert.deepEqual(valuesOf(notes, 'actor'), actors);
  });

  const lists = {
    deliveries: async (page: TimePage): Promise<readonly Row[]> => {
      const rows = await store.run((tx) => tx.deliveries.ofSubject(tenant, 'pi_1', page));
      return rows.map(({ id, createdAtMs: atMs }) => ({ id, atMs }));
    },
    attempts: async (page: TimePage): Promise<readonly Row[]> => {
      const rows = await store.run((tx) => tx.deliveries.attemptsOfSubject(tenant, 'pi_1', page));
      return rows.map(({ id, startedAtMs: atMs }) => ({ id, atMs }));
    },
  } as const;

  for (const [name, list] of Object.entries(lists)) {
    test(`${name} come oldest first, of this subject and tenant only`, async () => {
      const whole = await list({ fromMs: 0, afterId: '', limit: 100 });
      assert.equal(whole.length, name === 'deliveries' ? 6 : 12);
      const sorted = whole.toSorted((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
      assert.deepEqual(whole, sorted);
    });

    test(`pages of ${name} follow each other without gap`, async () => {
      const whole = await list({ fromMs: 0, afterId: '', limit: 100 });
      const paged: Row[] = [];
      for (;;) {
        const last = paged.at(-1);
        const place = { fromMs: last?.atMs ?? 0, afterId: last?.id ?? '' };
        const page = await list({ ...place, limit: 2 });
        if (page.length === 0) break;
        paged.push(...page);
      }
      assert.deepEqual(paged, whole);
    });

    test(`${name} of a moment are left out by beginning later`, async () => {
      const later = await list({ fromMs: T0 + 1, afterId: '', limit: 100 });
      assert.ok(later.length > 0);
      assert.ok(later.every(({ atMs }) => atMs >= T0 + 1));
    });
  }
}

/** Three events of one payment, two deliveries each, two attempts each, and what is not theirs. */
async function fill(store: Store): Promise<void> {
  const events = [
    { ...tenant, id: 'evt_0', sequence: 1, subjectId: 'pi_1' },
    { ...tenant, id: 'evt_6', sequence: 2, subjectId: 'pi_1' },
    { ...tenant, id: 'evt_3', sequence: 3, subjectId: 'pi_1' },
    { ...tenant, id: 'evt_4', sequence: 4, subjectId: 'pi_2' },
    { ...otherMode, id: 'evt_5', sequence: 1, subjectId: 'pi_1' },
    { ...otherOrg, id: 'evt_7', sequence: 1, subjectId: 'pi_1' },
  ];
  await store.run(async (tx) => {
    for (const [index, event] of events.entries()) {
      tx.feed.append(aFeedEvent(event));
      for (const to of [1, 2]) {
        const { orgId, mode, id: eventId } = event;
        // Two moments only, so that ids must break the ties.
        const createdAtMs = T0 + (index % 2);
        const id = `whd_${9 - index}${to}`;
        const subscriptionId = `whs_${to}`;
        const tried = { ...anAttemptResult, startedAtMs: createdAtMs + 1 };
        // Deliveries to the first one are stored with their first attempt.
        const firstAttempt = to === 1 ? tried : null;
        const names = { orgId, mode, id, eventId, subscriptionId };
        tx.deliveries.insert(aDelivery({ ...names, createdAtMs, firstAttempt }));
        for (const attempt of to === 1 ? [2] : [1, 2]) {
          const startedAtMs = createdAtMs + attempt;
          const attemptId = `att_${9 - index}${to}${3 - attempt}`;
          tx.deliveries.logAttempt(
            anAttempt({ id: attemptId, deliveryId: id, attempt, startedAtMs }),
          );
        }
      }
    }
  });
}
