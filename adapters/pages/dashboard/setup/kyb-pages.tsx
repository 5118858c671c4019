// The details of the organization's KYB, in one form with the controls of the buyer's form, and the
// terms of the settlement partner.
import type { VNode } from 'preact';
import { z } from 'zod';
import { checkKyb, kybFields, requiredElsewhere } from '../../../../core/domain/hosted/kyb-form.js';
import { emptyDraft } from '../../../../core/domain/hosted/kyc-draft.js';
import type { FormField, Typed } from '../../../../core/domain/hosted/kyc-fields.js';
import {
  type PlacedCorrection,
  placeCorrections,
} from '../../../../core/domain/hosted/kyc-form.js';
import type { Dossier } from '../../../../core/domain/parties/dossier.js';
import {
  type OrganizationProfile,
  sandboxKyb,
} from '../../../../core/domain/parties/organization.js';
import { isSubmitted } from '../../../../core/domain/parties/party.js';
import { correctionsOf, TERMS } from '../../../../core/domain/parties/party-due.js';
import { isCode } from '../../../../core/errors.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import {
  acceptTerms,
  needsTerms,
  requiredOfOrganization,
  submitKyb,
  termsUrl,
} from '../../../../core/usecases/parties/organizations.js';
import { Fields } from '../../buyer/kyc/field-controls.js';
import { errorsOf, type FieldScene } from '../../buyer/kyc/kyc-scene.js';
import { kycCatalogues } from '../../buyer/kyc/kyc-texts.js';
import { Button, ButtonLink, Foreign, Form, Note } from '../../kit/components.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../../kit/page-route.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, viewOf, withDone } from '../dashboard-scene.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { BackToStart, START_PATH, startPath } from './getting-started-pages.js';

const kybPath = `${TENANT_ROOT}${START_PATH}/organization`;
const termsPath = `${TENANT_ROOT}${START_PATH}/terms`;
const row = { scope: 'kyb:write', proof: 'session' } as const;
const typedForm = z.record(z.string().max(64), z.string().max(1_000));
const termsForm = z.object({ tosId: z.string().max(200) });

export const kybPages = [
  memberRow({
    ...row,
    method: 'GET',
    path: kybPath,
    form: 'none',
    handler: (context, call) => showKyb(context, call, {}),
  }),
  memberRow({ ...row, method: 'POST', path: kybPath, form: typedForm, handler: sendKyb }),
  memberRow({ ...row, method: 'GET', path: termsPath, form: 'none', handler: showTerms }),
  memberRow({ ...row, method: 'POST', path: termsPath, form: termsForm, handler: saveTerms }),
];

interface Refused {
  readonly typed?: Typed;
  readonly problems?: FieldScene['problems'];
  /** What the partner did not take, in its words. */
  readonly refusal?: string;
}

interface Kyb {
  readonly profile: OrganizationProfile;
  readonly extra: readonly (keyof Dossier)[];
  /** What the fields begin with. */
  readonly dossier: Dossier;
  readonly email: string;
  readonly corrections: readonly PlacedCorrection[];
  readonly needsTerms: boolean;
  readonly refused: Refused;
}

async function showKyb(
  context: PageContext,
  call: MemberCall,
  refused: Refused,
): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const { organization, profile } = await readStanding(deps, tenant);
  const due = correctionsOf(profile).filter(({ field }) => field !== TERMS);
  const isNew = !isSubmitted(profile.status);
  const kyb: Kyb = {
    profile,
    extra: requiredOfOrganization(deps, tenant),
    dossier: isNew
      ? { country: 'BR', ...(tenant.mode === 'test' ? sandboxKyb(organization) : {}) }
      : {},
    email: actorOf(call).member.email,
    corrections: placeCorrections(emptyDraft, due),
    needsTerms: needsTerms(deps, profile),
    refused,
  };
  const isWrong = refused.typed !== undefined;
  return dashboardPage(
    viewOf(context, call),
    (scene) => kybScreen(scene, kyb),
    isWrong ? 422 : 200,
  );
}

async function sendKyb(context: PageContext, call: MemberCall<Typed>): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const { profile } = await readStanding(deps, tenant);
  const typed = call.form;
  const extra = requiredOfOrganization(deps, tenant);
  const { dossier, problems } = checkKyb(extra, typed, deps.clock.nowMs());
  const isNew = !isSubmitted(profile.status);
  // An answer needs only what is asked for.
  const wrong = Object.entries(problems).filter(([, problem]) => isNew || problem !== 'missing');
  if (wrong.length > 0) {
    return showKyb(context, call, { typed, problems: Object.fromEntries(wrong) });
  }
  const { email } = actorOf(call).member;
  try {
    await submitKyb(deps, tenant, isNew ? { ...dossier, email } : dossier);
  } catch (error) {
    if (!isCode(error, 'ValidationError')) throw error;
    return showKyb(context, call, { typed, refusal: error.message });
  }
  return seeOther(withDone(startPath(context, tenant), 'kyb_sent'));
}

function kybScreen(scene: DashboardScene, kyb: Kyb): DashboardContent {
  const { texts, view } = scene;
  const words = texts.setup.kyb;
  const { profile, extra, dossier, corrections, refused } = kyb;
  const names = kycCatalogues[view.locale];
  const isNew = !isSubmitted(profile.status);
  const placed = corrections.flatMap(({ place }) => (place === null ? [] : [place.field]));
  const asked = kybFields(extra);
  const fields = isNew ? asked : asked.filter(({ field }) => placed.includes(field));
  const shownFields = new Set<FormField>(fields.map(({ field }) => field));
  const elsewhere = isNew
    ? requiredElsewhere(extra)
    : placed.filter((field) => !shownFields.has(field));
  const form: FieldScene = {
    words: names,
    view,
    form: {
      draft: { ...emptyDraft, entityType: 'business', dossier },
      author: 'buyer',
      corrections,
    },
    typed: refused.typed ?? {},
    problems: refused.problems ?? null,
  };
  const errors =
    refused.typed === undefined
      ? []
      : errorsOf(
          form,
          fields.map(({ field }) => ({ field, owner: null })),
        );
  return {
    title: words.heading,
    lede: view.mode === 'test' ? words.testLede : words.lede,
    place: 'gettingStarted',
    crumbs: <BackToStart />,
    errors,
    body: (
      <div class="cols">
        {fields.length === 0 && elsewhere.length === 0 ? (
          <section class="card">
            <p>{words.submitted}</p>
          </section>
        ) : (
          <section class="stack">
            {refused.refusal === undefined ? null : (
              <Note look="bad" live>
                <p>
                  {words.refused} <Foreign text={refused.refusal} />
                </p>
              </Note>
            )}
            {kyb.needsTerms ? (
              <Note look="warn">
                <p>
                  <a href={`${view.path}${START_PATH}/terms`}>{words.termsFirst}</a>
                </p>
              </Note>
            ) : null}
            <Elsewhere scene={scene} fields={elsewhere} corrections={corrections} />
            {fields.length === 0 ? null : (
              <Form to="getting-started/organization" class="card stack">
                <Fields scene={form} fields={fields} owner={null} />
                {elsewhere.length > 0 || kyb.needsTerms ? null : (
                  <>
                    <p class="small quiet">{words.email(kyb.email)}</p>
                    <div class="actions">
                      <Button look="primary">{words.send}</Button>
                    </div>
                  </>
                )}
              </Form>
            )}
          </section>
        )}
      </div>
    ),
  };
}

/** What the partner needs and the page does not ask for. */
function Elsewhere({
  scene: { texts, view },
  fields,
  corrections,
}: {
  readonly scene: DashboardScene;
  readonly fields: readonly FormField[];
  readonly corrections: readonly PlacedCorrection[];
}): VNode | null {
  const words = texts.setup.kyb;
  const names = kycCatalogues[view.locale].fields;
  const questions = corrections.flatMap(({ place, reason }) =>
    place === null && reason !== null ? [reason] : [],
  );
  if (fields.length + questions.length === 0) return null;
  return (
    <Note look="warn">
      <p>{words.elsewhere}</p>
      <ul class="howto">
        {fields.map((field) => (
          <li>{names[field]}</li>
        ))}
        {questions.map((question) => (
          <li>
            <Foreign text={question} />
          </li>
        ))}
      </ul>
      <p>{words.elsewhereText}</p>
    </Note>
  );
}

async function showTerms(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const { profile } = await readStanding(deps, tenant);
  const tosId = call.query.get('tos_id');
  const isOpen = needsTerms(deps, profile);
  const path = `${startPath(context, tenant)}/terms`;
  const redirectUrl = new URL(path, deps.settings.payUrl).href;
  const url = isOpen && tosId === null ? await termsUrl(deps, tenant, redirectUrl) : null;
  return dashboardPage(viewOf(context, call), (scene) =>
    termsScreen(scene, { url, tosId: isOpen ? tosId : null }),
  );
}

/** `url`: of the partner's page. `tosId`: the member comes back from it. */
function termsScreen(
  { texts }: DashboardScene,
  { url, tosId }: { readonly url: string | null; readonly tosId: string | null },
): DashboardContent {
  const words = texts.setup.terms;
  const isAccepted = url === null && tosId === null;
  return {
    title: words.heading,
    lede: words.lede,
    place: 'gettingStarted',
    crumbs: <BackToStart />,
    body: (
      <section class="card stack">
        {isAccepted ? <p>{words.accepted}</p> : null}
        {url === null ? null : (
          <>
            <p>{words.leaves}</p>
            <p class="actions">
              <ButtonLink href={url} look="primary">
                {words.open}
              </ButtonLink>
            </p>
          </>
        )}
        {tosId === null ? null : (
          <Form to="getting-started/terms" class="stack">
            <p>{words.back}</p>
            <input type="hidden" name="tosId" value={tosId} />
            <div class="actions">
              <Button look="primary">{words.save}</Button>
            </div>
          </Form>
        )}
      </section>
    ),
  };
}

async function saveTerms(
  context: PageContext,
  call: MemberCall<z.infer<typeof termsForm>>,
): Promise<PageAnswer> {
  const tenant = tenantOfCall(call);
  await acceptTerms(context.deps, tenant, call.form.tosId);
  return seeOther(withDone(startPath(context, tenant), 'terms_accepted'));
}
