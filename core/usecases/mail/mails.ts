// Mails: staged in the batch of their cause, and sent by a worker until they are accepted, refused
// or no longer needed. After a crash a mail may be sent twice, under one Message-ID if its text is
// the same. Mails are deleted after MAIL_RETENTION_MS.
//
// The token of a link is 256 random bits, stored as a hash, and sealed until the mail has ended.
// The six digits do not follow from it; their hash is keyed and bound to the browser that asked.
// Mails of an organization to one address are numbered per purpose, so their limits are exact on
// any number of hosts. No pause before another sign-in mail is longer than the latest link works:
// strangers who ask cannot lock a buyer out. A notice has a cause, and no other mail has that
// cause.
import type { ProofRequest } from '../../domain/access/session-proof.js';
import { emailKey } from '../../domain/base/email-address.js';
import { holdsLease } from '../../domain/base/lease.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  ADDRESS_MAILS_MAX,
  afterTry,
  codeOf,
  codeText,
  dropMail,
  hashLinkToken,
  isExpiredMail,
  type LinkPurpose,
  MAIL_LEASE_MS,
  type Mail,
  type MailOutcome,
  type MemberNoticePurpose,
  mailPostponed,
  mailRules,
  NEW_ADDRESS_PAUSE_MS,
  type NoticePurpose,
  newMail,
  nextMail,
  type OwnerNoticePurpose,
  secretsText,
  tokenPurpose,
} from '../../domain/mail/mail.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { eachSeparately } from '../service/due-work.js';
import { newAddressWaitMs } from '../service/rate-limits.js';
import { newToken } from '../service/tokens.js';
import {
  type MailFacts,
  openPageUntil,
  outgoing,
  readMailFacts,
  uselessBecause,
} from './mail-letters.js';

/** Mail servers limit the connections of one client. */
const MAILS_AT_ONCE = 10;

/** Binds the keyed hashes of codes. */
export const CODE_PURPOSE = 'sign-in code';

/** `nextMail` for an address. Notices about an account count with those about the same account. */
export async function mailNumber(
  tx: Tx,
  to: Tenant & {
    readonly purpose:
      | Exclude<LinkPurpose, 'sign_in' | 'confirmation'>
      | 'payout_changed'
      | 'production_decided';
    readonly address: string;
    readonly accountId?: string | null;
  },
  nowMs: number,
): Promise<ReturnType<typeof nextMail>> {
  const { orgId, mode, purpose, address, accountId = null } = to;
  const toKey = emailKey(address);
  const whom = { orgId, mode, purpose, toKey };
  const next = nextMail(await tx.mails.newestNumbered(whom, ADDRESS_MAILS_MAX), nowMs);
  if (purpose !== 'payout_changed') return next;
  const alike = await tx.mails.newestAbout({ ...whom, accountId }, ADDRESS_MAILS_MAX);
  return { ...next, waitMs: nextMail(alike, nowMs).waitMs };
}

export interface LinkMail extends Tenant, Pick<Mail, 'subject' | 'nth' | 'locale'> {
  readonly purpose: LinkPurpose;
  /** What a confirmation names. */
  readonly proof?: ProofRequest | null;
  readonly address: string;
  /** Null: the code goes with the link only. */
  readonly browserHash: string | null;
}

/** Stages a mail with a new link; `nth` is from `mailNumber` or `nextSignIn`. */
export function stageLink(
  deps: Deps,
  tx: Tx,
  mail: LinkMail,
  nowMs: number,
  lifeMs?: number,
): { readonly mail: Mail; readonly token: string } {
  const { orgId, mode, purpose, subject, proof = null, nth, locale, browserHash } = mail;
  const id = deps.ids.next('mail', nowMs);
  const token = newToken(deps);
  const code = codeOf(newToken(deps));
  const to = mail.address.trim();
  const fields = {
    orgId,
    mode,
    id,
    purpose,
    subject,
    proof,
    cause: null,
    nth,
    locale,
    browserHash,
    to,
    toKey: emailKey(to),
    tokenHash: hashLinkToken(token),
    tokenSealed: deps.secretBox.seal(secretsText({ token, code }), tokenPurpose({ id })),
    codeHash: deps.secretBox.mac(codeText({ id, browserHash }, code), CODE_PURPOSE),
  };
  const staged = newMail(fields, nowMs, lifeMs);
  tx.mails.insert(staged);
  return { mail: staged, token };
}

/** Stages a mail without a link, unless the tenant has one of this cause. */
export function stageNotice(
  deps: Deps,
  tx: Tx,
  notice: Tenant &
    Pick<Mail, 'subject' | 'to' | 'toKey' | 'locale'> & {
      readonly purpose:
        | NoticePurpose
        | MemberNoticePurpose
        | OwnerNoticePurpose
        | 'payment_settled'
        | 'paper_ends'
        | 'passkey_added'
        | 'passkey_removed';
      readonly cause: string;
    },
  nowMs: number,
): void {
  const id = deps.ids.next('mail', nowMs);
  const none = { nth: null, tokenHash: null, tokenSealed: null, codeHash: null, browserHash: null };
  tx.mails.insertOnce(newMail({ ...notice, ...none, id }, nowMs));
}

/** Returns how many were claimed. */
export async function runMails(deps: Deps, nowMs: number, limit: number): Promise<number> {
  const claim = { nowMs, limit: Math.min(limit, MAILS_AT_ONCE), leaseMs: MAIL_LEASE_MS };
  const claimed = await deps.store.claims.mails(claim);
  // A mail that fails is claimed again when its lease ends.
  await eachSeparately(deps, 'mails', claimed, (mail) => send(deps, mail));
  return claimed.length;
}

/** Deletes old mails with their addresses; returns how many. */
export async function runMailDeletion(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return deps.store.run(async (tx) => {
    const oldest = await tx.mails.oldest(limit);
    const old = oldest.filter((mail) => isExpiredMail(mail, nowMs));
    for (const mail of old) tx.mails.remove(mail);
    return old.length;
  });
}

async function send(deps: Deps, mail: Mail): Promise<void> {
  const facts = await deps.store.run((tx) => readMailFacts(tx, mail));
  // It started after the claim: the mail is claimed again after the release.
  if (facts.epoch.state === 'quarantine') return;
  const useless = uselessBecause(mail, facts, deps.clock.nowMs());
  if (useless !== null) {
    await record(deps, mail, (current) => dropMail(current, useless));
    return;
  }
  const pageUntilMs = openPageUntil(mail, facts, deps.clock.nowMs());
  if (pageUntilMs !== null) {
    await record(deps, mail, (current) => mailPostponed(current, pageUntilMs));
    return;
  }
  const newAddressMs = await newAddressPause(deps, mail, facts);
  if (newAddressMs !== null) {
    const dueAtMs = deps.clock.nowMs() + newAddressMs;
    await record(deps, mail, (current) => mailPostponed(current, dueAtMs, TOO_MANY_NEW));
    return;
  }
  const result = await deps.mailer.send(await outgoing(deps, mail, facts));
  await record(deps, mail, (current) => afterTry(current, result, deps.clock.nowMs()));
  logFailure(deps, mail, result);
}

const TOO_MANY_NEW = 'waits: the organization has mailed many new addresses';

/**
 * How long a mail to an address waits that the organization has not mailed before; null: it may be
 * sent. Every mail passes here, so no purpose is left out.
 */
async function newAddressPause(
  deps: Deps,
  { mode, purpose, tries, subject }: Mail,
  { organization, invitedBy, isKnownAddress }: MailFacts,
): Promise<number | null> {
  // A mail that is tried again was counted.
  if (isKnownAddress || tries > 1) return null;
  // The organization that invited a person who accepted nothing pays for these mails.
  const payer = subject.kind === 'person' ? invitedBy : organization;
  if (payer === null) return null;
  const hasProduction = payer.productionGrantedAtMs !== null;
  const of = { orgId: payer.id, mode: hasProduction ? mode : 'test' } as const;
  const waitMs = await newAddressWaitMs(deps, of, mailRules[purpose].isAsked);
  return waitMs === null ? null : Math.max(waitMs, NEW_ADDRESS_PAUSE_MS);
}

/** Changes nothing if the lease is lost. */
async function record(deps: Deps, mail: Mail, change: (current: Mail) => Mail): Promise<void> {
  await deps.store.run(
    async (tx) => {
      const current = await tx.mails.get(tenantOf(mail), mail.id);
      if (current === null || !holdsLease(current, mail)) return;
      tx.mails.update(change(current));
    },
    { inQuarantine: true },
  );
}

function logFailure(deps: Deps, { id: mailId, purpose, tries }: Mail, result: MailOutcome): void {
  if (result.outcome === 'sent') return;
  const { outcome, reason } = result;
  const fields = { mailId, purpose, tries, outcome, reason };
  if (outcome === 'blocked') deps.log.error('the mail server refuses a mail of ours', fields);
  else deps.log.warn('a mail was not taken', fields);
}
