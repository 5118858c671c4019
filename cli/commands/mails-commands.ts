// `ponte mails`: the mails of all organizations, and why one was not sent. The text of a mail is
// not shown: its link signs the buyer in.
import { type Command, Option } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import { type Mail, type MailStatus, mailStatuses } from '../../core/domain/mail/mail.js';
import {
  addOperatorCommand,
  cutPage,
  listOutcome,
  type Operator,
  type Outcome,
  type PageOptions,
  pageOptions,
  type Shell,
} from '../operator.js';
import { instantOrNull, table } from '../output.js';

interface ListOptions extends PageOptions {
  readonly status: MailStatus | null;
}

export function addMailsCommands(shell: Shell, program: Command): void {
  const noun = program.command('mails').description('invitations, sign-in links and notices');
  addOperatorCommand<ListOptions>(shell, noun, {
    name: 'list',
    authority: 'read',
    description: 'list the mails of the last 30 days and their outcome, newest first',
    options: [
      new Option('--status <status>', 'only mails in this status; refused: bounces')
        .choices(mailStatuses)
        .default(null),
      ...pageOptions(),
    ],
    run: list,
  });
}

async function list({ deps }: Operator, options: ListOptions): Promise<Outcome> {
  const { status, limit, cursor: beforeId } = options;
  const filter = { status, beforeId, limit: limit + 1 };
  const page = cutPage(await deps.store.run((tx) => tx.mails.list(filter)), limit);
  const data = page.rows.map(presentMail);
  const rows = data.map((mail) => [
    mail.id,
    mail.purpose,
    mail.status,
    mail.to,
    mail.paymentId ?? mail.submissionId ?? mail.accountId,
    mail.tries,
    mail.nextTryAt,
    mail.lastError,
  ]);
  const headings = ['ID', 'PURPOSE', 'STATUS', 'TO', 'ABOUT', 'TRIES', 'NEXT TRY', 'ERROR'];
  return listOutcome(data, table(headings, rows, 'No mails.'), page.nextCursor);
}

function presentMail(mail: Mail) {
  const { subject } = mail;
  return {
    id: mail.id,
    orgId: mail.orgId,
    testMode: mail.mode === 'test',
    purpose: mail.purpose,
    status: mail.status,
    to: mail.to,
    locale: mail.locale,
    paymentId: subject.kind === 'payment' ? subject.paymentId : null,
    submissionId: subject.kind === 'submission' ? subject.submissionId : null,
    ownerIndex: subject.kind === 'submission' ? subject.ownerIndex : null,
    accountId: subject.kind === 'account' ? subject.accountId : null,
    memberId: subject.kind === 'member' ? subject.memberId : null,
    tries: mail.tries,
    nextTryAt: instantOrNull(mail.dueAtMs),
    lastError: mail.lastError,
    sentAt: instantOrNull(mail.sentAtMs),
    linkEndsAt: formatInstant(mail.linkEndsAtMs),
    linkUsedAt: instantOrNull(mail.linkUsedAtMs),
    createdAt: formatInstant(mail.createdAtMs),
  };
}
