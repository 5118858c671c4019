// What a session must prove for a row of pages or of the API: that it is young, and that it began
// by a passkey. A row of pages names its action: the mail that asks for a proof says it. Both
// pipelines ask this one function, and a page asks again in its batch.
import type { Mode } from '../base/tenant.js';
import { type MemberRole, scopesOf } from './member.js';
import { isFresh, type MemberSession } from './session.js';

/**
 * `fresh`: the session began within FRESH_MS, else the member proves again to be there.
 * `fresh_live`: only in live mode.
 */
export type ProofRule = 'session' | 'fresh' | 'fresh_live';

/** What the actions of pages require. `session`: a page for which any session is enough. */
export const actionProofs = {
  session: 'session',
  change_passkeys: 'fresh',
  export_payments: 'fresh',
  approve_payment: 'fresh_live',
  add_seller: 'fresh_live',
  make_onboarding_link: 'fresh_live',
  change_vendor_documents: 'fresh_live',
  add_webhook: 'fresh_live',
  change_webhook: 'fresh_live',
  rotate_webhook_secret: 'fresh',
  create_key: 'fresh_live',
  roll_key: 'fresh_live',
  change_payout: 'fresh',
  request_production: 'fresh',
  invite_member: 'fresh',
  change_member: 'fresh',
  change_settings: 'fresh',
} as const satisfies Record<string, ProofRule>;

export type PageProof = keyof typeof actionProofs;
/** An action for which a member proves again to be there. */
export type ProvenAction = Exclude<PageProof, 'session'>;
export const provenActions = Object.keys(actionProofs).filter(
  (name): name is ProvenAction => name !== 'session',
);

/** What a mail asks a member to confirm. */
export interface ProofRequest {
  readonly action: ProvenAction;
  /** Null for an action of the person in no organization. */
  readonly orgId: string | null;
}

export interface AskedProof {
  readonly rule: ProofRule;
  /** The mode of what is read or changed; null on pages without an organization. */
  readonly mode: Mode | null;
  /** Null on pages without an organization. */
  readonly role: MemberRole | null;
  /** The organization requires a passkey of who manages it, and for a fresh proof in live mode. */
  readonly requiresPasskey: boolean;
}

/**
 * What the session lacks; null: nothing. With `requiresPasskey`, owners and admins do nothing in
 * live mode without a passkey, and nobody does what needs a fresh proof. There a press on a link is
 * none, because a gateway of mails presses too.
 */
export function missingProof(
  session: Pick<MemberSession, 'createdAtMs' | 'began'>,
  { rule, mode, role, requiresPasskey }: AskedProof,
  nowMs: number,
): 'fresh' | 'passkey' | null {
  const needsFresh = rule === 'fresh' || (rule === 'fresh_live' && mode === 'live');
  const isGuarded = needsFresh || (mode === 'live' && role !== null && manages(role));
  if (requiresPasskey && isGuarded && session.began !== 'passkey') return 'passkey';
  const isPerson = mode !== 'live' || session.began !== 'press';
  return needsFresh && !(isPerson && isFresh(session, nowMs)) ? 'fresh' : null;
}

function manages(role: MemberRole): boolean {
  return scopesOf(role).includes('team:write');
}
