// Proposals: what operators decided and proposed, and the decision of the second one, as
// `ponte proposals`, `ponte confirm` and `ponte withdraw`.
import { actionText, capital, knownText } from '../../../core/usecases/money-desk/desk-texts.js';
import { confirmProposal, withdrawProposal } from '../../../core/usecases/money-desk/money-desk.js';
import {
  type ListedProposal,
  listProposals,
  type QueueRow,
  readListedProposal,
} from '../../../core/usecases/money-desk/money-queues.js';
import { readOrganizationName } from '../../../core/usecases/parties/organizations.js';
import {
  Amount,
  ButtonForm,
  type Fact,
  Facts,
  Foreign,
  Form,
  foreign,
  Note,
  Submit,
} from '../kit/components.js';
import { useFrame } from '../kit/page-frame.js';
import type { PageContext } from '../kit/page-route.js';
import { Card } from '../kit/pages/card.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { idCursor, pageOf } from '../kit/pages/list-page.js';
import {
  type ConsoleCall,
  type ConsoleDone,
  format,
  operatorPages,
  refusable,
} from './console-layout.js';
import { stateText } from './desk-item-pages.js';
import { Waits } from './desk-list-pages.js';
import { OPERATOR_PAGE } from './service-list-pages.js';

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
      start: null,
      words: { empty: 'No decisions', emptyText: 'No operator has decided anything yet.' },
      columns: ({ column, named }) => [
        named('Decision', ({ id, action, itemId, mode }) => [
          <a href={`${view.path}/proposals/${id}`}>{foreign(capital(actionText(action)))}</a>,
          <span class="sub">
            <span class="code">{itemId}</span>, {mode}
          </span>,
        ]),
        column('State', (row) => capital(stateText(row))),
        column('Proposed', 'only-l', ({ proposedBy, proposedAtMs }) => [
          proposedBy,
          <span class="sub">{format.short(proposedAtMs)}</span>,
        ]),
      ],
    }),
  }),
  ...operatorPages.withButtons(
    {
      path: '/proposals/{proposalId}',
      access: null,
      async load({ deps }, call) {
        const found = await readListedProposal(deps, idIn(call, 'proposalId'));
        return { ...found, name: await readOrganizationName(deps, found.proposal.orgId) };
      },
      show: ({ view, me }, { proposal, row, name }) => ({
        title: 'Proposal',
        heading: <Foreign text={`${capital(actionText(proposal.action))}.`} />,
        place: 'proposals',
        mode: proposal.mode,
        crumbs: [
          <a href={`${view.path}/proposals`}>Proposals</a>,
          <span class="code">{proposal.id}</span>,
        ],
        body: (
          <div class="cols">
            <div class="stack">
              {row === null ? null : <Item row={row} />}
              <Second proposal={proposal} me={me} />
            </div>
            <Card heading="What it relies on">
              <Facts facts={factsOf(proposal, name)} />
            </Card>
          </div>
        ),
      }),
    },
    [
      button('confirm', async (...of) => (await confirmProposal(...of)).kind),
      button('withdraw', async (...of) => {
        await withdrawProposal(...of);
        return 'withdrawn';
      }),
    ],
  ),
];

/** A refusal is shown with the proposal as it is now. */
function button(
  name: string,
  work: (...of: Parameters<typeof confirmProposal>) => Promise<ConsoleDone>,
) {
  return {
    path: `/proposals/{proposalId}/${name}`,
    access: null,
    run: ({ deps }: PageContext, call: ConsoleCall) =>
      refusable('decision', async () => {
        const id = idIn(call, 'proposalId');
        return { to: `/proposals/${id}`, done: await work(deps, id, call.operator.actor) };
      }),
  };
}

/** What it decides about, as the money desk shows it now. */
function Item({ row }: { readonly row: QueueRow }) {
  const { view } = useFrame();
  return (
    <section class="card stack-s">
      <p>
        <Amount money={row.amount} />
      </p>
      <p>{foreign(knownText(row.known, view.nowMs, format))}</p>
      <p>
        <a href={`${view.path}/money/${row.queue}/${row.id}`}>The item and its history</a>
      </p>
    </section>
  );
}

function factsOf(proposal: ListedProposal, name: string | null): readonly Fact[] {
  const { orgId, itemId, mode, evidence, basis, proposedBy, proposedAtMs } = proposal;
  const { expiresAtMs, endedBy, endedAtMs } = proposal;
  const organization = (
    <>
      {foreign(name)} <span class="code">{orgId}</span>
    </>
  );
  return [
    ['Evidence', foreign(evidence) ?? 'none'],
    ['Organization', orgId === null ? null : organization],
    ['Item', <span class="code">{itemId}</span>],
    ['Mode', mode],
    ['State of the item', basis],
    ['Proposed', `${proposedBy}, ${format.short(proposedAtMs)}`],
    endedAtMs === null
      ? ['Expires', format.short(expiresAtMs)]
      : ['Ended', `${endedBy}, ${format.short(endedAtMs)}`],
  ];
}

function Second({ proposal, me }: Readonly<{ proposal: ListedProposal; me: string }>) {
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
      <Waits proposal={proposal} me={me} />
      {proposedById === me ? (
        <p>You proposed it. Another operator confirms it; you cannot.</p>
      ) : (
        [
          <h2>Confirm or withdraw</h2>,
          <p>
            {proposedBy} proposed it. Compare it with the evidence. It takes effect as soon as you
            confirm it.
          </p>,
          <ButtonForm to={`proposals/${id}/confirm`} class="actions" look="primary">
            Confirm
          </ButtonForm>,
        ]
      )}
      <Form to={`proposals/${id}/withdraw`} class="stack-s">
        <p class="small quiet">Withdrawn, nobody can confirm it any more.</p>
        <Submit look="danger">Withdraw the proposal</Submit>
      </Form>
      <Note text="If its item has changed since, it is void, and nothing happens." />
    </section>
  );
}
