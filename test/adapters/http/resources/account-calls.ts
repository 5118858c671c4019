// Connected accounts for tests over HTTP: sellers in the state that a test starts from, and a good
// call for each operation on accounts.
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { ConnectedAccount } from '../../../../core/domain/parties/connected-account.js';
import {
  configureAccountPayout,
  startTerms,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import { listPapers, storePaper } from '../../../../core/usecases/parties/vendor-papers.js';
import { anyAuthor } from '../../../support/samples/domain-samples.js';
import { newSeller as newSellerAccount } from '../../../support/scenes/seller-scene.js';
import type { World } from '../../../support/scenes/test-world.js';
import type { Example } from '../docs/example-calls.js';

let made = 0;

/** The dossier of a seller business, with an example company number. */
export const sellerDossier = {
  email: 'ana@example.com',
  legalName: 'Lima Ltda',
  cnpj: '11.222.333/0001-81',
} as const;

export const payoutConfig = { pixKey: 'ana@example.com', accountHolderName: 'Ana Lima' } as const;

export function newSeller(world: World, tenant: Tenant): Promise<ConnectedAccount> {
  made += 1;
  return newSellerAccount(world.deps, tenant, { externalId: `seller-${made}` });
}

/** A seller that can be named on payments. */
export async function readySeller(world: World, tenant: Tenant): Promise<ConnectedAccount> {
  const { id } = await newSeller(world, tenant);
  await submitAccount(world.deps, tenant, id, sellerDossier);
  return configureAccountPayout(world.deps, tenant, id, payoutConfig, anyAuthor);
}

const newPaper = {
  kind: 'w8',
  contentType: 'application/pdf',
  fileName: 'W-8BEN-E.pdf',
  expiresOn: '2032-12-31',
} as const;

async function sellerWithPaper({ deps }: World, tenant: Tenant) {
  const { id } = await newSellerAccount(deps, tenant, {});
  const holder = { ...tenant, kind: 'seller', id } as const;
  const { kind, fileName, expiresOn } = newPaper;
  const bytes = (async function* () {
    yield Buffer.from('%PDF-1.7');
  })();
  await storePaper(deps, holder, { kind, fileName, expiresOn, bytes, uploaderId: 'key_1' });
  const [paper] = await listPapers(deps, holder);
  return { id, paperId: paper?.id };
}

export function accountExamples(base: string, noun: string): Readonly<Record<string, Example>> {
  const on = (
    rest: string,
    body?: unknown,
    prepare?: (world: World, tenant: Tenant, id: string) => Promise<unknown>,
  ): Example => {
    return async (world, tenant) => {
      const { id } = await newSeller(world, tenant);
      await prepare?.(world, tenant, id);
      return { path: `${base}/${id}${rest}`, ...(body === undefined ? {} : { body }) };
    };
  };
  const submitted = (world: World, tenant: Tenant, id: string) =>
    submitAccount(world.deps, tenant, id, sellerDossier);
  const session = (world: World, tenant: Tenant, id: string) =>
    startTerms(world.deps, tenant, id, 'https://shop.example/terms');
  return {
    [`create${noun}`]: async () => {
      made += 1;
      const externalId = `seller-${made}`;
      const { email, legalName } = sellerDossier;
      const body = { role: 'seller', entityType: 'business', externalId, email, legalName };
      return { path: base, body, status: 201 };
    },
    [`list${noun}s`]: async () => ({ path: `${base}?role=seller&status=approved&limit=5` }),
    [`read${noun}`]: on(''),
    [`start${noun}Terms`]: on('/tos-session', { redirectUrl: 'https://shop.example/terms' }),
    [`accept${noun}Terms`]: on('/tos-accepted', { tosId: 'tos_1' }, session),
    [`create${noun}OnboardingLink`]: async (world, tenant) => ({
      path: `${base}/${(await newSeller(world, tenant)).id}/onboarding-link`,
      body: {},
    }),
    [`submit${noun}`]: on('/submit', sellerDossier),
    [`create${noun}Upload`]: on('/upload-url', { kind: 'selfie', contentType: 'image/png' }),
    [`list${noun}VendorDocuments`]: async (world, tenant) => ({
      path: `${base}/${(await sellerWithPaper(world, tenant)).id}/vendor-documents`,
    }),
    [`create${noun}VendorDocument`]: on('/vendor-documents/upload-url', newPaper),
    [`delete${noun}VendorDocument`]: async (world, tenant) => {
      const { id, paperId } = await sellerWithPaper(world, tenant);
      return { path: `${base}/${id}/vendor-documents/${paperId}` };
    },
    [`configure${noun}Payout`]: on('/payout-config', payoutConfig, submitted),
    [`list${noun}PayoutChanges`]: async (world, tenant) => ({
      path: `${base}/${(await readySeller(world, tenant)).id}/payout-changes`,
    }),
  };
}
