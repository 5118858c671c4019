// `ponte proposals` and `ponte confirm`: what operators decided and proposed, and the
// confirmation by a second one.
import type { Command } from 'commander';
import { decidedOutcome, decisionsText, presentDecision } from '../money-texts.js';
import { addOperatorCommand, listOutcome, readPage, type Shell } from '../operator.js';
import { dryRun, ofTenant, page } from '../options.js';

export function addProposalCommands(shell: Shell, program: Command): void {
  addOperatorCommand(shell, program, {
    name: 'proposals',
    authority: 'read',
    description: 'list what operators decided, and what waits for another one, newest first',
    options: { ...ofTenant, ...page },
    run: async ({ deps }, { org: orgId, mode, ...asked }) => {
      const { listProposals } = await import('../../core/usecases/money-desk/money-queues.js');
      const { rows, nextCursor } = await readPage(asked, (one) =>
        listProposals(deps, { orgId, mode, ...one }),
      );
      return listOutcome(rows.map(presentDecision), decisionsText(rows), nextCursor);
    },
  });

  addOperatorCommand(shell, program, {
    name: 'confirm <proposal-id>',
    authority: 'signed',
    description: 'execute what another operator proposed, if nothing has changed since',
    options: { dryRun },
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
