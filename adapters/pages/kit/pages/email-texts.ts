// The email address of somebody in a form, and why a typed text is none.
import {
  type EmailProblem,
  emailProblem,
  readEmail,
} from '../../../../core/domain/base/email-address.js';
import type { Locale } from '../../../../core/domain/base/locale.js';
import { type DeclaredField, textAs } from './form-page.js';

export const emailTexts: Readonly<Record<Locale, Readonly<Record<EmailProblem, string>>>> = {
  en: {
    not_an_address: 'Enter an email address, such as name@example.com.',
    international: 'Use an address that has no accents or other letters before the @.',
  },
  'pt-BR': {
    not_an_address: 'Informe um endereço de e‑mail, como nome@exemplo.com.',
    international: 'Use um endereço sem acentos nem outras letras antes do @.',
  },
  es: {
    not_an_address: 'Indique un correo electrónico, como nombre@ejemplo.com.',
    international: 'Use una dirección sin acentos ni otras letras antes de la @.',
  },
};

/** What is said of a text that is no address. */
export function emailText(locale: Locale, typed: string): string {
  return emailTexts[locale][emailProblem(typed) ?? 'not_an_address'];
}

/** A field for the address of somebody. */
export function emailField(locale: Locale, label: string): DeclaredField<string> {
  return textAs({
    label,
    type: 'email',
    max: 320,
    spellcheck: false,
    problem: (typed) => emailText(locale, typed),
    read: readEmail,
  });
}
