// `ponte deliveries`: the webhook deliveries of all organizations, and their replay.
import type { Command } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import {
  type DeliveryAttempt,
  deliveryStatuses,
  type WebhookDelivery,
} from '../../core/domain/webhooks/webhook-delivery.js';
import { expectFound, invalid } from '../../core/errors.js';
import {
  type AddCommand,
  commandGroup,
  listOutcome,
  type Operator,
  type Outcome,
  readPage,
  type Shell,
} from '../operator.js';
import { choice, dryRun, flag, page, parsed, value } from '../options.js';
import { fields, table, tableOf } from '../output.js';

const deliveries = () => import('../../core/usecases/webhooks/deliveries.js');
const routes = () => import('../../adapters/http/resources/webhook-routes.js');

export function addDeliveriesCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'deliveries', 'webhook deliveries');

  add({
    name: 'list',
    authority: 'read',
    description: 'list deliveries, newest first',
    options: {
      status: choice('<status>', deliveryStatuses, 'only deliveries in this status'),
      subscription: value('<whs-id>', 'only deliveries of this subscription'),
      ...page,
    },
    run: async ({ deps }, { status, subscription: subscriptionId, ...asked }) => {
      const found = await readPage(asked, (one) =>
        deps.store.run((tx) => tx.deliveries.list({ status, subscriptionId, ...one })),
      );
      const data = found.rows.map(await presenter());
      return listOutcome(data, deliveryTable(data), found.nextCursor);
    },
  });

  add({
    name: 'show <delivery-id>',
    authority: 'read',
    description: 'show a delivery and its attempts',
    run: async ({ deps }, _, [id = '']) => {
      const { readByOperator } = await deliveries();
      const { delivery, attempts } = await readByOperator(deps, id);
      const present = await presenter();
      const json = { ...present(delivery), attempts: attempts.map(presentAttempt) };
      const rows = json.attempts.map((one) => [
        one.attempt,
        one.startedAt,
        one.durationMs,
        one.responseStatus,
        one.error,
      ]);
      const facts = fields({
        id: json.id,
        event: `${json.eventType} ${json.eventId}`,
        subscription: json.subscriptionId,
        status: json.status,
        'next attempt': json.nextAttemptAt,
        delivered: json.deliveredAt,
        error: json.lastError,
        created: json.createdAt,
      });
      const headings = ['ATTEMPT', 'STARTED', 'MS', 'STATUS', 'ERROR'];
      return { json, text: `${facts}\n\n${table(headings, rows, 'No attempts yet.')}` };
    },
  });

  addSending(add);
}

function addSending(add: AddCommand): void {
  add({
    name: 'backfill <subscription-id>',
    authority: 'signed',
    description: 'send a subscription the events of its types that it has not got',
    options: {
      after: parsed('<sequence>', 'the events after this sequence of the feed', sequenceOf).or(
        0,
        'all that are kept',
      ),
      dryRun,
    },
    run: async ({ deps }, { after, dryRun }, [id = '']) => {
      const { backfill } = await import('../../core/usecases/webhooks/backfill.js');
      const subscription = expectFound(await deps.store.run((tx) => tx.subscriptions.find(id)));
      const batchesMax = Number.POSITIVE_INFINITY;
      const { queued } = await backfill(deps, subscription, id, after, batchesMax);
      const would = dryRun ? 'Would send' : 'Sends';
      const what = queued === 1 ? 'event' : 'events';
      return { json: { queued, dryRun }, text: `${would} ${queued} earlier ${what}.` };
    },
  });

  add({
    name: 'replay [delivery-ids...]',
    authority: 'signed',
    description: 'send delivered or dead-lettered webhooks again, under the same ids',
    options: { allDead: flag('all that were given up, of active subscriptions'), dryRun },
    run: replay,
  });
}

async function replay(
  { deps }: Operator,
  { allDead, dryRun }: { readonly allDead: boolean; readonly dryRun: boolean },
  ids: readonly string[],
): Promise<Outcome> {
  const { replayAllDead, replayByOperator } = await deliveries();
  if (allDead === ids.length > 0) throw invalid('Give delivery ids, or --all-dead.');
  const would = dryRun ? 'Would replay' : 'Replayed';
  if (allDead) {
    const replayed = await replayAllDead(deps);
    const what = replayed === 1 ? 'delivery' : 'deliveries';
    return { json: { replayed, dryRun }, text: `${would} ${replayed} ${what}.` };
  }
  const replayed: WebhookDelivery[] = [];
  for (const id of ids) replayed.push(await replayByOperator(deps, id));
  const data = replayed.map(await presenter());
  return {
    json: { data, nextCursor: null, dryRun },
    text: `${would}:\n${deliveryTable(data)}`,
  };
}

function sequenceOf(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw invalid('--after: send a whole number of 0 or more.');
}

async function presenter() {
  const { delivery } = await routes();
  return (row: WebhookDelivery) => {
    const { orgId, mode, subscriptionId } = row;
    return { ...delivery.show(row), orgId, testMode: mode === 'test', subscriptionId };
  };
}

type Shown = ReturnType<Awaited<ReturnType<typeof presenter>>>;

function presentAttempt({ startedAtMs, ...attempt }: DeliveryAttempt) {
  const { attempt: number, durationMs, responseStatus, responseBody, error } = attempt;
  const startedAt = formatInstant(startedAtMs);
  return { attempt: number, startedAt, durationMs, responseStatus, responseBody, error };
}

function deliveryTable(data: readonly Shown[]): string {
  return tableOf(data, 'No deliveries.', {
    ID: 'id',
    EVENT: 'eventType',
    STATUS: 'status',
    ATTEMPT: 'attempt',
    ANSWER: 'responseStatus',
    'NEXT ATTEMPT': 'nextAttemptAt',
    ERROR: 'lastError',
  });
}
