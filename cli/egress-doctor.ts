// `ponte doctor --egress`: whether this machine reaches what Ponte connects to. It changes nothing,
// and needs a database only for the receivers of all subscriptions.
import { invalid } from '../core/errors.js';
import { exitOfChecks, marks } from './doctor.js';
import { asOperator, type Operator, type Outcome, type Shell } from './operator.js';
import { table } from './output.js';

export interface EgressDoctorOptions {
  readonly url: readonly string[];
  readonly subscriptions: boolean;
}

export async function egressDoctor(
  shell: Shell,
  { url: urls, subscriptions }: EgressDoctorOptions,
): Promise<Outcome> {
  for (const url of urls) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw invalid(`--url ${url}: give an absolute http or https URL.`);
    }
  }
  const [{ readConfig }, { checkEgress, subscribedUrls }] = await Promise.all([
    import('../host/config.js'),
    import('../host/egress-checks.js'),
  ]);
  const subscribed = subscriptions
    ? await asOperator(shell, (operator: Operator) => subscribedUrls(operator.deps), {
        authority: 'none',
        opening: 'looks',
      })
    : [];
  const checks = await checkEgress(readConfig(shell.env), [...urls, ...subscribed], shell.env);
  return {
    json: {
      ok: checks.every(({ severity }) => severity === 'ok'),
      checks: checks.map((check) => ({ ...check, ok: check.severity === 'ok' })),
    },
    text: table(
      ['TARGET', 'CHECK', 'STATE', 'DETAIL'],
      checks.map((check) => [check.target, check.name, marks[check.severity], check.detail]),
      '',
    ),
    exit: exitOfChecks(checks),
  };
}
