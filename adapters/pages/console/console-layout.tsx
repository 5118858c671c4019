// The frame of every page of the operator's console, in English only, as the CLI is.
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { WaitingKind } from '../../../core/domain/money-desk/waiting-kind.js';
import { type ErrorCode, PonteError } from '../../../core/errors.js';
import { listWaiting } from '../../../core/usecases/money-desk/waiting.js';
import { assetPaths } from '../kit/assets.js';
import { Button, ButtonLink, Form } from '../kit/components.js';
import type { FieldError } from '../kit/fields.js';
import { formatOf } from '../kit/format.js';
import type { RefusalPlace } from '../kit/frame-of-call.js';
import type { IconName } from '../kit/icons.js';
import {
  html,
  operatorRow,
  type PageAnswer,
  type PageAuth,
  type PageCall,
  type PageContext,
} from '../kit/page-route.js';
import { DeclaredPages, type PageContent } from '../kit/pages/declared-pages.js';
import { type PlaceLinks, renderPage, Shell, type ShellLook } from '../kit/pages/page-document.js';
import { plainText } from '../kit/plain-text.js';

export type ConsoleCall<F = unknown> = PageCall<'operator', F>;

/** The places beside the page, in groups, with their paths. */
const groups = [
  [
    ['waiting', 'Waiting', 'clock'],
    ['money', 'Money desk', 'briefcase'],
    ['proposals', 'Proposals', 'invoice'],
    ['payments', 'Payments', 'swap'],
  ],
  [['production', 'Production requests', 'ok']],
  [
    ['health', 'Health', 'pulse'],
    ['commands', 'Commands', 'list'],
    ['fx', 'FX extract', 'download'],
    ['audit', 'Audit log', 'shield'],
  ],
] as const satisfies readonly (readonly (readonly [string, string, IconName])[])[];
export type ConsolePlace = (typeof groups)[number][number][0];

/** What a form before this page did. */
const doneTexts = {
  done: 'Done. The decision has taken effect.',
  proposed: 'Proposed. Nothing is booked until another operator confirms it.',
  waiting: 'It was proposed before. Nothing was changed.',
  repeated: 'It was done before. Nothing was changed.',
  withdrawn: 'The proposal was withdrawn. Nobody can confirm it any more.',
  retried: 'The command runs again.',
  refused: 'The request was refused. The member who asked is mailed the reason.',
} as const;
export type ConsoleDone = keyof typeof doneTexts;

const noticeTexts: Readonly<Record<string, string>> = {
  out_of_date: 'The page was out of date. Nothing was changed. Check it and try again.',
  signed_out: 'Your session has ended. Ask for another link.',
  no_cookies:
    'Your browser sent no cookie. If it blocks them, allow them for this site, and sign in.',
  unsaved: 'Your session has ended, and nothing was changed. Ask for another link.',
};

export interface ConsoleView {
  readonly root: string;
  readonly nowMs: number;
  /** Null without a session. */
  readonly csrf: string | null;
  /** Who has the page open; null before sign-in. */
  readonly operator: string | null;
  readonly done: string | null;
  readonly notice: string | null;
}

/** By what operators find a payment. */
export const PAYMENT_SEARCH = 'Payment id, external id, or page and check code';

export type ConsoleContent = PageContent<ConsolePlace>;

export const format = formatOf('en');

export function consoleViewOf({ deps, prefix }: PageContext, call: PageCall<PageAuth, unknown>) {
  const { csrf, operator, query } = call;
  return {
    root: prefix,
    nowMs: deps.clock.nowMs(),
    csrf,
    operator: operator?.actor.name ?? null,
    done: query.get('done'),
    notice: query.get('notice'),
  } satisfies ConsoleView;
}

export interface ConsoleScene {
  readonly view: ConsoleView & { readonly path: string };
  /** Id of the operator who has the page open. */
  readonly me: string;
  readonly readCounts: () => Promise<PlaceCounts>;
}

/** Declared pages of the console. */
export const operatorPages = new DeclaredPages<
  'operator',
  null,
  ConsoleScene,
  ConsolePlace,
  ConsoleDone
>({
  root: CONSOLE_ROOT,
  row: (_, row) => operatorRow(row),
  sceneOf: (context, call) => ({
    view: { ...consoleViewOf(context, call), path: call.base },
    me: call.operator.actor.id,
    readCounts: () => countsIn(context),
  }),
  page: async ({ view, readCounts }, content, status) =>
    consolePage(view, content, status, await readCounts()),
});

/** What needs an operator, by the page that has it; what waits for a buyer does not. */
const counted = {
  money: ['in_review', 'unmatched', 'lost', 'owed', 'unapproved'],
  proposals: ['proposal'],
  production: ['production'],
  commands: ['command', 'message'],
} as const satisfies Partial<Record<ConsolePlace, readonly WaitingKind[]>>;
/** Items of a kind that are counted. */
const COUNTED_MAX = 10;

type PlaceCounts = Readonly<Partial<Record<ConsolePlace, number>>>;

async function countsIn({ deps }: PageContext): Promise<PlaceCounts> {
  const asked = { orgId: null, mode: null, limit: COUNTED_MAX };
  const kinds: readonly WaitingKind[] = Object.values(counted).flat();
  const items = await listWaiting(deps, kinds, asked);
  const counts = Object.entries(counted).map(([place, own]: [string, readonly WaitingKind[]]) => {
    return [place, items.filter(({ kind }) => own.includes(kind)).length];
  });
  return Object.fromEntries(counts);
}

/** A refusal is shown on the page, at this part of it. */
export async function refusable<T>(
  field: string | ((message: string) => FieldError),
  work: () => Promise<T>,
): Promise<T | { readonly problem: FieldError }> {
  try {
    return await work();
  } catch (error) {
    const isShown = error instanceof PonteError && error.status < 500;
    if (!isShown || error.code === 'NotFound') throw error;
    const { message: text } = error;
    return { problem: typeof field === 'string' ? { field, text } : field(text) };
  }
}

export function consolePage(
  view: ConsoleView,
  content: ConsoleContent,
  status = 200,
  counts: PlaceCounts = {},
): PageAnswer {
  const { root, csrf, nowMs } = view;
  const { place, title, errors = [], body, mode = null } = content;
  const assets = assetPaths(root);
  const done: Readonly<Record<string, string>> = doneTexts;
  const path = `${root}${CONSOLE_ROOT}`;
  const text = renderPage(
    { view: { locale: 'en', root, path, csrf, nowMs }, formVersion: undefined, format },
    {
      title: `${plainText(title)} – Operator’s console – Ponte`,
      errors,
      styles: [assets.style, assets.dashboard],
      icon: assets.icon,
      script: assets.script,
      names: [],
      body: { class: mode === 'test' ? 'dash op test' : 'dash op' },
      children: (
        <Shell
          look={shellOf(view, content, counts)}
          isNarrow={place === null}
          content={content}
          done={done[view.done ?? '']}
          notice={noticeTexts[view.notice ?? '']}
        >
          {body}
        </Shell>
      ),
    },
  );
  return html(text, status);
}

const bars = {
  live: 'What is done here moves real money.',
  test: 'Test mode. No money moves.',
} as const satisfies Record<Mode, string>;

/** Without a mode the page has both, or neither. */
function Bar({ mode }: { readonly mode: Mode | null }) {
  return (
    <p class="opbar">
      <b>OPERATOR</b> {mode === null ? 'What is done in live mode moves real money.' : bars[mode]}
    </p>
  );
}

function shellOf(
  { root, operator }: ConsoleView,
  { place, mode }: ConsoleContent,
  counts: PlaceCounts,
): ShellLook {
  const path = `${root}${CONSOLE_ROOT}`;
  const back: PlaceLinks = {
    links: [{ href: path, text: 'Operator’s console', isHere: false, icon: 'home' }],
  };
  return {
    bar: <Bar mode={mode ?? null} />,
    owner: { name: 'Operator’s console', href: path, logo: null },
    modes: null,
    groups:
      place === null ? [back] : groups.map((group) => placesOf(path, group, { place, counts })),
    foot: [
      <p>Times are UTC. The audit log has what is done here, and who did it.</p>,
      operator === null ? null : (
        <Form to="sign-out">
          <Button look="link">Sign out</Button>
        </Form>
      ),
    ],
    search:
      operator === null ? null : { path: `${path}/payments`, of: 'Payments', by: PAYMENT_SEARCH },
    person: operator === null ? null : { name: operator, about: 'Operator', href: null },
  };
}

function placesOf(
  path: string,
  group: (typeof groups)[number],
  { place: here, counts }: { readonly place: ConsolePlace; readonly counts: PlaceCounts },
): PlaceLinks {
  return {
    links: group.map(([place, text, icon]) => ({
      href: `${path}/${place}`,
      text,
      isHere: place === here,
      icon,
      count: counts[place] ?? 0,
    })),
  };
}

const errorHeadings: Partial<Record<ErrorCode, string>> = {
  NotFound: 'This page does not exist, or no longer waits',
  MethodNotAllowed: 'This page does not exist',
  InQuarantine: 'The database is in quarantine and read-only',
};

/** A refusal as a page. It knows no session. */
export function consoleError(refusal: PonteError, { prefix, nowMs }: RefusalPlace): PageAnswer {
  const view = { root: prefix, nowMs, csrf: null, operator: null, done: null, notice: null };
  const title = errorHeadings[refusal.code] ?? 'This did not work';
  const body = (
    <div class="card stack">
      {refusal.code === 'NotFound' ? null : <p>{refusal.message}</p>}
      <p class="actions">
        <ButtonLink href={`${prefix}${CONSOLE_ROOT}/money`}>Money desk</ButtonLink>
      </p>
    </div>
  );
  return consolePage(view, { title, place: null, body }, refusal.status);
}
