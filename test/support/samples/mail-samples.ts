// Mails, notices and sessions on the hosted pages, with every field set.

import type { PageSession } from '../../../core/domain/access/session.js';
import { unused } from '../../../core/domain/access/session.js';
import type { Mail } from '../../../core/domain/mail/mail.js';
import { T0, tenant } from './domain-samples.js';

/** On its way for the third time. */
export function aMail(fields: Partial<Mail> = {}): Mail {
  return {
    ...tenant,
    id: 'mail_1',
    purpose: 'sign_in',
    subject: { kind: 'payment', paymentId: 'inv_1' },
    proof: null,
    cause: null,
    locale: 'pt-BR',
    codeHash: 'cd'.repeat(32),
    codeTries: 2,
    browserHash: 'ef'.repeat(32),
    to: 'Ana@Example.com',
    toKey: 'ana@example.com',
    nth: 7,
    tokenHash: 'ab'.repeat(32),
    tokenSealed: 'sealed',
    linkEndsAtMs: T0 + 14,
    linkUsedAtMs: T0 + 15,
    status: 'pending',
    tries: 2,
    isBlocked: true,
    dueAtMs: T0 + 16,
    leaseToken: 'w0',
    lastError: 'busy',
    sentAtMs: null,
    createdAtMs: T0,
    version: 1,
    ...fields,
  };
}

export function aNotice(fields: Partial<Mail> = {}): Mail {
  const noLink = { tokenHash: null, tokenSealed: null, codeHash: null, browserHash: null };
  const cause = 'receipt inv_1';
  return aMail({ id: 'mail_9', purpose: 'receipt', nth: null, cause, ...noLink, ...fields });
}

export function aPageSession(fields: Partial<PageSession> = {}): PageSession {
  return {
    ...unused,
    ...tenant,
    id: 'a5'.repeat(32),
    kind: 'owner',
    tokenHash: `hash of ${fields.id ?? 'a5'.repeat(32)}`,
    paymentId: 'inv_1',
    submissionId: 'kyc_1',
    accountId: null,
    ownerIndex: 2,
    createdAtMs: T0,
    seenAtMs: T0 + 1,
    endsAtMs: T0 + 2,
    endedAtMs: T0 + 3,
    began: 'press',
    version: 1,
    ...fields,
  };
}
