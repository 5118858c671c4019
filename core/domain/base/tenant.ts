// The owner of a row: organization and mode. Every read and write of integrator data carries it, so
// test and live data never meet.

export const modes = ['test', 'live'] as const;
export type Mode = (typeof modes)[number];

export interface Tenant {
  readonly orgId: string;
  readonly mode: Mode;
}

export function sameTenant(left: Tenant, right: Tenant): boolean {
  return left.orgId === right.orgId && left.mode === right.mode;
}

/** A text that names the tenant, for maps. */
export function tenantKey({ orgId, mode }: Tenant): string {
  return `${orgId}/${mode}`;
}

export function tenantOf(row: Tenant): Tenant {
  return { orgId: row.orgId, mode: row.mode };
}
