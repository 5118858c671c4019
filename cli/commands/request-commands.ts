// `ponte requests`: what the API refused, and what one request did, by its X-Request-Id.
import type { Command } from 'commander';
import { DAY_MS, formatInstant } from '../../core/domain/base/instant.js';
import type { RefusedRequest } from '../../core/domain/service/refused-request.js';
import {
  commandGroup,
  listOutcome,
  type Operator,
  type Outcome,
  readNames,
  readPage,
  type Shell,
  withName,
} from '../operator.js';
import { duration, page, value } from '../options.js';
import { tableOf } from '../output.js';
import { shownObjects } from './audit-commands.js';

const requestLog = () => import('../../core/usecases/service/request-log.js');

export function addRequestCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'requests', 'requests to the API, by their id');

  add({
    name: 'list',
    authority: 'read',
    description: 'list the newest requests that were refused or failed',
    options: { org: value('<org-id>', 'of this organization; by default of all'), ...page },
    details:
      'Refusals are kept for 7 days, at most 60 per minute of each organization and process,\n' +
      'without bodies, messages and addresses.',
    run: async ({ deps }, { org: orgId, ...asked }) => {
      const { listRefusals } = await requestLog();
      const found = await readPage(asked, (one) => listRefusals(deps, { orgId, ...one }));
      const data = found.rows.map(presented);
      return listOutcome(data, refusalTable(data, await readNames(deps)), found.nextCursor);
    },
  });

  add({
    name: 'show <request-id>',
    authority: 'read',
    description: 'show why a request was refused, or what it changed',
    options: {
      since: duration('<duration>', 'how far back the audit log is read, for example 36h or 7d').or(
        DAY_MS,
        '24h',
      ),
    },
    details:
      'The id is the X-Request-Id of the answer. A read that was answered leaves nothing, and a\n' +
      'created payment names its creator in its own events.',
    run: (operator, { since }, [requestId = '']) => show(operator, requestId, since),
  });
}

async function show({ deps }: Operator, requestId: string, sinceMs: number): Promise<Outcome> {
  const { findRequest } = await requestLog();
  const found = await findRequest(deps, requestId, deps.clock.nowMs() - sinceMs);
  const refused = found.refused.map(presented);
  const names = await readNames(deps);
  const entries = found.records.map(({ atMs, ...record }) => ({
    ...record,
    at: formatInstant(atMs),
  }));
  const changed = tableOf(entries, 'It changed nothing.', {
    ENTRY: 'sequence',
    AT: 'at',
    ACTOR: ({ actor }) => `${actor.kind} ${withName(names, actor.id)}`,
    ACTION: 'action',
    CHANGED: (record) => shownObjects(record),
  });
  return {
    json: { requestId, refused, entries },
    text: `${refusalTable(refused, names)}\n\n${changed}`,
  };
}

function presented({ atMs, version: _, ...refused }: RefusedRequest) {
  return { ...refused, at: formatInstant(atMs) };
}

function refusalTable(
  data: readonly ReturnType<typeof presented>[],
  names: ReadonlyMap<string, string>,
): string {
  return tableOf(data, 'No refusals.', {
    AT: 'at',
    REQUEST: 'requestId',
    OPERATION: 'operation',
    STATUS: 'status',
    CODE: 'code',
    FIELD: 'field',
    ORGANIZATION: ({ orgId }) => withName(names, orgId),
    MODE: 'mode',
    CREDENTIAL: 'credentialId',
  });
}
