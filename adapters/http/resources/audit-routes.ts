// The audit log of an organization, for its owners and admins.
import { z } from 'zod';
import { actorKinds } from '../../../core/domain/base/actor.js';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { modes } from '../../../core/domain/base/tenant.js';
import {
  type AuditedObject,
  type AuditRecord,
  auditedTypes,
} from '../../../core/domain/service/audit-record.js';
import { listAuditRecords } from '../../../core/usecases/service/audit-log.js';
import { loadPage } from '../protocol/cursor.js';
import { pageOf, representation } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import { instant, pageQuery } from '../protocol/schemas.js';

const rowHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();

const object = representation<AuditedObject>()(null, {
  type: z.enum(auditedTypes),
  id: z.string().nullable().meta({ description: 'Null: many of them.' }),
  before: rowHash.meta({ description: 'The hash of the row before; null for a new one.' }),
  after: rowHash.meta({ description: 'The hash of the row after; null for a removed one.' }),
});

const actor = z.strictObject({
  kind: z.enum(actorKinds).meta({
    description: '`link`: a person with the address of a page or an upload URL.',
  }),
  id: z.string().meta({ description: 'Of a buyer or a link: what the page or URL is about.' }),
});

const auditEntry = representation<AuditRecord>()('AuditEntry', {
  id: z.string(),
  sequence: z.int().min(1).meta({
    description: 'The place in the log of the service, which has entries of others too.',
  }),
  at: [instant, ({ atMs }) => formatInstant(atMs)],
  actor,
  address: z.string().nullable().meta({
    description: 'The IP address of a client, or the machine of an operator.',
  }),
  action: z.string().meta({
    description:
      'An operationId, the path of a hosted page, a command of `ponte`, or the kind of a message ' +
      'of the settlement partner.',
  }),
  mode: z.enum(modes).nullable().meta({ description: 'Null: not of one mode.' }),
  requestId: z.string().nullable(),
  operator: z
    .string()
    .nullable()
    .meta({
      description:
        'The operator who made the token or the API key that the request was made with; null: ' +
        'no operator.',
    }),
  objects: [
    z.array(object.schema).meta({ description: 'What was changed.' }),
    ({ objects }) => objects.map((one) => object.show(one)),
  ],
  exported: z
    .strictObject({
      filter: z.string().meta({ description: 'The query of the list; empty: all of it.' }),
      rows: z
        .int()
        .min(0)
        .nullable()
        .meta({
          description:
            'Null when a long file begins; the entry at its end has how many were sent. There is ' +
            'none if the client had disconnected before the file began.',
        }),
    })
    .nullable()
    .meta({ description: 'What a member or an operator exported as a file; null for a change.' }),
  chainHash: z.string().meta({
    description:
      'The hash of this entry and all before it. Keep it with `sequence`: while the log is ' +
      'unchanged, the entry has it.',
  }),
});

const auditPage = pageOf('AuditEntryList', auditEntry);

export const auditRoutes = [
  route({
    method: 'GET',
    operations: { listAuditEntries: '/v1/audit' },
    summary: 'List who changed what in the organization, in this mode or in both, newest first',
    access: {
      auth: 'session',
      scope: 'audit:read',
      modes: 'both',
      rateLimit: 'none',
      proof: 'session',
    },
    query: pageQuery,
    responses: { 200: auditPage.schema },
    handler: listPage,
  }),
];

async function listPage(
  { deps }: HandlerContext,
  { tenant, query }: Call<'session', unknown, z.infer<typeof pageQuery>, unknown>,
): Promise<Reply> {
  const list = { operation: 'audit', tenant, parentId: '' };
  const { rows, nextCursor } = await loadPage(deps.secretBox, list, query, async (page) => {
    const beforeSequence = page.beforeId === null ? null : Number(page.beforeId);
    const { limit } = page;
    const entries = await listAuditRecords(deps, tenant, { beforeSequence, limit });
    return entries.map((entry) => ({ id: `${entry.sequence}`, entry }));
  });
  return reply(
    200,
    auditPage.show(
      rows.map(({ entry }) => entry),
      nextCursor,
    ),
  );
}
