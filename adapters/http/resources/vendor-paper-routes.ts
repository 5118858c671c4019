// The documents of a seller that its buyers file before they pay. Those of the organization are in
// the dashboard, and those of the account holder in the command line.
import { z } from 'zod';
import { formatInstant } from '../../../core/domain/base/instant.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import { contentTypes, FILE_NAME_MAX } from '../../../core/domain/parties/document.js';
import {
  paperStateOn,
  paperStates,
  papersOwnedBy,
  type VendorPaper,
} from '../../../core/domain/parties/vendor-paper.js';
import type { Deps } from '../../../core/ports/deps.js';
import { accountIdOf } from '../../../core/usecases/parties/accounts.js';
import { loadOrganization } from '../../../core/usecases/parties/organizations.js';
import {
  createPaperUpload,
  listPapers,
  type PaperHolder,
  removePaper,
} from '../../../core/usecases/parties/vendor-papers.js';
import { representation, wholeListOf } from '../protocol/representation.js';
import { reply, route } from '../protocol/route-row.js';
import {
  calendarDate,
  instant,
  optional,
  pathText,
  requestSchemas,
  text,
} from '../protocol/schemas.js';
import { sending, uploadUrl } from './document-routes.js';

const kind = z.enum(papersOwnedBy('seller'));

export const paperBody = z.object({
  kind: kind.meta({ description: '`w8`: the W-8BEN-E, W-8BEN or W-9 of the seller.' }),
  contentType: z.enum(contentTypes).meta({
    description: 'The type that you will send. The bytes must be of this type.',
  }),
  fileName: text(1, FILE_NAME_MAX, 'The name under which buyers download it.'),
  expiresOn: optional(
    calendarDate('Its last day, YYYY-MM-DD: after it buyers are not offered the document.'),
  ),
});
requestSchemas.add(paperBody, { id: 'CreateVendorDocument' });

interface ShownPaper {
  readonly paper: VendorPaper;
  /** In the time zone of the organization. */
  readonly today: string;
}

const paper = representation<ShownPaper>()('VendorDocument', {
  id: [z.string(), (of) => of.paper.id],
  kind: [kind, (of) => kind.parse(of.paper.kind)],
  fileName: [z.string(), (of) => of.paper.fileName],
  contentType: [z.enum(contentTypes), (of) => of.paper.contentType],
  sizeBytes: [z.int(), (of) => of.paper.sizeBytes ?? 0],
  expiresOn: [
    z.string().nullable().meta({ description: 'Null: it does not expire.' }),
    (of) => of.paper.expiresOn,
  ],
  state: [
    z.enum(paperStates).meta({
      description: '`ends_soon`: within 30 days. `ended`: buyers are not offered it any more.',
    }),
    (of) => paperStateOn(of.paper, of.today),
  ],
  createdAt: [instant, (of) => formatInstant(of.paper.createdAtMs)],
});
const papers = wholeListOf('VendorDocumentList', paper);

const paperUpload = representation<Awaited<ReturnType<typeof createPaperUpload>>>()(
  'VendorDocumentUploadUrl',
  { documentId: z.string(), uploadUrl, ...sending },
);

const sellerParams = z.object({ id: pathText('`acct_…`, or `ext_` and the externalId.') });
const paperParams = z.object({ ...sellerParams.shape, documentId: pathText('`doc_…`') });
const path = '/{id}/vendor-documents';
const operationsOf = <const B extends string, const A extends string>(
  before: B,
  after: A,
  tail = '',
) =>
  ({
    [`${before}ConnectedAccount${after}`]: `/v1/connected-accounts${path}${tail}`,
    [`${before}Account${after}`]: `/v1/accounts${path}${tail}`,
  }) as Readonly<Record<`${B}ConnectedAccount${A}` | `${B}Account${A}`, string>>;

export const vendorPaperRoutes = [
  route({
    method: 'GET',
    operations: operationsOf('list', 'VendorDocuments'),
    summary: 'List the documents of a seller that its buyers file before they pay',
    access: { auth: 'key', scope: 'connected_accounts:read', modes: 'both', rateLimit: 'none' },
    params: sellerParams,
    responses: { 200: papers.schema },
    handler: async ({ deps }, { tenant, params }) => {
      const found = await listPapers(deps, await sellerOf(deps, tenant, params.id));
      const today = await todayOf(deps, tenant);
      return reply(
        200,
        papers.show(
          found.map((one) => ({ paper: one, today })),
          null,
        ),
      );
    },
  }),
  route({
    method: 'POST',
    operations: operationsOf('create', 'VendorDocument', '/upload-url'),
    summary:
      'Create an upload URL for a document that buyers file. Once the bytes are there, signed-in ' +
      'buyers may download it, in place of the one of its kind before',
    access: { auth: 'key', scope: 'connected_accounts:write', modes: 'both', rateLimit: 'stored' },
    params: sellerParams,
    body: paperBody,
    responses: { 200: paperUpload.schema },
    errors: ['KycStorageDisabled'],
    handler: async ({ deps }, { tenant, params, body }) => {
      const holder = await sellerOf(deps, tenant, params.id);
      return reply(200, paperUpload.show(await createPaperUpload(deps, holder, body)));
    },
  }),
  route({
    method: 'DELETE',
    operations: operationsOf('delete', 'VendorDocument', '/{documentId}'),
    summary: 'Delete a document of a seller: no buyer is offered it any more',
    access: { auth: 'key', scope: 'connected_accounts:write', modes: 'both', rateLimit: 'stored' },
    params: paperParams,
    responses: { 200: paper.schema },
    handler: async ({ deps }, { tenant, params }) => {
      const holder = await sellerOf(deps, tenant, params.id);
      const removed = await removePaper(deps, holder, params.documentId);
      return reply(200, paper.show({ paper: removed, today: await todayOf(deps, tenant) }));
    },
  }),
];

async function sellerOf(deps: Deps, tenant: Tenant, named: string): Promise<PaperHolder> {
  return { ...tenant, kind: 'seller', id: await accountIdOf(deps, tenant, named) };
}

async function todayOf(deps: Deps, { orgId }: Tenant): Promise<string> {
  const { timeZone } = await deps.store.run((tx) => loadOrganization(tx, orgId));
  return dayOf(timeZone, deps.clock.nowMs());
}
