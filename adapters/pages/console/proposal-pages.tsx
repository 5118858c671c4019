// Proposals: what operators decided and proposed, and the decision of the second one, as
// `ponte proposals`, `ponte confirm` and `ponte withdraw`.
import type { VNode } from 'preact';
import { z } from 'zod';
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import { PonteError } from '../../../core/errors.js';
import { actionText, capital, knownText } from '../../../core/usecases/money-desk/desk-texts.js';
import { confirmProposal, withdrawProposal } from '../../../core/usecases/money-desk/money-desk.js';
import {
  type ListedProposal,
  listProposals,
  type QueueRow,
  readListedProposal,
} from '../../../core/usecases/money-desk/money-queues.js';
import { readOrganizationName } from '../../../core/usecases/parties/organizations.js';
import { Amount, Button, Facts, Foreign, Form, Note } from '../kit/components.js';
import { operatorRow, type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import { withDone } from '../kit/pages/declared-pages.js';
import { idCursor, pageOf } from '../kit/pages/list-page.js';
import {
  type ConsoleCall,
  type ConsoleDone,
  consolePage,
  consoleViewOf,
  format,
  operatorPages,
} from './console-layout.js';
import { stateText } from './desk-item-pages.js';
import { itemPath, proposalPath, Waits } from './desk-list-pages.js';
import { OPERATOR_PAGE } from './service-list-pages.js';

const path = `${CONSOLE_ROOT}/proposals`;
const one = `${path}/{proposalId}`;
const noForm = z.object({});

export const proposalPages = [
  operatorPages.list({
    path: '/proposals',
    access: null,
    filters: {},
    cursor: idCursor('dec'),
    async read({ deps }, _, { before: beforeId }) {
      const asked = { orgId: null, mode: null, limit: OPERATOR_PAGE + 1, beforeId };
      return pageOf(await listProposals(deps, asked), OPERATOR_PAGE, ({ id }) => id);
    },
    show: ({ view }) => ({
      title: 'Proposals',
      lede: 'What operators decided, and what waits for another one, newest first.',
      place: 'proposals',
      label: 'Proposals',
      words: { empty: 'No decisions', emptyText: 'No operator has decided anything yet.' },
      columns: [
        {
          head: 'Decision',
          isName: true,
          cell: ({ id, action, itemId, mode }) => (
            <>
              <a href={proposalPath(view.root, id)}>
                <Foreign text={capital(actionText(action))} />
              </a>
              <span class="sub">
                <span class="code">{itemId}</span>, {mode}
              </span>
            </>
          ),
        },
        { head: 'State', cell: (row) => capital(stateText(row)) },
        {
          head: 'Proposed',
          look: 'only-l',
          cell: ({ proposedBy, proposedAtMs }) => (
            <>
              {proposedBy}
              <span class="sub">{format.short(proposedAtMs)}</span>
            </>
          ),
        },
      ],
    }),
  }),
  operatorRow({
    method: 'GET',
    path: one,
    form: 'none',
    handler: (context, call) => showProposal(context, call, null),
  }),
  operatorRow({ method: 'POST', path: `${one}/confirm`, form: noForm, handler: confirm }),
  operatorRow({ method: 'POST', path: `${one}/withdraw`, form: noForm, handler: withdraw }),
];

async function showProposal(
  context: PageContext,
  call: ConsoleCall,
  refusal: string | null,
): Promise<PageAnswer> {
  const { deps } = context;
  const { proposal, row } = await readListedProposal(deps, call.params['proposalId'] ?? '');
  const name = await readOrganizationName(deps, proposal.orgId);
  const view = consoleViewOf(context, call);
  const text = capital(actionText(proposal.action));
  const content = {
    title: 'Proposal',
    heading: <Foreign text={`${text}.`} />,
    place: 'proposals',
    crumbs: (
      <>
        <a href={`${view.root}${path}`}>Proposals</a> / <span class="code">{proposal.id}</span>
      </>
    ),
    errors: refusal === null ? [] : [{ field: 'decision', text: refusal }],
    body: (
      <div class="cols">
        <div class="stack">
          {row === null ? null : <Item row={row} root={view.root} />}
          <Second proposal={proposal} me={call.operator.actor.id} />
        </div>
        <section class="card">
          <h2>What it relies on</h2>
          <Facts facts={factsOf(proposal, name)} />
        </section>
      </div>
    ),
  } as const;
  return consolePage(view, content, refusal === null ? 200 : 409);
}

/** What it decides about, as the money desk shows it now. */
function Item({ row, root }: { readonly row: QueueRow; readonly root: string }): VNode {
  return (
    <section class="card stack-s">
      <p>
        <Amount money={row.amount} />
      </p>
      <p>
        <Foreign text={knownText(row.known)} />
      </p>
      <p>
        <a href={itemPath(root, row)}>The item and its history</a>
      </p>
    </section>
  );
}

function factsOf(proposal: ListedProposal, name: string | null) {
  const { orgId, itemId, mode, evidence, basis, proposedBy, proposedAtMs } = proposal;
  const { expiresAtMs, endedBy, endedAtMs } = proposal;
  const organization = (
    <>
      {name === null ? null : <Foreign text={name} />} <span class="code">{orgId}</span>
    </>
  );
  return [
    {
      label: 'Evidence',
      value: evidence === null ? 'none' : <Foreign text={evidence} />,
    },
    orgId === null ? null : { label: 'Organization', value: organization },
    { label: 'Item', value: <span class="code">{itemId}</span> },
    { label: 'Mode', value: mode },
    { label: 'State of the item', value: basis },
    { label: 'Proposed', value: `${proposedBy}, ${format.short(proposedAtMs)}` },
    endedAtMs === null
      ? { label: 'Expires', value: format.short(expiresAtMs) }
      : { label: 'Ended', value: `${endedBy}, ${format.short(endedAtMs)}` },
  ];
}

function Second({
  proposal,
  me,
}: {
  readonly proposal: ListedProposal;
  readonly me: string;
}): VNode {
  const { id, state, isVoid, isExpired, proposedBy, proposedById } = proposal;
  if (state !== 'proposed' || isVoid || isExpired) {
    return (
      <section class="card" id="decision">
        <h2>{capital(stateText(proposal))}</h2>
        <p>Nothing waits for you here.</p>
      </section>
    );
  }
  return (
    <section class="card stack" id="decision">
      <p>
        <Waits proposal={proposal} me={me} />
      </p>
      {proposedById === me ? (
        <p>You proposed it. Another operator confirms it; you cannot.</p>
      ) : (
        <>
          <h2>Confirm or withdraw</h2>
          <p>
            {proposedBy} proposed it. Compare it with the evidence. It takes effect as soon as you
            confirm it.
          </p>
          <Form to={`proposals/${id}/confirm`} class="actions">
            <Button look="primary">Confirm</Button>
          </Form>
        </>
      )}
      <Form to={`proposals/${id}/withdraw`} class="stack-s">
        <p class="small quiet">Withdrawn, nobody can confirm it any more.</p>
        <div class="actions">
          <Button look="danger">Withdraw the proposal</Button>
        </div>
      </Form>
      <Note>
        <p>If its item has changed since, it is void, and nothing happens.</p>
      </Note>
    </section>
  );
}

async function confirm(context: PageContext, call: ConsoleCall): Promise<PageAnswer> {
  return answerOf(context, call, async (id) => {
    const { kind } = await confirmProposal(context.deps, id, call.operator.actor);
    return kind;
  });
}

async function withdraw(context: PageContext, call: ConsoleCall): Promise<PageAnswer> {
  return answerOf(context, call, async (id) => {
    await withdrawProposal(context.deps, id, call.operator.actor);
    return 'withdrawn';
  });
}

/** A refusal is shown with the proposal as it is now. */
async function answerOf(
  context: PageContext,
  call: ConsoleCall,
  work: (id: string) => Promise<ConsoleDone>,
): Promise<PageAnswer> {
  const id = call.params['proposalId'] ?? '';
  try {
    return seeOther(withDone(proposalPath(context.prefix, id), await work(id)));
  } catch (error) {
    if (error instanceof PonteError && error.status < 500 && error.code !== 'NotFound') {
      return showProposal(context, call, error.message);
    }
    throw error;
  }
}
