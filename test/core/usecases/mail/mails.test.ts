import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { MAIL_LEASE_MS, type Mail, type MailOutcome } from '../../../../core/domain/mail/mail.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { OutgoingMail } from '../../../../core/ports/outside.js';
import { runMailDeletion, runMails } from '../../../../core/usecases/mail/mails.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import {
  askForLink,
  makeInvoice,
  openLink,
  tokenIn,
} from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { rowsOf } from '../../../support/values-of.js';

let made: World;
let tenant: Tenant;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  tenant = await made.newTenant();
});

/** An invited invoice, whose mail nobody has sent yet. */
async function invitedInvoice() {
  const { payment } = await makeInvoice(made.deps, tenant);
  await inviteBuyer(made.deps, tenant, payment.id);
  return payment;
}

async function onlyMail(): Promise<Mail> {
  const filter = { status: null, beforeId: null, limit: 10 };
  const [mail, ...more] = await made.deps.store.run((tx) => tx.mails.list(filter));
  assert.ok(mail !== undefined && more.length === 0);
  return mail;
}

/** The same world with a mail server that answers so; what it was sent is in `sent`. */
function served(answer: (mail: OutgoingMail) => Promise<MailOutcome> | MailOutcome): {
  readonly deps: Deps;
  readonly sent: readonly OutgoingMail[];
} {
  const sent: OutgoingMail[] = [];
  const mailer = {
    send: async (mail: OutgoingMail) => {
      sent.push(mail);
      return answer(mail);
    },
  };
  return { deps: { ...made.deps, mailer }, sent };
}

const run = (deps: Deps) => runMails(deps, deps.clock.nowMs(), 100);

test('a mail is sent once, and keeps no token after that', async () => {
  const payment = await invitedInvoice();
  assert.deepEqual([await run(made.deps), await run(made.deps), made.mails.length], [1, 0, 1]);
  const mail = await onlyMail();
  assert.partialDeepStrictEqual(mail, { status: 'sent', tokenSealed: null });
  assert.partialDeepStrictEqual(mail, { tries: 1, subject: { paymentId: payment.id } });
  assert.equal(mail.sentAtMs, made.deps.clock.nowMs());
});

test('the token lies nowhere but sealed and as a hash', async () => {
  await invitedInvoice();
  const before = await onlyMail();
  await run(made.deps);
  const token = tokenIn(made.mails[0]);
  assert.ok(Buffer.from(token, 'base64url').length * 8 >= 128);
  assert.equal(JSON.stringify([before, await onlyMail()]).includes(token), false);
});

test('a mail that is not taken is tried again later, the same mail each time', async () => {
  await invitedInvoice();
  const answers: MailOutcome[] = [
    { outcome: 'later', reason: 'greylisted' },
    { outcome: 'later', reason: 'greylisted' },
    { outcome: 'sent' },
  ];
  const { deps, sent } = served(() => answers.shift() as MailOutcome);
  await run(deps);
  assert.equal(await run(deps), 0);
  made.advanceClock(5 * SECOND_MS);
  await run(deps);
  made.advanceClock(30 * SECOND_MS);
  await run(deps);
  assert.equal(sent.length, 3);
  for (const mail of sent) assert.deepEqual(mail, sent[0]);
  const { status, tries } = await onlyMail();
  assert.deepEqual([status, tries], ['sent', 3]);
  const warnings = made.log.filter(({ message }) => message === 'a mail was not taken');
  assert.equal(warnings.length, 2);
});

test('a mail that is refused for good ends', async () => {
  await invitedInvoice();
  const { deps, sent } = served(() => ({ outcome: 'refused', reason: 'no such user' }));
  await run(deps);
  made.advanceClock(DAY_MS);
  assert.deepEqual([await run(deps), sent.length], [0, 1]);
  const { status, lastError, tokenSealed } = await onlyMail();
  assert.deepEqual([status, lastError, tokenSealed], ['refused', 'no such user', null]);
});

test('a host that dies while sending sends again under the same Message-ID, after its lease', async () => {
  await invitedInvoice();
  const { deps, sent } = served(() => {
    throw new Error('the host died');
  });
  await run(deps);
  assert.equal(await run(deps), 0);
  made.advanceClock(MAIL_LEASE_MS - 1);
  assert.equal(await run(deps), 0);
  made.advanceClock(1);
  await run(made.deps);
  assert.deepEqual(made.mails, sent);
  assert.equal((await onlyMail()).status, 'sent');
});

test('a mail that says something else when it is sent again is another message', async () => {
  await invitedInvoice();
  const { deps, sent } = served(() => {
    throw new Error('the host died');
  });
  await run(deps);
  made.advanceClock(MAIL_LEASE_MS);
  await made.deps.store.run(async (tx) => {
    const organization = await tx.organizations.get(tenant.orgId);
    if (organization !== null) tx.organizations.update({ ...organization, name: 'Other' });
  });
  await run(made.deps);
  const ids = [...sent, ...made.mails].map(({ messageId }) => messageId);
  const { id } = await onlyMail();
  assert.equal(new Set(ids).size, 2);
  for (const messageId of ids) assert.ok(messageId.startsWith(`${id}.`));
});

test('a start ends the leases of the process before it', async () => {
  await invitedInvoice();
  const { deps } = served(() => {
    throw new Error('the host died');
  });
  await run(deps);
  await made.deps.store.claims.releaseAll(made.deps.clock.nowMs());
  assert.deepEqual([await run(made.deps), made.mails.length], [1, 1]);
});

test('a worker that lost its lease changes nothing any more', async () => {
  await invitedInvoice();
  const { deps } = served(async () => {
    made.advanceClock(MAIL_LEASE_MS);
    await run(made.deps);
    return { outcome: 'refused', reason: 'too late' };
  });
  await run(deps);
  assert.equal((await onlyMail()).status, 'sent');
});

test('an invitation to a payment that has ended is not sent', async () => {
  const { id } = await invitedInvoice();
  await cancelPayment(made.deps, tenant, id, 'a mistake');
  await run(made.deps);
  assert.deepEqual(made.mails, []);
  const { status, lastError, tokenSealed } = await onlyMail();
  assert.deepEqual([status, lastError, tokenSealed], ['dropped', 'the payment is cancelled', null]);
});

test('who asks to sign in gets the mail although the payment has ended', async () => {
  const { id, publicId } = await invitedInvoice();
  await run(made.deps);
  await cancelPayment(made.deps, tenant, id, 'a mistake');
  await askForLink(made.deps, { publicId });
  await run(made.deps);
  assert.equal(made.mails.length, 2);
  const { view } = await openLink(made.deps, made.mails[1]);
  assert.equal(view?.payment.status, 'cancelled');
});

test('a mail whose link has ended is not sent: the server was away for too long', async () => {
  const { publicId } = await invitedInvoice();
  await run(made.deps);
  await askForLink(made.deps, { publicId });
  const { deps, sent } = served(() => ({ outcome: 'later', reason: 'away' }));
  for (let minutes = 0; minutes < 60; minutes += 1) {
    await run(deps);
    made.advanceClock(MINUTE_MS);
  }
  assert.ok(sent.length >= 3);
  const dropped = await made.deps.store.run((tx) =>
    tx.mails.list({ status: 'dropped', beforeId: null, limit: 9 }),
  );
  assert.deepEqual(rowsOf(dropped, 'purpose', 'lastError'), [['sign_in', 'its link has ended']]);
});

test('one mail that fails does not keep the others', async () => {
  for (let count = 0; count < 3; count += 1) await invitedInvoice();
  let calls = 0;
  const { deps } = served(() => {
    calls += 1;
    if (calls === 2) throw new Error('broken');
    return { outcome: 'sent' };
  });
  assert.equal(await run(deps), 3);
  const sent = await made.deps.store.run((tx) =>
    tx.mails.list({ status: 'sent', beforeId: null, limit: 9 }),
  );
  assert.equal(sent.length, 2);
});

test('after thirty days a mail and its address are erased, and counting restarts', async () => {
  const payment = await invitedInvoice();
  await run(made.deps);
  const forget = () => runMailDeletion(made.deps, made.deps.clock.nowMs(), 100);
  made.advanceClock(30 * DAY_MS - 1);
  await askForLink(made.deps, payment);
  assert.equal(await forget(), 0);
  made.advanceClock(1);
  assert.deepEqual([await forget(), (await onlyMail()).purpose], [1, 'sign_in']);
  await run(made.deps);
  made.advanceClock(30 * DAY_MS);
  assert.equal(await forget(), 1);
  await askForLink(made.deps, payment);
  assert.equal((await onlyMail()).nth, 1);
});
