// The pages of a payment: what it asks for, sign-in, price, bank details, receipt. The screen of a
// signed-in buyer follows from the state of the payment, never from the page before.
import { z } from 'zod';
import { linkTokenIn } from '../../../core/domain/base/link-text.js';
import { tenantOf } from '../../../core/domain/base/tenant.js';
import type { Period } from '../../../core/domain/base/time-zone.js';
import { hostedPath } from '../../../core/domain/hosted/hosted-page.js';
import type { Screen } from '../../../core/domain/hosted/hosted-screen.js';
import { helpReference, readQuestion } from '../../../core/domain/payments/display.js';
import { answered, assert, isCode, PonteError } from '../../../core/errors.js';
import { readSession } from '../../../core/usecases/access/open-sessions.js';
import {
  buyerPages,
  presentYear,
  readBuyerPayments,
} from '../../../core/usecases/hosted/buyer-payments.js';
import {
  confirmFacts,
  confirmQuote,
  requestQuote,
} from '../../../core/usecases/hosted/buyer-steps.js';
import {
  colleagueLinks,
  createColleagueLink,
  endColleagueLink,
} from '../../../core/usecases/hosted/colleague-links.js';
import {
  consolidatableOf,
  offerConsolidated,
  payConsolidated,
} from '../../../core/usecases/hosted/consolidated-payments.js';
import { openOther, signInToOthers } from '../../../core/usecases/hosted/covered-payments.js';
import { type PaymentPage, readPaymentPage } from '../../../core/usecases/hosted/payment-page.js';
import { askQuestion } from '../../../core/usecases/hosted/questions.js';
import { downloadPapers } from '../../../core/usecases/parties/vendor-papers.js';
import { takeShortBack } from '../../../core/usecases/payments/payments.js';
import { simulate } from '../../../core/usecases/sandbox/simulations.js';
import { takePageSlot } from '../../../core/usecases/service/rate-limits.js';
import type { FilePage, Page, PageView } from '../hosted/page-view.js';
import { paymentScene, sceneOf } from '../hosted/scene.js';
import { localeFor } from '../hosted/unpaid-view.js';
import { accessRows, openedLink, signOutRow } from '../kit/access-pages.js';
import { changeStream } from '../kit/change-stream.js';
import { attachedFile } from '../kit/files/attached-file.js';
import { zipFile } from '../kit/files/zip-file.js';
import {
  download,
  html,
  type PageAnswer,
  type PageCall,
  type PageContext,
  type PageRoute,
  pageRow,
  rowsAt,
  seeOther,
  withNotice,
} from '../kit/page-route.js';
import { formKey, newFormKey, newIdOf } from '../kit/pages/form-key.js';
import { openProof, proofFiles } from '../proof/proof-pack.js';
import { deadlineFile } from './deadline-file.js';
import { logoOf, paymentFile } from './payment-file.js';
import { colleagueView, paymentIn, paymentView, publicIdOf } from './payment-view.js';
import { type Download, paymentsFile } from './payments-screen.js';
import { renderPage } from './render.js';

type PaymentCall<F = unknown> = PageCall<'none' | 'buyer', F>;

/** The buyer must still send money. */
const withDetails: readonly Screen[] = ['bank_details', 'short'];
const paying: readonly Screen[] = [...withDetails, 'held', 'arrived', 'on_the_way', 'paid'];
/** Whether a payment has the page now. */
type HasPage = (shown: PaymentPage) => boolean;
/** The version of the payment that the page showed. */
const versionText = z.string().regex(/^\d{1,15}$/);
const changeForm = z.object({ version: versionText });
/** The quote that the page showed says enough. */
const confirmForm = z.object({ quoteId: z.string().max(64) });
const factsForm = z.object({ born: z.string().max(64), number: z.string().max(64) });
const questionForm = z.object({ key: formKey, question: z.string().max(4_000).default('') });
const endLinkForm = z.object({ link: z.string().regex(/^[0-9a-f]{64}$/) });
const chosenForm = z.record(z.string(), z.string().max(64));
const otherForm = z.object({ payment: z.string().max(64) });
const paymentName = /^(pi|inv)_\w{1,40}$/;
const simulateForm = z.object({ event: z.string().max(64) });

const ofPayment = rowsAt('payment', '/r/{publicId}');
const ofColleague = rowsAt('colleague', '/r/{publicId}');

export const paymentPages = [
  ofPayment.shows('', 'none', showPayment),
  ...accessRows({
    subject: 'payment',
    root: '/r/{publicId}',
    sessionCookie: 'session',
    asksAddress: false,
    pageOf: (call) => ({ kind: 'payment', publicId: publicIdOf(call) }),
    localeOf: async (context, call) => localeFor(call, (await paymentIn(context, call)).display),
    show,
    entered: getPrice,
  }),
  signOutRow('payment', '/r/{publicId}', 'buyer'),
  ofPayment.takes('/quote', 'buyer', 'quote', changeForm, askQuote),
  ofPayment.takes('/confirm', 'person', 'none', confirmForm, confirm),
  ofPayment.takes('/facts', 'buyer', 'quote', factsForm, typeFacts),
  pageAt('/take-back', ({ screen }) => screen === 'short', { name: 'take_back' }),
  ofPayment.takes('/take-back', 'person', 'none', changeForm, takeBack),
  ofPayment.shows('/share', 'buyer', (context, call) => showShare(context, call, null)),
  ofPayment.takes('/share', 'person', 'share', z.object({}), share),
  ofPayment.takes('/share/end', 'buyer', 'none', endLinkForm, endLink),
  ofColleague.shows('/colleague', 'none', showColleague),
  ofColleague.shows('/colleague/instructions.pdf', 'none', async (context, call) => {
    const view = await forColleague(context, call);
    // Not before: who has no link would take it from the buyer.
    await takePageSlot(context.deps, 'file', publicIdOf(call));
    return printed(context, view, 'instructions', `${call.base}/colleague`);
  }),
  ofPayment.shows('/question', 'buyer', async (context, call) => {
    const key = newFormKey(context.deps);
    return show(context, call, { name: 'question', key, typed: '', isRefused: false });
  }),
  ofPayment.takes('/question', 'buyer', 'none', questionForm, ask),
  ...printedAt('instructions', ({ screen }) => withDetails.includes(screen)),
  ...printedAt('receipt', ({ screen }) => screen === 'paid'),
  ...printedAt(
    'remittance',
    ({ screen, consolidated }) => paying.includes(screen) && consolidated.length > 0,
  ),
  ofPayment.shows('/attachment', 'buyer', attachment, 'file'),
  ofPayment.shows('/proof.zip', 'buyer', proofOfBuyer, 'file'),
  ofPayment.shows('/vendor-documents.zip', 'buyer', vendorDocuments, 'file'),
  ofPayment.shows('/deadline.ics', 'buyer', deadline),
  ofPayment.shows('/payments', 'buyer', async (context, call) => {
    const period = await periodOf(context, call);
    const page = await readBuyerPayments(context.deps, publicIdOf(call), period);
    const choices = await consolidatableOf(context.deps, page.payments);
    const isAll = call.query.has('all');
    return show(context, call, { name: 'payments', period, choices, isAll, ...page });
  }),
  ofPayment.takes('/payments/all', 'person', 'none', z.object({}), async ({ deps }, call) => {
    await signInToOthers(deps, await paymentIn({ deps }, call));
    return seeOther(`${call.base}/payments`);
  }),
  ofPayment.takes('/payments/open', 'person', 'none', otherForm, openOtherPage),
  ofPayment.takes('/payments/together', 'buyer', 'quote', chosenForm, offerTogether),
  ofPayment.takes('/payments/together/confirm', 'person', 'quote', chosenForm, payTogether),
  ofPayment.shows('/payments.csv', 'buyer', async (context, call) => {
    const shown = await readPaymentPage(context.deps, publicIdOf(call));
    const view = paymentView(context, call, shown, { name: 'payment', screen: shown.screen });
    // Of another period than the one that was asked for, a file would be wrong.
    const asked = call.query.get('period');
    if (asked !== null && !periodForm.test(asked)) throw new PonteError('NotFound');
    const period = await periodOf(context, call);
    const pages = buyerPages(call.freshDeps, publicIdOf(call), period);
    return saved(paymentsFile(paymentScene(sceneOf(view)), period, pages));
  }),
  pageRow({
    subject: 'payment',
    method: 'GET',
    path: '/r/{publicId}/status',
    auth: 'buyer',
    limit: 'none',
    csrf: 'none',
    form: 'none',
    background: true,
    handler: async ({ watch }, { query, session, cookies, gone, freshDeps }) => {
      const { id: sessionId, paymentId } = session;
      assert(paymentId !== null, 'the session is of the payment in the path');
      const token = cookies.get('session') ?? '';
      return changeStream(watch, gone, {
        watched: { ...tenantOf(session), id: paymentId },
        sessionId,
        shown: query.get('version') ?? '',
        isOpen: async () =>
          (await readSession(freshDeps(), ['buyer'], token, { background: true })) !== null,
      });
    },
  }),
  ofPayment.takes('/simulate', 'buyer', 'none', simulateForm, simulateEvent),
];

async function show(context: PageContext, call: PaymentCall, page: Page): Promise<PageAnswer> {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  return html(renderPage(paymentView(context, call, shown, page)));
}

/** The payment as a page of these screens; null at another one: its bank details or sums differ. */
async function viewAt(
  context: PageContext,
  call: PaymentCall,
  has: HasPage,
  page: Page,
): Promise<PageView | null> {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  return has(shown) ? paymentView(context, call, shown, page) : null;
}

function pageAt(tail: string, has: HasPage, page: Page): PageRoute {
  return ofPayment.shows(tail, 'buyer', async (context, call) => {
    const view = await viewAt(context, call, has, page);
    return view === null ? seeOther(call.base) : html(renderPage(view));
  });
}

/** A page for the printer, and the same as a file. */
function printedAt(name: FilePage, has: HasPage): readonly PageRoute[] {
  const file = ofPayment.shows(
    `/${name}.pdf`,
    'buyer',
    async (context, call) => {
      const view = await viewAt(context, call, has, { name });
      return view === null
        ? seeOther(call.base)
        : printed(context, view, name, `${call.base}/${name}`);
    },
    'file',
  );
  return [pageAt(`/${name}`, has, { name }), file];
}

/** The print view as a file, or itself where a file cannot show its characters. */
async function printed({ deps }: PageContext, view: PageView, name: FilePage, page: string) {
  const file = await paymentFile(view, name, await logoOf(deps, view));
  return file === null ? seeOther(`${page}#print`) : saved(file);
}

/** The payments of a form by id, each with its quote. */
function chosenIn(form: Readonly<Record<string, string>>) {
  return Object.entries(form)
    .filter(([name]) => paymentName.test(name))
    .map(([paymentId, quoteId]) => ({ paymentId, quoteId: quoteId === '' ? null : quoteId }));
}

async function offerTogether(context: PageContext, call: PaymentCall<z.infer<typeof chosenForm>>) {
  const ids = chosenIn(call.form).map(({ paymentId }) => paymentId);
  try {
    const offer = await offerConsolidated(context.deps, publicIdOf(call), ids);
    return await show(context, call, { name: 'together', offer });
  } catch (error) {
    return chooseAgain(call, error);
  }
}

async function openOtherPage(
  { deps, prefix }: PageContext,
  call: PageCall<'buyer', z.infer<typeof otherForm>>,
): Promise<PageAnswer> {
  const shown = await paymentIn({ deps }, call);
  const locale = localeFor(call, shown.display);
  const { token, payment } = await openOther(deps, call.session, call.form.payment, locale);
  const path = `${prefix}${hostedPath({ kind: 'payment', publicId: payment.publicId })}`;
  return seeOther(path, [{ name: 'session', value: token, path }]);
}

async function payTogether(
  { deps, prefix }: PageContext,
  call: PaymentCall<z.infer<typeof chosenForm>>,
): Promise<PageAnswer> {
  const shown = await paymentIn({ deps }, call);
  const locale = localeFor(call, shown.display);
  try {
    const accepted = chosenIn(call.form);
    const first = await payConsolidated(deps, publicIdOf(call), accepted, locale);
    // The session is of this page; the page of another payment asks for a sign-in.
    const isHere = accepted.some(({ paymentId }) => paymentId === shown.id);
    const { publicId } = isHere ? shown : first;
    return seeOther(`${prefix}${hostedPath({ kind: 'payment', publicId })}`);
  } catch (error) {
    return chooseAgain(call, error);
  }
}

const changed = [
  'PaymentStateConflict',
  'QuoteChanged',
  'QuoteExpired',
  'ValidationError',
] as const;

/** The payments or their prices have changed, or too few were chosen. */
function chooseAgain({ base }: PaymentCall, error: unknown): PageAnswer {
  const list = `${base}/payments`;
  if (isCode(error, 'PartnerUnavailable')) return seeOther(withNotice(list, 'quote_unavailable'));
  if (isCode(error, 'AmountAboveCap')) return seeOther(withNotice(list, 'together_too_much'));
  if (!changed.some((code) => isCode(error, code))) throw error;
  return seeOther(withNotice(list, 'choose_together'));
}

async function deadline(context: PageContext, call: PaymentCall): Promise<PageAnswer> {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  const view = paymentView(context, call, shown, { name: 'payment', screen: shown.screen });
  const isAwaited = withDetails.includes(shown.screen);
  const file = isAwaited ? deadlineFile(paymentScene(sceneOf(view))) : null;
  return file === null ? seeOther(call.base) : saved(file);
}

const periodForm = /^(20[0-9]{2})(?:-(0[1-9]|1[0-2]))?$/;

/** The period of the query, as `2026` or `2026-11`, else this year. */
async function periodOf({ deps }: PageContext, call: PaymentCall): Promise<Period> {
  const asked = periodForm.exec(call.query.get('period') ?? '');
  const [, year, month] = asked ?? [];
  if (year === undefined) return presentYear(deps, publicIdOf(call));
  return {
    year: Number.parseInt(year, 10),
    month: month === undefined ? null : Number.parseInt(month, 10),
  };
}

const saved = ({ name, type, bytes }: Download) => download(name, type, bytes);

async function showPayment(context: PageContext, call: PaymentCall): Promise<PageAnswer> {
  const { deps } = context;
  const opened = openedLink(call);
  if (opened !== null) return opened;
  const shown = await readPaymentPage(deps, publicIdOf(call));
  return html(renderPage(paymentView(context, call, shown, await pageOf(deps, call, shown))));
}

/** What a buyer who is signed in, or is not, sees first. */
async function pageOf(deps: PageContext['deps'], call: PaymentCall, shown: Shown): Promise<Page> {
  const { payment, screen } = shown;
  if (call.session === null) {
    return { name: call.query.has('sent') && call.cookies.has('browser') ? 'sent' : 'ask' };
  }
  const before = call.query.get('shown');
  if (before === null || screen !== 'price' || before === payment.quoteId) {
    return { name: 'payment', screen };
  }
  const quote = await deps.store.run((tx) => tx.quotes.get(payment, before));
  return { name: 'price_changed', shown: quote?.paymentId === payment.id ? quote : null };
}

type Shown = Awaited<ReturnType<typeof readPaymentPage>>;

/** A buyer who needs no KYC lands on the price. */
async function getPrice({ deps }: PageContext, call: PaymentCall): Promise<void> {
  const { payment, screen } = await readPaymentPage(deps, publicIdOf(call));
  if (screen === 'price_ask') await requestQuote(deps, payment, payment.id).catch(() => undefined);
}

/** The payment, if the page that sent the form showed its current state. */
async function unchanged(deps: PageContext['deps'], call: PaymentCall<{ version: string }>) {
  const shown = await readPaymentPage(deps, publicIdOf(call));
  if (`${shown.payment.version}` !== call.form.version) {
    throw new PonteError('PaymentStateConflict');
  }
  return shown;
}

async function askQuote({ deps }: PageContext, call: PaymentCall<{ version: string }>) {
  const { payment } = await unchanged(deps, call);
  const asked = requestQuote(deps, payment, payment.id).then(() => seeOther(call.base));
  const unavailable = () => seeOther(withNotice(call.base, 'quote_unavailable'));
  return asked.catch(answered({ PartnerUnavailable: unavailable }));
}

async function confirm({ deps }: PageContext, call: PaymentCall<{ quoteId: string }>) {
  const { quoteId } = call.form;
  const { payment, screen } = await readPaymentPage(deps, publicIdOf(call));
  // The second click on the button.
  if (payment.quoteId === quoteId && screen !== 'price') return seeOther(call.base);
  const locale = localeFor(call, payment.display);
  const confirmed = confirmQuote(deps, payment, payment.id, quoteId, locale);
  const changedMeanwhile = () => seeOther(`${call.base}?shown=${encodeURIComponent(quoteId)}`);
  return confirmed
    .then(() => seeOther(call.base))
    .catch(answered({ QuoteChanged: changedMeanwhile }));
}

async function typeFacts(context: PageContext, call: PaymentCall<z.infer<typeof factsForm>>) {
  const { deps } = context;
  const payment = await paymentIn({ deps }, call);
  const result = await confirmFacts(deps, payment, payment.id, call.form);
  if (result === 'right') await getPrice(context, call);
  return seeOther(result === 'wrong' ? withNotice(call.base, 'facts_wrong') : call.base);
}

/** The buyer of a short payment gets its money back. */
async function takeBack({ deps }: PageContext, call: PaymentCall<{ version: string }>) {
  const payment = await paymentIn({ deps }, call);
  await takeShortBack(deps, payment, payment.id, Number.parseInt(call.form.version, 10));
  return seeOther(withNotice(call.base, 'take_back_asked'));
}

async function vendorDocuments({ deps }: PageContext, call: PaymentCall): Promise<PageAnswer> {
  const payment = await paymentIn({ deps }, call);
  const papers = await downloadPapers(deps, payment);
  const name = `vendor-documents-${helpReference(payment).replace(/[^a-z0-9.-]/gi, '-')}.zip`;
  return download(name, 'application/zip', zipFile(papers, deps.clock.nowMs()));
}

/** NotFound before the settlement. */
async function proofOfBuyer({ deps }: PageContext, call: PaymentCall): Promise<PageAnswer> {
  const payment = await paymentIn({ deps }, call);
  if (payment.settledAtMs === null) throw new PonteError('NotFound');
  const locale = localeFor(call, payment.display);
  return proofFiles['proof.zip'](
    deps,
    await openProof(deps, payment, { audience: 'buyer', locale }),
  );
}

async function attachment({ deps }: PageContext, call: PaymentCall): Promise<PageAnswer> {
  return attachedFile(deps, await paymentIn({ deps }, call));
}

async function showShare(context: PageContext, call: PaymentCall, url: string | null) {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  const links = await colleagueLinks(context.deps, shown.payment);
  if (!withDetails.includes(shown.screen)) return seeOther(call.base);
  return html(renderPage(paymentView(context, call, shown, { name: 'share', links, url })));
}

/** The only page that has the link. A reload makes another one. */
async function share(context: PageContext, call: PaymentCall): Promise<PageAnswer> {
  const { payment, screen } = await readPaymentPage(context.deps, publicIdOf(call));
  if (!withDetails.includes(screen)) throw new PonteError('PaymentStateConflict');
  return showShare(context, call, await createColleagueLink(context.deps, payment));
}

async function endLink({ deps }: PageContext, call: PaymentCall<z.infer<typeof endLinkForm>>) {
  const payment = await paymentIn({ deps }, call);
  await endColleagueLink(deps, payment, call.form.link);
  return seeOther(`${call.base}/share`);
}

/** The link sets the cookie of its session, so that its token leaves the address. */
async function showColleague(context: PageContext, call: PaymentCall): Promise<PageAnswer> {
  const token = linkTokenIn(call.query);
  if (token !== null) {
    return seeOther(
      call.base,
      token === '' ? [] : [{ name: 'session', value: token, path: call.base }],
    );
  }
  return html(renderPage(await forColleague(context, call)));
}

/** NotFound for a link that ended, and one of a payment that awaits no money. */
async function forColleague(context: PageContext, call: PaymentCall) {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  if (call.session === null || !withDetails.includes(shown.screen)) {
    throw new PonteError('NotFound');
  }
  return colleagueView(context, call, shown);
}

async function ask(context: PageContext, call: PaymentCall<z.infer<typeof questionForm>>) {
  const { deps } = context;
  const { key, question: typed } = call.form;
  const question = readQuestion(typed);
  if (question === null) {
    const page = { name: 'question', key, typed, isRefused: true } as const;
    return { ...(await show(context, call, page)), status: 422 };
  }
  const payment = await paymentIn({ deps }, call);
  await askQuestion(deps, payment, { mailId: newIdOf(deps, 'mail', payment, key), question });
  return seeOther(withNotice(call.base, 'question_sent'));
}

async function simulateEvent({ deps }: PageContext, call: PaymentCall<{ event: string }>) {
  const payment = await paymentIn({ deps }, call);
  await simulate(deps, payment, payment.id, call.form.event, 'visitors');
  return seeOther(call.base);
}
