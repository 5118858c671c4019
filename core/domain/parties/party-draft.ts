// The draft of the form of a seller or an organization: one sealed row for each. The draft of a
// buyer is in its submission.
import type { Tenant } from '../base/tenant.js';

export interface PartyDraft extends Tenant {
  /** The id of the connected account or of the organization. */
  readonly id: string;
  readonly draftSealed: string;
  readonly version: number;
}

export function partyDraftPurpose({ id }: Pick<PartyDraft, 'id'>): string {
  return `party-draft:${id}`;
}
