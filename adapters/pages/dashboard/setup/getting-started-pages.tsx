// Getting started: six lines from the details of the organization to production access, each with
// its state in words and one action. The pages behind them are in kyb-pages, terms-pages,
// pix-pages and production-pages.
import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { accountableCreator } from '../../../../core/domain/access/api-key.js';
import { allows, type Scope } from '../../../../core/domain/access/scope.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { changeState } from '../../../../core/domain/parties/destination-change.js';
import { sandboxKyb } from '../../../../core/domain/parties/organization.js';
import type { ShownView } from '../../../../core/domain/payments/change.js';
import { unsentFields } from '../../../../core/domain/payments/idempotency.js';
import { trialFacts } from '../../../../core/domain/payments/payer-relation.js';
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
import { Card } from '../../kit/pages/card.js';
import { FormKey, formKey, idempotencyKeyOf, newFormKey } from '../../kit/pages/form-key.js';
import { plainText } from '../../kit/plain-text.js';
import type { DashboardContent } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard } from '../dashboard-scene.js';
import {
  actorOf,
  anyRole,
  type MemberCall,
  memberPages,
  TENANT_ROOT,
  tenantOfCall,
} from '../member-pages.js';

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

export type Start = Awaited<ReturnType<typeof readStart>>;

export async function readStart(context: PageContext, call: MemberCall) {
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
    /** The newest of the organization itself. */
    change: change ?? null,
    /** A payment of test mode that is paid, else the newest one. */
    payment,
    /** The one-time key of the form that creates the test payment. */
    key: newFormKey(deps),
    /** Whether test mode can create payments. */
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
    ...trialFacts,
    origin: 'payment_intent',
    amount: TEST_AMOUNT,
    buyer: { email: member.email, name: null, country: null, phone: null },
    idempotencyKey: idempotencyKeyOf(call.form.key),
    createdByMemberId: accountableCreator(tenant.mode, member.id),
    createdBy: member.id,
  });
  return seeOther(`${prefix}/r/${payment.publicId}`);
}

export interface StartLine {
  readonly heading: string;
  readonly state: 'done' | 'waiting' | 'open';
  readonly text: ComponentChildren;
  /** Null if there is nothing to do, or another member does it. */
  readonly action: VNode | null;
}

type Look = Readonly<{ scene: DashboardScene; start: Start; may: (scope: Scope) => boolean }>;

type Line = readonly [state: StartLine['state'], text: ComponentChildren, action?: VNode | null];

/** In their order. */
const lines = {
  organization: organizationLine,
  terms: termsLine,
  pix: pixLine,
  payment: paymentLine,
  webhook: webhookLine,
  production: productionLine,
} as const satisfies Readonly<Record<string, (look: Look) => Line>>;
type LineName = keyof typeof lines;

/** With the actions that the member may do. */
export function startLines(
  scene: DashboardScene,
  start: Start,
  call: MemberCall,
): readonly StartLine[] {
  const { scopes } = actorOf(call);
  const look = { scene, start, may: (scope: Scope) => allows(scopes, scope) };
  return (Object.keys(lines) as LineName[]).map((name) => {
    const [state, text, action = null] = lines[name](look);
    return { heading: scene.texts.setup.start[name].heading, state, text, action };
  });
}

function startScreen(
  { texts, view }: DashboardScene,
  shown: readonly StartLine[],
): DashboardContent {
  const words = texts.setup.start;
  const done = shown.filter(({ state }) => state === 'done').length;
  return {
    title: texts.places.gettingStarted,
    lede: words.lede(done, shown.length),
    place: 'gettingStarted',
    body: (
      <div class="cols">
        <section class="card">
          <ol class="check">
            {shown.map(({ heading, state, text, action }) => (
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
        <Card heading={words.who} isStack>
          <p class="small">{words.whoText}</p>
          <h2>{words.stuck}</h2>
          <p class="small">{words.stuckText(<span class="code">{view.organization?.id}</span>)}</p>
        </Card>
      </div>
    ),
  };
}

/** A link to a page behind a line, which it names for a reader of the links alone. */
function Go({
  line,
  to,
  text,
  isButton = true,
  ...of
}: {
  readonly line: LineName;
  /** Below the path of the mode. */
  readonly to: string;
  /** That of another mode. */
  readonly path?: string | undefined;
  readonly text: string;
  readonly isButton?: boolean;
}) {
  const { view, texts } = useDashboard();
  const { path = view.path } = of;
  return (
    <a class={isButton ? 'btn sm' : undefined} href={`${path}${to}`}>
      {text}
      <span class="vh">: {texts.setup.start[line].heading}</span>
    </a>
  );
}

function organizationLine({ scene: { texts, format, view }, start, may }: Look): Line {
  const words = texts.setup.start.organization;
  const { organization, profile } = start;
  const { status, corrections, approvedAtMs, reason } = profile;
  const go = (text: string, isButton = true) =>
    may('kyb:write') ? (
      <Go line="organization" to="/kyc/next" text={text} isButton={isButton} />
    ) : null;
  if (corrections !== null && status !== null) return ['open', words.due, go(words.answer)];
  if (status === 'approved') {
    const day = format.day(approvedAtMs ?? organization.createdAtMs);
    return ['done', words.approved(plainText(organization.name), day)];
  }
  if (status === 'verifying') return ['waiting', words.verifying];
  if (status === 'rejected') {
    const text = words.rejected(reason === null ? null : plainText(reason));
    return ['open', text, go(words.correct)];
  }
  if (view.mode === 'live') return ['open', words.none, go(words.fill)];
  if (!may('kyb:write')) return ['open', words.sandbox];
  const action = (
    <div class="actions">
      <Form to="getting-started/sandbox">
        <Button look="sm">{words.useSandbox}</Button>
      </Form>
      {go(words.fill, false)}
    </div>
  );
  return ['open', words.sandbox, action];
}

function termsLine({ scene: { texts, format }, start, may }: Look): Line {
  const words = texts.setup.start.terms;
  const { tosAcceptedAtMs } = start.profile;
  if (start.needsTerms) {
    const go = <Go line="terms" to={`${START_PATH}/terms`} text={words.read} />;
    return ['open', words.open, may('kyb:write') ? go : null];
  }
  const isAccepted = tosAcceptedAtMs !== null;
  return ['done', isAccepted ? words.accepted(format.day(tosAcceptedAtMs)) : words.notAsked];
}

function pixLine({ scene: { texts, format, view }, start, may }: Look): Line {
  const words = texts.setup.start.pix;
  const { profile, change } = start;
  const go = (text: string, isButton: boolean) =>
    may('org:write') ? (
      <Go line="pix" to={`${START_PATH}/pix`} text={text} isButton={isButton} />
    ) : null;
  if (profile.destinationRef === null) {
    if (profile.status !== 'approved') return ['open', words.afterKyb];
    return ['open', words.none, go(words.add, true)];
  }
  const action = go(texts.frame.change, false);
  const state = change === null ? null : changeState(change, view.nowMs);
  if (change !== null && state === 'held') {
    return ['done', words.held(change.pixKeyShown, format.instant(change.effectiveAtMs)), action];
  }
  if (change !== null && state === 'effective') {
    return ['done', words.is(change.pixKeyShown, format.day(change.effectiveAtMs)), action];
  }
  return ['done', words.set, action];
}

function paymentLine({ scene: { texts, format, view }, start, may }: Look): Line {
  const words = texts.setup.start.payment;
  const payment = start.payment?.payment ?? null;
  const isPaid = payment?.status === 'settled';
  const see = (to: string, path?: string) => (
    <Go line="payment" to={to} path={path} text={texts.setup.start.see} isButton={false} />
  );
  if (view.mode === 'live') {
    // Pages of live mode show nothing of test mode.
    const action = see(START_PATH, view.modePaths?.test);
    return [isPaid ? 'done' : 'open', words.inTest, action];
  }
  if (payment === null) {
    const action = (
      <Form to="getting-started/test-payment">
        <FormKey value={start.key} />
        <Button look="sm">{words.create}</Button>
      </Form>
    );
    const isPossible = start.takesPayments && may('payment_intents:write');
    return ['open', start.takesPayments ? words.none : words.afterPix, isPossible ? action : null];
  }
  const amount = format.money(payment.amount);
  const shown = see(`/payments/${payment.id}`);
  if (isPaid) return ['done', words.paid(amount, format.day(payment.updatedAtMs)), shown];
  const action = (
    <div class="actions">
      <a class="btn sm" href={`${view.root}/r/${payment.publicId}`}>
        {words.open}
      </a>
      {shown}
    </div>
  );
  return ['waiting', words.running(amount, texts.status[payment.status]), action];
}

function webhookLine({ scene: { texts }, start: { endpoints }, may }: Look): Line {
  const words = texts.setup.start.webhook;
  const go = (text: string, isButton: boolean) => (
    <Go line="webhook" to="/webhooks" text={text} isButton={isButton} />
  );
  if (endpoints > 0) return ['done', words.has(endpoints), go(texts.setup.start.see, false)];
  return ['open', words.none, may('webhooks:write') ? go(words.add, true) : null];
}

function productionLine({ scene: { texts, format, view }, start, may }: Look): Line {
  const words = texts.setup.start.production;
  const { organization, request } = start;
  const { productionGrantedAtMs } = organization;
  if (productionGrantedAtMs !== null) {
    const live = <a href={`${view.modePaths?.live ?? ''}${START_PATH}`}>{words.live}</a>;
    const text = words.granted(format.day(productionGrantedAtMs));
    return ['done', text, view.mode === 'live' ? null : live];
  }
  const go = (text: string) =>
    may('org:write') ? <Go line="production" to={PRODUCTION_PATH} text={text} /> : null;
  if (request?.state === 'requested') {
    return ['waiting', words.requested(format.day(request.createdAtMs))];
  }
  if (request?.state === 'refused') {
    const day = format.day(request.decidedAtMs ?? request.createdAtMs);
    const text = words.refused(day, plainText(request.reason));
    return ['open', <Foreign text={text} />, go(words.askAgain)];
  }
  return ['open', words.none, go(words.ask)];
}
