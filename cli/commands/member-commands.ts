// `ponte member`: the members of an organization, who sign in to its dashboard. `ponte token`:
// session tokens for them.
import { type Command, Option } from 'commander';
import { type Member, type MemberRole, memberRoles } from '../../core/domain/access/member.js';
import { formatInstant } from '../../core/domain/base/instant.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import {
  addOperatorCommand,
  listOutcome,
  type Outcome,
  orgOption,
  type Shell,
} from '../operator.js';
import { fields, instantOrNull, table } from '../output.js';

interface MemberOptions {
  readonly org: string;
  readonly email: string;
}

const members = () => import('../../core/usecases/access/members.js');

const emailOption = () => new Option('--email <address>', 'the member').makeOptionMandatory();

export function addMemberCommands(shell: Shell, program: Command): void {
  const member = program.command('member').description('members of organizations');

  addOperatorCommand<MemberOptions & { readonly role: MemberRole }>(shell, member, {
    name: 'add',
    description: 'add a member, or change the role of a member',
    options: [
      orgOption(),
      emailOption(),
      new Option('--role <role>', 'what the member may do')
        .choices(memberRoles)
        .makeOptionMandatory(),
    ],
    run: async ({ deps }, { org: orgId, email, role }) => {
      const { addMember } = await members();
      return shown(await addMember(deps, { orgId, email, role }));
    },
  });

  addOperatorCommand<MemberOptions & { readonly keepKeysFor: string | null }>(shell, member, {
    name: 'remove',
    description: 'remove a member; its sessions and API keys are refused from the next request on',
    options: [
      orgOption(),
      emailOption(),
      new Option('--keep-keys-for <address>', 'another owner, who keeps the API keys').default(
        null,
      ),
    ],
    run: async ({ deps }, { org, email, keepKeysFor }) => {
      const { removeMember } = await members();
      const { member, keys } = await removeMember(deps, org, email, keepKeysFor);
      const outcome = shown(member);
      const ids = keys.map(({ id }) => id);
      const [revokedKeys, keptKeys] = keepKeysFor === null ? [ids, []] : [[], ids];
      const what = keepKeysFor === null ? 'revoked' : 'kept';
      const text = ids.length === 0 ? '' : `\nAPI keys ${what}: ${ids.join(', ')}`;
      const json = { ...(outcome.json as object), revokedKeys, keptKeys };
      return { json, text: `${outcome.text}${text}` };
    },
  });

  addOperatorCommand<Pick<MemberOptions, 'org'>>(shell, member, {
    name: 'list',
    description: 'list the members of an organization, including removed ones',
    options: [orgOption()],
    run: async ({ deps }, { org }) => {
      const { listMembers } = await members();
      const data = (await listMembers(deps, org)).map(presentMember);
      const rows = data.map((row) => [row.id, row.email, row.role, row.createdAt, row.removedAt]);
      const headings = ['ID', 'EMAIL', 'ROLE', 'ADDED', 'REMOVED'];
      return listOutcome(data, table(headings, rows, 'No members.'));
    },
  });

  const token = program.command('token').description('session tokens of members');
  addOperatorCommand<{ readonly org: string; readonly member: string; readonly mode: Mode }>(
    shell,
    token,
    {
      name: 'create',
      description: 'create a token for Authorization: Bearer, a session of a member for 12 hours',
      options: [
        orgOption(),
        new Option('--member <address>', 'the member').makeOptionMandatory(),
        new Option('--mode <mode>', 'test or live').choices(['test', 'live']).default('test'),
      ],
      run: async ({ deps }, { org: orgId, member: email, mode }) => {
        const { createSession } = await import('../../core/usecases/access/sessions.js');
        const { expiresAtMs, ...session } = await createSession(deps, { orgId, email, mode });
        const json = { ...session, expiresAt: formatInstant(expiresAtMs) };
        return { json, text: session.token };
      },
    },
  );
}

function presentMember(member: Member) {
  return {
    id: member.id,
    orgId: member.orgId,
    email: member.email,
    role: member.role,
    removedAt: instantOrNull(member.removedAtMs),
    createdAt: formatInstant(member.createdAtMs),
  };
}

function shown(member: Member): Outcome {
  const json = presentMember(member);
  const { id, email, role, createdAt: added, removedAt: removed } = json;
  return { json, text: fields({ id, email, role, added, removed }) };
}
