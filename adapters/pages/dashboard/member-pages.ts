// Declared pages of an organization in one mode, for its members, and of a person in any of them,
// and what those pages share: their root, and their actor.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { assert } from '../../../core/errors.js';
import type { DashboardActor } from '../../../core/usecases/access/sessions.js';
import { type MemberRule, memberRow, type PageCall } from '../kit/page-route.js';
import { DeclaredPages } from '../kit/pages/declared-pages.js';
import { type DashboardPlace, organizationPage } from './dashboard-layout.js';
import { type DashboardScene, type Done, sceneOf, viewOf } from './dashboard-scene.js';

/** The path of every page of an organization: another tab may have the other mode. */
export const TENANT_ROOT = '/dashboard/{orgId}/{mode}';

/** Each role has one of them. */
export const anyRole = { anyOf: ['payment_intents:read', 'invoices:read'] } as const;

export type MemberCall<F = unknown> = PageCall<'member', F>;

export function actorOf({ visit }: MemberCall): DashboardActor {
  assert(visit.actor !== null, 'the path has an organization and a mode');
  return visit.actor;
}

export function tenantOfCall(call: MemberCall): Tenant {
  const { orgId, mode } = actorOf(call);
  return { orgId, mode };
}

const pagesAt = (root: string) =>
  new DeclaredPages<'member', MemberRule, DashboardScene, DashboardPlace, Done>({
    root,
    row: (access, row) => memberRow({ ...access, ...row }),
    sceneOf: (context, call) => sceneOf(viewOf(context, call)),
    page: ({ view }, content, status) => organizationPage(view, () => content, status),
  });

export const memberPages = pagesAt(TENANT_ROOT);
export const personPages = pagesAt('/dashboard');
