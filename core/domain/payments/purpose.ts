// What a payment is for. The partner reports it with the foreign exchange operation: the customer
// answers for the classification (Resolução BCB 277/2022, art. 4). The list is ours; the partner
// finds the code of its report by the words.

/** The words that the partner receives. */
export const purposes = {
  goods: 'goods',
  services: 'services',
  software_and_licenses: 'software and licenses',
  royalties: 'royalties',
  freight_and_logistics: 'freight and logistics',
  advertising: 'advertising',
  commissions: 'commissions',
  rentals: 'rentals',
  other: 'other',
} as const;

export type Purpose = keyof typeof purposes;
export const purposeNames = Object.keys(purposes) as readonly Purpose[];
