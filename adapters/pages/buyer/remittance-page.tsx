// One document for a transfer that pays several payments: what the buyer's books put beside the one
// line of the bank, and what the payee is told the money is for.
import type { VNode } from 'preact';
import { money } from '../../../core/domain/base/money.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import { isTerminal } from '../../../core/domain/payments/payment.js';
import { type ScreenContent, taxIdNote } from '../hosted/layout.js';
import type { PaymentScene } from '../hosted/scene.js';
import { Day, Foreign, PrintActions, Rows, Scroll, Time } from '../kit/components.js';
import { nameOf } from '../kit/plain-text.js';
import { PrintedFrom } from './bank-details.js';
import { FileLinks } from './file-links.js';
import { payerNameOf } from './money-parts.js';

/** The print view. */
export function remittancePage(scene: PaymentScene): ScreenContent {
  const { texts, payment, payee } = scene;
  const { receivedAtMs } = payment.money;
  return {
    title: texts.together.remittance,
    lede: texts.together.pays(payment.members.length),
    station: null,
    about: <></>,
    body: (
      <>
        <PrintActions />
        <Rows
          rows={[
            {
              label: texts.paid.payer,
              value: payment.payer === null ? null : payerNameOf(scene),
            },
            { label: texts.paid.payee, value: payee, ...taxIdNote(payment, texts) },
            {
              label: texts.paid.reference,
              value: payment.instructions?.reference ?? null,
              look: 'code',
            },
            {
              label: texts.paid.receivedAt,
              value: receivedAtMs === null ? null : <Time atMs={receivedAtMs} />,
            },
          ]}
        />
        <Members scene={scene} />
        <PrintedFrom scene={scene} />
      </>
    ),
  };
}

/** The way to it; nothing for a payment that is paid alone. */
export function RemittanceLinks({ scene }: { readonly scene: PaymentScene }): VNode | null {
  const { texts, payment, view } = scene;
  // A colleague has the bank details alone.
  if (payment.members.length === 0 || view.viewer === null) return null;
  return (
    <section class="stack-s">
      <h2>{texts.together.remittance}</h2>
      <p>{texts.together.remittanceText}</p>
      <div class="actions">
        <FileLinks scene={scene} page="remittance" print={texts.together.remittancePrint} />
      </div>
    </section>
  );
}

function Members({ scene }: { readonly scene: PaymentScene }): VNode {
  const { texts, format, payment } = scene;
  const [first] = payment.members;
  const currency = first?.amount.currency ?? payment.amount.currency;
  const totalMinor = payment.members.reduce((sum, { amount }) => sum + amount.amountMinor, 0n);
  return (
    <Scroll label={texts.together.remittance}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.paid.payment}</th>
            <th scope="col">{texts.frame.purchaseOrder}</th>
            <th scope="col">{texts.frame.due}</th>
            <th scope="col">{texts.payments.state}</th>
            <th scope="col" class="num">
              {texts.money.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {payment.members.map((member) => (
            <tr>
              <td>
                <Foreign text={helpReference(member)} />
              </td>
              <td>
                <Foreign text={nameOf(member.purchaseOrder ?? '–')} />
              </td>
              <td>{member.dueDate === null ? '–' : <Day day={member.dueDate} />}</td>
              <td>
                {member.status === 'settled'
                  ? texts.journey.paid
                  : texts.payments.states[isTerminal(member.status) ? 'over' : 'open']}
              </td>
              <td class="num">{format.money(member.amount)}</td>
            </tr>
          ))}
          <tr>
            <td colSpan={4}>
              <b>{texts.together.total}</b>
            </td>
            <td class="num">
              <b>{format.money(money(totalMinor, currency))}</b>
            </td>
          </tr>
        </tbody>
      </table>
    </Scroll>
  );
}
