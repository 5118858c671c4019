// What an idempotency key of a create was used for.
import type { Tenant } from '../../domain/base/tenant.js';
import type { PaymentOrigin, PaymentStatus } from '../../domain/payments/payment.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';

export interface IdempotencyKeyUse {
  readonly key: string;
  readonly origin: PaymentOrigin;
  readonly resourceId: string;
  readonly status: PaymentStatus;
  /** When the key was bound. */
  readonly createdAtMs: number;
}

/** NotFound for a key that was not used in this tenant, or for what may not be read. */
export function readIdempotencyKey(
  deps: Deps,
  tenant: Tenant,
  key: string,
  mayRead: (origin: PaymentOrigin) => boolean,
): Promise<IdempotencyKeyUse> {
  return deps.store.run(async (tx) => {
    const bound = await tx.idempotency.find(tenant, key);
    // The key of an action on an account is none of a create.
    if (bound === null || bound.origin === 'connected_account' || !mayRead(bound.origin)) {
      throw new PonteError('NotFound');
    }
    const { origin, resourceId, createdAtMs } = bound;
    const payment = await tx.payments.get(tenant, resourceId);
    assert(payment !== null, 'a key is bound to a payment of its tenant');
    return { key, origin, resourceId, createdAtMs, status: payment.status };
  });
}
