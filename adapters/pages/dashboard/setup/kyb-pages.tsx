// The organization's KYB in the frame of the dashboard: the form of a seller (pages/kyc), with
// owners and documents, and the terms of the settlement partner.
import { z } from 'zod';
import { PonteError } from '../../../../core/errors.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import type { OrganizationSession } from '../../../../core/usecases/hosted/form-subjects.js';
import { type KycForm, openKycForm } from '../../../../core/usecases/hosted/kyc-forms.js';
import {
  acceptOrganizationTerms,
  needsTerms,
  termsUrl,
} from '../../../../core/usecases/parties/organizations.js';
import type { ScreenContent } from '../../hosted/layout.js';
import { noKyc, type PageView } from '../../hosted/page-view.js';
import { type Scene, SceneProvider, sceneOf } from '../../hosted/scene.js';
import { type AnyCall, legalView, organizationView } from '../../hosted/unpaid-view.js';
import { ButtonLink, Form, Submit } from '../../kit/components.js';
import type { PageContext } from '../../kit/page-route.js';
import { withDone } from '../../kit/pages/declared-pages.js';
import { memberFormRows } from '../../kyc/form-rows.js';
import type { FormPlace } from '../../kyc/kyc-view.js';
import { type DashboardContent, dashboardPage, ToPlace } from '../dashboard-layout.js';
import {
  type DashboardScene,
  type DashboardView,
  useDashboard,
  viewOf,
} from '../dashboard-scene.js';
import {
  actorOf,
  type MemberCall,
  memberPages,
  TENANT_ROOT,
  tenantOfCall,
} from '../member-pages.js';
import { START_PATH } from './getting-started-pages.js';

const termsPath = `${START_PATH}/terms`;
const row = { scope: 'kyb:write', proof: 'session' } as const;

const organizationPlace: FormPlace = {
  async load(context, given) {
    const { deps } = context;
    const call = memberCall(given);
    const session = sessionOf(call);
    const form = await openKycForm(deps, session);
    const isOpen = form.state === 'form' || form.state === 'corrections';
    const view = viewOf(context, call);
    const page = pageView(context, call, view);
    const needs = await view.readNeeds();
    return {
      view: page,
      form,
      session,
      payee: null,
      isOpen,
      show: (content, status) =>
        dashboardPage(view, () => inDashboard(sceneOf(page), content, form), status, needs),
    };
  },
  base: (call) => rootOf(memberCall(call)),
  home: (call) => `${rootOf(memberCall(call))}${START_PATH}`,
  sent: (call) => withDone(`${rootOf(memberCall(call))}${START_PATH}`, 'kyb_sent'),
  terms: (call) => `${rootOf(memberCall(call))}${START_PATH}/terms`,
};

export const kybPages = [
  ...memberFormRows(TENANT_ROOT, organizationPlace, row),
  memberPages.view({ path: termsPath, access: row, load: readTerms, show: termsScreen }),
  memberPages.action({
    path: termsPath,
    access: row,
    form: z.object({ tosId: z.string().max(200) }),
    async run({ deps }, call) {
      await acceptOrganizationTerms(deps, tenantOfCall(call), call.form.tosId);
      return { to: START_PATH, done: 'terms_accepted' };
    },
  }),
];

/** NotFound outside the dashboard. */
function memberCall(call: AnyCall): MemberCall {
  if (call.visit === null) throw new PonteError('NotFound');
  return call as MemberCall;
}

function rootOf(call: MemberCall): string {
  const { orgId, mode } = tenantOfCall(call);
  return `${call.base}/${orgId}/${mode}`;
}

function sessionOf(call: MemberCall): OrganizationSession {
  const none = { paymentId: null, submissionId: null, accountId: null, ownerIndex: null } as const;
  const { email } = actorOf(call).member;
  return { ...tenantOfCall(call), ...none, kind: 'organization', email };
}

/** What the screens of the form read of a page. */
function pageView({ deps }: PageContext, call: MemberCall, view: DashboardView): PageView {
  const { organization } = actorOf(call);
  return {
    ...view,
    organization: organizationView(organization),
    legal: legalView(organization, deps.settings),
    payment: null,
    kyc: noKyc,
    simulate: null,
    page: { name: 'kyc', state: 'form' },
  };
}

/** A screen of the form in the frame of the dashboard. */
function inDashboard(
  scene: Scene,
  screen: (scene: Scene) => ScreenContent,
  { email }: Pick<KycForm, 'email'>,
): DashboardContent {
  const { title, heading, lede, eyebrow, errors, aside, body } = screen(scene);
  return {
    title,
    ...(heading === undefined ? {} : { heading }),
    ...(lede === undefined ? {} : { lede }),
    ...(errors === undefined ? {} : { errors }),
    place: 'gettingStarted',
    crumbs: [<ToPlace of="gettingStarted" />, ...(eyebrow === undefined ? [] : [eyebrow])],
    body: (
      <SceneProvider value={scene}>
        <div class="cols">
          <div class="stack-l">{body}</div>
          <div class="side">
            {aside}
            <AboutKyb email={email ?? ''} />
          </div>
        </div>
      </SceneProvider>
    ),
  };
}

function AboutKyb({ email }: { readonly email: string }) {
  const { texts, view } = useDashboard();
  const words = texts.setup.kyb;
  return (
    <section>
      <h2>{words.heading}</h2>
      <p>{view.mode === 'test' ? words.testLede : words.lede}</p>
      <p>{words.email(email)}</p>
    </section>
  );
}

type Terms = Awaited<ReturnType<typeof readTerms>>;

/** The partner's page, and the id with which the member comes back from it. */
async function readTerms({ deps }: PageContext, call: MemberCall) {
  const tenant = tenantOfCall(call);
  const { profile } = await readStanding(deps, tenant);
  const tosId = call.query.get('tos_id');
  const isOpen = needsTerms(deps, profile);
  const redirectUrl = new URL(`${rootOf(call)}${START_PATH}/terms`, deps.settings.payUrl).href;
  const url = isOpen && tosId === null ? await termsUrl(deps, tenant, redirectUrl) : null;
  return { url, tosId: isOpen ? tosId : null };
}

function termsScreen({ texts }: DashboardScene, { url, tosId }: Terms): DashboardContent {
  const words = texts.setup.terms;
  return {
    title: texts.setup.start.terms.heading,
    lede: words.lede,
    place: 'gettingStarted',
    crumbs: [<ToPlace of="gettingStarted" />],
    body: (
      <section class="card stack">
        {url === null && tosId === null ? <p>{words.accepted}</p> : null}
        {url === null
          ? null
          : [
              <p>{words.leaves}</p>,
              <p class="actions">
                <ButtonLink href={url} look="primary" text={words.open} />
              </p>,
            ]}
        {tosId === null ? null : (
          <Form to="getting-started/terms" class="stack">
            <p>{words.back}</p>
            <input type="hidden" name="tosId" value={tosId} />
            <Submit>{words.save}</Submit>
          </Form>
        )}
      </section>
    ),
  };
}
