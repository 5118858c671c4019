// The open sessions of a person: with a cookie, and of the tokens of an organization.
import type { MemberSession } from '../../../core/domain/access/session.js';
import type { Organization } from '../../../core/domain/parties/organization.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  listMemberships,
  listSessions,
  type SignedInPerson,
} from '../../../core/usecases/access/sessions.js';
import { ButtonForm, foreign, Sub } from '../kit/components.js';
import { Table } from '../kit/pages/table.js';
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

export function SessionTable({ sessions }: { readonly sessions: readonly OwnSession[] }) {
  const { texts, format } = useDashboard();
  const words = texts.sessions;
  return (
    <Table
      label={words.heading}
      rows={sessions}
      folds
      columns={({ column, named }) => [
        named(texts.common.started, 'when', ({ session, isCurrent }) => [
          format.short(session.createdAtMs),
          isCurrent ? (
            <span class="sub" aria-current="true">
              {words.here}
            </span>
          ) : null,
        ]),
        column(words.seen, 'when', ({ session: { seenAtMs }, organization }) => [
          seenAtMs === null ? words.token : format.short(seenAtMs),
          <Sub of={foreign(organization?.name ?? null)} />,
        ]),
        column(words.ends, 'when', ({ session }) => format.short(session.endsAtMs)),
        column(<span class="vh">{texts.common.action}</span>, 'num', ({ session, isCurrent }) =>
          isCurrent ? null : (
            <ButtonForm to="/dashboard/sessions" values={{ session: session.id }} look="sm">
              {words.end}
            </ButtonForm>
          ),
        ),
      ]}
    />
  );
}
