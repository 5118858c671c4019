// What the form of a PIX key says in each language.
import type { Locale } from '../../../../core/domain/base/locale.js';

const en = {
  key: 'PIX key',
  keyHint: 'Email, phone with area code, CPF, CNPJ or random key.',
  again: 'The same key again',
  againHint: 'Type it, do not paste it: so a typing error shows.',
  holder: 'Name of the account holder',
  save: 'Set destination',
  noKey: 'Enter the PIX key.',
  differs: 'The two keys differ. Type both again.',
  noHolder: 'Enter the name of the account holder.',
  refused: 'The settlement partner did not take this key. Check it.',
  kind: 'What the number is',
  phone: 'Phone number',
  unclear: 'It can be a CPF or a phone number, or lacks digits. Choose, and type both again.',
  br_code: 'This is the text of a QR code, which contains a key. Enter the key alone.',
  check_digits: 'The check digits of this CPF or CNPJ are wrong. Check the number.',
  not_a_key:
    'This is no PIX key. Enter a CPF, a CNPJ, a Brazilian phone number, an email address or a ' +
    'random key.',
};
export type PixTexts = Readonly<typeof en>;

export const pixTexts: Readonly<Record<Locale, PixTexts>> = {
  en,
  'pt-BR': {
    key: 'Chave PIX',
    keyHint: 'E-mail, telefone com DDD, CPF, CNPJ ou chave aleatória.',
    again: 'A mesma chave de novo',
    againHint: 'Digite, não cole: assim um erro de digitação aparece.',
    holder: 'Nome do titular da conta',
    save: 'Salvar destino',
    noKey: 'Informe a chave PIX.',
    differs: 'As duas chaves são diferentes. Digite ambas de novo.',
    noHolder: 'Informe o nome do titular da conta.',
    refused: 'O parceiro de liquidação não aceitou esta chave. Confira.',
    kind: 'O que é o número',
    phone: 'Telefone',
    unclear: 'Pode ser um CPF ou um telefone, ou faltam dígitos. Escolha e digite ambas de novo.',
    br_code: 'Este é o texto de um QR Code (copia e cola), que contém a chave. Informe só a chave.',
    check_digits: 'Os dígitos verificadores deste CPF ou CNPJ estão errados. Confira o número.',
    not_a_key:
      'Não é uma chave PIX. Informe um CPF, um CNPJ, um telefone do Brasil, um e-mail ou uma ' +
      'chave aleatória.',
  },
  es: {
    key: 'Clave PIX',
    keyHint: 'Correo, teléfono con código de área, CPF, CNPJ o clave aleatoria.',
    again: 'La misma clave otra vez',
    againHint: 'Escríbala, no la pegue: así se ve un error al teclear.',
    holder: 'Nombre del titular de la cuenta',
    save: 'Guardar destino',
    noKey: 'Indique la clave PIX.',
    differs: 'Las dos claves son distintas. Escriba ambas de nuevo.',
    noHolder: 'Indique el nombre del titular de la cuenta.',
    refused: 'El proveedor de liquidación no aceptó esta clave. Revísela.',
    kind: 'Qué es el número',
    phone: 'Teléfono',
    unclear: 'Puede ser un CPF o un teléfono, o le faltan dígitos. Elija y escriba ambas de nuevo.',
    br_code: 'Este es el texto de un código QR, que contiene una clave. Escriba solo la clave.',
    check_digits: 'Los dígitos verificadores de este CPF o CNPJ no son correctos. Revíselo.',
    not_a_key:
      'No es una clave PIX. Indique un CPF, un CNPJ, un teléfono de Brasil, un correo o una ' +
      'clave aleatoria.',
  },
};
