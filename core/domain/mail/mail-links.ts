// What the links of mails do when somebody presses the button of their page. A gateway of mails
// opens links, and some press the button, before the person reads the mail. It has no code of the
// mail and is not the browser that asked for it: so it decides nothing, and locks nobody out.
import type { MailSubject } from './mail.js';

interface LinkRule {
  /**
   * What a press does that is no proof of a person. `opens`: begins a session (`press`) that
   * decides nothing. `asks_code`: nothing; the page asks for the code of the mail. `none`: there is
   * no button, the link shows a page.
   */
  readonly press: 'opens' | 'asks_code' | 'none';
  /**
   * What uses the link up. After a `press` the code of the mail opens it still, until a person has
   * signed in. `change`: the first form that stores something. `never`: it ends by time, or its
   * maker ends it.
   */
  readonly usedUpBy: 'press' | 'code' | 'change' | 'never';
}

/** By what the mail is about; the last two are sent by others. */
export const linkRules = {
  // Reads the payment, and fills in its KYC. To confirm a price takes the code.
  payment: { press: 'opens', usedUpBy: 'press' },
  submission: { press: 'opens', usedUpBy: 'press' },
  // The page behind it has two buttons that decide.
  approval: { press: 'asks_code', usedUpBy: 'code' },
  // Accepts the invitation. What needs a fresh proof in live mode takes another mail.
  member: { press: 'opens', usedUpBy: 'press' },
  person: { press: 'opens', usedUpBy: 'press' },
  // Stops a change of a PIX destination. Who stops each one keeps a seller from its money.
  account: { press: 'asks_code', usedUpBy: 'code' },
  // Sent by the organization, so no mail of ours has a code.
  onboarding: { press: 'opens', usedUpBy: 'change' },
  // Made by the buyer, for a colleague who comes back.
  colleague: { press: 'none', usedUpBy: 'never' },
} as const satisfies Record<MailSubject['kind'] | 'onboarding' | 'colleague', LinkRule>;
