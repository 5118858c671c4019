// Buyers' KYC over the small world: dossiers that are complete, starts by one tenant, and payments
// of the same buyer.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { PartyCommand } from '../../../core/domain/commands/partner-command.js';
import type { KycSubmission } from '../../../core/domain/parties/buyer-kyc.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { PartyReport } from '../../../core/ports/partner.js';
import type { Tx } from '../../../core/ports/storage.js';
import { applyPartnerUpdate } from '../../../core/usecases/commands/partner-inbox.js';
import { type KycStart, startBuyerKyc } from '../../../core/usecases/parties/kyc.js';
import { partyReported as reportParty } from '../../../core/usecases/parties/party-reports.js';
import { readPayment } from '../../../core/usecases/payments/payments.js';
import { changedPartner, type PartnerChanges } from '../partners/changed-partner.js';
import { acme, ana } from '../samples/dossiers.js';
import { type World, world } from './test-world.js';

export const hosted: KycStart = {
  email: 'Buyer@Example.com',
  name: null,
  entityType: null,
  paymentId: null,
  dossier: {},
};
export const individual: KycStart = { ...hosted, entityType: 'individual', dossier: ana };
export const business: KycStart = { ...hosted, entityType: 'business', dossier: acme };

export interface Scene extends World {
  readonly tenant: Tenant;
  start(start?: KycStart, by?: Tenant, deps?: Deps): Promise<KycSubmission>;
  pay(by?: Tenant): Promise<string>;
  kycStatusOf(paymentId: string, by?: Tenant): Promise<string>;
}

export async function scene(t: TestContext): Promise<Scene> {
  const made = await world(t);
  const { deps } = made;
  const tenant = await made.newTenant();
  return {
    ...made,
    tenant,
    start: (start = individual, by = tenant, with_ = deps) => startBuyerKyc(with_, by, start),
    pay: (by = tenant) => made.newPayment(by),
    kycStatusOf: async (id, by = tenant) => (await readPayment(deps, by, id)).kycStatus,
  };
}

export function withPartner(deps: Deps, changed: PartnerChanges): Deps {
  const { test: partner } = deps.partners;
  assert.ok(partner !== null);
  return { ...deps, partners: { ...deps.partners, test: changedPartner(partner, changed) } };
}

/** The commands about buyers, newest first. */
export async function commandsOf({ deps }: World) {
  const commands = await deps.store.run((tx) => tx.commands.list({ stuck: false, limit: 100 }));
  return commands.filter((command): command is PartyCommand => command.kind === 'submit_buyer');
}

export async function decided({ deps, tenant }: Scene, { id }: KycSubmission): Promise<string> {
  const submission = await deps.store.run((tx) => tx.buyers.submissionById(tenant, id));
  assert.ok(submission !== null);
  return submission.status;
}

/** The partner reports how a party stands. */
export async function partyReported(
  deps: Deps,
  command: PartyCommand,
  partnerRef: string,
  report: PartyReport,
): Promise<void> {
  const { reference } = command;
  await applyPartnerUpdate(deps, command, { kind: 'party', reference, partnerRef, report });
}

/** The same without a message: of its latest command, if it has one here. */
export async function decideKyc(
  deps: Deps,
  tenant: Tenant,
  id: string,
  report: PartyReport,
): Promise<void> {
  const submission = await deps.store.run((tx) => tx.buyers.submissionById(tenant, id));
  const submitted = { id: submission?.commandId ?? '' };
  const command = { ...tenant, ...submitted, subject: { kind: 'submission', id } } as const;
  const reported = { partnerRef: null, report, isCurrent: true };
  const stage = (tx: Tx) => reportParty({ deps, tx, nowMs: deps.clock.nowMs() }, command, reported);
  while (!(await deps.store.run(stage)).isComplete);
}

/** For JSON.stringify of rows with amounts. */
export function replaceBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}

/** As if the person had sent the dossier of this submission on the hosted form. */
export async function sentByPerson({ deps }: World, { id, ...of }: KycSubmission): Promise<void> {
  await deps.store.run(async (tx) => {
    const submission = await tx.buyers.submissionById(of, id);
    assert.ok(submission !== null);
    tx.buyers.updateSubmission({ ...submission, submittedBy: 'person' });
  });
}
