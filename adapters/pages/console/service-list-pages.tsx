// What the service did: the audit log, as `ponte audit list`, and a command that runs again.
import { actorKinds } from '../../../core/domain/base/actor.js';
import type { AuditedObject, AuditRecord } from '../../../core/domain/service/audit-record.js';
import type { Deps } from '../../../core/ports/deps.js';
import { listOperators } from '../../../core/usecases/access/registered-operators.js';
import { retryCommand } from '../../../core/usecases/commands/command-retries.js';
import { capital } from '../../../core/usecases/money-desk/desk-texts.js';
import { readOrganizationName } from '../../../core/usecases/parties/organizations.js';
import {
  AUDIT_SEARCHED_MAX,
  searchAuditRecords,
} from '../../../core/usecases/service/audit-log.js';
import { readAuditNames } from '../../../core/usecases/service/audit-names.js';
import { Foreign } from '../kit/components.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { linked, listPath, select, sequenceCursor } from '../kit/pages/list-page.js';
import { format, operatorPages } from './console-layout.js';

/** Rows of a page of a list of the console. */
export const OPERATOR_PAGE = 50;
/** Objects of an entry that its row shows. */
const OBJECTS_SHOWN = 3;

const auditWords = {
  empty: 'No entries',
  emptyText: 'Nothing was changed yet.',
  noMatch: 'No entry matches',
  noMatchText: 'Choose other actors, or clear the filter.',
  any: 'People',
};

const onward = {
  text: `None among ${format.count(AUDIT_SEARCHED_MAX)} entries. Older ones may match.`,
  words: 'Search older ones',
};

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
    filters: { kind: select(['all', ...actorKinds]), who: linked(100), org: linked(100) },
    cursor: sequenceCursor,
    async read({ deps }, _, { given: { kind, who, org: orgId }, before: beforeSequence }) {
      const asked = { kind, actorId: who, beforeSequence, limit: OPERATOR_PAGE };
      const found = await searchAuditRecords(deps, { orgId }, asked);
      return { rows: found.records, next: found.next, names: await namesOf(deps, found.records) };
    },
    show: ({ view }, { names }) => {
      const path = `${view.path}/audit`;
      const named = (id: string) => <Foreign text={names.get(id) ?? id} />;
      return {
        title: 'Audit log',
        lede: 'Who changed what, newest first.',
        place: 'audit',
        label: 'Audit log',
        start: null,
        words: auditWords,
        labels: { kind: 'Who' },
        choice: (one) => (one === 'all' ? 'Everyone, machines too' : capital(one)),
        onward,
        folds: true,
        columns: ({ column, named: nameColumn }) => [
          nameColumn('Action', ({ action, objects, sequence, atMs }) => [
            <Foreign text={action.startsWith('/') ? madeOf(objects) : action} />,
            <span class="sub">
              {sequence}, {format.exact(atMs)}
            </span>,
          ]),
          column('Who', 'main', ({ actor }) => [
            <a href={listPath(path, { who: actor.id })}>{named(actor.id)}</a>,
            <span class="sub">{capital(actor.kind)}</span>,
          ]),
          column('What', ({ objects, orgId, mode }) => [
            objects.slice(0, OBJECTS_SHOWN).map(({ type, id }) => (
              <span class="sub">
                {type.replaceAll('_', ' ')}{' '}
                {id !== null && names.has(id) ? named(id) : <span class="code">{id}</span>}
              </span>
            )),
            orgId === null ? null : (
              <span class="sub">
                <a href={listPath(path, { org: orgId })}>{named(orgId)}</a>
                {mode === null ? '' : `, ${mode}`}
              </span>
            ),
          ]),
        ],
      };
    },
  }),
];

/** Names of operators, organizations, members, keys and of what was changed, by id. */
async function namesOf(
  deps: Deps,
  records: readonly AuditRecord[],
): Promise<ReadonlyMap<string, string>> {
  const orgIds = [...new Set(records.flatMap(({ orgId }) => orgId ?? []))];
  const [operators, objects, organizations] = await Promise.all([
    listOperators(deps),
    readAuditNames(deps, records),
    Promise.all(orgIds.map(async (id) => [id, await readOrganizationName(deps, id)] as const)),
  ]);
  const known = organizations.flatMap(([id, name]) => (name === null ? [] : [[id, name] as const]));
  return new Map([...objects, ...operators.map(({ id, name }) => [id, name] as const), ...known]);
}

/** What a page changed; the path of its route says less. */
function madeOf([first]: readonly AuditedObject[]): string {
  if (first === undefined) return 'export';
  const { type, before, after } = first;
  const verb = after === null ? 'remove' : before === null ? 'add' : 'change';
  return `${verb} ${type.replaceAll('_', ' ')}`;
}
