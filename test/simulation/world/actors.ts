// Who plays in a simulated world: organizations, their members, and the buyers whom they share.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { operatorNamed } from '../../support/samples/operator-samples.js';

export const tenants: readonly Tenant[] = [
  { orgId: 'org_one', mode: 'test' },
  { orgId: 'org_two', mode: 'test' },
  { orgId: 'org_one', mode: 'live' },
];

/** The organization whose invoices a second member approves. */
export const CAREFUL_ORG = 'org_two';

/** Each pays payments of every tenant; the first two are one buyer. */
export const buyerEmails = ['ana@example.com', 'Ana@Example.com ', 'bob@example.com'] as const;

/** They decide; in live mode another one confirms. */
export const operators = ['ana', 'bia'].map(operatorNamed);

/** What an operator says who fails a payment. */
export const GIVEN_UP = 'given up';

export function membersOf(orgId: string): readonly string[] {
  return [`mem_${orgId}_maker`, `mem_${orgId}_checker`];
}

/** Where an organization itself is paid. */
export function destinationOf(orgId: string): string {
  return `pix-of-${orgId}`;
}
