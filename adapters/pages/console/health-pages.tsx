// The health of the service, as `ponte doctor`.
import type { VNode } from 'preact';
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import type { HealthCheck } from '../../../core/domain/service/health-check.js';
import { assert } from '../../../core/errors.js';
import { Foreign, Scroll } from '../kit/components.js';
import { operatorRow, type PageAnswer, type PageContext } from '../kit/page-route.js';
import { type ConsoleCall, consolePage, consoleViewOf } from './console-layout.js';

export const healthPages = [
  operatorRow({
    method: 'GET',
    path: `${CONSOLE_ROOT}/health`,
    form: 'none',
    handler: showHealth,
  }),
];

type Severity = HealthCheck['severity'];

/** Worst first. */
const severities: readonly Severity[] = ['critical', 'warning', 'ok'];

/** The colour and sign of the badge, and its text. */
const looks = {
  critical: ['dead_letter', 'At risk'],
  warning: ['awaiting_approval', 'Look at it'],
  ok: ['delivered', 'Ok'],
} as const satisfies Record<Severity, readonly [string, string]>;

async function showHealth(context: PageContext, call: ConsoleCall): Promise<PageAnswer> {
  const { checkHealth } = context;
  assert(checkHealth !== null, 'the console looks at the service');
  const checks = (await checkHealth()).toSorted(
    (one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity),
  );
  const open = checks.filter(({ severity }) => severity !== 'ok').length;
  return consolePage(consoleViewOf(context, call), {
    title: 'Health',
    lede:
      open === 0
        ? 'Everything is ok, as this host sees it now.'
        : `${open} of ${checks.length} checks need an operator, as this host sees it now.`,
    place: 'health',
    body: (
      <>
        <Scroll label="Health">
          <table>
            <thead>
              <tr>
                <th scope="col">Check</th>
                <th scope="col">State</th>
                <th scope="col">Found, and what to do</th>
              </tr>
            </thead>
            <tbody>
              {checks.map((check) => (
                <CheckRow check={check} />
              ))}
            </tbody>
          </table>
        </Scroll>
        <p class="quiet">
          The ledger is not compared here, because that reads every payment: run{' '}
          <code>ponte doctor</code>.
        </p>
      </>
    ),
  });
}

function CheckRow({ check: { name, severity, detail } }: { readonly check: HealthCheck }): VNode {
  const [look, text] = looks[severity];
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <span class="badge" data-s={look}>
          {text}
        </span>
      </td>
      <td>
        <Foreign text={detail} />
      </td>
    </tr>
  );
}
