// A request for production access that waits: an operator refuses it with a reason, or proposes to
// grant it.
import type { VNode } from 'preact';
import { z } from 'zod';
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import {
  ANSWER_LENGTH_MAX,
  type ProductionRequest,
} from '../../../core/domain/parties/production-request.js';
import { PonteError } from '../../../core/errors.js';
import { decide } from '../../../core/usecases/money-desk/money-desk.js';
import { readOrganizationName } from '../../../core/usecases/parties/organizations.js';
import {
  listProductionRequests,
  refuseProduction,
} from '../../../core/usecases/parties/production-requests.js';
import { Button, Facts, Foreign, Form, Note } from '../kit/components.js';
import { TextArea } from '../kit/fields.js';
import { operatorRow, type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import { withDone } from '../kit/pages/declared-pages.js';
import { FormKey, formKey, newFormKey } from '../kit/pages/form-key.js';
import { type ConsoleCall, consolePage, consoleViewOf, format } from './console-layout.js';
import { proposalPath } from './desk-list-pages.js';

const path = `${CONSOLE_ROOT}/production`;
const one = `${path}/{orgId}`;
const grantForm = z.object({ key: formKey });
const refuseForm = z.object({
  request: z.string().max(64),
  reason: z.string().max(4_000).default(''),
});

export const waitingPages = [
  operatorRow({
    method: 'GET',
    path: one,
    form: 'none',
    handler: (context, call) => showRequest(context, call, null),
  }),
  operatorRow({ method: 'POST', path: `${one}/grant`, form: grantForm, handler: grant }),
  operatorRow({ method: 'POST', path: `${one}/refuse`, form: refuseForm, handler: refuse }),
];

async function showRequest(
  context: PageContext,
  call: ConsoleCall,
  refused: { readonly field: string; readonly text: string; readonly reason: string } | null,
): Promise<PageAnswer> {
  const { deps } = context;
  const orgId = call.params['orgId'] ?? '';
  const request = (await listProductionRequests(deps)).find((known) => known.orgId === orgId);
  if (request === undefined) throw new PonteError('NotFound');
  const name = (await readOrganizationName(deps, orgId)) ?? orgId;
  const view = consoleViewOf(context, call);
  const content = {
    title: name,
    heading: <Foreign text={name} />,
    lede: 'It asks for production access.',
    place: 'production',
    crumbs: <a href={`${view.root}${path}`}>Production requests</a>,
    errors: refused === null ? [] : [refused],
    body: (
      <div class="cols">
        <div class="stack">
          <Answers request={request} />
          <Form to={`production/${orgId}/grant`} class="card stack">
            <FormKey value={newFormKey(deps)} />
            <h2 id="grant">Grant</h2>
            <Note>
              <p>
                <b>A second operator must confirm.</b> You cannot confirm what you propose.
              </p>
            </Note>
            <div class="actions">
              <Button look="primary">Propose to grant it</Button>
            </div>
          </Form>
        </div>
        <Form to={`production/${orgId}/refuse`} class="card stack">
          <input type="hidden" name="request" value={request.id} />
          <h2>Refuse</h2>
          <TextArea
            name="reason"
            label="Why, and what would help"
            hint="Its members see it, and the one who asked is mailed."
            rows={4}
            maxLength={ANSWER_LENGTH_MAX}
            value={refused?.reason}
            error={refused?.field === 'reason' ? refused.text : undefined}
          />
          <div class="actions">
            <Button look="danger">Refuse the request</Button>
          </div>
        </Form>
      </div>
    ),
  } as const;
  return consolePage(view, content, refused === null ? 200 : 422);
}

function Answers({ request }: { readonly request: ProductionRequest }): VNode {
  const { answers, requestedBy, createdAtMs } = request;
  return (
    <section class="card">
      <h2>What it answers</h2>
      <Facts
        facts={[
          { label: 'What it sells', value: <Foreign text={answers.sells} /> },
          { label: 'Its customers', value: <Foreign text={answers.customers} /> },
          { label: 'Monthly volume', value: <Foreign text={answers.monthlyVolume} /> },
          { label: 'Asked by', value: <span class="code">{requestedBy}</span> },
          { label: 'Asked', value: format.short(createdAtMs) },
        ]}
      />
    </section>
  );
}

async function grant(
  context: PageContext,
  call: ConsoleCall<z.infer<typeof grantForm>>,
): Promise<PageAnswer> {
  const { deps, prefix } = context;
  const { actor } = call.operator;
  const itemId = call.params['orgId'] ?? '';
  try {
    const { kind, decision } = await decide(deps, {
      itemId,
      request: { verb: 'grant-production' },
      evidence: null,
      operator: actor,
      replace: false,
      id: deps.ids.named('dec', call.form.key, `${actor.id}/${itemId}`),
    });
    return seeOther(withDone(proposalPath(prefix, decision.id), kind));
  } catch (error) {
    return shownRefusal(error, (text) =>
      showRequest(context, call, { field: 'grant', text, reason: '' }),
    );
  }
}

async function refuse(
  context: PageContext,
  call: ConsoleCall<z.infer<typeof refuseForm>>,
): Promise<PageAnswer> {
  const { reason, request: requestId } = call.form;
  const orgId = call.params['orgId'] ?? '';
  try {
    await refuseProduction(context.deps, orgId, {
      requestId,
      reason,
      by: call.operator.actor.name,
    });
    return seeOther(withDone(`${context.prefix}${path}`, 'refused'));
  } catch (error) {
    return shownRefusal(error, (text) =>
      showRequest(context, call, { field: 'reason', text, reason }),
    );
  }
}

function shownRefusal(
  error: unknown,
  show: (text: string) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const isShown =
    error instanceof PonteError &&
    (error.code === 'ValidationError' || error.code === 'DecisionNotAllowed');
  if (!isShown) throw error;
  return show(error.message);
}
