// One transfer for several payments: what the buyer confirms, and what the bank details are for.
import type { VNode } from 'preact';
import { pathOf } from '../../../core/domain/hosted/hosted-page.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import type { ConsolidatedOffer } from '../../../core/usecases/hosted/consolidated-payments.js';
import { Button, ButtonLink, Day, Foreign, Form, Note, Scroll, Time } from '../kit/components.js';
import type { ScreenContent } from './layout.js';
import type { TogetherView } from './page-view.js';
import type { PaymentScene } from './scene.js';

export function togetherScreen(scene: PaymentScene, offer: ConsolidatedOffer): ScreenContent {
  const { texts, format, view, org } = scene;
  const { payments, total } = offer;
  const ends = payments.flatMap(({ quote }) => (quote === null ? [] : [quote.expiresAtMs]));
  return {
    title: texts.together.heading(payments.length),
    lede: texts.together.lede(payments[0]?.payment.payeeName ?? org),
    station: null,
    about: <></>,
    body: (
      <>
        <Scroll label={texts.together.heading(payments.length)}>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.paid.payment}</th>
                <th scope="col" class="num">
                  {texts.money.amount}
                </th>
                <th scope="col" class="num">
                  {texts.together.receives}
                </th>
              </tr>
            </thead>
            <tbody>
              {payments.map(({ payment, missing, quote }) => (
                <tr>
                  <td>
                    <Foreign text={helpReference(payment)} />
                    {payment.dueDate === null ? null : (
                      <p class="small quiet">
                        {texts.frame.due} <Day day={payment.dueDate} />
                      </p>
                    )}
                  </td>
                  <td class="num">{format.money(missing)}</td>
                  <td class="num">{quote === null ? null : received(scene, quote)}</td>
                </tr>
              ))}
              <tr>
                <td>
                  <b>{texts.together.total}</b>
                </td>
                <td class="num">
                  <b>{format.money(total)}</b>
                </td>
                <td />
              </tr>
            </tbody>
          </table>
        </Scroll>
        <p>{texts.together.order}</p>
        <Note>
          <p>{texts.together.isSent}</p>
        </Note>
        <Form to="payments/together/confirm" class="actions">
          {payments.map(({ payment, quote }) => (
            <input type="hidden" name={payment.id} value={quote?.id ?? ''} />
          ))}
          <Button look="primary">{texts.together.confirm(format.money(total))}</Button>
          <ButtonLink href={`${view.path}/payments`}>{texts.frame.back}</ButtonLink>
        </Form>
        {ends.length === 0 ? null : (
          <p class="small quiet">
            {texts.price.until(<Time atMs={Math.min(...ends)} as="time" />)}
          </p>
        )}
      </>
    ),
  };
}

type Offered = NonNullable<ConsolidatedOffer['payments'][number]['quote']>;

function received({ texts, format }: PaymentScene, { rateKind, target }: Offered) {
  const about = rateKind === 'locked' ? null : <small>{texts.price.about} </small>;
  return (
    <>
      {about}
      {format.money(target)}
    </>
  );
}

/** What the transfer of these bank details pays; nothing if it is for this payment alone. */
export function Together({ scene }: { readonly scene: PaymentScene }): VNode | null {
  const { texts, payment } = scene;
  const { together } = payment;
  if (together.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{texts.together.pays(together.length)}</h2>
      <table>
        <tbody>
          {together.map((one) => (
            <Line scene={scene} one={one} />
          ))}
        </tbody>
      </table>
      <p>
        <b>{texts.together.once}</b> {texts.together.order}
      </p>
    </section>
  );
}

function Line({ scene, one }: { readonly scene: PaymentScene; one: TogetherView }): VNode {
  const { view, format } = scene;
  const { payment, missing } = one;
  const path = pathOf({ kind: 'payment', publicId: payment.publicId });
  return (
    <tr>
      <td>
        <a href={`${view.root}${path}`}>{helpReference(payment)}</a>
      </td>
      <td>{payment.dueDate === null ? null : <Day day={payment.dueDate} />}</td>
      <td class="num">{format.money(missing)}</td>
    </tr>
  );
}
