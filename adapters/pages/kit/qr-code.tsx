// QR codes as drawings inside the page, and the code that European banking apps read.
import { encode } from 'uqr';
import type {
  InstructionField,
  PayinInstructions,
  RailInstructions,
} from '../../../core/domain/payments/payin-instructions.js';
import { plainAmount } from './format.js';
import { plainText } from './plain-text.js';

/** Dark on light in both schemes: cameras do not read it the other way round. */
export function QrCode({
  text,
  label,
}: {
  readonly text: string;
  /** What the code is for; the page has the same as text. */
  readonly label: string;
}) {
  const { data, size } = encode(text, { border: 4, ecc: 'M' });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg viewBox={`0 0 ${size} ${size}`} class="qr" role="img" aria-label={label}>
      <rect width={size} height={size} />
      <path d={squares.join('')} />
    </svg>
  );
}

const NAME_CHARACTERS_MAX = 70;
const REFERENCE_CHARACTERS_MAX = 140;

/** The lines of EPC069-12, version 2; null for a transfer that it cannot describe. */
export function epcCode(
  { amount, reference }: PayinInstructions,
  { rail, fields }: Pick<RailInstructions, 'rail' | 'fields'>,
): string | null {
  const field = (name: InstructionField) =>
    plainText(fields.find((one) => one.name === name)?.value);
  const iban = field('iban').replaceAll(' ', '');
  const name = field('beneficiary').slice(0, NAME_CHARACTERS_MAX);
  if (rail !== 'sepa' || amount.currency !== 'EUR' || iban === '' || name === '') return null;
  const remittance = plainText(reference ?? '').slice(0, REFERENCE_CHARACTERS_MAX);
  const utf8 = '1';
  const purpose = '';
  const structured = '';
  return [
    'BCD',
    '002',
    utf8,
    'SCT',
    field('bic'),
    name,
    iban,
    `EUR${plainAmount(amount)}`,
    purpose,
    structured,
    remittance,
  ].join('\n');
}
