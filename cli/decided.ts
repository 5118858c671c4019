// A command that in live mode needs a second operator: proposes, or executes at once.
import { developmentOperator } from '../core/domain/base/actor.js';
import type { ServiceAction } from '../core/domain/money-desk/proposal.js';
import type { Operator, Outcome } from './operator.js';

/** `done` gives the result once the decision has taken effect; until then it is the proposal. */
export async function decided(
  { deps, actor }: Operator,
  itemId: string,
  request: ServiceAction,
  done: () => Promise<Outcome>,
  {
    replace = false,
    dryRun = false,
  }: { readonly replace?: boolean; readonly dryRun?: boolean } = {},
): Promise<Outcome> {
  const [{ decide }, { decidedOutcome }] = await Promise.all([
    import('../core/usecases/money-desk/money-desk.js'),
    import('./money-texts.js'),
  ]);
  const asked = { itemId, request, evidence: null, operator: actor, replace };
  const outcome = await decide(deps, asked);
  return outcome.kind === 'done' && !dryRun ? done() : decidedOutcome(deps, outcome, { dryRun });
}

/** On a development host without operators, links and tokens are printed. */
export function isDevelopment({ actor }: Pick<Operator, 'actor'>): boolean {
  return actor.id === developmentOperator.id;
}
