// Parts that speak about money: the four answers, the sum of what came in and goes back, and where
// the money is. Every screen of a payment shows each amount that is not zero.
import type { ComponentChildren } from 'preact';
import { deadline } from '../../../core/domain/base/deadline.js';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import { type Money, money } from '../../../core/domain/base/money.js';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import { effectiveRate, type QuoteTerms } from '../../../core/domain/commands/quote.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import { useContacts } from '../hosted/layout.js';
import { type PaymentScene, useScene } from '../hosted/scene.js';
import { Day, type FactRow, Facts, Route, Rows, type Stop, Time } from '../kit/components.js';
import type { Format } from '../kit/format.js';
import { nameOf } from '../kit/plain-text.js';

/** In the payment's currency. */
export type Sums = ReturnType<typeof shownSums>;

export function shownSums({ payment }: PaymentScene) {
  const { receivedMinor, heldMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } =
    payment.money;
  const { amountMinor, currency } = payment.amount;
  const goingBackMinor = refundOwedMinor + refundOrderedMinor;
  const positive = (minor: bigint) => money(minor > 0n ? minor : 0n, currency);
  return {
    asked: payment.amount,
    received: positive(receivedMinor),
    /** Owed or ordered. */
    goingBack: positive(goingBackMinor),
    refunded: positive(refundedMinor),
    /** Received, and neither returned nor going back. */
    kept: positive(receivedMinor - goingBackMinor - refundedMinor),
    /** Asked for and not received. */
    missing: positive(amountMinor - heldMinor),
  };
}

export function isZero({ amountMinor }: Money): boolean {
  return amountMinor === 0n;
}

/** Whether any money of the buyer came in or went back. */
export function hasMoneyMoved(scene: PaymentScene): boolean {
  const { received, goingBack, refunded } = shownSums(scene);
  return !(isZero(received) && isZero(goingBack) && isZero(refunded));
}

/** Exactly what was asked for came in, and nothing goes back. */
function isExact({ asked, received, goingBack, refunded }: Sums): boolean {
  return asked.amountMinor === received.amountMinor && isZero(goingBack) && isZero(refunded);
}

export interface Answered {
  readonly money: ComponentChildren;
  readonly next: ComponentChildren;
  readonly todo: ComponentChildren;
}

/** The last answer is the same everywhere: the integrator, with the reference. */
export function FourAnswers({ money: where, next, todo }: Answered) {
  const words = useScene().texts.answers;
  return (
    <Facts
      look="answers card"
      facts={[
        [words.money, where],
        [words.next, next],
        [words.todo, todo],
        [words.ask, <WhomToAsk />],
      ]}
    />
  );
}

function WhomToAsk() {
  const { view, texts } = useScene();
  const contacts = useContacts();
  const org = <b>{nameOf(view.organization?.name ?? '')}</b>;
  const { payment } = view;
  const asked =
    payment === null ? org : texts.answers.org(org, <b class="digits">{helpReference(payment)}</b>);
  return [asked, contacts.map((contact) => [<br />, contact])];
}

/** “You have paid nothing”, where that is true. */
export function whereMoney(scene: PaymentScene, nothing: string): ComponentChildren {
  const { received, goingBack, refunded, kept } = shownSums(scene);
  const { texts, format } = scene;
  if (!hasMoneyMoved(scene)) return nothing;
  const parts = [
    isZero(kept) ? null : texts.answers.received(format.money(kept), partnerNameOf(scene)),
    isZero(goingBack) ? null : texts.refund.owed(format.money(goingBack)),
    isZero(refunded) ? null : texts.refund.doneLede(format.money(refunded)),
  ].filter((part) => part !== null);
  return parts.length === 0 ? texts.short.received(format.money(received)) : parts.join(' ');
}

export function partnerNameOf({ payment, texts }: PaymentScene): string {
  return payment.partner === null ? texts.frame.partner : nameOf(payment.partner);
}

export function payerNameOf({ payment, texts }: PaymentScene): string {
  return payment.payer === null ? texts.frame.you : nameOf(payment.payer);
}

/** `rest` is the last line: what is missing, or what became of the money that stays. */
function MoneyTable({
  scene,
  rest,
}: Readonly<{ scene: PaymentScene; rest: 'missing' | 'payee' | 'review' }>) {
  const { payment, texts, format, payee } = scene;
  const { asked, received, goingBack, refunded, kept, missing } = shownSums(scene);
  const line = (label: ComponentChildren, amount: Money): FactRow | null =>
    isZero(amount) ? null : { label, value: format.money(amount), look: 'num' };
  const { receivedAtMs } = payment.money;
  const receivedLabel =
    receivedAtMs === null
      ? texts.money.received
      : texts.money.receivedOn(<Time atMs={receivedAtMs} as="day" />);
  const last = {
    missing: line(texts.frame.missing, missing),
    payee: line(texts.money.forPayee(payee), kept),
    review: line(texts.money.review, kept),
  }[rest];
  const rows = [
    line(texts.money.asked, asked),
    line(receivedLabel, received),
    line(texts.money.refunded, refunded),
    line(texts.money.goingBack, goingBack),
    last,
  ].filter((row) => row !== null);
  const marked = rows.map((row, position) =>
    position === rows.length - 1 ? { ...row, look: 'sum' as const } : row,
  );
  return <Rows look="right" rows={marked} />;
}

/** The way there and, in a card, the sum below it. */
export function MoneyCard({
  scene,
  stops,
  rest,
}: {
  readonly scene: PaymentScene;
  readonly stops: readonly Stop[] | null;
  readonly rest: 'missing' | 'payee' | 'review';
}) {
  if (!hasMoneyMoved(scene)) return null;
  // A receipt names what was paid.
  const isTable = scene.payment.settlement === null || !isExact(shownSums(scene));
  if (stops === null && !isTable) return null;
  return (
    <section class="card stack" aria-label={scene.texts.money.heading}>
      {stops === null ? null : <Route stops={stops} wide />}
      {isTable ? <MoneyTable scene={scene} rest={rest} /> : null}
    </section>
  );
}

/** From the buyer to the payee. */
export function payoutRoute(
  scene: PaymentScene,
  at: 'payer' | 'partner' | 'payee' | 'end',
): readonly Stop[] {
  const { texts, format, payment, payee } = scene;
  const { received, kept } = shownSums(scene);
  const { route, money: words } = texts;
  const isLost = payment.status === 'failed';
  const order = ['payer', 'partner', 'payee', 'end'].indexOf(at);
  const state = (position: number) =>
    position < order ? 'done' : position === order ? 'here' : 'ahead';
  const captions: Readonly<Record<typeof at, ComponentChildren>> = {
    payer: route.converts(payment.amount.currency),
    partner: isLost ? words.review : route.holds(format.money(kept)),
    payee: route.passedOn,
    end: route.passedOn,
  };
  return [
    {
      name: payerNameOf(scene),
      caption: at === 'payer' ? route.withYou : route.sent(format.money(received)),
      state: state(0),
    },
    { name: partnerNameOf(scene), caption: captions[at], state: state(1) },
    { name: payee, caption: payeeCaption(scene, at), state: state(2) },
  ];
}

function payeeCaption(scene: PaymentScene, at: Parameters<typeof payoutRoute>[1]): string {
  const { texts, format, payment } = scene;
  const { quote, settlement } = payment;
  // A settlement stays after its payout came back.
  if (at === 'end' && settlement !== null) {
    return texts.route.paidOut(format.money(settlement.settled));
  }
  if (payment.isPayoutBack) return texts.money.review;
  if (at === 'payee') return texts.route.pix;
  if (at === 'partner' && !isZero(shownSums(scene).missing)) return texts.route.waits;
  if (quote === null) return texts.route.receives;
  const amount = format.money(quote.target);
  return quote.rateKind === 'locked'
    ? texts.route.receivesExactly(amount)
    : texts.route.receivesAbout(amount);
}

/** From the partner to the buyer. */
export function refundRoute(scene: PaymentScene, at: 'partner' | 'banks' | 'end'): readonly Stop[] {
  const { texts, format } = scene;
  const { goingBack, refunded } = shownSums(scene);
  const { route } = texts;
  const amount = format.money(at === 'end' ? refunded : goingBack);
  const order = ['partner', 'banks', 'end'].indexOf(at);
  const state = (position: number) =>
    at === 'end' || position < order ? 'done' : position === order ? 'here' : 'ahead';
  return [
    { name: partnerNameOf(scene), caption: route.returns, state: state(0) },
    {
      name: route.banks,
      caption: at === 'banks' ? route.onItsWay(amount) : route.takesDays,
      state: state(1),
    },
    {
      name: payerNameOf(scene),
      caption: at === 'end' ? route.backWithYou(amount) : route.receivesExactly(amount),
      state: state(2),
    },
  ];
}

export function rateOf(format: Format, { source, target, rate }: QuoteTerms): string {
  return rateText(format, rate, source.currency, target.currency);
}

/** What reaches the seller per unit, all costs included. */
export function effectiveOf(format: Format, paid: Money, received: Money): string {
  const rate = effectiveRate(paid, received);
  return rate === null ? '' : rateText(format, rate, paid.currency, received.currency);
}

function rateText(format: Format, rate: string, from: string, to: string): string {
  return `1\u00a0${from} = ${format.rate(rate)}\u00a0${to}`;
}

/** What the buyer can rely on. */
export function condition(
  { texts, format, view }: PaymentScene,
  { rateKind, source, lockedUntilMs }: Pick<QuoteTerms, 'rateKind' | 'source' | 'lockedUntilMs'>,
) {
  if (rateKind === 'indicative') return texts.price.indicative(format.money(source));
  return lockedUntilMs === null
    ? texts.price.locked
    : deadline(lockedUntilMs, view.nowMs, <Time atMs={lockedUntilMs} />)(texts.price.lockedUntil);
}

/** Bank details that end before the payment is due are of no use then. */
export function PayWithin({
  scene,
  dueDate,
}: Readonly<{ scene: PaymentScene; dueDate: string | null }>) {
  const { texts, view, payment } = scene;
  const { payWithinDays: days } = payment;
  if (days === null) return null;
  const { timeZone } = scene.organization;
  const isTooEarly = dueDate !== null && dayOf(timeZone, view.nowMs + days * DAY_MS) < dueDate;
  return (
    <p class="small quiet">
      {texts.price.payWithin(days)}{' '}
      {isTooEarly ? texts.price.tooEarly(days, <Day day={dueDate} />) : null}
    </p>
  );
}
