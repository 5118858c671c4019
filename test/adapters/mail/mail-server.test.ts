// Mails of the core over a real mail server: each is durable, and none is sent twice for one cause.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import tls from 'node:tls';
import { createSmtpMailer } from '../../../adapters/mail/smtp.js';
import { MINUTE_MS, SECOND_MS } from '../../../core/domain/base/instant.js';
import { MAIL_LEASE_MS } from '../../../core/domain/mail/mail.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { Deps } from '../../../core/ports/deps.js';
import { runMails } from '../../../core/usecases/mail/mails.js';
import { cancelPayment } from '../../../core/usecases/payments/payments.js';
import { askForLink, makeIntent, openLink } from '../../support/scenes/made-payments.js';
import { type World, world } from '../../support/scenes/test-world.js';
import { localhostTls } from '../../support/servers/localhost-tls.js';
import { type MailServer, startMailServer } from '../../support/servers/mail-server.js';
import { suiteEnd } from '../../support/suite-end.js';

const trusted = tls.getCACertificates('default');
const suite = suiteEnd();

before(() => {
  suite.after(() => tls.setDefaultCACertificates(trusted));
  tls.setDefaultCACertificates([...trusted, localhostTls.cert]);
});

interface Scene {
  readonly made: World;
  readonly server: MailServer;
  readonly payment: Payment;
  /** Runs the worker once; how many mails it claimed. */
  run(): Promise<number>;
  statuses(): Promise<readonly string[]>;
}

/** A buyer asked for a link; the mail waits. */
async function scene(t: TestContext, options?: Parameters<typeof startMailServer>[0]) {
  const made = await world(t);
  const server = await startMailServer(options);
  t.after(() => server.close());
  const tenant = await made.newTenant();
  const { payment } = await makeIntent(made.deps, tenant);
  await askForLink(made.deps, payment, { locale: 'es' });
  const from = { name: 'Ponte', address: 'pay@ponte.example' };
  const mailer = createSmtpMailer({ url: server.url, from, requireTls: true });
  const deps: Deps = { ...made.deps, mailer };
  const at: Scene = {
    made,
    server,
    payment,
    run: () => runMails(deps, deps.clock.nowMs(), 10),
    statuses: async () => {
      const all = { status: null, beforeId: null, limit: 10 };
      return (await deps.store.run((tx) => tx.mails.list(all))).map(({ status }) => status);
    },
  };
  return at;
}

test('a mail goes over STARTTLS, from the organization, in both forms, and signs in', async (t) => {
  const at = await scene(t);
  await at.run();
  const [mail, ...more] = at.server.accepted;
  assert.ok(mail !== undefined && more.length === 0);
  assert.equal(mail.wasEncrypted, true);
  assert.deepEqual(mail.from, { name: 'Acme Ltda via Ponte', address: 'pay@ponte.example' });
  assert.deepEqual(mail.to, [{ name: '', address: at.payment.buyer.email }]);
  assert.equal(mail.subject, '[Test] Su enlace para pagar a Acme Ltda');
  assert.match(mail.html ?? '', /^<!doctype html>\s*<html lang="es">/);
  assert.equal(mail.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
  const sent = { text: mail.text ?? '' } as Parameters<typeof openLink>[1];
  assert.equal((await openLink(at.made.deps, sent)).session?.paymentId, at.payment.id);
});

test('greylisting delays a mail: it is sent again and arrives once', async (t) => {
  const at = await scene(t);
  at.server.recipientAnswers.push(451);
  await at.run();
  assert.deepEqual([at.server.accepted.length, await at.statuses()], [0, ['pending']]);
  assert.equal(await at.run(), 0, 'not before its wait is over');
  at.made.advanceClock(5 * SECOND_MS);
  await at.run();
  at.made.advanceClock(10 * MINUTE_MS);
  assert.equal(await at.run(), 0);
  assert.deepEqual([at.server.accepted.length, await at.statuses()], [1, ['sent']]);
});

test('a refused address ends the mail', async (t) => {
  const at = await scene(t);
  at.server.recipientAnswers.push(550);
  await at.run();
  assert.deepEqual(await at.statuses(), ['refused']);
  at.made.advanceClock(10 * MINUTE_MS);
  assert.deepEqual([await at.run(), at.server.accepted.length], [0, 0]);
});

test('a connection that dies within the message: the mail is sent again', async (t) => {
  const at = await scene(t);
  at.server.messageFaults.push('dies');
  await at.run();
  assert.deepEqual([at.server.accepted.length, await at.statuses()], [0, ['pending']]);
  at.made.advanceClock(5 * SECOND_MS);
  await at.run();
  assert.deepEqual([at.server.accepted.length, await at.statuses()], [1, ['sent']]);
});

test('an acceptance that gets lost: the repeat is the same message under the same id', async (t) => {
  const at = await scene(t);
  at.server.messageFaults.push('dies after acceptance');
  await at.run();
  assert.deepEqual(await at.statuses(), ['pending']);
  at.made.advanceClock(5 * SECOND_MS);
  await at.run();
  const [first, second, ...more] = at.server.accepted;
  assert.ok(first !== undefined && second !== undefined && more.length === 0);
  assert.equal(second.messageId, first.messageId);
  assert.equal(second.raw, first.raw);
  assert.deepEqual(await at.statuses(), ['sent']);
});

test('a server that nobody vouches for gets no mail', async (t) => {
  const at = await scene(t);
  tls.setDefaultCACertificates(trusted);
  try {
    await at.run();
  } finally {
    tls.setDefaultCACertificates([...trusted, localhostTls.cert]);
  }
  assert.deepEqual([at.server.accepted.length, await at.statuses()], [0, ['pending']]);
});

test('a server without STARTTLS gets no mail', async (t) => {
  const at = await scene(t, { disabledCommands: ['STARTTLS'] });
  await at.run();
  assert.deepEqual([at.server.accepted.length, await at.statuses()], [0, ['pending']]);
});

test('a notice is sent once, after any failure of the server', async (t) => {
  const at = await scene(t);
  await at.run();
  const sent = { text: at.server.accepted[0]?.text ?? '' } as Parameters<typeof openLink>[1];
  await openLink(at.made.deps, sent);
  const { orgId, mode, id } = at.payment;
  await cancelPayment(at.made.deps, { orgId, mode }, id, 'withdrawn');
  await cancelPayment(at.made.deps, { orgId, mode }, id, 'withdrawn');
  at.server.recipientAnswers.push(451);
  at.server.messageFaults.push('dies');
  for (let rounds = 0; rounds < 6; rounds += 1) {
    await at.run();
    at.made.advanceClock(MAIL_LEASE_MS);
  }
  const subjects = at.server.accepted.slice(1).map(({ subject }) => subject);
  assert.deepEqual(subjects, ['[Test] Acme Ltda cancelled the request for payment']);
});
