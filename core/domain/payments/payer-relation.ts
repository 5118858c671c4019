// How the payer is related to the payee. Central banks ask for it with each payment from abroad,
// and the organization knows it. The list is ours.

export const payerRelations = {
  unrelated: 'no ownership in either direction',
  parent: 'the payer controls the payee',
  subsidiary: 'the payee controls the payer',
  affiliate: 'one owner controls both',
  branch: 'one is a branch of the other',
  shareholder: 'one has a share in the other, without control',
  relative: 'a member of the family',
} as const;

/** What payments of trials say, so that each rule of a partner takes them. */
export const trialFacts = { purpose: 'services', payerRelation: 'unrelated' } as const;

export type PayerRelation = keyof typeof payerRelations;
export const payerRelationNames = Object.keys(payerRelations) as readonly PayerRelation[];
