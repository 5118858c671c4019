// Declared pages of an organization in one mode, for its members, and of a person in any of them.
import { type MemberRule, memberRow } from '../kit/page-route.js';
import { DeclaredPages } from '../kit/pages/declared-pages.js';
import { type DashboardPlace, organizationPage } from './dashboard-layout.js';
import { type DashboardScene, type Done, sceneOf, viewOf } from './dashboard-scene.js';
import { TENANT_ROOT } from './member-page.js';

const pagesAt = (root: string) =>
  new DeclaredPages<'member', MemberRule, DashboardScene, DashboardPlace, Done>({
    root,
    row: (access, row) => memberRow({ ...access, ...row }),
    sceneOf: (context, call) => sceneOf(viewOf(context, call)),
    page: ({ view }, content, status) => organizationPage(view, () => content, status),
  });

export const memberPages = pagesAt(TENANT_ROOT);
export const personPages = pagesAt('/dashboard');
