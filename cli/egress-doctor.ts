// `ponte doctor --egress`: whether this machine reaches what Ponte connects to. It changes nothing,
// and needs a database only for the receivers of all subscriptions.
import { invalid } from '../core/errors.js';
import { checkReport } from './doctor.js';
import { asOperator, type Operator, type Outcome, type Shell } from './operator.js';

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
  const all = [...urls, ...subscribed];
  return checkReport(await checkEgress(readConfig(shell.env), all, shell.env), 'target');
}
