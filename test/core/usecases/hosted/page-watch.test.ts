// Open pages and the changes of their payments, over the store in memory.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { signIn } from '../../../../core/usecases/hosted/buyer-steps.js';
import {
  PAGE_POLL_MS,
  type PageWatch,
  pageWatch,
  readVersion,
  STREAMS_PER_SESSION_MAX,
} from '../../../../core/usecases/hosted/page-watch.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { turn, until } from '../../../support/wait.js';

/** The version of a new payment whose buyer has no KYC. */
const FIRST = '1.0';

interface Stage extends World {
  readonly tenant: Tenant;
  readonly watch: PageWatch;
  /** Works on the store so far. */
  readonly runs: () => number;
  /** Runs what the timer repeats; null while nothing is watched. */
  tick: (() => void) | null;
  /** Watches a payment and counts its changes. */
  open(
    paymentId: string | null,
    page?: { readonly sessionId?: string; readonly shown?: string },
  ): { changes: number; close: () => void };
}

async function opened(t: TestContext): Promise<Stage> {
  const made = await world(t);
  let runs = 0;
  const { store } = made.deps;
  const counted = {
    ...made.deps,
    store: {
      ...store,
      run: (...work: Parameters<typeof store.run>) => {
        runs += 1;
        return store.run(...work);
      },
    } as typeof store,
  };
  const tenant = await made.newTenant();
  const stage: Stage = {
    ...made,
    tenant,
    runs: () => runs,
    tick: null,
    watch: pageWatch(counted, (periodMs, work) => {
      assert.equal(periodMs, PAGE_POLL_MS);
      stage.tick = work;
      return () => {
        stage.tick = null;
      };
    }),
    open(id, { sessionId = 'session 1', shown = FIRST } = {}) {
      const over = new AbortController();
      const seen = { changes: 0, close: () => over.abort() };
      const onChange = () => {
        seen.changes += 1;
      };
      const payment = { ...tenant, id };
      assert.ok(stage.watch.watch(payment, { sessionId, shown, onChange }, over.signal));
      return seen;
    },
  };
  return stage;
}

test('a change is reported to every page of the payment, and to no other', async (t) => {
  const stage = await opened(t);
  const [first, second] = [
    await stage.newPayment(stage.tenant),
    await stage.newPayment(stage.tenant),
  ];
  const pages = [
    stage.open(first),
    stage.open(first, { sessionId: 'session 2' }),
    stage.open(second),
  ];
  await until(() => stage.runs() > 0);
  await turn();
  await signIn(stage.deps, stage.tenant, first);
  stage.watch.look([stage.tenant]);
  await until(() => pages[0]?.changes === 1 && pages[1]?.changes === 1);
  assert.equal(pages[2]?.changes, 0);
});

test('without a change nothing is reported, however often it is compared', async (t) => {
  const stage = await opened(t);
  const page = stage.open(await stage.newPayment(stage.tenant));
  const before = stage.runs();
  stage.tick?.();
  await until(() => stage.runs() > before);
  await turn();
  assert.equal(page.changes, 0);
});

test('a comparison is one read, for any number of pages', async (t) => {
  const stage = await opened(t);
  const ids = await Promise.all(Array.from({ length: 30 }, () => stage.newPayment(stage.tenant)));
  for (const [index, id] of ids.entries()) stage.open(id, { sessionId: `session ${index}` });
  await until(() => stage.runs() > 0);
  await turn();
  const before = stage.runs();
  stage.tick?.();
  await until(() => stage.runs() > before);
  await turn();
  assert.equal(stage.runs(), before + 1);
});

test('changes of other tenants read nothing', async (t) => {
  const stage = await opened(t);
  stage.open(await stage.newPayment(stage.tenant));
  await until(() => stage.runs() > 0);
  await turn();
  const before = stage.runs();
  stage.watch.look([{ orgId: 'org_other', mode: 'test' }]);
  await turn();
  assert.equal(stage.runs(), before);
});

test('a session has a limited number of streams; a closed one frees its slot', async (t) => {
  const stage = await opened(t);
  const id = await stage.newPayment(stage.tenant);
  const pages = Array.from({ length: STREAMS_PER_SESSION_MAX }, () => stage.open(id));
  const page = { sessionId: 'session 1', shown: FIRST, onChange: () => undefined };
  const more = () => stage.watch.watch({ ...stage.tenant, id }, page, new AbortController().signal);
  assert.equal(more(), false);
  pages[0]?.close();
  assert.equal(more(), true);
});

test('without open pages nothing is read and no timer runs', async (t) => {
  const stage = await opened(t);
  const page = stage.open(await stage.newPayment(stage.tenant));
  assert.notEqual(stage.tick, null);
  await until(() => stage.runs() > 0);
  page.close();
  assert.equal(stage.tick, null);
  assert.equal(stage.watch.open(), 0);
  const before = stage.runs();
  stage.watch.look();
  await turn();
  assert.equal(stage.runs(), before);
});

test('a page that was rendered before the last change is reported immediately', async (t) => {
  const stage = await opened(t);
  const page = stage.open(await stage.newPayment(stage.tenant), { shown: '0.0' });
  await until(() => page.changes === 1);
});

test('a page of the feed is reported any payment of its tenant, and of no other mode', async (t) => {
  const stage = await opened(t);
  const { deps, tenant, watch } = stage;
  const id = await stage.newPayment(tenant);
  const list = stage.open(null, { shown: await readVersion(deps, { ...tenant, id: null }) });
  const before = stage.runs();
  await stage.newPayment(await stage.newTenant());
  watch.look();
  await until(() => stage.runs() > before);
  await turn();
  assert.equal(list.changes, 0);
  await signIn(deps, tenant, id);
  await stage.newPayment(tenant);
  watch.look([tenant]);
  await until(() => list.changes === 1);
  list.close();
  assert.equal(stage.tick, null);
});
