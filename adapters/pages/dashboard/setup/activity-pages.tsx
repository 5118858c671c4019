// The audit log of an organization in one mode: who changed what, newest first.
import type { VNode } from 'preact';
import {
  type Actor,
  type AuditEntry,
  type AuditedObject,
  actorKinds,
  type ObjectType,
} from '../../../../core/domain/service/audit-entry.js';
import { listKeys } from '../../../../core/usecases/access/keys.js';
import { readTeam } from '../../../../core/usecases/access/members.js';
import {
  AUDIT_SEARCHED_MAX,
  searchAuditEntries,
} from '../../../../core/usecases/service/audit-log.js';
import { Foreign, Scroll } from '../../kit/components.js';
import { memberRow, type PageAnswer, type PageContext } from '../../kit/page-route.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf } from '../dashboard-scene.js';
import { Breakable, subjectPath } from '../developer/developer-parts.js';
import { listPath, NoRows, Pager } from '../list-parts.js';
import { type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';

const PAGE = 25;
/** Objects of an entry that its row shows. */
const OBJECTS_SHOWN = 4;
/** Shown where nothing else was changed: people read what they led to. */
const means: readonly ObjectType[] = ['partner_command', 'partner_message'];

export const activityPages = [
  memberRow({
    method: 'GET',
    path: `${TENANT_ROOT}/activity`,
    scope: 'audit:read',
    proof: 'session',
    form: 'none',
    handler: showActivity,
  }),
];

/** The texts of the query; empty if they are not given. */
interface Filters {
  readonly kind: Actor['kind'] | '';
  /** The id of an actor. */
  readonly who: string;
  /** The sequence behind which the page begins. */
  readonly before: string;
}

interface Listed {
  readonly filters: Filters;
  readonly entries: readonly AuditEntry[];
  readonly next: number | null;
  /** The names of members and keys, by id. */
  readonly names: ReadonlyMap<string, string>;
}

async function showActivity(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const filters = filtersIn(call.query);
  const { kind, who, before } = filters;
  const [found, team, keys] = await Promise.all([
    searchAuditEntries(deps, tenant, {
      kind: kind === '' ? null : kind,
      actorId: who === '' ? null : who,
      beforeSequence: before === '' ? null : Number.parseInt(before, 10),
      limit: PAGE,
    }),
    readTeam(deps, tenant.orgId),
    listKeys(deps, tenant.orgId),
  ]);
  const names = new Map([
    ...team.map(({ member: { id, email } }) => [id, email] as const),
    ...keys.map(({ id, name }) => [id, name] as const),
  ]);
  const listed = { ...found, filters, names };
  return dashboardPage(viewOf(context, call), (scene) => activityScreen(scene, listed));
}

/** What is not a filter is left out. */
function filtersIn(query: URLSearchParams): Filters {
  const before = query.get('before') ?? '';
  return {
    kind: actorKinds.find((known) => known === query.get('kind')) ?? '',
    who: (query.get('who') ?? '').trim().slice(0, 100),
    before: /^[1-9]\d{0,14}$/.test(before) ? before : '',
  };
}

function activityScreen({ texts, view }: DashboardScene, listed: Listed): DashboardContent {
  const { filters, entries, next } = listed;
  const words = texts.setup.activity;
  const pageOf = (filter: Partial<Filters>) => listPath(`${view.path}/activity`, filter);
  const older = next === null ? null : pageOf({ ...filters, before: `${next}` });
  const hasFilters = filters.kind !== '' || filters.who !== '';
  return {
    title: texts.places.activity,
    lede: words.lede,
    place: 'activity',
    body: (
      <div class="stack">
        <FilterForm filters={filters} />
        {hasFilters ? (
          <p class="small">
            <a href={pageOf({})}>{words.clear}</a>
          </p>
        ) : null}
        {entries.length === 0 ? (
          <Nothing hasFilters={hasFilters} older={older} />
        ) : (
          <EntryTable listed={listed} />
        )}
        <Pager
          newest={filters.before === '' ? null : pageOf({ ...filters, before: '' })}
          older={entries.length === 0 ? null : older}
        >
          {texts.payments.keep}
        </Pager>
      </div>
    ),
  };
}

function Nothing({
  hasFilters,
  older,
}: {
  readonly hasFilters: boolean;
  readonly older: string | null;
}): VNode {
  const { texts, format } = useDashboard();
  const words = texts.setup.activity;
  if (older !== null) {
    const onward = { path: older, words: words.goOn };
    const text = words.notSoFar(format.count(AUDIT_SEARCHED_MAX));
    return <NoRows heading={words.noMatch} text={text} onward={onward} />;
  }
  return (
    <NoRows
      heading={hasFilters ? words.noMatch : words.empty}
      text={hasFilters ? words.noMatchText : words.emptyText}
    />
  );
}

function FilterForm({ filters: { kind } }: { readonly filters: Filters }): VNode {
  const { texts, view } = useDashboard();
  const words = texts.setup.activity;
  return (
    <form class="filters" method="get" action={`${view.path}/activity`} aria-label={words.filters}>
      <div>
        <label for="kind">{words.who}</label>
        <select id="kind" name="kind">
          <option value="">{words.any}</option>
          {actorKinds.map((one) => (
            <option value={one} selected={one === kind}>
              {words.kinds[one]}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="btn">
        {words.filter}
      </button>
    </form>
  );
}

function EntryTable({ listed: { entries, names } }: { readonly listed: Listed }): VNode {
  const { texts, format } = useDashboard();
  const words = texts.setup.activity;
  return (
    <Scroll label={texts.places.activity}>
      <table>
        <caption class="vh">{texts.places.activity}</caption>
        <thead>
          <tr>
            <th scope="col" class="only-l">
              {words.when}
            </th>
            <th scope="col">{words.who}</th>
            <th scope="col">{words.what}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr>
              <td class="only-l when">{format.exact(entry.atMs)}</td>
              <th scope="row">
                <Who entry={entry} name={names.get(entry.actor.id) ?? null} />
                <span class="sub only-s">{format.exact(entry.atMs)}</span>
              </th>
              <td>
                <What entry={entry} names={names} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Who({
  entry: { actor, address },
  name,
}: {
  readonly entry: AuditEntry;
  readonly name: string | null;
}): VNode {
  const { texts, view } = useDashboard();
  const words = texts.setup.activity;
  return (
    <>
      <a href={listPath(`${view.path}/activity`, { who: actor.id })}>
        {name === null ? words.kinds[actor.kind] : <Foreign text={name} />}
      </a>
      <span class="sub">
        {name === null ? <span class="code">{actor.id}</span> : words.kinds[actor.kind]}
      </span>
      {address === null ? null : <span class="sub">{words.from(address)}</span>}
    </>
  );
}

function What({
  entry: { action, objects, exported },
  names,
}: {
  readonly entry: AuditEntry;
  readonly names: ReadonlyMap<string, string>;
}): VNode {
  const { texts, format } = useDashboard();
  const words = texts.setup.activity;
  const ends = objects.filter(({ type }) => !means.includes(type));
  const shown = ends.length > 0 ? ends : objects;
  const more = shown.length - OBJECTS_SHOWN;
  return (
    <>
      {exported === null
        ? null
        : words.exported(exported.rows === null ? null : format.count(exported.rows))}
      {shown.slice(0, OBJECTS_SHOWN).map((object) => (
        <div>
          <Changed object={object} names={names} />
        </div>
      ))}
      {more > 0 ? <div class="quiet">{words.more(format.count(more))}</div> : null}
      <span class="sub code">
        <Breakable text={action} />
      </span>
    </>
  );
}

function Changed({
  object: { type, id, before, after },
  names,
}: {
  readonly object: AuditedObject;
  readonly names: ReadonlyMap<string, string>;
}): VNode {
  const { texts, view } = useDashboard();
  const words = texts.setup.activity;
  const isNew = id !== null && before === null && after !== null;
  const verb = after === null ? words.verbs.removed : words.verbs.changed;
  const href = id === null ? null : subjectPath(view.path, id);
  const name = id === null ? words.several : (names.get(id) ?? null);
  return (
    <>
      {words.objects[type]}: {isNew ? words.verbs.created : verb}
      {name === null ? null : (
        <>
          , <Foreign text={name} />
        </>
      )}
      {name === null && id !== null ? (
        <span class="sub code">
          {href === null ? <Breakable text={id} /> : <a href={href}>{id}</a>}
        </span>
      ) : null}
    </>
  );
}
