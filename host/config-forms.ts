// The forms of the values of environment variables: each refuses a value in words that say what to
// give, without the value.
import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { parseSecretKeys } from '../adapters/crypto/secret-box.js';
import { isNetwork } from '../adapters/http/protocol/client-address.js';
import { parseMailSender } from '../adapters/mail/message.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/domain/base/instant.js';
import { ATTEMPTS_MAX } from '../core/domain/webhooks/webhook-delivery.js';

const retries = ATTEMPTS_MAX - 1;
const day = 86_400;
/** The longest timer of Node. */
const INTERVAL_MAX_MS = 24 * DAY_MS;

/** A file, or a PostgreSQL URL, which may name several hosts. */
export type DatabaseChoice =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `give a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `give a whole number from ${min} to ${max}`);
}

export function interval() {
  const hint = 'give minutes, hours or days, for example 15m, 1h or 1d';
  return z
    .string()
    .regex(/^[1-9]\d{0,3}[mhd]$/, hint)
    .transform((text) => {
      const unitMs = text.endsWith('m') ? MINUTE_MS : text.endsWith('h') ? HOUR_MS : DAY_MS;
      return Number.parseInt(text, 10) * unitMs;
    })
    .refine((intervalMs) => intervalMs <= INTERVAL_MAX_MS, hint);
}

export function onOff() {
  return z.enum(['1', '0']).transform((text) => text === '1');
}

/** The address of IPv6 may have the brackets of a URL. */
export function listenAddress() {
  const name = /^\w(?:[\w.-]*\w)?$/;
  return z
    .string()
    .transform((text) => text.replace(/^\[(.*)\]$/, '$1'))
    .refine(
      (text) => isIP(text) !== 0 || name.test(text),
      'give an IP address or a host name, without http:// and port',
    );
}

/** A public address, to which paths are appended. */
export function publicUrl() {
  const hint = 'give an http or https address without query or fragment';
  return z
    .string()
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      return url !== null && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}` === '';
    }, hint)
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''));
}

/** One bucket, by its path: each service understands this form. */
export function bucketUrl() {
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

/** A line of security.txt. */
export function contactUrl() {
  const form = /^(mailto:[!-?A-~]+@[!-?A-~]+|https:\/\/[!-~]+)$/;
  const hint = 'give an address as mailto:security@example.com, or an https address';
  return z.string().refine((text) => form.test(text) && URL.canParse(text), hint);
}

export function documentUrl() {
  const form = /^https?:\/\/[!-~]+$/;
  const hint = 'give an http or https address';
  return z.string().refine((text) => form.test(text) && URL.canParse(text), hint);
}

export function anchorPlace() {
  const hint = 'give the absolute path of a file, or an https address';
  return z
    .string()
    .refine(
      (text) => isAbsolute(text) || (/^https:\/\/[!-~]+$/.test(text) && URL.canParse(text)),
      hint,
    );
}

export function smtpUrl() {
  return z.string().refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return false;
    if (!isEncoded(url.username) || !isEncoded(url.password)) return false;
    return /^\/?$/.test(url.pathname) && `${url.search}${url.hash}` === '';
  }, 'give smtp://… or smtps://… with a host, and optionally user, password (% as %25) and port');
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function mailSender() {
  return z.string().transform((text, context) => {
    const sender = parseMailSender(text);
    if (sender !== null) return sender;
    const message = 'give an address, for example pay@example.com or Ponte <pay@example.com>';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** Items separated by commas; an empty text is an empty list. */
export function itemList(isItem: (text: string) => boolean, hint: string) {
  return z
    .string()
    .transform((text) => (text.trim() === '' ? [] : text.split(',').map((item) => item.trim())))
    .refine((items) => items.every(isItem), hint);
}

/** `none` says that there is no proxy. */
export function trustedProxies() {
  const networks = itemList(isNetwork, 'give IP addresses or CIDR networks, or none');
  return z
    .string()
    .transform((text) => (text === 'none' ? '' : text))
    .pipe(networks);
}

export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const POSTGRES_HOST = '(?:[^@/?#,:[\\]\\s]*|\\[[^\\]]+\\])(?::\\d{1,5})?';
/** One `@` at most, before the hosts, so that a message about them shows no part of a password. */
const POSTGRES_URL = new RegExp(
  `^postgres(?:ql)?://(?:[^@/?#]*@)?${POSTGRES_HOST}(?:,${POSTGRES_HOST})*` +
    '(?:/[^@?#]*)?(?:\\?[^#]*)?$',
);

export function databaseUrl() {
  return z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'give sqlite:<file> or postgres://…')
    .refine(
      (text) => !/^postgres(ql)?:\/\/./.test(text) || (POSTGRES_URL.test(text) && isEncoded(text)),
      'give hosts with ports as postgres://user:password@host:5432/name, with @ / ? # and % of ' +
        'the password as %40 %2F %3F %23 and %25',
    )
    .transform((text): DatabaseChoice => {
      if (!text.startsWith('sqlite:')) return { kind: 'postgres', url: text };
      return { kind: 'sqlite', file: resolve(text.slice('sqlite:'.length)) };
    });
}

export function retrySeconds() {
  const hint = `give ${retries} whole numbers of seconds, at most ${day} each, separated by commas`;
  return z
    .string()
    .regex(new RegExp(`^\\d{1,5}(,\\d{1,5}){${retries - 1}}$`), hint)
    .transform((text) => text.split(',').map((seconds) => Number(seconds) * SECOND_MS))
    .refine((delaysMs) => delaysMs.every((delayMs) => delayMs <= day * SECOND_MS), hint);
}

export function secretKeys() {
  return z.string().transform((text, context) => {
    const parsed = parseSecretKeys(text);
    if (parsed.valid) return parsed.keys;
    context.addIssue({ code: 'custom', message: parsed.reason });
    return z.NEVER;
  });
}
