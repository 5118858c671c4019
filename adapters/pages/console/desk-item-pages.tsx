// One item of the money desk: its evidence, what was decided about it, and the form that decides.
// The decisions are those of `ponte money`, by the same use case.
import type { VNode } from 'preact';
import { parseTypedAmount, shownAmount } from '../../../core/domain/base/money.js';
import {
  type DecisionInput,
  decisionOf,
  type GivenInputs,
  inputs,
  isAmount,
  isDecisionName,
} from '../../../core/domain/money-desk/decisions.js';
import { type MoneyQueue, moneyQueues } from '../../../core/domain/money-desk/money-decision.js';
import { EVIDENCE_LENGTH_MAX } from '../../../core/domain/money-desk/proposal.js';
import { waitingKinds } from '../../../core/domain/money-desk/waiting-kind.js';
import { answered, expectFound, isCode, PonteError } from '../../../core/errors.js';
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
import { readPaymentCase } from '../../../core/usecases/money-desk/payment-case.js';
import { walletOfPayment } from '../../../core/usecases/money-desk/wallet-balances.js';
import { readOrganizationName } from '../../../core/usecases/parties/organizations.js';
import { Amount, Facts, Foreign, Form, foreign, Note, Submit } from '../kit/components.js';
import type { FieldError } from '../kit/fields.js';
import { useFrame } from '../kit/page-frame.js';
import type { PageContext } from '../kit/page-route.js';
import { Card } from '../kit/pages/card.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { type DeclaredField, hidden, radio, textAs, tick, words } from '../kit/pages/form-page.js';
import {
  ASK_WALLET,
  Books,
  Known,
  MoneyRoute,
  OrganizationLink,
  WhatHappened,
  WhoPaysWhom,
} from './case-parts.js';
import { type ConsoleCall, format, operatorPages, refusable } from './console-layout.js';
import { Waits } from './desk-list-pages.js';

export const deskItemPages = [
  ...operatorPages.form({
    path: '/money/{queue}/{itemId}',
    access: null,
    back: () => '/money',
    isOnce: true,
    load: readItem,
    typed: ({ row: { known } }) => (known.kind === 'review' ? { report: known.report } : {}),
    fields: (_, item) => decisionFields(item),
    show: ({ view, me }, { row, ...item }) => ({
      title: shownAmount(row.amount),
      heading: <Amount money={row.amount} />,
      lede: (
        <>
          <Foreign text={knownText(row.known, view.nowMs, format)} />{' '}
          {item.found === null ? null : <WhoPaysWhom found={item.found} />}
        </>
      ),
      place: 'money',
      mode: row.mode,
      crumbs: [
        <a href={`${view.path}/money?mode=${row.mode}`}>Money desk</a>,
        waitingKinds[row.queue],
      ],
      submit: submitOf(row),
      keep: 'Leave it for now',
      around: (form) => <Item item={{ row, ...item }} form={form} me={me} />,
    }),
    save: ({ deps }, call, { values, key }) =>
      refusable(problemOf, async () => {
        const itemId = idIn(call, 'itemId');
        const { actor } = call.operator;
        const { step, replace = false, evidence: reason, ...given } = values;
        const id = deps.ids.named('dec', key, `${actor.id}/${itemId}`);
        try {
          const asked = { itemId, ...decisionIn(step, { ...given, reason }) };
          const { kind, decision } = await decide(deps, { ...asked, operator: actor, replace, id });
          return { to: `/proposals/${decision.id}`, done: kind };
        } catch (error) {
          if (!isCode(error, 'NotFound') || given.payment === undefined) throw error;
          return { problem: { field: 'payment', text: 'There is no such payment.' } };
        }
      }),
  }),
  operatorPages.action({
    path: '/money/{queue}/{itemId}/retry',
    access: null,
    async run({ deps }, call) {
      queueIn(call);
      return retryCommand(deps, idIn(call, 'itemId')).then(
        () => ({ to: '/money', done: 'retried' }) as const,
        // It has ended or runs: most likely the item does not wait any more.
        answered({ CommandNotRetryable: () => ({ to: '/money', notice: 'out_of_date' }) as const }),
      );
    },
  }),
];

function queueIn({ params }: ConsoleCall): MoneyQueue {
  return expectFound(moneyQueues.find((known) => known === params['queue']));
}

type FoundItem = Awaited<ReturnType<typeof readItem>>;

async function readItem({ deps }: PageContext, call: ConsoleCall) {
  const item = await readQueueItem(deps, queueIn(call), idIn(call, 'itemId'));
  const { paymentId, orgId } = item.row;
  const found = paymentId === null ? null : await readPaymentCase(deps, paymentId);
  const asks = call.query.has(ASK_WALLET);
  return {
    ...item,
    found,
    wallet: found && (await walletOfPayment(deps, found.payment, asks)),
    organization: await readOrganizationName(deps, orgId),
  };
}

/** What is known and was decided, around the form that decides. */
function Item({
  item: { row, decisions, found, wallet, organization },
  form,
  me,
}: Readonly<{ item: FoundItem; form: VNode; me: string }>) {
  return [
    found === null ? null : <MoneyRoute found={found} />,
    <div class="cols">
      <div class="stack">
        <OpenProposals open={decisions.filter(isWaiting)} me={me} />
        {found === null ? null : <Books found={found} wallet={wallet} />}
        <Again row={row} to={`money/${row.queue}/${row.id}`} />
        {decisiveOf(row).length === 0 ? null : form}
      </div>
      <div class="stack">
        {found === null ? (
          <Evidence row={row} organization={organization} />
        ) : (
          [<Known found={found} />, <WhatHappened found={found} />]
        )}
        <Decisions decisions={decisions} />
      </div>
    </div>,
  ];
}

/** Those that another operator confirms. */
function decisiveOf(row: QueueRow): readonly Offer[] {
  return offersOf(row).filter(({ name }) => decisionOf(name).text !== null);
}

type Input = Exclude<DecisionInput, 'report' | 'reason'>;

function decisionFields({ row, decisions }: QueueItem) {
  const offers = decisiveOf(row);
  return {
    ...(row.known.kind === 'review' ? { report: hidden } : {}),
    heading: words(<h2>Decide</h2>),
    step: stepField(offers),
    ...inputFields(offers),
    evidence: textAs({
      label: 'What did you check, with whom, when?',
      hint: `One line, at most ${EVIDENCE_LENGTH_MAX} characters, without personal data.`,
      rows: 4,
      max: EVIDENCE_LENGTH_MAX,
      problem: `Give at most ${EVIDENCE_LENGTH_MAX} characters.`,
      read: (text) => text,
    }),
    ...(decisions.some(isWaiting)
      ? { replace: tick({ label: 'Replace the proposal that waits' }) }
      : {}),
    note: words(
      <Note>
        {row.mode === 'test' ? (
          <p>In test mode the decision takes effect at once.</p>
        ) : (
          <p>
            <b>A second operator must confirm.</b> Nothing moves before. You cannot confirm what you
            propose.
          </p>
        )}
      </Note>,
    ),
  };
}

function stepOf({ name, given: { payment } }: Offer): string {
  return payment === undefined ? name : `${name}:${payment}`;
}

/** A choice of one is no choice: its name is on the button. */
function submitOf(row: QueueRow): string {
  const [only, ...others] = decisiveOf(row);
  const isOnly = only !== undefined && others.length === 0;
  if (row.mode === 'test') return isOnly ? only.label : 'Decide';
  return isOnly ? `Propose: ${only.label}` : 'Ask for confirmation';
}

function stepField(offers: readonly Offer[]): DeclaredField<string> {
  const choices = offers.map((offer) => ({
    value: stepOf(offer),
    label: offer.label,
    hint: offer.hint,
    holds: inputsOf(offer).filter((input) => isOfOne(input, offers)),
  }));
  const [only] = choices;
  if (only !== undefined && choices.length === 1) {
    return {
      read: () => ({ value: only.value }),
      show: () => (
        <div>
          <p>
            <b>{only.label}</b>
          </p>
          <p class="quiet">{only.hint}</p>
        </div>
      ),
    };
  }
  return {
    ...radio({ label: 'What shall happen to the money?', choices }),
    read: ({ step = '' }) =>
      choices.some(({ value }) => value === step)
        ? { value: step }
        : { problem: 'Choose a decision.' },
  };
}

/** A report is fixed, and a reason is the evidence. */
function inputsOf({ name }: Offer): readonly Input[] {
  const needed: readonly DecisionInput[] = decisionOf(name).inputs ?? [];
  return needed.filter((input) => input !== 'report' && input !== 'reason');
}

/** One of several decisions needs it: it is shown with its choice. */
function isOfOne(input: Input, offers: readonly Offer[]): boolean {
  const needing = offers.filter((offer) => inputsOf(offer).includes(input));
  return offers.length > 1 && needing.length === 1;
}

/** What some of the decisions need besides. */
function inputFields(offers: readonly Offer[]): Partial<Record<Input, DeclaredField<string>>> {
  const needed = new Set(offers.flatMap(inputsOf));
  const fields = [...needed].map((input) => {
    const look = isAmount(input) ? ({ inputMode: 'decimal', width: 'medium' } as const) : {};
    const { label } = inputs[input];
    const asked = textAs({
      ...look,
      label,
      max: isAmount(input) ? 20 : 100,
      spellcheck: false,
      problem: `${label}: this is too long.`,
      read: (text) => text,
    });
    return [input, isOfOne(input, offers) ? { ...asked, within: 'step' } : asked];
  });
  return Object.fromEntries(fields);
}

/** By the name that its message begins with, which is an option of the CLI. */
function problemOf(message: string): FieldError {
  const [name = '', ...rest] = message.split(': ');
  const text = rest.join(': ');
  if (name === 'evidence' || name === 'reason') {
    return { field: 'evidence', text: `What you checked: ${text}` };
  }
  const input = name === 'end-to-end id' ? 'endToEndId' : name;
  if (!(input in inputs)) return { field: 'step', text: message };
  return { field: input, text: `${inputs[input as DecisionInput].label}: ${text}` };
}

/** A reason is part of the action, and no evidence. */
function decisionIn(
  step: string,
  { reason, ...given }: GivenInputs & { readonly reason: string },
): Pick<DeskDecision, 'request' | 'evidence'> {
  const [name = '', payment] = step.split(':');
  if (!isDecisionName(name)) throw new PonteError('ValidationError', 'Choose a decision.');
  const all = { ...given, reason, ...(payment === undefined ? {} : { payment }) };
  const isReason = decisionOf(name).inputs?.includes('reason') === true;
  return {
    request: requestFor(name, all, parseTypedAmount),
    evidence: isReason || reason === '' ? null : reason,
  };
}

function OpenProposals({ open, me }: { open: readonly ListedProposal[]; me: string }) {
  const { view } = useFrame();
  return open.map((proposal) => (
    <Note look="warn">
      <Waits proposal={proposal} me={me} />
      <p>
        {proposal.proposedBy} proposed: <Foreign text={actionText(proposal.action)} />.{' '}
        <a href={`${view.path}/proposals/${proposal.id}`}>Look at the proposal</a>
      </p>
    </Note>
  ));
}

/** Sends or reads it again, which decides nothing. */
function Again({ row, to }: { row: QueueRow; to: string }) {
  return offersOf(row)
    .filter(({ name }) => decisionOf(name).text === null)
    .map(({ label, hint }) => (
      <Form to={`${to}/retry`} class="card stack">
        <h2>{label}</h2>
        <p class="quiet">{hint}</p>
        <Submit plain>{label}</Submit>
      </Form>
    ));
}

function isWaiting({ state, isVoid, isExpired }: ListedProposal): boolean {
  return state === 'proposed' && !isVoid && !isExpired;
}

/** What is known of money that belongs to no payment. */
function Evidence({ row, organization }: { row: QueueRow; organization: string | null }) {
  const { orgId, mode, kind, id, sinceMs } = row;
  return (
    <Card heading="Known">
      <Facts
        facts={[
          ['Waits since', format.short(sinceMs)],
          [
            'Organization',
            orgId ? <OrganizationLink id={orgId} name={organization ?? orgId} /> : 'unknown',
          ],
          ['Mode', mode],
          [capital(kind), <span class="code">{id}</span>],
        ]}
      />
    </Card>
  );
}

/** What operators decided and proposed. */
export function Decisions({ decisions }: { decisions: readonly ListedProposal[] }) {
  const { view } = useFrame();
  return (
    <Card heading="Who did what">
      {decisions.length === 0 ? <p class="quiet">Nobody has decided about it.</p> : null}
      <ol class="timeline">
        {decisions.map((decision) => (
          <li>
            <span class="small">{format.short(decision.proposedAtMs)}</span>
            <div>
              <p>
                <a href={`${view.path}/proposals/${decision.id}`}>
                  {decision.proposedBy}: {stateText(decision)}
                </a>
              </p>
              <p class="small">{foreign(capital(actionText(decision.action)))}</p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
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
