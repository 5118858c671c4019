// The parts that the schemas of all resources share: text, times, amounts, pages, and the two
// registries of named schemas. A request schema turns what is sent into values of the core (amounts
// into minor units, times into milliseconds, absent into null); rules that need data belong to the
// use cases. The schemas of a resource are in its file of routes.
import { z } from 'zod';
import { emailProblem, readEmail } from '../../../core/domain/base/email-address.js';
import { isCalendarDate } from '../../../core/domain/base/instant.js';
import { RawJson } from '../../../core/domain/base/raw-json.js';
import { invalid } from '../../../core/errors.js';

export const RAW_JSON_BYTES_MAX = 32 * 1024;
/** Properties that keep the text in which they were sent; the pipeline wraps them as RawJson. */
export const rawJsonFields = ['metadata', 'display'] as const;

const PAGE_LIMIT_MAX = 100;
const PAGE_LIMIT_DEFAULT = 25;

export const URL_LENGTH_MAX = 2_048;

export const requestSchemas = z.registry<{ id: string }>();
export const responseSchemas = z.registry<{ id: string }>();

/** Text, parsed by `read`; null is refused with `message`. */
export function readText<T>(
  read: (text: string) => T | null,
  message: string | ((text: string) => string),
  described: Readonly<Record<string, unknown>>,
) {
  const messageFor = (text: string) => (typeof message === 'string' ? message : message(text));
  return z
    .string({ error: messageFor('') })
    .meta(described)
    .transform((text, context): T => {
      const value = read(text);
      if (value !== null) return value;
      context.addIssue({ code: 'custom', message: messageFor(text) });
      return z.NEVER;
    });
}

/** Text of `min` to `max` characters (code points, as JSON Schema counts them). */
export function text(min: number, max: number, description: string) {
  const error = `send text of ${lengthInWords(min, max)} characters`;
  return z
    .string(error)
    .refine((value) => {
      // A code point is one or two of these.
      if (value.length >= 2 * min && value.length <= max) return true;
      const points = [...value].length;
      return points >= min && points <= max;
    }, error)
    .meta({ minLength: min, maxLength: max, description });
}

export function anyText(description: string) {
  return z.string('send text').meta({ description });
}

export function someText(description: string) {
  return z.string('send text').min(1, 'send text of at least one character').meta({ description });
}

function lengthInWords(min: number, max: number): string {
  if (min === max) return `exactly ${max}`;
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}

export function calendarDate(description: string) {
  const read = (date: string) => (isCalendarDate(date) ? date : null);
  const message = 'send a calendar date, such as 2030-01-31';
  return readText(read, message, { format: 'date', description });
}

/** Absent and null are both null. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? null);
}

export function emailText(description: string) {
  const message = (text: string) =>
    emailProblem(text) === 'international'
      ? 'send an e-mail address whose part before the @ is in ASCII'
      : 'send an e-mail address';
  return readText(readEmail, message, { format: 'email', description });
}

export function rawJson(description: string) {
  return z
    .custom<RawJson>((value) => value instanceof RawJson, 'send a JSON object')
    .refine((value) => Buffer.byteLength(value.text) <= RAW_JSON_BYTES_MAX, {
      error: `send at most ${RAW_JSON_BYTES_MAX / 1024} KiB of JSON`,
    })
    .meta({ type: 'object', description });
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keys of a table of the core: statuses, positions or codes. */
export function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(table) as K[];
}

function readLimit(value: string): number | null {
  const limit = /^[1-9][0-9]{0,2}$/.test(value) ? Number(value) : null;
  return limit !== null && limit <= PAGE_LIMIT_MAX ? limit : null;
}

/** A URI of any scheme, without blanks and not empty after the scheme. */
export function isUri(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S+$/i.test(value) && URL.canParse(value);
}

export function isHttpUri(value: string): boolean {
  return /^https?:\/\//i.test(value) && isUri(value);
}

export function isHttpUrl(value: string): boolean {
  return value.length <= URL_LENGTH_MAX && isHttpUri(value);
}

/** The body of a mutation without fields; it may be empty. */
export const emptyBody = z.object({});

export const pageQuery = z.object({
  limit: readText(readLimit, `send a whole number from 1 to ${PAGE_LIMIT_MAX}, once`, {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
    description: 'How many on a page.',
  })
    .optional()
    .transform((limit) => limit ?? PAGE_LIMIT_DEFAULT),
  cursor: z
    .string('send it once')
    .meta({ description: 'The nextCursor of the previous page.' })
    .optional()
    .transform((cursor) => cursor ?? null),
});

/** The `q` of a list also seeks the externalId. ValidationError for both. */
export function refuseTwoSearches(query: {
  readonly q: string | null;
  readonly externalId: string | null;
}): void {
  if (query.q === null || query.externalId === null) return;
  throw invalid('externalId: send it without q, which finds it too.');
}

export const pathText = (description: string) => z.string().min(1).meta({ description });

export const instant = z.iso.datetime({ precision: 3 });
export const decimal = z.string().regex(/^[0-9]+\.[0-9]{2}$/);

export const receivedResponse = z.strictObject({ received: z.literal(true) });

requestSchemas.add(emptyBody, { id: 'Empty' });
responseSchemas.add(receivedResponse, { id: 'Received' });
