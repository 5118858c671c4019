// The settlement partners of the scenario of a whole integration, and in what they differ for an
// operator and an integrator.
import assert from 'node:assert/strict';
import { connectHost } from '../blindpay/blindpay-operator.js';
import { acceptTerms, startBlindPayService } from '../blindpay/blindpay-service.js';
import { until } from '../wait.js';

type Environment = Readonly<Record<string, string>>;

export interface ScenarioPartner {
  /** Prepares the partner for a host at this address. */
  start(hostUrl: string): Promise<StartedPartner>;
  /** Accepts the terms of a session as a person; returns where the browser goes next. */
  acceptTerms(sessionUrl: string): Promise<URL>;
  /** The status of a party in the answer to its dossier: one of these. */
  readonly submitted: readonly ('approved' | 'verifying')[];
}

export interface StartedPartner {
  /** What an operator sets. */
  readonly env: Environment;
  /** Whether the messages of the partner arrived, as far as they are sent over HTTP. */
  checkMessages(): Promise<void>;
  close(): Promise<void>;
}

export const scenarioPartners = {
  'the fake partner': {
    start: async () => ({
      env: { PONTE_FAKE_PARTNER_DELAY_MS: '0' },
      checkMessages: async () => undefined,
      close: async () => undefined,
    }),
    // Its session is the way back.
    acceptTerms: async (sessionUrl) => new URL(sessionUrl),
    submitted: ['approved'],
  },
  // It decides at any time.
  BlindPay: { start: startBlindPayFor, acceptTerms, submitted: ['verifying', 'approved'] },
} as const satisfies Readonly<Record<string, ScenarioPartner>>;

/** BlindPay's simulator, whose instance has a webhook endpoint at the host. */
async function startBlindPayFor(hostUrl: string): Promise<StartedPartner> {
  const service = await startBlindPayService();
  return {
    env: await connectHost(service, hostUrl, 'test'),
    async checkMessages() {
      const { payins, payouts } = service.state;
      assert.deepEqual([payins.length, payouts.length], [2, 2]);
      await until(() => service.sent.length === service.state.messages.length);
      const refused = service.sent.filter(({ status }) => status !== 200);
      assert.deepEqual(refused, []);
    },
    close: () => service.close(),
  };
}
