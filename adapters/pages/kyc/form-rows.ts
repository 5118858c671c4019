// The table of the pages of the form: below a payment, below a form without a payment, below the
// part of an owner, and for sellers and organizations. `kyc` rows are open to a phone too, which
// may only send files.
import { z } from 'zod';
import type { Typed } from '../../../core/domain/hosted/kyc-fields.js';
import type { AnyCall } from '../hosted/unpaid-view.js';
import {
  type BuyerAuth,
  type MemberRule,
  memberRow,
  type PageAnswer,
  type PageAuth,
  type PageContext,
  type PageRoute,
  type PageRow,
  type PageSubject,
  pageRow,
} from '../kit/page-route.js';
import {
  enterPhone,
  removeFile,
  showMemberPhone,
  showPhone,
  showPhoneEnter,
  startPhone,
  uploadFile,
} from './file-pages.js';
import {
  addOwnerTo,
  removeOwnerFrom,
  saveOwner,
  saveStep,
  showOwner,
  showStep,
  type TypedCall,
} from './form-pages.js';
import type { FormPlace, PhonePlace } from './kyc-view.js';

const TYPED_MAX = 1_000;

/** Texts by the names of the inputs; kyc-fields.ts checks each. */
const typedForm = z.record(z.string().max(64), z.string().max(TYPED_MAX));

type Handler<C, P> = (context: PageContext, call: C, place: P) => Promise<PageAnswer>;

/** Makes the rows of a form at one place. */
export interface RowsOf<P> {
  shows(tail: string, handler: Handler<AnyCall, P>): PageRoute;
  takes(tail: string, handler: Handler<TypedCall, P>, limit?: PageRoute['limit']): PageRoute;
  /** The handler checks the token of the form, which is a part of the body. */
  takesFile(tail: string, handler: Handler<AnyCall, P>): PageRoute;
}

type AnyRow = Pick<PageRow<PageAuth, Typed>, 'method' | 'path' | 'form' | 'limit'> & {
  handler(context: PageContext, call: unknown): Promise<PageAnswer>;
};

function rowsOf<P>(root: string, place: P, row: (of: AnyRow) => PageRoute): RowsOf<P> {
  const made =
    <C>(method: 'GET' | 'POST', form: AnyRow['form']) =>
    (tail: string, handler: Handler<C, P>, limit: PageRoute['limit'] = 'none') =>
      row({
        method,
        form,
        limit,
        path: `${root}${tail}`,
        handler: (context, call) => handler(context, call as C, place),
      });
  return {
    shows: made('GET', 'none'),
    takes: made('POST', typedForm),
    takesFile: made('POST', 'multipart'),
  };
}

/** Rows of a hosted page; those of files and phones are open to `kyc` sessions. */
export function hostedRows<P extends FormPlace>(
  { subject, root }: { readonly subject: PageSubject; readonly root: string },
  place: P,
  auth: BuyerAuth,
): RowsOf<P> {
  return rowsOf(root, place, (row) => {
    const hasToken = row.form !== 'none' && row.form !== 'multipart' && auth !== 'none';
    return pageRow<BuyerAuth, Typed>({ ...row, subject, auth, csrf: hasToken ? 'form' : 'none' });
  });
}

/** Rows of the form of the organization, in the dashboard. */
export function memberFormRows<P extends FormPlace>(
  root: string,
  place: P,
  rule: MemberRule,
): readonly PageRoute[] {
  const rows = rowsOf(root, place, (row) => memberRow<Typed>({ ...rule, ...row }));
  return [...stepRows(rows), ...fileRows(rows), rows.shows('/kyc/phone', showMemberPhone)];
}

/** The steps, and the list of owners. */
function stepRows<P extends FormPlace>({ shows, takes }: RowsOf<P>): readonly PageRoute[] {
  return [
    shows('/kyc/{step}', showStep),
    takes('/kyc/{step}', saveStep),
    takes('/kyc/owners/add', addOwnerTo),
    shows('/kyc/owners/{owner}', showOwner('owner')),
    takes('/kyc/owners/{owner}', saveOwner('owner')),
    shows('/kyc/owners/{owner}/papers', showOwner('owner_papers')),
    takes('/kyc/owners/{owner}/papers', saveOwner('owner_papers')),
    takes('/kyc/owners/{owner}/remove', removeOwnerFrom),
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
