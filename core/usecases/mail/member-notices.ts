// Mails to the members who can undo or repair something that happened to their organization. They
// are staged in the batch in which it happens.
import {
  isActiveMember,
  type Member,
  type MemberRole,
  scopesOf,
} from '../../domain/access/member.js';
import type { Person } from '../../domain/access/person.js';
import type { Scope } from '../../domain/access/scope.js';
import { DAY_MS } from '../../domain/base/instant.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { type MemberNoticePurpose, memberMail, memberNoticeCause } from '../../domain/mail/mail.js';
import type { WebhookDelivery } from '../../domain/webhooks/webhook-delivery.js';
import type { Batch } from '../service/batch.js';
import { stageNotice } from './mails.js';

interface Notice {
  readonly purpose: MemberNoticePurpose;
  /** The id of what the mail is about. */
  readonly objectId: string;
  /** What happened to it, of letters and digits. Each member is mailed once about it. */
  readonly what: string;
}

/** Who gets the notices of a purpose. */
const needed: Readonly<Record<MemberNoticePurpose, Scope>> = {
  webhooks_gave_up: 'webhooks:write',
  live_key_created: 'api_keys:write',
  team_changed: 'team:write',
  passkeys_reset: 'team:write',
};

/** `members` are read before the batch writes one of them. */
function stageNotices(
  { deps, tx, nowMs }: Batch,
  { purpose, objectId, what }: Notice,
  members: readonly Member[],
): void {
  for (const member of members) {
    const { id: memberId, orgId, role, email: to, emailKey: toKey } = member;
    if (!isActiveMember(member) || !scopesOf(role).includes(needed[purpose])) continue;
    const subject = { kind: 'member', memberId } as const;
    const cause = memberNoticeCause(objectId, what, memberId);
    const notice = { ...memberMail({ orgId }), purpose, subject, cause, to, toKey } as const;
    stageNotice(deps, tx, { ...notice, locale: 'en' }, nowMs);
  }
}

/** Each member gets a mail a day at most about one subscription of live mode. */
export async function stageGaveUpNotices(batch: Batch, delivery: WebhookDelivery): Promise<void> {
  const tenant = tenantOf(delivery);
  if (delivery.status !== 'dead_letter' || tenant.mode === 'test') return;
  const members = await batch.tx.members.list(tenant.orgId);
  const what = `${Math.floor(batch.nowMs / DAY_MS)}`;
  const objectId = delivery.subscriptionId;
  stageNotices(batch, { purpose: 'webhooks_gave_up', objectId, what }, members);
}

/** A key of live mode may be made with a stolen session. A rolled key is another one. */
export function stageKeyNotices(
  batch: Batch,
  { id: objectId, mode }: Tenant & { readonly id: string },
  members: readonly Member[],
): void {
  if (mode === 'test') return;
  stageNotices(batch, { purpose: 'live_key_created', objectId, what: 'created' }, members);
}

/** `role`: the one that the member has got; null: it was removed. `members`: as they were. */
export function stageTeamNotices(
  batch: Batch,
  { id: objectId, version }: Member,
  role: MemberRole | null,
  members: readonly Member[],
): void {
  const what = `${role ?? 'removed'}-${version}`;
  stageNotices(batch, { purpose: 'team_changed', objectId, what }, members);
}

/** Operators ended the passkeys of a member; each time the version of its person is another one. */
export function stageResetNotices(
  batch: Batch,
  { id: objectId }: Member,
  { version }: Person,
  members: readonly Member[],
): void {
  stageNotices(batch, { purpose: 'passkeys_reset', objectId, what: `reset-${version}` }, members);
}
