// Invariants of the audit log: what an actor changes has an entry in the same batch. A created
// payment has its event, which names its creator. The chain is judged with those of the feeds
// (event-invariants.ts).
import { auditFeed } from '../../../core/domain/service/audit-record.js';
import type { StagedWrite } from '../world/gated-store.js';
import type { ObservedState } from './observed-state.js';

/** Methods of Tx whose rows are objects, other than `insert`, `update` and `remove` of a group. */
const others: readonly string[] = ['insertSubmission', 'updateSubmission', 'updateProfile'];
const plain: readonly string[] = ['insert', 'update', 'remove'];
/** Groups of Tx with objects; buyers are shared between tenants. */
const groups: readonly string[] = [
  'accounts',
  'commands',
  'deposits',
  'documents',
  'inbox',
  'keys',
  'members',
  'organizations',
  'operators',
  'passkeys',
  'payments',
  'proposals',
  'quotes',
  'sessions',
  'subscriptions',
];

/** Heads that somebody kept outside are still in it, and rows are as their newest entries say. */
export function theAuditLogIsAsItWasWritten({ auditDefects }: ObservedState): string | null {
  const [defect] = auditDefects;
  return defect === undefined ? null : `entry ${defect.sequence}: ${defect.problem}`;
}

export function noChangeByAnActorIsWithoutAnEntry({ freshBatches }: ObservedState): string | null {
  for (const { actor, writes } of freshBatches) {
    const changed = writes.filter(isOfObject);
    if (actor === null || changed.length === 0) continue;
    if (writes.some(isCreate) || writes.some(isEntry)) continue;
    const names = changed.map(({ group, method }) => `${group}.${method}`);
    return `${names.join(' ')} has no entry`;
  }
  return null;
}

function isOfObject({ group, method }: StagedWrite): boolean {
  if (others.includes(method)) return true;
  return groups.includes(group) && plain.includes(method);
}

function isCreate({ group, method }: StagedWrite): boolean {
  return group === 'payments' && method === 'insert';
}

function isEntry({ group, args: [row] }: StagedWrite): boolean {
  return group === 'feed' && (row as { readonly orgId: string }).orgId === auditFeed.orgId;
}
