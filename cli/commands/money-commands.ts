// `ponte money`: the money desk. Queues of money that waits for an operator, and the decisions of
// operators. In live mode a second operator confirms each decision.
import type { Command } from 'commander';
import { moneyQueues } from '../../core/domain/money-desk/money-decision.js';
import { invalid, PonteError } from '../../core/errors.js';
import type { QueueCursor } from '../../core/usecases/money-desk/money-queues.js';
import { addDecisions, type DecisionOptions } from '../decided.js';
import { presentRow, rowsText } from '../money-texts.js';
import {
  commandGroup,
  listOutcome,
  type Operator,
  type Outcome,
  readNames,
  type Shell,
} from '../operator.js';
import { choice, ofTenant, page } from '../options.js';

const queues = () => import('../../core/usecases/money-desk/money-queues.js');

export function addMoneyCommands(shell: Shell, program: Command): void {
  const add = commandGroup(
    shell,
    program,
    'money',
    'money that waits for an operator, and decisions about it',
  );

  add({
    name: 'list',
    authority: 'read',
    description: 'list what waits, oldest first, with the commands to copy',
    options: {
      // `out_of_sight` is the former name of `in_review`.
      queue: choice('<queue>', moneyQueues, 'only this queue', { out_of_sight: 'in_review' }),
      ...ofTenant,
      ...page,
    },
    run: async ({ deps }, { queue, org: orgId, mode, limit, cursor }) => {
      const page = { orgId, mode, limit: limit + 1 };
      const { listQueues } = await queues();
      const after = cursor === null ? null : readCursor(cursor);
      const found = await listQueues(deps, { ...page, queue, after });
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      const nextCursor = last === undefined ? null : `${last.queue}:${last.id}`;
      const more = nextCursor === null ? '' : '\n';
      const nowMs = deps.clock.nowMs();
      const text = `${rowsText(rows, await readNames(deps), nowMs)}${more}`;
      const shown = rows.map((row) => presentRow(row, nowMs));
      return listOutcome(shown, text, nextCursor);
    },
  });

  addDecisions(add, { group: 'money', argument: '<item-id>', again: repeatCommand });
}

function readCursor(text: string): QueueCursor {
  const [name = '', id = ''] = text.split(':');
  const queue = moneyQueues.find((one) => one === name);
  if (queue !== undefined && id !== '') return { queue, id };
  throw invalid('--cursor: give the nextCursor of the previous page.');
}

async function repeatCommand(
  { deps }: Operator,
  id: string,
  { evidence, dryRun }: DecisionOptions,
): Promise<Outcome> {
  if (evidence !== null) throw invalid('Give --evidence or --retry, not both.');
  if (id.startsWith('dep_')) {
    const message = 'A deposit is not ordered back: pay it back by other means, with --evidence.';
    throw new PonteError('DecisionNotAllowed', message);
  }
  const { retryCommand } = await import('../../core/usecases/commands/command-retries.js');
  const ordered = await retryCommand(deps, id);
  const text = dryRun ? 'Would send it again.' : `Sent it again, as ${ordered.id}.`;
  return { json: { outcome: 'ordered', commandId: ordered.id, dryRun }, text };
}
