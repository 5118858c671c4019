// The scopes of API keys and roles, and the scope rules of routes. A key may have any scope, but
// calls only the routes whose row takes keys (`access.auth`): `api_keys:write` has no effect on it.
import { originsNamed, type PaymentOrigin } from '../payments/payment.js';

export const scopes = {
  'payment_intents:write': 'create and cancel payment intents, start the KYC of buyers',
  'payment_intents:read': 'read payment intents',
  'payments:export': 'export payments as a file',
  'invoices:write': 'create and cancel invoices, invite their buyers',
  'invoices:read': 'list and read invoices',
  'accounting:write': 'name the accounts of settlement entries, close their months',
  'webhooks:write': 'create and delete subscriptions, rotate their secrets, replay deliveries',
  'webhooks:read': 'list subscriptions and deliveries, read the event feed',
  'api_keys:write': 'create and revoke API keys',
  'audit:read': 'read the audit log',
  'team:write': 'invite, change and remove members',
  'kyb:write': 'submit the KYB of the organization and accept the terms of the partner',
  'org:write': 'set the PIX destination of the organization and its settings, ask for production',
  'connected_accounts:write':
    'create and onboard connected accounts, configure their first payout, start the KYC of buyers',
  'payouts:write': 'configure the payout of connected accounts, and change their PIX destination',
  'connected_accounts:read': 'list and read connected accounts',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as readonly Scope[];

const ofSessions = [
  'payments:export',
  'api_keys:write',
  'audit:read',
  'team:write',
  'kyb:write',
  'org:write',
] as const;
/** Scopes that only sessions use: no route takes them of a key. */
export const sessionScopes: readonly Scope[] = ofSessions;
export type KeyScope = Exclude<Scope, (typeof ofSessions)[number]>;

/** All that an unrestricted key may use. */
export const keyScopes = scopeNames.filter(
  (scope): scope is KeyScope => !sessionScopes.includes(scope),
);

/** The scope that a route requires for payments of each origin. */
export type ScopeByOrigin = Readonly<Partial<Record<PaymentOrigin, Scope>>>;

/** `byOrigin`: by the payment that the path names. */
export type ScopeRule =
  | 'none'
  | Scope
  | { readonly anyOf: readonly Scope[] }
  | { readonly byOrigin: ScopeByOrigin };

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}

/** A credential needs one of these scopes; none if empty. */
export function scopesIn(rule: ScopeRule): readonly Scope[] {
  if (rule === 'none') return [];
  if (typeof rule === 'string') return [rule];
  return 'anyOf' in rule ? rule.anyOf : Object.values(rule.byOrigin);
}

/** The rule for a request that names this payment. */
export function ruleFor(rule: ScopeRule, idOrExternalId: string | undefined): ScopeRule {
  if (typeof rule === 'string' || !('byOrigin' in rule)) return rule;
  const named = originsNamed(idOrExternalId ?? '', originsIn(rule));
  const anyOf = named.flatMap((origin) => rule.byOrigin[origin] ?? []);
  return anyOf.length === 0 ? rule : { anyOf };
}

function originsIn({ byOrigin }: { readonly byOrigin: ScopeByOrigin }): readonly PaymentOrigin[] {
  return Object.keys(byOrigin) as readonly PaymentOrigin[];
}

export function originsAllowed(
  rule: { readonly byOrigin: ScopeByOrigin },
  granted: readonly Scope[],
): readonly PaymentOrigin[] {
  return originsIn(rule).filter((origin) => {
    const needed = rule.byOrigin[origin];
    return needed !== undefined && allows(granted, needed);
  });
}

/** An empty list of granted scopes is unrestricted. */
export function allows(granted: readonly Scope[], needed: Scope): boolean {
  return granted.length === 0 || granted.includes(needed);
}
