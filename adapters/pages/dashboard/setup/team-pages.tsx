// The team: who can sign in, with which role; invitations, other roles and removals; the sessions
// of the reader.
import type { VNode } from 'preact';
import { z } from 'zod';
import {
  isActiveMember,
  type Member,
  type MemberRole,
  mayGive,
  memberRoles,
} from '../../../../core/domain/access/member.js';
import { allows } from '../../../../core/domain/access/scope.js';
import { missingProof } from '../../../../core/domain/access/session-proof.js';
import { emailKey, readEmail } from '../../../../core/domain/base/email-address.js';
import { isCode, PonteError } from '../../../../core/errors.js';
import {
  inviteMember,
  mailInvitation,
} from '../../../../core/usecases/access/member-invitations.js';
import { readTeam, removeMember, setMember } from '../../../../core/usecases/access/members.js';
import { Button, ButtonLink, Foreign, Form, Scroll } from '../../kit/components.js';
import { RadioField, SelectField, TextField } from '../../kit/fields.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../../kit/page-route.js';
import { withDone } from '../../kit/pages/declared-pages.js';
import { plainText } from '../../kit/plain-text.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, TENANT_ROOT } from '../member-page.js';
import { type OwnSession, ownSessions, SessionTable } from '../session-table.js';

const TEAM = `${TENANT_ROOT}/team`;
const changes = { scope: 'team:write', proof: 'fresh' } as const;
const inviteForm = z.object({
  email: z.string().max(400).default(''),
  role: z.string().max(20).default(''),
});
const roleForm = z.object({ role: z.string().max(20).default('') });
const removeForm = z.object({ keeper: z.string().max(400).default('') });
type Invite = z.infer<typeof inviteForm>;

export const teamPages = [
  memberRow({
    method: 'GET',
    path: TEAM,
    scope: anyRole,
    proof: 'session',
    form: 'none',
    handler: (context, call) => showTeam(context, call, null),
  }),
  memberRow({
    ...changes,
    method: 'GET',
    path: `${TEAM}/invite`,
    form: 'none',
    handler: (context, call) => showTeam(context, call, null),
  }),
  memberRow({
    ...changes,
    method: 'POST',
    path: `${TEAM}/invite`,
    form: inviteForm,
    handler: invite,
  }),
  memberRow({
    ...changes,
    method: 'GET',
    path: `${TEAM}/{memberId}`,
    form: 'none',
    handler: showMember,
  }),
  memberRow({
    ...changes,
    method: 'POST',
    path: `${TEAM}/{memberId}`,
    form: roleForm,
    handler: changeRole,
  }),
  memberRow({
    ...changes,
    method: 'POST',
    path: `${TEAM}/{memberId}/invite`,
    form: z.object({}),
    handler: inviteAgain,
  }),
  memberRow({
    ...changes,
    method: 'POST',
    path: `${TEAM}/{memberId}/remove`,
    form: removeForm,
    handler: remove,
  }),
];

type InviteError = 'notAnAddress' | 'chooseRole' | 'isMember' | 'tooSoon';

/** An invitation that was not sent. */
interface Refused {
  readonly typed: Invite;
  readonly error: InviteError;
}

interface Team {
  readonly members: readonly Member[];
  readonly own: Member;
  readonly mayChange: boolean;
  /** The mailbox was proven just now: the form is on the page. */
  readonly isFresh: boolean;
  readonly sessions: readonly OwnSession[];
  readonly refused: Refused | null;
}

async function showTeam(
  context: PageContext,
  call: MemberCall,
  refused: Refused | null,
): Promise<PageAnswer> {
  const { deps } = context;
  const { orgId, scopes, member, session } = actorOf(call);
  const [members, sessions] = await Promise.all([
    readTeam(deps, orgId),
    ownSessions(deps, call.visit.signedIn),
  ]);
  const team: Team = {
    members,
    own: member,
    mayChange: allows(scopes, 'team:write'),
    isFresh:
      missingProof(session, { ...actorOf(call), rule: 'fresh' }, deps.clock.nowMs()) === null,
    sessions,
    refused,
  };
  const status = refused === null ? 200 : 422;
  return dashboardPage(viewOf(context, call), (scene) => teamScreen(scene, team), status);
}

function teamPath(context: PageContext, call: MemberCall): string {
  return `${viewOf(context, call).path}/team`;
}

async function invite(context: PageContext, call: MemberCall<Invite>): Promise<PageAnswer> {
  const { deps } = context;
  const { orgId, memberId } = actorOf(call);
  const typed = call.form;
  const refuse = (error: InviteError) => showTeam(context, call, { typed, error });
  const email = readEmail(typed.email);
  const role = roleNamed(typed.role);
  if (email === null) return refuse('notAnAddress');
  if (role === null) return refuse('chooseRole');
  const team = await readTeam(deps, orgId);
  if (team.some((member) => member.emailKey === emailKey(email))) return refuse('isMember');
  const author = { memberId, keptBy: null };
  const { locale } = viewOf(context, call);
  try {
    await inviteMember(deps, { orgId, email, role, memberId: null }, author, locale);
  } catch (error) {
    if (isCode(error, 'NotFound')) return refuse('isMember');
    if (isCode(error, 'RateLimitExceeded')) return refuse('tooSoon');
    throw error;
  }
  return seeOther(withDone(teamPath(context, call), 'member_invited'));
}

function roleNamed(text: string): MemberRole | null {
  return memberRoles.find((role) => role === text) ?? null;
}

/** The member in the path. NotFound. */
async function memberIn({ deps }: PageContext, call: MemberCall) {
  const team = await readTeam(deps, actorOf(call).orgId);
  const member = team.find(({ id }) => id === call.params['memberId']);
  if (member === undefined) throw new PonteError('NotFound');
  return { team, member };
}

async function inviteAgain(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { member, team } = await memberIn(context, call);
  if (member.acceptedAtMs !== null) throw new PonteError('NotFound');
  const own = actorOf(call).member;
  if (!mayChange({ members: team, own }, member)) throw new PonteError('InsufficientScope');
  try {
    await mailInvitation(context.deps, member, viewOf(context, call).locale);
  } catch (error) {
    if (!isCode(error, 'RateLimitExceeded')) throw error;
    const typed = { email: member.email, role: member.role };
    return showTeam(context, call, { typed, error: 'tooSoon' });
  }
  return seeOther(withDone(teamPath(context, call), 'member_invited'));
}

async function changeRole(
  context: PageContext,
  call: MemberCall<z.infer<typeof roleForm>>,
): Promise<PageAnswer> {
  const { member } = await memberIn(context, call);
  const { orgId, memberId } = actorOf(call);
  const role = roleNamed(call.form.role);
  if (role === null) throw new PonteError('ValidationError');
  const author = { memberId, keptBy: null };
  const input = { orgId, email: member.email, role, memberId: member.id };
  await setMember(context.deps, input, author);
  return seeOther(withDone(teamPath(context, call), 'role_changed'));
}

async function remove(
  context: PageContext,
  call: MemberCall<z.infer<typeof removeForm>>,
): Promise<PageAnswer> {
  const { member } = await memberIn(context, call);
  const { orgId, memberId } = actorOf(call);
  const { keeper } = call.form;
  const author = { memberId, keptBy: keeper === '' ? null : keeper };
  await removeMember(context.deps, orgId, member.id, author);
  return seeOther(withDone(teamPath(context, call), 'member_removed'));
}

function isLastOwner({ members }: Pick<Team, 'members'>, { id, role }: Member): boolean {
  if (role !== 'owner') return false;
  return !members.some((one) => one.role === 'owner' && one.id !== id && isActiveMember(one));
}

/** Whether the reader may give this member another role, or remove it (members.ts). */
function mayChange(team: Pick<Team, 'members' | 'own'>, member: Member): boolean {
  const { own } = team;
  return member.id !== own.id && mayGive(own.role, member.role) && !isLastOwner(team, member);
}

function teamScreen({ texts, view }: DashboardScene, team: Team): DashboardContent {
  const words = texts.setup.team;
  const error = team.refused === null ? undefined : words[team.refused.error];
  const field = team.refused?.error === 'chooseRole' ? 'role' : 'email';
  return {
    title: texts.places.team,
    lede: words.lede(plainText(view.organization?.name)),
    place: 'team',
    errors: error === undefined ? [] : [{ field, text: error }],
    body: (
      <>
        <div class={team.mayChange ? 'cols' : undefined}>
          <Members team={team} />
          {team.mayChange ? <Invitation team={team} /> : null}
        </div>
        <section class="stack">
          <div class="line ends">
            <h2>{words.sessions}</h2>
            <a href={`${view.root}/dashboard/sessions`}>{words.allSessions}</a>
          </div>
          <SessionTable sessions={team.sessions} />
        </section>
      </>
    ),
  };
}

function Members({ team }: { readonly team: Team }): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.team;
  return (
    <Scroll label={words.members}>
      <table>
        <caption class="vh">{words.members}</caption>
        <thead>
          <tr>
            <th scope="col">{words.member}</th>
            <th scope="col">{words.role}</th>
            {team.mayChange ? (
              <>
                <th scope="col" class="only-l">
                  {words.seen}
                </th>
              </>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {team.members.map((member) => (
            <MemberLine team={team} member={member} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function MemberLine({ team, member }: { readonly team: Team; readonly member: Member }): VNode {
  const { texts, format } = useDashboard();
  const words = texts.setup.team;
  const { acceptedAtMs, seenAtMs } = member;
  const isSelf = member.id === team.own.id;
  const isInvited = acceptedAtMs === null;
  const actions = <MemberActions team={team} member={member} isInvited={isInvited} />;
  const seen = seenAtMs === null ? words.never : format.short(seenAtMs);
  return (
    <tr>
      <th scope="row">
        <Foreign text={member.email} />
        {isSelf ? ` (${words.you})` : null}
        {isInvited && team.mayChange ? (
          <span class="sub">{words.invitedAt(format.short(member.createdAtMs))}</span>
        ) : null}
        {team.mayChange ? actions : null}
      </th>
      <td>{words.roles[member.role]}</td>
      {team.mayChange ? (
        <>
          <td class="when only-l">{isSelf ? words.now : seen}</td>
        </>
      ) : null}
    </tr>
  );
}

function MemberActions({
  team,
  member,
  isInvited,
}: {
  readonly team: Team;
  readonly member: Member;
  readonly isInvited: boolean;
}): VNode | null {
  const { texts, view } = useDashboard();
  const words = texts.setup.team;
  if (isLastOwner(team, member)) return <span class="sub">{words.lastOwner}</span>;
  if (!mayChange(team, member)) return null;
  const named = <span class="vh"> {member.email}</span>;
  return (
    <div class="actions">
      {isInvited ? (
        <Form to={`team/${member.id}/invite`}>
          <button type="submit" class="btn sm">
            {words.again}
            {named}
          </button>
        </Form>
      ) : null}
      <a class="btn sm" href={`${view.path}/team/${member.id}`}>
        {words.change}
        {named}
      </a>
    </div>
  );
}

/** The form, if the mailbox was proven just now; else the way to it. */
function Invitation({ team }: { readonly team: Team }): VNode {
  const { texts, view } = useDashboard();
  const words = texts.setup.team;
  if (!team.isFresh) {
    return (
      <section class="card stack">
        <h2>{words.invite}</h2>
        <p class="small quiet">{words.first}</p>
        <p class="actions">
          <ButtonLink href={`${view.path}/team/invite`}>{words.invite}</ButtonLink>
        </p>
      </section>
    );
  }
  const { refused } = team;
  const error = refused === null ? undefined : words[refused.error];
  const isOfRole = refused?.error === 'chooseRole';
  return (
    <section class="card stack">
      <h2>{words.invite}</h2>
      <Form to="team/invite" class="stack">
        <TextField
          name="email"
          label={words.email}
          type="email"
          value={refused?.typed.email}
          error={isOfRole ? undefined : error}
          maxLength={320}
          spellcheck={false}
        />
        <RoleField
          own={team.own}
          value={refused?.typed.role ?? 'viewer'}
          error={isOfRole ? error : undefined}
        />
        <div class="actions">
          <Button look="primary">{words.send}</Button>
        </div>
        <p class="small quiet">{words.sendText}</p>
      </Form>
    </section>
  );
}

/** The roles that this member may give. */
function RoleField({
  own,
  value,
  error,
}: {
  readonly own: Member;
  readonly value: string;
  readonly error?: string | undefined;
}): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.team;
  const choices = memberRoles
    .filter((role) => mayGive(own.role, role))
    .map((role) => ({ value: role, label: words.roles[role], hint: words.roleTexts[role] }))
    .toReversed();
  return (
    <RadioField name="role" label={words.role} choices={choices} value={value} error={error} />
  );
}

async function showMember(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { team, member } = await memberIn(context, call);
  const own = actorOf(call).member;
  // The list says why.
  if (!mayChange({ members: team, own }, member)) return seeOther(teamPath(context, call));
  const keepers = team.flatMap((one) =>
    one.role === 'owner' && one.id !== member.id && isActiveMember(one) ? [one.email] : [],
  );
  return dashboardPage(viewOf(context, call), (scene) =>
    memberScreen(scene, { member, own, keepers }),
  );
}

function memberScreen(
  { texts, view }: DashboardScene,
  {
    member,
    own,
    keepers,
  }: { readonly member: Member; readonly own: Member; readonly keepers: readonly string[] },
): DashboardContent {
  const words = texts.setup.team;
  return {
    title: words.changeHeading(member.email),
    lede: words.changeLede,
    place: 'team',
    crumbs: <a href={`${view.path}/team`}>{texts.places.team}</a>,
    body: (
      <div class="cols">
        <Form to={`team/${member.id}`} class="card stack">
          <RoleField own={own} value={member.role} />
          <p class="small quiet">{words.keysText}</p>
          <div class="actions">
            <Button look="primary">{words.saveRole}</Button>
          </div>
        </Form>
        <section class="card stack">
          <h2>{words.removeHeading}</h2>
          <p class="small">{words.removeText}</p>
          <Form to={`team/${member.id}/remove`} class="stack">
            <SelectField
              name="keeper"
              label={words.keep}
              empty={words.keepNobody}
              choices={keepers.map((email) => ({ value: email, label: email }))}
            />
            <div class="actions">
              <Button look="danger">{words.removeButton(member.email)}</Button>
            </div>
          </Form>
        </section>
      </div>
    ),
  };
}
