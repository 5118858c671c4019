// A request for production access that waits: an operator refuses it with a reason, or proposes to
// grant it.
import { z } from 'zod';
import type { CertifySummary } from '../../../core/domain/parties/certify-summary.js';
import {
  ANSWER_LENGTH_MAX,
  type ProductionRequest,
} from '../../../core/domain/parties/production-request.js';
import { expectFound } from '../../../core/errors.js';
import { decide } from '../../../core/usecases/money-desk/money-desk.js';
import { readOrganizationName } from '../../../core/usecases/parties/organizations.js';
import {
  listProductionRequests,
  refuseProduction,
} from '../../../core/usecases/parties/production-requests.js';
import { Facts, Foreign, Form, Note, Submit } from '../kit/components.js';
import type { PageContext } from '../kit/page-route.js';
import { Card } from '../kit/pages/card.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { FormKey, formKey, newFormKey } from '../kit/pages/form-key.js';
import { hidden, type ShownFields, text } from '../kit/pages/form-page.js';
import { LawSection } from '../proof/law-table.js';
import { type ConsoleCall, format, operatorPages, refusable } from './console-layout.js';

export const waitingPages = operatorPages.form(
  {
    path: '/production/{orgId}',
    access: null,
    back: () => '/production',
    load: readRequest,
    typed: ({ request }) => ({ request: request.id }),
    fields: () => ({
      request: hidden,
      reason: text({
        label: 'Why, and what would help',
        hint: 'Its members see it, and the one who asked is mailed.',
        rows: 4,
        max: ANSWER_LENGTH_MAX,
        problem: `Give a reason of at most ${ANSWER_LENGTH_MAX} characters.`,
      }),
    }),
    show: ({ view }, { request, name, key }) => ({
      title: name,
      heading: <Foreign text={name} />,
      lede: 'It asks for production access.',
      place: 'production',
      crumbs: [<a href={`${view.path}/production`}>Production requests</a>],
      submit: 'Refuse the request',
      around: (_, fields) => (
        <div class="stack-l">
          <Decision request={request} keyOfForm={key} fields={fields} />
          <LawSection locale="en" />
        </div>
      ),
    }),
    save: ({ deps }, call, { subject, values: { request: requestId, reason } }) =>
      refusable('reason', async () => {
        const by = call.operator.actor.name;
        await refuseProduction(deps, subject.request.orgId, { requestId, reason, by });
        return { to: '/production', done: 'refused' };
      }),
  },
  [
    {
      path: '/production/{orgId}/grant',
      access: null,
      form: z.object({ key: formKey }),
      run: ({ deps }, call) =>
        refusable('grant', async () => {
          const { actor: operator } = call.operator;
          const itemId = idIn(call, 'orgId');
          const id = deps.ids.named('dec', call.form.key, `${operator.id}/${itemId}`);
          const request = { verb: 'grant-production' } as const;
          const asked = { itemId, request, evidence: null, operator, replace: false, id };
          const { kind, decision } = await decide(deps, asked);
          return { to: `/proposals/${decision.id}`, done: kind };
        }),
    },
  ],
);

async function readRequest({ deps }: PageContext, call: ConsoleCall) {
  const orgId = idIn(call, 'orgId');
  const request = expectFound(
    (await listProductionRequests(deps)).find((known) => known.orgId === orgId),
  );
  const name = (await readOrganizationName(deps, orgId)) ?? orgId;
  return { request, name, key: newFormKey(deps) };
}

function Decision({
  request,
  keyOfForm,
  fields,
}: Readonly<{ request: ProductionRequest; keyOfForm: string; fields: ShownFields }>) {
  return (
    <div class="cols">
      <div class="stack">
        <Answers request={request} />
        <Grant orgId={request.orgId} keyOfForm={keyOfForm} />
      </div>
      <Refuse orgId={request.orgId} fields={fields} />
    </div>
  );
}

function Refuse({ orgId, fields }: { orgId: string; fields: ShownFields }) {
  return (
    <Form to={`production/${orgId}`} class="card stack">
      {fields['request']}
      <h2>Refuse</h2>
      {fields['reason']}
      <Submit look="danger">Refuse the request</Submit>
    </Form>
  );
}

function Grant({ orgId, keyOfForm }: { orgId: string; keyOfForm: string }) {
  return (
    <Form to={`production/${orgId}/grant`} class="card stack">
      <FormKey value={keyOfForm} />
      <h2 id="grant">Grant</h2>
      <Note>
        <p>
          <b>A second operator must confirm.</b> You cannot confirm what you propose.
        </p>
      </Note>
      <Submit>Propose to grant it</Submit>
    </Form>
  );
}

function Answers({ request }: { readonly request: ProductionRequest }) {
  const { answers, certified, requestedBy, createdAtMs } = request;
  return (
    <Card heading="What it answers">
      <Facts
        facts={[
          ['What it sells', <Foreign text={answers.sells} />],
          ['Its customers', <Foreign text={answers.customers} />],
          ['Monthly volume', <Foreign text={answers.monthlyVolume} />],
          ['ponte certify', certified === null ? 'No report' : <Certified summary={certified} />],
          ['Asked by', <span class="code">{requestedBy}</span>],
          ['Asked', format.short(createdAtMs)],
        ]}
      />
    </Card>
  );
}

/** The organization says so itself. */
function Certified({ summary }: { readonly summary: CertifySummary }) {
  const { at, ok, failed, notSeen, others, signedBy } = summary;
  return (
    <>
      {ok} ok, {failed} failed, {notSeen} not seen, on {at.slice(0, 10)}
      {others.length === 0 ? null : <span class="sub code">{others.join(', ')}</span>}
      {signedBy === undefined ? null : (
        <span class="sub">
          Signed by <span class="code">{signedBy}</span>, a key that the run made: the report is
          unchanged, and nothing shows who ran it.
        </span>
      )}
    </>
  );
}
