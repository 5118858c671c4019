// `ponte deliveries`: the webhook deliveries of all organizations, and their replay.
import { type Command, Option } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import {
  type DeliveryAttempt,
  type DeliveryStatus,
  deliveryStatuses,
  type WebhookDelivery,
} from '../../core/domain/webhooks/webhook-delivery.js';
import { PonteError } from '../../core/errors.js';
import {
  addOperatorCommand,
  cutPage,
  dryRunOption,
  listOutcome,
  type Operator,
  type Outcome,
  type PageOptions,
  pageOptions,
  type Shell,
} from '../operator.js';
import { fields, table, tableOf } from '../output.js';

interface ListOptions extends PageOptions {
  readonly status: DeliveryStatus | null;
  readonly subscription: string | null;
}

interface ReplayOptions {
  readonly allDead: boolean;
  readonly dryRun: boolean;
}

const deliveries = () => import('../../core/usecases/webhooks/deliveries.js');
const routes = () => import('../../adapters/http/resources/webhook-routes.js');

export function addDeliveriesCommands(shell: Shell, program: Command): void {
  const noun = program.command('deliveries').description('webhook deliveries');

  addOperatorCommand<ListOptions>(shell, noun, {
    name: 'list',
    authority: 'read',
    description: 'list deliveries, newest first',
    options: [
      new Option('--status <status>', 'only deliveries in this status')
        .choices(deliveryStatuses)
        .default(null),
      new Option('--subscription <whs-id>', 'only deliveries of this subscription').default(null),
      ...pageOptions(),
    ],
    run: list,
  });

  addOperatorCommand(shell, noun, {
    name: 'show <delivery-id>',
    authority: 'read',
    description: 'show a delivery and its attempts',
    run: (operator, _, [id = '']) => show(operator, id),
  });

  addOperatorCommand<{ readonly after: number; readonly dryRun: boolean }>(shell, noun, {
    name: 'backfill <subscription-id>',
    authority: 'signed',
    description: 'send a subscription the events of its types that it has not got',
    options: [
      new Option('--after <sequence>', 'the events after this sequence of the feed')
        .default(0, 'all that are kept')
        .argParser(sequenceOf),
      dryRunOption(),
    ],
    run: backfillAll,
  });

  addOperatorCommand<ReplayOptions>(shell, noun, {
    name: 'replay [delivery-ids...]',
    authority: 'signed',
    description: 'send delivered or dead-lettered webhooks again, under the same ids',
    options: [
      new Option('--all-dead', 'all that were given up, of active subscriptions').default(false),
      dryRunOption(),
    ],
    run: replay,
  });
}

async function list({ deps }: Operator, options: ListOptions): Promise<Outcome> {
  const { status, subscription: subscriptionId, limit, cursor: beforeId } = options;
  const filter = { status, subscriptionId, beforeId, limit: limit + 1 };
  const page = cutPage(await deps.store.run((tx) => tx.deliveries.list(filter)), limit);
  const data = page.rows.map(await presenter());
  return listOutcome(data, deliveryTable(data), page.nextCursor);
}

async function show({ deps }: Operator, id: string): Promise<Outcome> {
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
}

async function replay(
  { deps }: Operator,
  { allDead, dryRun }: ReplayOptions,
  ids: readonly string[],
): Promise<Outcome> {
  const { replayAllDead, replayByOperator } = await deliveries();
  if (allDead === ids.length > 0) {
    throw new PonteError('ValidationError', 'Give delivery ids, or --all-dead.');
  }
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
  throw new PonteError('ValidationError', '--after: send a whole number of 0 or more.');
}

async function backfillAll(
  { deps }: Operator,
  { after, dryRun }: { readonly after: number; readonly dryRun: boolean },
  [id = '']: readonly string[],
): Promise<Outcome> {
  const { backfill } = await import('../../core/usecases/webhooks/backfill.js');
  const subscription = await deps.store.run((tx) => tx.subscriptions.find(id));
  if (subscription === null) throw new PonteError('NotFound');
  const batchesMax = Number.POSITIVE_INFINITY;
  const { queued } = await backfill(deps, subscription, id, after, batchesMax);
  const would = dryRun ? 'Would send' : 'Sends';
  const what = queued === 1 ? 'event' : 'events';
  return { json: { queued, dryRun }, text: `${would} ${queued} earlier ${what}.` };
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
