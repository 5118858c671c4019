// A client of connected accounts over HTTP, with its own organization, so that its lists and feed
// are complete, and ways to replace calls of the partner and to send its reports.
import assert from 'node:assert/strict';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { PartyReport } from '../../../../core/ports/partner.js';
import { applyPartnerUpdate } from '../../../../core/usecases/commands/partner-inbox.js';
import { withStatements } from '../../../support/databases/test-store.js';
import { changePartner, type PartnerChanges } from '../../../support/partners/changed-partner.js';
import { ana } from '../../../support/samples/dossiers.js';
import type { World } from '../../../support/scenes/test-world.js';
import type { Json } from '../../../support/servers/json-call.js';
import type { Answer, CheckedSite } from '../checked-site.js';
import { createBody } from '../docs/example-calls.js';
import { newSeller, payoutConfig, sellerDossier } from './account-calls.js';

export const accountsPath = '/v1/connected-accounts';

/** The dossier of an individual, without an e-mail address. */
export const personDossier = {
  ...ana,
  firstName: 'Bo',
  lastName: 'Ek',
  dateOfBirth: '1980-02-29',
  idDocCountry: 'SE',
} as const;

export class AccountClient {
  readonly tenant: Tenant;
  readonly key: string;
  readonly #site: CheckedSite;

  constructor(site: CheckedSite, tenant: Tenant, key: string) {
    this.#site = site;
    this.tenant = tenant;
    this.key = key;
  }

  create(body: unknown, path = accountsPath): Promise<Answer> {
    return this.#site.call('POST', path, { key: this.key, body });
  }

  get(id: unknown, path = accountsPath): Promise<Answer> {
    return this.#site.call('GET', `${path}/${String(id)}`, { key: this.key });
  }

  list(query: string): Promise<Answer> {
    return this.#site.call('GET', `${accountsPath}${query}`, { key: this.key });
  }

  on(id: unknown, step: string, body: unknown): Promise<Answer> {
    return this.#site.call('POST', `${accountsPath}/${String(id)}/${step}`, {
      key: this.key,
      body,
    });
  }

  submit(id: unknown, body: unknown): Promise<Answer> {
    return this.on(id, 'submit', body);
  }

  payout(id: unknown, body: unknown = payoutConfig): Promise<Answer> {
    return this.on(id, 'payout-config', body);
  }

  pay(body: unknown, path = '/v1/payments'): Promise<Answer> {
    return this.#site.call('POST', path, { key: this.key, body });
  }

  readPayment(id: unknown): Promise<Answer> {
    return this.#site.call('GET', `/v1/payments/${String(id)}`, { key: this.key });
  }

  /** An approved seller without a payout. */
  async approvedSeller(): Promise<string> {
    const { id } = await newSeller(this.#site.world, this.tenant);
    await this.submit(id, sellerDossier);
    return id;
  }

  /** A submitted buyer: the partner decides when the world settles. */
  async newBuyer(email: string): Promise<string> {
    const { externalId } = createBody();
    const { body } = await this.create({ role: 'buyer', entityType: 'individual', externalId });
    const submitted = await this.submit(body['id'], { ...personDossier, email });
    assert.equal(submitted.body['status'], 'verifying');
    return String(body['id']);
  }

  /** The payment, played to its end. */
  async played(id: unknown): Promise<Json> {
    const { world, call } = this.#site;
    const path = `/v1/test-helpers/payments/${String(id)}/advance`;
    await call('POST', path, { key: this.key, body: {} });
    for (let looks = 0; looks < 100; looks += 1) {
      await world.settle();
      const { body } = await this.readPayment(id);
      if (['settled', 'failed'].includes(String(body['status']))) return body;
      world.advanceClock(100);
    }
    return assert.fail('the payment does not end');
  }

  /** Every event of connected accounts, in the order of the feed, without its namespace. */
  async events(): Promise<readonly string[]> {
    const { world } = this.#site;
    await world.settle();
    const feed = await world.deps.store.run((tx) => tx.feed.after(this.tenant, 0, 100));
    const namespace = 'connected_account.';
    return feed
      .filter(({ type }) => type.startsWith(namespace))
      .map(({ type }) => type.slice(namespace.length));
  }

  /** The command of the account's newest submission. */
  async submissionOf(id: unknown): Promise<string> {
    const { store } = this.#site.world.deps;
    const account = await store.run((tx) => tx.accounts.get(this.tenant, String(id)));
    return account?.commandId ?? assert.fail('it was not submitted');
  }
}

export async function newAccountClient(site: CheckedSite): Promise<AccountClient> {
  const orgId = await site.world.organization();
  return new AccountClient(site, { orgId, mode: 'test' }, await site.world.key(orgId));
}

/** A report of the partner about the submission of this command. */
export async function reportOn(
  { deps }: World,
  commandId: string,
  report: PartyReport,
): Promise<void> {
  const command = await deps.store.run((tx) => tx.commands.get(commandId));
  assert.ok(command !== null);
  const partnerRef = command.partnerRef ?? assert.fail('the partner does not know it');
  await applyPartnerUpdate(deps, command, {
    kind: 'party',
    reference: commandId,
    partnerRef,
    report,
  });
}

/** While `work` runs, the partner does these things otherwise. */
export async function withPartner(
  { partner }: World,
  otherwise: PartnerChanges,
  work: () => Promise<void>,
): Promise<void> {
  const usual = { ...partner };
  changePartner(partner, otherwise);
  try {
    await work();
  } finally {
    Object.assign(partner, usual);
  }
}

/** Every value that is written to a database while `work` runs, as text. */
export async function writtenBy(work: () => Promise<void>): Promise<readonly string[]> {
  const { statements } = await withStatements(work);
  const written = statements.flatMap(({ params }) => params.map(String));
  assert.ok(written.length > 20);
  return written;
}
