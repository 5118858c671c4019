// The owners of a business in the hosted KYC form. The person who fills it in may ask an owner to
// add the rest by a link of the owner's; from then on only the owner sees that part.
import {
  type EmailProblem,
  emailKey,
  emailProblem,
  readEmail,
} from '../../domain/base/email-address.js';
import type { Locale } from '../../domain/base/locale.js';
import { tenantOf } from '../../domain/base/tenant.js';
import {
  askedFor,
  type KycDraft,
  OWNERS_MAX,
  ownerDone,
  ownersOf,
  partOf,
  takenBack,
  withCorrected,
  withNewAsked,
  withOwner,
  withoutOwner,
} from '../../domain/hosted/kyc-draft.js';
import type { FieldPlace } from '../../domain/hosted/kyc-fields.js';
import { openOf } from '../../domain/hosted/kyc-form.js';
import { invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { rateLimited, takeOwnerMailSlots } from '../service/rate-limits.js';
import type { KycSession } from './form-subjects.js';
import { changeKycForm, readOpenForm, refuseScope } from './kyc-forms.js';
import { endFormAccess, endOwnerAccess, ownerLinkWait, stageOwnerLink } from './owner-links.js';

/** The number of a new owner; ValidationError beyond OWNERS_MAX. */
export async function addOwner(deps: Deps, session: KycSession): Promise<number> {
  let number = 0;
  await changeOwners(deps, session, (draft) => {
    if (ownersOf(draft).length >= OWNERS_MAX) {
      throw invalid(`A form has at most ${OWNERS_MAX} owners.`);
    }
    number = draft.nextOwner;
    return withOwner(draft);
  });
  return number;
}

/** NotFound if there is none with this number. */
export async function removeOwner(deps: Deps, session: KycSession, owner: number): Promise<void> {
  await changeOwners(
    deps,
    session,
    (draft) => withoutOwner(known(draft, owner), owner),
    endingAccess(deps, session, owner),
  );
}

/**
 * Mails a link to the part of an owner, or (null) to the whole form. A repeat mails another one, at
 * most once a minute; to another address, what the owner who was asked before filled in is deleted.
 * The addresses are strangers' to Ponte: form, client and tenant have limits.
 * Null, or why the address is not taken. RateLimitExceeded, PaymentStateConflict (the whole form is
 * somebody else's: it is taken back first).
 */
export async function askOwner(
  deps: Deps,
  session: KycSession,
  {
    owner,
    email,
    locale,
    client,
  }: {
    readonly owner: number | null;
    readonly email: string;
    readonly locale: Locale;
    /** An IP address; null inside the process. */
    readonly client: string | null;
  },
): Promise<EmailProblem | null> {
  const address = readEmail(email);
  if (address === null) return emailProblem(email);
  const asked = { owner, email: address, askedAtMs: deps.clock.nowMs() };
  // A refused request must not spend what others share.
  await expectTurn(deps, session, owner, address);
  await takeOwnerMailSlots(deps, session, client);
  await changeOwners(
    deps,
    session,
    (draft) => {
      const isReplaced = replacesAsked(draft, owner, address);
      // The next person who is asked does not see what the last one filled in.
      return withNewAsked(isReplaced ? takenBack(draft, owner) : draft, asked);
    },
    (tx, submissionId) => {
      const part = { ...tenantOf(session), submissionId, ownerIndex: owner };
      return stageOwnerLink(deps, tx, { ...part, address, locale });
    },
  );
  deps.wake('mails');
  return null;
}

/** Whether somebody else was asked for the part. NotFound, PaymentStateConflict. */
function replacesAsked(draft: KycDraft, owner: number | null, address: string): boolean {
  const last = askedFor(known(draft, owner), owner);
  if (last === null || emailKey(last.email) === emailKey(address)) return false;
  if (owner === null) throw new PonteError('PaymentStateConflict');
  return true;
}

/** Refuses what `askOwner` refuses, and RateLimitExceeded: too many mails, or too soon. */
async function expectTurn(
  deps: Deps,
  session: KycSession,
  owner: number | null,
  address: string,
): Promise<void> {
  refuseScope(session, { page: 'owners', owner: null });
  await deps.store.run(async (tx) => {
    const { facts, subject } = await readOpenForm(deps, tx, session);
    const { submission } = subject;
    // Nobody else fills in a part of the form of a seller or an organization.
    if (subject.role !== 'buyer') throw new PonteError('NotFound');
    replacesAsked(facts.draft, owner, address);
    if (submission === null) return;
    const part = { ...tenantOf(session), submissionId: submission.id, ownerIndex: owner, address };
    const { waitMs } = await ownerLinkWait(deps, tx, part);
    if (waitMs > 0) throw rateLimited(waitMs);
  });
}

/**
 * What the owner filled in is deleted, and the owner's link shows nothing any more. A repeat leaves
 * what was filled in since.
 */
export async function takeBackOwner(deps: Deps, session: KycSession, owner: number): Promise<void> {
  await changeOwners(
    deps,
    session,
    (draft) => (askedFor(known(draft, owner), owner) === null ? draft : takenBack(draft, owner)),
    endingAccess(deps, session, owner),
  );
}

/** The form that was handed over is theirs again; what the other person saved stays. */
export async function takeBackForm(
  deps: Deps,
  session: KycSession,
  sessionId: string,
): Promise<void> {
  await changeOwners(
    deps,
    session,
    (draft) => takenBack(draft, null),
    (tx, submissionId) =>
      endFormAccess(deps, tx, { ...tenantOf(session), submissionId }, sessionId),
  );
}

/** The owner has sent the part; what is still missing or to be corrected, if anything. */
export async function finishOwnerPart(
  deps: Deps,
  session: KycSession,
): Promise<readonly FieldPlace[]> {
  const { kind, ownerIndex } = session;
  if (kind !== 'owner' || ownerIndex === null) throw new PonteError('NotFound');
  let missing: readonly FieldPlace[] = [];
  await changeKycForm(deps, session, (facts) => {
    const { draft } = facts;
    missing = openOf(facts, ownerIndex);
    if (missing.length > 0) return draft;
    return ownerDone(draft, ownerIndex, deps.clock.nowMs());
  });
  return missing;
}

function endingAccess(deps: Deps, session: KycSession, ownerIndex: number) {
  return (tx: Tx, submissionId: string) =>
    endOwnerAccess(deps, tx, { ...tenantOf(session), submissionId, ownerIndex });
}

async function changeOwners(
  deps: Deps,
  session: KycSession,
  change: (draft: KycDraft) => KycDraft,
  alsoStage: (tx: Tx, submissionId: string) => Promise<void> = async () => undefined,
): Promise<void> {
  refuseScope(session, { page: 'owners', owner: null });
  const corrected = [{ field: 'owners', owner: null }] as const;
  await changeKycForm(
    deps,
    session,
    ({ draft }) => withCorrected(change(draft), corrected),
    async (tx, submission) => (submission === null ? undefined : alsoStage(tx, submission.id)),
  );
}

function known(draft: KycDraft, owner: number | null): KycDraft {
  if (partOf(draft, owner) === null) throw new PonteError('NotFound');
  return draft;
}
