// Settled payments of one organization, with everything that their proofs can have.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { bytesOf, openProof, proofPack } from '../../../../adapters/pages/proof/proof-pack.js';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Locale } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { ProofAudience } from '../../../../core/domain/law/proof.js';
import { storeAttachment } from '../../../../core/usecases/parties/attachments.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import type { SuiteEnd } from '../../../support/suite-end.js';

export interface ProofScene {
  readonly made: World;
  readonly tenant: Tenant;
  /** A settled invoice with file, fiscal document, purpose and relation. */
  readonly paymentId: string;
  pack(given?: {
    readonly locale?: Locale;
    readonly audience?: ProofAudience;
    /** Of the settled invoice by default. */
    readonly of?: string;
  }): Promise<Uint8Array>;
}

/** Another cell has other keys. */
export async function proofScene(t: SuiteEnd, cell?: number): Promise<ProofScene> {
  const made = await world(t, cell === undefined ? {} : { cell });
  const tenant = await made.newTenant();
  const attachment = await storeAttachment(made.deps, tenant, {
    memberId: 'mem_1',
    fileName: 'Fatura nº 7.pdf',
    bytes: Readable.from([Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n')]),
  });
  assert.ok(typeof attachment === 'object');
  const { payment } = await makeInvoice(made.deps, tenant, {
    attachmentDocumentId: attachment.documentId,
    amount: money(125_000n, 'USD'),
    buyer: { email: 'ana@example.com', name: 'Müller GmbH', country: 'DE', phone: null },
    metadata: '{"order":"é 1"}',
    purpose: 'services',
    payerRelation: 'unrelated',
    fiscalDocument: { kind: 'other', key: null, number: '7', issuedOn: '2030-01-01' },
    bookedRate: '5.4321',
  });
  const paymentId = payment.id;
  await inviteBuyer(made.deps, tenant, paymentId);
  await advancePayment(made.deps, tenant, paymentId, 'settled');
  await made.settle();
  made.advanceClock(10 * MINUTE_MS);
  await made.settle();
  assert.equal(await made.statusOf(paymentId), 'settled');
  return {
    made,
    tenant,
    paymentId,
    async pack({ locale = 'en', audience = 'seller', of = paymentId } = {}) {
      const { payment: current } = await readPayment(made.deps, tenant, of);
      const opened = await openProof(made.deps, current, { audience, locale });
      return bytesOf(await proofPack(made.deps, opened));
    },
  };
}
