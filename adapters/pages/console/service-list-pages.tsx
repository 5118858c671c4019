// What the service did: commands to the partner that need a person, as `ponte commands list
// --stuck`, and the audit log, as `ponte audit list`.
import type { VNode } from 'preact';
import { z } from 'zod';
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import {
  isMoneyCommand,
  type PartnerCommand,
} from '../../../core/domain/commands/partner-command.js';
import type { AuditEntry } from '../../../core/domain/service/audit-entry.js';
import { listOperators } from '../../../core/usecases/access/registered-operators.js';
import { retryCommand } from '../../../core/usecases/commands/command-retries.js';
import { newestEntries } from '../../../core/usecases/service/audit-log.js';
import { Button, Foreign, Form, Scroll } from '../kit/components.js';
import { operatorRow, type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import {
  type ConsoleCall,
  consolePage,
  consoleViewOf,
  format,
  withConsoleDone,
} from './console-layout.js';

const PAGE = 50;
const commandsPath = `${CONSOLE_ROOT}/commands`;

export const serviceListPages = [
  operatorRow({ method: 'GET', path: commandsPath, form: 'none', handler: showCommands }),
  operatorRow({
    method: 'POST',
    path: `${commandsPath}/{commandId}/retry`,
    form: z.object({}),
    handler: retry,
  }),
  operatorRow({ method: 'GET', path: `${CONSOLE_ROOT}/audit`, form: 'none', handler: showAudit }),
];

/** The page that the query asks for; `before` is the last row of the one before. */
export function pageOf({ query }: Pick<ConsoleCall, 'query'>) {
  const before = query.get('before') ?? '';
  return { limit: PAGE, before: /^[\w-]{1,64}$/.test(before) ? before : null };
}

/** To the page behind the last row; null: there is none. */
export function OlderLink({
  of: { path },
  last,
}: {
  readonly of: { readonly path: string };
  readonly last: string | null;
}): VNode | null {
  if (last === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span />
      <a class="btn sm" href={`${path}?before=${last}`}>
        Older
      </a>
    </nav>
  );
}

async function showCommands(context: PageContext, call: ConsoleCall): Promise<PageAnswer> {
  const { deps } = context;
  const stuck = await deps.store.run((tx) => tx.commands.list({ stuck: true, limit: PAGE }));
  const view = consoleViewOf(context, call);
  return consolePage(view, {
    title: 'Commands',
    lede: `Commands to the partner that need an operator, the newest ${PAGE}.`,
    place: 'commands',
    body:
      stuck.length === 0 ? (
        <div class="card empty">
          <h2>Nothing waits</h2>
          <p>No command is stuck.</p>
        </div>
      ) : (
        <Scroll label="Commands">
          <table>
            <thead>
              <tr>
                <th scope="col">Command</th>
                <th scope="col">State</th>
                <th scope="col" class="num">
                  Amount
                </th>
                <th scope="col">
                  <span class="vh">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {stuck.map((command) => (
                <CommandRow command={command} />
              ))}
            </tbody>
          </table>
        </Scroll>
      ),
  });
}

function CommandRow({ command }: { readonly command: PartnerCommand }): VNode {
  const { id, kind, state, end, lastError, mode } = command;
  return (
    <tr>
      <th scope="row">
        {kind}
        <span class="sub code">{id}</span>
        <span class="sub">{mode}</span>
      </th>
      <td>
        {end === null ? state : `${state}, ${end}`}
        {lastError === null ? null : (
          <span class="sub">
            <Foreign text={lastError} />
          </span>
        )}
      </td>
      <td class="num">{isMoneyCommand(command) ? format.money(command.amount) : ''}</td>
      <td>
        <Form to={`commands/${id}/retry`}>
          <Button look="sm">
            Run it now<span class="vh"> {id}</span>
          </Button>
        </Form>
      </td>
    </tr>
  );
}

async function retry(context: PageContext, call: ConsoleCall): Promise<PageAnswer> {
  await retryCommand(context.deps, call.params['commandId'] ?? '');
  return seeOther(withConsoleDone(`${context.prefix}${commandsPath}`, 'retried'));
}

async function showAudit(context: PageContext, call: ConsoleCall): Promise<PageAnswer> {
  const { deps } = context;
  const { limit, before } = pageOf(call);
  const beforeSequence = /^\d{1,15}$/.test(before ?? '') ? Number(before) : null;
  const [found, operators] = await Promise.all([
    newestEntries(deps, null, { beforeSequence, limit: limit + 1 }),
    listOperators(deps),
  ]);
  const rows = found.slice(0, limit);
  const names = new Map(operators.map(({ id, name }) => [id, name]));
  const last = rows.at(-1);
  return consolePage(consoleViewOf(context, call), {
    title: 'Audit log',
    lede: 'Who changed what, newest first.',
    place: 'audit',
    body: (
      <div class="stack">
        <Scroll label="Audit log">
          <table>
            <thead>
              <tr>
                <th scope="col">Action</th>
                <th scope="col">Who</th>
                <th scope="col" class="only-l">
                  What
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((entry) => (
                <EntryRow entry={entry} name={names.get(entry.actor.id) ?? entry.actor.id} />
              ))}
            </tbody>
          </table>
        </Scroll>
        <OlderLink
          of={{ path: `${call.base}/audit` }}
          last={found.length > limit && last !== undefined ? `${last.sequence}` : null}
        />
      </div>
    ),
  });
}

function EntryRow({ entry, name }: { readonly entry: AuditEntry; readonly name: string }): VNode {
  const { sequence, atMs, actor, action, orgId, mode, objects } = entry;
  return (
    <tr>
      <th scope="row">
        <Foreign text={action} />
        <span class="sub">
          {sequence}, {format.exact(atMs)}
        </span>
      </th>
      <td>
        {actor.kind} <Foreign text={name} />
      </td>
      <td class="only-l">
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
      </td>
    </tr>
  );
}
