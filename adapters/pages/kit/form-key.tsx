// The one-time key of a form. However often a form is sent, it makes one payment, API key or
// webhook subscription.
import type { VNode } from 'preact';
import { z } from 'zod';
import type { Deps } from '../../../core/ports/deps.js';

export const formKey = z.string().regex(/^frm_[0-9a-hjkmnp-tv-z]{26}$/);

export function newFormKey({ ids, clock }: Pick<Deps, 'ids' | 'clock'>): string {
  return ids.next('frm', clock.nowMs());
}

export function FormKey({ value }: { readonly value: string }): VNode {
  return <input type="hidden" name="key" value={value} />;
}

/** The key of a payment that the form makes. */
export function idempotencyKeyOf(key: string): string {
  return `dashboard-${key}`;
}
