// The cards of a payment's page: its money, what it is for, its webhooks, its details, its buyer,
// and the metadata of the integrator.
import { effectiveRate } from '../../../core/domain/commands/quote.js';
import { readDisplay } from '../../../core/domain/payments/display.js';
import { senderNamesOf, shownPayer } from '../../../core/domain/payments/payer-facts.js';
import { catalogues } from '../hosted/texts.js';
import {
  ButtonForm,
  type FactRow,
  Facts,
  Foreign,
  foreign,
  OwnId,
  Reference,
  Rows,
  Scroll,
} from '../kit/components.js';
import { Icon } from '../kit/icons.js';
import { Card } from '../kit/pages/card.js';
import { LineTable } from '../kit/pages/table.js';
import { proofTexts } from '../proof/proof-texts.js';
import { useDashboard } from './dashboard-scene.js';
import { lastAnswerText } from './developer/answer-text.js';
import { deliveryPath, shownUrl } from './developer/developer-parts.js';
import { indentedJson } from './developer/indented-json.js';
import type { Detail } from './payment-detail-pages.js';
import { fiscalActionIn, payeeOf, situationIn } from './payment-parts.js';

type Part = Readonly<{ detail: Detail }>;

export function Money({ detail }: Part) {
  const scene = useDashboard();
  const { texts, format } = scene;
  const { payment, quote, settlements, funds } = detail;
  const words = texts.payment;
  const { amounts, situation } = situationIn(scene, detail);
  const [first = null] = settlements;
  const price = first ?? quote;
  const rate = first?.fxRate ?? quote?.rate ?? null;
  const received = first?.settled ?? quote?.target ?? null;
  const effective = received && effectiveRate(payment.amount, received);
  const perUnit = (of: string) => `1 ${payment.amount.currency} = ${format.rate(of)} BRL`;
  const when = (atMs: number | null) => (atMs === null ? '' : ` ${format.short(atMs)}`);
  const row = (label: string, shown: typeof amounts.amount, isShown = true): FactRow | null =>
    isShown ? { label, value: format.money(shown), look: 'num' } : null;
  return (
    <Card heading={words.money} aside={rate === null ? null : perUnit(rate)}>
      <Rows
        look="right"
        rows={[
          row(words.asked, amounts.amount),
          row(
            `${words.received}${when(payment.coveredAtMs)}`,
            amounts.received,
            funds.receivedMinor > 0n,
          ),
          situation === 'money_missing'
            ? {
                label: <span class="warned">{texts.frame.missing}</span>,
                value: <span class="warned">{format.money(amounts.missing)}</span>,
                look: 'num',
              }
            : null,
          row(words.goesBack, amounts.goesBack, amounts.goesBack.amountMinor > 0n),
          row(words.wentBack, amounts.wentBack, amounts.wentBack.amountMinor > 0n),
          price === null ? null : row(words.fees, price.fees),
          ...(first === null && quote !== null ? [row(words.receivesAbout, quote.target)] : []),
          effective === null
            ? null
            : {
                label: texts.frame.effectiveRate,
                value: perUnit(effective),
                look: 'num',
              },
          ...settlements.map(
            (one): FactRow => ({
              label: `${words.receives} ${format.short(one.settledAtMs)}`,
              value: format.money(one.settled),
              look: 'sum',
            }),
          ),
        ]}
      />
      {settlements.map(({ endToEndId, asset = null, returnedAtMs }) =>
        endToEndId === null && asset === null && returnedAtMs === null ? null : (
          <p class="small quiet">
            {endToEndId === null ? null : <span class="code">PIX {endToEndId}</span>}
            {asset === null ? null : <span class="sub">{format.asset(asset)}</span>}
            {returnedAtMs === null ? null : (
              <span class="sub">{words.cameBack(format.short(returnedAtMs))}</span>
            )}
          </p>
        ),
      )}
    </Card>
  );
}

/** What the buyer pays for, as the creator of the payment wrote it; nothing if it did not. */
export function Items({ detail: { payment } }: Part) {
  const { texts } = useDashboard();
  const display = readDisplay(payment.display);
  if (display === null) return null;
  const { title, notes, lineItems } = display;
  if (title === null && notes === null && lineItems.length === 0) return null;
  return (
    <Card heading={texts.invoice.items} isStack>
      {title === null ? null : <p>{foreign(title)}</p>}
      <LineTable
        label={texts.invoice.lines}
        lines={lineItems.map(({ description: item, quantity, subtotal: amount }) => ({
          item,
          quantity,
          amount,
        }))}
      />
      {notes === null ? null : <p>{foreign(notes)}</p>}
    </Card>
  );
}

/** One row for each endpoint. */
export function Webhooks({ detail: { endpoints, payment, mayReplay } }: Part) {
  const { texts, view, format } = useDashboard();
  const words = texts.payment.endpoint;
  return (
    <Card
      id="webhooks"
      heading={texts.payment.webhooks}
      aside={<a href={`${view.path}/events?subject=${payment.id}`}>{texts.events.ofPayment}</a>}
    >
      {endpoints.length === 0 ? <p class="quiet">{texts.payment.noWebhooks}</p> : null}
      <ul class="attention">
        {endpoints.map(({ subscription: { id, url, active, paused }, deliveries }) => {
          const open = deliveries.filter(({ status }) => status !== 'delivered');
          const last = open.findLast(({ lastError }) => lastError !== null) ?? null;
          const nextAtMs = open.find(({ nextAttemptAtMs }) => nextAttemptAtMs !== null);
          const delivered = words.delivered(
            format.count(deliveries.length - open.length),
            format.count(deliveries.length),
          );
          const answer = last === null ? null : lastAnswerText({ texts }, last);
          const next = nextAtMs?.nextAttemptAtMs ?? null;
          // It says why, and what was sent.
          const shown = last ?? deliveries.at(-1);
          const href = shown === undefined ? undefined : deliveryPath(view.path, shown);
          return (
            <li class={last === null ? 'calm' : 'bad'}>
              <Icon name={open.length === 0 ? 'ok' : last === null ? 'clock' : 'alert'} />
              <div>
                <a href={href} title={shownUrl(url)}>
                  <Reference text={shownUrl(url)} of="url" />
                </a>
                <p>
                  {[
                    delivered,
                    answer === null ? null : words.answers(answer),
                    next === null || last === null ? null : words.nextTry(format.short(next)),
                  ]
                    .filter((part) => part !== null)
                    .join('; ')}
                </p>
              </div>
              {mayReplay && active && !paused ? (
                <ButtonForm
                  to={`payments/${payment.id}/replay`}
                  values={{ subscription: id }}
                  look="sm"
                >
                  {words.sendAgain}
                  <span class="vh"> {shownUrl(url)}</span>
                </ButtonForm>
              ) : null}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

export function Details({ detail }: Part) {
  const scene = useDashboard();
  const { texts, format, view } = scene;
  const { payment, attachment } = detail;
  const words = texts.payment;
  const { number, externalId, purchaseOrder, dueDate, consolidatedReference: together } = payment;
  const { purpose, payerRelation, bookedRate, fiscalDocument } = payment;
  const of = texts.invoice;
  const document = fiscalDocument?.key ?? fiscalDocument?.number ?? null;
  const reason = payment.failureReason ?? payment.cancelReason;
  return (
    <Card heading={texts.common.details}>
      <Facts
        facts={[
          [words.reason, foreign(reason)],
          [texts.frame.invoice, foreign(number)],
          [words.yourId, foreign(externalId)],
          [words.purchaseOrder, foreign(purchaseOrder)],
          [texts.frame.payee, foreign(payeeOf(scene, payment))],
          [texts.frame.due, dueDate && format.date(dueDate)],
          [
            texts.frame.attachment,
            attachment && (
              <>
                <a href={`${view.path}/payments/${payment.id}/attachment`}>
                  <Foreign text={attachment.fileName} />
                </a>{' '}
                <span class="quiet">{format.fileSize(attachment.sizeBytes)}</span>
              </>
            ),
          ],
          [of.purpose, purpose && catalogues[view.locale].purposes[purpose]],
          [of.payerRelation, payerRelation && of.relations[payerRelation]],
          [of.bookedRate, bookedRate && format.rate(bookedRate)],
          [
            of.fiscalKey,
            document === null && !detail.mayWrite ? null : (
              <>
                {foreign(document)}{' '}
                {detail.mayWrite ? (
                  <a href={`${view.path}/payments/${payment.id}/fiscal-document`}>
                    {fiscalActionIn(scene, payment)}
                  </a>
                ) : null}
              </>
            ),
          ],
          [words.paidTogether, together && <span class="code">{together}</span>],
          [words.id, <OwnId id={payment.id} label={texts.common.copyId} />],
        ]}
      />
    </Card>
  );
}

export function Buyer({ detail: { payment } }: Part) {
  const { texts, view, format } = useDashboard();
  const words = texts.payment;
  const { bankDetailsCode, colleagueApproval, buyer } = payment;
  const payer = payment.payer && shownPayer(payment.payer);
  const of = proofTexts[view.locale];
  return (
    <Card heading={texts.payments.buyer}>
      <Facts
        facts={[
          [texts.seller.kinds.business, foreign(buyer.name)],
          [texts.seller.email, buyer.email],
          [of.verifiedPayer, foreign(payer?.name ?? null)],
          [of.verifiedCountry, format.country(payer?.country ?? null)],
          [of.payer, foreign(senderNamesOf(payment.payer).join(' / ') || null)],
          [of.agreement, payer && of.agreements[payer.agreement]],
          [words.buyersApprover, colleagueApproval?.email ?? null],
          [
            words.checkCode,
            bankDetailsCode && (
              <>
                <span class="code">{bankDetailsCode}</span>
                <span class="sub">{words.checkText}</span>
              </>
            ),
          ],
        ]}
      />
    </Card>
  );
}

export function Metadata({ detail }: Part) {
  const { texts } = useDashboard();
  const { metadata } = detail.payment;
  if (/^\s*\{\s*\}\s*$/.test(metadata)) return null;
  return (
    <Card heading={texts.payment.metadata}>
      <Scroll label={texts.payment.metadata}>
        <pre lang="" dir="auto">
          {indentedJson(metadata)}
        </pre>
      </Scroll>
    </Card>
  );
}
