// `ponte deliveries`: webhooks on their way, over all organizations, and sending ended ones again.
import { type Command, Option } from 'commander';
import { formatInstant } from '../core/domain/instant.js';
import {
  type DeliveryAttempt,
  type DeliveryStatus,
  deliveryStatuses,
  type WebhookDelivery,
} from '../core/domain/webhook-delivery.js';
import { PonteError } from '../core/errors.js';
import {
  addVerb,
  asOperator,
  cursorOption,
  dryRunOption,
  limitOption,
  type Operator,
  type Outcome,
  onlyId,
  type Shell,
} from './operator.js';
import { fields, table } from './output.js';

interface ListOptions {
  readonly status: DeliveryStatus | null;
  readonly subscription: string | null;
  readonly limit: number;
  readonly cursor: string | null;
}

interface ReplayOptions {
  readonly allDead: boolean;
  readonly dryRun: boolean;
}

const deliveries = () => import('../core/usecases/deliveries.js');
const routes = () => import('../adapters/http/webhook-routes.js');

export function addDeliveriesVerbs(shell: Shell, program: Command): void {
  const noun = program.command('deliveries').description('webhook deliveries');

  addVerb<ListOptions>(shell, noun, {
    name: 'list',
    description: 'list deliveries, newest first',
    options: [
      new Option('--status <status>', 'only those in it').choices(deliveryStatuses).default(null),
      new Option('--subscription <whs-id>', 'only those of one subscription').default(null),
      limitOption(),
      cursorOption(),
    ],
    run: (options) => asOperator(shell, (operator) => list(operator, options)),
  });

  addVerb(shell, noun, {
    name: 'show <delivery-id>',
    description: 'show one delivery with its attempts',
    run: (_, ids) => asOperator(shell, (operator) => show(operator, onlyId(ids))),
  });

  addVerb<ReplayOptions>(shell, noun, {
    name: 'replay [delivery-ids...]',
    description: 'send ended deliveries again, under the same ids',
    options: [
      new Option('--all-dead', 'every dead letter of an active subscription').default(false),
      dryRunOption(),
    ],
    run: (options, ids) => asOperator(shell, (operator) => replay(operator, options, ids), options),
  });
}

async function list({ deps }: Operator, options: ListOptions): Promise<Outcome> {
  const { status, subscription: subscriptionId, limit, cursor: beforeId } = options;
  // One more than shown tells whether there is a next page.
  const found = await deps.store.run((tx) =>
    tx.deliveries.list({ status, subscriptionId, beforeId, limit: limit + 1 }),
  );
  const page = found.slice(0, limit);
  const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null;
  const more = nextCursor === null ? '' : `\nMore: --cursor ${nextCursor}`;
  const data = page.map(await presenter());
  return {
    json: { data, nextCursor },
    text: `${deliveryTable(data)}${more}`,
  };
}

async function show({ deps }: Operator, id: string): Promise<Outcome> {
  const { readDelivery } = await deliveries();
  const { delivery, attempts } = await readDelivery(deps, id);
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
    throw new PonteError('ValidationError', 'Name deliveries, or use --all-dead.');
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

async function presenter() {
  const { delivery } = await routes();
  return (row: WebhookDelivery) => {
    const { orgId, mode, subscriptionId } = row;
    return { ...delivery.show(row), orgId, testMode: mode === 'test', subscriptionId };
  };
}

type Shown = ReturnType<Awaited<ReturnType<typeof presenter>>>;

function presentAttempt({ startedAtMs, ...attempt }: DeliveryAttempt) {
  return {
    attempt: attempt.attempt,
    startedAt: formatInstant(startedAtMs),
    durationMs: attempt.durationMs,
    responseStatus: attempt.responseStatus,
    responseBody: attempt.responseBody,
    error: attempt.error,
  };
}

function deliveryTable(rows: readonly Shown[]): string {
  return table(
    ['ID', 'EVENT', 'STATUS', 'ATTEMPT', 'ANSWER', 'NEXT ATTEMPT', 'ERROR'],
    rows.map((row) => [
      row.id,
      row.eventType,
      row.status,
      row.attempt,
      row.responseStatus,
      row.nextAttemptAt,
      row.lastError,
    ]),
    'No deliveries.',
  );
}
