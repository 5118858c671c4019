// The examples of the description: what the code took and gave, recorded call by call in worlds
// that are the same each time. `npm run examples` writes them to adapters/http/docs/examples.json;
// which call is made for an operation is in example-calls.ts.
import assert from 'node:assert/strict';
import { z } from 'zod';
import { documentSchema } from '../../../../adapters/http/docs/docs-routes.js';
import type { Route } from '../../../../adapters/http/protocol/route-row.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { SECOND_MS } from '../../../../core/domain/base/instant.js';
import { type Money, money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { MoneyKind } from '../../../../core/domain/commands/partner-command.js';
import { eventTypes } from '../../../../core/domain/payments/event.js';
import type { SettlementPartner } from '../../../../core/ports/partner.js';
import { applyPartnerUpdate } from '../../../../core/usecases/commands/partner-inbox.js';
import { askQuestion } from '../../../../core/usecases/hosted/questions.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import {
  configureAccountPayout,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import {
  requireApproval,
  setSupportContact,
} from '../../../../core/usecases/parties/organizations.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import { approvePayment, cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { testSubscription } from '../../../../core/usecases/webhooks/subscriptions.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { anyAuthor } from '../../../support/samples/domain-samples.js';
import { makeIntent } from '../../../support/scenes/made-payments.js';
import { openWorld, type World } from '../../../support/scenes/test-world.js';
import type { Json } from '../../../support/servers/json-call.js';
import { openSite } from '../checked-site.js';
import { newSeller, payoutConfig, readySeller, sellerDossier } from '../resources/account-calls.js';
import { operations } from '../table-scene.js';
import { examples, newInvoice, newPayment, newSubscription } from './example-calls.js';

type Texts = Readonly<Record<string, string>>;

/** The sandbox takes a few rounds from one status to the next. */
const LOOKS = 20;

export const examplesUrl = new URL('../../../../adapters/http/docs/examples.json', import.meta.url);

/** The text of the file. */
export async function recordedExamples(): Promise<string> {
  const calls: Record<string, Json> = {};
  for (const { operationId, path, route } of operations) {
    calls[operationId] = await recordedCall(operationId, path, route);
  }
  return `${JSON.stringify({ calls, events: await recordedEvents() }, null, 2)}\n`;
}

async function recordedCall(operationId: string, form: string, route: Route): Promise<Json> {
  const site = await openSite();
  const tenant = await site.world.newTenant();
  const credentials = {
    key: await site.world.key(tenant.orgId),
    session: await site.world.session(tenant.orgId),
  };
  await furnished(site.world, tenant);
  const example = await examples[operationId]?.(site.world, tenant);
  assert.ok(example !== undefined, `${operationId} has an example`);
  const asked = { ...example, ...credentials };
  const answers: Record<string, unknown> = {};
  // Once more where the answer to a repeat is another one.
  const repeats = route.responses[200] !== undefined && route.responses[201] !== undefined ? 2 : 1;
  for (let calls = 0; calls < repeats; calls += 1) {
    const { status, body } = await site.call(route.method, example.path, asked);
    const shape = route.responses[status];
    const shown = shape instanceof z.ZodType && shape !== documentSchema;
    if (shown) answers[status] = body;
  }
  await site.close();
  const { pathname, searchParams } = new URL(example.path, 'http://localhost');
  return {
    params: { ...paramsOf(form, pathname), ...example.recorded },
    query: Object.fromEntries(searchParams),
    ...(route.body instanceof z.ZodType ? { body: example.body } : {}),
    answers,
  };
}

/** So that lists are not empty. */
async function furnished(made: World, tenant: Tenant): Promise<void> {
  await readySeller(made, tenant);
  await newPayment(made, tenant);
  await newInvoice(made, tenant);
  await newSubscription(made, tenant);
  await made.settle();
}

function paramsOf(form: string, pathname: string): Texts {
  const given = pathname.split('/');
  const named = form.split('/').flatMap((part, index) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [] : [[name, decodeURIComponent(given[index] ?? '')]];
  });
  return Object.fromEntries(named);
}

/** The body of each event as a webhook carried it. */
async function recordedEvents(): Promise<Json> {
  const made = await openWorld();
  const { deps } = made;
  const tenant = await made.newTenant();
  const subscriptionId = await newSubscription(made, tenant);
  await testSubscription(deps, tenant, subscriptionId);
  const ready = await readySeller(made, tenant);
  const moved = { ...payoutConfig, pixKey: 'moved@example.com' };
  await configureAccountPayout(deps, tenant, ready.id, moved, anyAuthor);
  const { id } = await newSeller(made, tenant);
  await submitAccount(deps, tenant, id, { ...sellerDossier, legalName: 'Fail' });
  const { id: asked } = await newSeller(made, tenant);
  await submitAccount(deps, tenant, asked, { ...sellerDossier, legalName: 'More' });
  const settled = await newPayment(made, tenant);
  await advanced(made, tenant, settled.payment.id);
  const cancelled = await newPayment(made, tenant);
  await cancelPayment(deps, tenant, cancelled.payment.id, 'the order was withdrawn');
  await played(made, tenant, { amount: money(10_066n, 'USD') });
  await played(made, tenant, { amount: money(10_088n, 'USD') });
  await played(made, tenant, { amount: money(10_055n, 'USD') });
  const unpaid = money(20_088n, 'USD');
  const read: SettlementPartner['refund']['read'] = async () => ({
    outcome: 'done',
    value: { status: 'failed', amount: unpaid, reason: 'the account is closed' },
  });
  const usual = { ...made.partner };
  changePartner(made.partner, { refund: { read } });
  Object.assign(made.partner, { sendDueMessages: async () => 0 });
  await played(made, tenant, { amount: unpaid });
  Object.assign(made.partner, usual);
  await afterTheEnd(made, tenant, settled.payment.id);
  await played(made, tenant, { name: 'Fail' });
  await played(made, tenant, { lifeMs: 1_000 });
  await requireApproval(deps, tenant.orgId, true);
  const invoice = await newInvoice(made, tenant);
  await approvePayment(deps, tenant, invoice.payment.id, 'mem_teammate');
  await inviteBuyer(deps, tenant, invoice.payment.id);
  await advanced(made, tenant, invoice.payment.id);
  await requireApproval(deps, tenant.orgId, true, 'payment_intent');
  const intent = await newPayment(made, tenant);
  await approvePayment(deps, tenant, intent.payment.id, 'mem_teammate');
  await setSupportContact(deps, tenant.orgId, { supportEmail: 'help@acme.example' });
  const mailId = deps.ids.next('mail', deps.clock.nowMs());
  const question = 'The invoice says 12 bags, and 10 came. Which amount is right?';
  await askQuestion(deps, intent.payment, { mailId, question });
  await made.settle();
  const bodies = made.sent.map(({ body }) => JSON.parse(body) as Json);
  await made.close();
  return Object.fromEntries(
    eventTypes.toSorted().flatMap((type) => {
      // Of an event that both origins have, the one of a payment intent came first.
      const body = bodies.find(({ event }) => event === type);
      return body === undefined ? [] : [[type, body]];
    }),
  );
}

/** Money that moves after a settlement, and after a failure. */
async function afterTheEnd(made: World, tenant: Tenant, settledId: string): Promise<void> {
  const { deps } = made;
  await simulate(deps, tenant, settledId, 'payout_returns');
  await made.settle();
  const payout = await commandOf(made, tenant, settledId, 'payout');
  const asked = { evidence: 'the seller has a new account', replace: false } as const;
  const operator = developmentOperator;
  const request = { verb: 'pay_again' } as const;
  await decide(deps, { itemId: payout.id, request, ...asked, operator });
  await advanced(made, tenant, settledId);
  const payin = await commandOf(made, tenant, settledId, 'payin');
  const received = { ...payin.amount, amountMinor: payin.receivedMinor };
  const total = { received, transactionHash: null, reason: null };
  for (const status of ['returned', 'completed'] as const) {
    const command = await commandOf(made, tenant, settledId, 'payin');
    const { reference, partnerRef, version } = command;
    assert.ok(partnerRef !== null);
    const fact = { kind: 'payin', reference, partnerRef, report: { status, ...total } } as const;
    await applyPartnerUpdate(deps, command, fact, { polledVersion: version });
  }
  const failedId = await played(made, tenant, { amount: money(10_077n, 'USD') });
  await simulate(deps, tenant, failedId, 'payout_completes');
  await made.settle();
}

/** The newest. */
async function commandOf({ deps }: World, tenant: Tenant, paymentId: string, kind: MoneyKind) {
  const all = await deps.store.run((tx) => tx.commands.ofPayment(tenant, paymentId));
  const found = all.findLast((command) => command.kind === kind);
  assert.ok(found !== undefined, `${paymentId} has a ${kind}`);
  return found;
}

interface Otherwise {
  readonly amount?: Money;
  readonly name?: string;
  readonly lifeMs?: number;
}

/** A payment with something out of the ordinary, as far as it gets. */
async function played(made: World, tenant: Tenant, otherwise: Otherwise): Promise<string> {
  const { amount = money(125_000n, 'USD'), name = null, lifeMs } = otherwise;
  const nowMs = made.deps.clock.nowMs();
  const { payment } = await makeIntent(made.deps, tenant, {
    externalId: `order of ${name ?? amount.amountMinor} ${lifeMs ?? ''}`,
    amount,
    buyer: { email: `buyer-${name ?? 'ana'}@example.com`, name, country: null, phone: null },
    expiresAtMs: lifeMs === undefined ? null : nowMs + lifeMs,
  });
  if (lifeMs === undefined) {
    await advanced(made, tenant, payment.id);
    return payment.id;
  }
  made.advanceClock(lifeMs);
  await made.settle();
  return payment.id;
}

async function advanced(made: World, tenant: Tenant, paymentId: string): Promise<void> {
  await advancePayment(made.deps, tenant, paymentId, null);
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await made.settle();
    made.advanceClock(SECOND_MS);
  }
}
