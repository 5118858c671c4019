// Mail templates in plain text: payment links for buyers, and notices.
import type { ConnectedAccount } from './connected-account.js';
import { formatInstant } from './instant.js';
import type { Mail } from './mail.js';
import { formatAmount } from './money.js';
import type { Payment } from './payment.js';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** For free text of integrators, in characters. */
const SUBJECT_PART_MAX = 100;

/** `link` signs in; on `pageUrl`, the hosted page, the buyer can request another link. */
export function renderMail(
  mail: Pick<Mail, 'mode' | 'linkEndsAtMs' | 'purpose'>,
  about: {
    readonly payment: Payment | null;
    readonly organizationName: string;
    readonly link: string;
    readonly pageUrl: string;
    readonly code: string | null;
  },
): MailText {
  const { payment, link, pageUrl, code } = about;
  if (payment === null) return { subject: about.organizationName, text: `${link}\n${code ?? ''}` };
  const from = oneLine(about.organizationName);
  const amount = `${formatAmount(payment.amount.amountMinor)} ${payment.amount.currency}`;
  const details = [
    payment.number === null ? [] : [`Invoice: ${oneLine(payment.number)}`],
    payment.dueDate === null ? [] : [`Due: ${payment.dueDate}`],
  ].flat();
  const opening = {
    invitation: `${from} asks you to pay ${amount}.`,
    sign_in: `Sign in to pay ${amount} to ${from}.`,
  }[mail.purpose as 'invitation' | 'sign_in'];
  const subject = {
    invitation: `${from} asks you to pay ${amount}`,
    sign_in: `Sign in to pay ${from}`,
  }[mail.purpose as 'invitation' | 'sign_in'];
  const test = mail.mode === 'test';
  return {
    subject: `${test ? '[Test] ' : ''}${subject}`,
    text: [
      opening,
      ...(test ? ['This is a test: no money moves.'] : []),
      ...(details.length === 0 ? [] : [details.join('\n')]),
      `Open this link to see it and to pay:\n${link}`,
      ...(code === null ? [] : [`Or enter this code where you asked for it: ${code}`]),
      `It signs you in once, until ${momentText(mail.linkEndsAtMs)}. Do not forward it: anyone ` +
        `who opens it acts for you. You can ask for another one at\n${pageUrl}`,
      'If you did not expect this mail, ignore it: nothing is paid unless you do it.',
      '',
    ].join('\n\n'),
  };
}

/** About a seller, or (null) the organization itself. It does not contain the destination. */
export function renderPayoutNotice(
  { mode, createdAtMs }: Pick<Mail, 'mode' | 'createdAtMs'>,
  about: { readonly organizationName: string; readonly account: ConnectedAccount | null },
): MailText {
  const organization = oneLine(about.organizationName);
  const { account } = about;
  const called = account?.displayName ?? account?.legalName ?? account?.externalId ?? account?.id;
  const who = called === undefined ? organization : oneLine(called);
  const test = mode === 'test';
  return {
    subject: `${test ? '[Test] ' : ''}The PIX destination of ${who} was changed`,
    text: [
      `The PIX destination of ${who} was changed on ${momentText(createdAtMs)}.`,
      ...(test ? ['This is a test: no money moves.'] : []),
      ...(account === null ? [] : [`Seller: ${account.id}\nCollected by: ${organization}`]),
      'Payments created from now on are paid to the new destination. ' +
        'Payments created before keep the old one.',
      'If you expected this, you need do nothing. If not, act immediately: ' +
        (account === null
          ? 'contact the operator of this service.'
          : `${organization} should revoke its API keys with the scope connected_accounts:write, ` +
            'then register the right destination again.'),
      '',
    ].join('\n\n'),
  };
}

/** YYYY-MM-DD hh:mm UTC. */
function momentText(atMs: number): string {
  return `${formatInstant(atMs).slice(0, 16).replace('T', ' ')} UTC`;
}

/** An integrator's text must not start a line or a header. */
function oneLine(text: string): string {
  const line = [...text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()];
  return line.length <= SUBJECT_PART_MAX
    ? line.join('')
    : `${line.slice(0, SUBJECT_PART_MAX).join('')}…`;
}
