// The proof of a settled payment: what shows it to a tax office, an accountant or a bank. The pages
// make the pack with its files.
import { z } from 'zod';
import { entryAccounts } from '../../../core/domain/accounting/account-name.js';
import { modes, tenantOf } from '../../../core/domain/base/tenant.js';
import { type DemandCheck, demands, provableFacts } from '../../../core/domain/law/exemption.js';
import {
  type Proof,
  type ProvenEntry,
  type ProvenEvent,
  type ProvenQuote,
  type ProvenSettlement,
  type ProvenTransfer,
  proofAudiences,
} from '../../../core/domain/law/proof.js';
import { postingKinds } from '../../../core/domain/payments/ledger.js';
import { readProof } from '../../../core/usecases/law/proofs.js';
import { representation } from '../protocol/representation.js';
import { reply, route } from '../protocol/route-row.js';
import { decimal, instant } from '../protocol/schemas.js';
import {
  asset,
  fiscalDocument,
  payer,
  paymentParams,
  paymentScopes,
  rate,
} from './payment-routes.js';

const signed = z.string().regex(/^-?[0-9]+\.[0-9]{2}$/);
const chainHash = z.string().regex(/^([0-9a-f]{64})?$/);

const quote = representation<ProvenQuote>()(null, {
  confirmedAt: instant.nullable(),
  rate,
  rateKind: z.enum(['locked', 'indicative']),
  effectiveRate: rate.nullable(),
  fees: decimal,
  brlAmount: decimal,
});

const transfer = representation<ProvenTransfer>()('ProvenTransfer', {
  receivedAt: instant.nullable(),
  amount: decimal,
  currency: z.string(),
  payerName: z.string().nullable().meta({ description: 'As the bank wrote it.' }),
  payerBank: z.string().nullable(),
  reference: z.string().nullable(),
  trace: z.string().nullable().meta({ description: "The bank's number of the transfer." }),
});

const settlement = representation<ProvenSettlement>()('ProvenSettlement', {
  settledAt: instant,
  brlAmount: decimal,
  fxRate: rate,
  effectiveRate: rate.nullable(),
  fees: decimal,
  endToEndId: z.string().nullable(),
  asset: asset.schema.nullable(),
  returnedAt: instant.nullable(),
});

const entry = representation<ProvenEntry>()('ProvenEntry', {
  id: z.string(),
  kind: z.enum(postingKinds),
  bookedAt: instant,
  lines: z.array(
    z.strictObject({ account: z.enum(entryAccounts), amount: signed, currency: z.string() }),
  ),
});

const event = representation<ProvenEvent>()('ProvenEvent', {
  sequence: z.int(),
  previousChainHash: chainHash,
  chainHash: chainHash.meta({
    description: 'Hex SHA-256 of previousChainHash and body, as UTF-8 bytes.',
  }),
  body: z.string().meta({ description: 'The exact text that webhooks carry.' }),
});

const demand = representation<DemandCheck>()(null, {
  demand: z.enum(demands),
  missing: z.array(z.enum(provableFacts)).meta({ description: 'Empty: it is met.' }),
});

const proof = representation<Proof>()('PaymentProof', {
  v: z.literal(1),
  audience: z.enum(proofAudiences),
  paymentId: z.string(),
  mode: z.enum(modes),
  externalId: z.string().nullable(),
  number: z.string().nullable(),
  purchaseOrder: z.string().nullable(),
  payee: z.string(),
  buyer: z.strictObject({
    name: z.string().nullable(),
    country: z.string().nullable(),
    email: z.string(),
  }),
  amount: decimal,
  currency: z.string(),
  purpose: z.string().nullable(),
  payerRelation: z.string().nullable(),
  fiscalDocument: fiscalDocument.schema.nullable(),
  invoice: z
    .strictObject({ fileName: z.string(), contentType: z.string(), sizeBytes: z.int() })
    .nullable(),
  quote: quote.schema.nullable().meta({ description: 'As the buyer confirmed it.' }),
  transfers: z.array(transfer.schema).meta({ description: 'What arrived, oldest first.' }),
  payer: payer.schema.nullable(),
  transactionHash: z.string().nullable(),
  payinAsset: asset.schema.nullable(),
  settlements: z.array(settlement.schema).meta({ description: 'Every PIX to the payee.' }),
  entries: z.array(entry.schema).nullable(),
  events: z
    .array(event.schema)
    .nullable()
    .meta({ description: 'The events of the payment in the chain of your feed.' }),
  bankDetails: z
    .array(z.strictObject({ checkCode: z.string(), record: z.string(), signature: z.string() }))
    .meta({
      description:
        'The bank details that the buyer got. Each signature is a detached JWS over `record`, ' +
        'by a key of /.well-known/ponte-keys.json.',
    }),
  exemption: z
    .array(demand.schema)
    .nullable()
    .meta({
      description:
        'What the exemption of exports of services from PIS and COFINS asks, and what is ' +
        'missing. This is no advice.',
    }),
});

export const proofRoutes = [
  route({
    method: 'GET',
    operations: { readPaymentProof: '/v1/payments/{id}/proof' },
    summary: 'Read the proof of a settled payment for tax office, accountant or bank',
    access: {
      auth: 'keyElseSession',
      scope: paymentScopes.read,
      modes: 'both',
      rateLimit: 'none',
      proof: 'session',
    },
    params: paymentParams,
    responses: { 200: proof.schema },
    errors: ['PaymentStateConflict'],
    handler: async ({ deps }, { found: { payment } }) =>
      reply(200, proof.show(await readProof(deps, tenantOf(payment), payment.id, 'seller'))),
  }),
];
