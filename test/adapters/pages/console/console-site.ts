// The console on its own port, beside the API and the other pages, with two operators and with
// money that waits for them.

import { createHttpServer } from '../../../../adapters/http/server.js';
import { operatorConsole } from '../../../../adapters/pages/operator-console.js';
import { CONSOLE_COMMAND } from '../../../../core/domain/access/registered-operator.js';
import type { ProductionRequest } from '../../../../core/domain/parties/production-request.js';
import type { HealthCheck } from '../../../../core/domain/service/health-check.js';
import { assert } from '../../../../core/errors.js';
import { makeConsoleLink } from '../../../../core/usecases/access/operator-sessions.js';
import { signCommand } from '../../../../core/usecases/access/registered-operators.js';
import { pageWatch } from '../../../../core/usecases/hosted/page-watch.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import { type Person, registered } from '../../../support/samples/operator-samples.js';
import {
  DeskScene,
  failedPayout,
  paidIn,
  refusedRefund,
} from '../../../support/scenes/desk-scene.js';
import type { SuiteEnd } from '../../../support/suite-end.js';
import { type PageSite, pageSite, Visitor } from '../visitor.js';

export interface ConsoleSite extends Pick<PageSite, 'world' | 'tenant'> {
  /** Of the API and the other pages. */
  readonly main: PageSite;
  readonly origin: string;
  readonly desk: DeskScene;
  readonly ana: Person;
  readonly bia: Person;
  /** The path of a refund that the partner refused, of a live payment. */
  readonly owed: string;
  /** A new link of this operator, as a path. */
  linkOf(person: Person): Promise<string>;
  visitor(): Visitor;
  signedIn(person: Person): Promise<Visitor>;
}

/** What the console of the site shows of the health of the service. */
export const checks = [
  { name: 'node', severity: 'ok', detail: 'v24.21.0' },
  { name: 'disk', severity: 'warning', detail: 'only 0.7 GiB free at <b>/data</b>' },
  { name: 'ledger', severity: 'critical', detail: 'does not balance: ponte ledger verify' },
] as const satisfies readonly HealthCheck[];

export async function consoleSite(t: SuiteEnd): Promise<ConsoleSite> {
  const main = await pageSite(t);
  const { world, tenant } = main;
  const { deps } = world;
  const desk = new DeskScene(world);
  const [ana, bia] = await registered(deps, ['ana', 'bia', 'eva']);
  assert(ana !== undefined && bia !== undefined, 'they are registered');
  await desk.payment([paidIn(), refusedRefund()]);
  let origin = '';
  const watch = pageWatch(deps, () => () => undefined);
  const server = createHttpServer(deps, {
    corsOrigins: [],
    feedReaders: world.feedReaders,
    readiness: () => Promise.reject(new Error('the console has no probes')),
    surface: 'health',
    pages: operatorConsole({ watch, url: () => origin, checkHealth: async () => checks }),
  });
  const { port } = await server.listen('127.0.0.1', 0);
  t.after(() => server.close(0));
  origin = `http://127.0.0.1:${port}`;
  const linkOf = async ({ key, actor }: Person) => {
    const signed = await signCommand(deps, { command: CONSOLE_COMMAND, arguments: {} }, key);
    const { token } = await makeConsoleLink(deps, { actor, signed });
    return `/operator?token=${token}`;
  };
  const visitor = () => new Visitor(origin);
  const signedIn = async (person: Person) => {
    const one = visitor();
    await one.open(await linkOf(person));
    await one.send('/enter');
    return one;
  };
  const owed = '/operator/money/owed/cmd_back';
  return { main, world, tenant, desk, ana, bia, owed, origin, linkOf, visitor, signedIn };
}

/** More that waits, and a proposal of bia; the path of each page by its name. */
export async function fillConsole(site: ConsoleSite): Promise<Readonly<Record<string, string>>> {
  const { world, tenant, desk, bia } = site;
  const { deps } = world;
  await desk.payment(
    [
      { ...paidIn(), id: 'cmd_in_2', partnerRef: 'pa_in_2', reference: 'in_2' },
      { ...failedPayout(), id: 'cmd_out_2', partnerRef: 'pa_out_2', reference: 'out_2' },
    ],
    { id: 'pi_2' },
  );
  await desk.deposit();
  const { orgId } = tenant;
  await deps.store.run(async (tx) =>
    tx.productionRequests.insert({ ...aRequest, orgId, createdAtMs: deps.clock.nowMs() }),
  );
  const { decision } = await decide(deps, {
    itemId: 'cmd_back',
    request: { verb: 'refund' },
    evidence: 'wire 7781 of 22 November, seen in the statement of the bank',
    operator: bia.actor,
    replace: false,
  });
  return {
    waiting: '/operator/waiting',
    money: '/operator/money',
    owed: site.owed,
    payout: '/operator/money/in_review/cmd_out_2',
    deposit: '/operator/money/unmatched/dep_1',
    proposals: '/operator/proposals',
    proposal: `/operator/proposals/${decision.id}`,
    requests: '/operator/production',
    request: `/operator/production/${orgId}`,
    health: '/operator/health',
    fx: '/operator/fx',
    commands: '/operator/commands',
    payments: '/operator/payments',
    payment: '/operator/payments/pi_2',
    audit: '/operator/audit',
    unknown: '/operator/unknown',
  };
}

/** A request for production access that waits. */
export const aRequest = {
  orgId: 'org_a',
  id: 'prq_1',
  requestedBy: 'mem_1',
  answers: { sells: 'Coffee <b>', customers: 'Roasters', monthlyVolume: 'USD 100,000' },
  certified: {
    at: '2026-01-02T03:04:05.678Z',
    ok: 22,
    failed: 1,
    notSeen: 1,
    others: ['rotation', 'feed-reset'],
  },
  state: 'requested',
  decidedBy: null,
  decidedAtMs: null,
  reason: null,
  createdAtMs: 0,
  version: 1,
} as const satisfies ProductionRequest;
