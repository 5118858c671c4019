// A site with an organization that has something to show in its dashboard: payments in many states,
// money on its way back, a webhook that gave up.
import assert from 'node:assert/strict';
import type { MemberRole } from '../../../../core/domain/access/member.js';
import { DAY_MS, HOUR_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { PaymentStatus } from '../../../../core/domain/payments/payment.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import { makeMemberSession } from '../../../../core/usecases/access/sessions.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { createSubscription } from '../../../../core/usecases/webhooks/subscriptions.js';
import { aDestinationChange, anAccount } from '../../../support/samples/domain-samples.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import type { PageSite, Visitor } from '../visitor.js';

/** The path of the pages of the organization in test mode. */
export function rootOf({ tenant }: Pick<PageSite, 'tenant'>): string {
  return `/dashboard/${tenant.orgId}/${tenant.mode}`;
}

/** The value of a cookie with which a new member of this role is signed in. */
export async function memberToken(
  { world, tenant }: Pick<PageSite, 'world' | 'tenant'>,
  role: MemberRole,
  orgId = tenant.orgId,
): Promise<string> {
  const { deps } = world;
  const email = `${role}@rotanorte.example`;
  const { id: memberId } = await addMember(deps, { orgId, email, role });
  const { token, session } = makeMemberSession(deps, { orgId, memberId });
  await deps.store.run(async (tx) => tx.memberSessions.insert(session));
  return token;
}

export async function signedInAs(
  site: PageSite,
  role: MemberRole,
  orgId = site.tenant.orgId,
): Promise<Visitor> {
  const token = await memberToken(site, role, orgId);
  return site.visitor({ headers: { cookie: `ponte-member=${token}` } });
}

const buyers = ['Harbor & Pine Roasters', 'Copper Kettle Coffee LLC', 'Lindqvist Interiors AB'];

/** Returns the id of a payment that is paid. */
export async function fillDashboard(site: PageSite): Promise<string> {
  const { world, tenant } = site;
  const { deps } = world;
  await createSubscription(deps, tenant, {
    url: 'https://api.rotanorte.example/ponte',
    eventTypes: ['payment_intent.*'],
  });
  await requireApproval(deps, tenant.orgId, true, 'invoice');
  const states: readonly PaymentStatus[] = [
    'settled',
    'settled',
    'on_ramp_pending',
    'awaiting_buyer',
    'settled',
    'fx_quoted',
    'buyer_kyc_approved',
  ];
  let paid = '';
  for (const [index, state] of states.entries()) {
    world.advanceClock(2 * DAY_MS + 3 * HOUR_MS);
    const id = await world.newPayment(tenant, {
      externalId: `order-${88_000 + index * 7}`,
      amount: money(BigInt(41_250 * (index + 1) * (index % 3 === 0 ? 9 : 2)), 'USD'),
      buyer: {
        email: `accounts${index}@harborpine.example`,
        name: buyers[index % buyers.length] ?? null,
        country: 'US',
        phone: null,
      },
      metadata: '{"lot": "26/311"}',
    });
    if (state !== 'awaiting_buyer') await world.play(tenant, id, state);
    if (state === 'settled') paid = id;
  }
  world.answer = () => ({ responseStatus: 502 });
  await makeInvoice(deps, tenant, { number: 'RN-2026-0431', externalId: 'invoice-431' });
  await addSellers(site);
  await world.newPayment(tenant, { externalId: 'order-88099' });
  for (let half = 0; half < 9; half += 1) {
    await world.settle();
    world.advanceClock(12 * HOUR_MS);
  }
  const short = await world.newPayment(tenant, { externalId: 'order-88121' });
  await world.play(tenant, short, 'on_ramp_pending');
  await simulate(deps, tenant, short, 'money_short');
  world.advanceClock(HOUR_MS);
  await world.settle();
  assert.notEqual(paid, '');
  return paid;
}

/** One that can collect (`acct_1`), whose destination was changed, and others that wait. */
export async function addSellers({ world, tenant }: Pick<PageSite, 'world' | 'tenant'>) {
  const at = { ...tenant, externalId: null, corrections: null, answerByMs: null };
  const open = { destinationRef: null, railsRef: null, railsCommandId: null, readyAtMs: null };
  const asked = [{ field: 'taxId', reason: 'The number is not known' }];
  const sellers = [
    { ...at, id: 'acct_1', externalId: 'serra-azul', legalName: 'Café Serra Azul Ltda' },
    { ...at, ...open, id: 'acct_2', externalId: 'araucaria', legalName: 'Móveis Araucária S.A.' },
    {
      ...at,
      ...open,
      id: 'acct_3',
      legalName: 'Mel do Cerrado',
      status: 'verifying',
      corrections: JSON.stringify(asked),
      answerByMs: world.deps.clock.nowMs() + 9 * DAY_MS,
    },
    { ...at, ...open, id: 'acct_4', legalName: null, displayName: 'Nova', status: 'created' },
    { ...at, id: 'acct_5', legalName: 'A known buyer', role: 'buyer' },
  ] as const;
  await world.deps.store.run(async (tx) => {
    for (const seller of sellers) tx.accounts.insert(anAccount(seller));
    tx.destinationChanges.insert(aDestinationChange(tenant));
  });
}

/** A page of each kind, by name. `paid` is a payment. */
export function placesOf(site: PageSite, paid: string): Readonly<Record<string, string>> {
  const root = rootOf(site);
  return {
    'sign-in': '/dashboard',
    home: root,
    payments: `${root}/payments`,
    'payments-none': `${root}/payments?q=nothing`,
    payment: `${root}/payments/${paid}`,
    export: `${root}/payments/export?status=paid&q=RN`,
    invoices: `${root}/invoices`,
    'invoice-new': `${root}/invoices/new?seller=serra-azul`,
    invoice: `${root}/payments/ext_invoice-431`,
    sellers: `${root}/sellers`,
    seller: `${root}/sellers/acct_1`,
    'seller-waits': `${root}/sellers/acct_3`,
    sessions: '/dashboard/sessions',
    confirm: '/dashboard/confirm',
    'live-closed': root.replace(/test$/, 'live'),
  };
}
