// The console on its own port, beside the API and the other pages, with two operators and with
// money that waits for them.

import { createHttpServer } from '../../../../adapters/http/server.js';
import { operatorConsole } from '../../../../adapters/pages/operator-console.js';
import { CONSOLE_COMMAND } from '../../../../core/domain/access/registered-operator.js';
import { assert } from '../../../../core/errors.js';
import { makeConsoleLink } from '../../../../core/usecases/access/operator-sessions.js';
import { signCommand } from '../../../../core/usecases/access/registered-operators.js';
import { pageWatch } from '../../../../core/usecases/hosted/page-watch.js';
import { type Person, registered } from '../../../support/samples/operator-samples.js';
import { DeskScene, paidIn, refusedRefund } from '../../../support/scenes/desk-scene.js';
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

export async function consoleSite(t: SuiteEnd): Promise<ConsoleSite> {
  const main = await pageSite(t);
  const { world, tenant } = main;
  const { deps } = world;
  const desk = new DeskScene(world);
  const [ana, bia] = await registered(deps, ['ana', 'bia', 'eva']);
  assert(ana !== undefined && bia !== undefined, 'they are registered');
  await desk.payment([paidIn(), refusedRefund()]);
  const url = 'http://127.0.0.1:8090';
  const server = createHttpServer(deps, {
    corsOrigins: [],
    feedReaders: world.feedReaders,
    readiness: () => Promise.reject(new Error('the console has no probes')),
    surface: 'health',
    pages: operatorConsole({ watch: pageWatch(deps, () => () => undefined), url }),
  });
  const { port } = await server.listen('127.0.0.1', 0);
  t.after(() => server.close(0));
  const origin = `http://127.0.0.1:${port}`;
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
