// `ponte member`: who signs in to the dashboard of an organization. `ponte token`: session tokens,
// made by operators.
import { type Command, Option } from 'commander';
import { formatInstant } from '../core/domain/instant.js';
import { type Member, type MemberRole, memberRoles } from '../core/domain/member.js';
import type { Mode } from '../core/domain/tenant.js';
import { addVerb, asOperator, type Outcome, type Shell } from './operator.js';
import { fields, table } from './output.js';

interface MemberOptions {
  readonly org: string;
  readonly email: string;
}

const members = () => import('../core/usecases/members.js');

const orgOption = () => new Option('--org <org-id>', 'the organization').makeOptionMandatory();
const emailOption = () => new Option('--email <address>', 'the member').makeOptionMandatory();

export function addMemberVerbs(shell: Shell, program: Command): void {
  const member = program.command('member').description('members of organizations');

  addVerb<MemberOptions & { readonly role: MemberRole }>(shell, member, {
    name: 'add',
    description: 'add a member, or give one another role',
    options: [
      orgOption(),
      emailOption(),
      new Option('--role <role>', 'what it may do').choices(memberRoles).makeOptionMandatory(),
    ],
    run: ({ org: orgId, email, role }) =>
      asOperator(shell, async ({ deps }) => {
        const { addMember } = await members();
        return shown(await addMember(deps, { orgId, email, role }));
      }),
  });

  addVerb<MemberOptions>(shell, member, {
    name: 'remove',
    description: 'refuse a member from its next request on, for ever',
    options: [orgOption(), emailOption()],
    run: ({ org, email }) =>
      asOperator(shell, async ({ deps }) => {
        const { removeMember } = await members();
        return shown(await removeMember(deps, org, email));
      }),
  });

  addVerb<{ readonly org: string }>(shell, member, {
    name: 'list',
    description: 'list the members of an organization, removed ones included',
    options: [orgOption()],
    run: ({ org }) =>
      asOperator(shell, async ({ deps }) => {
        const { listMembers } = await members();
        const data = (await listMembers(deps, org)).map(presentMember);
        return {
          json: { data, nextCursor: null },
          text: table(
            ['ID', 'EMAIL', 'ROLE', 'ADDED', 'REMOVED'],
            data.map((row) => [row.id, row.email, row.role, row.createdAt, row.removedAt]),
            'No members.',
          ),
        };
      }),
  });

  addVerb<{ readonly org: string; readonly member: string; readonly mode: Mode }>(
    shell,
    program.command('token').description('sessions of members'),
    {
      name: 'create',
      description: 'make a session token of a member; it lives 12 hours',
      options: [
        orgOption(),
        new Option('--member <address>', 'whose session').makeOptionMandatory(),
        new Option('--mode <mode>', 'test or live').choices(['test', 'live']).default('test'),
      ],
      run: ({ org: orgId, member: email, mode }) =>
        asOperator(shell, async ({ deps }) => {
          const { createSession } = await import('../core/usecases/sessions.js');
          const { expiresAtMs, ...session } = await createSession(deps, { orgId, email, mode });
          const json = { ...session, expiresAt: formatInstant(expiresAtMs) };
          return { json, text: session.token };
        }),
    },
  );
}

function presentMember(member: Member) {
  const { removedAtMs } = member;
  return {
    id: member.id,
    orgId: member.orgId,
    email: member.email,
    role: member.role,
    removedAt: removedAtMs === null ? null : formatInstant(removedAtMs),
    createdAt: formatInstant(member.createdAtMs),
  };
}

function shown(member: Member): Outcome {
  const json = presentMember(member);
  const { id, email, role, createdAt: added, removedAt: removed } = json;
  return { json, text: fields({ id, email, role, added, removed }) };
}
