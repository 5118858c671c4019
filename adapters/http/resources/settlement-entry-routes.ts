// The entries for the books of an organization, the names of their accounts, and closed months.
import { z } from 'zod';
import { allows } from '../../../core/domain/access/scope.js';
import {
  ACCOUNT_NAME_LENGTH_MAX,
  entryAccounts,
} from '../../../core/domain/accounting/account-name.js';
import {
  type Accounting,
  accountsOf,
  type BookedEntry,
  type ClosedMonth,
  monthForm,
} from '../../../core/domain/accounting/accounting.js';
import type { EntryLine } from '../../../core/domain/accounting/settlement-entry.js';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { formatAmount } from '../../../core/domain/base/money.js';
import { recordOf } from '../../../core/domain/base/record-of.js';
import { postingKinds } from '../../../core/domain/payments/ledger.js';
import { paymentOrigins } from '../../../core/domain/payments/payment.js';
import {
  closeMonth,
  readAccounting,
  setAccounts,
} from '../../../core/usecases/accounting/accounting-settings.js';
import { readEntries } from '../../../core/usecases/accounting/settlement-entries.js';
import { representation } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import { instant, optional, pageQuery, readText, requestSchemas } from '../protocol/schemas.js';
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

interface NamedLine extends EntryLine {
  readonly name: string;
}

const line = representation<NamedLine>()(null, {
  account: z.enum(entryAccounts).meta({
    description:
      'An account of the ledger, or `exchange_difference`: the BRL beyond the `bookedRate` of ' +
      'the payment, negative if the seller got more.',
  }),
  name: z.string().meta({ description: 'The name of the account in your books.' }),
  amount: [
    z
      .string()
      .regex(/^-?[0-9]+\.[0-9]{2}$/)
      .meta({ description: 'Positive: debit.' }),
    ({ money: { amountMinor } }) => formatAmount(amountMinor),
  ],
  currency: [z.string(), ({ money: { currency } }) => currency],
});

export const settlementEntry = representation<BookedEntry>()('SettlementEntry', {
  id: z.string(),
  paymentId: [z.string(), ({ subjectId }) => subjectId],
  kind: z.enum(postingKinds),
  bookedAt: [instant, ({ atMs }) => formatInstant(atMs)],
  day: z.string().meta({
    format: 'date',
    description:
      'In the time zone of the organization. What is booked after its month was closed has the ' +
      'first day of the next month.',
  }),
  lines: [
    z.array(line.schema).meta({ description: 'They add up to 0.00 in each currency.' }),
    ({ lines, accounts }) => lines.map((of) => line.show({ ...of, name: accounts[of.account] })),
  ],
});

interface EntriesSource {
  readonly data: readonly BookedEntry[];
  readonly nextAfter: string | null;
}

const entryList = representation<EntriesSource>()('SettlementEntries', {
  data: [z.array(settlementEntry.schema), ({ data }) => data.map(settlementEntry.show)],
  nextAfter: z.string().nullable().meta({
    description: 'Store it, and send it as `after` to continue; null before the first entry.',
  }),
});

const namesOf = (name: z.ZodType<string>) => z.object(recordOf(entryAccounts, () => name));

const closedMonth = representation<ClosedMonth>()(null, {
  month: z.string().meta({ description: 'YYYY-MM; earlier months are closed with it.' }),
  closedAt: [instant, ({ closedAtMs }) => formatInstant(closedAtMs)],
  until: [
    instant.meta({ description: 'What was booked from then on is of a later month.' }),
    ({ untilMs }) => formatInstant(untilMs),
  ],
  timeZone: z.string(),
  balances: [
    z
      .array(line.schema)
      .nullable()
      .meta({
        description:
          'The sum of all entries up to its end, by account and currency. Null for a minute or ' +
          'more while a long history is summed.',
      }),
    ({ balances, summedTo, accounts }) =>
      summedTo === null
        ? balances.map((of) => line.show({ ...of, name: accounts[of.account] }))
        : null,
  ],
});

export const accounting = representation<Accounting>()('Accounting', {
  accounts: [
    namesOf(z.string()).meta({ description: 'The name of each account in your books.' }),
    (of) => accountsOf(of),
  ],
  closedMonths: [z.array(closedMonth.schema), ({ closed }) => closed.map(closedMonth.show)],
});

const accountName = z.string().max(ACCOUNT_NAME_LENGTH_MAX);
const accountsBody = z.object({
  accounts: namesOf(accountName).partial().meta({
    description: 'What is not named stays; an empty name stands for the usual one.',
  }),
});
const closeBody = z.object({
  month: z
    .string()
    .regex(monthForm)
    .meta({ description: 'YYYY-MM. Earlier months are closed with it.' }),
});

requestSchemas.add(accountsBody, { id: 'SetAccountNames' }).add(closeBody, { id: 'CloseMonth' });

const readScopes = paymentScopes.read.byOrigin;
const mayRead = { anyOf: Object.values(readScopes) };
const access = { auth: 'keyElseSession', modes: 'both', proof: 'session' } as const;
const writes = { ...access, scope: 'accounting:write', rateLimit: 'stored' } as const;

export const settlementEntryRoutes = [
  route({
    method: 'GET',
    operations: { listSettlementEntries: '/v1/settlement-entries' },
    summary: 'List the double entries of your payments for accounting, a minute after booking',
    access: { ...access, scope: mayRead, rateLimit: 'none' },
    query: entryQuery,
    responses: { 200: entryList.schema },
    handler: listPage,
  }),
  route({
    method: 'GET',
    operations: { readAccounting: '/v1/accounting' },
    summary: 'Read the names of your accounts, and the months that are closed',
    access: { ...access, scope: mayRead, rateLimit: 'none' },
    responses: { 200: accounting.schema },
    handler: async ({ deps }, { tenant }) =>
      reply(200, accounting.show(await readAccounting(deps, tenant))),
  }),
  route({
    method: 'POST',
    operations: { setAccountNames: '/v1/accounting/accounts' },
    summary: 'Name accounts as in your books; entries of closed months keep their names',
    access: writes,
    body: accountsBody,
    responses: { 200: accounting.schema },
    handler: async ({ deps }, { tenant, body }) =>
      reply(200, accounting.show(await setAccounts(deps, tenant, body.accounts))),
  }),
  route({
    method: 'POST',
    operations: { closeMonth: '/v1/accounting/closed-months' },
    summary: 'Close a month for good: what is booked later is an entry of the next one',
    access: writes,
    body: closeBody,
    responses: { 200: accounting.schema },
    handler: async ({ deps }, { tenant, body }) =>
      reply(200, accounting.show(await closeMonth(deps, tenant, body.month))),
  }),
];

async function listPage(
  { deps }: HandlerContext,
  { actor, tenant, query }: Call<'keyElseSession', unknown, z.infer<typeof entryQuery>, unknown>,
): Promise<Reply> {
  const { after: afterId, limit, ...days } = query;
  const origins = paymentOrigins.filter((one) => allows(actor.scopes, readScopes[one]));
  const { entries, lastId } = await readEntries(deps, tenant, { ...days, origins, afterId }, limit);
  return reply(200, entryList.show({ data: entries, nextAfter: lastId }));
}
