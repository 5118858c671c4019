// The open sessions of a person: with a cookie, and of the tokens of an organization.
import type { VNode } from 'preact';
import type { MemberSession } from '../../../core/domain/access/member-session.js';
import type { Organization } from '../../../core/domain/parties/organization.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  listMemberships,
  listSessions,
  type SignedInPerson,
} from '../../../core/usecases/access/sessions.js';
import { ButtonForm, Foreign, Scroll } from '../kit/components.js';
import { useDashboard } from './dashboard-scene.js';

export interface OwnSession {
  readonly session: MemberSession;
  /** The organization of its tokens; null with a cookie. */
  readonly organization: Organization | null;
  /** The session of this browser. */
  readonly isCurrent: boolean;
}

export async function ownSessions(
  deps: Deps,
  signedIn: SignedInPerson,
): Promise<readonly OwnSession[]> {
  const [memberships, sessions] = await Promise.all([
    listMemberships(deps, signedIn),
    listSessions(deps, { personId: signedIn.person.id, orgId: null }),
  ]);
  const organizations = new Map(memberships.map(({ organization: one }) => [one.id, one]));
  return sessions.map((session) => ({
    session,
    organization: organizations.get(session.orgId ?? '') ?? null,
    isCurrent: session.id === signedIn.session.id,
  }));
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
      <td class="when">
        {seenAtMs === null ? words.token : format.short(seenAtMs)}
        {organization === null ? null : (
          <span class="sub">
            <Foreign text={organization.name} />
          </span>
        )}
      </td>
      <td class="when">{format.short(endsAtMs)}</td>
      <td class="num">
        {isCurrent ? null : (
          <ButtonForm to="/dashboard/sessions" values={{ session: id }} look="sm">
            {words.end}
          </ButtonForm>
        )}
      </td>
    </tr>
  );
}
