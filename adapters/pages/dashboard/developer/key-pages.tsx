// The API keys of a mode: their list, a new one, which is shown once, and the end of one.
import type { VNode } from 'preact';
import { z } from 'zod';
import {
  grantedScopes,
  isActive,
  keyPrefix,
  type StoredKey,
} from '../../../../core/domain/access/api-key.js';
import {
  allows,
  type KeyScope,
  keyScopes,
  type Scope,
} from '../../../../core/domain/access/scope.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { isCode, PonteError } from '../../../../core/errors.js';
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
import { Button, ButtonLink, Copy, Foreign, Form, Note, Scroll } from '../../kit/components.js';
import {
  ChecksField,
  type FieldError,
  RadioField,
  SelectField,
  TextField,
} from '../../kit/fields.js';
import { FormKey, formKey, newFormKey, newIdOf } from '../../kit/form-key.js';
import {
  memberRow,
  type PageAnswer,
  type PageContext,
  seeOther,
  withNotice,
} from '../../kit/page-route.js';
import { nameOf } from '../../kit/plain-text.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf, withDone } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { Code, Secret } from './developer-parts.js';

/** After how many days a key may end. */
const lives = [7, 30, 90, 365] as const;
/** What the first server of an integrator needs. */
const usual: readonly Scope[] = ['payment_intents:write', 'payment_intents:read'];

const path = `${TENANT_ROOT}/keys`;
const write = { scope: 'api_keys:write' } as const;

/** What a key can have; no route takes the others of it. */
const givenOf = (scopes: readonly Scope[]) => keyScopes.filter((scope) => scopes.includes(scope));

/** How long a rolled key stays valid, in hours. */
const overlaps = [0, 1, OVERLAP_HOURS, OVERLAP_HOURS_MAX] as const;

const rollForm = z.object({ overlap: z.string().max(10).default(`${OVERLAP_HOURS}`) });

const keyForm = z.looseObject({
  key: formKey,
  name: z.string().max(1_000).default(''),
  life: z.string().max(10).default(''),
});

export const keyPages = [
  memberRow({
    method: 'GET',
    path,
    scope: anyRole,
    proof: 'session',
    form: 'none',
    handler: showList,
  }),
  memberRow({
    ...write,
    method: 'GET',
    path: `${path}/new`,
    proof: 'fresh_live',
    form: 'none',
    handler: async (context, call) =>
      showNew(
        context,
        call,
        { key: newFormKey(context.deps), name: '', scopes: usual, life: '' },
        null,
      ),
  }),
  memberRow({
    ...write,
    method: 'POST',
    path: `${path}/new`,
    proof: 'fresh_live',
    form: keyForm,
    handler: create,
  }),
  memberRow({
    ...write,
    method: 'GET',
    path: `${path}/{keyId}/roll`,
    proof: 'fresh_live',
    form: 'none',
    handler: showRoll,
  }),
  memberRow({
    ...write,
    method: 'POST',
    path: `${path}/{keyId}/roll`,
    proof: 'fresh_live',
    form: rollForm,
    handler: roll,
  }),
  memberRow({
    ...write,
    method: 'GET',
    path: `${path}/{keyId}/revoke`,
    proof: 'session',
    form: 'none',
    handler: showRevoke,
  }),
  memberRow({
    ...write,
    method: 'POST',
    path: `${path}/{keyId}/revoke`,
    proof: 'session',
    form: z.object({}),
    handler: revoke,
  }),
];

/** The keys of the other mode are left out. */
async function keysOf({ deps }: PageContext, call: MemberCall): Promise<readonly StoredKey[]> {
  const { orgId, mode } = tenantOfCall(call);
  return (await listKeys(deps, orgId)).filter((key) => key.mode === mode);
}

async function showList(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const keys = await keysOf(context, call);
  const nowMs = context.deps.clock.nowMs();
  const active = keys.filter((key) => isActive(key, nowMs));
  const ended = keys.filter((key) => !isActive(key, nowMs));
  const mayWrite = allows(actorOf(call).scopes, 'api_keys:write');
  return dashboardPage(viewOf(context, call), ({ texts, view }) => {
    const words = texts.keys;
    const add = mayWrite ? (
      <ButtonLink href={`${view.path}/keys/new`} look="primary" icon="plus">
        {words.add}
      </ButtonLink>
    ) : null;
    return {
      title: texts.places.keys,
      lede: words.lede[view.mode],
      place: 'keys',
      actions: active.length === 0 ? undefined : add,
      body: (
        <>
          {mayWrite ? null : <p class="quiet">{words.mayNot}</p>}
          {active.length === 0 ? (
            <div class="card empty">
              <h2>{words.empty}</h2>
              <p>{words.emptyText}</p>
              <p class="actions gap centred">{add}</p>
            </div>
          ) : (
            <ActiveTable keys={active} mayWrite={mayWrite} />
          )}
          {ended.length === 0 ? null : <EndedTable keys={ended} />}
        </>
      ),
    };
  });
}

function ActiveTable({
  keys,
  mayWrite,
}: {
  readonly keys: readonly StoredKey[];
  readonly mayWrite: boolean;
}): VNode {
  const { texts, view, format } = useDashboard();
  const words = texts.keys;
  const lastUseOf = ({ lastUsedAtMs }: StoredKey) =>
    lastUsedAtMs === null ? words.notUsed : format.short(lastUsedAtMs);
  return (
    <Scroll label={words.caption}>
      <table>
        <caption class="vh">{words.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col" class="wide">
              {words.may}
            </th>
            <th scope="col" class="only-l">
              {words.lastUsed}
            </th>
            <th scope="col" class="only-l">
              {words.expires}
            </th>
            {mayWrite ? (
              <th scope="col">
                <span class="vh">{words.action}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr>
              <th scope="row">
                <Foreign text={key.name} />
                <span class="sub code only-l">{keyPrefix(key.mode, key.id)}</span>
                <span class="sub only-s">
                  {words.lastUsed}: {lastUseOf(key)}
                </span>
              </th>
              <td class="wide">
                <span class="code">{mayText(words, key)}</span>
                {key.networks.length === 0 ? null : (
                  <span class="sub">{words.onlyFrom(key.networks.join(', '))}</span>
                )}
              </td>
              <td class="only-l when">{lastUseOf(key)}</td>
              <td class="only-l when">
                {key.expiresAtMs === null ? words.never : format.short(key.expiresAtMs)}
              </td>
              {mayWrite ? (
                <td>
                  <div class="actions end">
                    {key.rolledAtMs === null ? (
                      <ButtonLink href={`${view.path}/keys/${key.id}/roll`} look="sm">
                        {words.roll}
                        <span class="vh"> {nameOf(key.name)}</span>
                      </ButtonLink>
                    ) : null}
                    <ButtonLink href={`${view.path}/keys/${key.id}/revoke`} look="sm danger">
                      {words.revoke}
                      <span class="vh"> {nameOf(key.name)}</span>
                    </ButtonLink>
                  </div>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function mayText(words: DashboardScene['texts']['keys'], key: StoredKey): string {
  const granted = grantedScopes(key);
  return granted.length === 0 ? words.everything : granted.join(', ');
}

function EndedTable({ keys }: { readonly keys: readonly StoredKey[] }): VNode {
  const { texts, format } = useDashboard();
  const words = texts.keys;
  return (
    <details>
      <summary>{words.ended}</summary>
      <Scroll label={words.ended}>
        <table>
          <caption class="vh">{words.ended}</caption>
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              <th scope="col">{words.expires}</th>
            </tr>
          </thead>
          <tbody>
            {keys.map(({ id, mode, name, revokedAtMs, expiresAtMs }) => (
              <tr>
                <th scope="row">
                  <Foreign text={name} />
                  <span class="sub code only-l">{keyPrefix(mode, id)}</span>
                </th>
                <td class="quiet">
                  {revokedAtMs === null
                    ? words.expired(format.short(expiresAtMs ?? 0))
                    : words.revoked(format.short(revokedAtMs))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}

interface TypedKey {
  readonly key: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** In days; empty: without an end. */
  readonly life: string;
}

type KeyRefusal = 'name' | 'scopes' | 'full';

function showNew(
  context: PageContext,
  call: MemberCall,
  typed: TypedKey,
  refusal: KeyRefusal | null,
): PageAnswer {
  const held = givenOf(actorOf(call).scopes);
  const show = (scene: DashboardScene): DashboardContent => {
    const { texts, view } = scene;
    const errors = errorsOf(scene, held, refusal);
    return {
      title: texts.keys.newHeading[view.mode],
      lede: texts.keys.lede[view.mode],
      place: 'keys',
      crumbs: <a href={`${view.path}/keys`}>{texts.places.keys}</a>,
      errors,
      body: <KeyForm typed={typed} held={held} errors={errors} />,
    };
  };
  return dashboardPage(viewOf(context, call), show, refusal === null ? 200 : 422);
}

function errorsOf(
  { texts }: DashboardScene,
  held: readonly Scope[],
  refusal: KeyRefusal | null,
): readonly FieldError[] {
  if (refusal === null) return [];
  const words = texts.keys;
  if (refusal === 'scopes') return [{ field: held[0] ?? '', text: words.noScope }];
  return [{ field: 'name', text: refusal === 'name' ? words.noName : words.full }];
}

function KeyForm({
  typed,
  held,
  errors,
}: {
  readonly typed: TypedKey;
  readonly held: readonly KeyScope[];
  readonly errors: readonly FieldError[];
}): VNode {
  const { texts } = useDashboard();
  const words = texts.keys;
  const errorAt = (field: string) => errors.find((error) => error.field === field)?.text;
  const [first = ''] = held;
  return (
    <Form to="keys/new" class="card">
      <FormKey value={typed.key} />
      <TextField
        name="name"
        label={words.name}
        hint={words.nameHint}
        value={typed.name}
        error={errorAt('name')}
        maxLength={NAME_LENGTH_MAX}
        width="medium"
      />
      <ChecksField
        name={first}
        label={words.scopes}
        hint={words.scopesHint}
        error={errorAt(first)}
        choices={held.map((scope) => ({
          value: scope,
          label: <span class="code">{scope}</span>,
          hint: words.scopeNames[scope],
        }))}
        chosen={typed.scopes}
      />
      <SelectField
        name="life"
        label={words.expiry}
        empty={words.doesNotExpire}
        choices={lives.map((days) => ({ value: `${days}`, label: words.days(days) }))}
        value={typed.life}
        width="medium"
      />
      <div class="actions gap-l">
        <Button look="primary">{words.create}</Button>
      </div>
    </Form>
  );
}

async function create(
  context: PageContext,
  call: MemberCall<z.infer<typeof keyForm>>,
): Promise<PageAnswer> {
  const { deps } = context;
  const { orgId, mode, scopes, memberId } = actorOf(call);
  const nowMs = deps.clock.nowMs();
  const { key, name, life } = call.form;
  const typed = { key, name, life, scopes: givenOf(scopes).filter((scope) => scope in call.form) };
  const days = lives.find((known) => `${known}` === life);
  // Without a scope it would be unrestricted.
  if (typed.scopes.length === 0) return showNew(context, call, typed, 'scopes');
  const active = (await keysOf(context, call)).filter((key) => isActive(key, nowMs));
  if (active.length >= KEYS_MAX) return showNew(context, call, typed, 'full');
  let issued: IssuedKey;
  try {
    const input = {
      orgId,
      mode,
      createdBy: memberId,
      name,
      scopes: typed.scopes,
      expiresAtMs: days === undefined ? null : nowMs + days * DAY_MS,
      networks: [],
    };
    issued = await createKey(deps, input, newIdOf(deps, 'key', { orgId, mode }, key));
  } catch (error) {
    if (isCode(error, 'IdempotencyKeyConflict')) {
      return seeOther(withNotice(`${viewOf(context, call).path}/keys`, 'out_of_date'));
    }
    if (isCode(error, 'ValidationError')) return showNew(context, call, typed, 'name');
    throw error;
  }
  const { baseUrl } = deps.settings;
  return dashboardPage(viewOf(context, call), (scene) =>
    madeScreen(scene, issued, { baseUrl, formerEndsAtMs: null }),
  );
}

/** The only page that has the secret. A reload sends the form again, which makes no other key. */
function madeScreen(
  { texts, view, format }: DashboardScene,
  { key, secret }: IssuedKey,
  {
    baseUrl,
    formerEndsAtMs,
  }: {
    readonly baseUrl: string;
    /** The end of the key whose place it takes; null without one. */
    readonly formerEndsAtMs: number | null;
  },
): DashboardContent {
  const words = texts.keys;
  const command = triedWith(key, baseUrl);
  return {
    title: words.madeHeading(nameOf(key.name)),
    place: 'keys',
    crumbs: <a href={`${view.path}/keys`}>{texts.places.keys}</a>,
    body: (
      <section class="card stack">
        <p>
          <b>{words.secretNow}</b>
        </p>
        <Secret text={secret} label={words.copyKey} />
        {formerEndsAtMs === null ? null : (
          <Note look="warn">
            <p>
              {formerEndsAtMs <= view.nowMs
                ? words.formerEnded
                : words.formerEnds(format.instant(formerEndsAtMs))}
            </p>
          </Note>
        )}
        <div class="line ends">
          <h2>{words.tryIt}</h2>
          <Copy value={command} label={words.copyLine} />
        </div>
        <Code text={command} label={words.tryIt} />
        <div class="actions">
          <ButtonLink href={`${view.path}/keys`}>{words.stored}</ButtonLink>
        </div>
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

/** NotFound for a key of the other mode, or one that ended. */
async function activeKey(context: PageContext, call: MemberCall): Promise<StoredKey> {
  const nowMs = context.deps.clock.nowMs();
  const key = (await keysOf(context, call)).find(({ id }) => id === call.params['keyId']);
  if (key === undefined || !isActive(key, nowMs)) throw new PonteError('NotFound');
  return key;
}

async function showRoll(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const key = await unrolledKey(context, call);
  return dashboardPage(viewOf(context, call), ({ texts, view }) => {
    const words = texts.keys;
    return {
      title: words.rollHeading(nameOf(key.name)),
      lede: words.rollText,
      place: 'keys',
      crumbs: <Way keyOf={key} />,
      body: (
        <Form to={`keys/${key.id}/roll`} class="card stack">
          <RadioField
            name="overlap"
            label={words.overlap}
            choices={overlaps.map((hours) => ({ value: `${hours}`, label: words.hours(hours) }))}
            value={`${OVERLAP_HOURS}`}
          />
          <div class="actions">
            <Button look="primary">{words.rollNow}</Button>
            <a href={`${view.path}/keys`}>{words.keep}</a>
          </div>
        </Form>
      ),
    };
  });
}

/** NotFound for a key that was rolled before, also by this form. */
async function unrolledKey(context: PageContext, call: MemberCall): Promise<StoredKey> {
  const key = await activeKey(context, call);
  if (key.rolledAtMs !== null) throw new PonteError('NotFound');
  return key;
}

async function roll(
  context: PageContext,
  call: MemberCall<z.infer<typeof rollForm>>,
): Promise<PageAnswer> {
  const { deps } = context;
  const { id, orgId } = await unrolledKey(context, call);
  const overlapHours = overlaps.find((hours) => `${hours}` === call.form.overlap);
  if (overlapHours === undefined) throw new PonteError('ValidationError');
  const by = { createdBy: actorOf(call).memberId, overlapHours };
  const { endsAtMs: formerEndsAtMs, ...issued } = await rollKey(deps, orgId, id, by);
  const { baseUrl } = deps.settings;
  return dashboardPage(viewOf(context, call), (scene) =>
    madeScreen(scene, issued, { baseUrl, formerEndsAtMs }),
  );
}

/** The way to a page of a key. */
function Way({ keyOf: { mode, id } }: { readonly keyOf: StoredKey }): VNode {
  const { texts, view } = useDashboard();
  return (
    <>
      <a href={`${view.path}/keys`}>{texts.places.keys}</a> /{' '}
      <span class="code">{keyPrefix(mode, id)}</span>
    </>
  );
}

async function showRevoke(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const key = await activeKey(context, call);
  return dashboardPage(viewOf(context, call), (scene) => {
    const { texts, view } = scene;
    const words = texts.keys;
    return {
      title: words.revokeHeading(nameOf(key.name)),
      place: 'keys',
      crumbs: <Way keyOf={key} />,
      body: (
        <section class="card stack">
          <Note look="warn">
            <p>
              <b>{lastUseText(scene, key)}</b> {words.revokeText}
            </p>
          </Note>
          <Form to={`keys/${key.id}/revoke`} class="actions">
            <Button look="danger">{words.revokeNow}</Button>
            <a href={`${view.path}/keys`}>{words.keep}</a>
          </Form>
        </section>
      ),
    };
  });
}

/** In minutes where somebody uses it now, to whom the end comes at once. */
function lastUseText({ texts, view, format }: DashboardScene, { lastUsedAtMs }: StoredKey): string {
  const words = texts.keys;
  if (lastUsedAtMs === null) return words.neverUsed;
  const sinceMs = view.nowMs - lastUsedAtMs;
  if (sinceMs < HOUR_MS) return words.usedMinutesAgo(Math.max(1, Math.floor(sinceMs / MINUTE_MS)));
  return words.usedAt(format.instant(lastUsedAtMs));
}

async function revoke(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { id, orgId } = await activeKey(context, call);
  await revokeKey(context.deps, orgId, id);
  return seeOther(withDone(`${viewOf(context, call).path}/keys`, 'key_revoked'));
}
