// Organizations at a partner in both modes, over the test world: the steps to collecting payments.
import { before } from 'node:test';
import { createFakePartner } from '../../../adapters/partner/fake.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { SettlementPartner } from '../../../core/ports/partner.js';
import {
  createOrganization,
  readOrganization,
  setSupportContact,
} from '../../../core/usecases/parties/organizations.js';
import { operatorDoes } from '../operator-action.js';
import { suiteEnd } from '../suite-end.js';
import { type World, world } from './test-world.js';

/** The dossier of an organization's KYB. */
export const kyb = {
  email: 'finance@exporter.example',
  legalName: 'Exporter Ltda',
  cnpj: '11.222.333/0001-81',
} as const;

export const pix = { pixKey: 'ana@example.com', accountHolderName: 'Ana' } as const;

/** Grants production to an organization with a contact. */
export async function goLive(deps: Deps, orgId: string) {
  await setSupportContact(deps, orgId, { supportEmail: 'help@exporter.example' });
  await operatorDoes(deps, orgId, { verb: 'grant-production' });
  return readOrganization(deps, orgId);
}

/** Call it at the top of a test file: the world opens before its tests. */
export function organizationScene() {
  let made: World;
  let deps: Deps;
  const partner = (mode: Mode): SettlementPartner => {
    const { clock } = made.deps;
    const secret = made.partnerSecret;
    return createFakePartner({ mode, clock, delayMs: 0, secret, deliver: async () => undefined });
  };
  const suite = suiteEnd();

  before(async () => {
    made = await world(suite);
    deps = { ...made.deps, partners: { test: partner('test'), live: partner('live') } };
  });
  return {
    get made() {
      return made;
    },
    get deps() {
      return deps;
    },
    partner,
    newOrganization: async (name = 'Exporter', sandboxKyb = false) =>
      (await createOrganization(deps, { name, sandboxKyb })).organization.id,
  };
}
