// The team: who can sign in, with which role; invitations, other roles and removals; the sessions
// of the reader.
import type { VNode } from 'preact';
import { z } from 'zod';
import {
  isActiveMember,
  MEMBER_NAME_LENGTH_MAX,
  type Member,
  mayGive,
  memberName,
  memberRoles,
} from '../../../../core/domain/access/member.js';
import { allows } from '../../../../core/domain/access/scope.js';
import { missingProof } from '../../../../core/domain/access/session-proof.js';
import { emailKey } from '../../../../core/domain/base/email-address.js';
import { answered, expectFound, PonteError } from '../../../../core/errors.js';
import {
  inviteMember,
  mailInvitation,
} from '../../../../core/usecases/access/member-invitations.js';
import {
  nameMember,
  readTeam,
  removeMember,
  setMember,
} from '../../../../core/usecases/access/members.js';
import { Breakable, ButtonLink, Foreign, Form, Sub, Submit } from '../../kit/components.js';
import { SelectField } from '../../kit/fields.js';
import type { PageContext } from '../../kit/page-route.js';
import { Card } from '../../kit/pages/card.js';
import { idIn } from '../../kit/pages/declared-pages.js';
import { emailField } from '../../kit/pages/email-texts.js';
import {
  FieldForm,
  type FormLook,
  radio,
  showFields,
  words as shown,
  text,
} from '../../kit/pages/form-page.js';
import { Table } from '../../kit/pages/table.js';
import { plainText } from '../../kit/plain-text.js';
import { ToPlace } from '../dashboard-layout.js';
import { type DashboardScene, sceneOf, useDashboard, viewOf } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, memberPages } from '../member-pages.js';
import { ownSessions, SessionTable } from '../session-table.js';

const invites = { scope: 'team:write', proof: 'invite_member' } as const;
const changes = { scope: 'team:write', proof: 'change_member' } as const;
const back = () => '/team';
const INVITE = '/team/invite';
export const OWN_NAME = '/name';

type Team = Awaited<ReturnType<typeof loadTeam>>;

export const teamPages = [
  memberPages.view({
    path: '/team',
    access: { scope: anyRole, proof: 'session' },
    load: loadTeam,
    show(scene, team) {
      const form = team.isFresh ? <NewInvitation team={team} /> : <InviteFirst />;
      return { ...aroundTeam(scene), body: <TeamParts team={team} form={form} /> };
    },
  }),
  ...memberPages.form({
    path: INVITE,
    access: invites,
    back,
    load: loadTeam,
    typed: () => begun,
    fields: inviteFields,
    show: (scene, team) => ({
      ...aroundTeam(scene),
      ...inviteLook(scene),
      around: (form) => <TeamParts team={team} form={form} />,
    }),
    async save({ deps }, call, { scene: { view, texts }, subject, values: { email, role } }) {
      const { orgId, memberId } = actorOf(call);
      const words = texts.setup.team;
      const refused = (why: string) => ({ problem: { field: 'email', text: why } });
      const isKnown = subject.members.some((member) => member.emailKey === emailKey(email));
      if (isKnown) return refused(words.isMember);
      const author = { memberId, keptBy: null };
      const asked = { orgId, email, role, memberId: null };
      return inviteMember(deps, asked, author, view.locale).then(
        () => ({ to: '/team', done: 'member_invited' }) as const,
        answered({
          NotFound: () => refused(words.isMember),
          InvitationLimitExceeded: () => refused(words.tooSoon),
        }),
      );
    },
  }),
  ...memberPages.form({
    path: OWN_NAME,
    access: { scope: anyRole, proof: 'session' },
    back,
    load: async (_, call) => actorOf(call).member,
    typed: ({ name }) => ({ name: name ?? '' }),
    fields: ({ texts: { setup } }) => ({
      name: text({
        label: setup.team.yourName,
        hint: setup.team.nameHint,
        max: MEMBER_NAME_LENGTH_MAX,
        autocomplete: 'name',
        problem: setup.team.noName,
      }),
    }),
    show: ({ texts }) => ({
      title: texts.setup.team.yourName,
      lede: texts.setup.team.nameLede,
      place: 'team',
      crumbs: [<ToPlace of="team" />],
      submit: texts.setup.team.saveName,
    }),
    async save({ deps }, _, { subject, values: { name }, scene: { texts } }) {
      const problem = { field: 'name', text: texts.setup.team.nameTaken };
      return nameMember(deps, subject, name).then(
        () => ({ to: '/team', done: 'name_saved' }) as const,
        answered({ ValidationError: () => ({ problem }) }),
      );
    },
  }),
  ...memberPages.form(
    {
      path: '/team/{memberId}',
      access: changes,
      back,
      load: loadMember,
      // The list says why.
      elsewhere: ({ member, ...team }) => (mayChange(team, member) ? null : '/team'),
      typed: ({ member }) => ({ role: member.role }),
      fields: (scene, { own }) => ({
        role: roleField(scene, own),
        keys: shown(<p class="small quiet">{scene.texts.setup.team.keysText}</p>),
      }),
      show: ({ texts }, { member, keepers }) => ({
        title: texts.setup.team.changeHeading(memberName(member)),
        lede: texts.setup.team.changeLede,
        place: 'team',
        crumbs: [<ToPlace of="team" />],
        submit: texts.setup.team.saveRole,
        around: (form) => (
          <div class="cols">
            {form}
            <Removal member={member} keepers={keepers} />
          </div>
        ),
      }),
      async save({ deps }, call, { subject: { member }, values: { role } }) {
        const { orgId, memberId } = actorOf(call);
        const input = { orgId, email: member.email, role, memberId: member.id };
        await setMember(deps, input, { memberId, keptBy: null });
        return { to: '/team', done: 'role_changed' };
      },
    },
    [
      {
        path: '/team/{memberId}/invite',
        access: invites,
        async run(context, call) {
          const { member, ...team } = await loadMember(context, call);
          if (member.acceptedAtMs !== null) throw new PonteError('NotFound');
          if (!mayChange(team, member)) throw new PonteError('InsufficientScope');
          const { view, texts } = sceneOf(viewOf(context, call));
          const text = `${member.email}: ${texts.setup.team.tooSoon}`;
          return mailInvitation(context.deps, member, view.locale).then(
            () => ({ to: '/team', done: 'member_invited' }) as const,
            answered({ InvitationLimitExceeded: () => ({ problem: { field: 'email', text } }) }),
          );
        },
      },
    ],
  ),
  memberPages.action({
    path: '/team/{memberId}/remove',
    access: changes,
    form: z.object({ keeper: z.string().max(400).default('') }),
    async run(context, call) {
      const { member } = await loadMember(context, call);
      const { orgId, memberId } = actorOf(call);
      const author = { memberId, keptBy: call.form.keeper || null };
      await removeMember(context.deps, orgId, member.id, author);
      return { to: '/team', done: 'member_removed' };
    },
  }),
];

async function loadTeam({ deps }: PageContext, call: MemberCall) {
  const actor = actorOf(call);
  const [members, sessions] = await Promise.all([
    readTeam(deps, actor.orgId),
    ownSessions(deps, call.visit.signedIn),
  ]);
  const missing = missingProof(actor.session, { ...actor, rule: 'fresh' }, deps.clock.nowMs());
  return {
    members,
    own: actor.member,
    mayChange: allows(actor.scopes, 'team:write'),
    /** The mailbox was proven just now: the form is on the page. */
    isFresh: missing === null,
    sessions,
  };
}

/** The member in the path. NotFound. */
async function loadMember({ deps }: PageContext, call: MemberCall) {
  const { orgId, member: own } = actorOf(call);
  const members = await readTeam(deps, orgId);
  const member = expectFound(members.find(({ id }) => id === idIn(call, 'memberId')));
  const keepers = members.flatMap((one) =>
    one.role === 'owner' && one.id !== member.id && isActiveMember(one) ? [one.email] : [],
  );
  return { members, own, member, keepers };
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

function aroundTeam({ texts, view }: DashboardScene) {
  const lede = texts.setup.team.lede(plainText(view.organization?.name));
  return { title: texts.places.team, lede, place: 'team' } as const;
}

const begun = { role: 'viewer' };

function inviteFields(scene: DashboardScene, { own }: Pick<Team, 'own'>) {
  const words = scene.texts.setup.team;
  return {
    heading: shown(<h2>{words.invite}</h2>),
    email: emailField(scene.view.locale, words.email),
    role: roleField(scene, own),
    about: shown(<p class="small quiet">{words.sendText}</p>),
  };
}

function inviteLook({ texts }: DashboardScene): FormLook {
  return { submit: texts.setup.team.send };
}

/** The roles that this member may give. */
function roleField({ texts }: DashboardScene, own: Member) {
  const words = texts.setup.team;
  const choices = memberRoles
    .filter((role) => mayGive(own.role, role))
    .map((value) => ({ value, label: words.roles[value], hint: words.roleTexts[value] }));
  return radio({ label: words.role, choices: choices.toReversed() });
}

function TeamParts({ team, form }: { readonly team: Team; readonly form: VNode }) {
  const { texts, view, format } = useDashboard();
  const words = texts.setup.team;
  const isSelf = ({ id }: Member) => id === team.own.id;
  const seen = ({ seenAtMs }: Member) => (seenAtMs === null ? words.never : format.short(seenAtMs));
  return [
    <div class={team.mayChange ? 'cols' : undefined}>
      <Table
        label={words.members}
        rows={team.members}
        columns={({ column, named }) => [
          named(words.member, (member) => [
            member.name === null ? (
              <Breakable text={member.email} />
            ) : (
              <Foreign text={member.name} />
            ),
            isSelf(member) ? ` (${words.you})` : null,
            <Sub of={member.name === null ? null : <Breakable text={member.email} />} />,
            <Sub of={words.roles[member.role]} />,
            member.acceptedAtMs === null && team.mayChange ? (
              <Sub of={words.invitedAt(format.short(member.createdAtMs))} />
            ) : null,
          ]),
          team.mayChange
            ? column(words.seen, 'only-l when', (member) =>
                isSelf(member) ? words.now : seen(member),
              )
            : null,
          column(<span class="vh">{texts.common.action}</span>, 'num', (member) => (
            <MemberActions team={team} member={member} />
          )),
        ]}
      />
      {team.mayChange ? form : null}
    </div>,
    <section class="stack">
      <div class="line ends">
        <h2>{words.sessions}</h2>
        <a href={`${view.root}/dashboard/sessions`}>{words.allSessions}</a>
      </div>
      <SessionTable sessions={team.sessions} />
    </section>,
  ];
}

function MemberActions({ team, member }: Readonly<{ team: Team; member: Member }>) {
  const { texts, view } = useDashboard();
  const words = texts.setup.team;
  if (member.id === team.own.id) {
    return (
      <a class="btn sm" href={`${view.path}${OWN_NAME}`}>
        {words.yourName}
      </a>
    );
  }
  if (!team.mayChange) return null;
  if (isLastOwner(team, member)) return <span class="sub">{words.lastOwner}</span>;
  if (!mayChange(team, member)) return null;
  const named = <span class="vh"> {memberName(member)}</span>;
  return (
    <div class="actions">
      {member.acceptedAtMs === null ? (
        <Form to={`team/${member.id}/invite`}>
          <button type="submit" class="btn sm">
            {words.again}
            {named}
          </button>
        </Form>
      ) : null}
      <a class="btn sm" href={`${view.path}/team/${member.id}`}>
        {texts.frame.change}
        {named}
      </a>
    </div>
  );
}

function NewInvitation({ team }: { readonly team: Team }) {
  const scene = useDashboard();
  const fields = showFields(inviteFields(scene, team), begun, []);
  const { path } = scene.view;
  return <FieldForm to="team/invite" back={path} look={inviteLook(scene)} shown={fields} />;
}

/** The way to the form, where the mailbox is proven. */
function InviteFirst() {
  const { texts, view } = useDashboard();
  const words = texts.setup.team;
  return (
    <Card heading={words.invite} isStack>
      <p class="small quiet">{words.first}</p>
      <p class="actions">
        <ButtonLink href={`${view.path}${INVITE}`}>{words.invite}</ButtonLink>
      </p>
    </Card>
  );
}

function Removal({ member, keepers }: { member: Member; keepers: readonly string[] }) {
  const words = useDashboard().texts.setup.team;
  return (
    <Card heading={words.removeHeading} isStack>
      <p class="small">{words.removeText}</p>
      <Form to={`team/${member.id}/remove`} class="stack">
        <SelectField
          name="keeper"
          label={words.keep}
          empty={words.keepNobody}
          choices={keepers.map((email) => ({ value: email, label: email }))}
        />
        <Submit look="danger">{words.removeButton(memberName(member))}</Submit>
      </Form>
    </Card>
  );
}
