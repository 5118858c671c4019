// A payment: what happened and what happens by when, how far it is, its money, its webhooks, and
// what can be done about it.
import { z } from 'zod';
import { memberName } from '../../../core/domain/access/member.js';
import { allows } from '../../../core/domain/access/scope.js';
import { SECOND_MS } from '../../../core/domain/base/instant.js';
import { tenantOf } from '../../../core/domain/base/tenant.js';
import { hostedPath } from '../../../core/domain/hosted/hosted-page.js';
import type { PaymentView } from '../../../core/domain/payments/change.js';
import { fiscalDocumentOfKey } from '../../../core/domain/payments/fiscal-document.js';
import {
  isCancellable,
  isPageOpen,
  type PaymentStatus,
} from '../../../core/domain/payments/payment.js';
import { type SituationRule, situations } from '../../../core/domain/payments/situation.js';
import { statusAtMs } from '../../../core/domain/payments/timeline.js';
import { isCode } from '../../../core/errors.js';
import { buyerDiffers } from '../../../core/usecases/hosted/buyer-steps.js';
import { attachmentOf } from '../../../core/usecases/parties/attachments.js';
import { inviteBuyer } from '../../../core/usecases/payments/invoices.js';
import {
  approvePayment,
  cancelPayment,
  checkedReason,
  REASON_LENGTH_MAX,
  readPayment,
  setFiscalDocument,
} from '../../../core/usecases/payments/payments.js';
import { readHistory } from '../../../core/usecases/payments/timelines.js';
import {
  listAttempts,
  listOfPayment,
  replayOfPayment,
} from '../../../core/usecases/webhooks/deliveries.js';
import {
  ButtonForm,
  ButtonLink,
  Copy,
  Foreign,
  foreign,
  Note,
  Stations,
} from '../kit/components.js';
import { attachedFile } from '../kit/files/attached-file.js';
import { limitIn } from '../kit/limited.js';
import { limitReached, type PageContext, withNotice } from '../kit/page-route.js';
import { Card } from '../kit/pages/card.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { textAs } from '../kit/pages/form-page.js';
import { proofTexts } from '../proof/proof-texts.js';
import { liveOf } from './change-pages.js';
import { type DashboardContent, ToPlace } from './dashboard-layout.js';
import { type DashboardScene, type Done, useDashboard, viewOf } from './dashboard-scene.js';
import { NUMBER_MAX } from './invoices/typed-invoice.js';
import { actorOf, anyRole, type MemberCall, memberPages, tenantOfCall } from './member-pages.js';
import { Buyer, Details, Items, Metadata, Money, Webhooks } from './payment-cards.js';
import {
  buyerOf,
  fiscalActionIn,
  payeeOf,
  referenceOf,
  State,
  situationIn,
  writesOf,
} from './payment-parts.js';
import { History, TechnicalLog } from './payment-story.js';

const path = '/payments/{paymentId}';
const read = { scope: anyRole, proof: 'session' } as const;
const write = { anyOf: ['payment_intents:write', 'invoices:write'] } as const;

export const paymentDetailPages = [
  memberPages.view({ path, access: read, load: readDetail, show: detailScreen }),
  memberPages.file({ path: `${path}/attachment`, access: read }, async ({ deps }, call) =>
    attachedFile(deps, await paymentIn({ deps }, call)),
  ),
  ...memberPages.form({
    path: `${path}/cancel`,
    access: { scope: write, proof: 'session' },
    back: ({ id }) => `/payments/${id}`,
    load: paymentIn,
    elsewhere: ({ id, status }) =>
      isCancellable(status) ? null : withNotice(`/payments/${id}`, 'out_of_date'),
    fields: ({ texts: { payment: words } }) => ({
      reason: textAs({
        label: words.cancelReason,
        max: REASON_LENGTH_MAX,
        problem: words.noReason,
        read: (given) => (given === '' ? null : checkedReason(given)),
      }),
    }),
    show: (scene, payment) => ({
      ...formAbout(scene, payment, scene.texts.payment.cancel),
      lede: scene.texts.payment.cancelText,
      keep: scene.texts.payment.keep,
    }),
    save: ({ deps }, call, { subject: { id }, values: { reason } }) =>
      led(id, 'cancelled', cancelPayment(deps, tenantOfCall(call), id, reason)),
  }),
  ...memberPages.form({
    path: `${path}/fiscal-document`,
    access: { scope: write, proof: 'session' },
    back: ({ id }) => `/payments/${id}`,
    load: paymentIn,
    typed: ({ fiscalDocument }) => ({ fiscalKey: fiscalDocument?.key ?? '' }),
    fields: ({ texts: { invoice: words } }, { fiscalDocument: stored }) => ({
      fiscalKey: textAs({
        label: words.fiscalKey,
        hint: words.fiscalKeyHint,
        max: NUMBER_MAX,
        spellcheck: false,
        problem: `${words.faults.fiscalKey}.`,
        // The day of the document is not in its key.
        read(given) {
          const read = fiscalDocumentOfKey(given);
          return read !== null && read.key === stored?.key ? stored : read;
        },
      }),
    }),
    show: (scene, payment) => ({
      ...formAbout(scene, payment, fiscalActionIn(scene, payment)),
      lede: scene.texts.payment.fiscalText,
    }),
    save: ({ deps }, call, { subject: { id }, values: { fiscalKey } }) =>
      led(id, 'fiscal_saved', setFiscalDocument(deps, tenantOfCall(call), id, fiscalKey)),
  }),
  memberPages.action({
    path: `${path}/approve`,
    access: { scope: write, proof: 'approve_payment' },
    async run(context, call) {
      const { id } = await paymentIn(context, call);
      const { memberId } = actorOf(call);
      return led(id, 'approved', approvePayment(context.deps, tenantOfCall(call), id, memberId));
    },
  }),
  memberPages.action({
    path: `${path}/invite`,
    access: { scope: 'invoices:write', proof: 'session' },
    async run(context, call) {
      const { id } = await paymentIn(context, call);
      const page = `${viewOf(context, call).path}/payments/${id}`;
      const invited = led(id, 'invited', inviteBuyer(context.deps, tenantOfCall(call), id));
      return invited.catch((error) => limitReached(context, error, 'mail_too_soon', page));
    },
  }),
  memberPages.action({
    path: `${path}/replay`,
    access: { scope: 'webhooks:write', proof: 'session' },
    form: z.object({ subscription: z.string().max(64) }),
    async run({ deps }, call) {
      const id = idIn(call, 'paymentId');
      await replayOfPayment(deps, tenantOfCall(call), id, call.form.subscription);
      return { to: `/payments/${id}`, done: 'replayed' };
    },
  }),
];

/** The payment may no longer be as its page showed it. */
const stale = ['PaymentStateConflict', 'InvoiceNotApproved', 'PaymentNotCancellable'] as const;

function led(id: string, done: Done, work: Promise<unknown>) {
  const to = `/payments/${id}`;
  return work.then(
    () => ({ to, done }),
    (error: unknown) => {
      if (!stale.some((code) => isCode(error, code))) throw error;
      return { to, notice: 'out_of_date' as const };
    },
  );
}

/** NotFound. */
async function paymentIn(
  { deps }: Pick<PageContext, 'deps'>,
  call: MemberCall,
): Promise<PaymentView['payment']> {
  return (await readPayment(deps, tenantOfCall(call), idIn(call, 'paymentId'))).payment;
}

function placeOf({ origin }: Pick<PaymentView['payment'], 'origin'>): 'invoices' | 'payments' {
  return origin === 'invoice' ? 'invoices' : 'payments';
}

/** A form that does one thing with a payment. */
function formAbout({ view }: DashboardScene, payment: PaymentView['payment'], act: string) {
  const place = placeOf(payment);
  return {
    title: `${act}: ${referenceOf(payment)}`,
    place,
    crumbs: [
      <ToPlace of={place} />,
      <a href={`${view.path}/payments/${payment.id}`}>{foreign(referenceOf(payment))}</a>,
    ],
    submit: act,
  };
}

export type Detail = Awaited<ReturnType<typeof readDetail>>;

async function readDetail(context: PageContext, call: MemberCall) {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const { id } = await paymentIn(context, call);
  // The version is read first, so that no change in between is lost.
  const live = await liveOf(context, call, id);
  const view = await readPayment(deps, tenant, id);
  const { payment } = view;
  const { quoteId, publicId } = payment;
  /** Null: not recorded. */
  const nameOf = async (memberId: string | null) => {
    if (memberId === null) return null;
    const member = await deps.store.run((tx) => tx.members.get(payment.orgId, memberId));
    return member && memberName(member);
  };
  const [history, endpoints, attempts, quote, attachment, creator, approver, isOtherBuyer] =
    await Promise.all([
      readHistory(deps, payment),
      listOfPayment(deps, tenant, id),
      listAttempts(deps, tenant, id),
      quoteId === null ? null : deps.store.run((tx) => tx.quotes.get(tenantOf(payment), quoteId)),
      deps.store.run((tx) => attachmentOf(tx, payment)),
      nameOf(payment.createdByMemberId),
      nameOf(payment.approvedByMemberId),
      buyerDiffers(deps, payment),
    ]);
  const { scopes, memberId } = actorOf(call);
  return {
    ...view,
    live,
    quote,
    attachment,
    history,
    endpoints,
    attempts,
    creator,
    approver,
    isOtherBuyer,
    /** Who looks at the page. */
    memberId,
    /** When another mail can be sent, after a refusal; null if nothing was refused. */
    nextMailAtMs: limitIn(call.query, deps.clock.nowMs())?.untilMs ?? null,
    mayWrite: allows(scopes, writesOf(payment)),
    mayReplay: allows(scopes, 'webhooks:write'),
    /** The address of the buyer's page. */
    link: `${deps.settings.payUrl}${hostedPath({ kind: 'payment', publicId })}`,
  };
}

function detailScreen(scene: DashboardScene, detail: Detail): DashboardContent {
  const { texts, format, view } = scene;
  const { payment, live } = detail;
  const reference = referenceOf(payment);
  const place = placeOf(payment);
  return {
    title: `${format.money(payment.amount)}, ${reference}`,
    live,
    heading: (
      <span class="line">
        <span class="amount">
          <span class="iso">{payment.amount.currency}</span> {format.digits(payment.amount)}
        </span>
        <State view={detail} pill />
      </span>
    ),
    lede: texts.payment.lede(buyerOf(payment), payeeOf(scene, payment)),
    place,
    crumbs: [<ToPlace of={place} />, <Foreign text={reference} />],
    actions: [
      isPageOpen(payment)
        ? [
            <Copy value={detail.link} label={texts.payment.link} isNamed />,
            <ButtonLink to={`/r/${payment.publicId}`} icon="open" text={texts.payment.buyerSees} />,
          ]
        : null,
      payment.settledAtMs === null ? null : (
        <ButtonLink to={`payments/${payment.id}/proof`} text={proofTexts[view.locale].title} />
      ),
      detail.mayWrite && isCancellable(payment.status) ? (
        <ButtonLink to={`payments/${payment.id}/cancel`} text={texts.payment.cancel} />
      ) : null,
    ],
    body: [
      <Say detail={detail} />,
      <Way detail={detail} />,
      <div class="cols">
        <div class="stack">
          <Money detail={detail} />
          <Card heading={texts.payment.happened} aside={texts.payment.newestFirst} isStack>
            <History detail={detail} />
            <TechnicalLog detail={detail} />
          </Card>
          <Webhooks detail={detail} />
        </div>
        <div class="stack">
          <Details detail={detail} />
          <Buyer detail={detail} />
          <Items detail={detail} />
          <Metadata detail={detail} />
        </div>
      </div>,
    ],
  };
}

type Part = Readonly<{ detail: Detail }>;

/** What happened, what happens next, and the button that changes it. */
function Say({ detail }: Part) {
  const scene = useDashboard();
  const { what, next, situation } = situationIn(scene, detail);
  const rule: SituationRule = situations[situation];
  const look =
    rule.look === 'operator'
      ? 'bad'
      : rule.look === 'warn' || rule.act === 'approve'
        ? 'warn'
        : situation === 'paid'
          ? 'ok'
          : 'info';
  return (
    <div class="say">
      <Note look={look}>
        <p>
          <b>{what}</b>
        </p>
        <p>{next}</p>
        <NextStep detail={detail} />
      </Note>
    </div>
  );
}

/** With the time of each that is reached. */
function Way({ detail }: Part) {
  const words = useDashboard().texts.payment.stations;
  const { createdAtMs, coveredAtMs, settledAtMs } = detail.payment;
  const atOf = (status: PaymentStatus) => statusAtMs(detail.history, status);
  return (
    <Stations
      stops={[
        [words.asked, createdAtMs],
        [words.verified, atOf('buyer_kyc_approved')],
        [words.confirmed, atOf('on_ramp_pending')],
        [words.money, coveredAtMs ?? atOf('on_chain_confirmed')],
        [words.paid, settledAtMs],
      ]}
      here={<State view={detail} />}
      ahead={null}
    />
  );
}

/** What a person of the organization does next with the payment; nothing most of the time. */
function NextStep({ detail }: Part) {
  const { texts, view, format } = useDashboard();
  const { payment, memberId, mayWrite, creator } = detail;
  const words = texts.invoice;
  const to = `payments/${payment.id}`;
  if (payment.status === 'awaiting_approval') {
    const isOwn = payment.createdByMemberId === memberId;
    return [
      <p>{isOwn ? words.ownApproval : creator === null ? words.check : words.checkOf(creator)}</p>,
      isOwn || !mayWrite ? null : (
        <ButtonForm to={`${to}/approve`} class="actions" look="primary" text={words.approve} />
      ),
      mayWrite ? null : <p class="small quiet">{words.approvers}</p>,
      mayWrite && payment.mode === 'test' ? <p class="small quiet">{words.testApproval}</p> : null,
    ];
  }
  if (detail.isOtherBuyer) {
    return (
      <p>
        <b>{texts.payment.otherBuyer}.</b> {texts.payment.otherBuyerText}
      </p>
    );
  }
  const isOpen = payment.status === 'approved' || payment.status === 'awaiting_buyer';
  if (payment.origin !== 'invoice' || !isOpen) return null;
  const { invitedAtMs, buyer } = payment;
  const waitMs = (detail.nextMailAtMs ?? 0) - view.nowMs;
  return [
    invitedAtMs === null ? null : <p>{words.mailed(buyer.email, format.short(invitedAtMs))}</p>,
    waitMs > 0 ? <p role="status">{words.tooSoon(Math.ceil(waitMs / SECOND_MS))}</p> : null,
    mayWrite ? (
      <ButtonForm
        to={`${to}/invite`}
        class="actions"
        {...(invitedAtMs === null ? { look: 'primary' } : {})}
      >
        {invitedAtMs === null ? words.invite : words.resend}
      </ButtonForm>
    ) : null,
  ];
}
