// The whole route table in front of a listening site, with an organization that is served and
// strangers to it: what the tests over the table share.
import assert from 'node:assert/strict';
import type { Auth, Route } from '../../../adapters/http/protocol/route-row.js';
import { routes } from '../../../adapters/http/routes.js';
import { isScope, type Scope, scopes } from '../../../core/domain/access/scope.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { SuiteEnd } from '../../support/suite-end.js';
import { type Answer, type CallOptions, type CheckedSite, checkedSite } from './checked-site.js';
import { type ExampleCall, examples } from './docs/example-calls.js';

export const operations = routes.flatMap((route) =>
  Object.entries(route.operations).map(([operationId, path]) => ({ operationId, path, route })),
);
export const keyed = operations.filter(({ route }) => route.access.auth === 'key');
export const readByApprovers = operations.filter(
  ({ route }) => route.access.auth === 'keyElseSession',
);
export const eithers = operations.filter(({ route }) => route.access.auth === 'either');
export const sessioned = operations.filter(({ route }) => route.access.auth === 'session');

export type Credentials = Pick<CallOptions, 'key' | 'session'>;

export interface TableScene {
  readonly site: CheckedSite;
  readonly tenant: Tenant;
  readonly key: string;
  /** Both credentials together: every row finds the one it needs. */
  readonly own: Credentials & { readonly session: string };
  /** What each kind of row needs and no more. */
  readonly accepted: Readonly<Record<Auth, Credentials>>;
  readonly liveKey: string;
  exampleOf(operationId: string, home?: Tenant): Promise<ExampleCall>;
  send(
    route: Route,
    example: ExampleCall,
    credentials?: Credentials,
    contentType?: string | null,
  ): Promise<Answer>;
}

/** Of the subscriptions of earlier examples: one that gets every event costs a delivery of each. */
const eventTypes = ['payment_intent.expired'];

export async function tableScene(t: SuiteEnd): Promise<TableScene> {
  const site = await checkedSite(t);
  const tenant = await site.world.newTenant();
  const key = await site.world.key(tenant.orgId);
  const session = await site.world.session(tenant.orgId);
  const unasked = { partner: {}, signature: {}, none: {} };
  return {
    site,
    tenant,
    key,
    own: { key, session },
    accepted: {
      key: { key },
      session: { session },
      either: { session },
      keyElseSession: { session },
      ...unasked,
    },
    liveKey: await site.world.key(tenant.orgId, { mode: 'live' }),
    async exampleOf(operationId, home = tenant) {
      const example = examples[operationId];
      assert.ok(example !== undefined, `${operationId} has an example`);
      await site.world.deps.store.run(async (tx) => {
        for (const earlier of await tx.subscriptions.list(home, 0))
          if (earlier.eventTypes.includes('*')) tx.subscriptions.update({ ...earlier, eventTypes });
      });
      return example(site.world, home);
    },
    send(route, example, credentials = {}, contentType) {
      const { session: single, ...call } = example;
      const headers = {
        ...call.headers,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      };
      const isShared = single !== undefined && credentials.session === session;
      const used = isShared ? { ...credentials, session: single } : credentials;
      return site.call(route.method, call.path, { ...call, headers, ...used });
    },
  };
}

/** The scopes of which a call of this row needs one; of a payment, that of its origin. */
export function scopesNeeded(
  { access: { scope } }: Route,
  { path }: ExampleCall,
): readonly Scope[] {
  if (typeof scope === 'string') return scope === 'none' ? [] : [scope];
  if ('anyOf' in scope) return scope.anyOf;
  const needed = path.includes('/inv_') ? scope.byOrigin.invoice : scope.byOrigin.payment_intent;
  return needed === undefined ? [] : [needed];
}

/** Every scope but these. */
export function otherScopes(needed: readonly Scope[]): readonly Scope[] {
  return Object.keys(scopes).filter(
    (name): name is Scope => isScope(name) && !needed.includes(name),
  );
}

/** The path of a row with these in the places of its ids. */
export function withIds(path: string, id: string, deliveryId: string): string {
  return path.replace(/\{(id|buyerId)\}/, id).replace('{deliveryId}', deliveryId);
}
