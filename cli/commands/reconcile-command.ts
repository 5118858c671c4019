// `ponte reconcile`: every difference between the partner's books and ours, with what to do.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { DAY_MS, formatInstant, instantOrNull, MINUTE_MS } from '../../core/domain/base/instant.js';
import { formatAmount } from '../../core/domain/base/money.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import {
  type Difference,
  type DifferenceKind,
  moneyText,
  type Ours,
  type Theirs,
} from '../../core/domain/money-desk/reconciliation.js';
import type { Missed, Reconciliation } from '../../core/usecases/money-desk/reconcile.js';
import type { WalletBalance } from '../../core/usecases/money-desk/wallet-balances.js';
import { addOperatorCommand, type Operator, type Outcome, type Shell } from '../operator.js';
import { duration, liveByDefault, type OptionValues } from '../options.js';

const options = {
  mode: liveByDefault,
  since: duration('<duration>', 'how far back, for example 36h or 30d').or(7 * DAY_MS, '7d'),
  wait: duration(
    '<duration>',
    'how long to wait for the partner in all, for example 90s or 10m',
  ).or(10 * MINUTE_MS, '10m'),
};

const details = [
  "It reads the partner's pay-ins and payouts and compares them with commands and deposits, in",
  'both directions. It changes nothing. A command that was sent less than five minutes ago does',
  'not differ. What waits for a person is listed at any age. It also compares what the wallets of',
  'payees hold with the float of the ledger, if the partner reports it.',
  '',
  'Exit codes: 0 no difference; 8 differences; 6 the partner could not be read, and what was read',
  'does not differ.',
].join('\n');

export function addReconcileCommand(shell: Shell, program: Command): void {
  addOperatorCommand(shell, program, {
    name: 'reconcile',
    authority: 'read',
    description: "compare the partner's books with the database, and list what differs",
    options,
    details,
    opening: 'reads',
    run: (operator, asked) => run(shell, operator, asked),
  });
}

async function run(
  shell: Shell,
  { deps }: Operator,
  { mode, since, wait: waitMaxMs }: OptionValues<typeof options>,
): Promise<Outcome> {
  const { compareBooks, countsOf } = await import(
    '../../core/usecases/money-desk/book-comparisons.js'
  );
  const sinceMs = deps.clock.nowMs() - since;
  const found = await compareBooks(deps, {
    mode,
    sinceMs,
    waitMaxMs,
    wait: sleep,
    onWait: ({ reason, ms }) =>
      shell.stderr.write(`waiting ${ms / 1_000} s for the partner: ${reason}\n`),
  });
  const partner = deps.partners[mode]?.name ?? null;
  if (found === null) throw await withoutBooks(mode, partner);
  const { entries, commands, differences, missed, wallets } = found;
  const counts = countsOf(found);
  const isDifferent = counts.differences > 0;
  const isClean = !isDifferent && counts.unread === 0;
  return {
    json: {
      partner,
      mode,
      since: formatInstant(sinceMs),
      entries,
      commands,
      // The former name.
      orders: commands,
      clean: isClean,
      differences: differences.map(presentDifference),
      missed,
      wallets: wallets.map(presentWallet),
    },
    text: [
      ...wallets.filter(isNotable).map(walletText),
      reconciliationText(found, `${partner} (${mode}) since ${formatInstant(sinceMs)}`),
    ].join('\n'),
    exit: isDifferent ? 'checkFailed' : isClean ? 'done' : 'tryAgain',
  };
}

function presentWallet({ wallet, currency, differs, reason, ...amounts }: WalletBalance) {
  const { floatMinor, leastMinor, mostMinor, balanceMinor } = amounts;
  return {
    wallet,
    currency,
    float: formatAmount(floatMinor),
    atLeast: formatAmount(leastMinor),
    atMost: formatAmount(mostMinor),
    balance: balanceMinor === null ? null : formatAmount(balanceMinor),
    differs,
    reason,
  };
}

function isNotable({ differs, balanceMinor }: WalletBalance): boolean {
  return differs || balanceMinor === null;
}

function walletText(wallet: WalletBalance): string {
  const { float, atLeast, atMost, balance, currency, reason } = presentWallet(wallet);
  if (balance === null) return `could not be read: the wallet ${wallet.wallet}: ${reason}`;
  return [
    `wallet ${wallet.wallet}: its balance differs from the float of the ledger`,
    `  here   ${float} ${currency}, with fees and suspense ${atLeast} to ${atMost}`,
    `  there  ${balance} ${currency}`,
    '  do     ponte ledger balance; ask the partner what moved the money',
  ].join('\n');
}

async function withoutBooks(mode: Mode, partner: string | null): Promise<Error> {
  const { ConfigError } = await import('../../host/config.js');
  const name = `PONTE_PARTNER_${mode.toUpperCase()}`;
  if (partner === null) return new ConfigError([`${name}: no settlement partner is configured`]);
  const hint = partner === 'fake' ? ': set PONTE_FAKE_PARTNER_FILE' : '';
  return new ConfigError([`${name}: ${partner} has no books that can be read${hint}`]);
}

function presentDifference(difference: Difference) {
  const { kind, book, ours, theirs, here, there } = difference;
  return {
    kind,
    book,
    here,
    there,
    ours: ours === null ? null : presentOurs(ours),
    theirs: theirs === null ? null : presentTheirs(theirs),
    title: titles[kind],
    advice: advice[kind](difference),
  };
}

function presentOurs({ amount, dueAtMs, ...ours }: Ours) {
  return { ...ours, amount: moneyText(amount), nextPollAt: instantOrNull(dueAtMs) };
}

function presentTheirs({ amount, createdAtMs, ...theirs }: Theirs) {
  return { ...theirs, amount: moneyText(amount), createdAt: formatInstant(createdAtMs) };
}

const titles: Readonly<Record<DifferenceKind, string>> = {
  duplicate_at_partner: 'the partner executed one command twice',
  duplicate_command: 'two commands have the same transaction of the partner',
  missing_here: 'the partner has it, and no command or deposit here has it',
  missing_at_partner: 'it was accepted, and the partner does not have it',
  not_accepted: 'the partner has it, and here it counts as not placed',
  amount: 'the amounts differ',
  settlement: 'what the seller received differs',
  status: 'the states differ',
  deposit_unmatched: 'money that nobody ordered waits for a decision',
  report_in_review: 'a report of the partner was held back and waits for a decision',
};

const again = ({ theirs, ours }: Difference) =>
  `have the partner send its last message about ${theirs?.partnerRef ?? ours?.partnerRef} again`;
const show = ({ ours }: Difference) => `ponte payments show ${ours?.paymentId}`;

const advice: Readonly<Record<DifferenceKind, (difference: Difference) => string>> = {
  duplicate_at_partner: (difference) =>
    `ask the partner to return one of them; ${show(difference)}`,
  duplicate_command: (difference) => `ask the partner whose it is; ${show(difference)}`,
  missing_here: (difference) =>
    difference.book === 'payin'
      ? `start a host, which stores it as a deposit, or ${again(difference)}`
      : 'ask the partner who ordered it; a restore may have lost its payment',
  missing_at_partner: (difference) => `ask the partner about ${difference.ours?.partnerRef}`,
  not_accepted: (difference) =>
    difference.ours?.dueAtMs === null
      ? `${again(difference)}; ${show(difference)}`
      : `ponte commands retry ${difference.ours?.id}`,
  amount: (difference) => `ask the partner which is right; ${show(difference)}`,
  settlement: (difference) => `ask the partner which is right; ${show(difference)}`,
  status: (difference) =>
    difference.here === 'open' && difference.ours?.what === 'command'
      ? `ponte commands retry ${difference.ours.id}`
      : again(difference),
  deposit_unmatched: ({ ours }) => `ponte money assign ${ours?.id} --payment PAYMENT_ID`,
  report_in_review: ({ ours }) => `ponte commands accept ${ours?.id} --report ${ours?.report}`,
};

export function reconciliationText(
  { entries, commands, differences, missed }: Reconciliation,
  where: string,
): string {
  const blocks = [...differences.map(blockOf), ...missed.map(missedText)];
  const unread = missed.length === 0 ? '' : `, could not be read ${missed.length}`;
  const compared = `entries ${entries}, commands ${commands}`;
  const summary = `${where}: ${compared}, differences ${differences.length}${unread}`;
  return [...blocks, summary].join('\n');
}

function blockOf(difference: Difference): string {
  const { kind, book, ours, theirs, here, there } = difference;
  const name = { payin: 'pay-in', payout: 'payout', refund: 'refund' }[book];
  return [
    `${name}: ${titles[kind]}`,
    ...(ours === null ? [] : [`  here   ${said(here)}${oursText(ours)}`]),
    ...(theirs === null ? [] : [`  there  ${said(there)}${theirsText(theirs)}`]),
    `  do     ${advice[kind](difference)}`,
  ].join('\n');
}

function said(text: string | null): string {
  return text === null ? '' : `${text}; `;
}

function oursText({ what, id, orgId, paymentId, partnerRef, status, amount, dueAtMs }: Ours) {
  return [
    `${what} ${id} ${status}`,
    moneyText(amount),
    ...(paymentId === null ? [] : [`payment ${paymentId}`]),
    ...(orgId === null ? [] : [orgId]),
    ...(partnerRef === null ? [] : [`partner id ${partnerRef}`]),
    ...(dueAtMs === null ? [] : [`next read ${formatInstant(dueAtMs)}`]),
  ].join(', ');
}

function theirsText({ partnerRef, status, amount, createdAtMs }: Theirs): string {
  return `${partnerRef} ${status}, ${moneyText(amount)}, of ${formatInstant(createdAtMs)}`;
}

function missedText({ book, partnerRef, reason }: Missed): string {
  const what = partnerRef === null ? `the list of ${book}s` : `${book} ${partnerRef}`;
  return `could not be read: ${what}: ${reason}`;
}
