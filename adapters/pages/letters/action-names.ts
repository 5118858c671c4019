// What a member goes on to do after a fresh proof, in pages and mails: the end of a sentence that
// begins "you are about to". Each action of an organization names it.
import type { ProvenAction } from '../../../core/domain/access/session-proof.js';
import type { Locale } from '../../../core/domain/base/locale.js';

type ActionNames = Readonly<Record<ProvenAction, (org: string) => string>>;

const en: ActionNames = {
  change_passkeys: () => 'change your passkeys',
  export_payments: (org) => `export the payments of ${org}`,
  approve_payment: (org) => `approve a payment of ${org}`,
  add_seller: (org) => `add a seller to ${org}`,
  make_onboarding_link: (org) => `make a link by which a seller of ${org} sets where it is paid`,
  change_vendor_documents: (org) => `change the vendor documents of ${org}`,
  add_webhook: (org) => `add a webhook of ${org}`,
  change_webhook: (org) => `change a webhook of ${org}`,
  rotate_webhook_secret: (org) => `change the secret of a webhook of ${org}`,
  create_key: (org) => `create an API key of ${org}`,
  roll_key: (org) => `replace an API key of ${org}`,
  change_payout: (org) => `change the PIX key to which ${org} is paid`,
  request_production: (org) => `request production access for ${org}`,
  invite_member: (org) => `invite a member to ${org}`,
  change_member: (org) => `change or remove a member of ${org}`,
  change_settings: (org) => `change the settings of ${org}`,
};

const ptBr: ActionNames = {
  change_passkeys: () => 'alterar suas chaves de acesso',
  export_payments: (org) => `exportar os pagamentos de ${org}`,
  approve_payment: (org) => `aprovar um pagamento de ${org}`,
  add_seller: (org) => `adicionar um vendedor a ${org}`,
  make_onboarding_link: (org) => `criar um link com que um vendedor de ${org} define onde recebe`,
  change_vendor_documents: (org) => `alterar os documentos de fornecedor de ${org}`,
  add_webhook: (org) => `adicionar um webhook de ${org}`,
  change_webhook: (org) => `alterar um webhook de ${org}`,
  rotate_webhook_secret: (org) => `trocar o segredo de um webhook de ${org}`,
  create_key: (org) => `criar uma chave de API de ${org}`,
  roll_key: (org) => `substituir uma chave de API de ${org}`,
  change_payout: (org) => `alterar a chave PIX em que ${org} recebe`,
  request_production: (org) => `pedir acesso à produção para ${org}`,
  invite_member: (org) => `convidar um membro para ${org}`,
  change_member: (org) => `alterar ou remover um membro de ${org}`,
  change_settings: (org) => `alterar as configurações de ${org}`,
};

const es: ActionNames = {
  change_passkeys: () => 'cambiar sus claves de acceso',
  export_payments: (org) => `exportar los pagos de ${org}`,
  approve_payment: (org) => `aprobar un pago de ${org}`,
  add_seller: (org) => `añadir un vendedor a ${org}`,
  make_onboarding_link: (org) =>
    `crear un enlace con el que un vendedor de ${org} define dónde recibe`,
  change_vendor_documents: (org) => `cambiar los documentos de proveedor de ${org}`,
  add_webhook: (org) => `añadir un webhook de ${org}`,
  change_webhook: (org) => `cambiar un webhook de ${org}`,
  rotate_webhook_secret: (org) => `cambiar el secreto de un webhook de ${org}`,
  create_key: (org) => `crear una clave de API de ${org}`,
  roll_key: (org) => `sustituir una clave de API de ${org}`,
  change_payout: (org) => `cambiar la clave PIX en la que ${org} recibe`,
  request_production: (org) => `pedir acceso a producción para ${org}`,
  invite_member: (org) => `invitar a un miembro a ${org}`,
  change_member: (org) => `cambiar o quitar a un miembro de ${org}`,
  change_settings: (org) => `cambiar la configuración de ${org}`,
};

export const actionNames: Readonly<Record<Locale, ActionNames>> = { en, 'pt-BR': ptBr, es };
