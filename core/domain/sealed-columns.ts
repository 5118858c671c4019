// Everything that lies sealed in the database: the column, and what its texts are sealed for by the
// row they are in. Whoever seals anything else adds it here: a key that no text here needs is taken
// out of use. The known texts by which keys are told (secret-keys.ts) go with their keys.
import { draftPurpose } from './buyer-kyc.js';
import { taxIdPurpose } from './connected-account.js';
import { tokenPurpose } from './mail.js';
import { requestPurpose } from './partner-command.js';
import { serviceKeyPurpose } from './service-key.js';
import { secretPurpose } from './subscription.js';

export const sealedColumns = {
  'connected_accounts.tax_id_sealed': taxIdPurpose,
  'kyc_submissions.draft_sealed': draftPurpose,
  'mails.token_sealed': tokenPurpose,
  'partner_commands.request': requestPurpose,
  'service_keys.sealed': serviceKeyPurpose,
  'subscriptions.secret_sealed': secretPurpose,
} as const satisfies Readonly<Record<string, (row: { readonly id: string }) => string>>;

export type SealedColumn = keyof typeof sealedColumns;
