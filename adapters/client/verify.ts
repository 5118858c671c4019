// `ponte-payments/webhooks`: verification for receivers of webhooks, by
// core/domain/webhooks/signature.ts with the machine's clock as default.
import {
  type VerifiedWebhook,
  type VerifyWebhookInput,
  verifyWebhook as verifyWebhookAt,
} from '../../core/domain/webhooks/signature.js';
import { PonteError } from '../../core/errors.js';
import type { WebhookEvent } from './ponte-client.js';

export type {
  InvalidWebhookReason,
  VerifiedWebhook,
} from '../../core/domain/webhooks/signature.js';
export { signWebhook, webhookHeaders } from '../../core/domain/webhooks/signature.js';
export type { WebhookEvent } from './ponte-client.js';
export { PonteError };

export interface VerifyWebhookOptions extends Omit<VerifyWebhookInput, 'nowSeconds'> {
  /** The current time in Unix seconds; the machine's clock by default. */
  readonly nowSeconds?: number;
}

/**
 * Checks that a webhook was signed with the secret of the subscription, at most 300 seconds before
 * or after now. Returns a reason for an invalid webhook, and never throws. Pass the raw body,
 * before any JSON parsing. Drop duplicates by X-Service-Delivery-Id, which is the same on every
 * attempt.
 */
export function verifyWebhook(options: VerifyWebhookOptions): VerifiedWebhook {
  const nowSeconds = options.nowSeconds ?? Math.floor(Date.now() / 1_000);
  return verifyWebhookAt({ ...options, nowSeconds });
}

/**
 * Verifies and parses a webhook; `event` determines the properties of `data`. Throws a PonteError
 * with the code InvalidSignature and the reason for an invalid webhook.
 */
export function constructEvent(options: VerifyWebhookOptions): WebhookEvent {
  const result = verifyWebhook(options);
  if (!result.valid) {
    throw new PonteError('InvalidSignature', `The webhook is not valid: ${result.reason}.`);
  }
  const { body } = options;
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
}
