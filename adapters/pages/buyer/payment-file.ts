// The print views of a payment as PDF files: the same content in the same words.
import type { Locale } from '../../../core/domain/base/locale.js';
import { helpReference } from '../../../core/domain/payments/display.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import { assert } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { NamedFile } from '../../../core/ports/outside.js';
import { readPaymentPage } from '../../../core/usecases/hosted/payment-page.js';
import { readLogoOf } from '../../../core/usecases/parties/organization-settings.js';
import type { FilePage, PageView } from '../hosted/page-view.js';
import { paymentScene, sceneOf } from '../hosted/scene.js';
import { plainText } from '../kit/plain-text.js';
import { recipientView } from './payment-view.js';
import { renderForFile } from './render.js';

/**
 * The print view as a file, with the logo of the organization; null if a file cannot show its
 * characters.
 */
export async function paymentFile(
  view: PageView,
  page: FilePage,
  logo: Uint8Array | null,
): Promise<NamedFile | null> {
  const { texts, payment, organization, hasFile } = paymentScene(sceneOf(view));
  if (!hasFile) return null;
  const { title, html } = renderForFile(view);
  const reference = helpReference(payment);
  const author = plainText(organization.name);
  // With its fonts it is larger than all other code of pages: most hosts rarely need it.
  const { pdfOf } = await import('../pdf/page-pdf.js');
  const bytes = await pdfOf(html, {
    title,
    author,
    language: view.locale,
    writtenAtMs: view.nowMs,
    footer: `${author} \u00b7 ${reference}`,
    accent: organization.accentColor,
    logo,
    watermark: view.mode === 'test' ? texts.frame.test : null,
  });
  return { name: fileName(texts.files[page], payment, 'pdf'), type: 'application/pdf', bytes };
}

/** The picture that the page shows; null without one. */
export async function logoOf(
  deps: Pick<Deps, 'store'>,
  { organization }: Pick<PageView, 'organization'>,
): Promise<Uint8Array | null> {
  return organization?.logo ? readLogoOf(deps, organization.id) : null;
}

/** As any system takes it. */
export function fileName(
  kind: string,
  payment: Pick<Payment, 'number' | 'externalId' | 'id'>,
  ending: 'pdf' | 'ics',
): string {
  return `${kind}-${helpReference(payment).replace(/[^a-z0-9.-]/gi, '-')}.${ending}`;
}

/** For the mail that says that the payment is settled. */
export async function receiptFile(
  deps: Deps,
  { publicId }: Payment,
  locale: Locale,
): Promise<NamedFile | null> {
  const shown = await readPaymentPage(deps, publicId);
  assert(shown.screen === 'paid', 'a receipt is of a settled payment');
  const view = recipientView(deps, shown, locale, { name: 'receipt' });
  return paymentFile(view, 'receipt', await logoOf(deps, view));
}
