// The audit log of an organization in one mode: who changed what, newest first.
import type { MemberRole } from '../../../../core/domain/access/member.js';
import { actorKinds } from '../../../../core/domain/base/actor.js';
import type {
  AuditedObject,
  AuditRecord,
  ObjectType,
} from '../../../../core/domain/service/audit-record.js';
import { readTeam } from '../../../../core/usecases/access/members.js';
import {
  AUDIT_SEARCHED_MAX,
  searchAuditRecords,
} from '../../../../core/usecases/service/audit-log.js';
import { readAuditNames } from '../../../../core/usecases/service/audit-names.js';
import { Foreign } from '../../kit/components.js';
import { PAGE_SIZE } from '../../kit/pages/declared-pages.js';
import { linked, listPath, select, sequenceCursor } from '../../kit/pages/list-page.js';
import { useDashboard } from '../dashboard-scene.js';
import { subjectPath } from '../developer/developer-parts.js';
import { memberPages, tenantOfCall } from '../member-pages.js';

/** Objects of an entry that its row shows. */
const OBJECTS_SHOWN = 4;
/** Shown where nothing else was changed: people read what they led to. */
const means: readonly ObjectType[] = ['partner_command', 'partner_message', 'person'];
interface Names {
  /** By id. */
  readonly of: ReadonlyMap<string, string>;
  /** What members are now, by id. */
  readonly roles: ReadonlyMap<string, MemberRole>;
}

export const activityPages = [
  memberPages.list({
    path: '/activity',
    access: { scope: 'audit:read', proof: 'session' },
    filters: { kind: select(['all', ...actorKinds]), who: linked(100) },
    cursor: sequenceCursor,
    async read({ deps }, call, { given: { kind, who }, before }) {
      const tenant = tenantOfCall(call);
      const asked = { kind, actorId: who, beforeSequence: before, limit: PAGE_SIZE };
      const [found, team] = await Promise.all([
        searchAuditRecords(deps, tenant, asked),
        readTeam(deps, tenant.orgId),
      ]);
      const names: Names = {
        of: await readAuditNames(deps, found.records),
        roles: new Map(team.map(({ id, role }) => [id, role])),
      };
      return { rows: found.records, next: found.next, names };
    },
    show({ texts, format }, { names }) {
      const words = texts.setup.activity;
      return {
        title: texts.places.activity,
        lede: words.lede,
        place: 'activity',
        label: texts.places.activity,
        start: null,
        words,
        labels: { kind: words.who },
        choice: (kind) =>
          kind === 'all'
            ? words.all
            : ((words.kinds as Readonly<Record<string, string>>)[kind] ?? kind),
        note: texts.payments.keep,
        onward: { text: words.notSoFar(format.count(AUDIT_SEARCHED_MAX)), words: words.goOn },
        columns: ({ column, named }) => [
          column(words.when, 'only-l when', ({ atMs }) => format.exact(atMs)),
          named(words.what, (entry) => [
            <What entry={entry} names={names} />,
            <span class="sub only-s">{format.exact(entry.atMs)}</span>,
          ]),
        ],
      };
    },
  }),
];

/** Who did what, in a sentence; below it what else the entry names. */
function What({ entry, names }: { readonly entry: AuditRecord; readonly names: Names }) {
  const { texts, format } = useDashboard();
  const words = texts.setup.activity;
  const role = names.roles.get(entry.actor.id);
  const { actor, address, action, objects, exported } = entry;
  const ends = objects.filter(({ type }) => !means.includes(type));
  const shown = ends.length > 0 ? ends : objects;
  const more = shown.length - OBJECTS_SHOWN;
  return [
    exported === null ? null : (
      <p>
        <Who entry={entry} names={names} />{' '}
        {words.exported(exported.rows === null ? null : format.count(exported.rows))}
      </p>
    ),
    shown.slice(0, OBJECTS_SHOWN).map((object, at) => (
      <p>
        {at === 0 ? (
          <>
            <Who entry={entry} names={names} />{' '}
          </>
        ) : null}
        <Changed object={object} names={names} isOwn={object.id === actor.id} />
      </p>
    )),
    more > 0 ? <p class="quiet">{words.more(format.count(more))}</p> : null,
    <span class="sub">
      {[
        words.kinds[actor.kind],
        role && texts.roles[role],
        address === null ? null : words.from(address),
      ]
        .filter((part) => part != null)
        .join(', ')}
      {isPath(action) ? null : (
        <>
          , <span class="code">{action}</span>
        </>
      )}
    </span>,
  ];
}

/** The route of a page says less than the sentence. */
const isPath = (action: string): boolean => action.startsWith('/');

function Who({ entry, names }: { readonly entry: AuditRecord; readonly names: Names }) {
  const { texts, view } = useDashboard();
  const { actor, objects } = entry;
  // A sign-in is made with a link; the session says by whom.
  const session = objects.find(({ type }) => type === 'session')?.id ?? '';
  const isNamed = actor.kind === 'link' || actor.kind === 'person';
  const name = names.of.get(actor.id) ?? (isNamed ? names.of.get(session) : undefined);
  return (
    <a href={listPath(`${view.path}/activity`, { who: actor.id })}>
      {name === undefined ? texts.setup.activity.kinds[actor.kind] : <Foreign text={name} />}
    </a>
  );
}

function Changed({
  object: { type, id, before, after },
  names,
  isOwn,
}: {
  readonly object: AuditedObject;
  readonly names: Names;
  /** The actor is what was changed. */
  readonly isOwn: boolean;
}) {
  const { texts, view } = useDashboard();
  const words = texts.setup.activity;
  const isNew = id !== null && before === null && after !== null;
  const verb = isNew ? 'created' : after === null ? 'removed' : 'changed';
  const sentences: Readonly<Partial<Record<ObjectType, Readonly<Record<string, Sentence>>>>> =
    words.sentences;
  const own = isOwn && verb === 'changed' ? sentences[type]?.['ownChanged'] : undefined;
  const sentence = own ?? sentences[type]?.[verb] ?? words.other[verb](words.objects[type]);
  const href = id === null ? null : subjectPath(view.path, id);
  const name = id === null ? words.several : (names.of.get(id) ?? null);
  const role = names.roles.get(id ?? '');
  const [start, end = null] = sentence.split('{name}');
  const named = (
    <>
      {name === null ? <span class="code">{id}</span> : <Foreign text={name} />}
      {role === undefined ? null : ` (${words.now(texts.roles[role])})`}
    </>
  );
  return [start, end === null ? null : href === null ? named : <a href={href}>{named}</a>, end];
}

/** With the place of the name. */
type Sentence = string;
