// The whole service with BlindPay as its partner, over the simulator: a seller that can be paid,
// and payments to it.
import assert from 'node:assert/strict';
import { createBlindPayPartner } from '../../../adapters/partner/blindpay/blindpay.js';
import type { PartnerSetup, RunningPartner } from '../../../adapters/partner/running-partner.js';
import { HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import { findDifferences } from '../../../core/usecases/payments/ledger-check.js';
import { createPonte, type Ponte } from '../../../host/embed.js';
import type { SuiteEnd } from '../suite-end.js';
import {
  apiKey,
  type BlindPayServer,
  type Fault,
  instanceId,
  secret,
  startBlindPay,
} from './blindpay-server.js';

export interface PonteScene {
  readonly ponte: Ponte;
  readonly server: BlindPayServer;
  /** Of the log. */
  readonly alerts: readonly Record<string, unknown>[];
  /** How messages of BlindPay arrive; as they are sent unless the test sets it. */
  network: (send: () => Promise<void>) => Promise<void>;
}

export async function openPonte(
  t: SuiteEnd,
  bankingPartner: string | null = null,
): Promise<PonteScene> {
  const clock = { nowMs: () => 0 };
  const server = await startBlindPay({ nowMs: () => clock.nowMs() });
  // The organization of the embedded service is to be approved at once.
  server.state.kycDelayMs = 0;
  const scene = { server, network: (send: () => Promise<void>) => send() };
  const alerts: Record<string, unknown>[] = [];
  const error = (message: string, fields = {}) => {
    if (message === 'alert') alerts.push(fields);
  };
  const quiet = () => undefined;
  const ponte = await createPonte({
    log: { debug: quiet, info: quiet, warn: quiet, error },
    partner: (setup) => {
      clock.nowMs = setup.clock.nowMs;
      return partnerOf(setup, scene, bankingPartner);
    },
  });
  server.state.kycDelayMs = 2_000;
  t.after(async () => {
    await ponte.close();
    await server.close();
  });
  return Object.assign(scene, { ponte, alerts });
}

/** The messages of the simulator arrive like those of a partner inside the process. */
function partnerOf(
  setup: PartnerSetup,
  scene: Pick<PonteScene, 'server' | 'network'>,
  bankingPartner: string | null,
): RunningPartner {
  const { state, url } = scene.server;
  let sent = 0;
  return {
    ...createBlindPayPartner({
      ...setup,
      url,
      apiKey,
      instanceId,
      secrets: [secret],
      limit: { perMinute: 0, burst: 1 },
      route: {
        network: 'polygon_amoy',
        token: 'USDB',
        paymentMethod: 'ach',
        bankingPartner,
      },
    }),
    async sendDueMessages() {
      state.tick();
      const fresh = state.messages.slice(sent);
      sent = state.messages.length;
      for (const message of fresh) {
        await scene.network(() => setup.deliver(state.sign(message, secret)));
      }
      return fresh.length;
    },
    nextDueAtMs: () => state.nextDueAtMs(),
  };
}

export async function readySeller({ ponte }: PonteScene): Promise<string> {
  const seller = { role: 'seller', entityType: 'business', externalId: 'seller-1' };
  const { id } = await ponte.post('/v1/connected-accounts', { ...seller, country: 'BR' });
  const dossier = { email: 'eva@lima.example', legalName: 'Lima Ltda', cnpj: '11.222.333/0001-81' };
  const submitted = await ponte.post(`/v1/connected-accounts/${id}/submit`, dossier);
  assert.equal(submitted['status'], 'verifying');
  await ponte.advanceTime(MINUTE_MS);
  const approved = await ponte.get(`/v1/connected-accounts/${id}`);
  assert.equal(approved['status'], 'approved');
  const pix = { pixKey: 'eva@lima.example', accountHolderName: 'Eva Lima' };
  await ponte.post(`/v1/connected-accounts/${id}/payout-config`, pix);
  await ponte.advanceTime(MINUTE_MS);
  const ready = await ponte.get(`/v1/connected-accounts/${id}`);
  assert.equal(ready['readyToCollect'], true);
  return String(id);
}

export async function paidOrder(
  { ponte }: PonteScene,
  amount = '1250.00',
  {
    to = 'settled',
    lastsMs = HOUR_MS,
    ...fields
  }: { to?: string; lastsMs?: number; purpose?: string; buyer?: object; externalId?: string } = {},
) {
  const buyer = { email: 'ana@buyer.example', name: 'Ana Lima', country: 'US' };
  const order = { externalId: amount, amount, buyer, sellerExternalId: 'seller-1', ...fields };
  const { id } = await ponte.post('/v1/payments', order);
  await ponte.post(`/v1/test-helpers/payments/${id}/advance`, { to });
  await ponte.advanceTime(lastsMs);
  return ponte.get(`/v1/payments/${id}`);
}

/** The payment of paidOrder is settled, and BlindPay has one object of each kind for it. */
export async function assertSettledOnce(
  { ponte, server }: PonteScene,
  payment: Record<string, unknown>,
): Promise<void> {
  const { status, brlSettledAmount, fxRateAtSettlement } = payment;
  const expected = ['settled', '6677.15', '5.3459968'];
  assert.deepEqual([status, brlSettledAmount, fxRateAtSettlement], expected);
  const { payins, payouts, customers, bankAccounts, wallets } = server.state;
  assert.deepEqual([payins.length, payouts.length], [1, 1]);
  // The organization, the seller and the buyer; the first two are paid.
  assert.deepEqual([customers.length, bankAccounts.length, wallets.length], [3, 2, 2]);
  assert.deepEqual(await findDifferences(ponte.deps, 10), []);
}

/** Calls that have an effect. */
export const effectiveCalls = [
  'POST /customers',
  'POST /payins/evm',
  'POST /quotes',
  'POST /payouts/evm',
] as const;

/** A payment whose first such call meets the fault. */
export async function settleDespite(t: SuiteEnd, call: string, fault: Fault): Promise<void> {
  const scene = await openPonte(t);
  await readySeller(scene);
  scene.server.failNext(call, fault);
  const first = await paidOrder(scene);
  scene.server.runLate();
  await scene.ponte.advanceTime(HOUR_MS);
  await assertSettledOnce(scene, await scene.ponte.get(`/v1/payments/${first['id']}`));
}
