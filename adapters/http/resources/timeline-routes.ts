// The timeline of a payment, and what each kind of entry shows.
import { z } from 'zod';
import { actorKinds } from '../../../core/domain/base/actor.js';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { formatAmount, type Money } from '../../../core/domain/base/money.js';
import { moneyKinds } from '../../../core/domain/commands/partner-command.js';
import { colleagueApprovalStates } from '../../../core/domain/payments/colleague-approval.js';
import { eventTypes } from '../../../core/domain/payments/event.js';
import {
  type LedgerLine,
  ledgerAccounts,
  postingKinds,
} from '../../../core/domain/payments/ledger.js';
import { paymentStatuses } from '../../../core/domain/payments/payment.js';
import {
  decodeCursor,
  encodeCursor,
  type TimelineEntry,
  timelineOutcomes,
} from '../../../core/domain/payments/timeline.js';
import { deliveryMoves } from '../../../core/domain/webhooks/webhook-delivery.js';
import { readTimeline } from '../../../core/usecases/payments/timelines.js';
import { readCursor, writeCursor } from '../protocol/cursor.js';
import { representation } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import { decimal, instant, keysOf, pageQuery, responseSchemas } from '../protocol/schemas.js';
import { amountLimitFields } from './amount-limit-answer.js';
import { paymentParams, paymentScopes } from './payment-routes.js';

type EntryOf<K extends TimelineEntry['kind']> = Extract<TimelineEntry, { kind: K }>;

const at = [instant, ({ atMs }: TimelineEntry) => formatInstant(atMs)] as const;
const amount = {
  amount: [decimal, (entry: { amount: Money }) => formatAmount(entry.amount.amountMinor)],
  currency: [z.string(), (entry: { amount: Money }) => entry.amount.currency],
} as const;
const command = { commandId: z.string(), commandKind: z.enum(moneyKinds) } as const;
const event = {
  event: [z.enum(eventTypes), (entry: { eventType: string }) => entry.eventType],
  eventId: z.string(),
} as const;

const by = z
  .strictObject({
    kind: z.enum(actorKinds),
    id: z.string().meta({ description: 'As in the audit log.' }),
    name: z
      .string()
      .nullable()
      .meta({
        description:
          'The name of the API key or of the member, or the e-mail address of the buyer and of a ' +
          'member without a name.',
      }),
  })
  .nullable()
  .meta({
    description:
      'Who caused it. `partner`: a message of the settlement partner. `service`: time, a read ' +
      'at the partner, or test mode playing the buyer. Null: not known.',
  });

const line = representation<LedgerLine>()(null, {
  account: z.enum(ledgerAccounts),
  amount: [
    z.string().regex(/^-?[0-9]+\.[0-9]{2}$/),
    ({ money: { amountMinor } }) => formatAmount(amountMinor),
  ],
  currency: [z.string(), ({ money: { currency } }) => currency],
});

const entries = {
  created: representation<EntryOf<'created'>>()(
    null,
    { at, kind: z.literal('created'), ...amount, by },
    'The payment was created.',
  ),
  limit_reached: representation<EntryOf<'limit_reached'>>()(
    null,
    { at, kind: z.literal('limit_reached'), ...amountLimitFields },
    'The buyer got no price: the amount is over a limit or the cap. The latest time only.',
  ),
  approval_lost: representation<EntryOf<'approval_lost'>>()(
    null,
    { at, kind: z.literal('approval_lost') },
    'The settlement partner rejected the buyer after its approval. A payout that was not sent ' +
      'waits for an operator.',
  ),
  question: representation<EntryOf<'question'>>()(
    null,
    { at, kind: z.literal('question'), question: z.string(), by },
    'The buyer asked something on the page. The organization answers by mail.',
  ),
  colleague_approval: representation<EntryOf<'colleague_approval'>>()(
    null,
    { at, kind: z.literal('colleague_approval'), state: z.enum(colleagueApprovalStates) },
    'The buyer asked a colleague to approve the payment before it is confirmed, or the colleague ' +
      'decided. The latest request only.',
  ),
  status: representation<EntryOf<'status'>>()(
    null,
    {
      at,
      kind: z.literal('status'),
      status: z.enum(paymentStatuses),
      ...event,
      reason: z.string().nullable().meta({ description: 'The reason of a failure or cancel.' }),
      by,
    },
    'The payment entered a status; the event reports it.',
  ),
  money: representation<EntryOf<'money'>>()(
    null,
    {
      at,
      kind: z.literal('money'),
      fact: z.enum(postingKinds),
      lines: [z.array(line.schema), ({ lines }) => lines.map((one) => line.show(one))],
    },
    'A money movement, as its balanced posting in the ledger.',
  ),
  partner_command: representation<EntryOf<'partner_command'>>()(
    null,
    { at, kind: z.literal('partner_command'), ...command, ...amount },
    'A command to the settlement partner was recorded.',
  ),
  partner_call: representation<EntryOf<'partner_call'>>()(
    null,
    { at, kind: z.literal('partner_call'), ...command },
    'The first call to the partner for the command.',
  ),
  partner_outcome: representation<EntryOf<'partner_outcome'>>()(
    null,
    { at, kind: z.literal('partner_outcome'), ...command, outcome: z.enum(timelineOutcomes) },
    'The outcome of the command so far. `refused`: the partner did not start it. `returned`: it ' +
      'was started and its money came back. `in_doubt`: the outcome is unknown. `withdrawn`: ' +
      'the service withdrew it before it was sent.',
  ),
  delivery: representation<EntryOf<'delivery'>>()(
    null,
    {
      at,
      kind: z.literal('delivery'),
      deliveryId: z.string(),
      subscriptionId: z.string(),
      ...event,
      status: z.enum(keysOf(deliveryMoves)).meta({ description: 'The current status.' }),
    },
    'An event of the payment was queued for a webhook subscription.',
  ),
  attempt: representation<EntryOf<'attempt'>>()(
    null,
    {
      at,
      kind: z.literal('attempt'),
      deliveryId: z.string(),
      attempt: z.int().min(1),
      responseStatus: z.int().nullable(),
      error: z.string().nullable(),
      durationMs: z.int(),
    },
    'One ended attempt of a delivery; `at` is its start.',
  ),
} as const;

/** Each presenter gets entries of one kind only. */
const byKind: Readonly<Record<TimelineEntry['kind'], { show(entry: TimelineEntry): unknown }>> =
  entries;

export function shownEntry(entry: TimelineEntry): unknown {
  return byKind[entry.kind].show(entry);
}

const entrySchema = z.discriminatedUnion('kind', [
  entries.created.schema,
  entries.limit_reached.schema,
  entries.approval_lost.schema,
  entries.question.schema,
  entries.colleague_approval.schema,
  entries.status.schema,
  entries.money.schema,
  entries.partner_command.schema,
  entries.partner_call.schema,
  entries.partner_outcome.schema,
  entries.delivery.schema,
  entries.attempt.schema,
]);

const timelineSchema = z.strictObject({
  data: z.array(entrySchema).meta({ description: 'Oldest first.' }),
  nextCursor: z.string().nullable(),
});

responseSchemas.add(entrySchema, { id: 'TimelineEntry' }).add(timelineSchema, { id: 'Timeline' });

export const timelineRoutes = [
  route({
    method: 'GET',
    operations: { readPaymentTimeline: '/v1/payments/{id}/timeline' },
    summary:
      'List what happened to a payment, oldest first: statuses, money, partner commands, webhooks',
    access: {
      auth: 'keyElseSession',
      scope: paymentScopes.read,
      modes: 'both',
      rateLimit: 'none',
      proof: 'session',
    },
    params: paymentParams,
    query: pageQuery,
    responses: { 200: timelineSchema },
    handler: readPaymentTimeline,
  }),
];

async function readPaymentTimeline(
  { deps }: HandlerContext,
  call: Call<'key', unknown, z.infer<typeof pageQuery>, unknown, typeof paymentScopes.read>,
): Promise<Reply> {
  const { payment } = call.found;
  const { limit, cursor } = call.query;
  const list = { operation: 'timeline', tenant: call.tenant, parentId: payment.id };
  const place = readCursor(deps.secretBox, list, cursor);
  const after = place === null ? null : decodeCursor(place);
  const { entries, next } = await readTimeline(deps, payment, { after, limit });
  const data = entries.map(shownEntry);
  const nextCursor = next === null ? null : writeCursor(deps.secretBox, list, encodeCursor(next));
  return reply(200, { data, nextCursor });
}
