// The open sessions of a person, in all organizations of which the person is a member.
import type { VNode } from 'preact';
import type { MemberSession } from '../../../core/domain/access/member-session.js';
import type { Organization } from '../../../core/domain/parties/organization.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  listMemberships,
  listSessions,
  type SignedInMember,
} from '../../../core/usecases/access/sessions.js';
import { Button, Foreign, Form, Scroll } from '../kit/components.js';
import { useDashboard } from './dashboard-scene.js';

export interface OwnSession {
  readonly session: MemberSession;
  readonly organization: Organization;
  /** The session of this browser. */
  readonly isCurrent: boolean;
}

export async function ownSessions(
  deps: Deps,
  signedIn: SignedInMember,
): Promise<readonly OwnSession[]> {
  const memberships = await listMemberships(deps, signedIn);
  const found = await Promise.all(
    memberships.map(async ({ member, organization }) => {
      const sessions = await listSessions(deps, { orgId: member.orgId, memberId: member.id });
      return sessions.map((session) => ({
        session,
        organization,
        isCurrent: session.id === signedIn.session.id,
      }));
    }),
  );
  return found.flat();
}

export function SessionTable({ sessions }: { readonly sessions: readonly OwnSession[] }): VNode {
  const { texts } = useDashboard();
  const words = texts.sessions;
  return (
    <Scroll label={words.heading}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.started}</th>
            <th scope="col">{words.organization}</th>
            <th scope="col">{words.seen}</th>
            <th scope="col">{words.ends}</th>
            <th scope="col">
              <span class="vh">{words.action}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((one) => (
            <SessionLine {...one} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function SessionLine({ session, organization, isCurrent }: OwnSession): VNode {
  const { texts, format } = useDashboard();
  const words = texts.sessions;
  const { id, createdAtMs, seenAtMs, endsAtMs } = session;
  return (
    <tr aria-current={isCurrent ? 'true' : undefined}>
      <th scope="row" class="when">
        {format.short(createdAtMs)}
        {isCurrent ? <span class="sub">{words.here}</span> : null}
      </th>
      <td>
        <Foreign text={organization.name} />
      </td>
      <td class="when">{seenAtMs === null ? words.token : format.short(seenAtMs)}</td>
      <td class="when">{format.short(endsAtMs)}</td>
      <td class="num">
        {isCurrent ? null : (
          <Form to="/dashboard/sessions">
            <input type="hidden" name="session" value={id} />
            <Button look="sm">{words.end}</Button>
          </Form>
        )}
      </td>
    </tr>
  );
}
