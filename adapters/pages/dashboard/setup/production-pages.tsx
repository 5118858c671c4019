// The request for production access: what the operator asks, and the support contact that live mode
// needs.
import type { VNode } from 'preact';
import { z } from 'zod';
import { readEmail } from '../../../../core/domain/base/email-address.js';
import {
  hasContact,
  type Organization,
  readPhone,
} from '../../../../core/domain/parties/organization.js';
import {
  type ProductionRequest,
  productionQuestions,
} from '../../../../core/domain/parties/production-request.js';
import { setSupportContact } from '../../../../core/usecases/parties/organizations.js';
import {
  isAnswer,
  readProductionRequest,
  requestProduction,
} from '../../../../core/usecases/parties/production-requests.js';
import { Button, Foreign, Form, Note } from '../../kit/components.js';
import { type FieldError, TextArea, TextField } from '../../kit/fields.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../../kit/page-route.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf, withDone } from '../dashboard-scene.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { BackToStart, PRODUCTION_PATH, startPath } from './getting-started-pages.js';

const path = `${TENANT_ROOT}${PRODUCTION_PATH}`;
const row = { scope: 'org:write', proof: 'fresh' } as const;
const answer = z.string().max(4_000).default('');
const requestForm = z.object({
  sells: answer,
  customers: answer,
  monthlyVolume: answer,
  supportEmail: z.string().max(400).default(''),
  supportPhone: z.string().max(100).default(''),
});
type Typed = Readonly<z.infer<typeof requestForm>>;

export const productionPages = [
  memberRow({
    ...row,
    method: 'GET',
    path,
    form: 'none',
    handler: (context, call) => showRequest(context, call, null),
  }),
  memberRow({ ...row, method: 'POST', path, form: requestForm, handler: ask }),
];

type Field = keyof Typed;
type Errors = readonly { readonly field: Field; readonly error: ErrorName }[];
type ErrorName = 'missing' | 'noContact' | 'notAnAddress' | 'notAPhone';

interface Asking {
  readonly organization: Organization;
  readonly request: ProductionRequest | null;
  readonly typed: Typed | null;
  readonly errors: Errors;
}

/** Where there is nothing to ask for, the line of getting started says why. */
async function showRequest(
  context: PageContext,
  call: MemberCall,
  typed: Typed | null,
): Promise<PageAnswer> {
  const { organization } = actorOf(call);
  const request = await readProductionRequest(context.deps, organization.id);
  const isOver = organization.productionGrantedAtMs !== null || request?.state === 'requested';
  if (isOver) return seeOther(startPath(context, tenantOfCall(call)));
  const errors = typed === null ? [] : errorsIn(typed, organization);
  const asking = { organization, request, typed, errors };
  const status = typed === null ? 200 : 422;
  return dashboardPage(viewOf(context, call), (scene) => requestScreen(scene, asking), status);
}

async function ask(context: PageContext, call: MemberCall<Typed>): Promise<PageAnswer> {
  const { deps } = context;
  const { organization, memberId } = actorOf(call);
  const typed = call.form;
  if (errorsIn(typed, organization).length > 0) return showRequest(context, call, typed);
  const { supportEmail, supportPhone, ...answers } = typed;
  if (!hasContact(organization)) {
    await setSupportContact(deps, organization.id, { supportEmail, supportPhone });
  }
  await requestProduction(deps, { orgId: organization.id, memberId }, answers);
  return seeOther(withDone(startPath(context, tenantOfCall(call)), 'production_asked'));
}

function errorsIn(typed: Typed, organization: Organization): Errors {
  const answers = productionQuestions
    .filter((question) => !isAnswer(typed[question]))
    .map((field) => ({ field, error: 'missing' }) as const);
  return hasContact(organization) ? answers : [...answers, ...contactErrors(typed)];
}

function contactErrors({ supportEmail: email, supportPhone: phone }: Typed): Errors {
  if (email.trim() === '' && phone.trim() === '') {
    return [{ field: 'supportEmail', error: 'noContact' }];
  }
  return [
    ...(email.trim() === '' || readEmail(email) !== null
      ? []
      : [{ field: 'supportEmail', error: 'notAnAddress' } as const]),
    ...(phone.trim() === '' || readPhone(phone) !== null
      ? []
      : [{ field: 'supportPhone', error: 'notAPhone' } as const]),
  ];
}

function requestScreen(
  { texts, format }: DashboardScene,
  { organization, request, typed, errors }: Asking,
): DashboardContent {
  const words = texts.setup.production;
  const shown: readonly FieldError[] = errors.map(({ field, error }) => ({
    field,
    text: error === 'missing' ? `${labelOf(field)} ${words.missing}` : words[error],
  }));
  function labelOf(field: Field): string {
    const labels: Readonly<Record<string, string>> = words.questions;
    return labels[field] ?? '';
  }
  const errorAt = (name: Field) => {
    const found = errors.find(({ field }) => field === name);
    return found === undefined ? undefined : words[found.error];
  };
  const known = request?.answers;
  return {
    title: words.heading,
    lede: words.lede,
    place: 'gettingStarted',
    crumbs: <BackToStart />,
    errors: shown,
    body: (
      <div class="cols">
        <section class="stack">
          {request?.state !== 'refused' ? null : (
            <Note look="warn">
              <p>
                <Foreign
                  text={texts.setup.start.production.refused(
                    format.day(request.decidedAtMs ?? request.createdAtMs),
                    request.reason ?? '',
                  )}
                />
              </p>
            </Note>
          )}
          <Form to="getting-started/production" class="card stack">
            {productionQuestions.map((question) => (
              <TextArea
                rows={3}
                name={question}
                label={words.questions[question]}
                value={typed?.[question] ?? known?.[question]}
                error={errorAt(question)}
                maxLength={1_000}
              />
            ))}
            {hasContact(organization) ? null : <Contact typed={typed} errorAt={errorAt} />}
            <div class="actions">
              <Button look="primary">{words.send}</Button>
            </div>
          </Form>
        </section>
      </div>
    ),
  };
}

function Contact({
  typed,
  errorAt,
}: {
  readonly typed: Typed | null;
  readonly errorAt: (name: Field) => string | undefined;
}): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.production;
  return (
    <>
      <h2>{words.contact}</h2>
      <p class="small quiet">{words.contactText}</p>
      <TextField
        name="supportEmail"
        label={words.email}
        type="email"
        value={typed?.supportEmail}
        error={errorAt('supportEmail')}
        maxLength={320}
        spellcheck={false}
      />
      <TextField
        name="supportPhone"
        label={words.phone}
        type="tel"
        value={typed?.supportPhone}
        error={errorAt('supportPhone')}
        maxLength={40}
      />
    </>
  );
}
