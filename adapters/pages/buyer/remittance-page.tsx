// One document for a transfer that pays several payments: what the buyer's books put beside the one
// line of the bank, and what the payee is told the money is for.
import type { VNode } from 'preact';
import { money } from '../../../core/domain/base/money.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import { isTerminal } from '../../../core/domain/payments/payment.js';
import { type ScreenContent, taxIdNote } from '../hosted/layout.js';
import type { PaymentScene } from '../hosted/scene.js';
import { Day, Foreign, PrintActions, Rows, Time } from '../kit/components.js';
import { Table } from '../kit/pages/table.js';
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
  const { states } = texts.payments;
  return (
    <Table
      label={texts.together.remittance}
      rows={payment.members}
      folds
      columns={({ column, named }) => [
        named(texts.paid.payment, (member) => <Foreign text={helpReference(member)} />),
        column(texts.frame.purchaseOrder, ({ purchaseOrder }) => (
          <Foreign text={nameOf(purchaseOrder ?? '–')} />
        )),
        column(texts.frame.due, ({ dueDate }) => (dueDate === null ? '–' : <Day day={dueDate} />)),
        column(texts.payments.state, ({ status }) =>
          status === 'settled' ? texts.journey.paid : states[isTerminal(status) ? 'over' : 'open'],
        ),
        column(texts.money.amount, 'num main', ({ amount }) => format.money(amount)),
      ]}
      foot={[texts.together.total, format.money(money(totalMinor, currency))]}
    />
  );
}
