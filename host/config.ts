// The environment variables: each with its default and format, in one table. One error reports all
// problems. This file reads only the environment; container.ts builds the adapters.
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseSecretKeys } from '../adapters/crypto/secret-box.js';
import { isNetwork } from '../adapters/http/client-address.js';
import { parseMailSender } from '../adapters/mail/message.js';
import { partnerNames, partners, partnerVariables } from '../adapters/partner/partners.js';
import type { PartnerKind } from '../adapters/partner/running-partner.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/domain/instant.js';
import { nearMiss } from '../core/domain/near-miss.js';
import { schedules } from '../core/domain/schedules.js';
import { ATTEMPTS_MAX } from '../core/domain/webhook-delivery.js';

const retries = ATTEMPTS_MAX - 1;
const retryWaits = schedules.webhookAttempt.waitsMs.map((ms) => ms / SECOND_MS).join(',');
const day = 86_400;
/** The longest timer of Node. */
const INTERVAL_MAX_MS = 24 * DAY_MS;
/** In production: time for a load balancer to miss two probes. */
const DRAIN_SECONDS = 5;

/** A variable without `prefault` and `default` depends on others, or is off by default. */
const variables = z.object({
  PONTE_ENV: z.enum(['development', 'production']).default('development'),
  PONTE_HOST: z.string().default('127.0.0.1'),
  PONTE_PORT: wholeNumber(0, 65_535).prefault('8080'),
  PONTE_DATA_DIR: z.string().default('./data'),
  PONTE_DATABASE_URL: databaseUrl().optional(),
  PONTE_BASE_URL: publicUrl().optional(),
  PONTE_PAY_URL: publicUrl().optional(),
  PONTE_SECRET_KEYS: secretKeys().optional(),
  PONTE_JWT_KEY: secretKeys().optional(),
  PONTE_PARTNER_TEST: z.enum([...partnerNames, 'none']).default('fake'),
  PONTE_PARTNER_LIVE: z.enum([...partnerNames, 'none']).default('none'),
  ...partnerVariables,
  PONTE_WEBHOOK_ALLOW_PRIVATE: onOff().optional(),
  PONTE_WEBHOOK_RETRY_SECONDS: retrySeconds().prefault(retryWaits),
  PONTE_DOCUMENTS: z.enum(['fs', 's3', 'none']).default('fs'),
  PONTE_S3_URL: bucketUrl().optional(),
  PONTE_S3_REGION: z.string().default('us-east-1'),
  PONTE_S3_ACCESS_KEY_ID: z.string().optional(),
  PONTE_S3_SECRET_ACCESS_KEY: z.string().optional(),
  PONTE_RATE_LIMIT_PER_MINUTE: wholeNumber(0, 10_000_000).prefault('600'),
  PONTE_RATE_LIMIT_BURST: wholeNumber(1, 1_000_000).prefault('100'),
  PONTE_SMTP_URL: smtpUrl().optional(),
  PONTE_MAIL_FROM: mailSender().prefault('Ponte <ponte@localhost>'),
  PONTE_CORS_ORIGINS: listOf(isOrigin, 'give web origins, as https://app.example.com').prefault(''),
  PONTE_TRUSTED_PROXIES: listOf(isNetwork, 'give IP addresses or CIDR networks').prefault(''),
  PONTE_DRAIN_SECONDS: wholeNumber(0, 600).optional(),
  PONTE_METRICS_PORT: wholeNumber(0, 65_535).optional(),
  PONTE_BACKUP_TO: z.string().optional(),
  PONTE_BACKUP_EVERY: interval().prefault('15m'),
  PONTE_BACKUP_KEEP: wholeNumber(1, 99_999).prefault('96'),
  PONTE_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

export const variableNames: readonly string[] = Object.keys(variables.shape);

/** Commands that call a server read PONTE_KEY, those of the money desk PONTE_OPERATOR. */
const namesRead: readonly string[] = [...variableNames, 'PONTE_KEY', 'PONTE_OPERATOR'];

/** A file, or a PostgreSQL URL, which may name several hosts. */
type DatabaseChoice =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

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

/** A variable set to the empty text counts as not set. */
export function readConfig(env: Environment): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, text]) => text !== ''));
  const result = variables.safeParse(set, { error: plainWords });
  const production = set['PONTE_ENV'] === 'production';
  const problems = [
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...(production ? unsafe(set) : []),
    ...(result.data?.PONTE_SMTP_URL !== undefined && set['PONTE_MAIL_FROM'] === undefined
      ? ['PONTE_MAIL_FROM: must be set with PONTE_SMTP_URL']
      : []),
    ...(result.success ? backupProblems(set) : []),
    ...s3Problems(set),
    ...partnerProblems(set),
  ];
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return configOf(result.data, set);
}

type Environment = Readonly<Record<string, string | undefined>>;

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
    rateLimitPerMinute: values.PONTE_RATE_LIMIT_PER_MINUTE,
    rateLimitBurst: values.PONTE_RATE_LIMIT_BURST,
    /** Null: mails are written to files in the data directory. */
    smtpUrl: values.PONTE_SMTP_URL ?? null,
    mailFrom: values.PONTE_MAIL_FROM,
    corsOrigins: values.PONTE_CORS_ORIGINS,
    /** Addresses and networks whose X-Forwarded-For is trusted. */
    trustedProxies: values.PONTE_TRUSTED_PROXIES,
    /** How long requests are served after a stop signal, until load balancers react. */
    drainMs: (values.PONTE_DRAIN_SECONDS ?? (production ? DRAIN_SECONDS : 0)) * SECOND_MS,
    /** 0: a free port; null: no metrics. */
    metricsPort: values.PONTE_METRICS_PORT ?? null,
    /** Scheduled backups of the SQLite file; null: none. */
    backups:
      values.PONTE_BACKUP_TO === undefined
        ? null
        : {
            to: resolve(values.PONTE_BACKUP_TO),
            everyMs: values.PONTE_BACKUP_EVERY,
            keep: values.PONTE_BACKUP_KEEP,
          },
    logLevel: values.PONTE_LOG_LEVEL,
    /** Unknown variables that begin with PONTE_, each with the nearest known name, if any. */
    unknownVariables: Object.keys(set)
      .filter((name) => name.startsWith('PONTE_') && !namesRead.includes(name))
      .map((name) => ({ name, meant: nearMiss(name, namesRead) })),
  };
}

function unsafe(env: Environment): readonly string[] {
  const rules = [
    ['PONTE_SECRET_KEYS', env['PONTE_SECRET_KEYS'] === undefined, 'must be set in production'],
    ['PONTE_BASE_URL', !isHttps(env['PONTE_BASE_URL']), 'must be an https address in production'],
    ['PONTE_PAY_URL', !isHttps(env['PONTE_PAY_URL']), 'must be an https address in production'],
    ['PONTE_PARTNER_LIVE', env['PONTE_PARTNER_LIVE'] === 'fake', 'cannot be fake in production'],
    ['PONTE_SMTP_URL', env['PONTE_SMTP_URL'] === undefined, 'must be set in production'],
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

function backupProblems(env: Environment): readonly string[] {
  if (env['PONTE_BACKUP_TO'] === undefined) {
    return ['PONTE_BACKUP_EVERY', 'PONTE_BACKUP_KEEP']
      .filter((name) => env[name] !== undefined)
      .map((name) => `${name}: has no effect without PONTE_BACKUP_TO`);
  }
  if (!env['PONTE_DATABASE_URL']?.startsWith('postgres')) return [];
  return ['PONTE_BACKUP_TO: back up PostgreSQL with its own tools (OPERATIONS.md)'];
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

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `give a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `give a whole number from ${min} to ${max}`);
}

function interval() {
  const hint = 'give minutes, hours or days, as 15m, 1h or 1d';
  return z
    .string()
    .regex(/^[1-9]\d{0,3}[mhd]$/, hint)
    .transform((text) => {
      const unitMs = text.endsWith('m') ? MINUTE_MS : text.endsWith('h') ? HOUR_MS : DAY_MS;
      return Number.parseInt(text, 10) * unitMs;
    })
    .refine((intervalMs) => intervalMs <= INTERVAL_MAX_MS, hint);
}

function onOff() {
  return z.enum(['1', '0']).transform((text) => text === '1');
}

/** A public address, to which paths are appended. */
function publicUrl() {
  const hint = 'give an http or https address without query or fragment';
  return z
    .string()
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      return url !== null && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}` === '';
    }, hint)
    .transform((text) => text.replace(/\/+$/, ''));
}

/** One bucket, by its path: each service understands this form. */
function bucketUrl() {
  return z
    .string()
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      if (url === null || !/^https?:$/.test(url.protocol)) return false;
      const rest = `${url.username}${url.password}${url.search}${url.hash}`;
      return /^\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/?$/.test(url.pathname) && rest === '';
    }, 'give https://<host>/<bucket>, without user and query')
    .transform((text) => text.replace(/\/$/, ''));
}

function smtpUrl() {
  return z.string().refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return false;
    return /^\/?$/.test(url.pathname) && `${url.search}${url.hash}` === '';
  }, 'give smtp://… or smtps://… with a host, and optionally user, password and port');
}

function mailSender() {
  return z.string().transform((text, context) => {
    const sender = parseMailSender(text);
    if (sender !== null) return sender;
    const message = 'give an address, as pay@example.com or Ponte <pay@example.com>';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** Items separated by commas; an empty text is an empty list. */
function listOf(isItem: (text: string) => boolean, hint: string) {
  return z
    .string()
    .transform((text) => (text.trim() === '' ? [] : text.split(',').map((item) => item.trim())))
    .refine((items) => items.every(isItem), hint);
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function databaseUrl() {
  return z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'give sqlite:<file> or postgres://…')
    .transform((text): DatabaseChoice => {
      if (!text.startsWith('sqlite:')) return { kind: 'postgres', url: text };
      return { kind: 'sqlite', file: resolve(text.slice('sqlite:'.length)) };
    });
}

function retrySeconds() {
  const hint = `give ${retries} whole numbers of seconds, at most ${day} each, separated by commas`;
  return z
    .string()
    .regex(new RegExp(`^\\d{1,5}(,\\d{1,5}){${retries - 1}}$`), hint)
    .transform((text) => text.split(',').map((seconds) => Number(seconds) * SECOND_MS))
    .refine((delaysMs) => delaysMs.every((delayMs) => delayMs <= day * SECOND_MS), hint);
}

function secretKeys() {
  return z.string().transform((text, context) => {
    const parsed = parseSecretKeys(text);
    if (parsed.valid) return parsed.keys;
    context.addIssue({ code: 'custom', message: parsed.reason });
    return z.NEVER;
  });
}
