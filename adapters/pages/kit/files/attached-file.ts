// The attachment of a payment as a download: never shown as a page of this origin.
import type { Payment } from '../../../../core/domain/payments/payment.js';
import type { Deps } from '../../../../core/ports/deps.js';
import { readAttachment } from '../../../../core/usecases/parties/attachments.js';
import type { PageAnswer } from '../page-route.js';

/** NotFound if the payment has none. */
export async function attachedFile(deps: Deps, payment: Payment): Promise<PageAnswer> {
  const { fileName, contentType, sizeBytes, bytes } = await readAttachment(deps, payment);
  const headers = {
    'content-type': contentType,
    'content-length': `${sizeBytes}`,
    'content-disposition': dispositionOf(fileName),
  };
  return { status: 200, headers, cookies: [], body: bytes };
}

/** RFC 6266: a name in ASCII for old clients, and the name. */
function dispositionOf(fileName: string): string {
  const ascii = fileName.replace(/[^a-z0-9. _-]/gi, '-');
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
