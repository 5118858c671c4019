// The bank details of a fake pay-in. Account numbers follow from the transaction, with valid check
// digits; banks and BICs are the ones that test systems use, so that no real account is named.
import { createHash } from 'node:crypto';
import { DAY_MS } from '../../core/domain/base/instant.js';
import type { Money } from '../../core/domain/base/money.js';
import type {
  InstructionField,
  PayinInstructions,
  RailInstructions,
} from '../../core/domain/payments/payin-instructions.js';
import { assert } from '../../core/errors.js';
import type { CollectInput } from '../../core/ports/partner.js';

export const PAY_WITHIN_MS = 7 * DAY_MS;

type Details = Partial<Record<InstructionField, string>>;

const beneficiary = {
  beneficiary: 'Ponte Sandbox Inc.',
  beneficiaryAddress: '1 Sandbox Way, Wilmington, DE 19801, United States',
} as const;

/** `digits`: 20 digits that differ between transactions. */
const railsOf: Readonly<Record<string, (digits: string) => readonly RailInstructions[]>> = {
  USD: (digits) => {
    const account = {
      ...beneficiary,
      accountNumber: digits.slice(-12),
      bank: 'Sandbox Bank',
      bankAddress: '100 Test Street, New York, NY 10001, United States',
    };
    const domestic = { ...account, routingNumber: '110000000', accountType: 'Checking' };
    return [
      rail('ach', domestic, [1, 3]),
      rail('wire', domestic, [0, 1]),
      rail('swift', { ...account, bic: 'SBOXUS30XXX' }, [1, 5]),
    ];
  },
  EUR: (digits) => [
    rail(
      'sepa',
      {
        ...beneficiary,
        iban: germanIban(`10011001${digits.slice(-10)}`),
        bic: 'SBOXDE30XXX',
        bank: 'Sandbox Bank Europe',
        bankAddress: 'Teststraße 1, 10115 Berlin, Germany',
      },
      [0, 2],
    ),
  ],
  GBP: (digits) => [
    rail(
      'fps',
      {
        ...beneficiary,
        accountNumber: digits.slice(-8),
        code: '04-00-04',
        bank: 'Sandbox Bank UK',
        bankAddress: '1 Test Lane, London EC2A 4NE, United Kingdom',
      },
      [0, 1],
    ),
  ],
};

/** For a transfer to the account of this party, which the payer names by the reference. */
export function collectInstructions(
  { partyRef, amount, reference }: CollectInput,
  preparedAtMs: number,
): PayinInstructions {
  return { ...instructionsOf({ partnerRef: partyRef, amount, preparedAtMs }), reference };
}

/** The same for the same order. */
export function instructionsOf(payin: {
  readonly partnerRef: string;
  readonly amount: Money;
  readonly preparedAtMs: number;
}): PayinInstructions {
  const { partnerRef, amount, preparedAtMs } = payin;
  const rails = railsOf[amount.currency];
  assert(rails !== undefined, `the fake partner has an account in ${amount.currency}`);
  const hex = createHash('sha256').update(partnerRef).digest('hex').slice(0, 16);
  const digits = `${BigInt(`0x${hex}`)}`.padStart(20, '0');
  return {
    rails: rails(digits),
    amount,
    reference: digits.slice(0, 8),
    referenceRequired: true,
    holder: 'partner',
    payByMs: preparedAtMs + PAY_WITHIN_MS,
  };
}

function rail(
  name: RailInstructions['rail'],
  details: Details,
  [from, to]: readonly [from: number, to: number],
): RailInstructions {
  const fields = Object.entries(details).map(([field, value]) => ({
    name: field as InstructionField,
    value,
  }));
  return { rail: name, fields, arrivesWithinDays: { from, to } };
}

/** With the check digits of ISO 13616: the whole number, DE00 at its end, is 1 modulo 97. */
function germanIban(account: string): string {
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${`${check}`.padStart(2, '0')}${account}`;
}
