// The streams by which open pages of the dashboard learn of changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STREAMS_PER_SESSION_MAX } from '../../../../core/usecases/hosted/page-watch.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite, type Visitor } from '../visitor.js';
import { rootOf, signedInAs } from './dashboard-site.js';

const site = await pageSite(suiteEnd());
const root = rootOf(site);
const paymentId = (await site.newPayment()).id;

async function streamOf(visitor: Visitor, page: string): Promise<string | null> {
  const { text } = await visitor.open(page);
  return /data-live="([^"]*)"/.exec(text)?.[1] ?? null;
}

/** The messages of a stream; null at its end. One read may bring several. */
async function listen(visitor: Visitor, stream: string) {
  const { status, body } = await visitor.request('GET', stream);
  assert.ok(body !== null);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async () => {
    while (!text.includes('\n\n')) {
      const { value, done } = await reader.read();
      if (done) return null;
      text += value;
    }
    const [first = ''] = text.split('\n\n', 1);
    text = text.slice(first.length + 2);
    return first;
  };
  return { status, next, leave: () => reader.cancel() };
}

test('home, the first page of a list, and a payment have a stream; other pages have none', async () => {
  const viewer = await signedInAs(site, 'viewer');
  for (const page of ['', '/payments', '/invoices', '/payments?status=paid']) {
    assert.match((await streamOf(viewer, `${root}${page}`)) ?? '', /\/test\/changes\?version=\d+$/);
  }
  const own = `${root}/payments/${paymentId}`;
  assert.match((await streamOf(viewer, own)) ?? '', /\/payments\/pi_\w+\/changes\?version=/);
  for (const page of ['/team', `/payments?before=${paymentId}`, '/settings']) {
    assert.equal(await streamOf(viewer, `${root}${page}`), null);
  }
  const finance = await signedInAs(site, 'finance');
  await finance.open(`${own}/cancel`);
  const refused = await finance.send('/cancel', { reason: ' ' });
  assert.equal(refused.status, 422);
  assert.doesNotMatch(refused.text, /data-live="/);
});

test('a stream reports a change, and ends when its member signs out', async () => {
  const admin = await signedInAs(site, 'admin');
  const stream = (await streamOf(admin, root)) ?? '';
  const { next } = await listen(admin, stream);
  assert.equal(await next(), ': open');
  await site.newPayment();
  site.watch.look([site.tenant]);
  assert.equal(await next(), 'data: changed');
  await admin.open(root);
  await admin.send('/dashboard/sign-out');
  await site.newPayment();
  site.watch.look([site.tenant]);
  assert.equal(await next(), null);
  assert.equal(site.watch.open(), 0);
});

test('a member has four streams, in all of their sessions', async () => {
  const owner = await signedInAs(site, 'owner');
  const stream = (await streamOf(owner, root)) ?? '';
  const streams = [];
  for (let count = 0; count < STREAMS_PER_SESSION_MAX; count += 1) {
    streams.push(await listen(owner, stream));
  }
  assert.equal((await owner.request('GET', stream)).status, 204);
  await Promise.all(streams.map(({ leave }) => leave()));
});

test('a stream that shows an earlier version is reported immediately; without one it ends', async () => {
  const orgId = await site.world.organization();
  const member = await signedInAs(site, 'admin', orgId);
  const { next, leave } = await listen(member, `${root}/changes?version=0`);
  assert.deepEqual([await next(), await next()], [': open', 'data: changed']);
  await leave();
  const foreign = `/dashboard/${orgId}/test/payments/${paymentId}/changes?version=1`;
  assert.equal((await member.request('GET', foreign)).status, 404);
  assert.equal((await member.request('GET', `/dashboard/${orgId}/test/changes`)).status, 204);
});
