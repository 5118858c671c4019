// A membership: what a person (person.ts) is in an organization, and the scopes of its role in the
// dashboard.
import type { Scope } from './scope.js';

/** The roles that hold each scope; a scope without a row does not compile. */
export const scopeHolders = {
  'payment_intents:write': ['owner', 'admin', 'finance'],
  'payment_intents:read': ['owner', 'admin', 'finance', 'viewer'],
  'payments:export': ['owner', 'admin', 'finance'],
  'invoices:write': ['owner', 'admin', 'finance'],
  'invoices:read': ['owner', 'admin', 'finance', 'viewer'],
  'accounting:write': ['owner', 'admin', 'finance'],
  'webhooks:write': ['owner', 'admin'],
  'webhooks:read': ['owner', 'admin', 'finance', 'viewer'],
  'api_keys:write': ['owner', 'admin'],
  'audit:read': ['owner', 'admin'],
  'team:write': ['owner', 'admin'],
  'kyb:write': ['owner', 'admin'],
  'org:write': ['owner'],
  'connected_accounts:write': ['owner', 'admin', 'finance'],
  'payouts:write': ['owner', 'admin', 'finance'],
  'connected_accounts:read': ['owner', 'admin', 'finance', 'viewer'],
} as const satisfies Record<Scope, readonly MemberRole[]>;

export const memberRoles = ['owner', 'admin', 'finance', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

export interface Member {
  readonly id: string;
  readonly orgId: string;
  /** As given. An address has one member of an organization at a time. */
  readonly email: string;
  readonly emailKey: string;
  /** As the person gave it to this organization; null: none yet. */
  readonly name: string | null;
  readonly role: MemberRole;
  readonly personId: string;
  /** When the person first opened the organization; null: only invited, so nothing is allowed. */
  readonly acceptedAtMs: number | null;
  /** When the person last opened a page of the organization. */
  readonly seenAtMs: number | null;
  /** A person who is removed and added again is another member. */
  readonly removedAtMs: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

export const MEMBER_NAME_LENGTH_MAX = 100;

/** What colleagues call the member. */
export function memberName({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name ?? email;
}

/** The same with the address, where it matters that nobody takes a name for another one. */
export function memberWithAddress({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name === null ? email : `${name} (${email})`;
}

/** Whether the person may act in the organization, and gets its notices. */
export function isActiveMember({
  acceptedAtMs,
  removedAtMs,
}: Pick<Member, 'acceptedAtMs' | 'removedAtMs'>): boolean {
  return acceptedAtMs !== null && removedAtMs === null;
}

/** Whether this role may give and take the other one: it holds each scope of it. */
export function mayGive(role: MemberRole, other: MemberRole): boolean {
  const held = scopesOf(role);
  return scopesOf(other).every((scope) => held.includes(scope));
}

/** Never empty, because no scopes means unrestricted. */
export function scopesOf(role: MemberRole): readonly Scope[] {
  const rows = Object.entries(scopeHolders) as [Scope, readonly MemberRole[]][];
  return rows.filter(([, holders]) => holders.includes(role)).map(([scope]) => scope);
}
