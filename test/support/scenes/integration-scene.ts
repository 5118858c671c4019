// A running host as an operator starts it, by environment variables alone, with an organization
// that can collect; and what an integrator of it has: clients, a webhook receiver, a mailbox.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type components,
  createPonteClient,
  type PonteClient,
} from '../../../adapters/client/ponte-client.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { createSession } from '../../../core/usecases/access/sessions.js';
import {
  acceptOrganizationTerms,
  configurePayout,
  createOrganization,
  readOrganization,
  submitKyb,
} from '../../../core/usecases/parties/organizations.js';
import { readConfig } from '../../../host/config.js';
import { type Host, startHost } from '../../../host/main.js';
import { freePort } from '../databases/local-postgres.js';
import type { ScenarioPartner, StartedPartner } from '../partners/scenario-partners.js';
import { type LocalReceiver, startReceiver } from '../servers/local-receiver.js';
import type { SuiteEnd } from '../suite-end.js';
import { temporaryFolder } from '../temporary-folder.js';
import { until } from '../wait.js';
import { addActiveMember } from './active-member.js';

export interface Integration {
  readonly partner: ScenarioPartner & StartedPartner;
  readonly host: Host;
  readonly orgId: string;
  /** With a key of the organization. */
  readonly ponte: PonteClient;
  readonly receiver: LocalReceiver;
  /** To all events. */
  readonly subscription: components['schemas']['WebhookSubscriptionWithSecret'];
  mails(): readonly string[];
}

export async function startIntegration(
  suite: SuiteEnd,
  partner: ScenarioPartner,
  database: Readonly<Record<string, string>>,
): Promise<Integration> {
  const dataDir = temporaryFolder();
  const port = await freePort();
  const started = await partner.start(`http://127.0.0.1:${port}`);
  suite.after(started.close);
  const receiver = await startReceiver((response) => response.writeHead(204).end());
  suite.after(receiver.close);
  const host = await startHost(
    readConfig({
      PONTE_DATA_DIR: dataDir,
      PONTE_PORT: `${port}`,
      PONTE_LOG_LEVEL: 'silent',
      ...started.env,
      ...database,
    }),
  );
  suite.after(host.stop);
  const orgId = await collectingOrganization(host);
  const owner = await memberClient({ host, orgId }, 'eva@acme.example', 'owner');
  const { data: onboarding } = await owner.GET('/v1/onboarding/status');
  assert.deepEqual([onboarding?.mode, onboarding?.needsOnboarding], ['test', false]);
  const { data: key } = await owner.POST('/v1/api-keys', { body: { name: 'erp', mode: 'test' } });
  const ponte = createPonteClient({ baseUrl: host.url, apiKey: key?.secret ?? '' });
  const body = { url: receiver.url, eventTypes: ['*'] };
  const subscription = answered(await ponte.POST('/v1/webhook-subscriptions', { body }));
  const mailbox = join(dataDir, 'mails');
  return {
    partner: { ...partner, ...started },
    host,
    orgId,
    ponte,
    receiver,
    subscription,
    mails: () => mailsIn(mailbox),
  };
}

/** Onboarded by the steps of an operator. */
async function collectingOrganization({ deps }: Host): Promise<string> {
  const made = await createOrganization(deps, { name: 'Acme Ltda', sandboxKyb: false });
  const tenant: Tenant = { orgId: made.organization.id, mode: 'test' };
  const dossier = { legalName: 'Acme Ltda', cnpj: '11.222.333/0001-81', email: 'a@acme.example' };
  await submitKyb(deps, tenant, dossier);
  await until(async () => {
    const { profiles } = await readOrganization(deps, tenant.orgId);
    return profiles.test.status === 'approved';
  });
  await acceptOrganizationTerms(deps, tenant, null);
  const pix = { pixKey: 'a@acme.example', accountHolderName: 'Acme Ltda' };
  await configurePayout(deps, tenant, pix, 'opr_1');
  return tenant.orgId;
}

export async function memberClient(
  { host: { deps, url }, orgId }: Pick<Integration, 'host' | 'orgId'>,
  email: string,
  role: 'owner' | 'finance' | 'viewer',
): Promise<PonteClient> {
  await addActiveMember(deps, { orgId, email, role });
  const { token } = await createSession(deps, { orgId, email, mode: 'test' });
  return createPonteClient({ baseUrl: url, token });
}

/** What a call gave; its refusal fails the test. */
export function answered<T>({ data, error }: { readonly data?: T; readonly error?: unknown }): T {
  assert.equal(error, undefined);
  assert.ok(data !== undefined);
  return data;
}

function mailsIn(mailbox: string): readonly string[] {
  try {
    const names = readdirSync(mailbox).filter((name) => name.endsWith('.eml'));
    return names.map((name) => readFileSync(join(mailbox, name), 'utf8'));
  } catch {
    return [];
  }
}
