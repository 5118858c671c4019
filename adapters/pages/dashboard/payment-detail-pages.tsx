// A payment: where its money is, what happened, its webhooks, and what can be done about it.
import type { VNode } from 'preact';
import { z } from 'zod';
import { allows } from '../../../core/domain/access/scope.js';
import { SECOND_MS } from '../../../core/domain/base/instant.js';
import { type Money as Amount, money } from '../../../core/domain/base/money.js';
import { tenantOf } from '../../../core/domain/base/tenant.js';
import type { Quote } from '../../../core/domain/commands/quote.js';
import { standingOf } from '../../../core/domain/commands/settlement.js';
import type { PaymentView } from '../../../core/domain/payments/change.js';
import { readDisplay } from '../../../core/domain/payments/display.js';
import { heldMinor } from '../../../core/domain/payments/funds.js';
import type { LedgerAccount, LedgerLine } from '../../../core/domain/payments/ledger.js';
import { isCancellable, isPageOpen } from '../../../core/domain/payments/payment.js';
import type { TimelineEntry } from '../../../core/domain/payments/timeline.js';
import { isCode } from '../../../core/errors.js';
import { buyerDiffers } from '../../../core/usecases/hosted/buyer-steps.js';
import { type Attachment, attachmentOf } from '../../../core/usecases/parties/attachments.js';
import { inviteBuyer } from '../../../core/usecases/payments/invoices.js';
import {
  approvePayment,
  cancelPayment,
  checkedReason,
  readPayment,
} from '../../../core/usecases/payments/payments.js';
import { readTimeline } from '../../../core/usecases/payments/timelines.js';
import { replayDelivery } from '../../../core/usecases/webhooks/deliveries.js';
import {
  Badge,
  Button,
  ButtonLink,
  Copy,
  Foreign,
  Form,
  Note,
  Route,
  Scroll,
  type Stop,
} from '../kit/components.js';
import { TextField } from '../kit/fields.js';
import { attachedFile } from '../kit/files/attached-file.js';
import { limitIn } from '../kit/limited.js';
import {
  limitReached,
  memberRow,
  type PageAnswer,
  type PageContext,
  seeOther,
  withNotice,
} from '../kit/page-route.js';
import { withDone } from '../kit/pages/declared-pages.js';
import { liveOf } from './change-pages.js';
import { type DashboardContent, dashboardPage } from './dashboard-layout.js';
import { type DashboardScene, type Done, useDashboard, viewOf } from './dashboard-scene.js';
import { deliveryPath } from './developer/developer-parts.js';
import { indentedJson } from './developer/indented-json.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from './member-page.js';
import { memberPages } from './member-pages.js';
import { buyerOf, payeeOf, referenceOf, States } from './payment-parts.js';

/** A payment rarely has more; a later page is linked. */
const ENTRIES_MAX = 200;

const path = `${TENANT_ROOT}/payments/{paymentId}`;
const read = { anyOf: ['payment_intents:read', 'invoices:read'] } as const;
const write = { anyOf: ['payment_intents:write', 'invoices:write'] } as const;
const noForm = z.object({});
const cancelForm = z.object({ reason: z.string().max(1_000) });

export const paymentDetailPages = [
  memberRow({
    method: 'GET',
    path,
    scope: read,
    proof: 'session',
    form: 'none',
    handler: (context, call) => showPayment(context, call, null),
  }),
  memberRow({
    method: 'GET',
    path: `${path}/attachment`,
    scope: read,
    proof: 'session',
    form: 'none',
    handler: async ({ deps }, call) => {
      const { payment } = await readPayment(deps, tenantOfCall(call), idOf(call));
      return attachedFile(deps, payment);
    },
  }),
  memberRow({
    method: 'POST',
    path: `${path}/cancel`,
    scope: write,
    proof: 'session',
    form: cancelForm,
    handler: cancel,
  }),
  memberRow({
    method: 'POST',
    path: `${path}/approve`,
    scope: write,
    proof: 'fresh_live',
    form: noForm,
    handler: approve,
  }),
  memberRow({
    method: 'POST',
    path: `${path}/invite`,
    scope: 'invoices:write',
    proof: 'session',
    form: noForm,
    handler: invite,
  }),
  memberPages.action({
    path: '/payments/{paymentId}/replay',
    access: { scope: 'webhooks:write', proof: 'session' },
    form: z.object({ subscription: z.string().max(64), delivery: z.string().max(64) }),
    async run({ deps }, call) {
      const { subscription, delivery } = call.form;
      await replayDelivery(deps, tenantOfCall(call), subscription, delivery);
      return { to: `/payments/${idOf(call)}`, done: 'replayed' };
    },
  }),
];

interface Detail extends PaymentView {
  readonly live: string;
  readonly quote: Quote | null;
  readonly attachment: Attachment | null;
  readonly entries: readonly TimelineEntry[];
  /** The addresses of the members who created and approved it; null: not recorded. */
  readonly creator: string | null;
  readonly approver: string | null;
  /** The buyer was verified under another name or country than the payment says. */
  readonly isOtherBuyer: boolean;
  /** Who looks at the page. */
  readonly memberId: string;
  /** When another mail can be sent, after a refusal; null if nothing was refused. */
  readonly nextMailAtMs: number | null;
  /** The scopes of the member. */
  readonly mayWrite: boolean;
  readonly mayReplay: boolean;
  /** What was typed as the reason of a cancel and refused. */
  readonly refusedReason: string | null;
}

async function showPayment(
  context: PageContext,
  call: MemberCall,
  refusedReason: string | null,
): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const { id } = (await readPayment(deps, tenant, idOf(call))).payment;
  // The version is read first, so that no change in between is lost.
  const live = await liveOf(context, call, id);
  const view = await readPayment(deps, tenant, id);
  const { payment } = view;
  const { quoteId } = payment;
  const addressOf = async (memberId: string | null) => {
    if (memberId === null) return null;
    const member = await deps.store.run((tx) => tx.members.get(payment.orgId, memberId));
    return member?.email ?? null;
  };
  const [{ entries }, quote, attachment, creator, approver, isOtherBuyer] = await Promise.all([
    readTimeline(deps, payment, { after: null, limit: ENTRIES_MAX }),
    quoteId === null ? null : deps.store.run((tx) => tx.quotes.get(tenantOf(payment), quoteId)),
    deps.store.run((tx) => attachmentOf(tx, payment)),
    addressOf(payment.createdByMemberId),
    addressOf(payment.approvedByMemberId),
    buyerDiffers(deps, payment),
  ]);
  const { scopes, memberId } = actorOf(call);
  const writes = payment.origin === 'invoice' ? 'invoices:write' : 'payment_intents:write';
  const detail: Detail = {
    ...view,
    live,
    quote,
    attachment,
    entries,
    creator,
    approver,
    isOtherBuyer,
    memberId,
    nextMailAtMs: limitIn(call.query, deps.clock.nowMs())?.untilMs ?? null,
    mayWrite: allows(scopes, writes),
    mayReplay: allows(scopes, 'webhooks:write'),
    refusedReason,
  };
  const status = refusedReason === null ? 200 : 422;
  return dashboardPage(viewOf(context, call), (scene) => detailScreen(scene, detail), status);
}

async function cancel(
  context: PageContext,
  call: MemberCall<z.infer<typeof cancelForm>>,
): Promise<PageAnswer> {
  const { reason } = call.form;
  try {
    checkedReason(reason);
  } catch {
    return showPayment(context, call, reason);
  }
  return change(context, call, 'cancelled', (id) =>
    cancelPayment(context.deps, tenantOfCall(call), id, checkedReason(reason)),
  );
}

async function approve(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { orgId, mode, memberId } = actorOf(call);
  return change(context, call, 'approved', (id) =>
    approvePayment(context.deps, { orgId, mode }, id, memberId),
  );
}

async function invite(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const answer = change(context, call, 'invited', (id) =>
    inviteBuyer(context.deps, tenantOfCall(call), id),
  );
  return answer.catch((error: unknown) =>
    limitReached(context, error, 'mail_too_soon', paymentPath(context, call)),
  );
}

/** Leads back to the page, which shows the current state if the change no longer fits it. */
async function change(
  context: PageContext,
  call: MemberCall,
  done: Done,
  work: (id: string) => Promise<unknown>,
): Promise<PageAnswer> {
  const page = paymentPath(context, call);
  const { payment } = await readPayment(context.deps, tenantOfCall(call), idOf(call));
  try {
    await work(payment.id);
  } catch (error) {
    if (stale.some((code) => isCode(error, code))) return seeOther(withNotice(page, 'out_of_date'));
    throw error;
  }
  return seeOther(withDone(page, done));
}

/** The payment is no longer as its page showed it. */
const stale = ['PaymentStateConflict', 'InvoiceNotApproved', 'PaymentNotCancellable'] as const;

function idOf({ params }: MemberCall): string {
  return params['paymentId'] ?? '';
}

function paymentPath(context: PageContext, call: MemberCall): string {
  return `${viewOf(context, call).path}/payments/${idOf(call)}`;
}

function detailScreen(scene: DashboardScene, detail: Detail): DashboardContent {
  const { texts, format, view } = scene;
  const { payment, funds, refusedReason } = detail;
  const buyer = buyerOf(payment);
  const payee = payeeOf(scene, payment);
  const stage = payment.status === 'settled' ? 'done' : funds.receivedMinor > 0n ? 'way' : 'ahead';
  const reference = referenceOf(payment);
  const place = payment.origin === 'invoice' ? 'invoices' : 'payments';
  return {
    title: `${format.money(payment.amount)}, ${reference}`,
    live: detail.live,
    heading: (
      <span class="amount">
        <span class="iso">{payment.amount.currency}</span> {format.digits(payment.amount)}
      </span>
    ),
    lede: texts.payment.lede[stage](buyer, payee),
    place,
    crumbs: (
      <>
        <a href={`${view.path}/${place}`}>{texts.places[place]}</a> / <Foreign text={reference} />
      </>
    ),
    errors: refusedReason === null ? [] : [{ field: 'reason', text: texts.payment.noReason }],
    body: (
      <>
        <div class="line ends">
          <p class="line">
            <States payment={payment} funds={funds} pill />
          </p>
          <div class="actions">
            {isPageOpen(payment) ? (
              <ButtonLink href={`${view.root}/r/${payment.publicId}`} icon="open">
                {texts.payment.buyerSees}
              </ButtonLink>
            ) : null}
          </div>
        </div>
        <div class="cols">
          <div class="stack">
            <WhereMoneyIs detail={detail} />
            <Money detail={detail} />
            <Items detail={detail} />
            <Timeline detail={detail} />
            <Webhooks detail={detail} />
          </div>
          <div class="stack">
            <NextStep detail={detail} />
            <Details detail={detail} />
            <CheckCode detail={detail} />
            <Price detail={detail} />
            <Metadata detail={detail} />
            <Cancel detail={detail} />
          </div>
        </div>
      </>
    ),
  };
}

interface Part {
  readonly detail: Detail;
}

function WhereMoneyIs({ detail }: Part): VNode {
  const scene = useDashboard();
  const { texts } = scene;
  return (
    <section class="card">
      <h2>{texts.payment.where}</h2>
      <Route stops={stopsOf(scene, detail)} wide />
    </section>
  );
}

function stopsOf(scene: DashboardScene, detail: Detail): readonly Stop[] {
  const { texts, format } = scene;
  const { payment, funds } = detail;
  const words = texts.payment;
  const inCurrency = (minor: bigint) => format.money(money(minor, funds.currency));
  const held = heldMinor(funds);
  const goesBack = funds.refundOwedMinor + funds.refundOrderedMinor;
  const settled = standingOf(detail.settlements)?.settled ?? null;
  const isPaid = payment.status === 'settled' && funds.position === 'paid';
  const hasSent = funds.receivedMinor > 0n;
  const isBack = hasSent && !isPaid && held === 0n && funds.payoutMinor === 0n && goesBack === 0n;
  const needsPerson = funds.position === 'needs_review' || funds.refund === 'needs_review';
  const atPartner = needsPerson
    ? words.person
    : goesBack > 0n
      ? words.back(inCurrency(goesBack))
      : isPaid
        ? words.paidOut
        : funds.payoutMinor > 0n
          ? words.paysOut
          : words.holds(inCurrency(held));
  return [
    {
      name: buyerOf(payment),
      caption: isBack
        ? `${words.refunded}: ${inCurrency(funds.refundedMinor)}`
        : hasSent
          ? words.paid(inCurrency(funds.receivedMinor))
          : words.nothingYet,
      state: isBack || !hasSent ? 'here' : 'done',
    },
    {
      name: words.partner,
      caption: hasSent && !isBack ? atPartner : '',
      state: !hasSent || isBack ? 'ahead' : isPaid ? 'done' : 'here',
    },
    {
      name: payeeOf(scene, payment),
      caption: settled === null || !isPaid ? words.byPix : words.gotten(format.money(settled)),
      state: isPaid ? 'done' : 'ahead',
    },
  ];
}

function Money({ detail }: Part): VNode {
  const { texts, format } = useDashboard();
  const { funds, payment } = detail;
  const { coveredAtMs } = payment;
  const settlement = standingOf(detail.settlements);
  const words = texts.payment;
  const digits = (minor: bigint) => format.digits(money(minor, funds.currency));
  const fees = settlement === null ? null : words.ofItFees(digits(settlement.fees.amountMinor));
  const out = [
    [words.payout, funds.payoutMinor, settlement?.settledAtMs ?? null, fees],
    [words.refundOrdered, funds.refundOrderedMinor, null, null],
    [words.refunded, funds.refundedMinor, null, null],
    [words.owed, funds.refundOwedMinor, null, null],
  ] as const;
  return (
    <section class="card">
      <div class="line ends">
        <h2>{words.money}</h2>
        <Badge look={lookOf(funds.position)} text={texts.position[funds.position]} />
      </div>
      <table class="doc">
        <caption class="vh">{words.moneyOf(funds.currency)}</caption>
        <thead>
          <tr>
            <th scope="col">{funds.currency}</th>
            <th scope="col" class="num">
              {words.in}
            </th>
            <th scope="col" class="num">
              {words.out}
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">
              {words.received}
              <MoneyNote atMs={coveredAtMs} text={null} />
            </th>
            <td class="num">{digits(funds.receivedMinor)}</td>
            <td />
          </tr>
          {out.map(([label, minor, atMs, text]) =>
            minor === 0n ? null : (
              <tr>
                <th scope="row">
                  {label}
                  <MoneyNote atMs={atMs} text={text} />
                </th>
                <td />
                <td class="num">{digits(minor)}</td>
              </tr>
            ),
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{words.held}</th>
            <td />
            <td class="num">{digits(heldMinor(funds))}</td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

/** What the buyer pays for, as the creator of the payment wrote it; nothing if it did not. */
function Items({ detail: { payment } }: Part): VNode | null {
  const { texts } = useDashboard();
  const display = readDisplay(payment.display);
  if (display === null) return null;
  const { title, notes, lineItems } = display;
  if (title === null && notes === null && lineItems.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{texts.invoice.items}</h2>
      {title === null ? null : (
        <p>
          <Foreign text={title} />
        </p>
      )}
      {lineItems.length === 0 ? null : (
        <table class="doc">
          <caption class="vh">{texts.invoice.lines}</caption>
          <tbody>
            {lineItems.map(({ description, quantity, subtotal }) => (
              <tr>
                <th scope="row">
                  <Foreign text={description} />
                  {quantity === null ? null : <span class="sub">× {quantity}</span>}
                </th>
                <td class="num">{subtotal ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {notes === null ? null : (
        <p>
          <Foreign text={notes} />
        </p>
      )}
    </section>
  );
}

interface MoneyNoteProps {
  readonly atMs: number | null;
  readonly text: string | null;
}

/** When it was, and what belongs to it; nothing of both: no note. */
function MoneyNote({ atMs, text }: MoneyNoteProps): VNode | null {
  const { format } = useDashboard();
  const parts = [atMs === null ? null : format.short(atMs), text].filter((part) => part !== null);
  return parts.length === 0 ? null : <span class="sub">{parts.join(', ')}</span>;
}

/** The shape of a state of money (dashboard.css). */
function lookOf(position: Detail['funds']['position']): string {
  if (position === 'needs_review') return 'operator';
  return position === 'returned_to_buyer' ? 'handed_back' : position;
}

function Timeline({ detail }: Part): VNode {
  const scene = useDashboard();
  const { texts, format } = scene;
  return (
    <section class="card">
      <h2>{texts.payment.timeline}</h2>
      <ol class="timeline">
        {detail.entries.flatMap((entry) => {
          const told = entryText(scene, entry);
          if (told === null) return [];
          return [
            <li class={told.look}>
              <time dateTime={new Date(entry.atMs).toISOString()}>{format.exact(entry.atMs)}</time>
              <div>
                <p>{told.text}</p>
                {told.note === undefined ? null : <p>{told.note}</p>}
              </div>
            </li>,
          ];
        })}
      </ol>
    </section>
  );
}

interface EntryText {
  readonly text: string;
  readonly note?: string | VNode;
  readonly look?: 'money' | 'bad';
}

/** Null for what another entry says. */
function entryText({ texts, format }: DashboardScene, entry: TimelineEntry): EntryText | null {
  const words = texts.payment;
  switch (entry.kind) {
    case 'created':
      return { text: words.entries.created, note: format.money(entry.amount) };
    case 'limit_reached':
    case 'approval_lost':
      return { text: words.entries[entry.kind], look: 'bad' };
    case 'question':
      return { text: words.entries.question, note: <Foreign text={entry.question} /> };
    case 'colleague_approval':
      return {
        text: words.colleagueApproval[entry.state],
        ...(entry.state === 'declined' ? { look: 'bad' } : {}),
      };
    case 'status':
      return {
        text: texts.status[entry.status],
        ...(entry.reason === null ? {} : { note: <Foreign text={entry.reason} /> }),
        ...(entry.status === 'failed' ? { look: 'bad' } : {}),
      };
    case 'partner_command':
      return {
        text: words.commandMade(words.commands[entry.commandKind], format.money(entry.amount)),
        note: <span class="code">{entry.commandId}</span>,
      };
    case 'partner_call':
      return { text: words.commandSent(words.commands[entry.commandKind]) };
    case 'partner_outcome':
      return {
        text: `${words.commands[entry.commandKind]} ${words.outcomes[entry.outcome]}`,
        ...(entry.outcome === 'completed' ? {} : { look: 'bad' }),
      };
    case 'money': {
      const amount = movedIn(entry.lines);
      return {
        text: words.facts[entry.fact],
        look: 'money',
        ...(amount === null ? {} : { note: format.money(amount) }),
      };
    }
    case 'attempt': {
      const { responseStatus, error } = entry;
      // The table of webhooks has those that arrived.
      if (responseStatus !== null && responseStatus < 300) return null;
      const answer = responseStatus === null ? (error ?? '') : words.answered(responseStatus);
      return {
        text: words.notSent,
        note: `${words.attempt(entry.attempt)}, ${answer}`,
        look: 'bad',
      };
    }
    case 'delivery':
      return null;
  }
}

/** Where the money of a posting went, the farthest from the buyer first. */
const ends: readonly LedgerAccount[] = ['seller', 'partner_float', 'refunds', 'buyer'];

function movedIn(lines: readonly LedgerLine[]): Amount | null {
  const into = lines.filter(({ money: { amountMinor } }) => amountMinor > 0n);
  const line = ends.map((end) => into.find(({ account }) => account === end)).find(Boolean);
  return (line ?? into[0])?.money ?? null;
}

function Webhooks({ detail }: Part): VNode {
  const { texts, view, format } = useDashboard();
  const words = texts.payment;
  const found = detail.entries.filter((entry) => entry.kind === 'delivery').toReversed();
  // Entries are in the order of time: the last attempt counts.
  const answers = new Map(
    detail.entries
      .filter((entry) => entry.kind === 'attempt')
      .map(({ deliveryId, responseStatus, error }) => [deliveryId, responseStatus ?? error]),
  );
  return (
    <section class="stack" aria-labelledby="webhooks">
      <div class="line ends">
        <h2 id="webhooks">{words.webhooks}</h2>
        <a href={`${view.path}/events?subject=${detail.payment.id}`}>{texts.events.ofPayment}</a>
      </div>
      {found.length === 0 ? (
        <p class="quiet">{words.noWebhooks}</p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{words.event}</th>
                <th scope="col" class="only-l">
                  {texts.payments.created}
                </th>
                <th scope="col">{words.state}</th>
                {detail.mayReplay ? (
                  <th scope="col">
                    <span class="vh">{words.action}</span>
                  </th>
                ) : null}
              </tr>
            </thead>
            <tbody>
              {found.map(({ eventType, atMs, status, subscriptionId, deliveryId }) => (
                <tr>
                  <th scope="row" class="code">
                    <a href={deliveryPath(view.path, { subscriptionId, id: deliveryId })}>
                      {eventType}
                    </a>
                  </th>
                  <td class="only-l when">{format.short(atMs)}</td>
                  <td>
                    <Badge look={status} text={texts.delivery[status]} />
                    <span class="sub">{answers.get(deliveryId)}</span>
                  </td>
                  {detail.mayReplay ? (
                    <td class="num">
                      {status === 'pending' ? null : (
                        <Form to={`payments/${detail.payment.id}/replay`}>
                          <input type="hidden" name="subscription" value={subscriptionId} />
                          <input type="hidden" name="delivery" value={deliveryId} />
                          <Button look="sm">
                            {words.replay}
                            <span class="vh"> {eventType}</span>
                          </Button>
                        </Form>
                      )}
                    </td>
                  ) : null}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** What a person of the organization does next with the payment; nothing most of the time. */
function NextStep({ detail }: Part): VNode | null {
  const { texts, view } = useDashboard();
  const { payment, memberId, mayWrite, creator } = detail;
  const words = texts.invoice;
  const path = `payments/${payment.id}`;
  if (payment.status === 'awaiting_approval') {
    const isOwn = payment.createdByMemberId === memberId;
    return (
      <section class="card stack">
        <h2>{words.approval}</h2>
        <p>{isOwn ? words.ownApproval : creator === null ? words.check : words.checkOf(creator)}</p>
        {isOwn || !mayWrite ? null : (
          <Form to={`${path}/approve`} class="actions">
            <Button look="primary">{words.approve}</Button>
          </Form>
        )}
        {mayWrite ? null : <p class="small quiet">{words.approvers}</p>}
        {mayWrite && payment.mode === 'test' ? (
          <p class="small quiet">{words.testApproval}</p>
        ) : null}
      </section>
    );
  }
  if (detail.isOtherBuyer) {
    return (
      <section class="card stack">
        <h2>{texts.payment.otherBuyer}</h2>
        <Note look="warn">
          <p>{texts.payment.otherBuyerText}</p>
        </Note>
      </section>
    );
  }
  const isInvited = payment.invitedAtMs !== null;
  const isOpen = payment.status === 'approved' || payment.status === 'awaiting_buyer';
  if (payment.origin !== 'invoice' || !isOpen) return null;
  const waits = detail.nextMailAtMs !== null && detail.nextMailAtMs > view.nowMs;
  return (
    <section class="card stack">
      <h2>{words.invitation}</h2>
      <p>{isInvited ? <Mailed detail={detail} /> : words.notInvited(payment.buyer.email)}</p>
      {waits ? (
        <Note look="warn" live>
          <p>{words.tooSoon(Math.ceil(((detail.nextMailAtMs ?? 0) - view.nowMs) / SECOND_MS))}</p>
        </Note>
      ) : null}
      {mayWrite ? (
        <Form to={`${path}/invite`} class="actions">
          <Button {...(isInvited ? {} : { look: 'primary' })}>
            {isInvited ? words.resend : words.invite}
          </Button>
        </Form>
      ) : null}
      <p class="small quiet">{words.mailLimit}</p>
    </section>
  );
}

function Mailed({ detail: { payment } }: Part): VNode {
  const { texts, format } = useDashboard();
  return <>{texts.invoice.mailed(payment.buyer.email, format.short(payment.invitedAtMs ?? 0))}</>;
}

function Details({ detail }: Part): VNode {
  const scene = useDashboard();
  const { texts, format, view } = scene;
  const { payment, attachment } = detail;
  const words = texts.payment;
  const reason = payment.failureReason ?? payment.cancelReason;
  const facts: readonly (readonly [string, VNode | string] | null)[] = [
    [texts.payments.payee, <Foreign text={payeeOf(scene, payment)} />],
    [
      texts.payments.buyer,
      <>
        <Foreign text={buyerOf(payment)} />
        <br />
        {payment.buyer.email}
      </>,
    ],
    payment.number === null ? null : [words.number, <Foreign text={payment.number} />],
    payment.dueDate === null ? null : [words.due, format.date(payment.dueDate)],
    attachment === null
      ? null
      : [
          texts.invoice.attachment,
          <>
            <a href={`${view.path}/payments/${payment.id}/attachment`}>
              <Foreign text={attachment.fileName} />
            </a>{' '}
            <span class="quiet">{format.fileSize(attachment.sizeBytes)}</span>
          </>,
        ],
    payment.consolidatedReference === null
      ? null
      : [words.paidTogether, <span class="code">{payment.consolidatedReference}</span>],
    payment.externalId === null ? null : [words.yourId, <Foreign text={payment.externalId} />],
    [texts.payments.created, format.short(payment.createdAtMs)],
    detail.creator === null ? null : [texts.invoice.createdBy, detail.creator],
    detail.approver === null ? null : [texts.invoice.approvedBy, detail.approver],
    payment.colleagueApproval === null
      ? null
      : [words.buyersApprover, payment.colleagueApproval.email],
    reason === null ? null : [words.reason, <Foreign text={reason} />],
    [
      words.id,
      <>
        <span class="code">{payment.id}</span> <Copy value={payment.id} label={words.copyId} />
      </>,
    ],
  ];
  return (
    <section class="card">
      <h2>{words.details}</h2>
      <dl class="facts">
        {facts.map((fact) =>
          fact === null ? null : (
            <div>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

function CheckCode({ detail }: Part): VNode | null {
  const { texts } = useDashboard();
  const { bankDetailsCode } = detail.payment;
  if (bankDetailsCode === null) return null;
  return (
    <section class="card">
      <h2>{texts.payment.checkCode}</h2>
      <p class="checkcode">{bankDetailsCode}</p>
      <p class="small quiet">{texts.payment.checkText}</p>
    </section>
  );
}

function Price({ detail }: Part): VNode | null {
  const { texts, format } = useDashboard();
  const { quote } = detail;
  if (quote === null) return null;
  const quoted = { rate: quote.rate, fees: quote.fees, target: quote.target, facts: [] };
  const prices = [
    { label: format.short(quote.createdAtMs), ...quoted },
    ...detail.settlements.map((one) => ({
      label: texts.payment.settled,
      rate: one.fxRate,
      fees: one.fees,
      target: one.settled,
      facts: [
        format.short(one.settledAtMs),
        ...(one.endToEndId === null ? [] : [`PIX ${one.endToEndId}`]),
        ...(one.returnedAtMs === null
          ? []
          : [texts.payment.cameBack(format.short(one.returnedAtMs))]),
      ],
    })),
  ];
  return (
    <section class="card">
      <h2>{texts.payment.price}</h2>
      <dl class="rows right">
        {prices.map(({ label, rate, fees, target, facts }) => (
          <div>
            <dt>{label}</dt>
            <dd class="num">
              {format.rate(rate)}
              <br />
              <span class="quiet">
                {texts.payment.fees}: {format.money(fees)}
              </span>
              <br />
              <span class="quiet">{format.money(target)}</span>
              {facts.map((fact) => (
                <span class="sub">{fact}</span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Metadata({ detail }: Part): VNode | null {
  const { texts } = useDashboard();
  const { metadata } = detail.payment;
  if (/^\s*\{\s*\}\s*$/.test(metadata)) return null;
  return (
    <section class="card">
      <h2>{texts.payment.metadata}</h2>
      <Scroll label={texts.payment.metadata}>
        <pre lang="" dir="auto">
          {indentedJson(metadata)}
        </pre>
      </Scroll>
    </section>
  );
}

function Cancel({ detail }: Part): VNode | null {
  const { texts } = useDashboard();
  const { payment, mayWrite, refusedReason } = detail;
  if (!mayWrite || !isCancellable(payment.status)) return null;
  const error = refusedReason === null ? undefined : texts.payment.noReason;
  return (
    <section class="card">
      <details open={refusedReason !== null}>
        <summary>{texts.payment.cancel}</summary>
        <Form to={`payments/${payment.id}/cancel`} class="stack">
          <p class="small">{texts.payment.cancelText}</p>
          <TextField
            name="reason"
            label={texts.payment.cancelReason}
            value={refusedReason ?? undefined}
            error={error}
          />
          <div class="actions">
            <Button look="danger">{texts.payment.cancel}</Button>
          </div>
        </Form>
      </details>
    </section>
  );
}
