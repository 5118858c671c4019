// A member of an organization's team: who signs in to the dashboard, and what its role lets it do.
// How a member proves who it is is the matter of sessions.
import { HOUR_MS } from './instant.js';
import type { Scope } from './scope.js';

/** Which roles hold each scope; a scope without its row does not compile. */
export const scopeHolders = {
  'payment_intents:write': ['owner', 'admin', 'finance'],
  'payment_intents:read': ['owner', 'admin', 'finance', 'viewer'],
  'invoices:write': ['owner', 'admin', 'finance'],
  'invoices:read': ['owner', 'admin', 'finance', 'viewer'],
  'webhooks:write': ['owner', 'admin'],
  'webhooks:read': ['owner', 'admin', 'finance', 'viewer'],
  'api_keys:write': ['owner', 'admin'],
  'connected_accounts:write': ['owner', 'admin', 'finance'],
  'connected_accounts:read': ['owner', 'admin', 'finance', 'viewer'],
} as const satisfies Record<Scope, readonly MemberRole[]>;

export const memberRoles = ['owner', 'admin', 'finance', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** How long a session lasts from when its token is made. */
export const SESSION_MS = 12 * HOUR_MS;

export interface Member {
  readonly id: string;
  readonly orgId: string;
  /** As given; compared by `emailKey`. One address is one member of an organization at a time. */
  readonly email: string;
  readonly emailKey: string;
  readonly role: MemberRole;
  /** Whoever was removed and comes back is another member. */
  readonly removedAtMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

/** What a role may do: never nothing, so that it is never taken for unrestricted. */
export function scopesOf(role: MemberRole): readonly Scope[] {
  const rows = Object.entries(scopeHolders) as [Scope, readonly MemberRole[]][];
  return rows.filter(([, holders]) => holders.includes(role)).map(([scope]) => scope);
}
