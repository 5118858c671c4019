// `ponte doctor`: problems of the service, each with advice. It changes nothing, here and at the
// partner, and migrates nothing.
import { formatInstant } from '../core/domain/base/instant.js';
import { formatAmount } from '../core/domain/base/money.js';
import type { Mode } from '../core/domain/base/tenant.js';
import type { HealthCheck } from '../core/domain/service/health-check.js';
import type { QueueReport } from '../core/usecases/service/queue-stats.js';
import type { Findings } from '../host/health-checks.js';
import type { PartnerReport } from '../host/partner-checks.js';
import type { ExitKind } from './exit-codes.js';
import { asOperator, type Operator, type Outcome, type Shell } from './operator.js';
import { table } from './output.js';

const marks = { ok: 'ok', warning: 'WARN', critical: 'FAIL' } as const;

/** Reports a missing database instead of creating one. */
export async function doctor(shell: Shell): Promise<Outcome> {
  const [{ readConfig }, { databaseProblem }, checks] = await Promise.all([
    import('../host/config.js'),
    import('../host/database-place.js'),
    import('../host/health-checks.js'),
  ]);
  const { diagnose, examine, findingsWithoutDatabase } = checks;
  const report = (findings: Findings) => outcomeOf(findings, diagnose(findings));
  const config = readConfig(shell.env);
  const absence = await databaseProblem(config, 'none');
  if (absence !== null) return report({ ...(await findingsWithoutDatabase(config)), absence });
  const look = async (operator: Operator) =>
    report(await examine(operator, { comparesLedger: true }));
  return asOperator(shell, look, { authority: 'none', opening: 'looks' });
}

function outcomeOf(findings: Findings, checks: readonly HealthCheck[]) {
  const { json, ...report } = checkReport(checks);
  const servers = findings.servers?.map(presentServer) ?? null;
  const backlog = findings.data === null ? null : presentBacklog(findings.data.waiting);
  return { json: { ...json, servers, backlog }, ...report };
}

/** `place`: the column, and the field, that has the place of a check. */
function checkReport<const P extends string = never>(
  checks: readonly (HealthCheck & Readonly<Record<P, string>>)[],
  ...place: readonly P[]
) {
  const ok = checks.every(({ severity }) => severity === 'ok');
  return {
    json: { ok, checks: checks.map((check) => ({ ...check, ok: check.severity === 'ok' })) },
    text: table(
      [...place.map((key) => key.toUpperCase()), 'CHECK', 'STATE', 'DETAIL'],
      checks.map((check) => [
        ...place.map((key): string => check[key]),
        check.name,
        marks[check.severity],
        check.detail,
      ]),
      '',
    ),
    exit: exitOfChecks(checks),
  };
}

function presentBacklog({ unmatched, ...waiting }: QueueReport) {
  const sums = unmatched.map(({ amountMinor, ...sum }) => ({
    amount: formatAmount(amountMinor),
    ...sum,
  }));
  return { ...waiting, unmatched: sums };
}

function exitOfChecks(checks: readonly HealthCheck[]): ExitKind {
  if (checks.some(({ severity }) => severity === 'critical')) return 'checkFailed';
  return checks.every(({ severity }) => severity === 'ok') ? 'done' : 'attention';
}

function presentServer({ name, sinceMs }: NonNullable<Findings['servers']>[number]) {
  return { name, since: sinceMs === null ? null : formatInstant(sinceMs) };
}

interface ModeCheck extends HealthCheck {
  readonly mode: Mode;
}

/** `--partner`: the connection to the settlement partner of each mode; null: both. No database. */
export async function partnerDoctor(shell: Shell, mode: Mode | null): Promise<Outcome> {
  const [{ readConfig }, { checkPartner }] = await Promise.all([
    import('../host/config.js'),
    import('../host/partner-checks.js'),
  ]);
  const config = readConfig(shell.env);
  const chosen: readonly Mode[] = mode === null ? ['test', 'live'] : [mode];
  const reports = await Promise.all(chosen.map((one) => checkPartner(config, one)));
  const checks = reports.flatMap(checksOf);
  const { json, ...report } = checkReport(checks, 'mode');
  const partners = reports.map(({ mode: of, partner }) => ({ mode: of, partner }));
  return { json: { ok: json.ok, partners, checks: json.checks }, ...report };
}

function checksOf({ mode, partner, checks }: PartnerReport): readonly ModeCheck[] {
  const row = (detail: string): ModeCheck => ({ mode, name: 'partner', severity: 'ok', detail });
  if (partner === null) return [row(`none: PONTE_PARTNER_${mode.toUpperCase()} names one`)];
  if (checks === null) return [row(`${partner} runs in this process: nothing to check`)];
  return [row(partner), ...checks.map((check) => ({ mode, ...check }))];
}

export interface EgressDoctorOptions {
  readonly url: readonly string[];
  readonly subscriptions: boolean;
}

/**
 * `--egress`: whether this machine reaches what Ponte connects to. It needs a database only for the
 * receivers of all subscriptions.
 */
export async function egressDoctor(
  shell: Shell,
  { url: urls, subscriptions }: EgressDoctorOptions,
): Promise<Outcome> {
  const [{ readConfig }, { checkEgress, subscribedUrls }] = await Promise.all([
    import('../host/config.js'),
    import('../host/egress-checks.js'),
  ]);
  const subscribed = subscriptions
    ? await asOperator(shell, (operator: Operator) => subscribedUrls(operator.deps), {
        authority: 'none',
        opening: 'looks',
      })
    : [];
  const all = [...urls, ...subscribed];
  return checkReport(await checkEgress(readConfig(shell.env), all, shell.env), 'target');
}
