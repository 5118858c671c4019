// Getting started: six lines from the details of the organization to production access, each with
// its state in words and one action. The pages behind them are in kyb-pages, terms-pages,
// pix-pages and production-pages.
import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { accountableCreator } from '../../../../core/domain/access/api-key.js';
import { allows, type Scope } from '../../../../core/domain/access/scope.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import {
  changeState,
  type DestinationChange,
} from '../../../../core/domain/parties/destination-change.js';
import {
  type Organization,
  type OrganizationProfile,
  sandboxKyb,
} from '../../../../core/domain/parties/organization.js';
import type { ProductionRequest } from '../../../../core/domain/parties/production-request.js';
import type { ShownView } from '../../../../core/domain/payments/change.js';
import { unsentFields } from '../../../../core/domain/payments/idempotency.js';
import { PonteError } from '../../../../core/errors.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import { needsTerms, submitKyb } from '../../../../core/usecases/parties/organizations.js';
import { listOwnChanges } from '../../../../core/usecases/parties/payout-changes.js';
import { readProductionRequest } from '../../../../core/usecases/parties/production-requests.js';
import { allPayments, listPayments } from '../../../../core/usecases/payments/payment-lists.js';
import { createPayment } from '../../../../core/usecases/payments/payments.js';
import { listSubscriptions } from '../../../../core/usecases/webhooks/subscriptions.js';
import { Button, Foreign, Form } from '../../kit/components.js';
import { memberRow, type PageContext, seeOther } from '../../kit/page-route.js';
import { FormKey, formKey, idempotencyKeyOf, newFormKey } from '../../kit/pages/form-key.js';
import { plainText } from '../../kit/plain-text.js';
import type { DashboardContent } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { memberPages } from '../member-pages.js';

/** Below the path of the mode. */
export const START_PATH = '/getting-started';
export const PRODUCTION_PATH = `${START_PATH}/production`;
const START = `${TENANT_ROOT}${START_PATH}`;

/** The amount of the test payment: 250.00. */
const TEST_AMOUNT = money(25_000n, 'USD');

const testPaymentForm = z.object({ key: formKey });

export const gettingStartedPages = [
  memberPages.view({
    path: START_PATH,
    access: { scope: anyRole, proof: 'session' },
    load: async (context, call) => ({ start: await readStart(context, call), call }),
    show: (scene, { start, call }) => startScreen(scene, startLines(scene, start, call)),
  }),
  memberPages.action({
    path: `${START_PATH}/sandbox`,
    access: { scope: 'kyb:write', proof: 'session' },
    run: useSandboxDetails,
  }),
  memberRow({
    method: 'POST',
    path: `${START}/test-payment`,
    scope: 'payment_intents:write',
    proof: 'session',
    form: testPaymentForm,
    handler: createTestPayment,
  }),
];

export interface Start {
  readonly organization: Organization;
  readonly profile: OrganizationProfile;
  readonly needsTerms: boolean;
  /** The newest of the organization itself. */
  readonly change: DestinationChange | null;
  /** A payment of test mode that is paid, else the newest one. */
  readonly payment: ShownView | null;
  /** The one-time key of the form that creates the test payment. */
  readonly key: string;
  /** Whether test mode can create payments. */
  readonly takesPayments: boolean;
  readonly endpoints: number;
  readonly request: ProductionRequest | null;
}

export async function readStart(context: PageContext, call: MemberCall): Promise<Start> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const test = { orgId: tenant.orgId, mode: 'test' } as const;
  const [standing, ofTest, [change], payment, subscriptions, request] = await Promise.all([
    readStanding(deps, tenant),
    readStanding(deps, test),
    listOwnChanges(deps, tenant, 1),
    testPayment(context, test),
    listSubscriptions(deps, tenant),
    readProductionRequest(deps, tenant.orgId),
  ]);
  return {
    ...standing,
    needsTerms: needsTerms(deps, standing.profile),
    change: change ?? null,
    payment,
    key: newFormKey(deps),
    takesPayments: ofTest.profile.destinationRef !== null && ofTest.profile.railsRef !== null,
    endpoints: subscriptions.filter(({ active }) => active).length,
    request,
  };
}

async function testPayment(
  { deps }: Pick<PageContext, 'deps'>,
  tenant: Tenant,
): Promise<ShownView | null> {
  const [[paid], [newest]] = await Promise.all([
    listPayments(deps, tenant, { ...allPayments, statuses: ['settled'], limit: 1 }),
    listPayments(deps, tenant, { ...allPayments, limit: 1 }),
  ]);
  return paid ?? newest ?? null;
}

/** The dossier of the sandbox, which the partner of test mode approves. NotFound in live mode. */
async function useSandboxDetails({ deps }: PageContext, call: MemberCall) {
  const tenant = tenantOfCall(call);
  if (tenant.mode === 'live') throw new PonteError('NotFound');
  await submitKyb(deps, tenant, sandboxKyb(actorOf(call).organization));
  return { to: START_PATH, done: 'kyb_sent' } as const;
}

/** The member is the buyer, and gets the mails. NotFound in live mode. */
async function createTestPayment(
  { deps, prefix }: PageContext,
  call: MemberCall<z.infer<typeof testPaymentForm>>,
) {
  const tenant = tenantOfCall(call);
  if (tenant.mode === 'live') throw new PonteError('NotFound');
  const { member } = actorOf(call);
  const { payment } = await createPayment(deps, tenant, {
    ...unsentFields,
    origin: 'payment_intent',
    amount: TEST_AMOUNT,
    buyer: { email: member.email, name: null, country: null, phone: null },
    idempotencyKey: idempotencyKeyOf(call.form.key),
    createdByMemberId: accountableCreator(tenant.mode, member.id),
    createdBy: member.id,
  });
  return seeOther(`${prefix}/r/${payment.publicId}`);
}

/** The path of this page. */
export function startPath({ prefix }: Pick<PageContext, 'prefix'>, { orgId, mode }: Tenant) {
  return `${prefix}/dashboard/${orgId}/${mode}${START_PATH}`;
}

/** The way back from the pages behind the lines. */
export function BackToStart(): VNode {
  const { view, texts } = useDashboard();
  return <a href={`${view.path}${START_PATH}`}>{texts.setup.back}</a>;
}

export interface StartLine {
  readonly heading: string;
  readonly state: 'done' | 'waiting' | 'open';
  readonly text: ComponentChildren;
  /** Null if there is nothing to do, or another member does it. */
  readonly action: VNode | null;
}

type May = (scope: Scope) => boolean;

/** With the actions that the member may do. */
export function startLines(
  scene: DashboardScene,
  start: Start,
  call: MemberCall,
): readonly StartLine[] {
  const { scopes } = actorOf(call);
  const may = (scope: Scope) => allows(scopes, scope);
  return [
    organizationLine(scene, start, may),
    termsLine(scene, start, may),
    pixLine(scene, start, may),
    paymentLine(scene, start, may),
    webhookLine(scene, start, may),
    productionLine(scene, start, may),
  ];
}

function startScreen(
  { texts, view }: DashboardScene,
  lines: readonly StartLine[],
): DashboardContent {
  const words = texts.setup.start;
  const done = lines.filter(({ state }) => state === 'done').length;
  return {
    title: texts.places.gettingStarted,
    lede: words.lede(done, lines.length),
    place: 'gettingStarted',
    body: (
      <div class="cols">
        <section class="card">
          <ol class="check">
            {lines.map(({ heading, state, text, action }) => (
              <li class={state === 'open' ? undefined : state}>
                <div>
                  <b>{heading}</b>
                  <span class="vh">, {words[state]}</span>
                </div>
                <div>{action}</div>
                <p class="small quiet">{text}</p>
              </li>
            ))}
          </ol>
        </section>
        <section class="card stack">
          <h2>{words.who}</h2>
          <p class="small">{words.whoText}</p>
          <h2>{words.stuck}</h2>
          <p class="small">{words.stuckText(<span class="code">{view.organization?.id}</span>)}</p>
        </section>
      </div>
    ),
  };
}

/** A link to a page behind a line; `of`: what it is about, for a reader of the links alone. */
function Go({
  to,
  text,
  of,
  look,
}: {
  readonly to: string;
  readonly text: string;
  readonly of: string;
  readonly look?: 'plain' | undefined;
}): VNode {
  const { view } = useDashboard();
  return (
    <a class={look === 'plain' ? undefined : 'btn sm'} href={`${view.path}${to}`}>
      {text}
      <span class="vh">: {of}</span>
    </a>
  );
}

function organizationLine(
  { texts, format, view }: DashboardScene,
  start: Start,
  may: May,
): StartLine {
  const words = texts.setup.start.organization;
  const { organization, profile } = start;
  const { status, corrections, approvedAtMs, reason } = profile;
  const { heading } = words;
  const go = (text: string, look?: 'plain') =>
    may('kyb:write') ? <Go to="/kyc/next" text={text} of={heading} look={look} /> : null;
  if (corrections !== null && status !== null) {
    return { heading, state: 'open', text: words.due, action: go(words.answer) };
  }
  if (status === 'approved') {
    const day = format.day(approvedAtMs ?? organization.createdAtMs);
    const text = words.approved(plainText(organization.name), day);
    return { heading, state: 'done', text, action: null };
  }
  if (status === 'verifying') {
    return { heading, state: 'waiting', text: words.verifying, action: null };
  }
  if (status === 'rejected') {
    const text = words.rejected(reason === null ? null : plainText(reason));
    return { heading, state: 'open', text, action: go(words.correct) };
  }
  if (view.mode === 'live') {
    return { heading, state: 'open', text: words.none, action: go(words.fill) };
  }
  const action = may('kyb:write') ? (
    <div class="actions">
      <Form to="getting-started/sandbox">
        <Button look="sm">{words.useSandbox}</Button>
      </Form>
      {go(words.fill, 'plain')}
    </div>
  ) : null;
  return { heading, state: 'open', text: words.sandbox, action };
}

function termsLine({ texts, format }: DashboardScene, start: Start, may: May): StartLine {
  const words = texts.setup.start.terms;
  const { heading } = words;
  const { tosAcceptedAtMs } = start.profile;
  if (start.needsTerms) {
    const action = may('kyb:write') ? (
      <Go to={`${START_PATH}/terms`} text={words.read} of={heading} />
    ) : null;
    return { heading, state: 'open', text: words.open, action };
  }
  const isAccepted = tosAcceptedAtMs !== null;
  const text = isAccepted ? words.accepted(format.day(tosAcceptedAtMs)) : words.notAsked;
  return { heading, state: 'done', text, action: null };
}

function pixLine({ texts, format, view }: DashboardScene, start: Start, may: May): StartLine {
  const words = texts.setup.start.pix;
  const { heading } = words;
  const { profile, change } = start;
  const go = (text: string, look?: 'plain') =>
    may('org:write') ? <Go to={`${START_PATH}/pix`} text={text} of={heading} look={look} /> : null;
  if (profile.destinationRef === null) {
    if (profile.status !== 'approved') {
      return { heading, state: 'open', text: words.afterKyb, action: null };
    }
    return { heading, state: 'open', text: words.none, action: go(words.add) };
  }
  const action = go(texts.setup.start.change, 'plain');
  if (change === null) return { heading, state: 'done', text: words.set, action };
  const { pixKeyShown, effectiveAtMs } = change;
  const state = changeState(change, view.nowMs);
  if (state === 'held') {
    const text = words.held(pixKeyShown, format.instant(effectiveAtMs));
    return { heading, state: 'done', text, action };
  }
  const isIn = state === 'effective';
  const text = isIn ? words.is(pixKeyShown, format.day(effectiveAtMs)) : words.set;
  return { heading, state: 'done', text, action };
}

function paymentLine({ texts, format, view }: DashboardScene, start: Start, may: May): StartLine {
  const words = texts.setup.start.payment;
  const { heading } = words;
  const payment = start.payment?.payment ?? null;
  const isPaid = payment?.status === 'settled';
  if (view.mode === 'live') {
    // Pages of live mode show nothing of test mode.
    const href = `${view.modePaths?.test ?? ''}${START_PATH}`;
    const action = <See href={href} of={heading} />;
    return { heading, state: isPaid ? 'done' : 'open', text: words.inTest, action };
  }
  if (payment === null) {
    const isPossible = start.takesPayments && may('payment_intents:write');
    const action = isPossible ? (
      <Form to="getting-started/test-payment">
        <FormKey value={start.key} />
        <Button look="sm">{words.create}</Button>
      </Form>
    ) : null;
    const text = start.takesPayments ? words.none : words.afterPix;
    return { heading, state: 'open', text, action };
  }
  const amount = format.money(payment.amount);
  const see = <See href={`${view.path}/payments/${payment.id}`} of={heading} />;
  if (isPaid) {
    const text = words.paid(amount, format.day(payment.updatedAtMs));
    return { heading, state: 'done', text, action: see };
  }
  const action = (
    <div class="actions">
      <a class="btn sm" href={`${view.root}/r/${payment.publicId}`}>
        {words.open}
      </a>
      {see}
    </div>
  );
  const text = words.running(amount, texts.status[payment.status]);
  return { heading, state: 'waiting', text, action };
}

function See({ href, of }: { readonly href: string; readonly of: string }): VNode {
  const { texts } = useDashboard();
  return (
    <a href={href}>
      {texts.setup.start.see}
      <span class="vh">: {of}</span>
    </a>
  );
}

function webhookLine({ texts }: DashboardScene, { endpoints }: Start, may: May): StartLine {
  const words = texts.setup.start.webhook;
  const { heading } = words;
  if (endpoints > 0) {
    const action = <Go to="/webhooks" text={texts.setup.start.see} of={heading} look="plain" />;
    return { heading, state: 'done', text: words.has(endpoints), action };
  }
  const action = may('webhooks:write') ? <Go to="/webhooks" text={words.add} of={heading} /> : null;
  return { heading, state: 'open', text: words.none, action };
}

function productionLine(
  { texts, format, view }: DashboardScene,
  start: Start,
  may: May,
): StartLine {
  const words = texts.setup.start.production;
  const { heading } = words;
  const { organization, request } = start;
  const { productionGrantedAtMs } = organization;
  if (productionGrantedAtMs !== null) {
    const text = words.granted(format.day(productionGrantedAtMs));
    const live = view.modePaths?.live ?? '';
    const action = view.mode === 'live' ? null : <a href={`${live}${START_PATH}`}>{words.live}</a>;
    return { heading, state: 'done', text, action };
  }
  const go = (text: string) =>
    may('org:write') ? <Go to={PRODUCTION_PATH} text={text} of={heading} /> : null;
  if (request?.state === 'requested') {
    const text = words.requested(format.day(request.createdAtMs));
    return { heading, state: 'waiting', text, action: null };
  }
  if (request?.state === 'refused') {
    const day = format.day(request.decidedAtMs ?? request.createdAtMs);
    const text = words.refused(day, plainText(request.reason));
    return { heading, state: 'open', text: <Foreign text={text} />, action: go(words.askAgain) };
  }
  return { heading, state: 'open', text: words.none, action: go(words.ask) };
}
