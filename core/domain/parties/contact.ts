// What an organization shows its buyers besides its name. Another one is a row here, a column of
// the schema, and its words in each language.
import { readEmail } from '../base/email-address.js';
import { recordOf } from '../base/record-of.js';
import { plainSigns } from '../base/typed-text.js';

/** How each kind is read, what it must be, and how it is named in the usage of a command. */
export const contactKinds = {
  email: { read: readEmail, form: 'an e-mail address', usage: '<address>' },
  tel: {
    read: readPhone,
    form: 'a phone number of digits, blanks and + ( ) . / -',
    usage: '<number>',
  },
  url: { read: readWebsite, form: 'an http or https URL', usage: '<url>' },
} as const;

interface ContactRule {
  readonly kind: keyof typeof contactKinds;
  /** The option of `ponte org support`. */
  readonly option: string;
  readonly means: string;
}

export const contacts = {
  supportEmail: { kind: 'email', option: 'email', means: 'its e-mail address' },
  supportPhone: { kind: 'tel', option: 'phone', means: 'its phone number' },
  website: { kind: 'url', option: 'website', means: 'its website' },
  privacyUrl: { kind: 'url', option: 'privacy', means: 'its privacy notice' },
  termsUrl: { kind: 'url', option: 'terms', means: 'its terms' },
} as const satisfies Record<string, ContactRule>;

export type ContactName = keyof typeof contacts;
export const contactNames = Object.keys(contacts) as readonly ContactName[];

/** Null: none. */
export type Contact = Readonly<Record<ContactName, string | null>>;
export const noContact: Contact = recordOf(contactNames, () => null);

/** What a buyer may read before sending data; null: the operator's (deps.ts). */
export type LegalLinks = Pick<Contact, 'privacyUrl' | 'termsUrl'>;

/** Whether a buyer finds a person to ask, which live mode requires. */
export function hasContact(shown: Pick<Contact, 'supportEmail' | 'supportPhone'>): boolean {
  return shown.supportEmail !== null || shown.supportPhone !== null;
}

const PHONE_DIGITS_MIN = 5;
const PHONE_LENGTH_MAX = 40;
const WEBSITE_LENGTH_MAX = 200;
const phoneForm = /^\+?[0-9(][0-9 ()./-]*$/;
const websiteForm = /^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i;

/** The phone number without surrounding blanks; null for any other text. */
export function readPhone(text: string): string | null {
  const phone = plainSigns(text).trim();
  const isLong = phone.replace(/[^0-9]/g, '').length >= PHONE_DIGITS_MIN;
  return isLong && phone.length <= PHONE_LENGTH_MAX && phoneForm.test(phone) ? phone : null;
}

/** The normalized http or https URL without a password; null for any other text. */
export function readWebsite(text: string): string | null {
  const url = text.trim();
  if (!websiteForm.test(url) || !URL.canParse(url)) return null;
  const { href } = new URL(url);
  return href.length <= WEBSITE_LENGTH_MAX ? href : null;
}
