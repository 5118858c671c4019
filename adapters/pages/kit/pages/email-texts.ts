// Why a typed text is no email address, on any page.
import { type EmailProblem, emailProblem } from '../../../../core/domain/base/email-address.js';
import type { Locale } from '../../../../core/domain/base/locale.js';

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
