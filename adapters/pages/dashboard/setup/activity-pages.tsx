// The audit log of an organization in one mode: who changed what, newest first.

import type { VNode } from 'preact';
import {
  type AuditedObject,
  type AuditRecord,
  actorKinds,
  type ObjectType,
} from '../../../../core/domain/service/audit-record.js';
import { listKeys } from '../../../../core/usecases/access/keys.js';
import { readTeam } from '../../../../core/usecases/access/members.js';
import {
  AUDIT_SEARCHED_MAX,
  searchAuditRecords,
} from '../../../../core/usecases/service/audit-log.js';
import { Breakable, Foreign } from '../../kit/components.js';
import { PAGE_SIZE } from '../../kit/pages/declared-pages.js';
import { linked, listPath, select, sequenceCursor } from '../../kit/pages/list-page.js';
import { useDashboard } from '../dashboard-scene.js';
import { subjectPath } from '../developer/developer-parts.js';
import { tenantOfCall } from '../member-page.js';
import { memberPages } from '../member-pages.js';

/** Objects of an entry that its row shows. */
const OBJECTS_SHOWN = 4;
/** Shown where nothing else was changed: people read what they led to. */
const means: readonly ObjectType[] = ['partner_command', 'partner_message'];
/** The names of members and keys, by id. */
type Names = ReadonlyMap<string, string>;

export const activityPages = [
  memberPages.list({
    path: '/activity',
    access: { scope: 'audit:read', proof: 'session' },
    filters: { kind: select(actorKinds), who: linked(100) },
    cursor: sequenceCursor,
    async read({ deps }, call, { given: { kind, who }, before }) {
      const tenant = tenantOfCall(call);
      const asked = { kind, actorId: who, beforeSequence: before, limit: PAGE_SIZE };
      const [found, team, keys] = await Promise.all([
        searchAuditRecords(deps, tenant, asked),
        readTeam(deps, tenant.orgId),
        listKeys(deps, tenant.orgId),
      ]);
      const names: Names = new Map([
        ...team.map(({ id, email }) => [id, email] as const),
        ...keys.map(({ id, name }) => [id, name] as const),
      ]);
      return { rows: found.records, next: found.next, names };
    },
    show({ texts, format }, { names }) {
      const words = texts.setup.activity;
      return {
        title: texts.places.activity,
        lede: words.lede,
        place: 'activity',
        label: texts.places.activity,
        words,
        labels: { kind: words.who },
        choice: (kind) => (words.kinds as Readonly<Record<string, string>>)[kind] ?? kind,
        note: texts.payments.keep,
        onward: { text: words.notSoFar(format.count(AUDIT_SEARCHED_MAX)), words: words.goOn },
        columns: ({ column, named }) => [
          column(words.when, 'only-l when', ({ atMs }) => format.exact(atMs)),
          named(words.who, (entry) => (
            <>
              <Who entry={entry} name={names.get(entry.actor.id) ?? null} />
              <span class="sub only-s">{format.exact(entry.atMs)}</span>
            </>
          )),
          column(words.what, (entry) => <What entry={entry} names={names} />),
        ],
      };
    },
  }),
];

function Who({
  entry: { actor, address },
  name,
}: {
  readonly entry: AuditRecord;
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
  readonly entry: AuditRecord;
  readonly names: Names;
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
  readonly names: Names;
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
