// The bank transfer: details in preparation, the details, a short payment, and the confirmation
// before a short payment is returned.
import { deadline } from '../../../core/domain/base/deadline.js';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import type { PayinInstructions } from '../../../core/domain/payments/payin-instructions.js';
import { paymentRows, type ScreenContent, taxIdNote } from '../hosted/layout.js';
import type { PaymentScene } from '../hosted/scene.js';
import {
  Button,
  ButtonLink,
  CheckAgain,
  Day,
  Deadline,
  Exact,
  Form,
  LiveNote,
  Note,
  PrintActions,
  Route,
  Rows,
  Time,
} from '../kit/components.js';
import { plainAmount } from '../kit/format.js';
import { nameOf } from '../kit/plain-text.js';
import { BankAccounts, PrintedFrom, Replaced, referenceRows } from './bank-details.js';
import { FileLinks } from './file-links.js';
import {
  FourAnswers,
  MoneyCard,
  partnerNameOf,
  payoutRoute,
  shownSums,
  whereMoney,
} from './money-parts.js';
import { PaymentsLink } from './payments-screen.js';
import { RemittanceLinks } from './remittance-page.js';
import { Together } from './together-screen.js';

export function preparingScreen(scene: PaymentScene): ScreenContent {
  const { texts } = scene;
  return {
    title: texts.transfer.preparing,
    station: 'transfer',
    live: true,
    aside: <WhereMoneyIs scene={scene} />,
    body: [
      <FourAnswers
        money={whereMoney(scene, texts.answers.nothingYet)}
        next={texts.transfer.preparingNext}
        todo={`${texts.answers.doNothing} ${texts.answers.notYet}`}
      />,
      <div class="actions">
        <CheckAgain />
        <span class="small quiet">
          <LiveNote />
        </span>
      </div>,
      <MoneyCard scene={scene} stops={null} rest="missing" />,
    ],
  };
}

export function bankDetailsScreen(scene: PaymentScene): ScreenContent {
  const { texts, format, payment } = scene;
  const { instructions } = payment;
  const amount = format.money(instructions?.amount ?? payment.amount);
  return {
    title: texts.transfer.heading(amount),
    lede: (
      <>
        {texts.transfer.nothing} {instructions === null ? null : payBy(scene, instructions)}
      </>
    ),
    station: 'transfer',
    live: true,
    aside: <WhereMoneyIs scene={scene} />,
    body:
      instructions === null
        ? null
        : [
            <Late scene={scene} />,
            <Replaced scene={scene} />,
            <Together scene={scene} />,
            <BankAccounts scene={scene} instructions={instructions} />,
            <RemittanceLinks scene={scene} />,
            <PaymentsLink scene={scene} />,
            <CheckCode scene={scene} />,
            <section class="stack">
              <h2>{texts.transfer.sentAlready}</h2>
              <p>{texts.transfer.sentText}</p>
              <div class="actions">
                <FileLinks scene={scene} page="instructions" print={texts.transfer.print} />
                <AddDeadline scene={scene} />
                <ButtonLink to="share" icon="open" text={texts.share.link} />
                <CheckAgain />
              </div>
              <p class="small quiet">
                <LiveNote />
              </p>
            </section>,
            <MoneyCard scene={scene} stops={null} rest="missing" />,
          ],
  };
}

function AddDeadline({ scene }: { readonly scene: PaymentScene }) {
  const { texts, view, payment } = scene;
  const payByMs = payment.instructions?.payByMs ?? null;
  if (payByMs === null || payByMs < view.nowMs) return null;
  return <ButtonLink to="deadline.ics" icon="calendar" text={texts.files.addDeadline} />;
}

/** The money should have arrived by now. */
function Late({ scene }: { readonly scene: PaymentScene }) {
  const { texts, payment, org } = scene;
  return payment.isLate ? <Note look="info">{texts.transfer.late(org)}</Note> : null;
}

/** The partner has the money and checks it: paying again would be wrong. */
export function heldScreen(scene: PaymentScene): ScreenContent {
  const { texts, payee } = scene;
  return {
    title: texts.held.heading,
    lede: texts.held.lede,
    station: 'transfer',
    live: true,
    body: [
      <FourAnswers
        money={texts.held.money(partnerNameOf(scene))}
        next={scene.payment.isLate ? texts.late : texts.held.next(payee)}
        todo={`${texts.answers.doNothing} ${texts.answers.notAgain}`}
      />,
      <MoneyCard scene={scene} stops={null} rest="payee" />,
      <p class="small quiet">
        <LiveNote />
      </p>,
    ],
  };
}

/** The bank details end on another day than an invoice is due: the earlier one binds. */
function payBy({ texts, payment, view, organization }: PaymentScene, details: PayinInstructions) {
  const { payByMs } = details;
  if (payByMs === null) return null;
  const { together } = payment;
  const dueOfAll = together.flatMap(({ payment: { dueDate } }) => dueDate ?? []).toSorted();
  const dueDate = together.length === 0 ? payment.dueDate : (dueOfAll[0] ?? null);
  const { invoiceDue, firstDue } = texts.transfer;
  const saysDue = together.length === 0 ? invoiceDue : firstDue;
  const { nowMs } = view;
  const today = dayOf(organization.timeZone, nowMs);
  const end = (
    <b>
      <Deadline atMs={payByMs} />
    </b>
  );
  return (
    <>
      {deadline(payByMs, nowMs, end)(texts.transfer.payBy)}{' '}
      {dueDate === null ? null : deadline(dueDate, today, <Day day={dueDate} />)(saysDue)}
    </>
  );
}

function WhereMoneyIs({ scene }: { readonly scene: PaymentScene }) {
  return (
    <section>
      <h2>{scene.texts.route.heading}</h2>
      <Route stops={payoutRoute(scene, 'payer')} />
    </section>
  );
}

/** A phone call to a known number finds changed bank details; the code is what to compare. */
function CheckCode({ scene }: { readonly scene: PaymentScene }) {
  const { texts, payment, payee } = scene;
  const { check } = payment;
  if (check === null) return null;
  return (
    <section class="card stack" id="check">
      <h2>{texts.transfer.check}</h2>
      <p>{texts.transfer.checkText(payee)}</p>
      <div class="line ends">
        <p>
          <span class="small quiet">{texts.transfer.checkCode}</span>
          <br />
          <span class="checkcode">{check.code}</span>
        </p>
        <p>
          <span class="small quiet">{texts.transfer.shortId}</span>
          <br />
          <span class="digits">{payment.shortId}</span>
        </p>
      </div>
      <ButtonLink row to="/verify" icon="shield" text={texts.transfer.checkOther} />
      <p class="small quiet">
        {texts.transfer.given(<Time atMs={check.issuedAtMs} />)} {texts.frame.neverMailed}{' '}
        {texts.transfer.changes}
      </p>
    </section>
  );
}

export function shortScreen(scene: PaymentScene): ScreenContent {
  const { texts, format, payment, payee, view } = scene;
  const { received, missing, kept } = shownSums(scene);
  const { receivedAtMs } = payment.money;
  const payByMs = payment.instructions?.payByMs ?? null;
  const rest = format.money(missing);
  return {
    title: texts.short.heading(rest),
    lede:
      receivedAtMs === null
        ? texts.short.received(format.money(received))
        : texts.short.receivedOn(format.money(received), <Time atMs={receivedAtMs} as="day" />),
    station: 'transfer',
    live: true,
    body: [
      <Replaced scene={scene} at={`${scene.view.path}/instructions`} />,
      <FourAnswers
        money={texts.answers.received(format.money(kept), partnerNameOf(scene))}
        next={
          <>
            {texts.short.next(rest, payee)}{' '}
            {payByMs === null
              ? null
              : deadline(payByMs, view.nowMs, <Deadline atMs={payByMs} />)(texts.short.by)}
          </>
        }
        todo={texts.short.todo(rest)}
      />,
      <MoneyCard scene={scene} stops={payoutRoute(scene, 'partner')} rest="missing" />,
      <Together scene={scene} />,
      <Rest scene={scene} />,
      <section class="stack">
        <h2>{texts.short.back}</h2>
        <p>{texts.short.backText(format.money(kept))}</p>
        <div class="actions">
          <a class="btn danger" href={`${scene.view.path}/take-back`}>
            {texts.short.backAsk(format.money(kept))}
          </a>
        </div>
      </section>,
    ],
  };
}

/** What to send, to which account. */
function Rest({ scene }: { readonly scene: PaymentScene }) {
  const { texts, format, payment, view } = scene;
  const { missing } = shownSums(scene);
  const ending = accountEnding(payment.instructions);
  const same = ending === null ? texts.short.sameAccountPlain : texts.short.sameAccount(ending);
  const isReplaced = (payment.check?.replacedAtMs ?? null) !== null;
  return (
    <section class="stack">
      <h2>{texts.short.rest}</h2>
      <Exact
        rows={[
          { label: texts.frame.amount, shown: format.money(missing), copy: plainAmount(missing) },
          ...referenceRows(payment.instructions, texts.short.referenceAsBefore),
        ]}
      />
      <p>
        {isReplaced ? null : `${same} `}
        <a href={`${view.path}/instructions`}>{texts.short.showDetails}</a>. {texts.short.our}
      </p>
    </section>
  );
}

function accountEnding(instructions: PayinInstructions | null): string | null {
  const fields = instructions?.rails[0]?.fields ?? [];
  const account = fields.find(({ name }) => name === 'accountNumber' || name === 'iban');
  return account?.value.slice(-4) ?? null;
}

export function takeBackScreen(scene: PaymentScene): ScreenContent {
  const { texts, format, payee, view } = scene;
  const amount = format.money(shownSums(scene).kept);
  return {
    title: texts.short.confirm(amount),
    lede: texts.short.confirmLede(payee),
    station: 'transfer',
    body: [
      <FourAnswers
        money={texts.answers.received(amount, partnerNameOf(scene))}
        next={texts.short.confirmNext(amount)}
        todo={texts.short.confirmTodo}
      />,
      <Form to="take-back" class="actions">
        <Button look="danger">{texts.short.confirmYes(amount)}</Button>
        <ButtonLink href={view.path}>{texts.short.confirmNo}</ButtonLink>
      </Form>,
      <MoneyCard scene={scene} stops={null} rest="missing" />,
    ],
  };
}

/** A colleague has no page to go back to. */
function PrintOrDownload({ scene }: { readonly scene: PaymentScene }) {
  const { view, texts, hasFile } = scene;
  if (view.viewer !== null) return <PrintActions />;
  const file = !hasFile ? null : (
    <ButtonLink to="instructions.pdf" icon="download" text={texts.frame.downloadPdf} />
  );
  return <PrintActions inPlaceOfBack={file} />;
}

/** The print view. */
export function instructionsPage(scene: PaymentScene): ScreenContent {
  const { texts, payee, payment } = scene;
  // Of a short payment the rest; of a transfer for several payments the rest of all.
  const isAlone = payment.together.length === 0;
  const instructions =
    payment.instructions === null || !isAlone
      ? payment.instructions
      : { ...payment.instructions, amount: shownSums(scene).missing };
  return {
    title: texts.transfer.details,
    lede: (
      <>
        {texts.transfer.printedFor(payee)}{' '}
        {instructions === null ? null : payBy(scene, instructions)}
      </>
    ),
    station: null,
    about: <></>,
    body:
      instructions === null
        ? null
        : [
            <PrintOrDownload scene={scene} />,
            <Replaced scene={scene} />,
            <Rows
              rows={[
                {
                  label: texts.frame.to,
                  value: nameOf(payment.payee),
                  ...taxIdNote(payment, texts),
                },
                // One of several is named below, beside the others.
                ...(isAlone ? paymentRows(scene) : []),
              ]}
            />,
            <Together scene={scene} />,
            <BankAccounts scene={scene} instructions={instructions} />,
            <CheckCode scene={scene} />,
            <PrintedFrom scene={scene} verify />,
          ],
  };
}
