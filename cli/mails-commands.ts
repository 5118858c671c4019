// `ponte mails`: mails over all organizations, and why one did not arrive. The text of a mail is
// not shown: its link signs the buyer in.
import { type Command, Option } from 'commander';
import { formatInstant } from '../core/domain/instant.js';
import { type Mail, type MailStatus, mailStatuses } from '../core/domain/mail.js';
import {
  addVerb,
  asOperator,
  cursorOption,
  limitOption,
  type Operator,
  type Outcome,
  type Shell,
} from './operator.js';
import { table } from './output.js';

interface ListOptions {
  readonly status: MailStatus | null;
  readonly limit: number;
  readonly cursor: string | null;
}

export function addMailsVerbs(shell: Shell, program: Command): void {
  addVerb<ListOptions>(
    shell,
    program.command('mails').description('mails to buyers, and notices'),
    {
      name: 'list',
      description: 'list mails, newest first, and what became of them',
      options: [
        new Option('--status <status>', 'only those in it').choices(mailStatuses).default(null),
        limitOption(),
        cursorOption(),
      ],
      run: (options) => asOperator(shell, (operator) => list(operator, options)),
    },
  );
}

async function list({ deps }: Operator, options: ListOptions): Promise<Outcome> {
  const { status, limit, cursor: beforeId } = options;
  // One more than shown tells whether there is a next page.
  const filter = { status, beforeId, limit: limit + 1 };
  const found = await deps.store.run((tx) => tx.mails.list(filter));
  const page = found.slice(0, limit);
  const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null;
  const data = page.map(presentMail);
  const more = nextCursor === null ? '' : `\nMore: --cursor ${nextCursor}`;
  const rows = data.map((mail) => [
    ...[mail.id, mail.purpose, mail.status, mail.to, mail.paymentId ?? mail.accountId, mail.tries],
    ...[mail.nextTryAt, mail.lastError],
  ]);
  const headings = ['ID', 'PURPOSE', 'STATUS', 'TO', 'ABOUT', 'TRIES', 'NEXT TRY', 'ERROR'];
  return {
    json: { data, nextCursor },
    text: `${table(headings, rows, 'No mails.')}${more}`,
  };
}

function presentMail(mail: Mail) {
  const instantOrNull = (atMs: number | null) => (atMs === null ? null : formatInstant(atMs));
  return {
    id: mail.id,
    orgId: mail.orgId,
    testMode: mail.mode === 'test',
    purpose: mail.purpose,
    status: mail.status,
    to: mail.to,
    paymentId: mail.paymentId,
    accountId: mail.accountId,
    tries: mail.tries,
    nextTryAt: instantOrNull(mail.dueAtMs),
    lastError: mail.lastError,
    sentAt: instantOrNull(mail.sentAtMs),
    linkEndsAt: formatInstant(mail.linkEndsAtMs),
    linkUsedAt: instantOrNull(mail.linkUsedAtMs),
    createdAt: formatInstant(mail.createdAtMs),
  };
}
