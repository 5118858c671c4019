// A proof as a page and on paper: the same parts in the same words.
import { bookAccounts } from '../../../core/domain/accounting/account-name.js';
import { parseInstant } from '../../../core/domain/base/instant.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { money, parseAmount } from '../../../core/domain/base/money.js';
import type { Asset } from '../../../core/domain/commands/asset.js';
import type { DemandCheck } from '../../../core/domain/law/exemption.js';
import type {
  Proof,
  ProvenEntry,
  ProvenSettlement,
  ProvenTransfer,
} from '../../../core/domain/law/proof.js';
import { payerRelationNames } from '../../../core/domain/payments/payer-relation.js';
import { purposeNames } from '../../../core/domain/payments/purpose.js';
import { catalogues } from '../hosted/texts.js';
import { type FactRow, Foreign, foreign, Rows } from '../kit/components.js';
import { type Format, formatOf } from '../kit/format.js';
import { type FrameTexts, frameTexts } from '../kit/frame-texts.js';
import { Card } from '../kit/pages/card.js';
import { type ProofTexts, proofTexts } from './proof-texts.js';

type SheetTexts = ProofTexts & Pick<FrameTexts, 'payment' | 'amount' | 'payee' | 'reference'>;
type SheetScene = Readonly<{ proof: Proof; texts: SheetTexts; locale: Locale; format: Format }>;

export interface SheetProps {
  readonly proof: Proof;
  readonly locale: Locale;
  /** That of the organization. */
  readonly timeZone: string;
  /** Where the public keys are. */
  readonly keys: string;
}

export function ProofSheet({ proof, locale, timeZone, keys }: SheetProps) {
  const { payment, amount, payee, reference } = frameTexts[locale];
  const texts = { ...proofTexts[locale], payment, amount, payee, reference };
  const scene = { proof, texts, locale, format: formatOf(locale, { timeZone }) };
  const { exemption, entries, settlements, transfers } = proof;
  return [
    part(texts.payment, paymentRows(scene)),
    settlements.map((one) => part(texts.pix, settlementRows(scene, one))),
    part(texts.price, quoteRows(scene)),
    transfers.map((one, index) => part(texts.transfer, transferRows(scene, one, index === 0))),
    exemption === null ? null : part(texts.exemption, demandRows(scene, exemption)),
    entries === null ? null : <Entries scene={scene} entries={entries} />,
    <Card heading={texts.check}>
      <p>{texts.checkText(keys)}</p>
      <p class="small quiet">{texts.noAdvice}</p>
    </Card>,
  ];
}

function part(title: string, rows: readonly (FactRow | null)[]) {
  if (rows.every((row) => row === null || row.value === null)) return null;
  return (
    <Card heading={title}>
      <Rows rows={rows} />
    </Card>
  );
}

function paymentRows({ proof, texts, locale, format }: SheetScene): readonly FactRow[] {
  const { buyer, payer, fiscalDocument, invoice } = proof;
  const purpose = purposeNames.find((name) => name === proof.purpose);
  const relation = payerRelationNames.find((name) => name === proof.payerRelation);
  const kind = { nfe: 'NF-e', nfse: 'NFS-e', other: null }[fiscalDocument?.kind ?? 'other'];
  const document = [kind, fiscalDocument?.number];
  return [
    { label: texts.amount, value: inMoney(format, proof.amount, proof.currency), look: 'num' },
    { label: texts.payee, value: <Foreign text={proof.payee} /> },
    { label: texts.buyer, value: foreign(buyer.name) },
    { label: texts.country, value: format.country(buyer.country) },
    { label: texts.verifiedPayer, value: foreign(payer?.name ?? null) },
    { label: texts.verifiedCountry, value: format.country(payer?.country ?? null) },
    { label: texts.agreement, value: payer && texts.agreements[payer.agreement] },
    { label: texts.email, value: <Foreign text={buyer.email} /> },
    { label: texts.number, value: foreign(proof.number) },
    { label: texts.purchaseOrder, value: foreign(proof.purchaseOrder) },
    { label: texts.yourId, value: foreign(proof.externalId) },
    { label: texts.purpose, value: purpose ? catalogues[locale].purposes[purpose] : null },
    { label: texts.relation, value: relation ? texts.relations[relation] : null },
    {
      label: texts.fiscalDocument,
      value: fiscalDocument && document.filter((text) => text).join(' '),
      ...(fiscalDocument?.key ? { note: fiscalDocument.key } : {}),
    },
    { label: texts.invoice, value: foreign(invoice?.fileName ?? null) },
    { label: texts.id, value: proof.paymentId, look: 'code' },
  ];
}

function quoteRows({ proof: { quote, currency }, texts, format }: SheetScene): readonly FactRow[] {
  if (quote === null) return [];
  const { confirmedAt, rate, effectiveRate, fees, brlAmount } = quote;
  return [
    { label: texts.confirmed, value: instant(format, confirmedAt) },
    { label: texts.rate, value: perUnit(format, currency, rate), look: 'num' },
    { label: texts.effectiveRate, value: perUnit(format, currency, effectiveRate), look: 'num' },
    { label: texts.fees, value: inMoney(format, fees, currency), look: 'num' },
    { label: texts.payeeGets, value: inMoney(format, brlAmount, 'BRL'), look: 'num' },
  ];
}

function transferRows(
  { proof, texts, format }: SheetScene,
  transfer: ProvenTransfer,
  isFirst: boolean,
): readonly FactRow[] {
  const { receivedAt, amount, currency, payerName, payerBank, reference, trace } = transfer;
  return [
    { label: texts.received, value: instant(format, receivedAt) },
    { label: texts.amount, value: inMoney(format, amount, currency), look: 'num' },
    { label: texts.payer, value: foreign(payerName) },
    { label: texts.payerBank, value: foreign(payerBank) },
    { label: texts.reference, value: foreign(reference) },
    { label: texts.trace, value: foreign(trace) },
    ...(isFirst ? assetRows({ texts, format }, proof.payinAsset, proof.transactionHash) : []),
  ];
}

function settlementRows(
  { proof: { currency }, texts, format }: SheetScene,
  settlement: ProvenSettlement,
): readonly FactRow[] {
  const { settledAt, brlAmount, fxRate, effectiveRate, fees, endToEndId, asset } = settlement;
  return [
    { label: texts.settled, value: instant(format, settledAt) },
    { label: texts.amount, value: inMoney(format, brlAmount, 'BRL'), look: 'num' },
    { label: texts.rate, value: perUnit(format, currency, fxRate), look: 'num' },
    { label: texts.effectiveRate, value: perUnit(format, currency, effectiveRate), look: 'num' },
    { label: texts.fees, value: inMoney(format, fees, currency), look: 'num' },
    { label: texts.endToEndId, value: endToEndId, look: 'code' },
    ...assetRows({ texts, format }, asset, null),
    { label: texts.returned, value: instant(format, settlement.returnedAt) },
  ];
}

function assetRows(
  { texts, format }: Pick<SheetScene, 'texts' | 'format'>,
  asset: Asset | null,
  hash: string | null,
): readonly FactRow[] {
  return [
    { label: texts.asset, value: asset && format.asset(asset) },
    { label: texts.transaction, value: asset?.transactionHash ?? hash, look: 'code' },
  ];
}

export function demandRows(
  { texts }: Pick<SheetScene, 'texts'>,
  exemption: readonly DemandCheck[],
): readonly FactRow[] {
  return exemption.map(({ demand, missing }) => ({
    label: texts.demands[demand],
    value:
      missing.length === 0
        ? texts.met
        : texts.missing(missing.map((fact) => texts.facts[fact]).join(', ')),
  }));
}

function Entries({
  scene: { texts, format },
  entries,
}: Readonly<{ scene: SheetScene; entries: readonly ProvenEntry[] }>) {
  return (
    <Card heading={texts.books}>
      <table class="doc">
        <thead>
          <tr>
            <th scope="col">{texts.account}</th>
            <th scope="col" class="num">
              {texts.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.flatMap(({ bookedAt, lines }) =>
            lines.map(({ account, amount, currency }) => (
              <tr>
                <th scope="row">
                  {bookAccounts[account]}
                  <br />
                  <span class="sub">{instant(format, bookedAt)}</span>
                </th>
                <td class="num">{inMoney(format, amount, currency)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </Card>
  );
}

function inMoney(format: Format, amount: string, currency: string): string {
  const minor = parseAmount(amount.replace('-', '')) ?? 0n;
  return format.money(money(amount.startsWith('-') ? -minor : minor, currency));
}

function perUnit(format: Format, currency: string, rate: string | null): string | null {
  return rate === null ? null : `1\u00a0${currency} = ${format.rate(rate)}\u00a0BRL`;
}

function instant(format: Format, text: string | null): string | null {
  const atMs = text === null ? null : parseInstant(text);
  return atMs === null ? null : format.instant(atMs);
}
