// The integrators' servers: each URL has a mood, and every request that reaches a server is
// recorded for the invariants.
import { webhookHeaders } from '../../../core/domain/webhooks/signature.js';
import type { WebhookRequest, WebhookResult, WebhookSender } from '../../../core/ports/outside.js';
import type { Gates, SimulatedProcess } from './gates.js';

export const moods = ['well', 'answers 500', 'redirects', 'down', 'hangs'] as const;
export type Mood = (typeof moods)[number];

export interface ReceivedWebhook {
  readonly deliveryId: string;
  readonly eventType: string;
  readonly signature: string;
  readonly body: string;
  /** When the sender began: it gives up 10 s later, so nothing arrives much after that. */
  readonly sentAtMs: number;
  readonly answered: number | null;
  /** The sealed secret that was the newest when the delivery was claimed. */
  readonly claimedSecret: string;
}

const answers: Readonly<Record<Mood, WebhookResult>> = {
  well: { responseStatus: 200, responseBody: 'ok', error: null, durationMs: 12 },
  'answers 500': { responseStatus: 500, responseBody: 'oh', error: null, durationMs: 12 },
  redirects: { responseStatus: 302, responseBody: '', error: null, durationMs: 12 },
  down: { responseStatus: null, responseBody: null, error: 'ECONNREFUSED', durationMs: 1 },
  hangs: { responseStatus: null, responseBody: null, error: 'time-out', durationMs: 10_000 },
};

export class SimulatedReceivers {
  readonly received: ReceivedWebhook[] = [];
  readonly moods = new Map<string, Mood>();
  readonly #gates: Gates;
  readonly #nowMs: () => number;
  readonly #secretToSign: (process: string, deliveryId: string) => string;

  constructor(input: {
    readonly gates: Gates;
    readonly nowMs: () => number;
    readonly secretToSign: (process: string, deliveryId: string) => string;
  }) {
    this.#gates = input.gates;
    this.#nowMs = input.nowMs;
    this.#secretToSign = input.secretToSign;
  }

  sender(process: SimulatedProcess): WebhookSender {
    return {
      send: async (request) => {
        const deliveryId = request.headers[webhookHeaders.deliveryId] ?? 'none';
        const claimedSecret = this.#secretToSign(process.name, deliveryId);
        const sentAtMs = this.#nowMs();
        const arrive = () => this.#arrive(request, { deliveryId, claimedSecret, sentAtMs });
        await this.#gates.pass(process, `send ${deliveryId}`, arrive);
        const result = arrive();
        const answer = result.responseStatus ?? result.error;
        await this.#gates.pass(process, `sent ${deliveryId}: ${answer}`);
        return result;
      },
      refusal: () => Promise.resolve(null),
      close: () => Promise.resolve(),
    };
  }

  #arrive(
    request: WebhookRequest,
    known: Pick<ReceivedWebhook, 'deliveryId' | 'claimedSecret' | 'sentAtMs'>,
  ): WebhookResult {
    const { url, headers, body } = request;
    const mood = this.moods.get(url) ?? 'well';
    const result = answers[mood];
    if (mood !== 'down') {
      this.received.push({
        ...known,
        eventType: headers[webhookHeaders.eventType] ?? 'none',
        signature: headers[webhookHeaders.signature] ?? 'none',
        body,
        answered: result.responseStatus,
      });
    }
    return result;
  }
}
