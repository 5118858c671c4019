// The price: before it is asked for, as it holds, when it ran out, and when another tab got a new
// one. The text of the button is the consent.
import type { QuoteTerms } from '../../../core/domain/commands/quote.js';
import { lacksColleagueApproval } from '../../../core/domain/payments/colleague-approval.js';
import { Countdown, type ScreenContent } from '../hosted/layout.js';
import type { QuoteView } from '../hosted/page-view.js';
import type { PaymentScene } from '../hosted/scene.js';
import { ButtonForm, Form, Rows, Submit, Time } from '../kit/components.js';
import { Icon } from '../kit/icons.js';
import { ApprovalPart } from './colleagues/approval-screens.js';
import { FoldedItems } from './line-items.js';
import {
  condition,
  effectiveOf,
  FourAnswers,
  isZero,
  MoneyCard,
  PayWithin,
  rateOf,
  whereMoney,
} from './money-parts.js';
import { PaymentsLink } from './payments-screen.js';

/** The script asks at once, so that people see it where that failed, or without a script. */
export function askPriceScreen(scene: PaymentScene): ScreenContent {
  const { texts, payee, view } = scene;
  const auto = view.notice === null;
  return {
    title: texts.price.ask(payee),
    lede: texts.price.askText,
    station: 'price',
    ...(auto ? {} : { live: true as const }),
    body: [
      <ButtonForm to="quote" class="actions" auto={auto} look="primary" text={texts.price.show} />,
      <ApprovalPart scene={scene} />,
      <PaymentsLink scene={scene} />,
      <FoldedItems scene={scene} />,
      <MoneyCard scene={scene} stops={null} rest="payee" />,
    ],
  };
}

/** Not live with a button: another price must not appear under it. */
export function priceScreen(scene: PaymentScene): ScreenContent {
  const { texts, payment } = scene;
  return {
    title: texts.price.heading,
    station: 'price',
    ...(lacksColleagueApproval(payment) ? { live: true } : {}),
    body: <Price scene={scene} quote={payment.quote} before={null} />,
  };
}

export function priceChangedScreen(scene: PaymentScene, shown: QuoteTerms | null): ScreenContent {
  const { texts, payment } = scene;
  return {
    title: texts.price.changed,
    lede: texts.price.changedText,
    station: 'price',
    body: <Price scene={scene} quote={payment.quote} before={shown} />,
  };
}

export function priceExpiredScreen(scene: PaymentScene): ScreenContent {
  const { texts, payment } = scene;
  const expiredAtMs = payment.quote?.expiresAtMs ?? scene.view.nowMs;
  return {
    title: texts.price.over,
    station: 'price',
    live: true,
    body: [
      <ButtonForm to="quote" class="actions" look="primary" text={texts.price.renew} />,
      <ApprovalPart scene={scene} />,
      <PaymentsLink scene={scene} />,
      <FourAnswers
        money={whereMoney(scene, texts.answers.nothing)}
        next={texts.price.overNext(<Time atMs={expiredAtMs} />)}
        todo={texts.price.overTodo}
      />,
      <MoneyCard scene={scene} stops={null} rest="payee" />,
    ],
  };
}

/** No price: the amount is over a limit of the payee or the cap per transfer. */
export function priceLimitScreen(scene: PaymentScene): ScreenContent {
  const { texts, payment, org } = scene;
  const untilMs = payment.limit?.untilMs ?? null;
  // What is over the cap must not be split.
  const ask = payment.limit?.period === 'transfer' ? texts.answers.otherWay : texts.limit.ask;
  return {
    title: texts.limit.heading,
    lede: limitCause(scene),
    station: 'price',
    live: true,
    body: [
      <FourAnswers
        money={whereMoney(scene, texts.answers.nothing)}
        next={untilMs === null ? texts.limit.next : texts.limit.until(<Time atMs={untilMs} />)}
        todo={untilMs === null ? ask(org) : texts.limit.wait(org)}
      />,
      <ButtonForm to="quote" class="actions" text={texts.price.renew} />,
      <ApprovalPart scene={scene} />,
      <PaymentsLink scene={scene} />,
      <MoneyCard scene={scene} stops={null} rest="payee" />,
    ],
  };
}

function limitCause({ texts, format, payment, payee }: PaymentScene): string {
  const { period, left } = payment.limit ?? { period: 'unknown', left: null };
  const some = left === null || isZero(left) ? null : format.money(left);
  return texts.limit.cause[period](payee, some);
}

/** The rows, the condition, the button; `before` marks what is different. */
function Price({
  scene,
  quote,
  before,
}: Readonly<{ scene: PaymentScene; quote: QuoteView | null; before: QuoteTerms | null }>) {
  const { texts, format } = scene;
  if (quote === null) return null;
  const amount = format.money(quote.source);
  return [
    <section class="card stack">
      <Rows look="right" rows={priceRows(scene, quote, before)} />
      <p class="small quiet">{condition(scene, quote)}</p>
      <ApprovalPart scene={scene} />
      {lacksColleagueApproval(scene.payment) ? null : (
        <Form to="confirm" class="stack-s" quoteId={quote.id}>
          <Submit beside={<span class="small quiet">{texts.price.confirmHint}</span>}>
            {texts.price.confirm(amount)}
          </Submit>
        </Form>
      )}
    </section>,
    <p class="line tight">
      <Icon name="clock" />
      <span>
        {texts.price.until(
          <b>
            <Time atMs={quote.expiresAtMs} as="time" />
          </b>,
        )}{' '}
        <Countdown untilMs={quote.expiresAtMs} /> {texts.price.after}
      </span>
    </p>,
    <PayWithin scene={scene} dueDate={scene.payment.dueDate} />,
    <PaymentsLink scene={scene} />,
    <FoldedItems scene={scene} />,
    <MoneyCard scene={scene} stops={null} rest="payee" />,
  ];
}

function priceRows(
  { texts, format, payee }: PaymentScene,
  quote: QuoteTerms,
  before: QuoteTerms | null,
) {
  const { price } = texts;
  const row = (label: string, write: (terms: QuoteTerms) => string) => {
    const value = write(quote);
    const old = before === null ? value : write(before);
    const note = old === value ? undefined : <mark>{price.before(old)}</mark>;
    return { label, value, note, look: 'num' as const };
  };
  const receives = row(price.receives(payee), ({ target }) => format.money(target));
  const about = quote.rateKind === 'locked' ? null : <small>{price.about} </small>;
  return [
    row(price.youPay, ({ source }) => format.money(source)),
    row(price.fees, ({ fees }) => format.money(fees)),
    row(price.rate, (terms) => rateOf(format, terms)),
    row(texts.frame.effectiveRate, ({ source, target }) => effectiveOf(format, source, target)),
    { ...receives, value: [about, receives.value], look: 'sum' as const },
  ];
}
