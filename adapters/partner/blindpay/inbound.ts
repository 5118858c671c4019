// Messages of BlindPay, sent and signed by Svix. A message names an object that may have changed;
// its event is no evidence, because the documentation and the vendor's mock fire different ones.
// Dossiers in messages about customers are read by nobody.
import { z } from 'zod';
import type { Log } from '../../../core/ports/outside.js';
import type { InboundMessage, PartnerNotice } from '../../../core/ports/partner.js';
import { verifyMessage } from '../signed-message.js';

/** What the name of an event begins with, or else the id: some payloads have no event. */
const kinds = [
  { kind: 'party', event: 'customer.', id: 're_' },
  { kind: 'payin', event: 'payin.', id: 'pi_' },
  { kind: 'payout', event: 'payout.', id: 'po_' },
  { kind: 'payout', event: 'payout.', id: 'pa_' },
] as const;

/** An endpoint that sends fewer events leaves changes to the polls. */
export const neededEvents = [
  'customer.update',
  'payin.new',
  'payin.update',
  'payin.complete',
  'payout.update',
  'payout.complete',
] as const;

const messageShape = z.object({
  webhook_event: z.string().nullish(),
  id: z.string().nullish(),
  customer_id: z.string().nullish(),
});

export function readMessage(
  { secrets, log }: { readonly secrets: readonly string[]; readonly log: Log },
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
  nowMs: number,
): InboundMessage | null {
  for (const secret of secrets) {
    const message = verifyMessage({ secret, headers, body, nowMs });
    if (message === null) continue;
    const { messageId, text } = message;
    return { messageId, facts: noticesIn(text, log) };
  }
  return null;
}

function noticesIn(text: string, log: Log): readonly PartnerNotice[] {
  const { webhook_event: event, id, customer_id: customerId } = messageIn(text);
  // A customer has accepted a new version; without one, a dossier will name the terms.
  if (event === 'tos.accept' && customerId) {
    return [{ kind: 'party', reference: null, partnerRef: customerId, report: null }];
  }
  const row = kinds.find((one) => (event ? event.startsWith(one.event) : id?.startsWith(one.id)));
  if (row === undefined || !id) {
    log.info('a message of BlindPay without effect', { event: event ?? null });
    return [];
  }
  return [{ kind: row.kind, reference: null, partnerRef: id, report: null }];
}

function messageIn(text: string): z.output<typeof messageShape> {
  try {
    return messageShape.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}
