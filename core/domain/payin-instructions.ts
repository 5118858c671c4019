// How the buyer pays: bank details and reference, in a form that page, print, API and check code
// share. The partner's adapter translates into it; the payment stores it as JSON.
import type { Money } from './money.js';

export const rails = ['ach', 'wire', 'rtp', 'swift', 'sepa', 'fps', 'pix'] as const;
export type Rail = (typeof rails)[number];

/** In the order in which a page shows them. */
export const instructionFields = [
  'beneficiary',
  'accountNumber',
  'iban',
  'routingNumber',
  'bic',
  'accountType',
  'bank',
  'bankAddress',
  'beneficiaryAddress',
  'code',
] as const;
export type InstructionField = (typeof instructionFields)[number];

export interface RailInstructions {
  readonly rail: Rail;
  readonly fields: readonly { readonly name: InstructionField; readonly value: string }[];
  /** Working days; null if the partner does not say. */
  readonly arrivesWithinDays: { readonly from: number; readonly to: number } | null;
}

export interface PayinInstructions {
  /** At least one; the first is the usual one. */
  readonly rails: readonly RailInstructions[];
  readonly amount: Money;
  /** To be sent with the transfer. */
  readonly reference: string | null;
  /** False where the account alone identifies the payer. */
  readonly referenceRequired: boolean;
  /** Whose name the account has. */
  readonly holder: 'payee' | 'partner';
  /** Money that arrives later is returned; null if the partner does not say. */
  readonly payByMs: number | null;
}
