// Operators bind a database to another instance of the partner: to the same account at another
// address, which has its commands, or to another account once no command is open.
import type { Mode } from '../../domain/base/tenant.js';
import { isMoneyCommand, type MoneyCommand } from '../../domain/commands/partner-command.js';
import type { InstanceChange } from '../../domain/money-desk/service-decisions.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer, SettlementPartner } from '../../ports/partner.js';
import { readBound } from '../service/fingerprints.js';

/** The newest commands of the former instance that the other one is asked about. */
const ASKED_MAX = 5;
const LOOKED_AT_MAX = 500;

/**
 * What a change to the configured partner would be. DecisionNotAllowed if there is none to make;
 * PartnerUnavailable if it cannot be asked.
 */
export async function plannedChange(
  { store }: Pick<Deps, 'store'>,
  configured: Deps['partners'],
  mode: Mode,
): Promise<InstanceChange> {
  const partner = configured[mode];
  const { bound, known } = await store.run(async (tx) => {
    const { bound } = await readBound({ partners: configured }, tx, mode);
    const newest = await tx.commands.list({ stuck: false, limit: LOOKED_AT_MAX });
    const known = newest
      .filter(isMoneyCommand)
      .filter((command) => command.instance === bound && command.mode === mode)
      .filter(({ partnerRef, depositId }) => partnerRef !== null && depositId === null);
    return { bound, known: known.slice(0, ASKED_MAX) };
  });
  if (partner === null) throw new PonteError('PartnerUnavailable');
  if (bound === null || bound === partner.instance) {
    const message = `The database is bound to ${bound ?? 'no instance'}: there is no other one.`;
    throw new PonteError('DecisionNotAllowed', message);
  }
  let hasCommands = known.length > 0;
  for (const command of known) hasCommands &&= await hasCommand(partner, command);
  return { from: bound, to: partner.instance, hasCommands };
}

/** Ids of two accounts may be alike: the books must agree on the amount, or a read must succeed. */
async function hasCommand(partner: SettlementPartner, command: MoneyCommand): Promise<boolean> {
  const { kind, partnerRef, amount } = command;
  if (partnerRef === null) return false;
  if (kind === 'refund' || partner.statement === undefined) {
    return isThere(await partner[kind].read(partnerRef));
  }
  const entry = await partner.statement.read(kind, partnerRef);
  if (!isThere(entry) || entry.outcome !== 'done') return false;
  const { reference, amount: listed } = entry.value;
  const isNamed = reference === null || reference === command.reference;
  return isNamed && listed.currency === amount.currency && hasAmount(command, listed.amountMinor);
}

function hasAmount({ kind, amount, receivedMinor }: MoneyCommand, listedMinor: bigint): boolean {
  if (kind === 'payin' && receivedMinor > 0n) return listedMinor === receivedMinor;
  return listedMinor === amount.amountMinor;
}

function isThere(answer: PartnerAnswer<unknown>): boolean {
  if (answer.outcome === 'done') return true;
  if (answer.outcome === 'refused') return false;
  throw new PonteError('PartnerUnavailable', undefined, { cause: answer.reason });
}
