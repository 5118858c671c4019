// A list: filters in the address, a table, and links to the pages beside it. Its filters and its
// columns are data; the only code that reads such a query and writes such an address is here.
import type { ComponentChildren } from 'preact';
import { isCalendarDate } from '../../../../core/domain/base/instant.js';
import { plainSigns } from '../../../../core/domain/base/typed-text.js';
import { Foreign } from '../components.js';
import { Icon } from '../icons.js';
import { useFrame } from '../page-frame.js';
import { SEARCHED, type SearchLook } from './search-field.js';
import { Empty, type RowColumns, Table, type TableProps } from './table.js';

/** `control`: how people set it; links alone set one without. */
export interface Filter<V extends string = string> {
  /** What it takes of the query; null if that is nothing. */
  readonly read: (text: string) => V | null;
  readonly control:
    | { readonly as: 'select'; readonly choices: readonly string[] }
    | { readonly as: 'tabs'; readonly choices: readonly string[]; readonly within?: Within }
    | { readonly as: 'search'; readonly lengthMax: number }
    | { readonly as: 'day' }
    | null;
}
/** The narrower choices of one. */
type Within = (choice: string) => readonly string[];

export type ListFilters = Readonly<Record<string, Filter>>;
export type Given<F extends ListFilters> = { readonly [N in keyof F]: ReturnType<F[N]['read']> };

const oneOf = <const V extends string>(
  as: 'tabs' | 'select',
  choices: readonly V[],
): Filter<V> => ({
  read: (text) => choices.find((known) => known === text) ?? null,
  control: { as, choices },
});
export const tabs = <const V extends string>(choices: readonly V[]) => oneOf('tabs', choices);
/** Tabs, and below the chosen one those within it. */
export const tabsWithin = <V extends string>(
  choices: readonly V[],
  read: Filter<V>['read'],
  within: Within,
): Filter<V> => ({ read, control: { as: 'tabs', choices, within } });
export const select = <const V extends string>(choices: readonly V[]) => oneOf('select', choices);

const trimmed = (lengthMax: number) => (text: string) => text.trim().slice(0, lengthMax) || null;
export const search = (lengthMax: number): Filter => ({
  read: trimmed(lengthMax),
  control: { as: 'search', lengthMax },
});
export const linked = (lengthMax: number): Filter => ({ read: trimmed(lengthMax), control: null });
/** A day of the calendar, in any digits. */
export const day: Filter = {
  read(text) {
    const plain = plainSigns(text).trim();
    return isCalendarDate(plain) ? plain : null;
  },
  control: { as: 'day' },
};

/** Where a page begins, as the page beside it says it; null for what no page says. */
export type ReadCursor<C> = (text: string) => C | null;

export const sequenceCursor: ReadCursor<number> = (text) =>
  /^[1-9]\d{0,14}$/.test(text) ? Number.parseInt(text, 10) : null;
export function idCursor(prefix: string): ReadCursor<string> {
  const form = new RegExp(`^${prefix}_[0-9a-z]{1,64}$`);
  return (text) => (form.test(text) ? text : null);
}

/** What of the query is a filter; anything else is left out. */
export function givenIn<F extends ListFilters>(filters: F, query: URLSearchParams): Given<F> {
  const given = Object.entries(filters).map(([name, { read }]) => {
    return [name, read(query.get(name) ?? '')];
  });
  return Object.fromEntries(given) as Given<F>;
}

/** The address of a list with these filters; those that are not given are left out. */
export function listPath(
  path: string,
  given: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const set = Object.entries(given).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, `${value}`]],
  );
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/**
 * One row more than a page has been read: it shows whether the list goes on. `beside`: the last row
 * of the page before, or the first one of the page behind, in lists that go both ways.
 */
export function pageOf<Row>(
  found: readonly Row[],
  size: number,
  cursorOf: (row: Row) => string,
  { before = null, after = null }: { before?: string | null; after?: string | null } = {},
) {
  const isBack = after !== null;
  const isCut = found.length > size;
  const rows = isBack ? found.slice(-size) : found.slice(0, size);
  const [first = null, last = null] = [rows.at(0), rows.at(-1)];
  return {
    rows,
    next: last !== null && (isBack || isCut) ? cursorOf(last) : null,
    newer: first !== null && (isBack ? isCut : before !== null) ? cursorOf(first) : null,
  };
}

/** A filter in words, and the filters without it. */
export type Chip = Readonly<{ text: string; without: Readonly<Record<string, null>> }>;

export interface ListWords {
  /** Name of the form, its button, no choice, and the link that removes all filters; else usual. */
  readonly filters?: string;
  readonly filter?: string;
  readonly any?: string;
  readonly clear?: string;
  /** Heading and text without rows, and without rows that match the filters. */
  readonly empty: string;
  readonly emptyText: string;
  readonly noMatch?: string;
  readonly noMatchText?: string;
  /** Opens the filters by day. */
  readonly moreDays?: string;
  /** Name of the list of chips, and what their links do. */
  readonly active?: string;
  readonly remove?: string;
}

/** What a list shows, apart from its rows. */
export interface ListLook<Row> {
  readonly label: string;
  readonly words: ListWords;
  readonly columns: RowColumns<Row>;
  readonly lines?: TableProps<Row>['lines'];
  readonly folds?: TableProps<Row>['folds'];
  /** Labels of filters that people set, the texts of their choices, and an example. */
  readonly labels?: Readonly<Record<string, unknown>>;
  readonly choice?: (value: string) => string;
  readonly hint?: string;
  /** The filters that are set, one by one. */
  readonly chips?: readonly Chip[];
  /** Below the rows. */
  readonly note?: string;
  /** What makes the first row. */
  readonly start?: ComponentChildren;
  /** Where a search ended before the list: how far it came, and the words of the way on. */
  readonly onward?: { readonly text: string; readonly words: string };
}

export interface ListState<Row> {
  readonly path: string;
  readonly filters: ListFilters;
  readonly given: Readonly<Record<string, string | null>>;
  readonly isFirst: boolean;
  readonly rows: readonly Row[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | number | null;
  /** Where the page before ends; null on the first one, and in lists that go one way. */
  readonly newer: string | number | null;
}

/** The search at the top of the page looks in the list; undefined for a list without one. */
export function searchIn<Row>(
  { label, labels = {} }: ListLook<Row>,
  { path, filters, given }: ListState<Row>,
): SearchLook | undefined {
  if (filters[SEARCHED] === undefined) return undefined;
  return { path, of: label, by: `${labels[SEARCHED]}`, given };
}

interface ListProps<Row> {
  readonly look: ListLook<Row>;
  readonly list: ListState<Row>;
}

export function List<Row>({ look: own, list }: ListProps<Row>) {
  const { texts } = useFrame();
  const look = { ...own, words: { ...texts, ...own.words } };
  const { path, filters, given, isFirst, rows, next, newer } = list;
  const { words, label, columns } = look;
  const isFiltered = Object.values(given).some((value) => value !== null);
  const older = next === null ? null : listPath(path, { ...given, before: next });
  const hasTabs = Object.values(filters).some(({ control }) => control?.as === 'tabs');
  return (
    <div class="stack">
      <FilterTabs look={look} list={list} />
      <FilterForm look={look} list={list} />
      {isFiltered && !hasTabs ? (
        <p class="small">
          <a href={path}>{words.clear}</a>
        </p>
      ) : null}
      <Chips look={look} list={list} />
      {rows.length > 0 ? (
        <Table
          label={label}
          columns={columns}
          rows={rows}
          {...(look.lines === undefined ? {} : { lines: look.lines })}
          {...(look.folds === undefined ? {} : { folds: look.folds })}
        />
      ) : (
        <NoRows look={look} isFiltered={isFiltered} older={older} />
      )}
      <Pager
        newest={isFirst ? null : listPath(path, given)}
        newer={newer === null ? null : listPath(path, { ...given, after: newer })}
        older={rows.length === 0 ? null : older}
      >
        {rows.length === 0 ? undefined : look.note}
      </Pager>
    </div>
  );
}

function NoRows<Row>({
  look: { words, onward, start },
  isFiltered,
  older,
}: Readonly<{ look: ListLook<Row>; isFiltered: boolean; older: string | null }>) {
  const { empty, emptyText, noMatch = empty, noMatchText = emptyText } = words;
  if (older === null || onward === undefined) {
    return isFiltered ? (
      <Empty heading={noMatch} text={noMatchText} />
    ) : (
      <Empty heading={empty} text={emptyText} action={start ?? undefined} />
    );
  }
  const link = (
    <a class="btn" href={older}>
      {onward.words}
    </a>
  );
  return <Empty heading={noMatch} text={onward.text} action={link} />;
}

/** Each filter, with a link that removes it. */
function Chips<Row>({ look: { chips = [], words }, list }: ListProps<Row>) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={words.active}>
      {chips.map(({ text, without }) => (
        <li>
          <a href={listPath(list.path, { ...list.given, ...without })}>
            <Foreign text={text} /> <span aria-hidden="true">✕</span>
            <span class="vh">, {words.remove}</span>
          </a>
        </li>
      ))}
      <li>
        <a class="plain" href={list.path}>
          {words.clear}
        </a>
      </li>
    </ul>
  );
}

/** Each choice of a filter, and all, as links; below them those within the chosen one. */
function FilterTabs<Row>({ look, list }: ListProps<Row>) {
  const found = Object.entries(list.filters).find(([, { control }]) => control?.as === 'tabs');
  if (found === undefined) return null;
  const [name, { control }] = found;
  if (control?.as !== 'tabs') return null;
  const { choices, within = () => [] } = control;
  const given = list.given[name] ?? null;
  const here = choices.find((one) => one === given || within(one).some((own) => own === given));
  const inner = here === undefined ? [] : within(here);
  const tab = (value: string | null, text: string | undefined, isHere: boolean) => ({
    href: listPath(list.path, { ...list.given, [name]: value }),
    text: text ?? (value === null ? '' : (look.choice?.(value) ?? value)),
    isHere,
  });
  const label = `${look.labels?.[name]}`;
  return [
    <Tabs
      label={label}
      tabs={[
        tab(null, look.words.any, given === null),
        ...choices.map((value) => tab(value, undefined, value === here)),
      ]}
    />,
    inner.length < 2 || here === undefined ? null : (
      <Tabs
        label={`${label}, ${look.choice?.(here) ?? here}`}
        tabs={[
          tab(here, look.words.any, given === here),
          ...inner.map((value) => tab(value, undefined, value === given)),
        ]}
      />
    ),
  ];
}

export function Tabs({
  label,
  tabs: shown,
}: {
  readonly label: string;
  readonly tabs: readonly Readonly<{ href: string; text: string; isHere: boolean }>[];
}) {
  return (
    <nav aria-label={label}>
      <ul class="tabs">
        {shown.map(({ href, text, isHere }) => (
          <li>
            <a href={href} aria-current={isHere ? 'true' : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const formLooks = ['filters one', 'filters one', 'filters two'];

function FilterForm<Row>({ look, list }: ListProps<Row>) {
  const { words, labels = {}, choice = (value) => value, hint } = look;
  const { path, filters, given } = list;
  const shown = Object.entries(filters).flatMap(([name, { control }]) =>
    control === null || control.as === 'tabs' || name === SEARCHED ? [] : [{ name, control }],
  );
  if (shown.length === 0) return null;
  const kept = Object.keys(filters).filter((name) => shown.every((one) => one.name !== name));
  const days = shown.filter(({ control }) => control.as === 'day');
  const first = shown.filter(({ control }) => control.as !== 'day');
  const field = ({ name, control }: (typeof shown)[number]) => (
    <div>
      <label for={name}>{`${labels[name]}`}</label>
      {control.as === 'select' ? (
        <select id={name} name={name}>
          <option value="">{words.any}</option>
          {control.choices.map((value) => (
            <option value={value} selected={value === given[name]}>
              {choice(value)}
            </option>
          ))}
        </select>
      ) : control.as === 'day' ? (
        <input id={name} name={name} type="date" value={given[name] ?? ''} />
      ) : (
        <input
          id={name}
          name={name}
          type="search"
          value={given[name] ?? ''}
          maxLength={control.lengthMax}
          autocomplete="off"
          placeholder={hint}
        />
      )}
    </div>
  );
  const button = (
    <button type="submit" class="btn">
      <Icon name="search" />
      {words.filter}
    </button>
  );
  return (
    <form
      class={formLooks[first.length] ?? 'filters'}
      method="get"
      action={path}
      aria-label={words.filters}
    >
      {first.map(field)}
      {kept.map((name) =>
        given[name] === null ? null : <input type="hidden" name={name} value={given[name] ?? ''} />,
      )}
      {first.length === 0 ? null : button}
      {days.length === 0 ? null : (
        <details open={days.some(({ name }) => given[name] !== null)}>
          <summary>{words.moreDays}</summary>
          <div class="filters">
            {days.map(field)}
            {first.length === 0 ? button : null}
          </div>
        </details>
      )}
    </form>
  );
}

/** Links to the newest page and to the one behind the last row; nothing if there is none. */
export function Pager({
  newest,
  newer = null,
  older,
  children,
}: {
  /** Null on the newest page. */
  readonly newest: string | null;
  /** The page before this one, in lists that go both ways. */
  readonly newer?: string | null;
  /** Null on the last one. */
  readonly older: string | null;
  readonly children?: string | undefined;
}) {
  const { texts } = useFrame();
  const links = [newest, newer, older].filter((link) => link !== null);
  if (links.length === 0 && children === undefined) return null;
  const link = (href: string | null, ...shown: readonly ComponentChildren[]) =>
    href === null ? null : (
      <a class="btn sm" href={href}>
        {shown}
      </a>
    );
  return (
    <nav class="pager" aria-label={texts.pages}>
      <span class="quiet">{children}</span>
      <span class="actions">
        {link(newest, newer === null ? <Icon name="newer" /> : null, texts.newest)}
        {link(newer, <Icon name="newer" />, texts.newer)}
        {link(older, texts.older, <Icon name="older" />)}
      </span>
    </nav>
  );
}
