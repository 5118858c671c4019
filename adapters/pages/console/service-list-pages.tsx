// What the service did: the audit log, as `ponte audit list`, and a command that runs again.

import type { AuditedObject } from '../../../core/domain/service/audit-record.js';
import { listOperators } from '../../../core/usecases/access/registered-operators.js';
import { retryCommand } from '../../../core/usecases/commands/command-retries.js';
import { newestAuditRecords } from '../../../core/usecases/service/audit-log.js';
import { Foreign } from '../kit/components.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { pageOf, sequenceCursor } from '../kit/pages/list-page.js';
import { format, operatorPages } from './console-layout.js';

/** Rows of a page of a list of the console. */
export const OPERATOR_PAGE = 50;

export const serviceListPages = [
  operatorPages.action({
    path: '/commands/{commandId}/retry',
    access: null,
    async run({ deps }, call) {
      await retryCommand(deps, idIn(call, 'commandId'));
      return { to: '/commands', done: 'retried' };
    },
  }),
  operatorPages.list({
    path: '/audit',
    access: null,
    filters: {},
    cursor: sequenceCursor,
    async read({ deps }, _, { before: beforeSequence }) {
      const [found, operators] = await Promise.all([
        newestAuditRecords(deps, null, { beforeSequence, limit: OPERATOR_PAGE + 1 }),
        listOperators(deps),
      ]);
      const names = new Map(operators.map(({ id, name }) => [id, name]));
      return { ...pageOf(found, OPERATOR_PAGE, ({ sequence }) => `${sequence}`), names };
    },
    show: (_, { names }) => ({
      title: 'Audit log',
      lede: 'Who changed what, newest first.',
      place: 'audit',
      label: 'Audit log',
      words: { empty: 'No entries', emptyText: 'Nothing was changed yet.' },
      columns: ({ column, named }) => [
        named('Action', ({ action, objects, sequence, atMs }) => (
          <>
            <Foreign text={action.startsWith('/') ? madeOf(objects) : action} />
            <span class="sub">
              {sequence}, {format.exact(atMs)}
            </span>
          </>
        )),
        column('Who', ({ actor }) => (
          <>
            {actor.kind} <Foreign text={names.get(actor.id) ?? actor.id} />
          </>
        )),
        column('What', 'only-l', ({ objects, orgId, mode }) => (
          <>
            {objects.slice(0, 3).map(({ type, id }) => (
              <span class="sub">
                {type} <span class="code">{id}</span>
              </span>
            ))}
            {orgId === null ? null : (
              <span class="sub">
                {orgId}
                {mode === null ? '' : `, ${mode}`}
              </span>
            )}
          </>
        )),
      ],
    }),
  }),
];

/** What a page changed; the path of its route says less. */
function madeOf([first]: readonly AuditedObject[]): string {
  if (first === undefined) return 'export';
  const { type, before, after } = first;
  const verb = after === null ? 'remove' : before === null ? 'add' : 'change';
  return `${verb} ${type.replaceAll('_', ' ')}`;
}
