// `ponte member`: the members of an organization, who sign in to its dashboard. `ponte token`:
// session tokens for them.
import type { Command } from 'commander';
import { type Member, memberRoles } from '../../core/domain/access/member.js';
import type { MemberSession } from '../../core/domain/access/session.js';
import { formatInstant, instantOrNull } from '../../core/domain/base/instant.js';
import { locales } from '../../core/domain/base/locale.js';
import { modes } from '../../core/domain/base/tenant.js';
import type { MemberChange } from '../../core/usecases/access/members.js';
import { decided, isDevelopment } from '../decided.js';
import {
  type AddCommand,
  commandGroup,
  listOf,
  type Operator,
  type Outcome,
  type Shell,
} from '../operator.js';
import { choice, type OptionValues, org, replace, value } from '../options.js';
import { fields } from '../output.js';

const sessions = () => import('../../core/usecases/access/sessions.js');
const members = () => import('../../core/usecases/access/members.js');

const ofMember = {
  org,
  email: value('<address>', 'the member').required(),
  keepKeysFor: value('<address>', 'another owner, who keeps the API keys'),
};
const ofSession = { org, member: value('<address>', 'the member').required() };

const addedOptions = {
  org,
  email: ofMember.email,
  role: choice('<role>', memberRoles, 'what the member may do').required(),
  keepKeysFor: ofMember.keepKeysFor,
  locale: choice('<locale>', locales, 'the language of the mail').or('en'),
  replace,
};

export function addMemberCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'member', 'members of organizations');

  add({
    name: 'add',
    authority: 'confirmed',
    description:
      'add a member, or change the role of a member; API keys that exceed the role are ' +
      'revoked, and a link to the dashboard is mailed',
    options: addedOptions,
    run: async (operator, options) =>
      isDevelopment(operator) ? invited(operator, options) : decidedMember(operator, options),
  });

  add({
    name: 'remove',
    authority: 'signed',
    description:
      'remove a member; its API keys are refused from the next request on, and its sessions end ' +
      'with its last organization',
    options: ofMember,
    run: async ({ deps }, { org, email, keepKeysFor }) => {
      const { removeMember } = await members();
      const author = { memberId: null, keptBy: keepKeysFor };
      return changed(await removeMember(deps, org, email, author), keepKeysFor);
    },
  });

  add({
    name: 'list',
    authority: 'read',
    description: 'list the members of an organization, including removed ones',
    options: { org },
    run: async ({ deps }, { org }) => {
      const { listMembers } = await members();
      const data = (await listMembers(deps, org)).map(presentMember);
      return listOf(data, 'No members.', null, {
        ID: 'id',
        EMAIL: 'email',
        NAME: 'name',
        ROLE: 'role',
        ADDED: 'createdAt',
        REMOVED: 'removedAt',
      });
    },
  });

  const addToken = commandGroup(shell, program, 'token', 'sessions of members, and their tokens');
  addSessionCommands(addToken);
  addTokenCommand(addToken);
}

async function invited(
  { deps }: Operator,
  options: OptionValues<typeof addedOptions>,
): Promise<Outcome> {
  const { org: orgId, email, role, keepKeysFor, locale } = options;
  const { inviteMember } = await import('../../core/usecases/access/member-invitations.js');
  const input = { orgId, email, role };
  const author = { memberId: null, keptBy: keepKeysFor };
  const { url: dashboardLink, ...change } = await inviteMember(deps, input, author, locale);
  const { json, text } = changed(change, keepKeysFor);
  return {
    json: { ...(json as object), dashboardLink },
    text: `${text}\nOpen once, within a day: ${dashboardLink}`,
  };
}

async function decidedMember(
  operator: Operator,
  options: OptionValues<typeof addedOptions>,
): Promise<Outcome> {
  const { deps } = operator;
  const { org: orgId, email, role, keepKeysFor, locale, replace } = options;
  const { listKeys } = await import('../../core/usecases/access/keys.js');
  const { findMember } = await members();
  const before = new Map((await listKeys(deps, orgId)).map((key) => [key.id, key]));
  const done = async () => {
    const member = await findMember(deps, orgId, email);
    const keys = (await listKeys(deps, orgId)).filter((key) => {
      const was = before.get(key.id);
      return was?.revokedAtMs !== key.revokedAtMs || was?.keptBy !== key.keptBy;
    });
    const { json, text } = changed({ member, keys }, keepKeysFor);
    return {
      json: { ...(json as object), dashboardLink: null },
      text: `${text}\nA link to the dashboard is mailed to ${member.email}.`,
    };
  };
  const request = { verb: 'set-member', email, role, keptBy: keepKeysFor, locale } as const;
  return decided(operator, orgId, request, done, { replace });
}

function addTokenCommand(add: AddCommand): void {
  add({
    name: 'create',
    authority: 'signed',
    description:
      'start a session of a member for 12 hours, and print its token for Authorization; not ' +
      'in production, where members sign in themselves',
    options: {
      org,
      member: value('<address>', 'the member').required(),
      mode: choice('<mode>', modes, 'test or live').or('test'),
    },
    run: async (operator, { org: orgId, member: email, mode }) => {
      const { deps, actor } = operator;
      const { createSession } = await sessions();
      const by = isDevelopment(operator) ? null : actor.id;
      const { expiresAtMs, ...session } = await createSession(deps, { orgId, email, mode }, by);
      const json = { ...session, expiresAt: formatInstant(expiresAtMs) };
      return { json, text: session.token };
    },
  });
}

function addSessionCommands(add: AddCommand): void {
  add({
    name: 'list',
    authority: 'read',
    description: 'list the open sessions of a member, in all organizations',
    options: ofSession,
    run: async ({ deps }, { org: orgId, member }) => {
      const { listSessions } = await sessions();
      const { findMember } = await members();
      const { personId } = await findMember(deps, orgId, member);
      return listed(await listSessions(deps, { personId, orgId: null }), 'No open sessions.');
    },
  });

  add({
    name: 'end',
    authority: 'signed',
    description: 'end all sessions of a member, in all organizations, or one, with their tokens',
    options: { ...ofSession, session: value('<id>', 'only this one') },
    run: async ({ deps }, { org: orgId, member, session }) => {
      const { endSessions } = await sessions();
      const { findMember } = await members();
      const { personId } = await findMember(deps, orgId, member);
      const all = { personId, orgId: null };
      return listed(await endSessions(deps, all, session), 'Nothing to end.');
    },
  });
}

function listed(found: readonly MemberSession[], empty: string): Outcome {
  const data = found.map(({ id, createdAtMs, endsAtMs, endedAtMs }) => ({
    id,
    createdAt: formatInstant(createdAtMs),
    expiresAt: formatInstant(endsAtMs),
    endedAt: instantOrNull(endedAtMs),
  }));
  return listOf(data, empty, null, {
    ID: 'id',
    STARTED: 'createdAt',
    EXPIRES: 'expiresAt',
    ENDED: 'endedAt',
  });
}

function presentMember(member: Member) {
  return {
    id: member.id,
    orgId: member.orgId,
    email: member.email,
    name: member.name,
    role: member.role,
    acceptedAt: instantOrNull(member.acceptedAtMs),
    removedAt: instantOrNull(member.removedAtMs),
    createdAt: formatInstant(member.createdAtMs),
  };
}

function changed({ member, keys }: MemberChange, keepKeysFor: string | null): Outcome {
  const outcome = shown(member);
  const ids = keys.map(({ id }) => id);
  const [revokedKeys, keptKeys] = keepKeysFor === null ? [ids, []] : [[], ids];
  const what = keepKeysFor === null ? 'revoked' : 'kept';
  const text = ids.length === 0 ? '' : `\nAPI keys ${what}: ${ids.join(', ')}`;
  const json = { ...(outcome.json as object), revokedKeys, keptKeys };
  return { json, text: `${outcome.text}${text}` };
}

function shown(member: Member): Outcome {
  const json = presentMember(member);
  const { id, email, role, createdAt: added, removedAt: removed } = json;
  return { json, text: fields({ id, email, role, added, removed }) };
}
