// `ponte proposals` and `ponte confirm`: what operators decided and proposed, and the
// confirmation by a second one.
import { type Command, Option } from 'commander';
import { type Mode, modes } from '../../core/domain/base/tenant.js';
import { decidedOutcome, decisionsText, presentDecision } from '../money-texts.js';
import {
  addOperatorCommand,
  cutPage,
  dryRunOption,
  listOutcome,
  type PageOptions,
  pageOptions,
  type Shell,
} from '../operator.js';

interface ListOptions extends PageOptions {
  readonly org: string | null;
  readonly mode: Mode | null;
}

export function addProposalCommands(shell: Shell, program: Command): void {
  addOperatorCommand<ListOptions>(shell, program, {
    name: 'proposals',
    authority: 'read',
    description: 'list what operators decided, and what waits for another one, newest first',
    options: [
      new Option('--org <org-id>', 'only of this organization').default(null),
      new Option('--mode <mode>', 'only of this mode').choices(modes).default(null),
      ...pageOptions(),
    ],
    run: async ({ deps }, { org: orgId, mode, limit, cursor }) => {
      const { listProposals } = await import('../../core/usecases/money-desk/money-queues.js');
      const filter = { orgId, mode, limit: limit + 1, beforeId: cursor };
      const { rows, nextCursor } = cutPage(await listProposals(deps, filter), limit);
      return listOutcome(rows.map(presentDecision), decisionsText(rows), nextCursor);
    },
  });

  addOperatorCommand<{ readonly dryRun: boolean }>(shell, program, {
    name: 'confirm <proposal-id>',
    authority: 'signed',
    description: 'execute what another operator proposed, if nothing has changed since',
    options: [dryRunOption()],
    run: async ({ deps, actor }, options, [id = '']) => {
      const { confirmProposal } = await import('../../core/usecases/money-desk/money-desk.js');
      return decidedOutcome(deps, await confirmProposal(deps, id, actor), options);
    },
  });

  addOperatorCommand(shell, program, {
    name: 'withdraw <proposal-id>',
    authority: 'signed',
    description: 'end a proposal of any operator, so that nobody confirms it',
    run: async ({ deps, actor }, _, [id = '']) => {
      const { withdrawProposal } = await import('../../core/usecases/money-desk/money-desk.js');
      const proposal = await withdrawProposal(deps, id, actor);
      const listed = { ...proposal, isVoid: false, isExpired: false };
      return { json: presentDecision(proposal), text: decisionsText([listed]) };
    },
  });
}
