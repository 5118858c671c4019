// How the buyer pays: bank details and reference, in a form that page, print, API and check code
// share. The partner's adapter translates into it; the payment stores it as JSON.
import { assert } from '../../errors.js';
import { sepaCountries } from '../base/countries.js';
import { type Money, money } from '../base/money.js';
import { isStorable } from '../base/raw-json.js';

export const transferMethods = ['ach', 'wire', 'rtp', 'swift', 'sepa', 'fps', 'pix'] as const;
export type TransferMethod = (typeof transferMethods)[number];

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

export const accountHolders = ['payee', 'partner'] as const;
export type AccountHolder = (typeof accountHolders)[number];

export interface RailInstructions {
  readonly rail: TransferMethod;
  readonly fields: readonly { readonly name: InstructionField; readonly value: string }[];
  /** Working days; null if the partner does not say. */
  readonly arrivesWithinDays: { readonly from: number; readonly to: number } | null;
}

export interface PayinInstructions {
  /** At least one, in the order of the partner; `railsFrom` gives the order of a buyer. */
  readonly rails: readonly RailInstructions[];
  readonly amount: Money;
  /** To be sent with the transfer. */
  readonly reference: string | null;
  /** False where the account alone identifies the payer. */
  readonly referenceRequired: boolean;
  /** Whose name the account has. */
  readonly holder: AccountHolder;
  /** Money that arrives later is returned; null if the partner does not say. */
  readonly payByMs: number | null;
}

/** Where banks send by a rail; null: everywhere. */
const countriesOfRail = {
  ach: ['US'],
  wire: ['US'],
  rtp: ['US'],
  swift: null,
  sepa: sepaCountries,
  fps: ['GB'],
  pix: ['BR'],
} as const satisfies Record<TransferMethod, readonly string[] | null>;

/**
 * The rails as a buyer in this country needs them: first the domestic ones, then those that
 * reach every country, then the others. Equal ones, and all without a country, keep their order.
 */
export function railsFrom(
  { rails }: PayinInstructions,
  country: string | null,
): readonly RailInstructions[] {
  if (country === null) return rails;
  const distance = ({ rail }: RailInstructions): number => {
    const reached: readonly string[] | null = countriesOfRail[rail];
    if (reached === null) return 1;
    return reached.includes(country) ? 0 : 2;
  };
  return rails.toSorted((one, other) => distance(one) - distance(other));
}

/** The stored text: amounts in minor units as decimal strings. Equal instructions, equal text. */
export function writePayinInstructions(instructions: PayinInstructions): string {
  const known = texts.get(instructions);
  if (known !== undefined) return known;
  const { amount, rails: given, reference, referenceRequired, holder, payByMs } = instructions;
  const text = JSON.stringify({
    rails: given.map(({ rail, fields, arrivesWithinDays: days }) => ({
      rail,
      fields: fields.map(({ name, value }) => ({ name, value })),
      arrivesWithinDays: days === null ? null : { from: days.from, to: days.to },
    })),
    amount: { amountMinor: `${amount.amountMinor}`, currency: amount.currency },
    reference,
    referenceRequired,
    holder,
    payByMs,
  });
  // What an adapter made of a partner's answer is checked before it is stored.
  readPayinInstructions(text);
  texts.set(instructions, text);
  return text;
}

/** Every change of a payment writes them again, and they never change. */
const texts = new WeakMap<PayinInstructions, string>();

/** The instructions of a stored text; any other text throws. */
export function readPayinInstructions(text: string): PayinInstructions {
  const { amount, ...read } = JSON.parse(text) as Stored;
  const { rails, reference, referenceRequired, holder, payByMs } = read;
  check(Array.isArray(rails) && rails.length > 0 && rails.every(isRail), 'rails');
  check(minorForm.test(amount.amountMinor) && currencyForm.test(amount.currency), 'an amount');
  check(reference === null || isText(reference), 'a reference');
  check(typeof referenceRequired === 'boolean', 'whether the reference is required');
  check(!referenceRequired || reference !== null, 'the reference that is required');
  check(accountHolders.includes(holder), 'the holder of the account');
  check(payByMs === null || isWhole(payByMs), 'a time limit');
  const given = money(BigInt(amount.amountMinor), amount.currency);
  const made = Object.freeze({ ...read, amount: given });
  texts.set(made, text);
  return made;
}

type Stored = Omit<PayinInstructions, 'amount'> & {
  readonly amount: { readonly amountMinor: string; readonly currency: string };
};

const minorForm = /^[1-9][0-9]{0,17}$/;
const currencyForm = /^[A-Z]{3}$/;
const methods: ReadonlySet<unknown> = new Set(transferMethods);
const fieldNames: ReadonlySet<unknown> = new Set(instructionFields);

function isRail({ rail, fields, arrivesWithinDays: days }: RailInstructions): boolean {
  return (
    methods.has(rail) &&
    Array.isArray(fields) &&
    fields.length > 0 &&
    fields.every(({ name, value }) => fieldNames.has(name) && isText(value)) &&
    (days === null || (isWhole(days.from) && isWhole(days.to) && days.from <= days.to))
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && isStorable(value);
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function check(holds: boolean, what: string): void {
  assert(holds, `pay-in instructions have ${what}`);
}
