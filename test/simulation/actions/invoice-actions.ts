// What happens around invoices and mails: members make and approve them, buyers are invited, ask
// for a link, and open the links that reached their mailboxes.
import { locales } from '../../../core/domain/base/locale.js';
import { tenantOf } from '../../../core/domain/base/tenant.js';
import { isTerminal } from '../../../core/domain/payments/payment.js';
import { redeemCode, redeemLink, requestLink } from '../../../core/usecases/hosted/sign-ins.js';
import { inviteBuyer } from '../../../core/usecases/payments/invoices.js';
import { approvePayment } from '../../../core/usecases/payments/payments.js';
import type { ObservedPayment } from '../invariants/observed-payment.js';
import { membersOf } from '../world/actors.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { Acts, Pointless, World } from '../world/world.js';
import { create, newRequest, onPayment, shown } from './payment-actions.js';

/** Of every buyer: a code is valid in the browser that asked. */
const BROWSER = 'browser';

type InvoiceAction = 'createInvoice' | 'invoiceStep' | 'askForLink' | 'openLink';

export const invoiceActs: Acts<InvoiceAction> = {
  createInvoice: (world, host) => create(world, host, newRequest(world, 'invoice')),
  invoiceStep: (world, host) => {
    const found = world.random.pick(openInvoices(world));
    const awaits = found.payment.status === 'awaiting_approval';
    const usual = awaits ? approves : invites;
    const step = world.random.chance(0.8) ? usual : world.random.pick([approves, invites]);
    step(world, host, found);
  },
  askForLink: (world, host) =>
    onPayment(world, ({ payment: { id, publicId } }) => {
      const page = { kind: 'payment', publicId } as const;
      const asks = { client: null, locale: world.random.pick(locales), browserHash: BROWSER };
      host.begin(`ask for a link ${id}`, () => requestLink(host.deps, page, asks));
    }),
  openLink: (world, host) => {
    const { messageId, page, token, code } = world.random.pick(world.mailbox.links());
    const { done } = shown(world);
    const isByCode = world.random.chance(0.4);
    const isHere = isByCode && world.random.chance(0.5);
    const { linksUsed } = world.observed;
    const usesBefore = linksUsed.length;
    const enter = () =>
      isHere
        ? redeemCode(host.deps, page, { client: null, browserHash: BROWSER, code }, 'es')
        : redeemLink(host.deps, page, token, 'es', isByCode ? { code } : {});
    host.begin(`${isByCode ? 'enter the code' : 'open the link'} of ${messageId}`, enter, {
      done: ({ view }) => {
        world.count(isByCode ? 'code entered' : 'link opened');
        // Without the code the link is opened in another browser than the one that asked.
        linksUsed.push({ token, isPerson: isByCode, usesBefore });
        if (view !== null) done(view);
      },
    });
  },
};

export const invoicesPointless: Pointless = {
  invoiceStep: (world) => openInvoices(world).length === 0,
  openLink: ({ mailbox }) => mailbox.links().length === 0,
};

/** Any member approves; the member who made the invoice must be refused. */
function approves(world: World, host: SimulatedHost, { payment }: ObservedPayment): void {
  const { id, orgId } = payment;
  const by = tenantOf(payment);
  const member = world.random.pick(membersOf(orgId));
  host.begin(`${member} approves ${id}`, () => approvePayment(host.deps, by, id, member), {
    by,
    ...shown(world),
    refused: ({ code }) => world.count(`approval refused: ${code}`),
  });
}

export function invites(_world: World, host: SimulatedHost, { payment }: ObservedPayment): void {
  const { id } = payment;
  const by = tenantOf(payment);
  host.begin(`invite the buyer of ${id}`, () => inviteBuyer(host.deps, by, id), { by });
}

function openInvoices({ observed }: World): readonly ObservedPayment[] {
  return [...observed.payments.values()].filter(
    ({ payment }) => payment.origin === 'invoice' && !isTerminal(payment.status),
  );
}
