// A buyer's KYC and documents for tests over HTTP: bodies as an integrator sends them, documents in
// the state that a test starts from, and a good call for each operation.
import assert from 'node:assert/strict';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { DocumentOwner } from '../../../../core/domain/parties/document.js';
import {
  createUpload,
  receiveUpload,
  type Upload,
} from '../../../../core/usecases/parties/documents.js';
import { startBuyerKyc } from '../../../../core/usecases/parties/kyc.js';
import { chunks } from '../../../contract/document-storage.js';
import { acme, ana } from '../../../support/samples/dossiers.js';
import type { World } from '../../../support/scenes/test-world.js';
import type { Example } from '../docs/example-calls.js';

let made = 0;

/** The minimal dossier of an individual buyer with a fresh address. */
export function individualBody() {
  return { entityType: 'individual', ...hostedBody(), ...ana } as const;
}

/** The minimal dossier of a business buyer with a fresh address. */
export function businessBody() {
  const { country: buyerCountry, ...company } = acme;
  return { entityType: 'business', ...hostedBody(), ...company, buyerCountry } as const;
}

export function hostedBody() {
  made += 1;
  return { buyerEmail: `buyer-${made}@example.com` } as const;
}

/** A buyer that the tenant has something with. */
export async function newBuyer({ deps }: World, tenant: Tenant): Promise<DocumentOwner> {
  const { buyerEmail: email } = hostedBody();
  const start = { email, name: null, entityType: null, paymentId: null, dossier: {} };
  return { party: 'buyer', id: (await startBuyerKyc(deps, tenant, start)).buyerId };
}

export async function newUpload(world: World, tenant: Tenant): Promise<Upload> {
  return createUpload(world.deps, tenant, {
    owner: await newBuyer(world, tenant),
    kind: 'selfie',
    contentType: 'image/png',
    ownerIndex: null,
  });
}

/** A document whose bytes have come. */
export async function newDocument(world: World, tenant: Tenant): Promise<Upload> {
  const upload = await newUpload(world, tenant);
  const url = new URL(upload.uploadUrl);
  await receiveUpload(world.deps, {
    documentId: url.pathname.split('/')[3] ?? '',
    signature: url.searchParams.get('signature') ?? '',
    contentType: 'image/png',
    sizeBytes: null,
    bytes: chunks('a face'),
  });
  return upload;
}

/** Where a URL that was given out leads on the server under test. */
export function pathOf(url: string): string {
  const { origin, pathname, search } = new URL(url);
  assert.equal(origin, 'https://api.example.com');
  return `${pathname}${search}`;
}

export const uploadBody = { kind: 'selfie', contentType: 'image/png' } as const;

export const buyerExamples: Readonly<Record<string, Example>> = {
  startBuyerKyc: async () => ({ path: '/v1/buyer-kyc', body: individualBody(), status: 201 }),
  readBuyerRequirements: async (world, tenant) => {
    const { id } = await newBuyer(world, tenant);
    return { method: 'GET', path: `/v1/buyer-kyc/${id}/requirements` };
  },
  createBuyerUpload: async (world, tenant) => {
    const { id } = await newBuyer(world, tenant);
    return { path: `/v1/buyer-kyc/${id}/upload-url`, body: uploadBody };
  },
  uploadDocument: async (world, tenant) => ({
    path: pathOf((await newUpload(world, tenant)).uploadUrl),
    headers: { 'content-type': 'image/png' },
    body: Buffer.from('a face'),
  }),
  readDocument: async (world, tenant) => ({
    path: pathOf((await newDocument(world, tenant)).publicUrl),
  }),
};
