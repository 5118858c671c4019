// The settlement partners by name. To add one, add a folder and a line to the
// table.
import { blindPayPartner } from './blindpay/blindpay.js';
import { fakePartner } from './fake.js';
import type { PartnerKind } from './running-partner.js';

export const partners = {
  fake: fakePartner,
  blindpay: blindPayPartner,
} as const satisfies Readonly<Record<string, PartnerKind>>;

export type PartnerName = keyof typeof partners;

export const partnerNames = Object.keys(partners) as readonly PartnerName[];

/** The environment variables of all partners. */
export const partnerVariables: PartnerKind['variables'] = Object.assign(
  {},
  ...Object.values<PartnerKind>(partners).map(({ variables }) => variables),
);
