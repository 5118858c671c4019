// What the refusal of a mail server means. It ends a mail only if it says that the recipient's
// mailbox takes none. Any other one is about us or the server (policy, quota, block list, routing,
// size, TLS), who can mend it: the mail is tried again, with an alert. Unknown codes are too.

/** Enhanced status codes that are about the mailbox, for every sender. */
export const mailboxCodes = {
  '5.1.1': 'the mailbox does not exist (RFC 3463, section 3.2)',
  '5.1.2': 'the domain does not exist or takes no mail (RFC 3463, section 3.2)',
  '5.1.3': 'the syntax of the address is wrong (RFC 3463, section 3.2)',
  '5.1.6': 'the mailbox has moved, without a new address (RFC 3463, section 3.2)',
  '5.1.10': 'the domain takes no mail: a null MX (RFC 7505); the mailbox is unknown (Exchange)',
  '5.2.1': 'the mailbox is disabled (RFC 3463, section 3.3)',
} as const satisfies Record<string, string>;

interface Habit {
  /** The enhanced status code; null: the reply has none. */
  readonly code: string | null;
  readonly text: RegExp;
  readonly isMailbox: boolean;
  readonly source: string;
}

/** Servers whose text says something else than their code. The first row that fits counts. */
const refusalHabits: readonly Habit[] = [
  {
    code: '5.2.1',
    text: /receiving e?mail (at a rate|too quickly)/i,
    isMailbox: false,
    source: 'Gmail, "SMTP errors and codes": p=ReceivingRatePerm',
  },
  {
    code: '5.4.1',
    text: /recipient address rejected/i,
    isMailbox: true,
    source: 'Exchange Online, Directory-Based Edge Blocking: the mailbox is unknown',
  },
  {
    code: null,
    text: /relay|block|spam|polic(y|ies)|quota|limit|rate|too (many|much)|reputation|[rs]bl\b/i,
    isMailbox: false,
    source: 'RFC 5321, section 4.2.3: 550 is also a rejection for policy reasons',
  },
  {
    code: null,
    text: /sender|spf|dkim|dmarc|tls|auth|helo|client|your (ip|host|domain)|denied|rcpthosts/i,
    isMailbox: false,
    source: 'RFC 5321, section 4.2.3: 550 is also a rejection for policy reasons',
  },
];

/** Codes to RCPT without an enhanced one: no mailbox, not local, not allowed (RFC 5321, 4.2.3). */
const mailboxReplies: readonly number[] = [550, 551, 553];

/** A reply of a mail server, with what it answers. */
export interface MailReply {
  /** `RCPT TO` is about the address, `DATA` about address and message; others are about us. */
  readonly command: string;
  readonly status: number;
  readonly text: string;
}

/** Whether the recipient's mailbox takes no mail, for good. */
export function isMailboxRefusal({ command, status, text }: MailReply): boolean {
  if (status < 500 || (command !== 'RCPT TO' && command !== 'DATA')) return false;
  const code = enhancedCode(text);
  const habit = refusalHabits.find((row) => row.code === code && row.text.test(text));
  if (habit !== undefined) return habit.isMailbox;
  if (code !== null) return code in mailboxCodes;
  return command === 'RCPT TO' && mailboxReplies.includes(status);
}

/** After the reply code, with `#` of some servers (RFC 2034), or at the end as qmail writes it. */
function enhancedCode(text: string): string | null {
  const [, after, end] =
    /^\d{3}[ -]#?([245]\.\d{1,3}\.\d{1,3})\b|\(#([245]\.\d{1,3}\.\d{1,3})\)/.exec(text) ?? [];
  return after ?? end ?? null;
}
