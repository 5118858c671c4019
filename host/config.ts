// The environment variables: each with its default and format, in one table. One error reports all
// problems. This file reads only the environment and the files of secrets; container.ts builds the
// adapters.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { partnerNames, partners, partnerVariables } from '../adapters/partner/partners.js';
import type { PartnerKind } from '../adapters/partner/running-partner.js';
import { DAY_MS, SECOND_MS } from '../core/domain/base/instant.js';
import { nearMiss } from '../core/domain/base/near-miss.js';
import { schedules } from '../core/domain/base/schedules.js';
import type { Mode } from '../core/domain/base/tenant.js';
import { regimeNames, regimes } from '../core/domain/commands/regime.js';
import { type DriftLimits, defaultDrift } from '../core/domain/commands/report-check.js';
import { defaultStorageLimits, type StorageLimits } from '../core/domain/service/storage-limits.js';
import { ATTEMPTS_MAX } from '../core/domain/webhooks/webhook-delivery.js';
import { CELLS } from '../core/ports/outside.js';
import {
  KIBIBYTES_PER_CREATE,
  LARGE_BODY_BYTES_MIN,
  TENANT_SHARE,
} from '../core/usecases/service/rate-limits.js';
import {
  anchorPlace,
  bucketUrl,
  contactUrl,
  type DatabaseChoice,
  databaseUrl,
  documentUrl,
  interval,
  isOrigin,
  itemList,
  listenAddress,
  mailSender,
  onOff,
  publicUrl,
  retrySeconds,
  secretKeys,
  smtpUrl,
  trustedProxies,
  wholeNumber,
} from './config-forms.js';

const retryWaits = schedules.webhookAttempt.waitsMs.map((ms) => ms / SECOND_MS).join(',');
/** In production: time for a load balancer to miss two probes. */
const DRAIN_SECONDS = 5;

const creates = { perMinute: 600, burst: 100 } as const;

/** What the keys of a tenant share; `count` is the default of one key. */
function sharedLimit(count: number): string {
  const mebibytes = Math.round((TENANT_SHARE * count * KIBIBYTES_PER_CREATE) / 1_024);
  return (
    `All keys of an organization and mode share ${TENANT_SHARE} times that, and ` +
    `${KIBIBYTES_PER_CREATE} KiB of JSON bodies over ${LARGE_BODY_BYTES_MIN / 1_024} KiB for ` +
    `each of these creates: ${mebibytes} MiB by default.`
  );
}

const rowsText =
  'Rows that the requests of an organization may add a day: accounts, documents, KYC, keys, ' +
  'subscriptions, members. 0: no limit.';
const bytesText =
  'MiB that the requests of an organization may store a day, apart for payments and uploads. 0: ' +
  'no limit.';
const documentsText = 'MiB of documents of an organization that are kept. 0: no limit.';

function storageLimit(limit: number, mode: Mode, description: string) {
  return wholeNumber(0, 100_000_000)
    .prefault(`${limit}`)
    .meta({ description: `${description} In ${mode} mode.` });
}

const { test: testStorage, live: liveStorage } = defaultStorageLimits;
const storageVariables = {
  PONTE_STORED_ROWS_TEST: storageLimit(testStorage.rowsADay, 'test', rowsText),
  PONTE_STORED_ROWS_LIVE: storageLimit(liveStorage.rowsADay, 'live', rowsText),
  PONTE_STORED_MIB_TEST: storageLimit(testStorage.mebibytesADay, 'test', bytesText),
  PONTE_STORED_MIB_LIVE: storageLimit(liveStorage.mebibytesADay, 'live', bytesText),
  PONTE_DOCUMENTS_MIB_TEST: storageLimit(testStorage.documentMebibytes, 'test', documentsText),
  PONTE_DOCUMENTS_MIB_LIVE: storageLimit(liveStorage.documentMebibytes, 'live', documentsText),
} as const;

/**
 * Each variable with what adapters/docs/reference/settings.md says about it. A variable without
 * `prefault` and `default` is off by default, or depends on others, as `unset` says. One that is
 * `secret` may be given as a file: SECRET_FILE.
 */
export const variables = z.object({
  PONTE_ENV: z.enum(['development', 'production']).default('development').meta({
    description: 'Kind of host. Production refuses to start with settings that are not safe.',
  }),
  PONTE_HOST: listenAddress().prefault('127.0.0.1').meta({ description: 'Address to listen on.' }),
  PONTE_PORT: wholeNumber(0, 65_535)
    .prefault('8080')
    .meta({ description: 'Port to listen on; 0 selects a free port.' }),
  PONTE_DEVELOPMENT_ON_NETWORK: onOff()
    .prefault('0')
    .meta({
      description:
        '`1` allows a development host on an address that is not loopback. Everybody who reaches ' +
        'it can read its mails and sign in as any buyer.',
    }),
  PONTE_DATA_DIR: z
    .string()
    .default('./data')
    .meta({
      description:
        'Folder of the SQLite file and documents; in development also of mails and the ' +
        'secret key.',
    }),
  PONTE_DATABASE_URL: databaseUrl().optional().meta({
    description: 'The database: a SQLite file, or PostgreSQL with one or more servers.',
    unset: '`sqlite:<PONTE_DATA_DIR>/ponte.db`',
    secret: true,
  }),
  PONTE_BASE_URL: publicUrl().optional().meta({
    description: 'Public address of the API; https in production.',
    unset: '`http://<host>:<port>`; required in production',
  }),
  PONTE_PAY_URL: publicUrl().optional().meta({
    description: 'Public address of payment pages; https in production.',
    unset: '`PONTE_BASE_URL`; required in production',
  }),
  PONTE_SECRET_KEYS: secretKeys()
    .optional()
    .meta({
      description:
        '`id:<base64 of 32 bytes>,…`. The first key encrypts. The others decrypt and are ' +
        'required until `ponte secrets reseal`.',
      unset: 'created in the data directory; required in production',
      secret: true,
    }),
  PONTE_JWT_KEY: secretKeys().optional().meta({
    description:
      'Keys of session tokens, `id:<base64 of 32 bytes>,…`. The first key signs; all verify.',
    unset: 'a random key stored in the database',
    secret: true,
  }),
  PONTE_PARTNER_TEST: z
    .enum([...partnerNames, 'none'])
    .default('fake')
    .meta({
      description: 'Settlement partner of test mode.',
    }),
  PONTE_PARTNER_LIVE: z
    .enum([...partnerNames, 'none'])
    .default('none')
    .meta({
      description:
        'Settlement partner of live mode. `fake` is for trials and refused in production.',
    }),
  ...partnerVariables,
  PONTE_WEBHOOK_ALLOW_PRIVATE: onOff().optional().meta({
    description: 'Allows webhooks to http and to private addresses; refused in production.',
    unset: '`1`, in production `0`',
  }),
  PONTE_WEBHOOK_RETRY_SECONDS: retrySeconds()
    .prefault(retryWaits)
    .meta({ description: `Waits before attempts 2 to ${ATTEMPTS_MAX}, in seconds.` }),
  PONTE_DOCUMENTS: z.enum(['fs', 's3', 'none']).default('fs').meta({
    description: 'Storage of documents: `fs` in the data directory, `s3`, or `none`.',
  }),
  PONTE_S3_URL: bucketUrl().optional().meta({
    description: 'Bucket of documents; required with `s3`, https in production.',
  }),
  PONTE_S3_REGION: z.string().default('us-east-1').meta({
    description: 'Region in the signatures of requests to the bucket.',
  }),
  PONTE_S3_ACCESS_KEY_ID: z.string().optional().meta({
    description: 'Id of the access key of the bucket; required with `s3`.',
    secret: true,
  }),
  PONTE_S3_SECRET_ACCESS_KEY: z.string().optional().meta({
    description: 'Secret of the access key of the bucket; required with `s3`.',
    secret: true,
  }),
  PONTE_RATE_LIMIT_PER_MINUTE: wholeNumber(0, 10_000_000)
    .prefault(`${creates.perMinute}`)
    .meta({
      description:
        'Creates per minute of one API key; 0 disables the limits. ' +
        sharedLimit(creates.perMinute),
    }),
  PONTE_RATE_LIMIT_BURST: wholeNumber(1, 1_000_000)
    .prefault(`${creates.burst}`)
    .meta({ description: `Creates at once of one API key. ${sharedLimit(creates.burst)}` }),
  ...storageVariables,
  PONTE_DISK_RESERVE_MIB: wholeNumber(0, 1_000_000)
    .prefault('1024')
    .meta({
      description:
        'Free disk space in MiB below which no document is stored, so that payments and sign-in ' +
        'still are; at most a fifth of the disk.',
    }),
  PONTE_SMTP_URL: smtpUrl().optional().meta({
    description: 'Mail server. In production `smtp` requires STARTTLS.',
    unset: 'none: mails are `.eml` files in the data directory; required in production',
    secret: true,
  }),
  PONTE_MAIL_FROM: mailSender().prefault('Ponte <ponte@localhost>').meta({
    description: 'Sender of mails; required with `PONTE_SMTP_URL`.',
  }),
  PONTE_CORS_ORIGINS: itemList(isOrigin, 'give web origins, for example https://app.example.com')
    .prefault('')
    .meta({ description: 'Web origins that may call from browsers, separated by commas.' }),
  PONTE_TRUSTED_PROXIES: trustedProxies()
    .optional()
    .meta({
      description:
        'Addresses or networks whose `X-Forwarded-For` is trusted, separated by commas. `none` ' +
        'says that there is no proxy. Behind a proxy that is not listed, all clients share the ' +
        'limits of one.',
      unset: '`none`; in production, start and `ponte doctor` warn',
    }),
  PONTE_KEEP_ALIVE_SECONDS: wholeNumber(1, 86_400)
    .prefault('930')
    .meta({
      description:
        'How long an idle connection is kept. It must be longer than the load balancer in front ' +
        'keeps one ([TLS](../deployment.md#tls)).',
    }),
  PONTE_SECURITY_CONTACT: contactUrl().optional().meta({
    description: 'Where to report a vulnerability; published at `/.well-known/security.txt`.',
  }),
  PONTE_PRIVACY_URL: documentUrl().optional().meta({
    description: 'The privacy notice that payment pages link to, unless the organization has one.',
  }),
  PONTE_TERMS_URL: documentUrl().optional().meta({
    description: 'The terms that payment pages link to, unless the organization has some.',
  }),
  PONTE_ANSWER_DAYS: wholeNumber(1, 90)
    .optional()
    .meta({
      description:
        'Days in which the operator answers a buyer whose payment needs a review. The payment ' +
        'page gives the date.',
      unset: 'the page gives no date',
    }),
  PONTE_PARTNER_REGIME: z
    .enum(regimeNames)
    .prefault('unstated')
    .meta({
      description:
        'The rule under which the partner pays out, in both modes. A create over its cap per ' +
        'transfer is refused, in EUR and GBP as if a unit were a dollar. The price of the buyer ' +
        'compares it at the rates of the partner: without them there is no price. A transfer for ' +
        'several payments counts as one. With a stablecoin a create says `purpose` and ' +
        '`payerRelation`. ' +
        `${regimeNames.map((name) => `\`${name}\`: ${regimes[name].means}`).join('; ')}. This ` +
        'is no advice.',
    }),
  PONTE_DRIFT_ALERT_PERCENT: wholeNumber(1, 25)
    .prefault(`${defaultDrift.alertPercent}`)
    .meta({
      description:
        'A payout raises an alert if its rate, or the BRL that reached the seller, differs from ' +
        'the quote by this many percent.',
    }),
  PONTE_DRIFT_WAIT_PERCENT: wholeNumber(1, 25)
    .prefault(`${defaultDrift.waitPercent}`)
    .meta({
      description:
        'A payout waits for an operator if its rate differs from an indicative quote by more ' +
        'than this many percent.',
    }),
  PONTE_CELL: wholeNumber(0, CELLS - 1)
    .default(0)
    .meta({
      description:
        'Number of this deployment, of several with a database each. New ids and API keys have ' +
        'it, so that a router finds the deployment.',
    }),
  PONTE_DRAIN_SECONDS: wholeNumber(0, 600)
    .optional()
    .meta({
      description: 'Time for which requests are still served after SIGTERM, in seconds.',
      unset: `\`0\`, in production \`${DRAIN_SECONDS}\``,
    }),
  PONTE_METRICS_PORT: wholeNumber(0, 65_535).optional().meta({
    description: 'Port of the metrics at `PONTE_HOST`; 0 selects a free port.',
    unset: 'no metrics',
  }),
  PONTE_OPERATOR_PORT: wholeNumber(0, 65_535)
    .optional()
    .meta({
      description:
        "Port of the operator's console, on 127.0.0.1 only. Operators reach it through SSH or a " +
        'proxy in a private network.',
      unset: 'no console',
    }),
  PONTE_OPERATOR_URL: publicUrl()
    .optional()
    .meta({
      description:
        "Address at which operators open the console, if it is not this machine's. In production " +
        'https, except on the loopback interface.',
      unset: '`http://127.0.0.1:<PONTE_OPERATOR_PORT>`',
    }),
  PONTE_BACKUP_TO: z.string().optional().meta({
    description: 'Folder of scheduled backups (SQLite only), as `ponte serve --backup-to`.',
    unset: 'no backups',
  }),
  PONTE_BACKUP_EVERY: interval().prefault('15m').meta({
    description: 'Interval of scheduled backups, in minutes, hours or days.',
  }),
  PONTE_BACKUP_KEEP: wholeNumber(1, 99_999).prefault('96').meta({
    description: 'Number of scheduled backups to keep.',
  }),
  PONTE_AUDIT_ANCHOR: anchorPlace()
    .optional()
    .meta({
      description:
        'Keeps heads of the audit log outside the database: the absolute path of a file, to ' +
        'which a line is appended, or an https URL, to which a head is sent.',
      unset: 'none are kept',
    }),
  PONTE_RETENTION_DAYS: wholeNumber(30, 3_650)
    .prefault('400')
    .meta({
      description:
        'Age from which deliveries, events of ended payments, messages of the partner and drafts ' +
        'are removed by the service, as by `ponte prune`. Records of money stay.',
    }),
  PONTE_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').meta({
    description: 'Lowest level of the log, which is JSON lines on stderr.',
  }),
});

const FILE = '_FILE';

const secretNames = Object.entries<z.ZodType>(variables.shape)
  .filter(([, form]) => form.meta()?.['secret'] === true)
  .map(([name]) => name);

export const variableNames: readonly string[] = [
  ...Object.keys(variables.shape),
  ...secretNames.map((name) => `${name}${FILE}`),
];

/** Commands that call a server read PONTE_KEY. */
export const commandVariables = ['PONTE_KEY', `PONTE_KEY${FILE}`] as const;

const namesRead: readonly string[] = [...variableNames, ...commandVariables];

export type Config = Readonly<ReturnType<typeof configOf>>;

/** All problems of the configuration, one line each, without the values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((line) => `  ${line}`).join('\n')}`);
    this.problems = problems;
  }
}

function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_value') return undefined;
  const values = issue.values.map(String);
  return `give ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

/** A variable set to blanks counts as not set. */
export function readConfig(env: Environment): Config {
  const given = Object.fromEntries(
    Object.keys(env).flatMap((name) => {
      const text = textOf(env, name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  const { set, unread } = withFiles(given);
  const result = variables.safeParse(set, { error: plainWords });
  const production = set['PONTE_ENV'] === 'production';
  const problems = [
    ...(result.error?.issues ?? []).map(({ path, message }) => {
      const name = path.join('.');
      return `${given[name] === set[name] ? name : `${name}${FILE}`}: ${message}`;
    }),
    ...(production ? unsafe(set) : openToNetwork(set)),
    ...(result.data?.PONTE_SMTP_URL !== undefined && set['PONTE_MAIL_FROM'] === undefined
      ? ['PONTE_MAIL_FROM: must be set with PONTE_SMTP_URL']
      : []),
    ...(result.success ? backupProblems(set) : []),
    ...s3Problems(set),
    ...partnerProblems(set),
  ].filter((problem) => !unread.some(({ name }) => problem.startsWith(`${name}: `)));
  problems.push(...unread.map(({ name, why }) => `${name}: ${why}`));
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return configOf(result.data, set);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a secret or of its file; undefined if neither is set. ConfigError. */
export function readSecret(env: Environment, name: string): string | undefined {
  const found = secretIn(env, name);
  if ('why' in found) throw new ConfigError([`${name}: ${found.why}`]);
  return found.value;
}

/** The variables with the contents of SECRET_FILE as SECRET, and the secrets that have no value. */
function withFiles(given: Environment) {
  const set: Record<string, string | undefined> = { ...given };
  const unread = Object.entries(set)
    .filter(([name]) => name.startsWith('PONTE_') && !secretNames.includes(name))
    .filter(([, text = '']) => isQuoted(text))
    .map(([name]) => ({ name, why: QUOTED }));
  for (const name of secretNames) {
    const found = secretIn(given, name);
    if ('why' in found) unread.push({ name, why: found.why });
    else if (found.value !== undefined) set[name] = found.value;
  }
  return { set, unread };
}

/** `why`: the secret cannot be read. */
function secretIn(
  env: Environment,
  name: string,
): { readonly value: string | undefined } | { readonly why: string } {
  const value = textOf(env, name);
  const path = textOf(env, `${name}${FILE}`);
  const content = path === undefined ? value : contentOf(path);
  if (path !== undefined && value !== undefined) {
    return { why: `give it or ${name}${FILE}, not both` };
  }
  if (content === null) return { why: 'its file cannot be read' };
  if (content === '') return { why: 'its file is empty' };
  return isQuoted(content ?? '') ? { why: QUOTED } : { value: content };
}

/** Without the blanks at its ends, as the text of a variable; null if it cannot be read. */
function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * Undefined if the variable is not set, or to blanks only. Files of variables have line ends of
 * Windows, blanks after a value and a byte order mark, which nobody sees in a message. No variable
 * needs one of them at its ends.
 */
function textOf(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

const QUOTED = 'leave out the quotes around it: they are part of the value';

/** A shell removes quotes; `docker --env-file` and a file of a secret keep them. */
function isQuoted(text: string): boolean {
  return /^(["']).*\1$/s.test(text);
}

function limitsOf(values: z.output<typeof variables>) {
  const storage: Readonly<Record<Mode, StorageLimits>> = {
    test: {
      rowsADay: values.PONTE_STORED_ROWS_TEST,
      mebibytesADay: values.PONTE_STORED_MIB_TEST,
      documentMebibytes: values.PONTE_DOCUMENTS_MIB_TEST,
    },
    live: {
      rowsADay: values.PONTE_STORED_ROWS_LIVE,
      mebibytesADay: values.PONTE_STORED_MIB_LIVE,
      documentMebibytes: values.PONTE_DOCUMENTS_MIB_LIVE,
    },
  };
  return {
    rateLimitPerMinute: values.PONTE_RATE_LIMIT_PER_MINUTE,
    rateLimitBurst: values.PONTE_RATE_LIMIT_BURST,
    storage,
    diskReserveBytes: values.PONTE_DISK_RESERVE_MIB * 1_024 * 1_024,
  };
}

function driftOf(values: z.output<typeof variables>): DriftLimits {
  const { PONTE_DRIFT_ALERT_PERCENT: alertPercent, PONTE_DRIFT_WAIT_PERCENT: waitPercent } = values;
  return { alertPercent, waitPercent };
}

function configOf(values: z.output<typeof variables>, set: Environment) {
  const production = values.PONTE_ENV === 'production';
  const dataDir = resolve(values.PONTE_DATA_DIR);
  const file: DatabaseChoice = { kind: 'sqlite', file: join(dataDir, 'ponte.db') };
  return {
    production,
    host: values.PONTE_HOST,
    /** 0: a free port. */
    port: values.PONTE_PORT,
    dataDir,
    database: values.PONTE_DATABASE_URL ?? file,
    /** Public addresses without a trailing slash; null: the address of the listener. */
    baseUrl: values.PONTE_BASE_URL ?? null,
    payUrl: values.PONTE_PAY_URL ?? null,
    /** Names that a request may give as its host, besides loopback names; null: any. */
    hostNames:
      values.PONTE_ENV === 'production' || !isLoopback(values.PONTE_HOST)
        ? null
        : namesIn(values.PONTE_BASE_URL, values.PONTE_PAY_URL),
    /** The first one encrypts. Null: stored in the data directory, in development only. */
    secretKeys: values.PONTE_SECRET_KEYS ?? null,
    /** The first one signs session tokens; null: a key stored in the database signs them. */
    jwtKeys: values.PONTE_JWT_KEY ?? null,
    partners: { test: values.PONTE_PARTNER_TEST, live: values.PONTE_PARTNER_LIVE },
    partnerEnv: Object.fromEntries(
      Object.entries(set).filter(([name]) => Object.hasOwn(partnerVariables, name)),
    ) as Environment,
    /** The storage of documents; `fs`: in the data directory. */
    documents: values.PONTE_DOCUMENTS,
    /** Null unless documents are in S3. */
    s3: s3Of(values),
    allowPrivateUrls: values.PONTE_WEBHOOK_ALLOW_PRIVATE ?? !production,
    retryDelaysMs: values.PONTE_WEBHOOK_RETRY_SECONDS as readonly number[],
    ...limitsOf(values),
    /** Null: mails are written to files in the data directory. */
    smtpUrl: values.PONTE_SMTP_URL ?? null,
    mailFrom: values.PONTE_MAIL_FROM,
    corsOrigins: values.PONTE_CORS_ORIGINS,
    /** Addresses and networks whose X-Forwarded-For is trusted. */
    trustedProxies: values.PONTE_TRUSTED_PROXIES ?? [],
    keepAliveSeconds: values.PONTE_KEEP_ALIVE_SECONDS,
    /** Published in security.txt; null: no such file. */
    securityContact: values.PONTE_SECURITY_CONTACT ?? null,
    /** Linked from payment pages; null: no link. */
    legal: {
      privacyUrl: values.PONTE_PRIVACY_URL ?? null,
      termsUrl: values.PONTE_TERMS_URL ?? null,
    },
    /** Null: payment pages give no date of an answer. */
    answerDays: values.PONTE_ANSWER_DAYS ?? null,
    drift: driftOf(values),
    regime: values.PONTE_PARTNER_REGIME,
    cell: values.PONTE_CELL,
    /** How long requests are served after a stop signal, until load balancers react. */
    drainMs: (values.PONTE_DRAIN_SECONDS ?? (production ? DRAIN_SECONDS : 0)) * SECOND_MS,
    /** 0: a free port; null: no metrics. */
    metricsPort: values.PONTE_METRICS_PORT ?? null,
    /** Null: no console. */
    console: consoleOf(values),
    /** Scheduled backups of the SQLite file; null: none. */
    backups:
      values.PONTE_BACKUP_TO === undefined
        ? null
        : {
            to: resolve(values.PONTE_BACKUP_TO),
            everyMs: values.PONTE_BACKUP_EVERY,
            keep: values.PONTE_BACKUP_KEEP,
          },
    /** An absolute path or an https URL; null: the audit log has no anchors. */
    auditAnchor: values.PONTE_AUDIT_ANCHOR ?? null,
    retentionMs: values.PONTE_RETENTION_DAYS * DAY_MS,
    logLevel: values.PONTE_LOG_LEVEL,
    /** What is valid but may be a mistake, one line each. */
    warnings: warningsOf(values),
    /** Unknown variables that begin with PONTE_, each with the nearest known name, if any. */
    unknownVariables: Object.keys(set)
      .filter((name) => name.startsWith('PONTE_') && !namesRead.includes(name))
      .map((name) => ({ name, meant: nearMiss(name, namesRead) })),
  };
}

/** Where operators open the console. Without a URL it follows from a free port. */
function consoleOf({
  PONTE_OPERATOR_PORT: port,
  PONTE_OPERATOR_URL: url,
}: z.output<typeof variables>) {
  if (port === undefined) return null;
  const host = '127.0.0.1';
  return { host, port, url: url ?? (port === 0 ? null : `http://${host}:${port}`) };
}

function unsafe(env: Environment): readonly string[] {
  const rules = [
    ['PONTE_SECRET_KEYS', env['PONTE_SECRET_KEYS'] === undefined, 'must be set in production'],
    ['PONTE_BASE_URL', !isHttps(env['PONTE_BASE_URL']), 'must be an https address in production'],
    ['PONTE_PAY_URL', !isHttps(env['PONTE_PAY_URL']), 'must be an https address in production'],
    ['PONTE_PARTNER_LIVE', env['PONTE_PARTNER_LIVE'] === 'fake', 'cannot be fake in production'],
    ['PONTE_SMTP_URL', env['PONTE_SMTP_URL'] === undefined, 'must be set in production'],
    ['PONTE_OPERATOR_URL', isOpenConsole(env), 'must be an https address in production'],
    [
      'PONTE_S3_URL',
      env['PONTE_S3_URL'] !== undefined && !isHttps(env['PONTE_S3_URL']),
      'must be an https address in production',
    ],
    [
      'PONTE_WEBHOOK_ALLOW_PRIVATE',
      env['PONTE_WEBHOOK_ALLOW_PRIVATE'] === '1',
      'cannot be 1 in production: webhooks could reach the internal network',
    ],
  ] as const;
  return rules.filter(([, broken]) => broken).map(([name, , text]) => `${name}: ${text}`);
}

/** A development host has a mailbox for all mails, prints a key and sends to private addresses. */
function openToNetwork({
  PONTE_HOST: host,
  PONTE_DEVELOPMENT_ON_NETWORK: isAllowed,
}: Environment): readonly string[] {
  const { data: address } = variables.shape.PONTE_HOST.safeParse(host);
  if (address === undefined || isLoopback(address) || isAllowed === '1') return [];
  return [
    `PONTE_HOST: ${host} is open to the network, and a development host shows its mails to ` +
      'everybody: set PONTE_ENV=production, or PONTE_HOST=127.0.0.1, or, for a trial, ' +
      'PONTE_DEVELOPMENT_ON_NETWORK=1',
  ];
}

function namesIn(...urls: readonly (string | undefined)[]): readonly string[] {
  return urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
}

/** Whether the cookie of an operator would cross a network in clear. */
function isOpenConsole({ PONTE_OPERATOR_URL: url }: Environment): boolean {
  if (url === undefined || isHttps(url) || !URL.canParse(url)) return false;
  return !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

function warningsOf({
  PONTE_ENV: environment,
  PONTE_HOST: host,
  PONTE_TRUSTED_PROXIES: proxies,
}: z.output<typeof variables>): readonly string[] {
  const production = environment === 'production';
  const rules = [
    [
      !production && !isLoopback(host),
      'PONTE_HOST: everybody who reaches this host can read its mails',
    ],
    [
      production && proxies === undefined,
      'PONTE_TRUSTED_PROXIES: is not set, so all clients behind a proxy share the limits of one: ' +
        'give the addresses of the proxies, or none',
    ],
    [
      proxies?.some((network) => network.endsWith('/0')) === true,
      'PONTE_TRUSTED_PROXIES: trusts every address, so a client can choose its own: ' +
        'give the addresses of the proxies',
    ],
  ] as const;
  return rules.filter(([applies]) => applies).map(([, text]) => text);
}

function backupProblems(env: Environment): readonly string[] {
  if (env['PONTE_BACKUP_TO'] === undefined) {
    return ['PONTE_BACKUP_EVERY', 'PONTE_BACKUP_KEEP']
      .filter((name) => env[name] !== undefined)
      .map((name) => `${name}: has no effect without PONTE_BACKUP_TO`);
  }
  if (!env['PONTE_DATABASE_URL']?.startsWith('postgres')) return [];
  return ['PONTE_BACKUP_TO: back up PostgreSQL with its own tools (adapters/docs/backup.md)'];
}

function s3Of(values: z.output<typeof variables>) {
  const { PONTE_S3_URL: url, PONTE_S3_REGION: region } = values;
  const { PONTE_S3_ACCESS_KEY_ID: accessKeyId } = values;
  const { PONTE_S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  const isSet = url !== undefined && accessKeyId !== undefined && secretAccessKey !== undefined;
  if (values.PONTE_DOCUMENTS !== 's3' || !isSet) return null;
  return { url, region, accessKeyId, secretAccessKey };
}

function s3Problems(env: Environment): readonly string[] {
  const required = ['PONTE_S3_URL', 'PONTE_S3_ACCESS_KEY_ID', 'PONTE_S3_SECRET_ACCESS_KEY'];
  if (env['PONTE_DOCUMENTS'] === 's3') {
    return required
      .filter((name) => env[name] === undefined)
      .map((name) => `${name}: must be set with PONTE_DOCUMENTS=s3`);
  }
  return [...required, 'PONTE_S3_REGION']
    .filter((name) => env[name] !== undefined)
    .map((name) => `${name}: has no effect without PONTE_DOCUMENTS=s3`);
}

function partnerProblems(env: Environment): readonly string[] {
  const kinds: Readonly<Record<string, PartnerKind>> = partners;
  return (['test', 'live'] as const).flatMap((mode) => {
    const kind = kinds[env[`PONTE_PARTNER_${mode.toUpperCase()}`] ?? 'none'];
    return kind?.problems?.(mode, env) ?? [];
  });
}

function isHttps(url: string | undefined): boolean {
  return url?.startsWith('https://') ?? false;
}
