// Tax ids: the Brazilian ones, CPF and CNPJ, with their check digits, and what may be shown of any.
import { plainSigns } from '../base/typed-text.js';

/** The digits of a CPF with right check digits; null for any other text. */
export function readCpf(text: string): string | null {
  const cpf = bare(text);
  if (!/^[0-9]{11}$/.test(cpf) || isOneDigit(cpf)) return null;
  return hasCheckDigits(cpf, 11) ? cpf : null;
}

/**
 * A CNPJ with right check digits, without punctuation, in capitals; null for any other text: twelve
 * digits, since July 2026 also letters, and two check digits (Receita Federal, Instrução Normativa
 * RFB 2.229/2024).
 */
export function readCnpj(text: string): string | null {
  const cnpj = bare(text);
  if (!/^[0-9A-Z]{12}[0-9]{2}$/.test(cnpj) || isOneDigit(cnpj)) return null;
  return hasCheckDigits(cnpj, 9) ? cnpj : null;
}

/** What may be shown of a tax id; null where that would be most of it. */
export function lastFour(taxId: string): string | null {
  const plain = taxId.replace(/[^\p{L}\p{N}]/gu, '');
  return plain.length < 8 ? null : plain.slice(-4);
}

function bare(text: string): string {
  return plainSigns(text)
    .trim()
    .replace(/[ ./-]/g, '')
    .toUpperCase();
}

/** Such a number passes the check and is nobody's. */
function isOneDigit(text: string): boolean {
  return /^(.)\1*$/.test(text);
}

/**
 * A character counts as its ASCII code minus 48. Weights run from 2 to `weightMax` from the right,
 * and again. The check digit is 11 minus the sum modulo 11, or 0 where that is above 9.
 */
export function weightedCheckDigit(text: string, weightMax: number): string {
  const sum = [...text].reverse().reduce((total, char, index) => {
    const weight = 2 + (index % (weightMax - 1));
    return total + (char.charCodeAt(0) - 48) * weight;
  }, 0);
  const rest = sum % 11;
  return String(rest < 2 ? 0 : 11 - rest);
}

function hasCheckDigits(text: string, weightMax: number): boolean {
  const first = weightedCheckDigit(text.slice(0, -2), weightMax);
  return text.endsWith(`${first}${weightedCheckDigit(`${text.slice(0, -2)}${first}`, weightMax)}`);
}
