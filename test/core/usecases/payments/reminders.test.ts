// Mails that remind buyers of the due date of an invoice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, formatInstant } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { runMails } from '../../../../core/usecases/mail/mails.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import { cancelPayment, createPayment } from '../../../../core/usecases/payments/payments.js';
import { runReminders } from '../../../../core/usecases/payments/reminders.js';
import { invoiceInput } from '../../../support/scenes/made-payments.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

let buyers = 0;
const made = await world(suiteEnd());

async function tenantThat(sendsReminders: boolean): Promise<Tenant> {
  const tenant = await made.newTenant();
  await made.deps.store.run(async (tx) => {
    const was = (await tx.organizations.get(tenant.orgId)) ?? assert.fail();
    assert.equal(was.sendsReminders, false, 'off by default');
    if (sendsReminders) tx.organizations.update({ ...was, sendsReminders });
  });
  return tenant;
}

/** The day that many days from now. */
function dayIn(days: number): string {
  return formatInstant(made.deps.clock.nowMs() + days * DAY_MS).slice(0, 'YYYY-MM-DD'.length);
}

/** An invoice that is due in ten days, and its buyer was invited. */
async function invited(tenant: Tenant): Promise<Payment> {
  buyers += 1;
  const email = `reminded-${buyers}@example.com`;
  const { payment } = await createPayment(made.deps, tenant, {
    ...invoiceInput,
    buyer: { email, name: null, country: null, phone: null },
    dueDate: dayIn(10),
    display: '{"locale":"pt-BR"}',
  });
  await inviteBuyer(made.deps, tenant, payment.id);
  await made.settle();
  return payment;
}

/** What its buyer was mailed after the invitation. */
function remindersOf({ buyer }: Payment): readonly string[] {
  const mails = made.mails.filter(({ to }) => to === buyer.email).slice(1);
  return mails.map(({ subject }) => subject);
}

async function wait(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    made.advanceClock(DAY_MS);
    await made.settle();
  }
}

async function waitForReminder({ remindAtMs }: Payment): Promise<void> {
  made.advanceClock((remindAtMs ?? 0) - made.deps.clock.nowMs());
}

test('a buyer is reminded before the due date and on it, if the organization wants it', async () => {
  const [wanted, other] = [await tenantThat(true), await tenantThat(false)];
  const [payment, unwanted] = [await invited(wanted), await invited(other)];
  await wait(6);
  assert.deepEqual(remindersOf(payment), []);
  await wait(2);
  assert.equal(remindersOf(payment).length, 1);
  assert.match(remindersOf(payment)[0] ?? '', /^\[Test\] \[INV\/7\] Vence em /);
  assert.equal(made.mails.at(-1)?.text.includes('token='), false);
  await wait(3);
  assert.equal(remindersOf(payment).length, 2);
  await wait(5);
  assert.equal(remindersOf(payment).length, 2);
  assert.deepEqual(remindersOf(unwanted), []);
});

test('an invoice that was cancelled or has money reminds nobody', async () => {
  const tenant = await tenantThat(true);
  const [gone, paid] = [await invited(tenant), await invited(tenant)];
  await cancelPayment(made.deps, tenant, gone.id, 'a mistake');
  await made.settle();
  await made.play(tenant, paid.id, 'settled');
  const before = made.mails.length;
  await wait(12);
  assert.deepEqual(made.mails.slice(before), []);
});

test('a reminder is dropped if the invoice ends, or reminders end, before it is sent', async () => {
  const tenant = await tenantThat(true);
  const [gone, unwanted] = [await invited(tenant), await invited(await tenantThat(true))];
  await waitForReminder(gone);
  assert.equal(await runReminders(made.deps, made.deps.clock.nowMs(), 9), 2);
  await cancelPayment(made.deps, tenant, gone.id, 'a mistake');
  await made.deps.store.run(async (tx) => {
    const was = await tx.organizations.get(unwanted.orgId);
    if (was !== null) tx.organizations.update({ ...was, sendsReminders: false });
  });
  await made.settle();
  assert.deepEqual([remindersOf(gone), remindersOf(unwanted)], [[], []]);
});

test('hosts that remind at once, and a crash before the mail, make one reminder', async () => {
  const payment = await invited(await tenantThat(true));
  await waitForReminder(payment);
  const nowMs = made.deps.clock.nowMs();
  await Promise.allSettled([runReminders(made.deps, nowMs, 9), runReminders(made.deps, nowMs, 9)]);
  const broken = {
    ...made.deps,
    mailer: { send: () => Promise.reject(new Error('the host died')) },
  };
  await runMails(broken, nowMs, 9);
  made.advanceClock(3_600_000);
  await made.settle();
  assert.equal(remindersOf(payment).length, 1);
});
