// `ponte restore --check` and `ponte release`: the end of the quarantine of a restored database.
// The check reads from the partner what it did after the backup; an operator then releases the
// database.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { formatInstant, instantOrNull, MINUTE_MS } from '../../core/domain/base/instant.js';
import { type Mode, modes } from '../../core/domain/base/tenant.js';
import type { Epoch } from '../../core/domain/service/epoch.js';
import type { CheckedPayment } from '../../core/usecases/money-desk/payment-check.js';
import { decided } from '../decided.js';
import { addOperatorCommand, type Operator, type Outcome, type Shell } from '../operator.js';
import { parsed, replace } from '../options.js';
import { fields } from '../output.js';

const NAME_LENGTH_MAX = 200;
/** All waits for a partner that cannot answer. */
const WAIT_MAX_MS = 10 * MINUTE_MS;

export function addReleaseCommands(shell: Shell, program: Command): void {
  addOperatorCommand(shell, program, {
    name: 'release',
    authority: 'confirmed',
    description: 'end the quarantine of a restored database: commands, mails and webhooks resume',
    options: {
      force: parsed(
        '<reason>',
        'release without a complete check; the reason is recorded',
        shortText,
      ),
      replace,
    },
    run: async (operator, { force: reason, replace }) => {
      const { deps, actor } = operator;
      const { currentEpoch, endQuarantine } = await import('../../core/usecases/service/epochs.js');
      const epoch = await currentEpoch(deps);
      if (reason === null || epoch.checkedAtMs !== null) {
        return shown(await endQuarantine(deps, { by: actor.name, forcedBecause: null }));
      }
      const { itemOfEpoch } = await import('../../core/usecases/money-desk/service-items.js');
      const after = async () => shown(await currentEpoch(deps));
      return decided(operator, itemOfEpoch(epoch), { verb: 'release', reason }, after, { replace });
    },
  });
}

/**
 * Prints each payment to stderr when it is checked: a check may take hours. Payments that could not
 * be checked for a reason that was printed before are counted at the end.
 */
export async function checkAfterRestore(shell: Shell, { deps }: Operator): Promise<Outcome> {
  const [{ checkRestored, isCheckComplete }, { patientCalls }] = await Promise.all([
    import('../../core/usecases/money-desk/restore-check.js'),
    import('../../core/usecases/deposits/books.js'),
  ]);
  const found: CheckedPayment[] = [];
  const lines = findingLines();
  const show = (payment: CheckedPayment) => {
    found.push(payment);
    const line = lines.of(payment);
    if (line !== null) shell.stderr.write(`${line}\n`);
  };
  const call = patientCalls({ waitMaxMs: WAIT_MAX_MS, wait: sleep, onWait: () => undefined });
  const counts = await checkRestored(deps, show, call);
  for (const line of lines.repeated()) shell.stderr.write(`${line}\n`);
  const complete = isCheckComplete(counts);
  const next = complete ? nextWhenComplete : nextUnless(modes.some(storesNothing(deps)));
  const attention = counts.differing > 0 ? 'attention' : 'done';
  const deposits =
    counts.deposits === 0
      ? ''
      : 'Deposits without a payment: ponte money list. Decide on them after the release.\n';
  return {
    json: { complete, ...counts, data: found },
    text: `${fields({ ...counts })}\n${deposits}${next}`,
    exit: complete ? attention : 'checkFailed',
  };
}

const nextWhenComplete = 'The check is complete. Release the database with ponte release.';

function nextUnless(isNeverComplete: boolean): string {
  const some = 'Some payments or entries could not be checked.';
  if (!isNeverComplete) return `${some} Run this again, or ponte release --force <reason>.`;
  return (
    `${some} Without PONTE_FAKE_PARTNER_FILE the fake partner stores nothing, and no repeat ` +
    'completes the check. End a rehearsal with ponte release --force rehearsal.'
  );
}

/** The fake partner of a mode answers no look-up. */
function storesNothing({ partners }: Pick<Operator['deps'], 'partners'>) {
  return (mode: Mode) => partners[mode]?.name === 'fake' && partners[mode].statement === undefined;
}

/** The lines of a check. `of` is null where only a reason is said that was said before. */
export function findingLines() {
  const counts = new Map<string, number>();
  return {
    of(payment: CheckedPayment): string | null {
      const { was, is, adopted, differs, missed } = payment;
      const reason = missed.join('; ');
      const times = counts.get(reason) ?? 0;
      if (reason !== '') counts.set(reason, times + 1);
      const hasMore = was !== is || adopted.length > 0 || differs.length > 0;
      if (times > 0 && !hasMore) return null;
      return `${payment.paymentId} (${payment.mode}): ${findingOf(payment)}`;
    },
    /** The reasons of several payments, with how many there are. */
    repeated: () =>
      [...counts]
        .filter(([, times]) => times > 1)
        .map(([reason, times]) => `${times} payments: ${reason}`),
  };
}

function findingOf({ was, is, adopted, differs, missed }: CheckedPayment): string {
  const known = { payin: 'a pay-in', payout: 'a payout', refund: 'a refund' } as const;
  return [
    was === is ? is : `${was} -> ${is}`,
    ...adopted.map((kind) => `${known[kind]} that was unknown`),
    ...differs.map((reason) => `held back: ${reason}`),
    ...missed,
  ].join('; ');
}

function shown(epoch: Epoch): Outcome {
  const json = presentEpoch(epoch);
  return { json, text: fields(json) };
}

function presentEpoch(epoch: Epoch) {
  return {
    epoch: epoch.number,
    state: epoch.state,
    cause: epoch.cause,
    beganAt: formatInstant(epoch.beganAtMs),
    checkedAt: instantOrNull(epoch.checkedAtMs),
    releasedAt: instantOrNull(epoch.releasedAtMs),
    releasedBy: epoch.releasedBy,
    forcedBecause: epoch.forcedBecause,
  };
}

function shortText(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== '' && trimmed.length <= NAME_LENGTH_MAX) return trimmed;
  throw new InvalidArgumentError(`Give 1 to ${NAME_LENGTH_MAX} characters.`);
}
