// What is documented of BlindPay's API: its error codes, and the shapes of its answers, each with
// source and date. The simulator's answers and the adapter's table of codes are held against them.
import { z } from 'zod';

/** The OpenAPI description in github.com/blindpaylabs/blindpay-node, commit 77f2824. */
const OPENAPI = { source: 'OpenAPI 3.1, blindpay-node 77f2824', date: '2026-08-07' };
const GUIDE = { source: 'guides, blindpay-skills 519fe64', date: '2026-08-21' };

/**
 * Lists: pages by `limit` and `starting_after`; without either, a bare array; no order is stated.
 * Deposits: each makes a pay-in; where the fee goes; whose numbers a pay-in shows.
 */
const LISTS = {
  source: 'payins.md, github.com/blindpaylabs/skills a8e6bb3',
  date: 'read 2026-11-22',
};
const ACCOUNTS = {
  source: 'virtual-accounts.md, blindpaylabs/skills 1bd397a',
  date: 'read 2026-11-22',
};

/** Code, usual status, and the vendor's class of retries, from the section "Errors". */
export const documentedCodes: readonly (readonly [code: string, status: number, retry: string])[] =
  `AUTH_FORBIDDEN 403 terminal
AUTH_IP_BLOCKED 403 terminal
AUTH_RATE_LIMITED 429 retryable
AUTH_SERVICE_UNAVAILABLE 503 retryable
AUTH_TOKEN_INVALID 401 actionable
AUTH_UNAUTHORIZED 401 actionable
BANK_ACCOUNTS_INCOMPLETE 400 actionable
BANK_ACCOUNTS_INVALID_BANK_CODE 400 actionable
BANK_ACCOUNTS_INVALID_ROUTING 400 actionable
BANK_ACCOUNTS_NOT_APPROVED 403 actionable
BANK_ACCOUNTS_NOT_FOUND 404 actionable
BANK_ACCOUNTS_PARTNER_NOT_SUPPORTED 400 terminal
BANK_ACCOUNTS_RTP_NOT_SUPPORTED 400 terminal
BLOCKCHAIN_CALL_FAILED 400 retryable
BLOCKCHAIN_NETWORK_NOT_SUPPORTED 400 terminal
BLOCKCHAIN_TOKEN_NOT_SUPPORTED 400 actionable
BLOCKCHAIN_TX_FAILED 502 retryable
COMPLIANCE_RFI_IN_PROGRESS 409 actionable
COMPLIANCE_RFI_INVALID 400 actionable
CUSTOMERS_ALREADY_APPROVED 409 terminal
CUSTOMERS_BUSINESS_ENHANCED_NOT_AVAILABLE 400 terminal
CUSTOMERS_COUNTRY_NOT_SUPPORTED 400 terminal
CUSTOMERS_ENHANCED_KYC_REQUIRED 400 actionable
CUSTOMERS_ID_DOCUMENT_INVALID 400 actionable
CUSTOMERS_INVALID_DATA 422 actionable
CUSTOMERS_INVALID_PHONE 400 actionable
CUSTOMERS_INVALID_TAX_ID 400 actionable
CUSTOMERS_KYC_NOT_APPROVED 403 actionable
CUSTOMERS_NOT_FOUND 404 actionable
CUSTOMERS_ONBOARDING_INCOMPLETE 400 actionable
DATA_INTEGRITY_ERROR 422 terminal
FEES_NOT_FOUND 404 actionable
FEES_PARTNER_FEE_EXCEEDED 400 actionable
FILES_ANALYSIS_FAILED 502 retryable
FILES_EMPTY 400 actionable
FILES_TOO_LARGE 400 actionable
FILES_TYPE_NOT_ALLOWED 400 actionable
FILES_UNREADABLE 400 actionable
INSTANCES_BLOCKED 403 terminal
INSTANCES_NOT_FOUND 404 actionable
INTERNAL_ERROR 500 retryable
LIMITS_AMOUNT_OUT_OF_RANGE 400 actionable
LIMITS_VOLUME_EXCEEDED 400 actionable
PAYINS_ALREADY_TERMINAL 409 terminal
PAYINS_METHOD_NOT_SUPPORTED 400 terminal
PAYINS_NOT_FOUND 404 actionable
PAYINS_TAX_ID_REQUIRED 400 actionable
PAYOUTS_ALLOWANCE_NOT_CONFIRMED 400 retryable
PAYOUTS_AMOUNT_BELOW_MINIMUM 400 actionable
PAYOUTS_DOCUMENTS_NOT_ACCEPTED 400 terminal
PAYOUTS_INSUFFICIENT_BALANCE 400 actionable
PAYOUTS_NOT_FOUND 404 actionable
QUOTES_ALREADY_USED 409 actionable
QUOTES_EXPIRED 400 actionable
QUOTES_INSUFFICIENT_LIQUIDITY 400 actionable
QUOTES_INVALID_STATE 400 actionable
QUOTES_NOT_FOUND 404 actionable
QUOTES_OTC_NOT_SUPPORTED 400 actionable
QUOTES_RATE_UNAVAILABLE 502 retryable
REQUEST_REJECTED 400 actionable
TOS_ALREADY_ACCEPTED 409 terminal
TOS_NOT_ACCEPTED 400 actionable
TOS_NOT_FOUND 404 actionable
TRANSFERS_NOT_ENABLED 403 terminal
VALIDATION_FAILED 400 actionable
VALIDATION_INVALID_REQUEST 400 actionable
VALIDATION_MISSING_BODY 400 actionable
VALIDATION_MISSING_REQUIRED_FIELDS 400 actionable
VIRTUAL_ACCOUNTS_DISABLED 403 terminal
VIRTUAL_ACCOUNTS_DOCUMENTS_REQUIRED 400 actionable
VIRTUAL_ACCOUNTS_NOT_APPROVED 403 actionable
VIRTUAL_ACCOUNTS_NOT_FOUND 404 actionable
VIRTUAL_ACCOUNTS_PROVISION_FAILED 502 retryable
VIRTUAL_ACCOUNTS_REGION_NOT_SUPPORTED 400 terminal
WALLETS_ATTACHED_TO_VIRTUAL_ACCOUNT 400 terminal
WALLETS_BALANCE_UNAVAILABLE 503 retryable
WALLETS_NOT_FOUND 404 actionable`
    .split('\n')
    .map((line) => line.split(' '))
    .map(([code = '', status = '', retry = '']) => [code, Number(status), retry] as const);

const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_.{${14 - prefix.length}}$`));
const minor = z.int().nonnegative();
const text = z.string().nullable();
const instant = z.iso.datetime();
/** `step` is required; the fields of each stage differ. */
const tracking = z.looseObject({
  step: z.enum(['processing', 'on_hold', 'pending_review', 'completed']),
});
const stages = {
  tracking_transaction: tracking,
  tracking_payment: tracking,
  tracking_complete: tracking,
};
const transactionStatus = z.enum(['processing', 'on_hold', 'completed', 'failed', 'refunded']);

export const errorBody = z.strictObject({
  success: z.literal(false),
  message: z.string(),
  errors: z.array(z.string()),
  code: z.string().optional(),
  description: z.string().optional(),
  trace_id: z.string().optional(),
});

const pages = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    data: z.array(item),
    pagination: z.strictObject({ has_more: z.boolean(), next_page: text, prev_page: text }),
  });

const ofInstance = { instance_id: id('in'), created_at: instant, updated_at: instant };

const customer = z.looseObject({
  id: id('re'),
  type: z.enum(['individual', 'business']),
  kyc_type: z.enum(['light', 'standard', 'enhanced']),
  kyc_status: z.enum([
    ...(['verifying', 'approved', 'rejected', 'deprecated', 'pending_review'] as const),
    ...(['awaiting_contract', 'compliance_request', 'approved_rfi'] as const),
  ]),
  email: z.string(),
  country: z.string().length(2),
  created_at: instant,
});

const rfi = z.strictObject({
  id: z.string().startsWith('rfi_'),
  customer_id: id('re'),
  instance_id: id('in'),
  status: z.enum(['pending', 'submitted', 'expired', 'cancelled']),
  request: z.array(
    z.strictObject({
      title: z.string(),
      description: z.string(),
      supporting_document: z.string().optional(),
      fields: z.array(
        z.strictObject({
          key: z.string(),
          label: z.string(),
          required: z.boolean(),
          regex: z.string().optional(),
          items: z.array(z.strictObject({ label: z.string(), value: z.string() })).optional(),
          multiple: z.boolean().optional(),
        }),
      ),
    }),
  ),
  response: z.record(z.string(), z.unknown()),
  /** 27 days after it was opened. */
  expires_at: instant,
  submitted_at: instant.nullable(),
  created_at: instant,
});

const bankAccount = z.looseObject({
  id: id('ba'),
  type: z.literal('pix'),
  name: z.string(),
  pix_key: z.string(),
  status: z.enum(['verifying', 'approved', 'rejected', 'deprecated']).nullable(),
});

const wallet = z.looseObject({
  id: id('bl'),
  name: z.string(),
  external_id: text,
  address: z.string(),
  network: z.string(),
  created_at: instant,
});

const numbers = z.strictObject({ routing_number: z.string(), account_number: z.string() });
const virtualAccount = z.looseObject({
  id: id('va'),
  banking_partner: z.enum(['jpmorgan', 'citi', 'hsbc', 'cfsb', 'portage', 'ssb']),
  kyc_status: z.string(),
  token: z.string(),
  us: z.looseObject({ ach: numbers, wire: numbers }),
});

const left = z.strictObject({ daily: z.int(), monthly: z.int() });

const quote = {
  id: id('qu'),
  /** The example is in seconds; the guide says milliseconds, and so does the simulator. */
  expires_at: z.int(),
  commercial_quotation: z.number(),
  blindpay_quotation: z.number(),
  sender_amount: minor,
  receiver_amount: minor,
  flat_fee: minor.nullable(),
};

const address = z.strictObject({
  name: z.string(),
  address_line_1: z.string(),
  address_line_2: z.string(),
});

const payinCreated = {
  id: id('pi'),
  status: transactionStatus,
  customer_id: id('re'),
  payment_method: z.string(),
  sender_amount: minor,
  receiver_amount: minor,
  pix_code: text,
  memo_code: text,
  clabe: text,
  blindpay_bank_details: z.strictObject({
    ...numbers.shape,
    account_type: z.string(),
    swift_bic_code: text,
    ach: numbers,
    wire: numbers,
    rtp: numbers,
    beneficiary: address,
    receiving_bank: address,
  }),
  ...stages,
};
/** The bank's words about the transfer, once it has arrived. */
const transfer = tracking.extend({
  status: z.enum(['failed', 'completed']).nullish(),
  sender_name: text.optional(),
  sender_bank_name: text.optional(),
  trace_number: text.optional(),
  transaction_reference: text.optional(),
  description: text.optional(),
});
const payin = z.strictObject({
  ...payinCreated,
  tracking_transaction: transfer,
  payin_quote_id: id('qu'),
  token: z.string().optional(),
  network: z.string().optional(),
  address: z.string().optional(),
  billing_fee_amount: minor.nullish(),
  transaction_fee_amount: minor.nullish(),
  created_at: instant,
});

const payoutCreated = {
  id: id('po'),
  status: transactionStatus,
  sender_wallet_address: z.string(),
  customer_id: id('re'),
  bank_account_id: id('ba'),
  ...stages,
};
const payout = z.strictObject({
  ...payoutCreated,
  quote_id: id('qu'),
  description: text,
  currency: z.string(),
  network: z.string(),
  token: z.string(),
  sender_amount: minor,
  receiver_amount: minor,
  created_at: instant,
});

export interface Fixture {
  /** Method and path after `/v1/instances/{id}`. */
  readonly call: RegExp;
  readonly answer: z.ZodType;
  readonly source: string;
  readonly date: string;
}

/** The answer to each call that succeeds. */
export const fixtures: readonly Fixture[] = [
  {
    call: /^POST \/upload$/,
    ...OPENAPI,
    answer: z.strictObject({ file_url: z.url() }),
  },
  { call: /^POST \/e\/tos$/, ...OPENAPI, answer: z.strictObject({ url: z.url() }) },
  {
    call: /^GET \/available\/rails$/,
    ...OPENAPI,
    answer: z.array(
      z.strictObject({ label: z.string(), value: z.string(), country: z.string().length(2) }),
    ),
  },
  {
    call: /^GET \/api-keys$/,
    ...OPENAPI,
    answer: z.array(
      z.strictObject({
        id: id('ap'),
        name: z.string(),
        permission: z.literal('full_access'),
        token: z.string(),
        ip_whitelist: z.array(z.string()).optional(),
        unkey_id: z.string(),
        last_used_at: instant.nullable(),
        ...ofInstance,
      }),
    ),
  },
  {
    call: /^GET \/webhook-endpoints$/,
    ...OPENAPI,
    answer: z.array(
      z.strictObject({
        id: id('we'),
        url: z.url(),
        events: z.array(z.string()),
        last_event_at: instant,
        ...ofInstance,
      }),
    ),
  },
  {
    call: /^POST \/webhook-endpoints$/,
    ...OPENAPI,
    answer: z.strictObject({ id: id('we') }),
  },
  {
    call: /^GET \/webhook-endpoints\/[^/]+\/secret$/,
    ...OPENAPI,
    answer: z.strictObject({ key: z.string().startsWith('whsec_') }),
  },
  { call: /^GET \/customers$/, ...GUIDE, answer: pages(customer) },
  {
    call: /^POST \/customers$/,
    ...OPENAPI,
    answer: z.strictObject({ id: id('re'), customer_id: id('re') }),
  },
  { call: /^GET \/customers\/[^/]+$/, ...OPENAPI, answer: customer },
  // Its page is marked as beta. One is open at most; null: none is.
  { call: /^GET \/customers\/[^/]+\/rfi$/, ...GUIDE, answer: rfi.nullable() },
  {
    call: /^POST \/customers\/[^/]+\/rfi$/,
    ...GUIDE,
    answer: z.strictObject({ success: z.boolean() }),
  },
  { call: /^GET \/customers\/[^/]+\/bank-accounts$/, ...OPENAPI, answer: z.array(bankAccount) },
  { call: /^POST \/customers\/[^/]+\/bank-accounts$/, ...OPENAPI, answer: bankAccount },
  { call: /^GET \/customers\/[^/]+\/wallets$/, ...OPENAPI, answer: z.array(wallet) },
  { call: /^POST \/customers\/[^/]+\/wallets$/, ...OPENAPI, answer: wallet },
  { call: /^GET \/customers\/[^/]+\/wallets\/[^/]+$/, ...OPENAPI, answer: wallet },
  {
    call: /^GET \/customers\/[^/]+\/virtual-accounts$/,
    ...OPENAPI,
    answer: z.array(virtualAccount),
  },
  { call: /^POST \/customers\/[^/]+\/virtual-accounts$/, ...ACCOUNTS, answer: virtualAccount },
  {
    call: /^GET \/limits\/customers\/[^/]+$/,
    ...GUIDE,
    answer: z.strictObject({ limits: z.strictObject({ payin: left, payout: left }) }),
  },
  {
    call: /^POST \/payin-quotes$/,
    ...OPENAPI,
    answer: z.looseObject({ ...quote, is_otc: z.boolean() }),
  },
  {
    call: /^POST \/quotes\/fx$/,
    ...OPENAPI,
    answer: z.strictObject({
      commercial_quotation: z.number(),
      blindpay_quotation: z.number(),
      result_amount: minor,
      instance_flat_fee: z.number(),
      instance_percentage_fee: z.number().max(10_000),
    }),
  },
  {
    call: /^POST \/quotes$/,
    ...OPENAPI,
    answer: z.looseObject({ ...quote, description: text }),
  },
  { call: /^GET \/payins$/, ...LISTS, answer: pages(payin) },
  { call: /^POST \/payins\/evm$/, ...OPENAPI, answer: z.strictObject(payinCreated) },
  { call: /^GET \/payins\/[^/]+$/, ...OPENAPI, answer: payin },
  { call: /^GET \/payouts$/, ...LISTS, answer: pages(payout) },
  { call: /^POST \/payouts\/evm$/, ...OPENAPI, answer: z.strictObject(payoutCreated) },
  { call: /^GET \/payouts\/[^/]+$/, ...OPENAPI, answer: payout },
];

/** Keys that each message must have. */
export const messageKeys: Readonly<Record<string, readonly string[]>> = {
  customer: ['webhook_event', 'id', 'kyc_status'],
  payin: ['webhook_event', 'id', 'status', ...Object.keys(stages), 'blindpay_bank_details'],
  payout: ['webhook_event', 'id', 'status', 'sender_wallet_address', ...Object.keys(stages)],
};
