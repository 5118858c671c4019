// The pages that a link opens, and their paths.
import type { Tenant } from '../base/tenant.js';

/**
 * `payment`: for its buyer. `form`: the KYC form of a submission without a payment, for the buyer.
 * `owner`: the part of a beneficial owner in the form. `approval`: what the approver of a payment
 * decides. `dashboard`: for a member, by the address that somebody typed; null where only the link
 * says whose it is.
 */
export type HostedPage =
  | { readonly kind: 'payment'; readonly publicId: string }
  | { readonly kind: 'form'; readonly flowId: string }
  | { readonly kind: 'owner'; readonly flowId: string; readonly ownerIndex: number }
  | { readonly kind: 'approval'; readonly publicId: string }
  | { readonly kind: 'dashboard'; readonly address: string | null };

/** Below the address of the hosted pages. A session's cookie is limited to it. */
export function hostedPath(page: HostedPage): string {
  if (page.kind === 'payment') return `/r/${page.publicId}`;
  if (page.kind === 'approval') return `/r/${page.publicId}/approval`;
  if (page.kind === 'dashboard') return '/dashboard';
  if (page.kind === 'form') return `/kyc/${page.flowId}`;
  return `/owner/${page.flowId}/${page.ownerIndex}`;
}

/** The onboarding of a seller: its link comes from the organization, not by mail. */
export function onboardingPath({ orgId, mode }: Tenant, accountId: string): string {
  return `/onboarding/${orgId}/${mode}/${accountId}`;
}

/** A payment in the dashboard, for members. */
export function dashboardPath({ orgId, mode }: Tenant, paymentId: string): string {
  return `/dashboard/${orgId}/${mode}/payments/${paymentId}`;
}
