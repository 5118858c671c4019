// The names of who made audit records and of what they are about: people read names, not ids.

import { memberWithAddress } from '../../domain/access/member.js';
import type { Actor } from '../../domain/base/actor.js';
import { emailKey } from '../../domain/base/email-address.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { payeeNameOf } from '../../domain/parties/connected-account.js';
import type { AuditRecord, ObjectType } from '../../domain/service/audit-record.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

/** Objects of one record that are named; a page shows fewer. */
const NAMED_MAX = 10;

type ReadName = (tx: Tx, tenant: Tenant, id: string) => Promise<string | null>;

const names: Partial<Record<ObjectType, ReadName>> = {
  payment: readPaymentName,
  // Its id ends with that of the payment; the record may name no mode.
  sandbox_advance: (tx, { orgId }, id) =>
    readPaymentName(tx, { orgId, mode: 'test' }, id.split('/').at(-1) ?? id),
  async connected_account(tx, tenant, id) {
    const account = await tx.accounts.get(tenant, id);
    return account && (payeeNameOf(account) ?? account.externalId);
  },
  async webhook_subscription(tx, tenant, id) {
    return (await tx.subscriptions.get(tenant, id))?.url ?? null;
  },
  async api_key(tx, { orgId }, id) {
    const key = await tx.keys.get(id);
    return key?.orgId === orgId ? key.name : null;
  },
  async member(tx, { orgId }, id) {
    const member = await tx.members.get(orgId, id);
    return member && memberWithAddress(member);
  },
  async session(tx, { orgId }, id) {
    const session = await tx.sessions.get(['member', 'token'], id);
    const person = session && (await tx.people.get(session.personId));
    // An organization learns about its members only.
    const member = person && (await tx.members.byEmail(orgId, emailKey(person.email)));
    return member && memberWithAddress(member);
  },
};

async function readPaymentName(tx: Tx, tenant: Tenant, id: string): Promise<string | null> {
  const payment = await tx.payments.get(tenant, id);
  return payment && (payment.number ?? payment.externalId ?? payment.buyer.name);
}

/** What names an actor; operators are no part of an organization. */
const actorTypes: Partial<Record<Actor['kind'], ObjectType>> = { key: 'api_key', member: 'member' };

/** By id; what was removed since, or has no name, is not there. */
export function readAuditNames(
  { store }: Pick<Deps, 'store'>,
  records: readonly Pick<AuditRecord, 'orgId' | 'mode' | 'actor' | 'objects'>[],
): Promise<ReadonlyMap<string, string>> {
  const named = new Map(
    records.flatMap(({ orgId, mode, actor: { kind, id: actorId }, objects }) => {
      if (orgId === null) return [];
      // What belongs to both modes is found in either.
      const tenant: Tenant = { orgId, mode: mode ?? 'live' };
      const actor = { id: actorId, type: actorTypes[kind] };
      const all = [actor, ...objects.slice(0, NAMED_MAX)];
      return all.flatMap(({ id, type }) =>
        id === null || type === undefined ? [] : [[id, { tenant, type }] as const],
      );
    }),
  );
  return store.run(async (tx) => {
    const found = await Promise.all(
      [...named].map(async ([id, { tenant, type }]) => {
        const name = (await names[type]?.(tx, tenant, id)) ?? null;
        return name === null ? [] : [[id, name] as const];
      }),
    );
    return new Map(found.flat());
  });
}
