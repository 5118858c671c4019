// What the service did: commands to the partner that need a person, as `ponte commands list
// --stuck`, and the audit log, as `ponte audit list`.
import {
  isMoneyCommand,
  type PartnerCommand,
} from '../../../core/domain/commands/partner-command.js';
import { listOperators } from '../../../core/usecases/access/registered-operators.js';
import { retryCommand } from '../../../core/usecases/commands/command-retries.js';
import { newestEntries } from '../../../core/usecases/service/audit-log.js';
import { Button, Foreign, Form } from '../kit/components.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { pageOf, sequenceCursor } from '../kit/pages/list-page.js';
import { Empty, Table, type TableColumn } from '../kit/pages/table.js';
import { format, operatorPages } from './console-layout.js';

/** Rows of a page of a list of the console. */
export const OPERATOR_PAGE = 50;

export const serviceListPages = [
  operatorPages.view({
    path: '/commands',
    access: null,
    load: ({ deps }) => {
      return deps.store.run((tx) => tx.commands.list({ stuck: true, limit: OPERATOR_PAGE }));
    },
    show: (_, stuck) => ({
      title: 'Commands',
      lede: `Commands to the partner that need an operator, the newest ${OPERATOR_PAGE}.`,
      place: 'commands',
      body:
        stuck.length === 0 ? (
          <Empty heading="Nothing waits" text="No command is stuck." />
        ) : (
          <Table label="Commands" rows={stuck} columns={commandColumns} />
        ),
    }),
  }),
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
        newestEntries(deps, null, { beforeSequence, limit: OPERATOR_PAGE + 1 }),
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
      columns: [
        {
          head: 'Action',
          isName: true,
          cell: ({ action, sequence, atMs }) => (
            <>
              <Foreign text={action} />
              <span class="sub">
                {sequence}, {format.exact(atMs)}
              </span>
            </>
          ),
        },
        {
          head: 'Who',
          cell: ({ actor }) => (
            <>
              {actor.kind} <Foreign text={names.get(actor.id) ?? actor.id} />
            </>
          ),
        },
        {
          head: 'What',
          look: 'only-l',
          cell: ({ objects, orgId, mode }) => (
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
          ),
        },
      ],
    }),
  }),
];

const commandColumns: readonly TableColumn<PartnerCommand>[] = [
  {
    head: 'Command',
    isName: true,
    cell: ({ id, kind, mode }) => (
      <>
        {kind}
        <span class="sub code">{id}</span>
        <span class="sub">{mode}</span>
      </>
    ),
  },
  {
    head: 'State',
    cell: ({ state, end, lastError }) => (
      <>
        {end === null ? state : `${state}, ${end}`}
        {lastError === null ? null : (
          <span class="sub">
            <Foreign text={lastError} />
          </span>
        )}
      </>
    ),
  },
  {
    head: 'Amount',
    look: 'num',
    cell: (command) => (isMoneyCommand(command) ? format.money(command.amount) : ''),
  },
  {
    head: <span class="vh">Action</span>,
    cell: ({ id }) => (
      <Form to={`commands/${id}/retry`}>
        <Button look="sm">
          Run it now<span class="vh"> {id}</span>
        </Button>
      </Form>
    ),
  },
];
