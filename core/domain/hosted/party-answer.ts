// An answer to what the partner wants: which of the due fields a dossier has values for. A field
// that the dossier does not know is a question, answered under the partner's key.
import type { Dossier } from '../parties/dossier.js';
import { type Correction, correctionsOf, type PartyDue, TERMS } from '../parties/party-due.js';
import { fieldNamed } from './kyc-fields.js';

/** As the API names it: `owners[0].taxId`, or the partner's key of a question. */
function nameOfDue(path: string): string {
  const named = fieldNamed(path);
  if (named === null) return path;
  return named.position === null ? named.field : `owners[${named.position}].${named.field}`;
}

/** What is due, under the names of the API. */
export function shownDue(due: PartyDue): readonly Correction[] {
  return correctionsOf(due).map(({ field, reason }) => ({ field: nameOfDue(field), reason }));
}

/** What a dossier can answer: the terms are accepted elsewhere. */
function answerable(due: PartyDue): readonly Correction[] {
  return correctionsOf(due).filter(({ field }) => field !== TERMS);
}

/** The names of due fields without a value in the dossier. */
export function unanswered(due: PartyDue, dossier: Dossier): readonly string[] {
  return answerable(due)
    .filter(({ field }) => !hasValue(dossier, field))
    .map(({ field }) => nameOfDue(field));
}

/** Whether the dossier answers anything. */
export function isAnswer(due: PartyDue, dossier: Dossier): boolean {
  return answerable(due).some(({ field }) => hasValue(dossier, field));
}

function hasValue(dossier: Dossier, path: string): boolean {
  const answer = dossier.answers?.[path];
  if (answer !== undefined) return answer.trim() !== '';
  const named = fieldNamed(path);
  const owner = named?.position == null ? null : (dossier.owners?.[named.position] ?? {});
  const from: Readonly<Record<string, unknown>> = { ...(owner ?? dossier) };
  const name = named?.field ?? path;
  // The tax id of a Brazilian company is its company number.
  const value = from[name] ?? (name === 'taxId' ? from['cnpj'] : null) ?? null;
  return typeof value === 'string' ? value.trim() !== '' : value !== null;
}
