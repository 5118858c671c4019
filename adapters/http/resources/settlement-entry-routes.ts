// The entries for the books of an organization.
import { z } from 'zod';
import { allows } from '../../../core/domain/access/scope.js';
import {
  bookAccounts,
  type EntryLine,
  entryAccounts,
  type SettlementEntry,
} from '../../../core/domain/accounting/settlement-entry.js';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { formatAmount } from '../../../core/domain/base/money.js';
import { dayOf, endOfDay, startOfDay } from '../../../core/domain/base/time-zone.js';
import { postingKinds } from '../../../core/domain/payments/ledger.js';
import { paymentOrigins } from '../../../core/domain/payments/payment.js';
import { readEntries } from '../../../core/usecases/accounting/settlement-entries.js';
import { loadOrganization } from '../../../core/usecases/parties/organizations.js';
import { representation } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import { instant, optional, pageQuery, readText } from '../protocol/schemas.js';
import { dayOrMoment } from './payment-list-routes.js';
import { paymentScopes } from './payment-routes.js';

const entryQuery = z.object({
  limit: pageQuery.shape.limit,
  from: dayOrMoment('Booked on this day or at this time, or later.'),
  to: dayOrMoment('Booked on this day or before, or before this time.'),
  after: optional(
    readText((text) => (/^pst_[0-9A-Za-z]{1,60}$/.test(text) ? text : null), 'send a nextAfter', {
      pattern: '^pst_[0-9A-Za-z]{1,60}$',
      description: 'The `nextAfter` of the previous answer.',
    }),
  ),
});

const line = representation<EntryLine>()(null, {
  account: z.enum(entryAccounts).meta({
    description:
      'An account of the ledger, or `exchange_difference`: the BRL beyond the `bookedRate` of ' +
      'the payment, negative if the seller got more.',
  }),
  name: [
    z.string().meta({ description: 'A name of the account for your books.' }),
    ({ account }) => bookAccounts[account],
  ],
  amount: [
    z
      .string()
      .regex(/^-?[0-9]+\.[0-9]{2}$/)
      .meta({ description: 'Positive: debit.' }),
    ({ money: { amountMinor } }) => formatAmount(amountMinor),
  ],
  currency: [z.string(), ({ money: { currency } }) => currency],
});

interface EntrySource extends SettlementEntry {
  readonly timeZone: string;
}

export const settlementEntry = representation<EntrySource>()('SettlementEntry', {
  id: z.string(),
  paymentId: [z.string(), ({ subjectId }) => subjectId],
  kind: z.enum(postingKinds),
  bookedAt: [instant, ({ atMs }) => formatInstant(atMs)],
  day: [
    z.string().meta({ format: 'date', description: 'In the time zone of the organization.' }),
    ({ timeZone, atMs }) => dayOf(timeZone, atMs),
  ],
  lines: [
    z.array(line.schema).meta({ description: 'They add up to 0.00 in each currency.' }),
    ({ lines }) => lines.map(line.show),
  ],
});

interface EntriesSource {
  readonly data: readonly EntrySource[];
  readonly nextAfter: string | null;
}

const entryList = representation<EntriesSource>()('SettlementEntries', {
  data: [z.array(settlementEntry.schema), ({ data }) => data.map(settlementEntry.show)],
  nextAfter: z.string().nullable().meta({
    description: 'Store it, and send it as `after` to continue; null before the first entry.',
  }),
});

const readScopes = paymentScopes.read.byOrigin;

export const settlementEntryRoutes = [
  route({
    method: 'GET',
    operations: { listSettlementEntries: '/v1/settlement-entries' },
    summary: 'List the double entries of your payments for accounting, a minute after booking',
    access: {
      auth: 'keyElseSession',
      scope: { anyOf: Object.values(readScopes) },
      modes: 'both',
      rateLimit: 'none',
      proof: 'session',
    },
    query: entryQuery,
    responses: { 200: entryList.schema },
    handler: listPage,
  }),
];

async function listPage(
  { deps }: HandlerContext,
  { actor, tenant, query }: Call<'keyElseSession', unknown, z.infer<typeof entryQuery>, unknown>,
): Promise<Reply> {
  const { from, to, after: afterId, limit } = query;
  const { timeZone } = await deps.store.run((tx) => loadOrganization(tx, tenant.orgId));
  const origins = paymentOrigins.filter((one) => allows(actor.scopes, readScopes[one]));
  const fromMs = typeof from === 'string' ? startOfDay(timeZone, from) : from;
  const beforeMs = typeof to === 'string' ? endOfDay(timeZone, to) : to;
  const range = { origins, fromMs, beforeMs, afterId };
  const { entries, lastId } = await readEntries(deps, tenant, range, limit);
  const data = entries.map((entry) => ({ ...entry, timeZone }));
  return reply(200, entryList.show({ data, nextAfter: lastId }));
}
