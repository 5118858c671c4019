// What a spreadsheet does to a value before it writes it into a CSV file. Such a value is refused:
// the one that a person typed is lost, or may be another one.
import { readCnpj, readCpf } from '../../../../core/domain/parties/tax-id.js';

/** How the cells of a column are meant. */
export type CellKind = 'amount' | 'day' | 'id' | 'text';

type Loss = Readonly<{ form: RegExp; kinds: readonly CellKind[] }>;

const all = ['amount', 'day', 'id', 'text'] as const;

/** The first that fits is the reason. */
const losses = {
  /** The column was too narrow. Google Sheets and LibreOffice export what they show. */
  narrow: { form: /^#{2,}$/, kinds: all },
  /** `#N/A`, in Portuguese `#N/D`; `#REF!`, `#¡VALOR!`, `#NOME?`; in LibreOffice `Err:502`. */
  formula: { form: /^(?:#(?:N\/[AD]|[¡¿]?[\p{Lu}0/_]+[!?])|Err:[0-9]{3})$/u, kinds: all },
  /** `1,23457E+11`; of LibreOffice `1.23456789012346E+015`. An id as typed has no sign: `12E5`. */
  scientific: {
    form: /^[+-]?[0-9](?:[.,][0-9]+)?E[+-][0-9]{1,3}$/i,
    kinds: ['amount', 'day', 'id'],
  },
  /**
   * Excel keeps 15 digits of a number and writes zeros for the others. Of an id that ends in zeros,
   * such as a time in nanoseconds, the fifteenth digit is one of them, unless it is very long.
   */
  digits: { form: /^(?:[0-9]{14}[1-9]0{2,}|[0-9]{15}0{10,})$/, kinds: ['id'] },
  /** `12345678900,00`, of a column of ids that has the format of numbers. */
  decimals: { form: /^[0-9]{6,}[.,]0{1,2}$/, kinds: ['id'] },
  /** Days since 1899-12-30, perhaps with the time as a fraction. */
  serial: { form: /^[0-9]{4,6}(?:[.,][0-9]+)?$/, kinds: ['day'] },
  /** The short form of a day of Windows, without the century. */
  century: { form: /^[0-9]{1,2}([/.-])[0-9]{1,2}\1[0-9]{2}$/, kinds: ['day'] },
} as const satisfies Readonly<Record<string, Loss>>;

export type SpreadsheetLoss = keyof typeof losses;
const spreadsheetLosses = Object.keys(losses) as readonly SpreadsheetLoss[];

/** Null for a value as a person types it. */
export function lossOf(text: string, kind: CellKind): SpreadsheetLoss | null {
  const isLost = (name: SpreadsheetLoss) => {
    const { form, kinds }: Loss = losses[name];
    return kinds.includes(kind) && form.test(text);
  };
  return spreadsheetLosses.find(isLost) ?? null;
}

/** Whether an id that nobody has is a CPF or CNPJ with one or two zeros before it. */
export function hasLostZeros(id: string): boolean {
  if (!/^[0-9]{9,13}$/.test(id)) return false;
  return [id.padStart(11, '0'), id.padStart(14, '0')].some(
    (text) => text !== id && (readCpf(text) ?? readCnpj(text)) !== null,
  );
}
