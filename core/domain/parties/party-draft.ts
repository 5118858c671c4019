// The draft of the form of a seller or an organization: one sealed row for each. The draft of a
// buyer is in its submission.
import type { Tenant } from '../base/tenant.js';

export interface PartyDraft extends Tenant {
  /** The id of the connected account or of the organization. */
  readonly id: string;
  readonly draftSealed: string;
  /** When it was changed last. */
  readonly savedAtMs: number;
  readonly version: number;
}

/** The key is organization, mode and id: an organization has the same id in both modes. */
export function partyDraftPurpose({ key }: { readonly key: readonly string[] }): string {
  return `party-draft:${key.join(':')}`;
}
