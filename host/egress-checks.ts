// `ponte doctor --egress`: what Ponte connects to, tried from this machine: partners, mail server,
// document storage and receivers of webhooks.
import { createSmtpMailer } from '../adapters/mail/smtp.js';
import { partners } from '../adapters/partner/partners.js';
import type { PartnerKind } from '../adapters/partner/running-partner.js';
import { resolveByDns, resolveBySystem } from '../adapters/webhooks/egress.js';
import { nat64Check, type ReachTarget, reach } from '../adapters/webhooks/reach.js';
import { modes } from '../core/domain/base/tenant.js';
import type { HealthCheck } from '../core/domain/service/health-check.js';
import type { Deps } from '../core/ports/deps.js';
import type { Config } from './config.js';

export interface EgressCheck extends HealthCheck {
  /** The server, or `network`. */
  readonly target: string;
}

const AT_ONCE = 8;
const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'] as const;
const ports: Readonly<Record<string, number>> = {
  'https:': 443,
  'http:': 80,
  'smtps:': 465,
  'smtp:': 587,
};

interface Named {
  readonly target: string;
  readonly url: string;
  readonly isWebhook: boolean;
}

/** `webhookUrls`: receivers to try. */
export async function checkEgress(
  config: Config,
  webhookUrls: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly EgressCheck[]> {
  const network = [...proxyChecks(env), await nat64Check()];
  const found: EgressCheck[] = network.map((check) => ({ target: 'network', ...check }));
  const targets = targetsOf(config, webhookUrls);
  for (let at = 0; at < targets.length; at += AT_ONCE) {
    const some = targets.slice(at, at + AT_ONCE);
    const checked = await Promise.all(some.map((target) => checksOf(config, target)));
    found.push(...checked.flat());
  }
  return found;
}

/** One URL for each origin of the active subscriptions of all organizations. */
export async function subscribedUrls({ store }: Pick<Deps, 'store'>): Promise<readonly string[]> {
  const urls = await store.run(async (tx) => {
    const organizations = await tx.organizations.list();
    const tenants = organizations.flatMap(({ id: orgId }) =>
      modes.map((mode) => ({ orgId, mode })),
    );
    const active = await Promise.all(tenants.map((tenant) => tx.subscriptions.active(tenant)));
    return active.flat().map(({ url }) => url);
  });
  return [...new Map(urls.map((url) => [new URL(url).origin, url])).values()];
}

function targetsOf(config: Config, webhookUrls: readonly string[]): readonly Named[] {
  const ofPartners = modes.flatMap((mode) => {
    const name = config.partners[mode];
    const kind: PartnerKind | null = name === 'none' ? null : partners[name];
    const url = kind?.address?.(mode, config.partnerEnv) ?? null;
    return url === null ? [] : [{ target: `${name} (${mode})`, url, isWebhook: false }];
  });
  const { smtpUrl, s3 } = config;
  return [
    ...ofPartners,
    ...(smtpUrl === null ? [] : [{ target: 'mail', url: smtpUrl, isWebhook: false }]),
    ...(s3 === null ? [] : [{ target: 'documents', url: s3.url, isWebhook: false }]),
    ...webhookUrls.map((url) => ({ target: new URL(url).origin, url, isWebhook: true })),
  ];
}

async function checksOf(config: Config, named: Named): Promise<readonly EgressCheck[]> {
  const { target } = named;
  const checks = await reach(reachOf(config, named));
  const isReached = checks.every(({ severity }) => severity !== 'critical');
  const taken = target === 'mail' && isReached ? [await mailCheck(config)] : [];
  return [...checks, ...taken].map((check) => ({ target, ...check }));
}

/** Receivers are looked up as webhooks are, other servers as the system does. */
function reachOf({ allowPrivateUrls }: Config, { url, isWebhook }: Named): ReachTarget {
  const { protocol, hostname, port } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (ports[protocol] ?? 443) : Number(port),
    isTls: protocol === 'https:' || protocol === 'smtps:',
    isGuarded: isWebhook && !allowPrivateUrls,
    resolve: isWebhook && !allowPrivateUrls ? resolveByDns : resolveBySystem,
  };
}

async function mailCheck({ smtpUrl, mailFrom, production }: Config): Promise<HealthCheck> {
  const mailer = createSmtpMailer({ url: smtpUrl ?? '', from: mailFrom, requireTls: production });
  const problem = (await mailer.problem?.()) ?? null;
  return problem === null
    ? { name: 'sign-in', severity: 'ok', detail: 'the mail server accepts us' }
    : { name: 'sign-in', severity: 'critical', detail: `${problem}. Check PONTE_SMTP_URL` };
}

function proxyChecks(env: Readonly<Record<string, string | undefined>>): readonly HealthCheck[] {
  const set = proxyVariables.filter((name) => (env[name] ?? env[name.toLowerCase()] ?? '') !== '');
  if (set.length === 0) return [{ name: 'proxy', severity: 'ok', detail: 'none is set' }];
  const detail =
    `${set.join(', ')} is set, and Ponte connects directly: let the firewall allow this host to ` +
    'call out';
  return [{ name: 'proxy', severity: 'warning', detail }];
}
