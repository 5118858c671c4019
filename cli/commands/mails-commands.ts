// `ponte mails`: the mails of all organizations, why one was not sent, and sending again. The text
// of a mail is not shown: its link signs the buyer in.
import type { Command } from 'commander';
import { formatInstant, instantOrNull } from '../../core/domain/base/instant.js';
import { type Mail, mailStatuses } from '../../core/domain/mail/mail.js';
import { invalid } from '../../core/errors.js';
import { commandGroup, listOutcome, readPage, type Shell } from '../operator.js';
import { choice, dryRun, duration, page } from '../options.js';
import { tableOf } from '../output.js';

export function addMailsCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'mails', 'invitations, sign-in links and notices');
  add({
    name: 'list',
    authority: 'read',
    description: 'list the mails of the last 30 days and their outcome, newest first',
    options: {
      status: choice('<status>', mailStatuses, 'only mails in this status; refused: bounces'),
      ...page,
    },
    run: async ({ deps }, { status, ...asked }) => {
      const found = await readPage(asked, (one) =>
        deps.store.run((tx) => tx.mails.list({ status, ...one })),
      );
      const data = found.rows.map(presentMail);
      return listOutcome(data, mailTable(data, 'No mails.'), found.nextCursor);
    },
  });

  add({
    name: 'resend [mail-ids...]',
    authority: 'signed',
    description: 'send mails again, to the same address; a link is a new one',
    options: {
      failedSince: duration('<age>', 'all that failed within this time, for example 24h'),
      dryRun,
    },
    run: async ({ deps }, { failedSince, dryRun }, ids) => {
      const { resendFailed, resendMail } = await import('../../core/usecases/mail/resent-mails.js');
      if ((failedSince === null) === (ids.length === 0)) {
        throw invalid('Give mail ids, or --failed-since.');
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
    },
  });
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
