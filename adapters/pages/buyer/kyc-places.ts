// The KYC form of a buyer: of a payment, without a payment, of one owner, and on a phone. Each
// sees the frame that its session may see.
import type { PageSession } from '../../../core/domain/access/session.js';
import { askedFor } from '../../../core/domain/hosted/kyc-draft.js';
import { PonteError } from '../../../core/errors.js';
import { openKycForm } from '../../../core/usecases/hosted/kyc-forms.js';
import { readPaymentPage } from '../../../core/usecases/hosted/payment-page.js';
import { noKyc, type Page, type PageView } from '../hosted/page-view.js';
import { type AnyCall, unpaidView } from '../hosted/unpaid-view.js';
import type { PageContext } from '../kit/page-route.js';
import { correctionLines } from '../kyc/correction-lines.js';
import { inFrame, type PhonePlace, sessionOf } from '../kyc/kyc-view.js';
import { paymentView, publicIdOf } from './payment-view.js';

export const paymentPlace: PhonePlace = {
  async load(context, call) {
    const { deps } = context;
    const session = sessionOf(call);
    const form = await openKycForm(deps, session);
    const shown = await readPaymentPage(deps, publicIdOf(call));
    const view = paymentView(context, call, shown, { name: 'kyc', state: form.state });
    // A phone shows nothing of the payment.
    const seen = session.kind === 'upload' ? { ...view, payment: null, viewer: null } : view;
    const isOpen = shown.screen === 'kyc_form' || shown.screen === 'kyc_corrections';
    const payee = view.payment?.payee ?? null;
    return { ...inFrame({ ...seen, simulate: null }), form, session, payee, isOpen };
  },
  base: ({ base }) => base,
  home: ({ base }) => base,
  async bare(context, call) {
    const page = { name: 'kyc', state: 'form' } as const;
    const shown = await readPaymentPage(context.deps, publicIdOf(call));
    const view = paymentView(context, call, shown, page);
    return { ...view, payment: null, viewer: null, simulate: null };
  },
  async isOf({ deps }, { params }, { paymentId }) {
    const publicId = params['publicId'] ?? '';
    const payment = await deps.store.run((tx) => tx.payments.byPublicId(publicId));
    return payment !== null && payment.id === paymentId;
  },
};

/** A form without a payment, and the part of an owner in any form of a buyer. */
export const formPlace = {
  async load(context: PageContext, call: AnyCall) {
    const session = sessionOf(call);
    const form = await openKycForm(context.deps, session);
    const page = { name: 'kyc', state: form.state } as const;
    const asked = session.kind === 'owner' ? askedFor(form.draft, session.ownerIndex) : null;
    const view = await formView(context, call, page, asked?.email ?? form.email ?? '');
    const isOpen = form.state === 'form' || form.state === 'corrections';
    return { ...inFrame(view), form, session, payee: null, isOpen };
  },
  base: ({ base }: AnyCall) => base,
  home: ({ base }: AnyCall) => base,
  bare: (context: PageContext, call: AnyCall) =>
    formView(context, call, { name: 'kyc', state: 'form' }, ''),
  async isOf({ deps }: PageContext, { params }: AnyCall, { submissionId }: PageSession) {
    const flowId = params['flowId'] ?? '';
    const submission = await deps.store.run((tx) => tx.buyers.submissionByFlow(flowId));
    return submission !== null && submission.id === submissionId;
  },
} satisfies PhonePlace;

/** The view of a form without a payment, or of an owner. NotFound for an unknown address. */
export async function formView(
  context: PageContext,
  call: AnyCall,
  page: Page,
  email: string,
): Promise<PageView> {
  const { deps } = context;
  const { organization, submission } = await deps.store.run(async (tx) => {
    const found = await tx.buyers.submissionByFlow(call.params['flowId'] ?? '');
    const of = found === null ? null : await tx.organizations.get(found.orgId);
    if (found === null || of === null) throw new PonteError('NotFound');
    return { organization: of, submission: found };
  });
  const { session } = call;
  const { mode } = submission;
  const view = unpaidView(context, call, { organization, mode, page, email });
  const corrections = correctionLines(deps, submission, view.locale);
  const isBuyer = session?.kind === 'buyer';
  return {
    ...view,
    kyc: {
      ...noKyc,
      started: true,
      submittedAtMs: submission.submittedAtMs,
      correctByMs: isBuyer ? submission.answerByMs : null,
      corrections: isBuyer ? corrections : [],
    },
  };
}
