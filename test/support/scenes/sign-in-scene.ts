// A world with one tenant for each test, whose buyers ask for sign-in links, and the mails of that.
import { beforeEach, type TestContext } from 'node:test';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { OutgoingMail } from '../../../core/ports/outside.js';
import type { LinkRequest } from '../../../core/usecases/hosted/sign-ins.js';
import { inviteBuyer } from '../../../core/usecases/payments/invoices.js';
import { askForLink, makeIntent, makeInvoice } from './made-payments.js';
import { type World, world } from './test-world.js';

export const signInEmail = 'Ana@Example.com';

/** `opened` gets the world and the tenant of each test. */
export function signInScene(opened: (made: World, tenant: Tenant) => void) {
  let made: World;
  let tenant: Tenant;

  beforeEach(async (t) => {
    made = await world(t as TestContext);
    tenant = await made.newTenant();
    opened(made, tenant);
  });

  async function newIntent(home = tenant, address = signInEmail): Promise<Payment> {
    const buyer = { email: address, name: null, country: null, phone: null };
    return (await makeIntent(made.deps, home, { buyer })).payment;
  }

  async function mailsOf(act: () => Promise<unknown>): Promise<readonly OutgoingMail[]> {
    const before = made.mails.length;
    await act();
    await made.settle();
    return made.mails.slice(before);
  }

  /** Asks for a link; answers with the mails that this brought. */
  const ask = (payment: Payment, fields: Partial<LinkRequest> = {}) =>
    mailsOf(() => askForLink(made.deps, payment, fields));

  async function invited(): Promise<{ invoice: Payment; mail: OutgoingMail | undefined }> {
    const { payment: invoice } = await makeInvoice(made.deps, tenant);
    const [mail] = await mailsOf(() => inviteBuyer(made.deps, tenant, invoice.id));
    return { invoice, mail };
  }

  return { newIntent, mailsOf, ask, invited };
}
