// One item of the money desk: its evidence, what was decided about it, and the form that decides.
// The decisions are those of `ponte money`, by the same use case.
import type { VNode } from 'preact';
import { z } from 'zod';
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import { parseTypedAmount, shownAmount } from '../../../core/domain/base/money.js';
import {
  type DecisionName,
  decisionOf,
  inputs,
  isAmount,
  isDecisionName,
} from '../../../core/domain/money-desk/decisions.js';
import { type MoneyQueue, moneyQueues } from '../../../core/domain/money-desk/money-decision.js';
import { EVIDENCE_LENGTH_MAX } from '../../../core/domain/money-desk/proposal.js';
import { waitingKinds } from '../../../core/domain/money-desk/waiting-kind.js';
import { isCode, PonteError } from '../../../core/errors.js';
import { retryCommand } from '../../../core/usecases/commands/command-retries.js';
import { requestFor } from '../../../core/usecases/money-desk/desk-items.js';
import {
  actionText,
  capital,
  knownText,
  type Offer,
  offersOf,
} from '../../../core/usecases/money-desk/desk-texts.js';
import { type DeskDecision, decide } from '../../../core/usecases/money-desk/money-desk.js';
import {
  type ListedProposal,
  type QueueItem,
  type QueueRow,
  readQueueItem,
} from '../../../core/usecases/money-desk/money-queues.js';
import { Amount, Button, Facts, Foreign, Form, Note } from '../kit/components.js';
import { CheckField, type FieldError, RadioField, TextArea, TextField } from '../kit/fields.js';
import {
  operatorRow,
  type PageAnswer,
  type PageContext,
  seeOther,
  withNotice,
} from '../kit/page-route.js';
import { withDone } from '../kit/pages/declared-pages.js';
import { FormKey, formKey, newFormKey } from '../kit/pages/form-key.js';
import {
  type ConsoleCall,
  type ConsoleView,
  consolePage,
  consoleViewOf,
  format,
} from './console-layout.js';
import { proposalPath, Waits } from './desk-list-pages.js';

const path = `${CONSOLE_ROOT}/money/{queue}/{itemId}`;
const field = z.string().max(1_000).default('');
const decisionForm = z.object({
  key: formKey,
  step: field,
  payment: field,
  settled: field,
  fees: field,
  endToEndId: field,
  report: field,
  evidence: z.string().max(4_000).default(''),
  replace: z.literal('yes').optional(),
});
type Typed = Readonly<z.infer<typeof decisionForm>>;

export const deskItemPages = [
  operatorRow({
    method: 'GET',
    path,
    form: 'none',
    handler: (context, call) => showItem(context, call, null),
  }),
  operatorRow({ method: 'POST', path, form: decisionForm, handler: decideItem }),
  operatorRow({ method: 'POST', path: `${path}/retry`, form: z.object({}), handler: retry }),
];

/** What was sent, and why it was refused. */
interface Refused {
  readonly typed: Typed;
  readonly field: string;
  readonly text: string;
}

async function showItem(
  context: PageContext,
  call: ConsoleCall,
  refused: Refused | null,
): Promise<PageAnswer> {
  const item = await readQueueItem(context.deps, queueIn(call), call.params['itemId'] ?? '');
  const { row, decisions } = item;
  const view = consoleViewOf(context, call);
  const errors: readonly FieldError[] =
    refused === null ? [] : [{ field: refused.field, text: refused.text }];
  const content = {
    title: shownAmount(row.amount),
    heading: <Amount money={row.amount} />,
    lede: <Foreign text={knownText(row.known)} />,
    place: 'money',
    crumbs: (
      <>
        <a href={`${view.root}${CONSOLE_ROOT}/money?mode=${row.mode}`}>Money desk</a> /{' '}
        {waitingKinds[row.queue]}
      </>
    ),
    errors,
    body: (
      <div class="cols">
        <div class="stack">
          <Decide
            item={item}
            typed={refused?.typed ?? null}
            view={view}
            me={call.operator.actor.id}
            keyOfForm={newFormKey(context.deps)}
          />
        </div>
        <div class="stack">
          <Evidence row={row} />
          <History decisions={decisions} root={view.root} />
        </div>
      </div>
    ),
  } as const;
  return consolePage(view, content, refused === null ? 200 : 422);
}

function queueIn({ params }: ConsoleCall): MoneyQueue {
  const queue = moneyQueues.find((known) => known === params['queue']);
  if (queue === undefined) throw new PonteError('NotFound');
  return queue;
}

async function decideItem(context: PageContext, call: ConsoleCall<Typed>): Promise<PageAnswer> {
  const { deps, prefix } = context;
  const { form: typed, operator } = call;
  const queue = queueIn(call);
  const itemId = call.params['itemId'] ?? '';
  try {
    const { kind, decision } = await decide(deps, {
      itemId,
      ...decisionIn(typed),
      operator: operator.actor,
      replace: typed.replace === 'yes',
      id: deps.ids.named('dec', typed.key, `${operator.actor.id}/${itemId}`),
    });
    return seeOther(withDone(proposalPath(prefix, decision.id), kind));
  } catch (error) {
    const refused = refusalOf(error, typed);
    if (refused === null) throw error;
    // What it relied on may have changed: then the item is found elsewhere, or nowhere.
    const readable = { ...call, params: { queue, itemId } };
    return showItem(context, readable, refused);
  }
}

function refusalOf(error: unknown, typed: Typed): Refused | null {
  if (!(error instanceof PonteError)) return null;
  const { code, message } = error;
  if (code === 'NotFound' && decisionOf(chosen(typed).name).inputs?.includes('payment')) {
    return { typed, field: 'payment', text: 'There is no such payment.' };
  }
  const isShown = code === 'ValidationError' || code === 'DecisionNotAllowed';
  if (!isShown && code !== 'PaymentStateConflict') return null;
  const [name = ''] = message.split(':', 1);
  const fields: Readonly<Record<string, string>> = {
    ...Object.fromEntries(Object.keys(inputs).map((input) => [input, input])),
    'end-to-end id': 'endToEndId',
    evidence: 'evidence',
    reason: 'evidence',
  };
  const field = fields[name] ?? 'step';
  return { typed, field, text: message };
}

/** ValidationError. */
function chosen({ step }: Typed): { readonly name: DecisionName; readonly payment?: string } {
  const [name = '', payment] = step.split(':');
  if (!isDecisionName(name)) throw new PonteError('ValidationError', 'Choose a decision.');
  return payment === undefined ? { name } : { name, payment };
}

/** A reason is part of the action, and no evidence. ValidationError. */
function decisionIn(typed: Typed): Pick<DeskDecision, 'request' | 'evidence'> {
  const { name, ...given } = chosen(typed);
  const reason = typed.evidence;
  const isReason = decisionOf(name).inputs?.includes('reason') === true;
  return {
    request: requestFor(name, { ...typed, reason, ...given }, parseTypedAmount),
    evidence: isReason || reason.trim() === '' ? null : reason,
  };
}

async function retry(context: PageContext, call: ConsoleCall): Promise<PageAnswer> {
  queueIn(call);
  try {
    await retryCommand(context.deps, call.params['itemId'] ?? '');
  } catch (error) {
    // It has ended or runs: most likely the item does not wait any more.
    if (!isCode(error, 'CommandNotRetryable')) throw error;
    return seeOther(withNotice(`${call.base}/money`, 'out_of_date'));
  }
  return seeOther(withDone(`${call.base}/money`, 'retried'));
}

function Decide({
  item: { row, decisions },
  typed,
  view,
  me,
  keyOfForm,
}: {
  readonly item: QueueItem;
  readonly typed: Typed | null;
  readonly view: ConsoleView;
  readonly me: string;
  readonly keyOfForm: string;
}): VNode {
  const { known, queue, id } = row;
  const to = `money/${queue}/${id}`;
  const open = decisions.filter(isWaiting);
  const decisive = offersOf(row).filter(({ name }) => decisionOf(name).text !== null);
  const offered = decisive.map(({ name, given: { payment }, label, hint }) => ({
    value: payment === undefined ? name : `${name}:${payment}`,
    label,
    hint,
  }));
  return (
    <>
      <OpenProposals open={open} root={view.root} me={me} />
      <Again row={row} to={to} />
      {offered.length === 0 ? null : (
        <Form to={to} class="card stack">
          <FormKey value={keyOfForm} />
          {known.kind === 'review' ? (
            <input type="hidden" name="report" value={known.report} />
          ) : null}
          <h2>Decide</h2>
          <RadioField
            name="step"
            label="What shall happen to the money?"
            choices={offered}
            value={typed?.step}
          />
          <Inputs offers={decisive} typed={typed} />
          <TextArea
            name="evidence"
            label="What did you check, with whom, when?"
            hint={`One line, at most ${EVIDENCE_LENGTH_MAX} characters, without personal data.`}
            rows={4}
            maxLength={EVIDENCE_LENGTH_MAX}
            value={typed?.evidence}
          />
          {open.length === 0 ? null : (
            <CheckField name="replace" label="Replace the proposal that waits" />
          )}
          {row.mode === 'test' ? (
            <Note>
              <p>In test mode the decision takes effect at once.</p>
            </Note>
          ) : (
            <Note>
              <p>
                <b>A second operator must confirm.</b> Nothing moves before. You cannot confirm what
                you propose.
              </p>
            </Note>
          )}
          <div class="actions">
            <Button look="primary">
              {row.mode === 'test' ? 'Decide' : 'Ask for confirmation'}
            </Button>
            <a href={`${view.root}${CONSOLE_ROOT}/money`}>Leave it for now</a>
          </div>
        </Form>
      )}
    </>
  );
}

function OpenProposals({
  open,
  root,
  me,
}: {
  readonly open: readonly ListedProposal[];
  readonly root: string;
  readonly me: string;
}): VNode {
  return (
    <>
      {open.map((proposal) => (
        <Note look="warn">
          <p>
            <Waits proposal={proposal} me={me} />
          </p>
          <p>
            {proposal.proposedBy} proposed: <Foreign text={actionText(proposal.action)} />.{' '}
            <a href={proposalPath(root, proposal.id)}>Look at the proposal</a>
          </p>
        </Note>
      ))}
    </>
  );
}

/** Sends or reads it again, which decides nothing. */
function Again({ row, to }: { row: QueueRow; to: string }): VNode {
  return (
    <>
      {offersOf(row)
        .filter(({ name }) => decisionOf(name).text === null)
        .map(({ label, hint }) => (
          <Form to={`${to}/retry`} class="card stack">
            <h2>{label}</h2>
            <p class="quiet">{hint}</p>
            <div class="actions">
              <Button>{label}</Button>
            </div>
          </Form>
        ))}
    </>
  );
}

/** What some of the decisions need besides. */
function Inputs({
  offers,
  typed,
}: {
  readonly offers: readonly Offer[];
  readonly typed: Typed | null;
}): VNode {
  const needed = offers.flatMap(({ name }) => decisionOf(name).inputs ?? []);
  return (
    <>
      {([...new Set(needed)] as const).map((input) => {
        // A report is fixed, and a reason is what is written below.
        if (input === 'report' || input === 'reason') return null;
        return (
          <TextField
            name={input}
            label={inputs[input].label}
            hint="Only where the decision needs it."
            value={typed?.[input]}
            maxLength={isAmount(input) ? 20 : 100}
            spellcheck={false}
            {...(isAmount(input) ? { inputMode: 'decimal', width: 'medium' } : {})}
          />
        );
      })}
    </>
  );
}

function isWaiting({ state, isVoid, isExpired }: ListedProposal): boolean {
  return state === 'proposed' && !isVoid && !isExpired;
}

function Evidence({ row }: { readonly row: QueueRow }): VNode {
  const { known, orgId, mode, kind, id, paymentId, sinceMs } = row;
  return (
    <section class="card">
      <h2>What is known</h2>
      <Facts
        facts={[
          { label: 'Waits since', value: format.short(sinceMs) },
          { label: 'Organization', value: <span class="code">{orgId ?? 'unknown'}</span> },
          { label: 'Mode', value: mode },
          paymentId === null
            ? null
            : { label: 'Payment', value: <span class="code">{paymentId}</span> },
          kind === 'payment'
            ? null
            : { label: capital(kind), value: <span class="code">{id}</span> },
          ...(known.kind === 'short'
            ? [
                { label: 'Asked', value: format.money(known.asked) },
                { label: 'Arrived', value: format.money(known.held) },
              ]
            : []),
          known.kind === 'unapproved' ? { label: 'Asked', value: format.money(known.asked) } : null,
          known.kind === 'lost' ? { label: 'Arrived', value: format.money(known.received) } : null,
        ]}
      />
    </section>
  );
}

function History({
  decisions,
  root,
}: {
  readonly decisions: readonly ListedProposal[];
  readonly root: string;
}): VNode {
  return (
    <section class="card">
      <h2>Who did what</h2>
      {decisions.length === 0 ? <p class="quiet">Nobody has decided about it.</p> : null}
      <ol class="timeline narrow">
        {decisions.map((decision) => (
          <li>
            <span class="small">{format.short(decision.proposedAtMs)}</span>
            <div>
              <p>
                <a href={proposalPath(root, decision.id)}>
                  {decision.proposedBy}: {stateText(decision)}
                </a>
              </p>
              <p class="small">
                <Foreign text={capital(actionText(decision.action))} />
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** In words, of any proposal. */
export function stateText({ state, isVoid, isExpired, mode }: ListedProposal): string {
  if (isVoid) return 'void: its item has changed since';
  if (isExpired) return 'expired';
  const texts = {
    proposed: 'waits for another operator',
    done: mode === 'test' ? 'decided' : 'confirmed',
    replaced: 'replaced',
    withdrawn: 'withdrawn',
    void: 'void',
  } as const;
  return texts[state];
}
