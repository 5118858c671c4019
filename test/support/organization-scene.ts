// Organizations at a partner in both modes, for tests of how one comes to collect.
import { after, before } from 'node:test';
import { createFakePartner } from '../../adapters/partner/fake.js';
import type { Mode } from '../../core/domain/tenant.js';
import type { Deps } from '../../core/ports/deps.js';
import type { SettlementPartner } from '../../core/ports/partner.js';
import { createOrganization } from '../../core/usecases/organizations.js';
import { createPonte, type Ponte } from '../../host/embed.js';

/** The dossier of an organization's KYB. */
export const kyb = {
  email: 'finance@exporter.example',
  legalName: 'Exporter Ltda',
  cnpj: '11.222.333/0001-81',
} as const;

export const pix = { pixKey: 'ana@example.com', accountHolderName: 'Ana' } as const;
const secret = `whsec_${Buffer.alloc(24).toString('base64')}`;

export interface OrganizationScene {
  readonly ponte: Ponte;
  readonly deps: Deps;
  partner(mode: Mode): SettlementPartner;
  newOrganization(name?: string, sandboxKyb?: boolean): Promise<string>;
}

/** To be called at the top of a test file: it is there when the tests run, and ends after them. */
export function organizationScene(): OrganizationScene {
  let ponte: Ponte;
  let deps: Deps;
  const partner = (mode: Mode): SettlementPartner => {
    const { clock } = ponte.deps;
    return createFakePartner({ mode, clock, delayMs: 0, secret, deliver: async () => undefined });
  };
  before(async () => {
    ponte = await createPonte();
    deps = { ...ponte.deps, partners: { test: partner('test'), live: partner('live') } };
  });
  after(() => ponte.close());
  return {
    get ponte() {
      return ponte;
    },
    get deps() {
      return deps;
    },
    partner,
    newOrganization: async (name = 'Exporter', sandboxKyb = false) =>
      (await createOrganization(deps, { name, sandboxKyb })).organization.id,
  };
}
