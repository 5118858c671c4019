// The details of an organization's KYB, as one page asks for them: what the dossier or the partner
// requires in texts. Owners, documents and answers to questions are not asked for here.
import { type Dossier, requirements } from '../parties/dossier.js';
import {
  checkField,
  type FieldProblem,
  type FormField,
  formFields,
  type Typed,
} from './kyc-fields.js';
import { type AskedField, addressFields } from './kyc-form.js';

/** In the order of the page. */
const pageFields: readonly FormField[] = [
  'legalName',
  'cnpj',
  'formationDate',
  'website',
  'phone',
  ...addressFields,
];

/** What the page asks for; `extra`: the partner's requirements. */
export function kybFields(extra: readonly (keyof Dossier)[]): readonly AskedField[] {
  const required = requiredBy(extra);
  return pageFields.flatMap((field) => {
    const isRequired = required.has(field);
    const isAsked = isRequired || (field === 'addressLine2' && required.has('addressLine1'));
    return isAsked ? [{ field, isRequired }] : [];
  });
}

/** What is required beside it, of owners and documents; the terms have a page. */
export function requiredElsewhere(extra: readonly (keyof Dossier)[]): readonly FormField[] {
  return [...requiredBy(extra)].filter(
    (field) =>
      Object.hasOwn(formFields, field) &&
      field !== 'tosId' &&
      field !== 'email' &&
      !pageFields.includes(field),
  );
}

/** The dossier so far; a field with a problem is left out. */
export interface CheckedKyb {
  readonly dossier: Dossier;
  readonly problems: Readonly<Partial<Record<FormField, FieldProblem>>>;
}

export function checkKyb(
  extra: readonly (keyof Dossier)[],
  typed: Typed,
  nowMs: number,
): CheckedKyb {
  const values: Record<string, string> = {};
  const problems: Partial<Record<FormField, FieldProblem>> = {};
  for (const { field, isRequired } of kybFields(extra)) {
    const checked = checkField(field, typed, nowMs);
    if ('problem' in checked) problems[field] = checked.problem;
    else if (checked.value !== null) values[field] = checked.value;
    else if (isRequired) problems[field] = 'missing';
  }
  return { dossier: values, problems };
}

function requiredBy(extra: readonly (keyof Dossier)[]): ReadonlySet<FormField> {
  const all: readonly string[] = [...requirements.seller.business, ...extra];
  return new Set(all as readonly FormField[]);
}
