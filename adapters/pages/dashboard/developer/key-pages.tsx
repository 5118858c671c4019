// The API keys of a mode: their list, a new one, which is shown once, and the end of one.
import {
  grantedScopes,
  isActiveKey,
  keyPrefix,
  type StoredKey,
} from '../../../../core/domain/access/api-key.js';
import { allows, keyScopes } from '../../../../core/domain/access/scope.js';
import { deadline } from '../../../../core/domain/base/deadline.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { PonteError } from '../../../../core/errors.js';
import {
  createKey,
  type IssuedKey,
  KEYS_MAX,
  listKeys,
  NAME_LENGTH_MAX,
  OVERLAP_HOURS,
  OVERLAP_HOURS_MAX,
  revokeKey,
  rollKey,
} from '../../../../core/usecases/access/keys.js';
import { ButtonLink, Code, Copy, Foreign, Note, Secret } from '../../kit/components.js';
import type { PageContext } from '../../kit/page-route.js';
import { newIdOf } from '../../kit/pages/form-key.js';
import { checks, radio, select, text } from '../../kit/pages/form-page.js';
import { Empty, FoldedTable, type RowColumns, Table } from '../../kit/pages/table.js';
import { nameOf } from '../../kit/plain-text.js';
import { type DashboardContent, ToPlace } from '../dashboard-layout.js';
import type { DashboardScene } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';

/** After how many days a key may end. */
const lives = [7, 30, 90, 365] as const;
/** How long a rolled key stays valid, in hours. */
const overlaps = [0, 1, OVERLAP_HOURS, OVERLAP_HOURS_MAX] as const;
/** What the first server of an integrator needs. */
const usual = { 'payment_intents:write': 'yes', 'payment_intents:read': 'yes' };
const scope = 'api_keys:write';
const back = () => '/keys';

export const keyPages = [
  memberPages.view({
    path: '/keys',
    access: { scope: anyRole, proof: 'session' },
    async load(context, call) {
      const keys = await keysOf(context, call);
      const nowMs = context.deps.clock.nowMs();
      const mayWrite = allows(actorOf(call).scopes, 'api_keys:write');
      const isOpen = (key: StoredKey) => isActiveKey(key, nowMs);
      return { mayWrite, ...Object.groupBy(keys, (key) => (isOpen(key) ? 'active' : 'ended')) };
    },
    show(scene, { mayWrite, active = [], ended = [] }) {
      const { texts, view } = scene;
      const words = texts.keys;
      const add = mayWrite ? (
        <ButtonLink to="keys/new" look="primary" icon="plus" text={words.add} />
      ) : null;
      return {
        title: texts.places.keys,
        lede: words.lede[view.mode],
        place: 'keys',
        actions: active.length === 0 ? undefined : add,
        body: [
          mayWrite ? null : <p class="quiet">{words.mayNot}</p>,
          active.length === 0 ? (
            <Empty heading={words.empty} text={words.emptyText} action={add} />
          ) : (
            <Table label={words.caption} rows={active} columns={columnsOf(scene, mayWrite)} />
          ),
          <FoldedTable label={words.ended} rows={ended} columns={endedColumns(scene)} />,
        ],
      };
    },
  }),
  ...memberPages.form({
    path: '/keys/new',
    access: { scope, proof: 'create_key' },
    back,
    isOnce: true,
    load: async (_, call) => keyScopes.filter((scope) => actorOf(call).scopes.includes(scope)),
    typed: () => usual,
    fields: ({ texts: { keys: words, common } }, held) => ({
      name: text({
        label: common.name,
        hint: words.nameHint,
        max: NAME_LENGTH_MAX,
        width: 'medium',
        problem: words.noName,
      }),
      // Without a scope it would be unrestricted.
      scopes: checks({
        label: words.scopes,
        hint: words.scopesHint,
        problem: words.noScope,
        choices: held.map((value) => ({
          value,
          label: <span class="code">{value}</span>,
          hint: words.scopeNames[value],
        })),
      }),
      life: select({
        label: words.expiry,
        empty: words.doesNotExpire,
        choices: lives.map((days) => ({ value: `${days}`, label: words.days(days) })),
      }),
    }),
    show: ({ texts, view }) => ({
      title: texts.keys.newHeading[view.mode],
      lede: texts.keys.lede[view.mode],
      place: 'keys',
      crumbs: [<ToPlace of="keys" />],
      submit: texts.keys.create,
    }),
    async save(context, call, { scene, values: { name, scopes, life }, key: formKey }) {
      const { deps } = context;
      const { orgId, mode, memberId: createdBy } = actorOf(call);
      const nowMs = deps.clock.nowMs();
      const active = (await keysOf(context, call)).filter((key) => isActiveKey(key, nowMs));
      const { full } = scene.texts.keys;
      if (active.length >= KEYS_MAX) return { problem: { field: 'name', text: full } };
      const expiresAtMs = life === '' ? null : nowMs + Number(life) * DAY_MS;
      const input = { orgId, mode, createdBy, name, scopes, expiresAtMs, networks: [] };
      const issued = await createKey(deps, input, newIdOf(deps, 'key', { orgId, mode }, formKey));
      return { show: (shown) => madeScreen(shown, context, issued, null) };
    },
  }),
  ...memberPages.form({
    path: '/keys/{keyId}/roll',
    access: { scope, proof: 'roll_key' },
    back,
    load: unrolledKey,
    typed: () => ({ overlap: `${OVERLAP_HOURS}` }),
    fields: ({ texts: { keys: words } }) => ({
      overlap: radio({
        label: words.overlap,
        choices: overlaps.map((hours) => ({ value: `${hours}`, label: words.hours(hours) })),
      }),
    }),
    show: ({ texts: { keys: words, common } }, key) => ({
      title: words.rollHeading(nameOf(key.name)),
      lede: words.rollText,
      place: 'keys',
      crumbs: crumbsOf(key),
      submit: words.rollNow,
      keep: common.keep,
    }),
    async save(context, call, { subject: { id, orgId }, values: { overlap } }) {
      const by = { createdBy: actorOf(call).memberId, overlapHours: Number(overlap) };
      const { endsAtMs, ...issued } = await rollKey(context.deps, orgId, id, by);
      return { show: (scene) => madeScreen(scene, context, issued, endsAtMs) };
    },
  }),
  ...memberPages.form({
    path: '/keys/{keyId}/revoke',
    access: { scope, proof: 'session' },
    back,
    load: activeKey,
    fields: () => ({}),
    show: (scene, key) => ({
      title: scene.texts.keys.revokeHeading(nameOf(key.name)),
      place: 'keys',
      crumbs: crumbsOf(key),
      submit: scene.texts.keys.revokeNow,
      keep: scene.texts.common.keep,
      warning: (
        <>
          <b>{lastUseText(scene, key)}</b> {scene.texts.keys.revokeText}
        </>
      ),
    }),
    async save({ deps }, _, { subject: { id, orgId } }) {
      await revokeKey(deps, orgId, id);
      return { to: '/keys', done: 'key_revoked' };
    },
  }),
];

/** The keys of the other mode are left out. */
async function keysOf({ deps }: PageContext, call: MemberCall): Promise<readonly StoredKey[]> {
  const { orgId, mode } = tenantOfCall(call);
  return (await listKeys(deps, orgId)).filter((key) => key.mode === mode);
}

/** NotFound for a key of the other mode, or one that ended. */
async function activeKey(context: PageContext, call: MemberCall): Promise<StoredKey> {
  const nowMs = context.deps.clock.nowMs();
  const key = (await keysOf(context, call)).find(({ id }) => id === call.params['keyId']);
  if (key === undefined || !isActiveKey(key, nowMs)) throw new PonteError('NotFound');
  return key;
}

/** NotFound for a key that was rolled before, also by this form. */
async function unrolledKey(context: PageContext, call: MemberCall): Promise<StoredKey> {
  const key = await activeKey(context, call);
  if (key.rolledAtMs !== null) throw new PonteError('NotFound');
  return key;
}

/** The pages above one of a key. */
const crumbsOf = ({ mode, id }: StoredKey) => [
  <ToPlace of="keys" />,
  <span class="code">{keyPrefix(mode, id)}</span>,
];

type KeyColumns = RowColumns<StoredKey>;

function columnsOf({ texts, format }: DashboardScene, mayWrite: boolean): KeyColumns {
  const words = texts.keys;
  const lastUseOf = ({ lastUsedAtMs }: StoredKey) =>
    lastUsedAtMs === null ? words.notUsed : format.short(lastUsedAtMs);
  return ({ column, named }) => [
    named(texts.common.name, (key) => [
      <Named keyOf={key} />,
      <span class="sub only-s">
        {texts.common.lastUsed}: {lastUseOf(key)}
      </span>,
    ]),
    column(words.may, 'wide', ({ networks, ...key }) => [
      <span class="code">{grantedScopes(key).join(', ') || words.everything}</span>,
      networks.length === 0 ? null : <span class="sub">{words.onlyFrom(networks.join(', '))}</span>,
    ]),
    column(texts.common.lastUsed, 'only-l when', lastUseOf),
    column(words.expires, 'only-l when', ({ expiresAtMs }) =>
      expiresAtMs === null ? words.never : format.short(expiresAtMs),
    ),
    mayWrite
      ? column(<span class="vh">{texts.common.action}</span>, ({ id, name, rolledAtMs }) => (
          <div class="actions end">
            {rolledAtMs === null ? (
              <ButtonLink to={`keys/${id}/roll`} look="sm">
                {words.roll}
                <span class="vh"> {nameOf(name)}</span>
              </ButtonLink>
            ) : null}
            <ButtonLink to={`keys/${id}/revoke`} look="sm danger">
              {words.revoke}
              <span class="vh"> {nameOf(name)}</span>
            </ButtonLink>
          </div>
        ))
      : null,
  ];
}

function endedColumns({ texts: { keys: words, common }, format }: DashboardScene): KeyColumns {
  return ({ column, named }) => [
    named(common.name, (key) => <Named keyOf={key} />),
    column(words.expires, 'quiet', ({ revokedAtMs, expiresAtMs }) =>
      revokedAtMs === null
        ? words.expired(format.short(expiresAtMs ?? 0))
        : words.revoked(format.short(revokedAtMs)),
    ),
  ];
}

function Named({ keyOf: { name, mode, id } }: { readonly keyOf: StoredKey }) {
  return [<Foreign text={name} />, <span class="sub code only-l">{keyPrefix(mode, id)}</span>];
}

/**
 * The only page that has the secret. A reload sends the form again, which makes no other key.
 * `formerEndsAtMs`: the end of the key whose place it takes; null without one.
 */
function madeScreen(
  { texts, view, format }: DashboardScene,
  { deps }: PageContext,
  { key, secret }: IssuedKey,
  formerEndsAtMs: number | null,
): DashboardContent {
  const words = texts.keys;
  const command = triedWith(key, deps.settings.baseUrl);
  return {
    title: words.madeHeading(nameOf(key.name)),
    place: 'keys',
    crumbs: [<ToPlace of="keys" />],
    body: (
      <section class="card stack">
        <p>
          <b>{words.secretNow}</b>
        </p>
        <Secret text={secret} label={words.copyKey} />
        {formerEndsAtMs === null ? null : (
          <Note
            look="warn"
            text={deadline(
              formerEndsAtMs,
              view.nowMs,
              format.instant(formerEndsAtMs),
            )(words.formerEnds)}
          />
        )}
        <div class="line ends">
          <h2>{words.tryIt}</h2>
          <Copy value={command} label={words.copyLine} />
        </div>
        <Code text={command} label={words.tryIt} />
        <ButtonLink row to="keys">
          {words.stored}
        </ButtonLink>
      </section>
    ),
  };
}

/** Without the secret, which a shell would keep in its history. */
function triedWith({ mode, scopes }: StoredKey, baseUrl: string): string {
  const read = `curl -s ${baseUrl}/v1/me -H "X-API-Key: $KEY"`;
  if (mode === 'live' || !allows(scopes, 'payment_intents:write')) return read;
  return [
    `curl -s ${baseUrl}/v1/payment-intents \\`,
    '  -H "X-API-Key: $KEY" -H "Content-Type: application/json" \\',
    '  -H "Idempotency-Key: order-7" \\',
    `  -d '{"externalId":"order-7","amount":"250.00","buyer":{"email":"ana@buyer.example"}}'`,
  ].join('\n');
}

/** In minutes where somebody uses it now, to whom the end comes at once. */
function lastUseText({ texts, view, format }: DashboardScene, { lastUsedAtMs }: StoredKey): string {
  const words = texts.keys;
  if (lastUsedAtMs === null) return words.neverUsed;
  const sinceMs = view.nowMs - lastUsedAtMs;
  if (sinceMs < HOUR_MS) return words.usedMinutesAgo(Math.max(1, Math.floor(sinceMs / MINUTE_MS)));
  return words.usedAt(format.instant(lastUsedAtMs));
}
