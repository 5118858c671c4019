// PIX keys, as the central bank's directory (DICT) holds them. A key is read here and nowhere else:
// its canonical form is compared and sent, and of that only a part is stored and shown.
import { readEmail } from '../base/email-address.js';
import { plainSigns } from '../base/typed-text.js';
import { readCnpj, readCpf } from './tax-id.js';

interface Kind {
  /** The canonical form, such as `+5511987654321`; null for text of another kind. */
  readonly read: (text: string) => string | null;
  /** What is stored and shown, so that people recognize it. Check digits are left out. */
  readonly shown: (key: string) => string;
}

const EMAIL_MAX = 77;

/** In this order: CPF and CNPJ without punctuation, E.164, lower case, UUID in lower case. */
const kinds = {
  cpf: { read: readCpf, shown: shownTaxId },
  cnpj: { read: readCnpj, shown: shownTaxId },
  phone: { read: readPhone, shown: (key) => shownEnds(key, key.slice(-4)) },
  email: { read: readMail, shown: (key) => shownEnds(key, key.slice(key.indexOf('@'))) },
  random: { read: readUuid, shown: (key) => shownEnds(key, key.slice(-4)) },
} as const satisfies Record<string, Kind>;

export type PixKeyKind = keyof typeof kinds;
export const pixKeyKinds = Object.keys(kinds) as readonly PixKeyKind[];

export interface PixKey {
  readonly kind: PixKeyKind;
  /** Canonical. */
  readonly text: string;
}

/** `unclear`: it can be of several kinds. */
export const pixKeyProblems = {
  unclear:
    'it can be a CPF or a phone number, or lacks digits. Send pixKeyKind, such as cpf or phone.',
  br_code: 'it is a BR code (the text of a QR code), which contains a key. Send the key alone.',
  check_digits: 'the check digits of this CPF or CNPJ are wrong. Check the number.',
  not_a_key:
    'it is no PIX key. Send a CPF, a CNPJ, a Brazilian phone number with its area code, an ' +
    'e-mail address of at most 77 characters, or a random key.',
} as const;
export type PixKeyProblem = keyof typeof pixKeyProblems;

/** The key, of the kind if one is named. */
export function readPixKey(text: string, kind: PixKeyKind | null): PixKey | PixKeyProblem {
  // One that was cut can end like an e-mail address.
  if (brCode.test(signsOf(text))) return 'br_code';
  if (kind === null && lacksDigits(text)) return 'unclear';
  const readings = readingsOf(text).filter((reading) => kind === null || reading.kind === kind);
  const [key, other] = readings;
  if (key !== undefined) return other === undefined ? key : 'unclear';
  const isTaxId = kind === 'cpf' || kind === 'cnpj' || isWrittenAs('tax_id', text);
  return isTaxId || (kind === null && bareTaxId.test(signsOf(text))) ? 'check_digits' : 'not_a_key';
}

/** By its first fields, and by the name of its scheme if the beginning is lost (BR Code, 1.5). */
const brCode = /^000201(?:01021[12])?26|br\.gov\.bcb\.pix/i;

/** Whether a text, such as a partner's, means this canonical key. */
export function isPixKey(text: string, key: string): boolean {
  return readingsOf(text).some((reading) => reading.text === key);
}

export function shownPixKey({ kind, text }: PixKey): string {
  return kinds[kind].shown(text);
}

/** Without the key, however the text writes it: a partner may quote it. */
export function withoutPixKey(message: string, { text }: PixKey): string {
  const signs = [...text.replace(/^\+55/, '').matchAll(/[\p{L}\p{N}]/gu)];
  const anyWriting = new RegExp(signs.join(String.raw`[^\p{L}\p{N}]{0,3}`), 'giu');
  return message.replaceAll(anyWriting, '…');
}

const cpfGroups = '[0-9]{3}(?:[. ]?[0-9]{3}){2}';
const cnpjGroups = '[0-9A-Z]{2}(?:[. ]?[0-9A-Z]{3}){2}[./ ]?[0-9A-Z]{4}';

/** By punctuation: the last group of a tax id has two digits, that of a phone number four. */
const writtenForms = {
  email: { form: /@/, kinds: ['email'] },
  tax_id: {
    form: new RegExp(`^(?:${cpfGroups}|${cnpjGroups})[./ -][0-9]{2}$`, 'i'),
    kinds: ['cpf', 'cnpj'],
  },
  phone: { form: /^\+|[()]|^[0-9][0-9. -]*[. -][0-9]{4,9}$/, kinds: ['phone'] },
} as const;
const bareKinds = ['cpf', 'cnpj', 'phone', 'random'] as const;
const bareTaxId = /^(?:[0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/i;

function isWrittenAs(form: keyof typeof writtenForms, text: string): boolean {
  return writtenForms[form].form.test(signsOf(text));
}

/** Each kind of which the text is a key. */
function readingsOf(text: string): readonly PixKey[] {
  const signs = signsOf(text);
  const written = Object.values(writtenForms).find(({ form }) => form.test(signs));
  return (written?.kinds ?? bareKinds).flatMap((kind) => {
    const key = kinds[kind].read(text);
    return key === null ? [] : [{ kind, text: key }];
  });
}

/** A spreadsheet drops the zeros that a CPF or a CNPJ begins with. Other kinds have digits, too. */
function lacksDigits(text: string): boolean {
  const signs = signsOf(text);
  const isShort = /^[0-9]+$/.test(signs) && ![11, 14].includes(signs.length);
  return (
    isShort &&
    [readCpf(signs.padStart(11, '0')), readCnpj(signs.padStart(14, '0'))].some(
      (number) => number !== null,
    )
  );
}

function signsOf(text: string): string {
  return plainSigns(text).trim();
}

/** Area codes of Brazil (ANATEL, Resolução 749/2022). */
const areaCodes = new Set(
  (
    '11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 ' +
    '51 53 54 55 61 62 63 64 65 66 67 68 69 71 73 74 75 77 79 81 82 83 84 85 86 87 88 89 91 92 ' +
    '93 94 95 96 97 98 99'
  ).split(' '),
);
/** As people type it: with the country, the 0 of a long-distance call, both, or neither. */
const phoneForm = /^(?:(?:\+|00)?55)?0?([1-9][0-9])(9[0-9]{8}|[2-5][0-9]{7})$/;

function readPhone(text: string): string | null {
  const [, area = '', number] = phoneForm.exec(signsOf(text).replace(/[ ()./-]/g, '')) ?? [];
  return areaCodes.has(area) ? `+55${area}${number}` : null;
}

function readMail(text: string): string | null {
  const email = readEmail(text)?.toLowerCase() ?? null;
  return email !== null && email.length <= EMAIL_MAX ? email : null;
}

const uuidForm = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

function readUuid(text: string): string | null {
  return uuidForm.exec(signsOf(text).toLowerCase())?.slice(1).join('-') ?? null;
}

const SHOWN_START = 3;

/** Without the check digits few others would be possible. */
function shownTaxId(key: string): string {
  return `${key.slice(0, SHOWN_START)}…${key.slice(-4, -2)}…`;
}

function shownEnds(key: string, end: string): string {
  const before = key.length - end.length;
  return `${key.slice(0, Math.min(SHOWN_START, Math.floor(before / 2)))}…${end}`;
}
