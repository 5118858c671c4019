// The KYC of a buyer of test mode: a person with the name of the payment's buyer, and documents
// that no partner fetches.
import { tenantOf } from '../../domain/base/tenant.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import { submitBuyerKyc } from '../parties/kyc.js';

const COUNTRY = 'US';

/** The dossier of the sandbox buyer, without its name. */
const sandboxPerson = {
  entityType: 'individual',
  dateOfBirth: '1990-01-31',
  idDocCountry: COUNTRY,
  idDocType: 'PASSPORT',
  selfieFile: 'https://sandbox.invalid/selfie.jpg',
  idDocFrontFile: 'https://sandbox.invalid/passport.jpg',
} as const;

/** Submits it for the buyer of this payment. */
export async function playDossier(deps: Deps, payment: Payment): Promise<void> {
  const { firstName, lastName } = nameParts(payment);
  const { country, phone } = payment.buyer;
  // A partner may require a country that the payment does not have.
  const residence = { country: country ?? COUNTRY, phone };
  const dossier = { ...sandboxPerson, firstName, lastName, ...residence };
  await submitBuyerKyc(deps, tenantOf(payment), payment.id, dossier);
}

/** The payment's buyer name, or a default. */
function nameParts(payment: Payment): { readonly firstName: string; readonly lastName: string } {
  const words = (payment.buyer.name ?? '').trim().split(/\s+/).filter(Boolean);
  const [firstName = 'Sandbox', ...rest] = words;
  return { firstName, lastName: rest.join(' ') || 'Buyer' };
}
