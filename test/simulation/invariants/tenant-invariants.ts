// Invariants of tenants: an action of a tenant changes and shows its own rows only. The invariants
// of each kind of row judge workers and operators, who act for all tenants.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { auditFeed } from '../../../core/domain/service/audit-record.js';
import type { StagedWrite } from '../world/gated-store.js';
import type { ObservedState } from './observed-state.js';

export function noTenantChangesAnothersRows({ freshBatches }: ObservedState): string | null {
  for (const { by, writes } of freshBatches) {
    if (by === null) continue;
    const wrong = writes.find((write) => isForeign(write, by));
    if (wrong !== undefined) return `${nameOf(by)} did ${wrong.group}.${wrong.method} elsewhere`;
  }
  return null;
}

export function noTenantSeesAnothersRows({ trespasses }: ObservedState): string | null {
  return trespasses[0] ?? null;
}

/** The first row of another tenant in what was shown; null when there is none. */
export function foreignRowIn(shown: unknown, to: Tenant): string | null {
  if (typeof shown !== 'object' || shown === null) return null;
  if (isRow(shown) && nameOf(shown) !== nameOf(to)) return `a row of ${nameOf(shown)}`;
  for (const part of Object.values(shown)) {
    const found = foreignRowIn(part, to);
    if (found !== null) return found;
  }
  return null;
}

/** Guards on what others have change nothing, buyers are one for all, and so is the audit log. */
function isForeign({ method, args: [row] }: StagedWrite, by: Tenant): boolean {
  if (method.startsWith('expect')) return false;
  if (typeof row !== 'object' || row === null || !isRow(row)) return false;
  return ![nameOf(by), nameOf(auditFeed)].includes(nameOf(row));
}

function isRow(value: object): value is Tenant {
  return 'orgId' in value && 'mode' in value;
}

function nameOf({ orgId, mode }: Tenant): string {
  return `${orgId} ${mode}`;
}
