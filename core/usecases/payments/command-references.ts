// The references of commands about money, also their idempotency keys at the partner. A reference
// follows from payment, kind and number; for a refund, from its pay-in and number. So a command
// that is made again after a restore has the same reference. A payment with an `externalId` is
// named by it: if the backup lacks the payment and it is created again, its commands are the same.
// The key of the hash is created in the database before any payment, so that every backup contains
// it.
import { hmacSha256 } from '../../domain/base/hmac.js';
import type {
  CommandDraft,
  CommandKind,
  MoneyCommand,
} from '../../domain/commands/partner-command.js';
import type { Payment } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { momentOf } from '../service/id-moments.js';

export function commandSubject({ id, orgId, mode, origin, externalId }: Payment): string {
  return externalId === null ? id : [orgId, mode, origin, externalId].join('.');
}

/**
 * The reference of the next command of this kind, or of the next refund of this pay-in. `commands`
 * are all known.
 */
export function nextReference(
  key: Uint8Array,
  payment: Payment,
  commands: readonly MoneyCommand[],
  { kind, payinId }: Pick<CommandDraft, 'kind' | 'payinId'>,
): string {
  const alike = commands.filter((command) => command.kind === kind && command.payinId === payinId);
  const subject = commands.find(({ id }) => id === payinId)?.reference ?? commandSubject(payment);
  return commandReference(key, { subject, kind, number: alike.length + 1 });
}

/**
 * 32 hex digits. `subject` is `commandSubject` or, for a refund, the reference of its pay-in.
 * `number` counts the commands of this kind and subject from 1.
 */
export function commandReference(
  key: Uint8Array,
  command: { readonly subject: string; readonly kind: CommandKind; readonly number: number },
): string {
  const text = `${command.subject}.${command.kind}.${command.number}`;
  return hmacSha256(key).update(text).digest('hex').slice(0, 32);
}

/**
 * No reference of the payment was used before this time; null: it may have any age. A payment that
 * is created again after a restore has the references of the lost one, which is younger than the
 * last payment of the organization that the backup has.
 */
export async function referencesSinceMs(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  { orgId, externalId, createdAtMs }: Payment,
): Promise<number | null> {
  const [, restored = null] = await tx.epochs.list();
  if (externalId === null || restored === null || createdAtMs < restored.beganAtMs) {
    return createdAtMs;
  }
  const beforeId = `pi_${momentOf(deps, restored.beganAtMs)}`;
  const [last] = await tx.payments.list({ orgId, status: null, beforeId, limit: 1 });
  return last?.createdAtMs ?? null;
}
