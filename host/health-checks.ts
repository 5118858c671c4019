// The health of the service, as `ponte doctor` and the operator's console show it. It changes
// nothing and migrates nothing. It reads the queue statistics of the metrics; this file has the
// limits and severities.
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isActiveOperator } from '../core/domain/access/registered-operator.js';
import {
  CLOCK_ERROR_MAX_MS,
  DAY_MS,
  formatDuration,
  formatInstant,
  MINUTE_MS,
} from '../core/domain/base/instant.js';
import { formatAmount } from '../core/domain/base/money.js';
import type { Mode } from '../core/domain/base/tenant.js';
import { lateAfterMs } from '../core/domain/deposits/book-reading.js';
import { hasContact } from '../core/domain/parties/contact.js';
import type { FeedHead } from '../core/domain/payments/event.js';
import type { HealthCheck } from '../core/domain/service/health-check.js';
import { PonteError, reasonOf } from '../core/errors.js';
import type { Store } from '../core/ports/storage.js';
import { findDifferences } from '../core/usecases/payments/ledger-check.js';
import { checkAudit } from '../core/usecases/service/audit-check.js';
import { auditHead } from '../core/usecases/service/audit-log.js';
import { documentStorageProblem } from '../core/usecases/service/fingerprints.js';
import {
  COUNTED_MAX,
  type QueueLoad,
  type QueueReport,
  readQueueStats,
} from '../core/usecases/service/queue-stats.js';
import { overlappingIn } from '../core/usecases/webhooks/subscriptions.js';
import { keptAnchors } from './anchor-place.js';
import type { Config } from './config.js';
import type { OperatorAccess } from './operator-access.js';

/** What is looked at. */
export type Examined = Pick<
  OperatorAccess,
  | 'config'
  | 'deps'
  | 'databaseName'
  | 'keysProblem'
  | 'servers'
  | 'clockSkewMs'
  | 'connectionProblems'
>;

/** The measurements that `diagnose` judges. */
type ByMode = Readonly<Record<Mode, readonly string[]>>;

export interface Findings {
  readonly nodeVersion: string;
  readonly unknownVariables: Config['unknownVariables'];
  readonly warnings: Config['warnings'];
  readonly databaseName: string;
  /** Why there is no database; null when there is one. */
  readonly absence: string | null;
  readonly health: { readonly database: boolean; readonly migrations: boolean };
  /** Why the database cannot be reached; null if it can, or if unknown. */
  readonly unreachableReason: string | null;
  /** How far the clock of this machine is ahead of the database's; null if unknown. */
  readonly clockSkewMs: number | null;
  /** The processes that serve the database; null if unknown. */
  readonly servers: Awaited<ReturnType<OperatorAccess['servers']>> | null;
  /** Null without a database server. */
  readonly connectionProblems: readonly string[] | null;
  readonly keysProblem: string | null;
  /** Secret keys other than the first that must stay configured. */
  readonly olderKeys: readonly string[];
  readonly documentsProblem: string | null;
  readonly dataDir: string;
  readonly freeBytes: number;
  /** The scheduled backups; null if none are configured. */
  readonly backups: { readonly everyMs: number; readonly ageMs: number | null } | null;
  /** Why the mail server takes no mail; null if it would, undefined without one. */
  readonly mailProblem: string | null | undefined;
  /** How many people run commands; null on a development host. */
  readonly operators: number | null;
  /** Organizations without a contact for buyers, those without live mode apart; null if unknown. */
  readonly withoutContact: ByMode | null;
  /** Subscriptions that overlap with another one; null if unknown. */
  readonly overlapping: ByMode | null;
  /** The head of the audit log; null before its first record. */
  readonly auditHead: FeedHead | null;
  /** Whether heads are kept outside the database, as production needs. */
  readonly isAnchored: boolean;
  /** Null if this version cannot read the database; a count is null if nothing was compared. */
  readonly data: {
    readonly waiting: QueueReport;
    readonly imbalances: number | null;
    readonly auditDefects: number | null;
  } | null;
}

/** Workers normally claim due work within a second. */
const LATE_MS = MINUTE_MS;
/** By then three attempts have failed. */
const UNDELIVERED_MS = 15 * MINUTE_MS;
const GIB = 1_024 ** 3;
const FREE_MIN_BYTES = GIB / 10;
const FREE_LOW_BYTES = GIB;
/** In intervals of the schedule. */
const BACKUP_LATE_INTERVALS = 2;
const BACKUP_MISSING_INTERVALS = 8;
/** One that waits for a partner which does not answer is repeated within hours. */
const RECONCILIATION_LATE_MS = DAY_MS;
const IMBALANCES_MAX = 1;
/** How many of those that share a URL are compared. */
const OVERLAPPING_MAX = 100;
/** Two confirm each other while one is absent, or is removed. */
const OPERATORS_MIN = 3;

/**
 * The measurements of a database that is there. To compare the ledger reads every payment, which a
 * host that serves leaves to the command.
 */
export async function examine(
  examined: Examined,
  { comparesLedger }: { readonly comparesLedger: boolean },
): Promise<Findings> {
  const { deps, config, databaseName, keysProblem } = examined;
  const [environment, health, mailProblem, reason] = await Promise.all([
    findingsWithoutDatabase(config),
    deps.store.health(),
    deps.mailer.problem?.(),
    // In parallel: each waits for an unreachable database until its time limit.
    unreachableReasonOf(deps.store),
  ]);
  const readable = health.database && health.migrations;
  return {
    ...environment,
    mailProblem,
    databaseName,
    health,
    keysProblem,
    backups: await backupsOf(examined),
    unreachableReason: health.database ? null : reason,
    olderKeys: readable ? await olderKeysOf(deps) : [],
    clockSkewMs: health.database ? examined.clockSkewMs : null,
    servers: health.database ? await examined.servers() : null,
    connectionProblems:
      health.database && config.database.kind === 'postgres'
        ? await examined.connectionProblems()
        : null,
    documentsProblem: readable ? await documentStorageProblem(deps).catch(messageOf) : null,
    operators: readable && config.production ? await operatorsOf(deps) : null,
    withoutContact: readable ? await withoutContactOf(deps) : null,
    overlapping: readable ? await overlappingOf(deps) : null,
    auditHead: readable ? await auditHead(deps) : null,
    isAnchored: config.auditAnchor !== null || !config.production,
    data: readable
      ? {
          waiting: await waitingOf(deps),
          imbalances: comparesLedger ? await imbalancesOf(deps) : null,
          auditDefects:
            comparesLedger && keysProblem === null ? await auditDefectsOf(deps, config) : null,
        }
      : null,
  };
}

async function auditDefectsOf(deps: Examined['deps'], config: Config): Promise<number> {
  return (await checkAudit(deps, await keptAnchors(config))).defects.length;
}

async function imbalancesOf(deps: Examined['deps']): Promise<number> {
  return (await findDifferences(deps, IMBALANCES_MAX)).length;
}

/** The books of a partner that is no longer configured are neither read nor compared. */
async function waitingOf(deps: Examined['deps']): Promise<QueueReport> {
  const found = await readQueueStats(deps);
  const isServed = ({ partner, mode }: Omit<QueueReport['booksRead'][number], 'ageMs'>) =>
    deps.partners[mode]?.name === partner;
  return {
    ...found,
    booksRead: found.booksRead.filter(isServed),
    reconciliations: found.reconciliations.filter(isServed),
  };
}

async function olderKeysOf({ store, secretBox }: Examined['deps']): Promise<readonly string[]> {
  const checkValues = await store.run((tx) => tx.keyCheckValues.list());
  return checkValues.map(({ keyId }) => keyId).filter((keyId) => keyId !== secretBox.keyId);
}

async function operatorsOf({ store }: Examined['deps']): Promise<number> {
  return (await store.run((tx) => tx.operators.list())).filter(isActiveOperator).length;
}

async function withoutContactOf({ store }: Examined['deps']): Promise<ByMode> {
  const organizations = await store.run((tx) => tx.organizations.list());
  const found = Object.groupBy(
    organizations.filter((one) => !hasContact(one)),
    ({ productionGrantedAtMs }): Mode => (productionGrantedAtMs === null ? 'test' : 'live'),
  );
  const { test = [], live = [] } = found;
  return { test: test.map(({ id }) => id), live: live.map(({ id }) => id) };
}

async function overlappingOf(deps: Examined['deps']): Promise<ByMode> {
  const [test, live] = await Promise.all([
    overlappingIn(deps, 'test', OVERLAPPING_MAX),
    overlappingIn(deps, 'live', OVERLAPPING_MAX),
  ]);
  return { test, live };
}

async function backupsOf({
  config: { backups: plan },
  databaseName,
  deps,
}: Examined): Promise<Findings['backups']> {
  if (plan === null) return null;
  const { readBackupAgeMs } = await import('./backup-schedule.js');
  return { everyMs: plan.everyMs, ageMs: await readBackupAgeMs(deps, databaseName, plan.to) };
}

/** The measurements of the machine alone. */
export async function findingsWithoutDatabase({
  dataDir,
  unknownVariables,
  warnings,
}: Pick<Config, 'dataDir' | 'unknownVariables' | 'warnings'>): Promise<Findings> {
  const disk = await statfs(existingParent(dataDir));
  return {
    nodeVersion: process.version,
    unknownVariables,
    warnings,
    dataDir,
    freeBytes: disk.bavail * disk.bsize,
    databaseName: '',
    health: { database: false, migrations: false },
    absence: null,
    unreachableReason: null,
    servers: null,
    keysProblem: null,
    data: null,
    operators: null,
    withoutContact: null,
    overlapping: null,
    auditHead: null,
    isAnchored: true,
    mailProblem: undefined,
    documentsProblem: null,
    olderKeys: [],
    backups: null,
    clockSkewMs: null,
    connectionProblems: null,
  };
}

function existingParent(folder: string): string {
  return existsSync(folder) ? folder : existingParent(dirname(folder));
}

async function unreachableReasonOf(store: Store): Promise<string | null> {
  try {
    await store.run((tx) => tx.keyCheckValues.list());
    return null;
  } catch (error) {
    return error instanceof PonteError ? reasonOf(error) : null;
  }
}

/** One check for each part of the service, with advice where it is not ok. */
export function diagnose(findings: Findings): readonly HealthCheck[] {
  const { unknownVariables, health, absence, unreachableReason, databaseName } = findings;
  const { servers, dataDir, freeBytes, clockSkewMs, connectionProblems } = findings;
  const unknown = unknownVariables
    .map(({ name, meant }) => (meant === null ? name : `${name} (did you mean ${meant}?)`))
    .join(', ');
  const doubts = [...(unknown === '' ? [] : [`unknown: ${unknown}`]), ...findings.warnings];
  const reason = unreachableReason === null ? '' : `: ${unreachableReason}`;
  const free = `${(freeBytes / GIB).toFixed(1)} GiB free at ${dataDir}`;
  return [
    { name: 'node', severity: 'ok', detail: findings.nodeVersion },
    unless(doubts.length === 0, 'configuration', 'valid', ['warning', doubts.join('; ')]),
    unless(health.database, 'database', databaseName, [
      'critical',
      absence ?? `${databaseName} cannot be reached${reason}`,
    ]),
    ...(health.database ? [migrationsCheck(health.migrations)] : []),
    ...(clockSkewMs === null ? [] : [clockCheck(clockSkewMs)]),
    ...(servers === null ? [] : [servingCheck(servers)]),
    ...(connectionProblems === null ? [] : [connectionsCheck(connectionProblems)]),
    unless(freeBytes >= FREE_LOW_BYTES, 'disk', free, [
      freeBytes < FREE_MIN_BYTES ? 'critical' : 'warning',
      `only ${free}`,
    ]),
    ...(findings.backups === null ? [] : [backupCheck(findings.backups)]),
    ...(findings.mailProblem === undefined ? [] : [mailCheck(findings.mailProblem)]),
    ...(findings.operators === null ? [] : [operatorsCheck(findings.operators)]),
    ...(findings.withoutContact === null ? [] : [contactsCheck(findings.withoutContact)]),
    ...(findings.overlapping === null ? [] : [overlapCheck(findings.overlapping)]),
    ...(findings.auditHead === null
      ? []
      : [auditHeadCheck(findings.auditHead, findings.isAnchored)]),
    ...(findings.data === null ? [] : dataChecks(findings.data, findings)),
  ];
}

function mailCheck(problem: string | null): HealthCheck {
  const advice = 'buyers get no sign-in links. Check PONTE_SMTP_URL';
  const detail = `${problem?.replace(/\.$/, '')}: ${advice}`;
  return unless(problem === null, 'mail', 'the mail server accepts us', ['warning', detail]);
}

function operatorsCheck(count: number): HealthCheck {
  return unless(count >= OPERATORS_MIN, 'operators', `${count} are registered`, [
    'warning',
    `${count} registered: with fewer than ${OPERATORS_MIN}, a lost key stops what two must do; ` +
      'run ponte operator add',
  ]);
}

function contactsCheck({ test, live }: ByMode): HealthCheck {
  const inTest = test.length === 0 ? '' : `; in test mode without one: ${test.length}`;
  return unless(live.length === 0, 'contacts', `live buyers find a person to ask${inTest}`, [
    'warning',
    `${live.join(', ')}: live without one; run ponte org support <org-id> --email`,
  ]);
}

/** In test mode the answer to a create and the dashboard say it. */
function overlapCheck({ test, live }: ByMode): HealthCheck {
  const inTest = test.length === 0 ? '' : `; in test mode overlapping: ${test.length}`;
  return unless(live.length === 0, 'subscriptions', `no live event is sent twice${inTest}`, [
    'warning',
    `${live.join(', ')}: send the same events to the same URL, each with its own secret; ` +
      'ask the organization to delete one',
  ]);
}

/** People keep it, to compare it later; `ponte audit verify` checks the log. */
function auditHeadCheck({ sequence, chainHash }: FeedHead, isAnchored: boolean): HealthCheck {
  const head = `${sequence} ${chainHash}`;
  return unless(isAnchored, 'audit head', head, [
    'warning',
    `${head}, kept in this database only: set PONTE_AUDIT_ANCHOR, or nobody finds a cut-off end`,
  ]);
}

function auditLogCheck(defects: number): HealthCheck {
  const problem = `${counted(defects, 'problem')}: ponte audit verify`;
  return unless(defects === 0, 'audit log', 'as it was written', ['critical', problem]);
}

function migrationsCheck(done: boolean): HealthCheck {
  const missing = 'pending, or of a newer version: run ponte migrate';
  return unless(done, 'migrations', 'done', ['critical', missing]);
}

function backupCheck({ everyMs, ageMs }: NonNullable<Findings['backups']>): HealthCheck {
  const advice = 'search the log of the server for "a scheduled backup failed"';
  if (ageMs === null) {
    return { name: 'backups', severity: 'warning', detail: `none yet: ${advice}` };
  }
  const last = `the last good one is ${formatDuration(ageMs)} old`;
  return unless(ageMs <= BACKUP_LATE_INTERVALS * everyMs, 'backups', last, [
    ageMs > BACKUP_MISSING_INTERVALS * everyMs ? 'critical' : 'warning',
    `${last}, due every ${formatDuration(everyMs)}: ${advice}`,
  ]);
}

function clockCheck(skewMs: number): HealthCheck {
  const off = `${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'}`;
  return unless(Math.abs(skewMs) <= CLOCK_ERROR_MAX_MS, 'clock', 'that of the database', [
    'critical',
    `this machine is ${off} the database: a host here claims no work. Set its clock by NTP`,
  ]);
}

function connectionsCheck(problems: readonly string[]): HealthCheck {
  const detail = 'each keeps its session';
  return unless(problems.length === 0, 'connections', detail, ['critical', problems.join('; ')]);
}

/** Never a defect: the service may be stopped for maintenance. */
function servingCheck(servers: NonNullable<Findings['servers']>): HealthCheck {
  const names = servers.map(({ name, sinceMs }) =>
    sinceMs === null ? name : `${name} since ${formatInstant(sinceMs)}`,
  );
  const detail = names.length === 0 ? 'no server is running' : names.join('; ');
  return { name: 'serving', severity: 'ok', detail };
}

function dataChecks(
  { waiting, imbalances, auditDefects }: NonNullable<Findings['data']>,
  { keysProblem, olderKeys, documentsProblem, servers }: Omit<Findings, 'data'>,
): readonly HealthCheck[] {
  const { queues, undeliveredMs, stuckCommands, deadLetters, fundsToReview, losses } = waiting;
  const { blockedMails } = waiting;
  const { deliveries, ...ours } = queues;
  // In quarantine no work is claimed: the epoch check says so, and lateness adds nothing.
  const isLate = ({ lateMs }: QueueLoad) => lateMs > LATE_MS && !waiting.inQuarantine;
  const late = Object.entries(ours).filter(([, queue]) => isLate(queue));
  const lateQueues = late.map(([name, queue]) => lateQueue(name, queue)).join('; ');
  const slow = isLate(deliveries);
  const names = olderKeys.map((keyId) => JSON.stringify(keyId)).join(', ');
  const { epoch, inQuarantine } = waiting;
  const older = names === '' ? '' : `; to retire ${names}, run: ponte secrets reseal`;
  return [
    unless(keysProblem === null, 'secret keys', `of this database${older}`, [
      'critical',
      keysProblem ?? '',
    ]),
    unless(documentsProblem === null, 'documents', 'where they belong', [
      'critical',
      documentsProblem ?? '',
    ]),
    unless(!inQuarantine, 'epoch', `${epoch}, released`, [
      'critical',
      `${epoch}, in quarantine: nothing is ordered, sent or changed. ` +
        (waiting.isChecked
          ? 'The check is complete: review the differences, then run ponte release'
          : 'Run ponte restore --check, then ponte release'),
    ]),
    ...(imbalances === null ? [] : [ledgerCheck(imbalances)]),
    ...(auditDefects === null ? [] : [auditLogCheck(auditDefects)]),
    unless(stuckCommands === 0, 'partner commands', 'none stuck', [
      'critical',
      `${counted(stuckCommands, 'command')} stuck: ponte commands list --stuck`,
    ]),
    unless(fundsToReview.live === 0, 'funds', `none needs review${reviewedInTest(fundsToReview)}`, [
      'critical',
      `${counted(fundsToReview.live, 'payment')} whose money needs review: ponte money list`,
    ]),
    unless(losses === 0, 'losses', 'none', [
      'warning',
      `${counted(losses, 'payment')} of which more left than arrived: ` +
        'ponte money list --queue lost',
    ]),
    unless(late.length === 0, 'workers', 'no work is overdue', [
      'critical',
      servers?.length === 0
        ? `${lateQueues}. No server is running: ponte serve`
        : `${lateQueues}. No worker claims it: see the log of the server`,
    ]),
    unless(!slow && undeliveredMs <= UNDELIVERED_MS, 'deliveries', 'on time', [
      'warning',
      slow
        ? `${lateQueue('webhooks', deliveries)}: a receiver is slow, or no server is running`
        : `the oldest undelivered event is ${formatDuration(undeliveredMs)} old: ` +
          'ponte deliveries list --status pending',
    ]),
    unmatchedCheck(waiting.unmatched),
    ...waiting.booksRead.map(booksCheck),
    ...waiting.reconciliations.map(reconciliationCheck),
    unless(deadLetters === 0, 'dead letters', 'none', [
      'warning',
      `${counted(deadLetters, 'delivery', 'deliveries')} given up: ` +
        'ponte deliveries list --status dead_letter',
    ]),
    unless(blockedMails === 0, 'mails', 'none is blocked', [
      'warning',
      `${counted(blockedMails, 'mail')} that the mail server does not take, tried again: ` +
        'ponte mails list --status pending gives its reason',
    ]),
  ];
}

function ledgerCheck(imbalances: number): HealthCheck {
  const problem = 'does not balance: ponte ledger verify';
  return unless(imbalances === 0, 'ledger', 'balances', ['critical', problem]);
}

/** Test values cause them: no problem, but work that the money desk can practise on. */
function reviewedInTest({ test }: QueueReport['fundsToReview']): string {
  return test === 0 ? '' : `; ${counted(test, 'payment')} of test mode: ponte money list`;
}

function unmatchedCheck(unmatched: QueueReport['unmatched']): HealthCheck {
  const sums = unmatched.map((sum) => `${formatAmount(sum.amountMinor)} ${sum.currency}`);
  const oldest = formatDuration(Math.max(0, ...unmatched.map(({ oldestMs }) => oldestMs)));
  return unless(unmatched.length === 0, 'deposits', 'each has its payment', [
    'warning',
    `${sums.join(', ')} that nobody ordered, the oldest for ${oldest}: ponte money list`,
  ]);
}

/** What messages did not report is found in the books only. */
function booksCheck({ partner, mode, ageMs }: QueueReport['booksRead'][number]): HealthCheck {
  const last = `last read completely ${formatDuration(ageMs)} ago`;
  return unless(ageMs <= lateAfterMs('complete'), `books of ${partner} (${mode})`, last, [
    'warning',
    `${last}: a recall may be missed. Search the log of the leader for "books of the partner"`,
  ]);
}

/** In test mode nothing is missing that somebody would look for. */
function reconciliationCheck({
  partner,
  mode,
  last,
  lateMs,
}: QueueReport['reconciliations'][number]): HealthCheck {
  const when = last === null ? 'not compared yet' : `compared ${formatDuration(last.ageMs)} ago`;
  const found = last === null ? 'the first is due' : `${counted(last.differences, 'difference')}`;
  const unread = last === null || last.unread === 0 ? '' : `, ${last.unread} could not be read`;
  const isClean = last === null || last.differences + last.unread === 0;
  const isGood = mode === 'test' || (isClean && lateMs <= RECONCILIATION_LATE_MS);
  const detail = `${when}: ${found}${unread}`;
  return unless(isGood, `reconciliation with ${partner} (${mode})`, detail, [
    'warning',
    `${detail}. ` +
      (isClean
        ? 'The next one is late: see the log of the leader'
        : `Run ponte reconcile --mode ${mode}`),
  ]);
}

function unless(
  good: boolean,
  name: string,
  detail: string,
  [severity, problem]: readonly [Exclude<HealthCheck['severity'], 'ok'>, string],
): HealthCheck {
  return good ? { name, severity: 'ok', detail } : { name, severity, detail: problem };
}

function lateQueue(name: string, { due, lateMs }: QueueLoad): string {
  return `${name}: ${counted(due, 'row')} due, the oldest for ${formatDuration(lateMs)}`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  if (count === 1) return `1 ${one}`;
  return `${count}${count < COUNTED_MAX ? '' : ' or more'} ${many}`;
}

/** The storage does not answer, or refuses. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
