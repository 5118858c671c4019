// The health of the service, as `ponte doctor`.
import type { HealthCheck } from '../../../core/domain/service/health-check.js';
import { assert } from '../../../core/errors.js';
import { Badge, Foreign } from '../kit/components.js';
import { Table } from '../kit/pages/table.js';
import { operatorPages } from './console-layout.js';

type Severity = HealthCheck['severity'];

/** Worst first. */
const severities: readonly Severity[] = ['critical', 'warning', 'ok'];

/** The colour and sign of the badge, and its text. */
const looks = {
  critical: ['dead_letter', 'At risk'],
  warning: ['awaiting_approval', 'Look at it'],
  ok: ['delivered', 'Ok'],
} as const satisfies Record<Severity, readonly [string, string]>;

export const healthPages = [
  operatorPages.view({
    path: '/health',
    access: null,
    async load({ checkHealth }) {
      assert(checkHealth !== null, 'the console looks at the service');
      return (await checkHealth()).toSorted(
        (one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity),
      );
    },
    show(_, checks) {
      const open = checks.filter(({ severity }) => severity !== 'ok').length;
      return {
        title: 'Health',
        lede:
          open === 0
            ? 'Everything is ok, as this host sees it now.'
            : `${open} of ${checks.length} checks need an operator, as this host sees it now.`,
        place: 'health',
        body: [
          <Table
            label="Health"
            rows={checks}
            folds
            columns={({ column, named }) => [
              named('Check', ({ name }) => name),
              column('State', 'main', ({ severity }) => (
                <Badge look={looks[severity][0]} text={looks[severity][1]} />
              )),
              column('Found, and what to do', ({ detail }) => <Foreign text={detail} />),
            ]}
          />,
          <p class="quiet">
            The ledger is not compared here, because that reads every payment: run{' '}
            <code>ponte doctor</code>.
          </p>,
        ],
      };
    },
  }),
];
