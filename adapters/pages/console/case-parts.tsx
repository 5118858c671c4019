// What pages about one payment share: its route, our books beside what the partner said, who pays
// whom, where the BRL goes, and what happened.
import { type DeadlineText, deadline } from '../../../core/domain/base/deadline.js';
import type { MoneyCommand, moneyKinds } from '../../../core/domain/commands/partner-command.js';
import type { Quote } from '../../../core/domain/commands/quote.js';
import { queueOf } from '../../../core/domain/money-desk/money-decision.js';
import { payerText, shownPayer } from '../../../core/domain/payments/payer-facts.js';
import { situationAmounts } from '../../../core/domain/payments/situation.js';
import { statusAtMs } from '../../../core/domain/payments/timeline.js';
import { type CaseLine, caseLines } from '../../../core/usecases/money-desk/case-texts.js';
import { capital } from '../../../core/usecases/money-desk/desk-texts.js';
import {
  type PaymentCase,
  payeeIn,
  payerIn,
} from '../../../core/usecases/money-desk/payment-case.js';
import type { PaymentWallet } from '../../../core/usecases/money-desk/wallet-balances.js';
import { Facts, Foreign, foreign, Stations, Sub } from '../kit/components.js';
import { useFrame } from '../kit/page-frame.js';
import { Card } from '../kit/pages/card.js';
import { listPath } from '../kit/pages/list-page.js';
import { Table } from '../kit/pages/table.js';
import { format } from './console-layout.js';

type Part = Readonly<{ found: PaymentCase }>;

/** Leads to the payments of an organization. */
export function OrganizationLink({ id, name }: { readonly id: string; readonly name: string }) {
  const { view } = useFrame();
  return <a href={listPath(`${view.path}/payments`, { org: id })}>{foreign(name)}</a>;
}

/** Who pays, who should have what, and for whom. */
export function WhoPaysWhom({ found }: Part) {
  const { payment, organization, quote, settlements } = found;
  const [settled = null] = settlements;
  const brl = settled === null ? (quote?.target ?? null) : settled.settled;
  return (
    <>
      <Foreign text={payerIn(payment)} /> {payment.coveredAtMs === null ? 'pays' : 'paid'}{' '}
      {format.money(payment.amount)} to <Foreign text={payeeIn(found)} />
      {brl === null ? null : (
        <>
          , who {settled === null ? 'should have' : 'has'} <b>{format.money(brl)}</b>
        </>
      )}
      . Organization <OrganizationLink {...organization} />.
    </>
  );
}

/** How far the money is. */
export function MoneyRoute({ found: { payment, commands, history } }: Part) {
  const payout = commands.findLast(({ kind }) => kind === 'payout');
  const { createdAtMs, coveredAtMs, settledAtMs } = payment;
  return (
    <Stations
      stops={[
        ['Created', createdAtMs],
        ['Price confirmed', statusAtMs(history, 'on_ramp_pending')],
        ['Buyer paid', coveredAtMs],
        ['Payout ordered', payout?.createdAtMs ?? null],
        ['Seller paid', settledAtMs],
      ]}
      here="not yet"
      ahead="not yet"
    />
  );
}

const kindTexts = { payin: 'Pay-in', payout: 'Payout', refund: 'Refund' } as const satisfies Record<
  (typeof moneyKinds)[number],
  string
>;

/** What the partner said of a command; its end counts before the answer to the order. */
function answerOf({ state, end }: MoneyCommand): string {
  return end === 'open' ? answers[state] : capital(end);
}

const answers: Readonly<Record<MoneyCommand['state'], string>> = {
  pending: 'Not sent yet',
  sent: 'No answer yet',
  unknown: 'Perhaps taken: in doubt',
  denied: 'Denied: in doubt',
  done: 'Taken, not completed',
  refused: 'Refused',
  void: 'Withdrawn here',
};

/**
 * Each command as we ordered it, beside what the partner said about it; and the wallet, whose
 * balance is read once an operator asks.
 */
export function Books({ found, wallet }: Part & { readonly wallet: PaymentWallet | null }) {
  const { view } = useFrame();
  const { commands, quote } = found;
  const expected = (kind: MoneyCommand['kind']) => (kind === 'payout' ? quote : null);
  return (
    <section class="card stack" id="books">
      <h2>Our books and the partner’s</h2>
      {commands.length === 0 ? (
        <p class="quiet">Nothing was ordered from the partner.</p>
      ) : (
        <Table
          label="Commands to the partner"
          rows={commands}
          columns={({ column, named }) => [
            named('We ordered', (command) => {
              const { id, kind, amount, createdAtMs } = command;
              const queue = queueOf(command);
              const price = expected(kind);
              return (
                <>
                  {kindTexts[kind]} of {format.money(amount)}
                  <Sub of={price && priceText(price)} />
                  <span class="sub">{format.exact(createdAtMs)}</span>
                  <span class="sub code">
                    {queue === null ? id : <a href={`${view.path}/money/${queue}/${id}`}>{id}</a>}
                  </span>
                </>
              );
            }),
            column('The partner says', (command) => {
              const { partnerRef, dueAtMs, lastError, updatedAtMs } = command;
              return [
                <b>{answerOf(command)}</b>,
                <Sub of={pixText(command)} />,
                <span class="sub">{format.exact(updatedAtMs)}</span>,
                <Sub
                  of={partnerRef ? <span class="code">{partnerRef}</span> : 'it gave no reference'}
                />,
                <Sub of={foreign(lastError)} />,
                <Sub
                  of={dueAtMs && deadline(dueAtMs, view.nowMs, format.exact(dueAtMs))(nextPoll)}
                />,
              ];
            }),
          ]}
        />
      )}
      {wallet === null ? null : <Wallet wallet={wallet} />}
    </section>
  );
}

/** The PIX that reached the seller, or that no payout has one. */
function pixText({ kind, settlements }: MoneyCommand): string | null {
  if (kind !== 'payout') return null;
  const paid = settlements.at(-1);
  if (paid === undefined) return 'no PIX end-to-end id';
  const { settled, endToEndId, returnedAtMs } = paid;
  const back = returnedAtMs === null ? '' : `, came back ${format.short(returnedAtMs)}`;
  return `${format.money(settled)}, PIX ${endToEndId ?? 'unknown'}${back}`;
}

function Wallet({ wallet: { ours, read } }: { readonly wallet: PaymentWallet }) {
  const theirs = read && (read.balance ? format.money(read.balance) : `unknown: ${read.reason}`);
  return (
    <Facts
      facts={[
        ['Our books hold of this payment', format.money(ours)],
        [
          'The wallet of the payee holds, as the partner says',
          [
            theirs === null ? null : <Foreign text={theirs} />,
            <span class="sub">
              {read === null ? null : `for all its payments, read ${format.exact(read.atMs)}. `}
              <a href={`?${ASK_WALLET}#books`}>
                {read === null ? 'Ask the partner' : 'Read it again'}
              </a>
            </span>,
          ],
        ],
      ]}
    />
  );
}

/** In the query of a page that reads the balance. */
export const ASK_WALLET = 'wallet';

const nextPoll: DeadlineText<string> = {
  ahead: (at) => `next poll ${at}`,
  over: (at) => `a poll is due since ${at}`,
};

const priceText = ({ target, rate, fees }: Quote) =>
  `${format.money(target)} at ${format.rate(rate)}, fees ${format.money(fees)}`;

export function Known({ found }: Part) {
  const { view } = useFrame();
  const { payment, organization, kycStatus, destinations } = found;
  const { missing } = situationAmounts(found);
  const { id, externalId, number, buyer, mode, bankDetailsCode } = payment;
  return (
    <Card heading="Known">
      <Facts
        facts={[
          [
            'Payment',
            <a class="code" href={`${view.path}/payments/${id}`}>
              {id}
            </a>,
          ],
          ['External id', foreign(externalId)],
          ['Number', foreign(number)],
          [
            'Organization',
            <>
              <OrganizationLink {...organization} />, {mode}
            </>,
          ],
          [
            'Buyer',
            [
              <Foreign text={payerIn(payment)} />,
              buyer.country === null ? '' : `, ${format.country(buyer.country)}`,
              <span class="sub">
                {buyer.email}, KYC {kycStatus}
              </span>,
            ],
          ],
          ['Payer', foreign(payment.payer && payerText(shownPayer(payment.payer)))],
          ['Payee', <Foreign text={payeeIn(found)} />],
          ['Missing', missing.amountMinor === 0n ? null : format.money(missing)],
          ['Check code', bankDetailsCode && <span class="code">{bankDetailsCode}</span>],
          [
            'PIX destination',
            destinations.length === 0
              ? 'never changed'
              : destinations.map(({ pixKeyShown, createdAtMs, stoppedAtMs }) => (
                  <span class="sub">
                    {pixKeyShown}, {stoppedAtMs === null ? 'given' : 'stopped'}{' '}
                    {format.short(stoppedAtMs ?? createdAtMs)}
                  </span>
                )),
          ],
        ]}
      />
    </Card>
  );
}

/** Newest first; apart from it what machines did. */
export function WhatHappened({ found }: Part) {
  const lines = caseLines(found.history).toReversed();
  const calls = lines.filter(({ isCall }) => isCall);
  return (
    <Card heading="What happened">
      <Log lines={lines.filter(({ isCall }) => !isCall)} />
      {calls.length === 0 ? null : (
        <details>
          <summary>Calls to the partner: {calls.length}</summary>
          <Log lines={calls} />
        </details>
      )}
    </Card>
  );
}

function Log({ lines }: { readonly lines: readonly CaseLine[] }) {
  return (
    <ol class="timeline">
      {lines.map(({ atMs, text, amount, note, look }) => (
        <li class={look}>
          <time dateTime={new Date(atMs).toISOString()}>{format.exact(atMs)}</time>
          <div>
            <p>{amount === null ? text : `${text}: ${format.money(amount)}`}</p>
            {note === null ? null : <p class="small">{foreign(note)}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}
