// The port for the texts of mails. Adapters write them in each language.
import type { MemberRole } from '../domain/access/member.js';
import type { ProvenAction } from '../domain/access/session-proof.js';
import type { Locale } from '../domain/base/locale.js';
import type { Mode } from '../domain/base/tenant.js';
import type { MailPurpose } from '../domain/mail/mail.js';
import type { ConnectedAccount } from '../domain/parties/connected-account.js';
import type { Organization } from '../domain/parties/organization.js';
import type { VendorPaper } from '../domain/parties/vendor-paper.js';
import type { MovedMoney } from '../domain/payments/event.js';
import type { Funds } from '../domain/payments/funds.js';
import type { Payment } from '../domain/payments/payment.js';
import type { OutgoingMail } from './outside.js';

/** What a mail is written from. The same facts give the same text: a mail may be sent twice. */
export interface Letter {
  readonly purpose: MailPurpose;
  readonly locale: Locale;
  readonly mode: Mode;
  readonly writtenAtMs: number;
  readonly organization: Pick<Organization, 'name' | 'supportEmail' | 'timeZone' | 'accentColor'>;
  /** The mail carries the logo of the organization, under `logoCid`. */
  readonly hasLogo: boolean;
  /** To a member of the organization, about its dashboard. */
  readonly isToMember: boolean;
  /** To a colleague of the buyer, whom the buyer asked to approve the payment. */
  readonly isToApprover: boolean;
  /** What a member confirms; null for another letter. */
  readonly action: ProvenAction | null;
  /** Null for a KYC form without a payment, a member, and a PIX destination. */
  readonly about: { readonly payment: Payment; readonly funds: Funds } | null;
  /** The seller whose PIX destination changed; null: the organization itself. */
  readonly account: ConnectedAccount | null;
  /** The API key that changed it; null: no key did. */
  readonly keyId: string | null;
  /** Whether the PIX destination of the letter replaces none. */
  readonly isFirst: boolean;
  /**
   * What a notice to a member is about: the URL of the webhook subscription, the id of the API key,
   * or the address of the member, also of one who approved a payment; null for another letter.
   */
  readonly object: string | null;
  /** The role that the member of `object` has got; null: it was removed, or another letter. */
  readonly role: MemberRole | null;
  /** The receipt is attached; to a payee, the proof. */
  readonly hasReceipt: boolean;
  /** Bank details were given before those that the letter is about. */
  readonly isReplacement: boolean;
  /** What the buyer asked; null for another mail. */
  readonly question: string | null;
  /** The invoices that an invitation lists, by their due day; `about` is one of them. */
  readonly invited: readonly Payment[];
  /** The money that moved; null for another mail. */
  readonly moved: MovedMoney | null;
  /** The vendor document that ends; null for another mail. */
  readonly paper: Pick<VendorPaper, 'kind' | 'expiresOn'> | null;
  /** What the recipient names when it asks the organization; `isReference` of display.ts. */
  readonly reference: string;
  /** The hosted page; null if the mail is about none. */
  readonly pageUrl: string | null;
  /** Until when that page opens by a link that signs nobody in; null for another mail. */
  readonly pageEndsAtMs: number | null;
  /** Signs in, or stops a held change of a PIX destination; null for another notice. */
  readonly link: SignInLink | null;
}

/** The content id of the logo. */
export const logoCid = 'logo';

export interface SignInLink {
  readonly url: string;
  /** Six digits, which the link does not tell. */
  readonly code: string;
  /** A browser asked for the mail: its window takes the code. Else the page of the link may. */
  readonly isAsked: boolean;
  readonly endsAtMs: number;
}

/** `from` is on one line. */
export type RenderedLetter = Pick<OutgoingMail, 'from' | 'subject' | 'text' | 'html'>;

export interface Letters {
  render(letter: Letter): RenderedLetter;
}
