// The table of the pages of the form: below a payment, below a form without a payment, below the
// part of an owner, and for sellers and organizations. `kyc` rows are open to a phone too, which
// may only send files.
import { z } from 'zod';
import type { Typed } from '../../../../core/domain/hosted/kyc-fields.js';
import {
  type BuyerAuth,
  type MemberRule,
  memberRow,
  type PageAnswer,
  type PageContext,
  type PageRoute,
  type PageSubject,
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
import {
  type AnyCall,
  type FormPlace,
  formPlace,
  type PhonePlace,
  paymentPlace,
} from './kyc-view.js';

/** Where the pages of each place begin. */
export const roots = {
  payment: '/r/{publicId}',
  form: '/kyc/{flowId}',
  owner: '/owner/{flowId}/{ownerIndex}',
} as const;

const TYPED_MAX = 1_000;

/** Texts by the names of the inputs; kyc-fields.ts checks each. */
const typedForm = z.record(z.string().max(64), z.string().max(TYPED_MAX));

type Handler<C, P> = (context: PageContext, call: C, place: P) => Promise<PageAnswer>;

/** Makes the rows of a form at one place. */
interface RowsOf<P> {
  shows(tail: string, handler: Handler<AnyCall, P>): PageRoute;
  takes(tail: string, handler: Handler<TypedCall, P>, limit?: PageRoute['limit']): PageRoute;
  /** The handler checks the token of the form, which is a part of the body. */
  takesFile(tail: string, handler: Handler<AnyCall, P>): PageRoute;
}

/** Rows of a hosted page; those of files and phones are open to `kyc` sessions. */
function hostedRows<P extends FormPlace>(
  { subject, root }: { readonly subject: PageSubject; readonly root: string },
  place: P,
  auth: BuyerAuth,
): RowsOf<P> {
  const row = { subject, limit: 'none' as const };
  return {
    shows: (tail, handler) =>
      pageRow({
        ...row,
        method: 'GET',
        path: `${root}${tail}`,
        auth,
        csrf: 'none',
        form: 'none',
        handler: (context, call) => handler(context, call as AnyCall, place),
      }),
    takes: (tail, handler, limit = 'none') =>
      pageRow<BuyerAuth, Typed>({
        ...row,
        limit,
        method: 'POST',
        path: `${root}${tail}`,
        auth,
        form: typedForm,
        csrf: auth === 'none' ? 'none' : 'form',
        handler: (context, call) => handler(context, call as TypedCall, place),
      }),
    takesFile: (tail, handler) =>
      pageRow({
        ...row,
        method: 'POST',
        path: `${root}${tail}`,
        auth,
        csrf: 'none',
        form: 'multipart',
        handler: (context, call) => handler(context, call as AnyCall, place),
      }),
  };
}

/** Rows of the form of the organization, in the dashboard. */
export function memberFormRows<P extends FormPlace>(
  root: string,
  place: P,
  rule: MemberRule,
): readonly PageRoute[] {
  const rows: RowsOf<P> = {
    shows: (tail, handler) =>
      memberRow({
        ...rule,
        method: 'GET',
        path: `${root}${tail}`,
        form: 'none',
        handler: (context, call) => handler(context, call as AnyCall, place),
      }),
    takes: (tail, handler, limit = 'none') =>
      memberRow<Typed>({
        ...rule,
        limit,
        method: 'POST',
        path: `${root}${tail}`,
        form: typedForm,
        handler: (context, call) => handler(context, call as TypedCall, place),
      }),
    takesFile: (tail, handler) =>
      memberRow({
        ...rule,
        method: 'POST',
        path: `${root}${tail}`,
        form: 'multipart',
        handler: (context, call) => handler(context, call as AnyCall, place),
      }),
  };
  return [...stepRows(rows), ...fileRows(rows)];
}

/** The steps, and the list of owners. */
function stepRows<P extends FormPlace>({ shows, takes }: RowsOf<P>): readonly PageRoute[] {
  return [
    shows('/kyc/{step}', showStep),
    takes('/kyc/{step}', saveStep),
    takes('/kyc/owners/add', addOwnerTo),
    shows('/kyc/owners/{owner}', showOwner),
    takes('/kyc/owners/{owner}', saveOwner),
    takes('/kyc/owners/{owner}/remove', removeOwnerFrom),
  ];
}

/** Parts of the form that somebody else is asked for. */
function askingRows<P extends FormPlace>({ takes }: RowsOf<P>): readonly PageRoute[] {
  return [
    takes('/kyc/hand-over', handOverForm),
    takes('/kyc/hand-over/take-back', takeBackHandOver),
    takes('/kyc/owners/{owner}/ask', askOwnerFor),
    takes('/kyc/owners/{owner}/take-back', takeBackPart),
  ];
}

function fileRows<P extends FormPlace>({ takes, takesFile }: RowsOf<P>): readonly PageRoute[] {
  return [
    takesFile('/kyc/file/{kind}', uploadFile),
    takes('/kyc/file/{kind}/remove', removeFile),
    takesFile('/kyc/owners/{owner}/file/{kind}', uploadFile),
    takes('/kyc/owners/{owner}/file/{kind}/remove', removeFile),
  ];
}

/** A form on a hosted page, with files from a phone. */
export function hostedFormRows(
  at: { readonly subject: PageSubject; readonly root: string },
  place: PhonePlace,
): readonly PageRoute[] {
  const phone = hostedRows(at, place, 'kyc');
  const anybody = hostedRows(at, place, 'none');
  const visitor = hostedRows(at, place, 'buyer');
  return [
    ...stepRows(visitor),
    ...fileRows(phone),
    visitor.takes('/kyc/phone', startPhone, 'phone'),
    phone.shows('/kyc/phone', showPhone),
    anybody.shows('/kyc/phone/enter', showPhoneEnter),
    anybody.takes('/kyc/phone/enter', enterPhone),
  ];
}

/** The pages of an owner who was asked. */
function ownerRows(): readonly PageRoute[] {
  const at = { subject: 'owner', root: roots.owner } as const;
  const { shows, takes, takesFile } = hostedRows(at, formPlace, 'kyc');
  return [
    shows('/kyc/owner', showOwnPart),
    takes('/kyc/owner', saveOwnPart),
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
