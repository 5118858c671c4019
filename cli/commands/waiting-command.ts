// `ponte waiting`: everything that waits for an operator, of any kind.
import type { Command } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import { formatAmount, shownAmount } from '../../core/domain/base/money.js';
import { waitingKindNames } from '../../core/domain/money-desk/waiting-kind.js';
import type { WaitingItem } from '../../core/usecases/money-desk/waiting.js';
import { presentDecision } from '../money-texts.js';
import { addOperatorCommand, listOutcome, readNames, type Shell, withName } from '../operator.js';
import { choice, limit, ofTenant } from '../options.js';
import { tableOf } from '../output.js';

export function addWaitingCommand(shell: Shell, program: Command): void {
  addOperatorCommand(shell, program, {
    name: 'waiting',
    authority: 'read',
    description: 'list everything that waits for an operator; --json has the commands to copy',
    options: {
      kind: choice('<kind>', waitingKindNames, 'only of this kind'),
      ...ofTenant,
      limit,
    },
    details:
      'At most --limit items of each kind. Of money and proposals, ponte money list and ponte\n' +
      'proposals have further pages.',
    run: async ({ deps }, { kind, org: orgId, mode, limit }) => {
      const { listWaiting } = await import('../../core/usecases/money-desk/waiting.js');
      const kinds = kind === null ? waitingKindNames : [kind];
      const found = await listWaiting(deps, kinds, { orgId, mode, limit });
      const names = await readNames(deps);
      const text = tableOf(found, 'Nothing waits for an operator.', {
        KIND: 'kind',
        ID: 'id',
        ORGANIZATION: ({ orgId }) => withName(names, orgId),
        MODE: 'mode',
        AMOUNT: ({ amount }) => amount && shownAmount(amount),
        SINCE: ({ sinceMs }) => formatInstant(sinceMs),
        ABOUT: 'about',
        KNOWN: 'text',
      });
      return listOutcome(found.map(presentItem), text);
    },
  });
}

function presentItem(item: WaitingItem) {
  const { kind, id, orgId, mode, sinceMs, amount, text, steps, proposal } = item;
  return {
    kind,
    id,
    orgId,
    testMode: mode === 'test',
    amount: amount === null ? null : formatAmount(amount.amountMinor),
    currency: amount?.currency ?? null,
    since: formatInstant(sinceMs),
    known: text,
    steps,
    proposal: proposal === null ? null : presentDecision(proposal),
  };
}
