// The settings of BlindPay, one set per mode: a mode has an instance, and the instance its key.
// All problems are found before anything starts. Values appear in no problem.
import { z } from 'zod';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { Environment } from '../running-partner.js';
import type { BlindPayRoute } from './blindpay-context.js';

/** The vendor's public address serves both kinds of instance; the key decides. */
const VENDOR_URL = 'https://api.blindpay.com/v1';

const paymentMethods = ['ach', 'wire', 'rtp'] as const;
const bankingPartners = ['jpmorgan', 'citi', 'hsbc', 'cfsb', 'portage', 'ssb'] as const;

/**
 * Defaults of each mode. A tester found managed wallets to work on polygon_amoy, and not on
 * base_sepolia (2026-05-31). A production instance has no limit of calls.
 */
const defaults = {
  test: {
    URL: VENDOR_URL,
    NETWORK: 'polygon_amoy',
    TOKEN: 'USDB',
    PAYMENT_METHOD: 'ach',
    CALLS_PER_MINUTE: '70',
  },
  live: {
    URL: VENDOR_URL,
    NETWORK: 'polygon',
    TOKEN: 'USDC',
    PAYMENT_METHOD: 'ach',
    CALLS_PER_MINUTE: '0',
  },
} as const satisfies Readonly<Record<Mode, Partial<Readonly<Record<Ending, string>>>>>;
/** Counts on top of the rate. */
const BURST = 20;

const secretForm = /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/;

/** By the end of the name. Each value may be empty of meaning until all are read together. */
const forms = {
  API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{8,500}$/, 'give the API key of the instance')
    .meta({ description: 'API key of the BlindPay instance of the mode.', secret: true }),
  INSTANCE_ID: z
    .string()
    .regex(/^in_[A-Za-z0-9]{1,60}$/, 'give the id of the instance, in_…')
    .meta({ description: 'Id of the BlindPay instance of the mode.' }),
  WEBHOOK_SECRETS: z
    .string()
    .refine(
      (text) => secretsIn(text).every((secret) => secretForm.test(secret)),
      'give signing secrets, whsec_…, separated by commas',
    )
    .meta({
      description: 'Secret of each webhook endpoint at BlindPay; several during a rotation.',
      secret: true,
    }),
  URL: z
    .string()
    .refine(isApiUrl, 'give an https address without query or fragment; on this machine http, too')
    .meta({ description: "Address of BlindPay's API." }),
  NETWORK: z
    .string()
    .regex(/^[a-z_]{2,30}$/, 'give a network, for example polygon')
    .meta({ description: 'Chain of the managed wallets at BlindPay.' }),
  TOKEN: z.enum(['USDC', 'USDT', 'USDB']).meta({ description: 'Stablecoin of the wallets.' }),
  PAYMENT_METHOD: z.enum(paymentMethods).meta({ description: 'How buyers pay.' }),
  BANKING_PARTNER: z.enum(bankingPartners).meta({
    description:
      'Bank that keeps a virtual account for each seller. Without it, buyers pay into an ' +
      'account of BlindPay with a memo code.',
  }),
  PARTNER_FEE_ID: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'give the id of a partner fee')
    .meta({
      description: 'Your fee on each pay-in, set up at BlindPay. The fees of a quote contain it.',
    }),
  CALLS_PER_MINUTE: z
    .string()
    .regex(/^\d{1,6}$/, 'give a whole number; 0: no limit')
    .meta({
      description:
        'Calls to the API of BlindPay per minute and host. A development instance allows 100, ' +
        'over all keys and the dashboard.',
    }),
} as const satisfies Readonly<Record<string, z.ZodType<unknown, string>>>;

type Ending = keyof typeof forms;

export const blindPayVariables: Readonly<Record<string, z.ZodType<unknown, string | undefined>>> =
  Object.fromEntries(
    (['test', 'live'] as const).flatMap((mode) =>
      Object.entries(forms).map(([ending, form]) => [
        variableName(mode, ending as Ending),
        withDefault(form, mode, ending as Ending),
      ]),
    ),
  );

function withDefault(form: z.ZodType<unknown, string>, mode: Mode, ending: Ending) {
  const { [ending]: text }: Partial<Readonly<Record<Ending, string>>> = defaults[mode];
  return (text === undefined ? form.optional() : form.prefault(text)).meta({ ...form.meta() });
}

export interface BlindPaySettings {
  readonly apiKey: string;
  readonly instanceId: string;
  readonly secrets: readonly string[];
  readonly url: string;
  readonly route: BlindPayRoute;
  /** Calls per minute; 0: no limit. */
  readonly limit: { readonly perMinute: number; readonly burst: number };
}

export type SettingsRead =
  | { readonly settings: BlindPaySettings }
  | { readonly problems: readonly string[] };

/** The forms of the values in `env` are checked elsewhere. */
export function readSettings(mode: Mode, env: Environment): SettingsRead {
  const problems: string[] = [];
  const at = (ending: Ending) => env[variableName(mode, ending)];
  const required = (ending: 'API_KEY' | 'INSTANCE_ID' | 'WEBHOOK_SECRETS'): string => {
    const text = at(ending);
    if (text === undefined) {
      problems.push(`${variableName(mode, ending)}: must be set for blindpay`);
    }
    return text ?? '';
  };
  const [apiKey, instanceId] = [required('API_KEY'), required('INSTANCE_ID')];
  const secrets = secretsIn(required('WEBHOOK_SECRETS'));
  if (problems.length > 0) return { problems };
  const unset = defaults[mode];
  const route = {
    network: at('NETWORK') ?? unset.NETWORK,
    token: at('TOKEN') ?? unset.TOKEN,
    paymentMethod: at('PAYMENT_METHOD') ?? unset.PAYMENT_METHOD,
    bankingPartner: at('BANKING_PARTNER') ?? null,
    partnerFeeId: at('PARTNER_FEE_ID') ?? null,
  };
  const url = (at('URL') ?? unset.URL).replace(/(?<!\/)\/+$/, '');
  const perMinute = Number(at('CALLS_PER_MINUTE') ?? unset.CALLS_PER_MINUTE);
  const limit = { perMinute, burst: BURST };
  return { settings: { apiKey, instanceId, secrets, url, route, limit } };
}

/** The name of the variable of the environment. */
export function variableName(mode: Mode, ending: Ending): string {
  return `PONTE_BLINDPAY_${mode.toUpperCase()}_${ending}`;
}

function secretsIn(text: string): readonly string[] {
  return text.split(',').map((secret) => secret.trim());
}

/** A key must not cross a network in the clear; a simulator on this machine may be plain. */
function isApiUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && `${search}${hash}` === '';
}
