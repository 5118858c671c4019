// The money desk: what waits in each queue, oldest ids first, as `ponte money list`.
import type { VNode } from 'preact';
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import { formatDuration, formatInstant } from '../../../core/domain/base/instant.js';
import { type Mode, modes } from '../../../core/domain/base/tenant.js';
import { type MoneyQueue, moneyQueues } from '../../../core/domain/money-desk/money-decision.js';
import { knownText } from '../../../core/usecases/money-desk/desk-texts.js';
import {
  type ListedProposal,
  listQueues,
  type QueueRow,
} from '../../../core/usecases/money-desk/money-queues.js';
import { ButtonLink, Foreign } from '../kit/components.js';
import type { PageContext } from '../kit/page-route.js';
import { Empty } from '../kit/pages/table.js';
import { type ConsoleCall, type ConsoleView, format, operatorPages } from './console-layout.js';

/** Rows of a queue that are shown at once. */
const PAGE = 20;

export const queueHeadings = {
  unmatched: 'Came in, fits no payment',
  short: 'Short payments',
  unapproved: 'Buyer rejected after its approval',
  owed: 'Owed back to a buyer',
  in_review: 'Payouts and reports in review',
  lost: 'Lost',
} as const satisfies Record<MoneyQueue, string>;

export const deskListPages = [
  operatorPages.view({
    path: '/money',
    access: null,
    load: readDesk,
    show: ({ view, me }, { mode, waiting }) => ({
      title: 'Money desk',
      lede: 'Money that waits for a person.',
      place: 'money',
      body: (
        <div class="stack">
          <Modes mode={mode} root={view.root} />
          {waiting.length === 0 ? (
            <Empty heading="Nothing waits" text={`No money of ${mode} mode needs a person now.`} />
          ) : null}
          {waiting.map((listed) => (
            <Queue listed={listed} mode={mode} view={view} me={me} />
          ))}
        </div>
      ),
    }),
  }),
];

export function itemPath(root: string, { queue, id }: Pick<QueueRow, 'queue' | 'id'>): string {
  return `${root}${CONSOLE_ROOT}/money/${queue}/${id}`;
}

export function proposalPath(root: string, id: string): string {
  return `${root}${CONSOLE_ROOT}/proposals/${id}`;
}

interface Listed {
  readonly queue: MoneyQueue;
  readonly rows: readonly QueueRow[];
  readonly hasMore: boolean;
}

async function readDesk({ deps }: PageContext, { query }: ConsoleCall) {
  const mode: Mode = modes.find((known) => known === query.get('mode')) ?? 'live';
  const only = moneyQueues.find((known) => known === query.get('queue')) ?? null;
  const after = query.get('after') ?? '';
  const read = async (queue: MoneyQueue): Promise<Listed> => {
    const cursor = only === null || after === '' ? null : { queue, id: after.slice(0, 100) };
    const asked = { queue, mode, orgId: null, after: cursor, limit: PAGE + 1 };
    const found = await listQueues(deps, asked);
    return { queue, rows: found.slice(0, PAGE), hasMore: found.length > PAGE };
  };
  const queues = await Promise.all((only === null ? moneyQueues : [only]).map(read));
  return { mode, waiting: queues.filter(({ rows }) => rows.length > 0) };
}

function Modes({ mode, root }: { readonly mode: Mode; readonly root: string }): VNode {
  const names = { test: 'Test', live: 'Live' } as const satisfies Record<Mode, string>;
  return (
    <nav class="modes" aria-label="Mode">
      {modes.map((one) => (
        <a
          href={`${root}${CONSOLE_ROOT}/money?mode=${one}`}
          aria-current={one === mode ? 'true' : undefined}
        >
          {names[one]}
        </a>
      ))}
    </nav>
  );
}

function Queue({
  listed: { queue, rows, hasMore },
  mode,
  view,
  me,
}: {
  readonly listed: Listed;
  readonly mode: Mode;
  readonly view: ConsoleView;
  readonly me: string;
}): VNode {
  const more = new URLSearchParams({ mode, queue, after: rows.at(-1)?.id ?? '' });
  return (
    <section class="card" aria-labelledby={queue}>
      <div class="line ends">
        <h2 id={queue}>{queueHeadings[queue]}</h2>
        <span class="quiet small">{hasMore ? `${rows.length} of more` : `${rows.length}`}</span>
      </div>
      <ul class="queue">
        {rows.map((row) => (
          <Row row={row} view={view} me={me} />
        ))}
      </ul>
      {hasMore ? (
        <p class="gap">
          <a href={`${view.root}${CONSOLE_ROOT}/money?${more}`}>More of this queue</a>
        </p>
      ) : null}
    </section>
  );
}

function Row({
  row,
  view: { root, nowMs },
  me,
}: {
  readonly row: QueueRow;
  readonly view: ConsoleView;
  readonly me: string;
}): VNode {
  const { amount, sinceMs, known, kind, id, paymentId, proposal } = row;
  const shown = format.money(amount);
  const open = proposal === null || proposal.isVoid || proposal.isExpired ? null : proposal;
  const isMine = open !== null && open.proposedById !== me;
  return (
    <li class={isMine ? 'mine' : undefined}>
      <div class="sumup">
        <b class="num">{shown}</b>
        <Since sinceMs={sinceMs} nowMs={nowMs} />
      </div>
      <div>
        <p>
          <Foreign text={knownText(known)} />
        </p>
        <p class="quiet">
          {kind === 'deposit' || kind === 'payment' ? kind : `${kind} of ${paymentId}`}{' '}
          <span class="code">{id}</span>
        </p>
        {open === null ? null : (
          <p>
            <b>{open.proposedBy}</b> proposed a decision at {format.short(open.proposedAtMs)}.
          </p>
        )}
      </div>
      <div>
        {open === null ? null : (
          <p>
            <Waits proposal={open} me={me} />
          </p>
        )}
        <p class="gap">
          {isMine ? (
            <ButtonLink look="sm primary" href={proposalPath(root, open.id)}>
              Check and confirm<span class="vh"> {shown}</span>
            </ButtonLink>
          ) : (
            <ButtonLink look="sm" href={itemPath(root, row)}>
              {open === null ? 'Decide' : 'Look'}
              <span class="vh"> about {shown}</span>
            </ButtonLink>
          )}
        </p>
      </div>
    </li>
  );
}

export function Since({ sinceMs, nowMs }: { sinceMs: number; nowMs: number }): VNode {
  return (
    <p class="quiet">
      since <time dateTime={formatInstant(sinceMs)}>{format.short(sinceMs)}</time>
      <br />
      {formatDuration(nowMs - sinceMs)}
    </p>
  );
}

/** Whose confirmation an open proposal waits for. */
export function Waits({
  proposal: { proposedById },
  me,
}: {
  readonly proposal: Pick<ListedProposal, 'proposedById'>;
  readonly me: string;
}): VNode {
  const text = proposedById === me ? 'Needs another operator' : 'Needs you to confirm';
  return (
    <span class="badge" data-s="awaiting_approval">
      {text}
    </span>
  );
}
