// Requests for information (RFI) about a customer: its page in the guides, 2026-08-21. At most one
// is open. Its fields have the names of a customer's, or other keys; the whole answer is sent at
// once, and a field that was not asked is refused.
import { z } from 'zod';
import { fileLinks } from '../../../core/domain/parties/dossier.js';
import type { Correction } from '../../../core/domain/parties/party-due.js';
import type { PartnerAnswer, PartyInput } from '../../../core/ports/partner.js';
import { type BlindPayContext, done, isId, notFound, refused } from './blindpay-context.js';

const REASON_LENGTH_MAX = 1_000;

const rfiShape = z.object({
  id: z.string(),
  status: z.string(),
  expires_at: z.string().nullish(),
  request: z.array(
    z.object({
      title: z.string().nullish(),
      description: z.string().nullish(),
      supporting_document: z.string().nullish(),
      fields: z.array(
        z.object({
          key: z.string(),
          label: z.string().nullish(),
          required: z.boolean().nullish(),
          items: z.array(z.object({ label: z.string(), value: z.string() })).nullish(),
          multiple: z.boolean().nullish(),
        }),
      ),
    }),
  ),
});
export type Rfi = z.output<typeof rfiShape>;
type RfiSection = Rfi['request'][number];
type RfiField = RfiSection['fields'][number];

export function rfiPath(customerId: string): string {
  return `/instances/:instance/customers/${customerId}/rfi`;
}

/** The one that waits for an answer; null: none does. */
export async function openRfi(
  { client }: Pick<BlindPayContext, 'client'>,
  customerId: string,
): Promise<PartnerAnswer<Rfi | null>> {
  if (!isId(customerId)) return notFound;
  const answer = await client.get(rfiPath(customerId), rfiShape.nullable());
  if (answer.outcome !== 'done') return answer;
  return done(answer.value?.status === 'pending' ? answer.value : null);
}

export function correctionsIn(rfi: Rfi): readonly Correction[] {
  const asked = rfi.request.flatMap((section) =>
    section.fields.map((field) => ({ section, field })),
  );
  const required = asked.filter(({ field }) => field.required);
  // Without a required field, one of the others is awaited.
  const due = required.length > 0 ? required : asked;
  return due.map(({ section, field }) => ({
    field: nameOf(field),
    reason: reasonOf(section, field),
  }));
}

export function answerByMs({ expires_at: at }: Rfi): number | null {
  const atMs = at ? Date.parse(at) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

/** Paths of the files in the dossier that the request asks for. */
export function askedFiles(rfi: Rfi, input: PartyInput): ReadonlySet<string> {
  const names = new Set(fieldsOf(rfi).map(({ key }) => plain(key)));
  const paths = fileLinks(input).map(({ path }) => path);
  return new Set(paths.filter((path) => names.has(plain(path.replace(/^answers\./, '')))));
}

/**
 * The body of the answer. `customer` is the dossier as the body of a customer, `files` has the
 * addresses of its files at BlindPay. The code of a refusal is the field.
 */
export function answerTo(
  rfi: Rfi,
  input: PartyInput,
  customer: Readonly<Record<string, unknown>>,
  files: ReadonlyMap<string, string>,
): PartnerAnswer<Readonly<Record<string, unknown>>> {
  const body: Record<string, unknown> = {};
  for (const field of fieldsOf(rfi)) {
    const { key, required, items, multiple } = field;
    const given = input.answers?.[nameOf(field)];
    const value = given === undefined ? valueAt(customer, key) : (files.get(given) ?? given);
    if (value === null) {
      if (!required) continue;
      return refused(nameOf(field), `${nameOf(field)}: BlindPay asks for it.`);
    }
    if (items && !items.some((item) => item.value === value)) {
      const choices = items.map((item) => item.value).join(', ');
      return refused(nameOf(field), `${nameOf(field)}: send one of ${choices}.`);
    }
    body[key] = multiple ? `${value}`.split(/\s+/) : value;
  }
  return done(body);
}

function fieldsOf(rfi: Rfi): readonly RfiField[] {
  return rfi.request.flatMap(({ fields }) => fields);
}

/** The dossier has another name for it. */
function nameOf({ key }: RfiField): string {
  return key === 'phone_number' ? 'phone' : key;
}

function reasonOf(
  { title, description, supporting_document: template }: RfiSection,
  { label, items }: RfiField,
): string {
  const choices = items ? `(${items.map(({ value }) => value).join(', ')})` : '';
  const words = [title, description, label, choices, template].map((text) => text?.trim() ?? '');
  return words.filter(Boolean).join(' · ').slice(0, REASON_LENGTH_MAX);
}

/** `owners[0].selfie_file` is a path; its form is not documented. */
function valueAt(customer: Readonly<Record<string, unknown>>, key: string): string | null {
  const [, position, name] = /^owners\W+(\d+)\W+(\w+)$/.exec(key) ?? [];
  const owners = customer['owners'] as readonly Readonly<Record<string, unknown>>[] | undefined;
  const from = position === undefined ? customer : owners?.[Number.parseInt(position, 10)];
  const value = from?.[name ?? key];
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}
