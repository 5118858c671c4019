// What the screens of the dashboard may use: the view, the texts of its language and its formats.
import { type MemberRole, memberName, scopesOf } from '../../../core/domain/access/member.js';
import { allows, type Scope } from '../../../core/domain/access/scope.js';
import { sessionEnd } from '../../../core/domain/access/session.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import type { Organization } from '../../../core/domain/parties/organization.js';
import {
  countNeeds,
  type OrganizationNeeds,
} from '../../../core/usecases/payments/organization-needs.js';
import { assetPaths } from '../kit/assets.js';
import { logoPath } from '../kit/files/logo-file.js';
import { type Format, formatOf } from '../kit/format.js';
import { type FrameView, notices } from '../kit/frame-view.js';
import { provided } from '../kit/page-frame.js';
import type { BuyerAuth, PageCall, PageContext } from '../kit/page-route.js';
import { keptQuery } from '../kit/return-after-sign-in.js';
import { dashboardTexts } from './dashboard-texts.js';
import type { DashboardTexts } from './texts/dashboard-en.js';

export type DashboardCall<F = unknown> =
  | PageCall<'member', F>
  | PageCall<Extract<BuyerAuth, 'none'>, F>;

export type Done = keyof DashboardTexts['done'];

/** Whether the role of the member has the scope. The page table decides; pages hide the rest. */
export function may({ role }: Pick<DashboardView, 'role'>, scope: Scope): boolean {
  return role !== null && allows(scopesOf(role), scope);
}

export interface DashboardView extends FrameView {
  /** What the form before this page did. */
  readonly done: Done | null;
  /** Where the API is described; null on refusals. */
  readonly docs: string | null;
  /** Null on pages that belong to none. */
  readonly organization: {
    readonly id: string;
    readonly name: string;
    /** Path of its logo. */
    readonly logo: string | null;
  } | null;
  /** What the reader is called; null before sign-in. */
  readonly person: string | null;
  /** Null without an organization. */
  readonly role: MemberRole | null;
  /** The zone of the organization; UTC without one. */
  readonly timeZone: string;
  /** What the address has after the path: the page in another language is the same. */
  readonly query: URLSearchParams;
  /** What needs the organization; nothing on pages that belong to none. */
  readonly readNeeds: () => Promise<OrganizationNeeds | null>;
  /** The paths of test and live mode; null without an organization. */
  readonly modePaths: { readonly test: string; readonly live: string } | null;
}

export interface DashboardScene {
  readonly view: DashboardView;
  readonly texts: DashboardTexts;
  readonly format: Format;
}

export const [DashboardProvider, useDashboard] = provided<DashboardScene>();

export function sceneOf(view: DashboardView): DashboardScene {
  return { view, texts: dashboardTexts[view.locale], format: formatOf(view.locale, view) };
}

export function localeOfCall({ chosenLocale, browserLocale }: DashboardCall): Locale {
  return chosenLocale ?? browserLocale ?? 'en';
}

function organizationOf(root: string, organization: Organization): DashboardView['organization'] {
  const logo = logoPath(organization);
  const { id, name } = organization;
  return { id, name, logo: logo === null ? null : `${root}${logo}` };
}

export function viewOf(context: PageContext, call: DashboardCall): DashboardView {
  const { deps, prefix, mailbox } = context;
  const { visit, query, base } = call;
  const actor = visit?.actor ?? null;
  const root = `${base}/${actor?.orgId}`;
  return {
    locale: localeOfCall(call),
    hasDecimalPoint: call.hasDecimalPoint,
    root: prefix,
    path: actor === null ? base : `${root}/${actor.mode}`,
    assets: assetPaths(prefix),
    nowMs: deps.clock.nowMs(),
    mode: actor?.mode ?? 'live',
    csrf: call.csrf,
    viewer:
      visit === null
        ? null
        : {
            email: visit.signedIn.person.email,
            sessionEndsAtMs: sessionEnd(visit.signedIn.session),
          },
    version: null,
    notice: notices.find((known) => known === query.get('notice')) ?? null,
    limited: null,
    done:
      (Object.keys(dashboardTexts.en.done).find((known) => known === query.get('done')) as
        | Done
        | undefined) ?? null,
    mailbox: mailbox === null ? null : `${prefix}/dev/mailbox`,
    docs: `${deps.settings.baseUrl}/docs`,
    query: new URLSearchParams(keptQuery(query)),
    organization: actor === null ? null : organizationOf(prefix, actor.organization),
    person: actor === null ? (visit?.signedIn.person.email ?? null) : memberName(actor.member),
    role: actor?.member.role ?? null,
    timeZone: actor?.organization.timeZone ?? 'UTC',
    readNeeds: async () => actor && countNeeds(deps, actor, actor.organization.timeZone),
    modePaths: actor === null ? null : { test: `${root}/test`, live: `${root}/live` },
  };
}
