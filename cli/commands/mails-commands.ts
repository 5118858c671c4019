// `ponte mails`: the mails of all organizations, why one was not sent, and sending again. The text
// of a mail is not shown: its link signs the buyer in.
import { type Command, Option } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import { type Mail, type MailStatus, mailStatuses } from '../../core/domain/mail/mail.js';
import { PonteError } from '../../core/errors.js';
import {
  addOperatorCommand,
  cutPage,
  dryRunOption,
  duration,
  listOutcome,
  type Operator,
  type Outcome,
  type PageOptions,
  pageOptions,
  type Shell,
} from '../operator.js';
import { instantOrNull, tableOf } from '../output.js';

interface ListOptions extends PageOptions {
  readonly status: MailStatus | null;
}

interface ResendOptions {
  readonly failedSince: number | null;
  readonly dryRun: boolean;
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

  addOperatorCommand<ResendOptions>(shell, noun, {
    name: 'resend [mail-ids...]',
    authority: 'signed',
    description: 'send mails again, to the same address; a link is a new one',
    options: [
      new Option('--failed-since <age>', 'all that failed within this time, for example 24h')
        .argParser(duration)
        .default(null),
      dryRunOption(),
    ],
    run: resend,
  });
}

async function resend(
  { deps }: Operator,
  { failedSince, dryRun }: ResendOptions,
  ids: readonly string[],
): Promise<Outcome> {
  const { resendFailed, resendMail } = await import('../../core/usecases/mail/resent-mails.js');
  if ((failedSince === null) === (ids.length === 0)) {
    throw new PonteError('ValidationError', 'Give mail ids, or --failed-since.');
  }
  const resent: Mail[] = [];
  if (failedSince !== null)
    resent.push(...(await resendFailed(deps, deps.clock.nowMs() - failedSince)));
  for (const id of ids) resent.push(await resendMail(deps, id));
  const data = resent.map(presentMail);
  const would = dryRun ? 'Would send again' : 'Will be sent again';
  const none = failedSince === null ? '' : 'No mail failed that can be sent again.';
  const shown = mailTable(data, none);
  return {
    json: { data, nextCursor: null, dryRun },
    text: data.length === 0 ? shown : `${would}:\n${shown}`,
  };
}

async function list({ deps }: Operator, options: ListOptions): Promise<Outcome> {
  const { status, limit, cursor: beforeId } = options;
  const filter = { status, beforeId, limit: limit + 1 };
  const page = cutPage(await deps.store.run((tx) => tx.mails.list(filter)), limit);
  const data = page.rows.map(presentMail);
  return listOutcome(data, mailTable(data, 'No mails.'), page.nextCursor);
}

function mailTable(data: readonly ReturnType<typeof presentMail>[], none: string): string {
  return tableOf(data, none, {
    ID: 'id',
    PURPOSE: 'purpose',
    STATUS: 'status',
    TO: 'to',
    ABOUT: (mail) => mail.paymentId ?? mail.submissionId ?? mail.accountId,
    TRIES: 'tries',
    'NEXT TRY': 'nextTryAt',
    ERROR: 'lastError',
  });
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
    blocked: mail.isBlocked,
    nextTryAt: instantOrNull(mail.dueAtMs),
    lastError: mail.lastError,
    sentAt: instantOrNull(mail.sentAtMs),
    linkEndsAt: formatInstant(mail.linkEndsAtMs),
    linkUsedAt: instantOrNull(mail.linkUsedAtMs),
    createdAt: formatInstant(mail.createdAtMs),
  };
}
