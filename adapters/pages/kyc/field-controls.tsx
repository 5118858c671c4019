// The control of each field of the KYC form: its kind, its words, what a browser may fill in, and
// its value as a reader sees it.
import {
  type FieldPlace,
  type FormField,
  formFields,
} from '../../../core/domain/hosted/kyc-fields.js';
import { type AskedField, ONE_NAME } from '../../../core/domain/hosted/kyc-form.js';
import { proofOfAddressDocTypes } from '../../../core/domain/parties/dossier.js';
import { Foreign } from '../kit/components.js';
import {
  CheckField,
  DateField,
  type DateParts,
  RadioField,
  SelectField,
  TextField,
} from '../kit/fields.js';
import { frameTexts } from '../kit/frame-texts.js';
import { type FieldScene, type KycScene, problemAt, textOf, valuesOf } from './kyc-scene.js';
import { countryNames, taxNameOf } from './kyc-texts.js';

/** Values of the HTML attribute, for a person who fills in their own data. */
const autocomplete: Readonly<Partial<Record<FormField, string>>> = {
  firstName: 'given-name',
  lastName: 'family-name',
  phone: 'tel',
  legalName: 'organization',
  website: 'url',
  country: 'country',
  addressLine1: 'address-line1',
  addressLine2: 'address-line2',
  city: 'address-level2',
  stateProvinceRegion: 'address-level1',
  postalCode: 'postal-code',
};

const types: Readonly<Partial<Record<FormField, 'tel'>>> = { phone: 'tel' };
const widths: Readonly<Partial<Record<FormField, 'short' | 'medium'>>> = {
  postalCode: 'short',
  phone: 'medium',
  taxId: 'medium',
  cnpj: 'medium',
  idDocNumber: 'medium',
};

/** Texts that are shown to the reader may not tell a browser to fill in another person's data. */
export function Fields({
  scene,
  fields,
  owner,
}: Readonly<{ scene: FieldScene; fields: readonly AskedField[]; owner: number | null }>) {
  const isSelf = owner === null || scene.form.author === 'owner';
  return fields.map(({ field, isRequired }) => (
    <Field scene={scene} place={{ field, owner }} isRequired={isRequired} isSelf={isSelf} />
  ));
}

interface FieldProps {
  readonly scene: FieldScene;
  readonly place: FieldPlace;
  readonly isRequired: boolean;
  /** The reader fills in their own data. */
  readonly isSelf: boolean;
}

function Field(props: FieldProps) {
  const { scene, place, isRequired, isSelf } = props;
  const { words, typed, view } = scene;
  const { field, owner } = place;
  const { form } = formFields[field];
  const stored = textOf(valuesOf(scene, owner)[field]);
  const label = labelOf(scene, place);
  const common = {
    name: field,
    label: isRequired ? label : frameTexts[view.locale].optional(label),
    hint: hintOf(scene, place, stored),
    error: problemAt(scene, place),
  };
  const value = typed[field] ?? stored ?? undefined;
  const fill = isSelf ? (autocomplete[field] ?? 'off') : 'off';
  switch (form) {
    case 'birth':
    case 'formation': {
      const birth = form === 'birth' && isSelf ? { birth: true as const } : {};
      const parts = typedDate(scene, field) ?? storedDate(stored);
      return <DateField {...common} {...birth} labels={datePartNames(scene)} value={parts} />;
    }
    case 'country': {
      const choices = countryNames(view.locale);
      // Most people have their documents from the country that the integrator named.
      const likely = value ?? textOf(scene.form.draft.dossier.country) ?? undefined;
      const more = { choices, value: likely, autocomplete: fill, empty: words.choose };
      return <SelectField {...common} {...more} />;
    }
    case 'choice':
      return <Choices scene={scene} field={field} value={value} common={common} />;
    case 'tax_id':
      return <TextField {...common} value={typed[field]} width="medium" spellcheck={false} />;
    case 'file':
    case 'owners':
    case 'terms':
      return null;
    default: {
      const width = widths[field];
      const type = types[field] ?? ('text' as const);
      const more = { type, ...(width === undefined ? {} : { width }) };
      const control = <TextField {...common} {...more} value={value} autocomplete={fill} />;
      if (field !== 'lastName') return control;
      return [
        control,
        <CheckField
          name={ONE_NAME}
          label={isSelf ? words.oneName : words.theirOneName}
          checked={typed[ONE_NAME] !== undefined}
        />,
      ];
    }
  }
}

type Common = Pick<Parameters<typeof RadioField>[0], 'name' | 'label' | 'hint' | 'error'>;

function Choices({
  scene,
  field,
  value,
  common,
}: Readonly<{ scene: FieldScene; field: FormField; value: string | undefined; common: Common }>) {
  const choices = choicesOf(scene, field);
  if (field !== 'proofOfAddressDocType') {
    return <RadioField {...common} choices={choices} value={value} />;
  }
  return <SelectField {...common} choices={choices} value={value} empty={scene.words.choose} />;
}

function choicesOf({ words }: Pick<FieldScene, 'words'>, field: FormField) {
  const names: Readonly<Record<string, string>> = {
    idDocType: words.idDocTypes,
    role: words.roles,
    taxType: { SSN: 'SSN', ITIN: 'ITIN' },
    proofOfAddressDocType: words.proofTypes,
  }[field as 'role'];
  const order: readonly string[] =
    field === 'proofOfAddressDocType' ? proofOfAddressDocTypes : Object.keys(names);
  return order.map((value) => ({ value, label: names[value] ?? value }));
}

/** Tax numbers are called by the name of the country, such as EIN. */
function labelOf(scene: FieldScene, { field, owner }: FieldPlace): string {
  const { words, form, typed } = scene;
  if (field !== 'taxId') return words.fields[field];
  const country = typed['country'] ?? textOf(valuesOf(scene, owner)['country']);
  const isCompany = owner === null && form.draft.entityType === 'business';
  const name = taxNameOf(country, isCompany ? 'business' : 'individual');
  return name === null ? words.fields.taxId : `${words.fields.taxId} (${name})`;
}

function hintOf({ words }: FieldScene, { field }: FieldPlace, stored: string | null) {
  if (field === 'taxId') return stored === null ? undefined : words.taxIdKept(stored);
  const hints: Readonly<Partial<Record<FormField, string>>> = words.hints;
  return hints[field];
}

function datePartNames({ words }: FieldScene): DateParts {
  const { day, month, year } = words;
  return { day, month, year };
}

function typedDate({ typed }: FieldScene, field: FormField): DateParts | undefined {
  const [day, month, year] = [typed[`${field}Day`], typed[`${field}Month`], typed[`${field}Year`]];
  if (day === undefined && month === undefined && year === undefined) return undefined;
  return { day: day ?? '', month: month ?? '', year: year ?? '' };
}

function storedDate(stored: string | null): DateParts | undefined {
  const [year, month, day] = stored?.split('-') ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return { year, month: month.replace(/^0/, ''), day: day.replace(/^0/, '') };
}

/** A value on the review page. */
export function Shown({ scene, place }: { readonly scene: KycScene; readonly place: FieldPlace }) {
  const { words, format } = scene;
  const { field, owner } = place;
  const value = textOf(valuesOf(scene, owner)[field]);
  if (value === null) return <>{words.review.none}</>;
  switch (formFields[field].form) {
    case 'birth':
    case 'formation':
      return <>{/^\d{4}-\d\d-\d\d$/.test(value) ? format.date(value) : value}</>;
    case 'country':
      return <>{format.country(value)}</>;
    case 'choice':
      return <>{choicesOf(scene, field).find((one) => one.value === value)?.label ?? value}</>;
    case 'file':
      return <>{words.documents.received}</>;
    default:
      return <Foreign text={value} />;
  }
}
