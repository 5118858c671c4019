// `ponte doctor`: problems of the service, each with advice. It changes nothing and migrates
// nothing.
import { formatInstant } from '../core/domain/base/instant.js';
import { formatAmount } from '../core/domain/base/money.js';
import type { HealthCheck } from '../core/domain/service/health-check.js';
import type { QueueReport } from '../core/usecases/service/queue-stats.js';
import type { Findings } from '../host/health-checks.js';
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
export function checkReport<const P extends string = never>(
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
