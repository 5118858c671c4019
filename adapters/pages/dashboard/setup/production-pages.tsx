// The request for production access: what the operator asks, and the support contact that live mode
// needs.
import { readEmail } from '../../../../core/domain/base/email-address.js';
import {
  REPORT_LENGTH_MAX,
  readCertifyReport,
} from '../../../../core/domain/parties/certify-summary.js';
import { hasContact, readPhone } from '../../../../core/domain/parties/contact.js';
import type { Organization } from '../../../../core/domain/parties/organization.js';
import {
  ANSWER_LENGTH_MAX,
  type ProductionQuestion,
  type ProductionRequest,
} from '../../../../core/domain/parties/production-request.js';
import { setSupportContact } from '../../../../core/usecases/parties/organizations.js';
import {
  readProductionRequest,
  requestProduction,
} from '../../../../core/usecases/parties/production-requests.js';
import { Foreign, Note } from '../../kit/components.js';
import { emailText } from '../../kit/pages/email-texts.js';
import { type DeclaredField, text, textAs, words } from '../../kit/pages/form-page.js';
import { LawSection } from '../../proof/law-table.js';
import { ToPlace } from '../dashboard-layout.js';
import type { DashboardScene } from '../dashboard-scene.js';
import { actorOf, memberPages } from '../member-pages.js';
import { PRODUCTION_PATH, START_PATH } from './getting-started-pages.js';

type Asking = Readonly<{ organization: Organization; request: ProductionRequest | null }>;

export const productionPages = memberPages.form({
  path: PRODUCTION_PATH,
  access: { scope: 'org:write', proof: 'request_production' },
  back: () => START_PATH,
  async load({ deps }, call): Promise<Asking> {
    const { organization } = actorOf(call);
    return { organization, request: await readProductionRequest(deps, organization.id) };
  },
  elsewhere: ({ organization, request }) => {
    const isOver = organization.productionGrantedAtMs !== null || request?.state === 'requested';
    return isOver ? START_PATH : null;
  },
  typed: ({ request }) => ({ ...request?.answers }),
  fields: (scene, asking) => ({
    ...questionsOf(scene),
    report: reportOf(scene),
    ...contactOf(scene, asking),
  }),
  show: (scene, { request }) => ({
    title: scene.texts.setup.start.production.heading,
    lede: scene.texts.setup.production.lede,
    place: 'gettingStarted',
    crumbs: [<ToPlace of="gettingStarted" />],
    submit: scene.texts.error.liveAsk,
    around: (form) => (
      <div class="stack-l">
        <div class="cols">
          <section class="stack">
            {request?.state === 'refused' ? <Refused scene={scene} request={request} /> : null}
            {form}
          </section>
        </div>
        <LawSection locale={scene.view.locale} />
      </div>
    ),
  }),
  async save({ deps }, call, { values }) {
    const { organization, memberId } = actorOf(call);
    const { supportEmail, supportPhone, sells, customers, monthlyVolume, report } = values;
    if (supportEmail !== undefined && supportPhone !== undefined) {
      await setSupportContact(deps, organization.id, { supportEmail, supportPhone });
    }
    const answers = { sells, customers, monthlyVolume };
    await requestProduction(deps, { orgId: organization.id, memberId }, answers, report);
    return { to: START_PATH, done: 'production_asked' };
  },
});

function questionsOf({ texts: { setup } }: DashboardScene) {
  const { questions, missing } = setup.production;
  const asked = (question: ProductionQuestion) =>
    text({
      rows: 3,
      label: questions[question],
      max: ANSWER_LENGTH_MAX,
      problem: `${questions[question]} ${missing}`,
    });
  return {
    sells: asked('sells'),
    customers: asked('customers'),
    monthlyVolume: asked('monthlyVolume'),
  };
}

/** Empty: none. */
function reportOf({ texts: { setup } }: DashboardScene): DeclaredField<string> {
  const { report, reportHint, notAReport } = setup.production;
  return textAs({
    label: report,
    hint: reportHint,
    rows: 3,
    max: REPORT_LENGTH_MAX,
    spellcheck: false,
    problem: notAReport,
    read: (typed) => (typed === '' || readCertifyReport(typed) !== null ? typed : null),
  });
}

/** At least one of the two, for an organization that has none. */
function contactOf(
  { texts: { setup }, view }: DashboardScene,
  { organization }: Asking,
): Partial<Record<'contact' | 'supportEmail' | 'supportPhone', DeclaredField<string | null>>> {
  if (hasContact(organization)) return {};
  const { contact, contactText, noContact } = setup.production;
  return {
    contact: words(
      <>
        <h2>{contact}</h2>
        <p class="small quiet">{contactText}</p>
      </>,
    ),
    supportEmail: textAs({
      label: setup.settings.supportEmail,
      type: 'email',
      max: 320,
      spellcheck: false,
      problem: (typed) => (typed === '' ? noContact : emailText(view.locale, typed)),
      read: (typed, { supportPhone = '' }) => {
        if (typed === '') return supportPhone.trim() === '' ? null : typed;
        return readEmail(typed) === null ? null : typed;
      },
    }),
    supportPhone: textAs({
      label: setup.settings.supportPhone,
      type: 'tel',
      max: 40,
      problem: setup.settings.notAPhone,
      read: (typed) => (typed === '' || readPhone(typed) !== null ? typed : null),
    }),
  };
}

function Refused({ scene, request }: { scene: DashboardScene; request: ProductionRequest }) {
  const { texts, format } = scene;
  const { decidedAtMs, createdAtMs, reason } = request;
  const at = format.day(decidedAtMs ?? createdAtMs);
  return (
    <Note
      look="warn"
      text={<Foreign text={texts.setup.start.production.refused(at, reason ?? '')} />}
    />
  );
}
