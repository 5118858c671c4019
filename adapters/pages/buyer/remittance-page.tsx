// One document for a transfer that pays several payments: what the buyer's books put beside the one
// line of the bank, and what the payee is told the money is for.
import { money } from '../../../core/domain/base/money.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import { isTerminal } from '../../../core/domain/payments/payment.js';
import { type ScreenContent, taxIdNote } from '../hosted/layout.js';
import type { MemberView } from '../hosted/page-view.js';
import type { PaymentScene } from '../hosted/scene.js';
import { Day, Foreign, PrintActions, Rows, Time } from '../kit/components.js';
import { Table } from '../kit/pages/table.js';
import { nameOf } from '../kit/plain-text.js';
import { PrintedFrom } from './bank-details.js';
import { FileLinks } from './file-links.js';
import { payerNameOf } from './money-parts.js';

/** The print view. */
export function remittancePage(scene: PaymentScene): ScreenContent {
  const { texts, format, payment, payee } = scene;
  const { receivedAtMs } = payment.money;
  const { missing, arrived } = sumsOf(payment);
  const isShort = arrived.amountMinor > 0n && missing.amountMinor > 0n;
  return {
    title: texts.together.remittance,
    lede: texts.together.pays(payment.members.length),
    station: null,
    about: <></>,
    body: [
      <PrintActions />,
      <Rows
        rows={[
          { label: texts.paid.payer, value: payment.payer === null ? null : payerNameOf(scene) },
          { label: texts.frame.payee, value: payee, ...taxIdNote(payment, texts) },
          {
            label: texts.paid.reference,
            value: payment.instructions?.reference ?? null,
            look: 'code',
          },
          {
            label: texts.paid.receivedAt,
            value: receivedAtMs === null ? null : <Time atMs={receivedAtMs} />,
          },
          // What the line of the bank says, if that is not the total below.
          { label: texts.money.received, value: isShort ? format.money(arrived) : null },
          { label: texts.frame.missing, value: isShort ? format.money(missing) : null },
        ]}
      />,
      <Members scene={scene} />,
      <PrintedFrom scene={scene} />,
    ],
  };
}

/** The way to it; nothing for a payment that is paid alone. */
export function RemittanceLinks({ scene }: { readonly scene: PaymentScene }) {
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

function Members({ scene }: { readonly scene: PaymentScene }) {
  const { texts, format, payment } = scene;
  const { states } = texts.payments;
  return (
    <Table
      label={texts.together.remittance}
      rows={payment.members}
      folds
      columns={({ column, named }) => [
        named(texts.frame.payment, (member) => <Foreign text={helpReference(member.payment)} />),
        column(texts.frame.purchaseOrder, (member) => (
          <Foreign text={nameOf(member.payment.purchaseOrder ?? '–')} />
        )),
        column(texts.frame.due, ({ payment: { dueDate } }) =>
          dueDate === null ? '–' : <Day day={dueDate} />,
        ),
        column(texts.frame.state, ({ payment: { status } }) =>
          status === 'settled' ? texts.journey.paid : states[isTerminal(status) ? 'over' : 'open'],
        ),
        column(texts.frame.amount, 'num main', (member) => format.money(member.payment.amount)),
      ]}
      foot={[texts.together.total, format.money(sumsOf(payment).asked)]}
    />
  );
}

/** Sums over all payments of the transfer. One that has ended misses nothing. */
function sumsOf({ members, amount: { currency } }: PaymentScene['payment']) {
  const sum = (part: (member: MemberView) => bigint) =>
    money(
      members.reduce((sumMinor, member) => sumMinor + part(member), 0n),
      currency,
    );
  return {
    asked: sum(({ payment: { amount } }) => amount.amountMinor),
    arrived: sum(({ arrived }) => arrived.amountMinor),
    missing: sum(({ payment: { status, amount }, arrived }) =>
      isTerminal(status) ? 0n : amount.amountMinor - arrived.amountMinor,
    ),
  };
}
