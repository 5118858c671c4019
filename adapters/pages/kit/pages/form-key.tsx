// The one-time key of a form. However often a form is sent, it makes one payment, API key or
// webhook subscription.
import { z } from 'zod';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { IdPrefix } from '../../../../core/ports/outside.js';

export const formKey = z.string().regex(/^frm_[0-7][0-9a-hjkmnp-tv-z]{25}$/);

export function newFormKey({ ids, clock }: Pick<Deps, 'ids' | 'clock'>): string {
  return ids.next('frm', clock.nowMs());
}

export function FormKey({ value }: { readonly value: string }) {
  return <input type="hidden" name="key" value={value} />;
}

/** The id of what the form makes: a repeat would make the same, and is refused. */
export function newIdOf(
  { ids }: Pick<Deps, 'ids'>,
  prefix: IdPrefix,
  { orgId, mode }: Tenant,
  key: string,
): string {
  return ids.named(prefix, key, `${orgId}/${mode}`);
}

/** The key of a payment that the form makes. */
export function idempotencyKeyOf(key: string): string {
  return `dashboard-${key}`;
}
