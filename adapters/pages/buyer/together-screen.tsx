// One transfer for several payments: what the buyer confirms, and what the bank details are for.
import type { Money } from '../../../core/domain/base/money.js';
import { hostedPath } from '../../../core/domain/hosted/hosted-page.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { ConsolidatedOffer } from '../../../core/usecases/hosted/consolidated-payments.js';
import type { ScreenContent } from '../hosted/layout.js';
import type { TogetherView } from '../hosted/page-view.js';
import type { PaymentScene } from '../hosted/scene.js';
import {
  ButtonLink,
  Day,
  type FactRow,
  Foreign,
  Form,
  Note,
  Rows,
  Submit,
  Time,
} from '../kit/components.js';
import { Card } from '../kit/pages/card.js';
import { Table } from '../kit/pages/table.js';
import { condition, PayWithin, rateOf } from './money-parts.js';

export function togetherScreen(scene: PaymentScene, offer: ConsolidatedOffer): ScreenContent {
  const { texts, format, org } = scene;
  const { payments, total } = offer;
  const quotes = payments.flatMap(({ quote }) => quote ?? []);
  const [firstDue] = payments.flatMap(({ payment }) => payment.dueDate ?? []).toSorted();
  const ends = quotes.map(({ expiresAtMs }) => expiresAtMs);
  return {
    title: texts.together.heading(payments.length),
    lede: texts.together.lede(payments[0]?.payment.payeeName ?? org),
    station: null,
    about: <></>,
    body: [
      <Offer scene={scene} offer={offer} />,
      quotes.length === 0 ? null : (
        <p class="small quiet">{condition(scene, conditionOf(quotes, total))}</p>
      ),
      quotes.length === payments.length ? null : (
        <p class="small quiet">{texts.together.accepted}</p>
      ),
      <p>{texts.together.order}</p>,
      <PayWithin scene={scene} dueDate={firstDue ?? null} />,
      <Note text={texts.together.isSent} />,
      <Form to="payments/together/confirm" class="stack-s">
        {payments.map(({ payment, quote }) => (
          <input type="hidden" name={payment.id} value={quote?.id ?? ''} />
        ))}
        <Submit beside={<ButtonLink to="payments">{texts.frame.back}</ButtonLink>}>
          {texts.price.confirm(format.money(total))}
        </Submit>
        <p class="small quiet">{texts.price.confirmHint}</p>
      </Form>,
      ends.length === 0 ? null : (
        <p class="small quiet">{texts.price.until(<Time atMs={Math.min(...ends)} as="time" />)}</p>
      ),
    ],
  };
}

function Offer({
  scene,
  offer: { payments, total },
}: Readonly<{ scene: PaymentScene; offer: ConsolidatedOffer }>) {
  const { texts, format } = scene;
  return (
    <Table
      label={texts.together.heading(payments.length)}
      rows={payments}
      folds
      columns={({ column, named }) => [
        named(texts.frame.payment, ({ payment }) => [
          <Foreign text={helpReference(payment)} />,
          <DueDate scene={scene} payment={payment} />,
        ]),
        column(texts.frame.amount, 'num main', ({ missing, quote }) => [
          format.money(missing),
          quote === null ? null : (
            <p class="small quiet">
              {texts.price.fees}: {format.money(quote.fees)}
            </p>
          ),
        ]),
        column(texts.together.receives, 'num', ({ quote }) =>
          quote === null ? null : received(scene, quote),
        ),
      ]}
      foot={[texts.together.total, format.money(total), null]}
    />
  );
}

type Offered = NonNullable<ConsolidatedOffer['payments'][number]['quote']>;

/** What is true of all of them. */
function conditionOf(quotes: readonly Offered[], source: Money) {
  const isLocked = quotes.every(({ rateKind }) => rateKind === 'locked');
  const untilMs = quotes.flatMap(({ lockedUntilMs }) => lockedUntilMs ?? []);
  const lockedUntilMs = untilMs.length === 0 ? null : Math.min(...untilMs);
  return { rateKind: isLocked ? 'locked' : 'indicative', source, lockedUntilMs } as const;
}

function received({ texts, format }: PaymentScene, quote: Offered) {
  const { rateKind, target } = quote;
  const about = rateKind === 'locked' ? null : <small>{texts.price.about} </small>;
  return [about, format.money(target), <p class="small quiet">{rateOf(format, quote)}</p>];
}

/** What the transfer of these bank details pays; nothing if it is for this payment alone. */
export function Together({ scene }: { readonly scene: PaymentScene }) {
  const { texts, payment } = scene;
  const { together } = payment;
  if (together.length === 0) return null;
  return (
    <Card heading={texts.together.pays(together.length)} isStack>
      <Rows look="right" rows={together.map((one) => rowOf(scene, one))} />
      <p>
        <b>{texts.together.once}</b> {texts.together.order}
      </p>
    </Card>
  );
}

function rowOf({ view, texts, format }: PaymentScene, { payment, missing }: TogetherView): FactRow {
  const { publicId, dueDate, purchaseOrder } = payment;
  const path = hostedPath({ kind: 'payment', publicId });
  const note = [
    dueDate === null ? null : (
      <>
        {texts.frame.due} <Day day={dueDate} />
      </>
    ),
    purchaseOrder === null ? null : (
      <>
        {texts.frame.purchaseOrder} <Foreign text={purchaseOrder} />
      </>
    ),
  ].filter((part) => part !== null);
  return {
    label: <a href={`${view.root}${path}`}>{helpReference(payment)}</a>,
    value: format.money(missing),
    look: 'num',
    ...(note.length === 0 ? {} : { note: note.map((part) => <p>{part}</p>) }),
  };
}

export function DueDate({
  scene: { texts },
  payment: { dueDate },
}: Readonly<{ scene: PaymentScene; payment: Payment }>) {
  if (dueDate === null) return null;
  return (
    <p class="small quiet">
      {texts.frame.due} <Day day={dueDate} />
    </p>
  );
}
