// `ponte doctor --partner`: the connection to the settlement partner of each mode. It changes
// nothing at the partner and needs no database.
import type { Mode } from '../core/domain/base/tenant.js';
import type { HealthCheck } from '../core/domain/service/health-check.js';
import type { PartnerReport } from '../host/partner-checks.js';
import { checkReport } from './doctor.js';
import type { Outcome, Shell } from './operator.js';

interface ModeCheck extends HealthCheck {
  readonly mode: Mode;
}

/** Null: both modes. */
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
