// The table of the KYC pages of a buyer: below a payment, below a form without a payment, and below
// the part of an owner.
import type { PageRoute } from '../kit/page-route.js';
import { removeFile, showDocuments, uploadFile } from '../kyc/file-pages.js';
import {
  askOwnerFor,
  finishOwnPart,
  handOverForm,
  saveOwnPart,
  showOwnPart,
  takeBackHandOver,
  takeBackPart,
} from '../kyc/form-pages.js';
import { hostedFormRows, hostedRows, type RowsOf } from '../kyc/form-rows.js';
import type { FormPlace } from '../kyc/kyc-view.js';
import { formAccess } from './form-access.js';
import { formPlace, paymentPlace } from './kyc-places.js';

/** Where the pages of each place begin. */
const roots = {
  payment: '/r/{publicId}',
  form: '/kyc/{flowId}',
  owner: '/owner/{flowId}/{ownerIndex}',
} as const;

/** Parts of the form that somebody else is asked for. */
function askingRows<P extends FormPlace>({ takes }: RowsOf<P>): readonly PageRoute[] {
  return [
    takes('/kyc/hand-over', handOverForm),
    takes('/kyc/hand-over/take-back', takeBackHandOver),
    takes('/kyc/owners/{owner}/ask', askOwnerFor),
    takes('/kyc/owners/{owner}/take-back', takeBackPart),
  ];
}

/** The pages of an owner who was asked. */
function ownerRows(): readonly PageRoute[] {
  const at = { subject: 'owner', root: roots.owner } as const;
  const { shows, takes, takesFile } = hostedRows(at, formPlace, 'kyc');
  return [
    shows('/kyc/owner', showOwnPart('owner')),
    takes('/kyc/owner', saveOwnPart('owner')),
    shows('/kyc/owner/papers', showOwnPart('owner_papers')),
    takes('/kyc/owner/papers', saveOwnPart('owner_papers')),
    shows('/kyc/documents', showDocuments),
    takesFile('/kyc/file/{kind}', uploadFile),
    takes('/kyc/file/{kind}/remove', removeFile),
    takes('/kyc/done', finishOwnPart),
  ];
}

/** The pages of a buyer, with a payment or without one. */
function buyerRows(subject: 'payment' | 'form'): readonly PageRoute[] {
  const at = { subject, root: roots[subject] };
  const place = subject === 'payment' ? paymentPlace : formPlace;
  return [...hostedFormRows(at, place), ...askingRows(hostedRows(at, place, 'buyer'))];
}

export const kycPages: readonly PageRoute[] = [
  ...buyerRows('payment'),
  ...buyerRows('form'),
  ...ownerRows(),
  ...formAccess('form', roots.form),
  ...formAccess('owner', roots.owner),
];
