// What the invariants know beside the database.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { OutgoingMail } from '../../../core/ports/outside.js';
import type { PartnerAbilities } from '../partner/history-partner.js';
import type { PartnerLedger } from '../partner/partner-ledger.js';
import type { PartnerMessage } from '../partner/partner-messages.js';
import type { Party, PixDestination, Rails } from '../partner/partner-parties.js';
import type { FeedReads } from '../world/feed-reader.js';
import type { ReceivedWebhook } from '../world/simulated-receivers.js';

/** The truth outside: what the partner, the receivers and the mailboxes know. */
export interface Outside {
  readonly abilities: PartnerAbilities;
  /** Where an organization itself is paid. */
  readonly destinationOf: (tenant: Tenant) => string;
  readonly books: PartnerLedger;
  readonly parties: () => readonly Party[];
  /** References of parties that the partner turned away at once. */
  readonly turnedAway: () => readonly string[];
  readonly destinations: () => readonly PixDestination[];
  readonly rails: () => readonly Rails[];
  readonly mails: () => readonly OutgoingMail[];
  /** By document, the names of its uploads of which the store has bytes. */
  readonly storedDocuments: () => ReadonlyMap<string, readonly string[]>;
  /** Messages of the partner without an answer. */
  readonly messages: () => readonly PartnerMessage[];
  readonly misuse: () => readonly string[];
  readonly received: () => readonly ReceivedWebhook[];
  readonly feedReads: FeedReads;
}

export function mailIdOf(messageId: string): string {
  return messageId.split('.', 1)[0] ?? '';
}
