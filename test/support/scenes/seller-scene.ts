// A seller before its onboarding, and the form of a seller or an organization over the small world.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { ConnectedAccount } from '../../../core/domain/parties/connected-account.js';
import type { Deps } from '../../../core/ports/deps.js';
import type {
  OrganizationSession,
  VisitorSession,
} from '../../../core/usecases/hosted/form-subjects.js';
import { type CreateAccountInput, createAccount } from '../../../core/usecases/parties/accounts.js';

export const seller: CreateAccountInput = {
  role: 'seller',
  entityType: 'business',
  externalId: null,
  email: null,
  legalName: null,
  displayName: null,
  country: null,
  taxId: null,
};

export async function newSeller(
  deps: Deps,
  tenant: Tenant,
  fields: Partial<CreateAccountInput> = {},
): Promise<ConnectedAccount> {
  return (await createAccount(deps, tenant, { ...seller, ...fields })).account;
}

const none = { paymentId: null, submissionId: null, ownerIndex: null } as const;

export function sellerSession({ orgId, mode }: Tenant, accountId: string): VisitorSession {
  return { orgId, mode, ...none, kind: 'seller', accountId };
}

export function memberSession({ orgId, mode }: Tenant): OrganizationSession {
  const email = 'owner@rota.example';
  return { orgId, mode, ...none, kind: 'organization', accountId: null, email };
}
