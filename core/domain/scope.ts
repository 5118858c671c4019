// The scopes an API key may be limited to, and whether a set of them allows a route. Which route
// needs which scope stands in the route table.

export const scopes = {
  'payment_intents:write': 'create and cancel payment intents',
  'payment_intents:read': 'read payment intents',
  'invoices:write': 'create and cancel invoices, invite their buyers',
  'invoices:read': 'list and read invoices',
  'webhooks:write': 'create and delete subscriptions, rotate their secrets, replay deliveries',
  'webhooks:read': 'list subscriptions and deliveries, read the event feed',
  'api_keys:write': 'create and revoke API keys',
  'connected_accounts:write': 'create and onboard connected accounts, configure their payout',
  'connected_accounts:read': 'list and read connected accounts',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}

/** An empty list of granted scopes is unrestricted. */
export function allows(granted: readonly Scope[], needed: Scope): boolean {
  return granted.length === 0 || granted.includes(needed);
}
