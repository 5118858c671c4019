// What a Brazilian exporter of services must be able to show to keep the exemption of PIS and
// COFINS: a payer abroad, a conversion of currencies, and the link to the service (Cosit 160/2024,
// 179/2025). Whether a transfer of a stablecoin counts as the inflow is not settled. No advice.
import type { Proof } from './proof.js';

export const demands = ['payer_abroad', 'conversion', 'service'] as const;
export type Demand = (typeof demands)[number];

interface FactRule {
  readonly demand: Demand;
  readonly isShown: (proof: ProvenFacts) => boolean;
}

/** What shows each demand, by the name of the field in a proof. */
const rules = {
  'payer.name': { demand: 'payer_abroad', isShown: ({ payer }) => payer?.name != null },
  'payer.country': {
    demand: 'payer_abroad',
    isShown: ({ payer }) => payer?.country != null && payer.country !== 'BR',
  },
  'payer.told': {
    demand: 'payer_abroad',
    isShown: ({ payer }) => (payer?.told ?? []).length > 0,
  },
  'payer.agreement': {
    demand: 'payer_abroad',
    isShown: ({ payer }) => payer?.agreement !== 'differs',
  },
  currency: { demand: 'conversion', isShown: ({ currency }) => currency !== 'BRL' },
  settlements: { demand: 'conversion', isShown: (proof) => standingOf(proof) !== undefined },
  'settlements.endToEndId': {
    demand: 'conversion',
    isShown: (proof) => standingOf(proof)?.endToEndId !== null,
  },
  fiscalDocument: {
    demand: 'service',
    isShown: ({ fiscalDocument: one }) => !!(one?.key ?? one?.number),
  },
  invoice: { demand: 'service', isShown: ({ invoice }) => invoice !== null },
  purpose: { demand: 'service', isShown: ({ purpose }) => purpose !== null },
} as const satisfies Readonly<Record<string, FactRule>>;

export type ProvenFacts = Omit<Proof, 'exemption'>;
export type ProvableFact = keyof typeof rules;
export const provableFacts = Object.keys(rules) as readonly ProvableFact[];

export interface DemandCheck {
  readonly demand: Demand;
  /** Empty: it is met. */
  readonly missing: readonly ProvableFact[];
}

export function exemptionOf(facts: ProvenFacts): readonly DemandCheck[] {
  return demands.map((demand) => {
    const asked = provableFacts.filter((name) => rules[name].demand === demand);
    return { demand, missing: asked.filter((name) => !rules[name].isShown(facts)) };
  });
}

/** The PIX that the payee has. */
function standingOf({ settlements }: ProvenFacts) {
  return settlements.find(({ returnedAt }) => returnedAt === null);
}
