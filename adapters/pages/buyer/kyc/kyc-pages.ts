// The table of the pages of the KYC form: below a payment, below a form without a payment, and
// below the part of an owner. `kyc` rows are open to a phone too, which may only send files.
import { z } from 'zod';
import type { Typed } from '../../../../core/domain/hosted/kyc-fields.js';
import {
  type BuyerAuth,
  type PageAnswer,
  type PageContext,
  type PageRoute,
  pageRow,
} from '../../kit/page-route.js';
import {
  enterPhone,
  removeFile,
  showDocuments,
  showPhone,
  showPhoneEnter,
  startPhone,
  uploadFile,
} from './file-pages.js';
import { formAccess } from './form-access.js';
import {
  addOwnerTo,
  askOwnerFor,
  finishOwnPart,
  handOverForm,
  removeOwnerFrom,
  saveOwner,
  saveOwnPart,
  saveStep,
  showOwner,
  showOwnPart,
  showStep,
  type TypedCall,
  takeBackHandOver,
  takeBackPart,
} from './form-pages.js';
import type { AnyCall, KycSubject } from './kyc-view.js';

/** Where the pages of each subject begin. */
export const roots = {
  payment: '/r/{publicId}',
  form: '/kyc/{flowId}',
  owner: '/owner/{flowId}/{ownerIndex}',
} as const satisfies Record<KycSubject, string>;

const TYPED_MAX = 1_000;

/** Texts by the names of the inputs; kyc-fields.ts checks each. */
const typedForm = z.record(z.string().max(64), z.string().max(TYPED_MAX));

type Handler<C> = (context: PageContext, call: C, subject: KycSubject) => Promise<PageAnswer>;

function rowsOf(subject: KycSubject) {
  const path = (tail: string) => `${roots[subject]}${tail}`;
  return {
    shows: (tail: string, auth: BuyerAuth, handler: Handler<AnyCall>): PageRoute =>
      pageRow({
        subject,
        method: 'GET',
        path: path(tail),
        auth,
        csrf: 'none',
        limit: 'none',
        form: 'none',
        handler: (context, call) => handler(context, call as AnyCall, subject),
      }),
    takes: (tail: string, auth: BuyerAuth, handler: Handler<TypedCall>): PageRoute =>
      pageRow<BuyerAuth, Typed>({
        subject,
        method: 'POST',
        path: path(tail),
        auth,
        limit: 'none',
        form: typedForm,
        csrf: auth === 'none' ? 'none' : 'form',
        handler: (context, call) => handler(context, call as TypedCall, subject),
      }),
    /** The handler checks the token of the form, which is a part of the body. */
    takesFile: (tail: string, handler: Handler<AnyCall>): PageRoute =>
      pageRow({
        subject,
        method: 'POST',
        path: path(tail),
        auth: 'kyc',
        csrf: 'none',
        limit: 'none',
        form: 'multipart',
        handler: (context, call) => handler(context, call as AnyCall, subject),
      }),
  };
}

/** The pages of a buyer, with a payment or without one. */
function buyerRows(subject: 'payment' | 'form'): readonly PageRoute[] {
  const { shows, takes, takesFile } = rowsOf(subject);
  return [
    shows('/kyc/{step}', 'buyer', showStep),
    takes('/kyc/{step}', 'buyer', saveStep),
    takes('/kyc/hand-over', 'buyer', handOverForm),
    takes('/kyc/hand-over/take-back', 'buyer', takeBackHandOver),
    takes('/kyc/owners/add', 'buyer', addOwnerTo),
    shows('/kyc/owners/{owner}', 'buyer', showOwner),
    takes('/kyc/owners/{owner}', 'buyer', saveOwner),
    takes('/kyc/owners/{owner}/remove', 'buyer', removeOwnerFrom),
    takes('/kyc/owners/{owner}/ask', 'buyer', askOwnerFor),
    takes('/kyc/owners/{owner}/take-back', 'buyer', takeBackPart),
    takesFile('/kyc/file/{kind}', uploadFile),
    takes('/kyc/file/{kind}/remove', 'kyc', removeFile),
    takesFile('/kyc/owners/{owner}/file/{kind}', uploadFile),
    takes('/kyc/owners/{owner}/file/{kind}/remove', 'kyc', removeFile),
    takes('/kyc/phone', 'buyer', startPhone),
    shows('/kyc/phone', 'kyc', showPhone),
    shows('/kyc/phone/enter', 'none', showPhoneEnter),
    takes('/kyc/phone/enter', 'none', enterPhone),
  ];
}

/** The pages of an owner who was asked. */
function ownerRows(): readonly PageRoute[] {
  const { shows, takes, takesFile } = rowsOf('owner');
  return [
    shows('/kyc/owner', 'kyc', showOwnPart),
    takes('/kyc/owner', 'kyc', saveOwnPart),
    shows('/kyc/documents', 'kyc', showDocuments),
    takesFile('/kyc/file/{kind}', uploadFile),
    takes('/kyc/file/{kind}/remove', 'kyc', removeFile),
    takes('/kyc/done', 'kyc', finishOwnPart),
  ];
}

export const kycPages: readonly PageRoute[] = [
  ...buyerRows('payment'),
  ...buyerRows('form'),
  ...ownerRows(),
  ...formAccess('form', roots.form),
  ...formAccess('owner', roots.owner),
];
