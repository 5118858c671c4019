// A token of one kind of session opens nothing of another kind: every kind, in both modes, with
// every reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONSOLE_COMMAND } from '../../../../core/domain/access/registered-operator.js';
import {
  type AnySession,
  pageSessionKinds,
  type SessionKind,
  sessionKinds,
} from '../../../../core/domain/access/session.js';
import { modes } from '../../../../core/domain/base/tenant.js';
import { PonteError } from '../../../../core/errors.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import { readSession } from '../../../../core/usecases/access/open-sessions.js';
import {
  makeConsoleLink,
  openConsoleLink,
  readConsoleLink,
  readOperatorSession,
} from '../../../../core/usecases/access/operator-sessions.js';
import { signCommand } from '../../../../core/usecases/access/registered-operators.js';
import {
  authenticateSession,
  makeMemberSession,
  readMemberSession,
  startMemberSession,
  tokenOf,
} from '../../../../core/usecases/access/sessions.js';
import {
  onboardingLinkState,
  redeemOnboardingLink,
} from '../../../../core/usecases/hosted/onboarding-links.js';
import { redeemPhoneUpload } from '../../../../core/usecases/hosted/page-documents.js';
import { registered } from '../../../support/samples/operator-samples.js';
import { startSession } from '../../../support/scenes/started-session.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const made = await world(suiteEnd());
const { deps } = made;
const orgId = await made.organization();
const member = await addMember(deps, { orgId, email: 'ana@acme.example', role: 'owner' });
const [operator = assert.fail()] = await registered(deps, ['ana']);

const signed = await signCommand(deps, { command: CONSOLE_COMMAND, arguments: {} }, operator.key);
const link = await makeConsoleLink(deps, { actor: operator.actor, signed });

interface Held {
  readonly kind: SessionKind | 'link';
  readonly token: string;
  /** Null for the link of an operator. */
  readonly session: AnySession | null;
}

/** One of each kind; those of the hosted pages in both modes, of the same subjects. */
async function everyToken(): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const mode of modes) {
    for (const kind of pageSessionKinds) {
      const about = { paymentId: 'inv_1', submissionId: 'kyc_1', accountId: 'acct_1' };
      const subject = { orgId, mode, kind, ...about, ownerIndex: kind === 'owner' ? 0 : null };
      held.push({ kind, ...(await startSession(deps, subject)) });
    }
    const session = await startMemberSession(deps, member);
    const { token } = await tokenOf(deps, session, { orgId, memberId: member.id, mode });
    held.push({ kind: 'token', token, session });
  }
  const cookie = makeMemberSession(deps, { personId: member.personId, began: 'mail' });
  await deps.store.run(async (tx) => tx.sessions.insert(cookie.session));
  held.push({ kind: 'member', ...cookie }, { kind: 'link', token: link.token, session: null });
  return held;
}

interface Reader {
  readonly opens: readonly Held['kind'][];
  /** Null if it opens nothing. */
  readonly read: (token: string) => Promise<unknown>;
}

const nobody = (error: unknown) => {
  if (error instanceof PonteError) return null;
  throw error;
};

const readers: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(
    pageSessionKinds.map((kind): [string, Reader] => [
      `readSession ${kind}`,
      { opens: [kind], read: (token) => readSession(deps, [kind], token) },
    ]),
  ),
  readMemberSession: { opens: ['member'], read: (token) => readMemberSession(deps, token) },
  readOperatorSession: { opens: ['operator'], read: (token) => readOperatorSession(deps, token) },
  authenticateSession: {
    opens: ['token'],
    read: (token) => authenticateSession(deps, `Bearer ${token}`).catch(nobody),
  },
  readConsoleLink: { opens: ['link'], read: (token) => readConsoleLink(deps, token) },
  ...Object.fromEntries(
    modes.flatMap((mode): [string, Reader][] => [
      [
        `onboardingLinkState ${mode}`,
        {
          opens: ['seller_link'],
          async read(token) {
            const found = await onboardingLinkState(deps, { orgId, mode }, 'acct_1', token);
            return found.state === 'valid' ? found : null;
          },
        },
      ],
    ]),
  ),
};

/** They use up what they open. */
const uses: Readonly<Record<string, Reader>> = {
  redeemPhoneUpload: { opens: ['upload'], read: (token) => redeemPhoneUpload(deps, token) },
  ...Object.fromEntries(
    modes.map((mode): [string, Reader] => [
      `redeemOnboardingLink ${mode}`,
      {
        opens: ['seller_link'],
        read: (token) => redeemOnboardingLink(deps, { orgId, mode }, 'acct_1', token),
      },
    ]),
  ),
  openConsoleLink: {
    opens: ['link'],
    read: (token) => openConsoleLink(deps, token).catch(nobody),
  },
};

const held = await everyToken();

async function compare(table: Readonly<Record<string, Reader>>, all: readonly Held[]) {
  for (const [name, { opens, read }] of Object.entries(table)) {
    for (const { kind, token, session } of all) {
      const found = await read(token);
      const ofMode = modes.find((mode) => name.endsWith(` ${mode}`)) ?? session?.mode;
      const isFound = opens.includes(kind) && (session?.mode ?? ofMode) === ofMode;
      assert.equal(found !== null, isFound, `${name}: ${kind} ${session?.mode ?? ''}`);
    }
  }
}

test('a token opens what is of its kind, and nothing else', async () => {
  await compare(readers, held);
  await compare(uses, held);
  const { token, session } = await openedLink();
  await compare(readers, [{ kind: 'operator', token, session }]);
  await compare(uses, [{ kind: 'operator', token, session }]);
});

/** The session of a new link. */
async function openedLink() {
  const { token } = await makeConsoleLink(deps, { actor: operator.actor, signed });
  return openConsoleLink(deps, token);
}

test('a token of the API that names a session of another kind opens nothing', async () => {
  const { session } = await openedLink();
  const others = [...held, { kind: 'operator' as const, token: '', session }];
  const kinds = new Set<string>();
  for (const { kind, session: named } of others) {
    if (named === null) continue;
    kinds.add(kind);
    for (const mode of modes) {
      const as = { orgId, memberId: member.id, mode };
      const claims = { ...named, personId: member.personId, began: 'mail', kind: 'token' } as const;
      const { token } = await tokenOf(deps, claims, as);
      const found = await authenticateSession(deps, `Bearer ${token}`).catch(nobody);
      assert.equal(found !== null, kind === 'token', `${kind} ${mode}`);
    }
  }
  assert.deepEqual([...kinds].sort(), sessionKinds.toSorted());
});
