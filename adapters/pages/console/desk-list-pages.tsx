// What waits for an operator, by kind, as `ponte waiting`, and its parts: the money desk, requests
// for production access, stuck commands.
import { type DeadlineText, deadline } from '../../../core/domain/base/deadline.js';
import { formatDuration, formatInstant } from '../../../core/domain/base/instant.js';
import { type Mode, modes } from '../../../core/domain/base/tenant.js';
import type { MoneyQueue } from '../../../core/domain/money-desk/money-decision.js';
import {
  type WaitingKind,
  waitingKindNames,
  waitingKinds,
} from '../../../core/domain/money-desk/waiting-kind.js';
import type { ListedProposal } from '../../../core/usecases/money-desk/money-queues.js';
import { listWaiting, type WaitingItem } from '../../../core/usecases/money-desk/waiting.js';
import { WAITING_MAX } from '../../../core/usecases/parties/production-requests.js';
import { Badge, ButtonForm, ButtonLink, Foreign, foreign } from '../kit/components.js';
import { useFrame } from '../kit/page-frame.js';
import { Empty } from '../kit/pages/table.js';
import { type ConsoleCall, format, operatorPages } from './console-layout.js';

/** Rows of a kind that are shown at once. */
const PAGE = 20;
/** Length of a text that a row shows whole, in characters. */
const TEXT_MAX = 160;

/** In doubt first; what waits for a buyer, whose page says till when, last. */
const byStake = [
  'in_review',
  'unmatched',
  'lost',
  'owed',
  'unapproved',
  'short',
] as const satisfies readonly MoneyQueue[];

const views = {
  waiting: { title: 'Waiting', kinds: waitingKindNames },
  money: { title: 'Money desk', kinds: byStake },
  production: { title: 'Production requests', kinds: ['production'] },
  commands: { title: 'Commands', kinds: ['command', 'message'] },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly kinds: readonly WaitingKind[] }>
>;
type ViewName = keyof typeof views;

/** All modes are shown unless the query names one, and all kinds of the view. */
export const deskListPages = (Object.keys(views) as ViewName[]).map((name) =>
  operatorPages.view({
    path: `/${name}`,
    access: null,
    async load({ deps }, { query, base }: ConsoleCall) {
      const mode = modes.find((known) => known === query.get('mode')) ?? null;
      const kinds: readonly WaitingKind[] = views[name].kinds;
      const only = kinds.find((known) => known === query.get('kind')) ?? null;
      const shown = only === null ? kinds : [only];
      const asked = { orgId: null, mode, limit: WAITING_MAX };
      const found = await listWaiting(deps, shown, asked);
      const items = name === 'money' ? found.toSorted(byAmount) : found;
      return { mode, only, shown, items, path: `${base}/${name}` };
    },
    show: ({ me }, { mode, only, shown, items, path }) => ({
      title: views[name].title,
      lede:
        name === 'money'
          ? 'Money that needs an operator: in doubt first, the largest amount of each kind first.'
          : 'What needs an operator, the oldest of each kind first.',
      place: name,
      ...(mode === null ? {} : { mode }),
      body: (
        <div class="stack">
          <Modes mode={mode} path={path} />
          {items.length > 0 ? null : (
            <Empty heading="Nothing waits" text="Nothing here needs an operator now." />
          )}
          {shown.map((kind) => (
            <Kind
              kind={kind}
              items={items.filter((item) => item.kind === kind)}
              more={only === null ? moreOf(path, kind, mode) : null}
              me={me}
            />
          ))}
        </div>
      ),
    }),
  }),
);

function byAmount(one: WaitingItem, other: WaitingItem): number {
  const [left = 0n, right = 0n] = [one.amount?.amountMinor, other.amount?.amountMinor];
  return left === right ? one.sinceMs - other.sinceMs : left < right ? 1 : -1;
}

function moreOf(path: string, kind: WaitingKind, mode: Mode | null): string {
  return `${path}?${new URLSearchParams({ kind, ...(mode === null ? {} : { mode }) })}`;
}

function Modes({ mode, path }: { readonly mode: Mode | null; readonly path: string }) {
  const names = { test: 'Test', live: 'Live' } as const satisfies Record<Mode, string>;
  return (
    <nav class="modes" aria-label="Mode">
      {[null, ...modes].map((one) => (
        <a
          href={one === null ? path : `${path}?mode=${one}`}
          aria-current={one === mode ? 'true' : undefined}
        >
          {one === null ? 'All' : names[one]}
        </a>
      ))}
    </nav>
  );
}

function Kind({
  kind,
  items,
  more,
  me,
}: {
  readonly kind: WaitingKind;
  readonly items: readonly WaitingItem[];
  /** To all of this kind; null: they are shown. */
  readonly more: string | null;
  readonly me: string;
}) {
  const { view } = useFrame();
  if (items.length === 0) return null;
  const rows = more === null ? items : items.slice(0, PAGE);
  const hasMore = rows.length < items.length;
  const list = (
    <ul class="queue">
      {rows.map((item) => (
        <Row item={item} me={me} />
      ))}
    </ul>
  );
  return (
    <section class="card" aria-labelledby={kind}>
      <div class="line ends">
        <h2 id={kind}>{waitingKinds[kind]}</h2>
        <span class="quiet small">{hasMore ? `${rows.length} of more` : `${rows.length}`}</span>
      </div>
      {kind === 'short' && more !== null ? (
        <details>
          <summary>{shortText(items, view.nowMs)}</summary>
          {list}
        </details>
      ) : (
        list
      )}
      {hasMore && more !== null ? (
        <p class="gap">
          <a href={more}>More of this kind</a>
        </p>
      ) : null}
    </section>
  );
}

const firstEnd: DeadlineText<string> = {
  ahead: (day) => `, the first until ${day}`,
  over: (day) => `, the first until ${day}, which is over`,
};

/** The first day on which one of them ends. */
function shortText(items: readonly WaitingItem[], nowMs: number): string {
  const ends = items.flatMap(({ row }) =>
    row?.known.kind === 'short' && row.known.endsAtMs !== null ? [row.known.endsAtMs] : [],
  );
  const first = Math.min(...ends);
  const until = ends.length === 0 ? '' : deadline(first, nowMs, format.day(first))(firstEnd);
  return `${items.length === 1 ? 'One waits' : `${items.length} wait`} for the buyer${until}`;
}

function Row({ item, me }: { readonly item: WaitingItem; readonly me: string }) {
  const { amount, sinceMs, text, id, mode, proposal } = item;
  const shown = amount === null ? id : format.money(amount);
  const isMine = proposal !== null && proposal.proposedById !== me;
  return (
    <li class={isMine ? 'mine' : undefined}>
      <div class="sumup">
        {amount === null ? null : <b class="num">{shown}</b>}
        <Since sinceMs={sinceMs} />
      </div>
      <div>
        <Known text={text} />
        <p class="quiet">
          <Foreign text={item.about} /> <span class="code">{id}</span>, {mode}
        </p>
        {proposal === null ? null : (
          <p>
            <b>{proposal.proposedBy}</b> proposed a decision at{' '}
            {format.short(proposal.proposedAtMs)}.
          </p>
        )}
      </div>
      <div>
        {proposal === null ? null : <Waits proposal={proposal} me={me} />}
        <Action item={item} shown={shown} isMine={isMine} />
      </div>
    </li>
  );
}

/** A partner may say a page of text: its first words are enough to choose by. */
function Known({ text }: { readonly text: string }) {
  if (text.length <= TEXT_MAX) {
    return <p>{foreign(text)}</p>;
  }
  const cut = text.lastIndexOf(' ', TEXT_MAX);
  return (
    <details>
      <summary>{foreign(`${text.slice(0, cut > 0 ? cut : TEXT_MAX)} …`)}</summary>
      <p>{foreign(text)}</p>
    </details>
  );
}

function Action({
  item: { kind, id, row, proposal },
  shown,
  isMine,
}: Readonly<{ item: WaitingItem; shown: string; isMine: boolean }>) {
  if (kind === 'message') return null;
  if (kind === 'command') {
    return (
      <ButtonForm to={`commands/${id}/retry`} look="sm">
        Run it now<span class="vh"> {id}</span>
      </ButtonForm>
    );
  }
  const [path, text] =
    proposal !== null && (isMine || row === null)
      ? [`proposals/${proposal.id}`, isMine ? 'Check and confirm' : 'Look']
      : [row === null ? `${kind}/${id}` : `money/${kind}/${id}`, proposal ? 'Look' : 'Decide'];
  return (
    <p class="gap">
      <ButtonLink look={isMine ? 'sm primary' : 'sm'} to={path}>
        {text}
        <span class="vh"> {shown}</span>
      </ButtonLink>
    </p>
  );
}

export function Since({ sinceMs }: { readonly sinceMs: number }) {
  const { nowMs } = useFrame().view;
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
}: Readonly<{ proposal: Pick<ListedProposal, 'proposedById'>; me: string }>) {
  const text = proposedById === me ? 'Needs another operator' : 'Needs you to confirm';
  return (
    <p>
      <Badge look="awaiting_approval" text={text} />
    </p>
  );
}
