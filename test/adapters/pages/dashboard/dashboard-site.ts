// A site with an organization that has something to show in its dashboard: payments in many states,
// money on its way back, a webhook that gave up.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { MemberRole } from '../../../../core/domain/access/member.js';
import type { SessionBeginning } from '../../../../core/domain/access/session.js';
import { DAY_MS, HOUR_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { PaymentStatus } from '../../../../core/domain/payments/payment.js';
import { createKey, unlimitedKey } from '../../../../core/usecases/access/keys.js';
import { makeMemberSession } from '../../../../core/usecases/access/sessions.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { listDeliveries } from '../../../../core/usecases/webhooks/deliveries.js';
import {
  createSubscription,
  listSubscriptions,
  testSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import {
  aDestinationChange,
  aDocument,
  anAccount,
} from '../../../support/samples/domain-samples.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import type { SuiteEnd } from '../../../support/suite-end.js';
import { type PageSite, pageSite, type Shown, type Visitor } from '../visitor.js';

/** The path of the pages of the organization in test mode. */
export function rootOf({ tenant }: Pick<PageSite, 'tenant'>): string {
  return `/dashboard/${tenant.orgId}/${tenant.mode}`;
}

/** The value of a cookie with which a new member of this role is signed in. */
export async function memberToken(
  { world, tenant }: Pick<PageSite, 'world' | 'tenant'>,
  role: MemberRole,
  orgId = tenant.orgId,
  began: SessionBeginning = 'mail',
): Promise<string> {
  const { deps } = world;
  const email = `${role}@rotanorte.example`;
  const { personId } = await addActiveMember(deps, { orgId, email, role });
  const { token, session } = makeMemberSession(deps, { personId, began });
  await deps.store.run(async (tx) => tx.sessions.insert(session));
  return token;
}

export async function signedInAs(
  site: PageSite,
  role: MemberRole,
  orgId = site.tenant.orgId,
  began: SessionBeginning = 'mail',
): Promise<Visitor> {
  const token = await memberToken(site, role, orgId, began);
  return site.visitor({ headers: { cookie: `ponte-member=${token}` } });
}

/** A site, the path of its pages in test mode, and a browser of its owner. */
export async function siteWithOwner(t: SuiteEnd) {
  const site = await pageSite(t);
  const { deps } = site.world;
  const { orgId } = site.tenant;
  return { site, deps, orgId, root: rootOf(site), owner: await signedInAs(site, 'owner') };
}

/** The token of the session of a member. */
export async function csrfOf(visitor: Visitor): Promise<string> {
  await visitor.open('/dashboard/sessions');
  return visitor.csrf;
}

/** The secret that a page shows once. */
export function secretIn({ text }: Shown): string {
  return /class="secret"><code>([^<]+)</.exec(text)?.[1] ?? assert.fail('no secret is shown');
}

/** The fields of the forms of members, all valid. */
export const anyFields = {
  action: 'create',
  text: 'buyer.email,amount,description\nana@buyer.example,50.00,Tea',
  key: `frm_${'0'.repeat(26)}`,
  reason: 'no longer needed',
  session: 'all',
  subscription: 'whs_1',
  delivery: 'whd_1',
  paused: 'yes',
  url: 'https://changed.example/hook',
  '*': 'yes',
  version: '1',
  name: 'changed',
  overlap: '24',
  'webhooks:read': 'yes',
} as const;

/** The id of an object of each kind that a path names. `marker` is in the texts of each. */
export async function objectsOf(
  { world }: Pick<PageSite, 'world'>,
  tenant: Tenant,
  marker: string,
): Promise<Readonly<Record<string, string>>> {
  const { deps } = world;
  const url = `https://${marker}.example/hook`;
  const made = await createSubscription(deps, tenant, { url, eventTypes: ['*'] });
  const { id: subscriptionId } = made.subscription;
  const { id: deliveryId, eventId } = await testSubscription(deps, tenant, subscriptionId);
  await world.settle();
  const key = { ...unlimitedKey, ...tenant, createdBy: 'development', name: marker };
  const { id: keyId } = (await createKey(deps, key)).key;
  const { orgId } = tenant;
  const email = `${orgId}@member.example`;
  const { id: memberId } = await addActiveMember(deps, { orgId, email, role: 'viewer' });
  const accountId = deps.ids.next('acct', deps.clock.nowMs());
  const seller = anAccount({ ...tenant, id: accountId, externalId: marker, legalName: marker });
  const documentId = deps.ids.next('doc', deps.clock.nowMs());
  const owner = { party: 'vendor', id: accountId } as const;
  const paper = { kind: 'w8', contentType: 'application/pdf', fileName: 'w8.pdf' } as const;
  const kept = { ...tenant, id: documentId, owner, ...paper, status: 'submitted' } as const;
  await deps.store.run(async (tx) => {
    tx.accounts.insert(seller);
    tx.documents.insert(aDocument(kept));
  });
  const others = {
    subscriptionId,
    deliveryId,
    eventId,
    keyId,
    memberId,
    accountId,
    documentId,
  };
  if (tenant.mode === 'live') return others;
  return { ...others, paymentId: await world.newPayment(tenant, { externalId: marker }) };
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

export function openLive({ world, tenant: { orgId } }: PageSite): Promise<void> {
  return world.changeOrganization(orgId, { productionGrantedAtMs: world.deps.clock.nowMs() });
}

/** A path, or a form and what is typed: its answer is shown once and has no path. */
export type Place =
  | string
  | { readonly form: string; readonly typed: Readonly<Record<string, string>> };

export async function visit(page: Page, origin: string, place: Place): Promise<void> {
  if (typeof place === 'string') {
    await page.goto(`${origin}${place}`);
    return;
  }
  await page.goto(`${origin}${place.form}`);
  for (const [name, value] of Object.entries(place.typed)) {
    await page.locator(`main [name="${name}"]`).fill(value);
  }
  await page.locator('main form:not(.find) button').click();
  await page.locator('.secret').waitFor();
}

/** Pages of webhooks, events and keys. */
async function developerPlaces(site: PageSite): Promise<Readonly<Record<string, Place>>> {
  const { world, tenant } = site;
  const { deps } = world;
  const root = rootOf(site);
  const [subscription] = await listSubscriptions(deps, tenant);
  const subscriptionId = subscription?.id ?? '';
  const dead = { subscriptionId, status: 'dead_letter', beforeId: null, limit: 1 } as const;
  const [delivery] = await listDeliveries(deps, tenant, dead);
  const key = { ...unlimitedKey, ...tenant, createdBy: 'development' } as const;
  const { id: keyId } = (await createKey(deps, { ...key, name: 'warehouse sync' })).key;
  await createKey(deps, { ...key, name: 'order service', scopes: ['payment_intents:write'] });
  const own = `${root}/webhooks/${subscriptionId}`;
  return {
    webhooks: `${root}/webhooks`,
    subscription: own,
    'subscription-gave-up': `${own}?status=dead_letter`,
    'subscription-new': `${root}/webhooks/new`,
    'subscription-made': {
      form: `${root}/webhooks/new`,
      typed: { url: 'https://orders.rotanorte.example/hook' },
    },
    'subscription-edit': `${own}/edit`,
    'subscription-rotate': `${own}/rotate`,
    'subscription-delete': `${own}/delete`,
    delivery: `${own}/deliveries/${delivery?.id}`,
    events: `${root}/events`,
    'events-none': `${root}/events?subject=nothing`,
    event: `${root}/events/${delivery?.eventId}`,
    keys: `${root}/keys`,
    'key-new': `${root}/keys/new`,
    'key-made': { form: `${root}/keys/new`, typed: { name: 'order service' } },
    'key-roll': `${root}/keys/${keyId}/roll`,
    'key-revoke': `${root}/keys/${keyId}/revoke`,
  };
}

/** Pages of what an organization sets up; another one of the owner has done nothing yet. */
async function setupPlaces(site: PageSite): Promise<Readonly<Record<string, string>>> {
  const { deps } = site.world;
  const { orgId } = site.tenant;
  const root = rootOf(site);
  const { id } = await addActiveMember(deps, {
    orgId,
    email: 'lia@rotanorte.example',
    role: 'viewer',
  });
  const newOrgId = await site.world.organization({ sandboxKyb: false });
  const email = 'owner@rotanorte.example';
  await addActiveMember(deps, { orgId: newOrgId, email, role: 'owner' });
  const ofNew = `/dashboard/${newOrgId}/test`;
  return {
    'getting-started': `${root}/getting-started`,
    'getting-started-new': `${ofNew}/getting-started`,
    kyb: `${ofNew}/kyc/company`,
    'kyb-review': `${ofNew}/kyc/review`,
    'kyb-phone': `${ofNew}/kyc/phone`,
    pix: `${root}/getting-started/pix`,
    production: `${root}/getting-started/production`,
    team: `${root}/team`,
    activity: `${root}/activity`,
    'activity-none': `${root}/activity?kind=seller`,
    member: `${root}/team/${id}`,
    'own-name': `${root}/name`,
    settings: `${root}/settings`,
    'settings-change': `${root}/settings/change`,
  };
}

/** A page of each kind, by name. `paid` is a payment. */
export async function placesOf(
  site: PageSite,
  paid: string,
): Promise<Readonly<Record<string, Place>>> {
  const root = rootOf(site);
  return {
    ...(await developerPlaces(site)),
    ...(await setupPlaces(site)),
    'sign-in': '/dashboard',
    home: root,
    payments: `${root}/payments`,
    'payments-none': `${root}/payments?q=nothing`,
    payment: `${root}/payments/${paid}`,
    export: `${root}/payments/export?status=paid&q=RN`,
    invoices: `${root}/invoices`,
    'invoice-new': `${root}/invoices/new?seller=serra-azul`,
    'invoice-import': `${root}/invoices/import`,
    invoice: `${root}/payments/ext_invoice-431`,
    accounting: `${root}/accounting`,
    'accounting-extract': `${root}/accounting/extract`,
    'accounting-guide': `${root}/accounting/guide`,
    'accounting-names': `${root}/accounting/accounts`,
    'accounting-proofs': `${root}/accounting/proofs`,
    'accounting-law': `${root}/accounting/law`,
    'payment-proof': `${root}/payments/${paid}/proof`,
    sellers: `${root}/sellers`,
    seller: `${root}/sellers/acct_1`,
    'seller-waits': `${root}/sellers/acct_3`,
    'seller-language': `${root}/sellers/acct_3/language`,
    'seller-link': { form: `${root}/sellers/acct_3`, typed: {} },
    sessions: '/dashboard/sessions',
    confirm: '/dashboard/confirm',
    'passkey-add': '/dashboard/passkeys/add',
    'live-closed': root.replace(/test$/, 'live'),
  };
}
