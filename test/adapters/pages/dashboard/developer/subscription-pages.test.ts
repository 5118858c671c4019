// What a member sees and does of webhook subscriptions, their deliveries and the events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../../core/domain/base/instant.js';
import { schedules } from '../../../../../core/domain/base/schedules.js';
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
} from '../../../../../core/usecases/webhooks/subscriptions.js';
import { addActiveMember } from '../../../../support/scenes/active-member.js';
import { isSignedBy } from '../../../../support/scenes/webhook-scene.js';
import { type PageSite, pageSite, textOf, type Visitor } from '../../visitor.js';
import { rootOf, secretIn, signedInAs, siteWithOwner } from '../dashboard-site.js';

const url = 'https://hooks.example/ponte';

async function subscribed({ world, tenant }: PageSite, eventTypes = ['payment_intent.*']) {
  return (await createSubscription(world.deps, tenant, { url, eventTypes })).subscription;
}

/** Until the deliveries that wait are given up. It takes longer than a session: returns another. */
async function giveUp(site: PageSite): Promise<Visitor> {
  const { world } = site;
  world.answer = () => ({ responseStatus: 502, responseBody: '<h1>Bad Gateway</h1>' });
  for (const waitMs of [0, ...schedules.webhookAttempt.waitsMs]) {
    world.advanceClock(waitMs);
    await world.settle();
  }
  return signedInAs(site, 'owner');
}

/** The deliveries that a page lists, newest first. */
function listedIn(text: string): readonly string[] {
  return [...text.matchAll(/deliveries\/(whd_\w+)"/g)].map(([, id = '']) => id);
}

test('a member adds a subscription with the ticked events, and its secret signs them', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  assert.match((await owner.open(`${root}/webhooks`)).text, /No subscription yet/);
  await owner.open(`${root}/webhooks/new`);
  const made = await owner.send('/new', {
    url,
    'invoice.settled': 'yes',
    'payment_intent.*': 'yes',
  });
  assert.equal(made.heading, 'Subscription created');
  const [stored] = await listSubscriptions(site.world.deps, site.tenant);
  assert.deepEqual(stored?.eventTypes, ['payment_intent.*', 'invoice.settled']);
  await site.world.newPayment(site.tenant);
  await site.world.settle();
  const [sent] = site.world.sent;
  assert.ok(isSignedBy(site.world, secretIn(made), sent));
  assert.match((await owner.open(`${root}/webhooks`)).words, /All delivered 1 of 1 none/);
});

test('URL and events are edited, and a deleted subscription stays readable', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const { id } = await subscribed(site, ['invoice.*', 'webhook.test']);
  const { text } = await owner.open(`${root}/webhooks/${id}/edit`);
  for (const type of ['invoice.*', 'webhook.test']) {
    assert.ok(text.includes(`name="${type}" value="yes" checked`), type);
  }
  const saved = await owner.send('/edit', { url: `${url}/2`, 'payment_intent.*': 'yes' });
  assert.equal(saved.path, `${root}/webhooks/${id}?done=subscription_saved`);
  assert.match(saved.words, /hooks\.example\/ponte\/2 .* Events payment_intent\.\* /);
  await owner.open(`${root}/webhooks/${id}/delete`);
  const deleted = await owner.send('/delete');
  assert.match(deleted.text, /It is deleted\. Nothing is sent/);
  assert.doesNotMatch(deleted.text, /Send a test|\/edit/);
  assert.equal((await owner.open(`${root}/webhooks/${id}/edit`)).status, 404);
  assert.match((await owner.open(`${root}/webhooks`)).text, /Deleted subscriptions/);
});

test('a test event shows its delivery, with body, headers and attempts', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const { id } = await subscribed(site);
  await owner.open(`${root}/webhooks/${id}`);
  const waiting = await owner.send('/test');
  assert.match(waiting.path, /\/deliveries\/whd_\w+\?done=test_sent$/);
  assert.match(waiting.text, /The first attempt has not ended yet/);
  assert.match(waiting.text, />Sending<.*data-countdown="3"/s);
  await site.world.settle();
  const page = waiting.path.replace(/\?.*/, '');
  const { text } = await owner.open(page);
  assert.doesNotMatch(text, /data-countdown/);
  const words = textOf(text);
  assert.match(words, /Delivered .* Attempts .* 200 /);
  assert.match(words, /"event": "webhook\.test"/);
  assert.match(words, /X-Service-Event-Type: webhook\.test/);
  assert.match(words, /X-Service-Signature: t=\d+,v1=… webhook-id: whd_\w+ webhook-timestamp: \d+/);
});

test('what gave up is filtered, replayed one by one or all, and home leads to it', async (t) => {
  const site = await pageSite(t);
  const root = rootOf(site);
  const { id } = await subscribed(site);
  const payment = await site.world.newPayment(site.tenant);
  const owner = await giveUp(site);
  await site.world.newPayment(site.tenant);
  await site.world.settle();
  const home = await owner.open(root);
  assert.ok(home.text.includes(`href="${root}/webhooks/${id}?status=dead_letter"`));
  const one = await owner.open(`${root}/webhooks/${id}`);
  assert.match(one.words, /Failing: 0 of 1 delivered in 24 h, 1 gave up, 1 retrying\./);
  assert.match(one.text, /Replay all that gave up \(1\)/);
  assert.equal(listedIn(one.text).length, 2);
  const [dead = ''] = listedIn(
    (await owner.open(`${root}/webhooks/${id}?status=dead_letter`)).text,
  );
  assert.equal(
    listedIn((await owner.open(`${root}/webhooks/${id}?status=pending`)).text).length,
    1,
  );
  const shown = await owner.open(`${root}/webhooks/${id}/deliveries/${dead}`);
  assert.equal([...shown.text.matchAll(/<td>(<[^>]+>)*502 Bad Gateway</g)].length, 7);
  assert.match(shown.text, /&lt;h1&gt;Bad Gateway|&lt;h1>Bad Gateway/);
  assert.ok(shown.text.includes(`href="${root}/payments/${payment}"`));
  site.world.answer = () => ({});
  await owner.send('/replay');
  await site.world.settle();
  assert.match((await owner.open(`${root}/webhooks/${id}/deliveries/${dead}`)).words, /Delivered/);
  const later = await giveUp(site);
  site.world.answer = () => ({});
  await later.open(`${root}/webhooks/${id}`);
  const replayed = await later.send('/replay-dead-letters');
  assert.equal(replayed.path, `${root}/webhooks/${id}?done=dead_replayed`);
  await site.world.settle();
  const well = await later.open(`${root}/webhooks/${id}`);
  assert.match(well.words, /Delivered, last 24 h/);
  assert.doesNotMatch(well.text, /all that gave up/);
  const shownHome = await later.open(root);
  assert.equal(shownHome.heading, 'Home');
  assert.doesNotMatch(shownHome.text, /gave up/);
});

test('a member sends an endpoint what happened before it was added, once', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  await site.world.newPayment(site.tenant);
  site.world.advanceClock(1_000);
  const own = `${root}/webhooks/${(await subscribed(site)).id}`;
  await site.world.settle();
  const sent = site.world.sent.length;
  const send = async () => {
    assert.match((await owner.open(own)).text, /Send earlier events/);
    await owner.open(`${own}/backfill`);
    return (await owner.send('/backfill')).path;
  };
  assert.equal(await send(), `${own}?done=backfilled`);
  await site.world.settle();
  assert.ok(site.world.sent.length > sent);
  assert.equal(await send(), `${own}?done=nothing_earlier`);
});

test('dead letters of a deleted subscription are no need of home: nothing can replay them', async (t) => {
  const site = await pageSite(t);
  const { id } = await subscribed(site);
  await site.world.newPayment(site.tenant);
  const owner = await giveUp(site);
  assert.match((await owner.open(rootOf(site))).text, /1 webhook gave up/);
  await deleteSubscription(site.world.deps, site.tenant, id);
  const home = await owner.open(rootOf(site));
  assert.equal(home.heading, 'Home');
  assert.doesNotMatch(home.text, /gave up/);
});

test('pages of deliveries neither repeat nor leave out one, and keep their filter', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const { id } = await subscribed(site);
  site.world.answer = () => ({ responseStatus: 500 });
  for (let count = 0; count < 60; count += 1) await site.world.newPayment(site.tenant);
  await site.world.settle();
  const seen: string[] = [];
  let next: string | undefined = `${root}/webhooks/${id}?status=pending`;
  while (next !== undefined) {
    const { text } = await owner.open(next);
    seen.push(...listedIn(text));
    next = /href="(\/[^"]*before=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    if (next !== undefined) assert.match(next, /status=pending/);
  }
  assert.equal(seen.length, 60);
  assert.equal(new Set(seen).size, 60);
});

test('events are filtered by type and subject, and one shows its webhooks', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  await subscribed(site, ['payment_intent.*']);
  const [first, second] = [
    await site.world.newPayment(site.tenant),
    await site.world.newPayment(site.tenant),
  ];
  await site.world.settle();
  const listed = async (query: string) => {
    const { text } = await owner.open(`${root}/events?${query}`);
    const links = text.matchAll(/events\/evt_\w+">(.*?)<\/a>/g);
    return [...links].map(([, type = '']) => textOf(type));
  };
  const all = await listed('');
  assert.ok(all.length >= 4);
  assert.deepEqual(await listed(`type=invoice.created`), ['invoice.created', 'invoice.created']);
  assert.equal((await listed(`subject=${first}`)).length, all.length / 2);
  assert.deepEqual(await listed(`type=invoice.created&subject=${second}`), ['invoice.created']);
  assert.deepEqual(await listed('subject=nothing'), []);
  assert.deepEqual(await listed('type=nonsense&before=x'), all);
  const { text } = await owner.open(`${root}/payments/${first}`);
  assert.ok(text.includes(`href="${root}/events?subject=${first}"`));
  assert.match(text, /href="[^"]*\/webhooks\/whs_\w+\/deliveries\/whd_\w+"/);
  const list = await owner.open(`${root}/events?type=payment_intent.created&subject=${first}`);
  const [event = ''] = /events\/evt_\w+/.exec(list.text) ?? [];
  const words = (await owner.open(`${root}/${event}`)).words;
  assert.match(words, new RegExp(`"paymentIntentId": "${first}"`));
  assert.match(words, /Webhooks of this event .*hooks\.example\/ponte Delivered 200/);
});

async function enterCode(site: PageSite, visitor: Visitor) {
  await visitor.send('/link');
  const code = await site.newestCode();
  return visitor.send('/code', { code });
}

test('a rotation asks for the mailbox first, comes back, and happens once', async (t) => {
  const site = await pageSite(t);
  const root = rootOf(site);
  const { id } = await subscribed(site);
  const { orgId } = site.tenant;
  await addActiveMember(site.world.deps, { orgId, email: 'ana@acme.example', role: 'admin' });
  const ana = site.visitor();
  await ana.open('/dashboard');
  await ana.send('/link', { address: 'ana@acme.example' });
  await ana.send('/code', { code: await site.newestCode() });
  site.world.advanceClock(11 * MINUTE_MS);
  await ana.open(`${root}/webhooks/${id}/rotate`);
  assert.equal(ana.shown?.heading, 'Confirm that it is you');
  const back = await enterCode(site, ana);
  assert.deepEqual(
    [back.path, back.heading],
    [`${root}/webhooks/${id}/rotate`, 'Rotate the secret?'],
  );
  // The page stays open until its proof is too old.
  const open = back.text;
  site.world.advanceClock(11 * MINUTE_MS);
  const late = await ana.send('/rotate');
  assert.match(late.text, /Nothing was changed yet\. Confirm that it is you/);
  assert.equal((await enterCode(site, ana)).path, `${root}/webhooks/${id}/rotate`);
  const rotated = await ana.send('/rotate');
  assert.equal(rotated.heading, 'The secret is replaced');
  const secret = secretIn(rotated);
  // A reload of the answer sends the same form again.
  const hidden = /name="version" value="(\d+)"/.exec(open)?.[1] ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec(rotated.text)?.[1] ?? '';
  const again = await ana.post(`${root}/webhooks/${id}/rotate`, { csrf, version: hidden });
  assert.match(again.text, /Something changed in the meantime/);
  await site.world.newPayment(site.tenant);
  await site.world.settle();
  const [sent] = site.world.sent;
  assert.ok(isSignedBy(site.world, secret, sent));
});

test('a member pauses and resumes a subscription, and sends a waiting delivery now', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const { world } = site;
  const { id } = await subscribed(site);
  world.answer = () => ({ responseStatus: 502 });
  await world.newPayment(site.tenant);
  await world.settle();
  await owner.open(`${root}/webhooks/${id}`);
  assert.match((await owner.send('/pause', { paused: 'true' })).text, /It is paused/);
  assert.match((await owner.open(`${root}/webhooks`)).words, /Paused/);
  const [delivery = ''] = listedIn((await owner.open(`${root}/webhooks/${id}`)).text);
  const page = `${root}/webhooks/${id}/deliveries/${delivery}`;
  assert.doesNotMatch((await owner.open(page)).text, /Send now/);
  await owner.open(`${root}/webhooks/${id}`);
  assert.match((await owner.send('/pause', { paused: 'false' })).text, /is resumed/);
  await world.settle();
  world.answer = () => ({});
  assert.match((await owner.open(page)).text, /Send now/);
  await owner.send('/replay', {});
  await world.settle();
  assert.match((await owner.open(page)).text, /Replay/);
  assert.equal(world.sent.length, 3);
});

test('an endpoint that takes nothing is failing; a delivery names its payment', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const { id } = await subscribed(site);
  const payment = await site.world.newPayment(site.tenant);
  const body = '{"error":"invalid_signature"}';
  site.world.answer = () => ({ responseStatus: 401, responseBody: body });
  await site.world.settle();
  const list = (await owner.open(`${root}/webhooks`)).words;
  assert.match(list, /Failing 0 of 1 401 invalid_signature/);
  const one = await owner.open(`${root}/webhooks/${id}`);
  assert.match(
    one.words,
    /Failing: 0 of 1 delivered in 24 h, 1 retrying\. .* Last error: 401 invalid_signature/,
  );
  assert.match(one.text, new RegExp(`href="${root}/payments/${payment}"`));
  assert.match(one.words, /Event Payment State Attempt Next attempt Created/);
  assert.match(one.words, /Retrying 401 1 of 7 1 Jan, \d\d:\d\d 1 Jan, 00:00:00/);
  const [delivery = ''] = listedIn(one.text);
  const shown = await owner.open(`${root}/webhooks/${id}/deliveries/${delivery}`);
  assert.match(shown.words, /401 invalid_signature \d+ ms/);
  assert.doesNotMatch(shown.text, /0\.0 s/);
});
