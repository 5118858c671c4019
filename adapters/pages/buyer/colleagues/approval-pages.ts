// The pages on which the buyer asks a colleague to approve a payment, and the colleague decides.
// The colleague signs in by another mailed link; the buyer's session opens no page of theirs.
import { z } from 'zod';
import type { ApprovalDecision } from '../../../../core/domain/payments/colleague-approval.js';
import { readQuestion } from '../../../../core/domain/payments/display.js';
import { takesColleagueApproval } from '../../../../core/domain/payments/payment-transitions.js';
import { PonteError } from '../../../../core/errors.js';
import {
  askApprover,
  decideApproval,
} from '../../../../core/usecases/hosted/colleague-approvals.js';
import { readPaymentPage } from '../../../../core/usecases/hosted/payment-page.js';
import type { Page } from '../../hosted/page-view.js';
import { localeFor } from '../../hosted/unpaid-view.js';
import { accessRows, openedLink, signOutRow } from '../../kit/access-pages.js';
import { attachedFile } from '../../kit/files/attached-file.js';
import {
  html,
  limitReached,
  type PageAnswer,
  type PageCall,
  type PageContext,
  rowsAt,
  seeOther,
} from '../../kit/page-route.js';
import { approverView, paymentIn, paymentView, publicIdOf } from '../payment-view.js';
import { renderPage } from '../render.js';

type ApprovalCall<F = unknown> = PageCall<'none' | 'buyer' | 'person', F>;

const askForm = z.object({ email: z.string().max(1_000) });
const declineForm = z.object({ reason: z.string().max(4_000).default('') });

const root = '/r/{publicId}/approval';
const undecided = { name: 'approval', typed: '', isRefused: false } as const;
const ofPayment = rowsAt('payment', '/r/{publicId}');
const ofApprover = rowsAt('approver', root);

export const approvalPages = [
  ofPayment.shows('/ask-approver', 'buyer', (context, call) =>
    showAsk(context, call, { typed: '', problem: null }),
  ),
  ofPayment.takes('/ask-approver', 'buyer', 'share', askForm, ask),
  ofApprover.shows('', 'none', async (context, call) => {
    const isSent = call.query.has('sent') && call.cookies.has('browser');
    const page = isSent && call.session === null ? ({ name: 'sent' } as const) : undecided;
    return openedLink(call) ?? show(context, call, page);
  }),
  ofApprover.shows(
    '/attachment',
    'buyer',
    async ({ deps }, call) => attachedFile(deps, await paymentIn({ deps }, call)),
    'file',
  ),
  ...accessRows({
    subject: 'approver',
    root,
    sessionCookie: 'session',
    asksAddress: false,
    pageOf: (call) => ({ kind: 'approval', publicId: publicIdOf(call) }),
    localeOf: async (context, call) => localeFor(call, (await paymentIn(context, call)).display),
    show,
    entered: async () => undefined,
  }),
  signOutRow('approver', root, 'buyer'),
  ofApprover.takes('/approve', 'person', 'none', z.object({}), (context, call) =>
    decide(context, call, 'approve', null),
  ),
  ofApprover.takes('/decline', 'person', 'none', declineForm, decline),
];

/** NotFound unless the buyer asked somebody. */
async function show(context: PageContext, call: ApprovalCall, page: Page): Promise<PageAnswer> {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  if (shown.payment.colleagueApproval === null) throw new PonteError('NotFound');
  return html(renderPage(approverView(context, call, shown, page)));
}

async function showAsk(
  context: PageContext,
  call: ApprovalCall,
  form: Omit<Extract<Page, { name: 'ask_approver' }>, 'name'>,
): Promise<PageAnswer> {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  const { payment } = shown;
  const isOver =
    !takesColleagueApproval(payment) || payment.colleagueApproval?.state === 'approved';
  if (isOver) return seeOther(call.base);
  return html(renderPage(paymentView(context, call, shown, { name: 'ask_approver', ...form })));
}

async function ask(context: PageContext, call: ApprovalCall<z.infer<typeof askForm>>) {
  const { deps } = context;
  const { client } = call;
  const typed = call.form.email;
  const payment = await paymentIn({ deps }, call);
  const request = { email: typed, locale: localeFor(call, payment.display), client };
  try {
    const problem = await askApprover(deps, payment, request);
    if (problem === null) return seeOther(call.base);
    return { ...(await showAsk(context, call, { typed, problem })), status: 422 };
  } catch (error) {
    return limitReached(context, error, 'mail_too_soon', call.base);
  }
}

async function decline(context: PageContext, call: ApprovalCall<z.infer<typeof declineForm>>) {
  const { reason: typed } = call.form;
  const reason = readQuestion(typed);
  if (reason !== null) return decide(context, call, 'decline', reason);
  return { ...(await show(context, call, { ...undecided, typed, isRefused: true })), status: 422 };
}

const decidedStates = { approve: 'approved', decline: 'declined' } as const;

async function decide(
  { deps }: PageContext,
  call: ApprovalCall,
  decision: ApprovalDecision,
  reason: string | null,
): Promise<PageAnswer> {
  const payment = await paymentIn({ deps }, call);
  // The second click on the button.
  if (payment.colleagueApproval?.state !== decidedStates[decision]) {
    await decideApproval(deps, payment, decision, reason);
  }
  return seeOther(call.base);
}
