// After the money arrived: held, on its way, paid; and the receipt, also as a print view.
import type { ComponentChildren } from 'preact';
import { formatRate, parseRate } from '../../../core/domain/base/money.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import type { SharedTransfer } from '../../../core/usecases/hosted/payment-page.js';
import {
  attachmentRow,
  isWebAddress,
  paymentRows,
  type ScreenContent,
  taxIdNote,
  vendorPapersRow,
} from '../hosted/layout.js';
import type { SettlementView } from '../hosted/page-view.js';
import type { PaymentScene } from '../hosted/scene.js';
import {
  ButtonLink,
  type FactRow,
  Foreign,
  LiveNote,
  PrintActions,
  Rows,
  Time,
} from '../kit/components.js';
import { Icon } from '../kit/icons.js';
import { nameOf } from '../kit/plain-text.js';
import { proofTexts } from '../proof/proof-texts.js';
import { PrintedFrom, railRules } from './bank-details.js';
import { FileLinks } from './file-links.js';
import { ShownItems } from './line-items.js';
import {
  effectiveOf,
  FourAnswers,
  isZero,
  MoneyCard,
  partnerNameOf,
  payerNameOf,
  payoutRoute,
  shownSums,
} from './money-parts.js';
import { RemittanceLinks } from './remittance-page.js';

export function arrivedScreen(scene: PaymentScene): ScreenContent {
  const { texts, format, payee } = scene;
  const { received, kept } = shownSums(scene);
  const amount = format.money(isZero(kept) ? received : kept);
  return {
    title: texts.arrived.heading,
    lede: texts.arrived.lede(amount, payee),
    ...underWay(scene, {
      money: texts.answers.received(amount, partnerNameOf(scene)),
      next: texts.arrived.next(payee),
      at: 'partner',
    }),
  };
}

/** Where the money is, while the buyer has nothing to do. */
function underWay(
  scene: PaymentScene,
  {
    money,
    next,
    at,
  }: Readonly<{ money: ComponentChildren; next: ComponentChildren; at: 'partner' | 'payee' }>,
): Pick<ScreenContent, 'station' | 'live' | 'body'> {
  const { texts } = scene;
  return {
    station: 'transfer',
    live: true,
    body: [
      <FourAnswers
        money={
          <>
            {money} {surplus(scene)}
          </>
        }
        next={scene.payment.isLate ? texts.late : next}
        todo={`${texts.answers.doNothing} ${texts.answers.notAgain}`}
      />,
      <MoneyCard scene={scene} stops={payoutRoute(scene, at)} rest="payee" />,
      <p class="small quiet">
        <LiveNote />
      </p>,
    ],
  };
}

function surplus(scene: PaymentScene): string | null {
  const { texts, format } = scene;
  const { received, goingBack } = shownSums(scene);
  if (isZero(goingBack)) return null;
  return texts.arrived.surplus(format.money(received), format.money(goingBack));
}

export function onTheWayScreen(scene: PaymentScene): ScreenContent {
  const { texts, format, payee } = scene;
  return {
    title: texts.arrived.onItsWay(payee),
    lede: texts.arrived.onItsWayLede,
    ...underWay(scene, {
      money: texts.arrived.withPayee(format.money(shownSums(scene).kept), payee),
      next: texts.arrived.onItsWayNext,
      at: 'payee',
    }),
  };
}

export function paidScreen(scene: PaymentScene): ScreenContent {
  const { texts, payment, view } = scene;
  const host = returnHost(payment.returnUrl);
  return {
    title: texts.journey.paid,
    end: 'paid',
    lede: paidLede(scene),
    station: 'all',
    body: [
      host === null || payment.returnUrl === null ? null : (
        <Returning scene={scene} host={host} url={payment.returnUrl} />
      ),
      <div class="actions">
        {host === null || payment.returnUrl === null ? null : (
          <ButtonLink href={payment.returnUrl} look="primary" text={texts.paid.returnTo(host)} />
        )}
        <FileLinks scene={scene} page="receipt" print={texts.frame.print} />
        <ButtonLink to="proof.zip">{proofTexts[view.locale].signed}</ButtonLink>
        <ButtonLink to="payments">{texts.payments.all}</ButtonLink>
      </div>,
      <MoneyCard scene={scene} stops={payoutRoute(scene, 'end')} rest="payee" />,
      <Receipt scene={scene} />,
      <RemittanceLinks scene={scene} />,
    ],
  };
}

function paidLede({ texts, format, payment, payee }: PaymentScene) {
  const { settlement } = payment;
  if (settlement === null) return undefined;
  const { settled, settledAtMs } = settlement;
  return texts.paid.lede(payee, format.money(settled), <Time atMs={settledAtMs} as="brasilia" />);
}

function returnHost(url: string | null): string | null {
  return url !== null && isWebAddress(url) ? new URL(url).host : null;
}

/** Only where the page was open when the payment settled; the script knows, and can be stopped. */
function Returning({
  scene: { texts },
  host,
  url,
}: Readonly<{ scene: PaymentScene; host: string; url: string }>) {
  return (
    <div class="note info" hidden data-return={url}>
      <Icon name="info" />
      <div class="line ends">
        <p role="status">{texts.paid.returning(host)}</p>
        <button class="btn" type="button">
          {texts.paid.stay}
        </button>
      </div>
    </div>
  );
}

function Receipt({ scene }: { readonly scene: PaymentScene }) {
  const { texts, payment, payee } = scene;
  return (
    <section class="card">
      <div class="line ends">
        <h2>{texts.paid.receipt}</h2>
        <span class="small quiet digits">{helpReference(payment)}</span>
      </div>
      {payment.settlement === null ? null : (
        <Rows look="right" rows={amountRows(scene, payment.settlement)} />
      )}
      <div class="gap-l">
        <Rows rows={factRows(scene)} />
      </div>
      <p class="small quiet gap">{texts.paid.notTax(payee)}</p>
    </section>
  );
}

function amountRows(scene: PaymentScene, settlement: SettlementView): readonly FactRow[] {
  const { texts, format, payment } = scene;
  const { settled, fees, fxRate } = settlement;
  const { kept, asked } = shownSums(scene);
  const rate = parseRate(fxRate);
  const shownRate = format.rate(rate === null ? fxRate : formatRate(rate));
  const { currency } = payment.amount;
  return [
    { label: texts.paid.youPaid, value: format.money(isZero(kept) ? asked : kept), look: 'num' },
    { label: texts.price.fees, value: format.money(fees), look: 'num' },
    { label: texts.price.rate, value: `1\u00a0${currency} = ${shownRate}\u00a0BRL`, look: 'num' },
    {
      label: texts.frame.effectiveRate,
      value: effectiveOf(format, payment.amount, settled),
      look: 'num',
    },
    { label: texts.paid.paidOut, value: format.money(settled), look: 'sum' },
  ];
}

function factRows(scene: PaymentScene): readonly (FactRow | null)[] {
  const { texts, format, payment, payee } = scene;
  const { settlement, check, purpose } = payment;
  const { receivedAtMs } = payment.money;
  const code = (label: string, value: string | null): FactRow => ({ label, value, look: 'code' });
  return [
    { label: texts.paid.payer, value: payment.payer === null ? null : payerNameOf(scene) },
    payment.senderNames.length === 0
      ? null
      : { label: texts.paid.sentBy, value: <Foreign text={payment.senderNames.join(', ')} /> },
    approvedRow(scene),
    { label: texts.frame.payee, value: payee, ...taxIdNote(payment, texts) },
    { label: texts.paid.purpose, value: purpose === null ? null : texts.purposes[purpose] },
    ...paymentRows(scene),
    attachmentRow(scene),
    vendorPapersRow(scene),
    { label: texts.paid.method, value: methodOf(scene) },
    code(texts.paid.reference, payment.instructions?.reference ?? null),
    ...payment.sharedTransfers.map((shared) => sharedRow(scene, shared)),
    {
      label: texts.paid.receivedAt,
      value: receivedAtMs === null ? null : <Time atMs={receivedAtMs} />,
    },
    settlement === null
      ? null
      : {
          label: texts.paid.paidOutAt,
          value: <Time atMs={settlement.settledAtMs} />,
          note: texts.paid.brasilia(format.brasilia(settlement.settledAtMs)),
        },
    code(texts.paid.endToEndId, settlement?.endToEndId ?? null),
    { label: texts.paid.asset, value: settlement?.asset ? format.asset(settlement.asset) : null },
    code(texts.paid.transaction, settlement?.transactionHash ?? null),
    code(texts.frame.payment, payment.id),
    code(texts.transfer.checkCode, check?.code ?? null),
  ];
}

/** The colleague whom the buyer asked. */
function approvedRow({ texts, payment: { colleagueApproval } }: PaymentScene): FactRow | null {
  if (colleagueApproval?.state !== 'approved') return null;
  const { email, decidedAtMs, askedAtMs } = colleagueApproval;
  return {
    label: texts.approval.by,
    value: <Foreign text={email} />,
    note: <Time atMs={decidedAtMs ?? askedAtMs} />,
  };
}

/** The bank of the buyer shows one transfer for several receipts. */
function sharedRow({ texts, format }: PaymentScene, { amount, others }: SharedTransfer): FactRow {
  const names = others.map((other) => nameOf(helpReference(other))).join(', ');
  return {
    label: texts.paid.partOf,
    value: format.money(amount),
    note: texts.paid.paidWithIt(names),
    look: 'num',
  };
}

/** The rail, where the buyer had no choice: partners do not report which one was used. */
function methodOf({ texts, payment: { instructions } }: PaymentScene): string {
  const rails = instructions?.rails ?? [];
  const [only] = rails;
  const name = rails.length === 1 && only !== undefined ? railRules[only.rail].name : null;
  return texts.paid.bankTransfer(name);
}

/** The print view. */
export function receiptPage(scene: PaymentScene): ScreenContent {
  const { texts } = scene;
  return {
    title: texts.paid.receipt,
    heading: texts.journey.paid,
    lede: paidLede(scene),
    station: null,
    // The receipt has them.
    about: <></>,
    body: [
      <PrintActions />,
      <Receipt scene={scene} />,
      <ShownItems scene={scene} />,
      <MoneyCard scene={scene} stops={null} rest="payee" />,
      <PrintedFrom scene={scene} />,
    ],
  };
}
