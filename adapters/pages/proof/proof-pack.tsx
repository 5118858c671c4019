// The files of a proof: its PDF, and the pack with everything that shows it, as one ZIP.
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { Locale } from '../../../core/domain/base/locale.js';
import { type Tenant, tenantOf } from '../../../core/domain/base/tenant.js';
import {
  jsonText,
  MANIFEST_FILE,
  type PackAbout,
  type PackedFile,
  packedFile,
  SIGNATURE_FILE,
} from '../../../core/domain/law/pack.js';
import type { Proof, ProofAudience } from '../../../core/domain/law/proof.js';
import { fileNameOf } from '../../../core/domain/parties/document.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import { expectFound } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { ByteSource, NamedFile } from '../../../core/ports/outside.js';
import type { PayeeMonth } from '../../../core/usecases/law/proof-months.js';
import {
  type PackSigner,
  packSigner,
  readProof,
  signManifest,
} from '../../../core/usecases/law/proofs.js';
import { readAttachment } from '../../../core/usecases/parties/attachments.js';
import { loadOrganization } from '../../../core/usecases/parties/organizations.js';
import { readPayment } from '../../../core/usecases/payments/payments.js';
import { catalogues } from '../hosted/texts.js';
import { zipFile } from '../kit/files/zip-file.js';
import { formatOf } from '../kit/format.js';
import { FrameProvider } from '../kit/page-frame.js';
import { download, type PageAnswer } from '../kit/page-route.js';
import { nameOf } from '../kit/plain-text.js';
import { isDrawable } from '../pdf/drawable-text.js';
import { ProofSheet, type SheetProps } from './proof-sheet.js';
import { proofTexts } from './proof-texts.js';
import { verifyPage } from './verify-page.js';

export interface OpenedProof extends SheetProps {
  readonly payment: Payment;
}

/** NotFound; PaymentStateConflict before the settlement. */
export async function openProof(
  deps: Deps,
  payment: Payment,
  { audience, locale }: Readonly<{ audience: ProofAudience; locale: Locale }>,
): Promise<OpenedProof> {
  const proof = await readProof(deps, tenantOf(payment), payment.id, audience);
  const { timeZone } = await deps.store.run((tx) => loadOrganization(tx, payment.orgId));
  const keys = `${deps.settings.baseUrl}/.well-known/ponte-keys.json`;
  return { payment, proof, locale, timeZone, keys };
}

/** Null if a file cannot show its characters. */
export async function proofPdf(opened: OpenedProof): Promise<Uint8Array | null> {
  const { payment, proof, locale, timeZone } = opened;
  const { events: _, bankDetails: _details, ...shown } = proof;
  if (!isDrawable(shown)) return null;
  const texts = proofTexts[locale];
  const view = { locale, root: '', path: '', csrf: null, nowMs: payment.updatedAtMs };
  const frame = { view, formVersion: undefined, format: formatOf(locale, { timeZone }) };
  const html = renderToStaticMarkup(
    <FrameProvider value={frame}>
      <main>
        <h1>{texts.title}</h1>
        <p class="lede">{ledeOf(proof, locale)}</p>
        <ProofSheet {...opened} />
      </main>
    </FrameProvider>,
  );
  const { pdfOf } = await import('../pdf/page-pdf.js');
  return pdfOf(html, {
    title: texts.title,
    author: proof.payee,
    language: locale,
    writtenAtMs: payment.updatedAtMs,
    footer: `${texts.title} \u00b7 ${proof.paymentId}`,
    // What organizations change later would change the pack of a payment.
    accent: null,
    logo: null,
    watermark: proof.mode === 'test' ? catalogues[locale].frame.test : null,
  });
}

/** For the mail to the payee. */
export async function proofFile(
  deps: Deps,
  payment: Payment,
  locale: Locale,
): Promise<NamedFile | null> {
  const bytes = await proofPdf(await openProof(deps, payment, { audience: 'seller', locale }));
  return bytes && { name: `proof-${payment.id}.pdf`, type: 'application/pdf', bytes };
}

export function ledeOf({ payee, buyer }: Proof, locale: Locale): string {
  return proofTexts[locale].lede(nameOf(payee), nameOf(buyer.name ?? buyer.email));
}

/** The same bytes for the same state of the payment and the same language. */
export async function proofPack(
  deps: Deps,
  opened: OpenedProof,
  signer: PackSigner | null = null,
): Promise<ByteSource> {
  const { proof, payment } = opened;
  const pdf = await proofPdf(opened);
  const invoice = proof.invoice === null ? null : await invoiceOf(deps, payment);
  const files = [
    async () => ['proof.json', Buffer.from(jsonText(proof))] as const,
    ...(pdf === null ? [] : [async () => ['proof.pdf', pdf] as const]),
    ...(invoice === null ? [] : [async () => invoice]),
  ];
  return packOf(deps, { kind: 'payment', subject: proof.paymentId }, files, signer);
}

async function invoiceOf(deps: Deps, payment: Payment): Promise<NamedBytes> {
  const { contentType, bytes } = await readAttachment(deps, payment);
  return [fileNameOf('invoice', contentType), await bytesOf(bytes)];
}

type NamedBytes = readonly [path: string, bytes: Uint8Array];

/** Each file is made once the one before it is written; then come keys, check and signature. */
export async function packOf(
  deps: Deps,
  about: Omit<PackAbout, 'issuer'>,
  files: readonly (() => Promise<NamedBytes>)[],
  given: PackSigner | null = null,
): Promise<ByteSource> {
  const signer = given ?? (await packSigner(deps));
  const keys = jsonText({ keys: signer.published });
  const listed: PackedFile[] = [];
  let signature = '';
  const all: readonly (() => Promise<NamedBytes>)[] = [
    ...files,
    async () => ['keys.json', Buffer.from(keys)],
    async () => ['verify.html', Buffer.from(verifyPage())],
  ];
  return zipFile(
    [
      ...all.map((open) => async () => {
        const [path, bytes] = await open();
        listed.push(packedFile(path, bytes));
        return entryOf(path, bytes);
      }),
      async () => {
        const signed = signManifest(deps, signer, about, listed);
        signature = signed.signature;
        return entryOf(MANIFEST_FILE, Buffer.from(signed.manifest));
      },
      async () => entryOf(SIGNATURE_FILE, Buffer.from(signature)),
    ],
    // A ZIP has local time: this is the same text in any time zone.
    new Date(1980, 0, 1, 12).getTime(),
  );
}

function entryOf(name: string, content: Uint8Array) {
  const bytes: ByteSource = {
    async *[Symbol.asyncIterator]() {
      yield content;
    },
    close: async () => undefined,
  };
  return { name, bytes };
}

export async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

/** The files of a page, by the last part of their paths. NotFound without a PDF. */
export const proofFiles = {
  'proof.pdf': async (_: Deps, opened: OpenedProof) => {
    const pdf = expectFound(await proofPdf(opened));
    return fileAnswer(opened.proof, 'pdf', pdf);
  },
  'proof.zip': async (deps: Deps, opened: OpenedProof) =>
    fileAnswer(opened.proof, 'zip', await proofPack(deps, opened)),
} as const;

function fileAnswer({ paymentId }: Proof, ending: 'pdf' | 'zip', body: PageAnswer['body']) {
  return download(`proof-${paymentId}.${ending}`, `application/${ending}`, body);
}

/**
 * The packs of a payee's payments of a month, and what the exemption asks of each. A pack is made
 * once the one before it is written, with new time limits.
 */
export async function monthPack(
  freshDeps: () => Deps,
  tenant: Tenant,
  { month, payee, paymentIds }: PayeeMonth & { readonly month: string },
  locale: Locale,
): Promise<ByteSource> {
  const payments: Pick<Proof, 'paymentId' | 'number' | 'amount' | 'currency' | 'exemption'>[] = [];
  const signer = await packSigner(freshDeps());
  const packs = paymentIds.map((id) => async () => {
    const deps = freshDeps();
    const { payment } = await readPayment(deps, tenant, id);
    const opened = await openProof(deps, payment, { audience: 'seller', locale });
    const { paymentId, number, amount, currency, exemption } = opened.proof;
    payments.push({ paymentId, number, amount, currency, exemption });
    return [
      `payments/${paymentId}.zip`,
      await bytesOf(await proofPack(deps, opened, signer)),
    ] as const;
  });
  const list = async () => {
    const text = jsonText({ v: 1, month, payee, payments });
    return ['month.json', Buffer.from(text)] as const;
  };
  const about = { kind: 'month', subject: `${month} ${payee}` } as const;
  return packOf(freshDeps(), about, [...packs, list], signer);
}
