// Every column with sealed texts, and the purpose that binds a text to its row: opening it for
// another row fails. A reseal covers exactly these columns. Key check values are removed with their
// key.
import { requestPurpose } from '../commands/partner-command.js';
import { payerPurpose } from '../deposits/deposit.js';
import { tokenPurpose } from '../mail/mail.js';
import { dossierPurpose, draftPurpose } from '../parties/buyer-kyc.js';
import { taxIdPurpose } from '../parties/connected-account.js';
import { partyDraftPurpose } from '../parties/party-draft.js';
import { secretPurpose } from '../webhooks/subscription.js';
import { serviceKeyPurpose } from './service-key.js';

/** The row of a sealed text: the values of its primary key, and its id. */
export interface SealedPlace {
  readonly key: readonly string[];
  readonly id: string;
}

export const sealedColumns = {
  'connected_accounts.tax_id_sealed': taxIdPurpose,
  'kyc_submissions.dossier_sealed': dossierPurpose,
  'kyc_submissions.draft_sealed': draftPurpose,
  'mails.token_sealed': tokenPurpose,
  'partner_commands.request': requestPurpose,
  'party_drafts.draft_sealed': partyDraftPurpose,
  'deposits.payer_sealed': payerPurpose,
  'service_keys.sealed': serviceKeyPurpose,
  'subscriptions.secret_sealed': secretPurpose,
} as const satisfies Readonly<Record<string, (row: SealedPlace) => string>>;

export type SealedColumn = keyof typeof sealedColumns;
