// The view of a page without a payment, and what any view shows of an organization.
import { sessionEnd } from '../../../core/domain/access/session.js';
import { localeOf } from '../../../core/domain/base/locale.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { LegalLinks } from '../../../core/domain/parties/contact.js';
import type { Organization } from '../../../core/domain/parties/organization.js';
import { readDisplay } from '../../../core/domain/payments/display.js';
import type { Settings } from '../../../core/ports/deps.js';
import { logoPath } from '../kit/files/logo-file.js';
import { frameOfCall } from '../kit/frame-of-call.js';
import type { PageAuth, PageCall, PageContext } from '../kit/page-route.js';
import { noKyc, type Page, type PageOrganization, type PageView } from './page-view.js';

export type AnyCall = PageCall<PageAuth, unknown>;

/** The language: chosen, else that of the integrator's display, else the browser's. */
export function localeFor(
  { chosenLocale, browserLocale }: Pick<AnyCall, 'chosenLocale' | 'browserLocale'>,
  display: string | null,
) {
  return chosenLocale ?? localeOf(readDisplay(display)?.locale ?? '') ?? browserLocale ?? 'en';
}

/** The links of the organization come before those of the operator. */
export function legalView(
  organization: LegalLinks,
  { legal }: Pick<Settings, 'legal'>,
): PageView['legal'] {
  return {
    privacyUrl: organization.privacyUrl ?? legal.privacyUrl,
    termsUrl: organization.termsUrl ?? legal.termsUrl,
  };
}

export function organizationView(organization: Organization): PageOrganization {
  const { id, name, supportEmail, supportPhone, website, accentColor, timeZone } = organization;
  const logo = logoPath(organization);
  return { id, name, supportEmail, supportPhone, website, accentColor, logo, timeZone };
}

export function unpaidView(
  context: PageContext,
  call: AnyCall,
  {
    organization,
    mode,
    page,
    email,
  }: Readonly<{ organization: Organization; mode: Mode; page: Page; email: string }>,
): PageView {
  const { deps } = context;
  const { session } = call;
  const isSignedIn = session !== null && session.kind !== 'upload';
  const viewer = isSignedIn ? { email, sessionEndsAtMs: sessionEnd(session) } : null;
  const nowMs = deps.clock.nowMs();
  return {
    ...frameOfCall(context, call, { locale: localeFor(call, null), mode, nowMs, viewer }),
    organization: organizationView(organization),
    legal: legalView(organization, deps.settings),
    payment: null,
    kyc: noKyc,
    simulate: null,
    page,
  };
}
