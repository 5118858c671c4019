// `ponte restore --check` and `ponte release`: the end of the quarantine of a restored database.
// The check reads from the partner what it did after the backup; an operator then releases the
// database.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatInstant, MINUTE_MS } from '../../core/domain/base/instant.js';
import type { Epoch } from '../../core/domain/service/epoch.js';
import type { CheckedPayment } from '../../core/usecases/money-desk/restore-check.js';
import { addOperatorCommand, type Operator, type Outcome, type Shell } from '../operator.js';
import { fields, instantOrNull } from '../output.js';

interface ReleaseOptions {
  readonly force: string | null;
}

const NAME_LENGTH_MAX = 200;
/** All waits for a partner that cannot answer. */
const WAIT_MAX_MS = 10 * MINUTE_MS;

export function addReleaseCommands(shell: Shell, program: Command): void {
  addOperatorCommand<ReleaseOptions>(shell, program, {
    name: 'release',
    authority: 'confirmed',
    description: 'end the quarantine of a restored database: commands, mails and webhooks resume',
    options: [
      new Option('--force <reason>', 'release without a complete check; the reason is recorded')
        .argParser(shortText)
        .default(null),
    ],
    run: release,
  });
}

/** Prints each payment to stderr when it is checked: a check may take hours. */
export async function checkAfterRestore(shell: Shell, { deps }: Operator): Promise<Outcome> {
  const [{ checkRestored, isCheckComplete }, { patientCalls }] = await Promise.all([
    import('../../core/usecases/money-desk/restore-check.js'),
    import('../../core/usecases/deposits/books.js'),
  ]);
  const found: CheckedPayment[] = [];
  const show = (payment: CheckedPayment) => {
    found.push(payment);
    shell.stderr.write(`${payment.paymentId} (${payment.mode}): ${findingOf(payment)}\n`);
  };
  const call = patientCalls({ waitMaxMs: WAIT_MAX_MS, wait: sleep, onWait: () => undefined });
  const counts = await checkRestored(deps, show, call);
  const complete = isCheckComplete(counts);
  const next = complete
    ? 'The check is complete. Release the database with ponte release.'
    : 'Some payments or entries could not be checked. ' +
      'Run this again, or ponte release --force <reason>.';
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

function findingOf({ was, is, adopted, differs, missed }: CheckedPayment): string {
  const known = { payin: 'a pay-in', payout: 'a payout', refund: 'a refund' } as const;
  return [
    was === is ? is : `${was} -> ${is}`,
    ...adopted.map((kind) => `${known[kind]} that was unknown`),
    ...differs.map((reason) => `held back: ${reason}`),
    ...missed,
  ].join('; ');
}

async function release(
  { deps, actor }: Operator,
  { force: forcedBecause }: ReleaseOptions,
): Promise<Outcome> {
  const { endQuarantine } = await import('../../core/usecases/service/epochs.js');
  const epoch = await endQuarantine(deps, { by: actor.name, forcedBecause });
  const shown = presentEpoch(epoch);
  return { json: shown, text: fields(shown) };
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
