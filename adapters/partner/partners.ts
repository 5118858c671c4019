// The settlement partners that a host can be configured with, by name. To add one, write its files
// beside this one and add a line to the table.
import { fakePartner } from './fake.js';
import type { PartnerKind } from './hosted-partner.js';

export const partners = {
  fake: fakePartner,
} as const satisfies Readonly<Record<string, PartnerKind>>;

export type PartnerName = keyof typeof partners;

export const partnerNames = Object.keys(partners) as readonly PartnerName[];

/** The environment variables of all partners. */
export const partnerVariables: PartnerKind['variables'] = Object.assign(
  {},
  ...Object.values<PartnerKind>(partners).map(({ variables }) => variables),
);
