// How an answer of BlindPay counts, by its code: one table of whose fault each listed code is, with
// its source. A code that is not listed counts by its status.

export type Sorting = 'refused' | 'later' | 'unknown';

/**
 * What must change before a call can succeed. `request`: another request. `quote`: another quote.
 * `account`: something of the customer or of its bank account, wallet or limits. `instance`:
 * something of the operator's. `passing`: nothing, it passes. `effect`: the call may have had an
 * effect, or an earlier call under the same key had.
 */
export type Fault = 'request' | 'quote' | 'account' | 'instance' | 'passing' | 'effect';

const sortingOf: Readonly<Record<Fault, Sorting>> = {
  request: 'refused',
  quote: 'refused',
  account: 'refused',
  // An operator may have to act first: a wrong key must not fail a payment.
  instance: 'later',
  passing: 'later',
  effect: 'unknown',
};

interface Listed {
  readonly source: string;
  readonly codes: Readonly<Partial<Record<Fault, readonly string[]>>>;
}

const listed: readonly Listed[] = [
  {
    source: 'OpenAPI description of 2026-08-07, "Errors"',
    codes: {
      request: [
        'BANK_ACCOUNTS_INCOMPLETE',
        'BANK_ACCOUNTS_INVALID_BANK_CODE',
        'BANK_ACCOUNTS_INVALID_ROUTING',
        'BANK_ACCOUNTS_PARTNER_NOT_SUPPORTED',
        'BANK_ACCOUNTS_RTP_NOT_SUPPORTED',
        'BLOCKCHAIN_NETWORK_NOT_SUPPORTED',
        'BLOCKCHAIN_TOKEN_NOT_SUPPORTED',
        'COMPLIANCE_RFI_INVALID',
        'CUSTOMERS_ALREADY_APPROVED',
        'CUSTOMERS_BUSINESS_ENHANCED_NOT_AVAILABLE',
        'CUSTOMERS_COUNTRY_NOT_SUPPORTED',
        'CUSTOMERS_ID_DOCUMENT_INVALID',
        'CUSTOMERS_INVALID_DATA',
        'CUSTOMERS_INVALID_PHONE',
        'CUSTOMERS_INVALID_TAX_ID',
        'DATA_INTEGRITY_ERROR',
        'FILES_EMPTY',
        'FILES_TOO_LARGE',
        'FILES_TYPE_NOT_ALLOWED',
        'FILES_UNREADABLE',
        'LIMITS_AMOUNT_OUT_OF_RANGE',
        'PAYINS_ALREADY_TERMINAL',
        'PAYINS_METHOD_NOT_SUPPORTED',
        'PAYINS_TAX_ID_REQUIRED',
        'PAYOUTS_AMOUNT_BELOW_MINIMUM',
        'PAYOUTS_DOCUMENTS_NOT_ACCEPTED',
        // An earlier call may have used it: only a look-up shows that.
        'QUOTES_ALREADY_USED',
        'QUOTES_OTC_NOT_SUPPORTED',
        'REQUEST_REJECTED',
        'TOS_ALREADY_ACCEPTED',
        'VALIDATION_FAILED',
        'VALIDATION_INVALID_REQUEST',
        'VALIDATION_MISSING_BODY',
        'VALIDATION_MISSING_REQUIRED_FIELDS',
        'WALLETS_ATTACHED_TO_VIRTUAL_ACCOUNT',
      ],
      quote: ['QUOTES_EXPIRED', 'QUOTES_INVALID_STATE', 'QUOTES_NOT_FOUND'],
      account: [
        'BANK_ACCOUNTS_NOT_APPROVED',
        'BANK_ACCOUNTS_NOT_FOUND',
        'COMPLIANCE_RFI_IN_PROGRESS',
        'CUSTOMERS_ENHANCED_KYC_REQUIRED',
        'CUSTOMERS_KYC_NOT_APPROVED',
        'CUSTOMERS_NOT_FOUND',
        'CUSTOMERS_ONBOARDING_INCOMPLETE',
        'LIMITS_VOLUME_EXCEEDED',
        'PAYINS_NOT_FOUND',
        'PAYOUTS_NOT_FOUND',
        'TOS_NOT_ACCEPTED',
        'TOS_NOT_FOUND',
        'VIRTUAL_ACCOUNTS_DISABLED',
        'VIRTUAL_ACCOUNTS_DOCUMENTS_REQUIRED',
        'VIRTUAL_ACCOUNTS_NOT_APPROVED',
        'VIRTUAL_ACCOUNTS_NOT_FOUND',
        'VIRTUAL_ACCOUNTS_REGION_NOT_SUPPORTED',
        'WALLETS_NOT_FOUND',
        'FEES_NOT_FOUND',
        'FEES_PARTNER_FEE_EXCEEDED',
        'TRANSFERS_NOT_ENABLED',
      ],
      instance: [
        'AUTH_FORBIDDEN',
        'AUTH_IP_BLOCKED',
        'AUTH_TOKEN_INVALID',
        'AUTH_UNAUTHORIZED',
        'INSTANCES_BLOCKED',
        'INSTANCES_NOT_FOUND',
        // The wallet lacks tokens.
        'PAYOUTS_INSUFFICIENT_BALANCE',
      ],
      passing: [
        'AUTH_RATE_LIMITED',
        'AUTH_SERVICE_UNAVAILABLE',
        'FILES_ANALYSIS_FAILED',
        'PAYOUTS_ALLOWANCE_NOT_CONFIRMED',
        'QUOTES_INSUFFICIENT_LIQUIDITY',
        'QUOTES_RATE_UNAVAILABLE',
        'WALLETS_BALANCE_UNAVAILABLE',
      ],
      effect: [
        'BLOCKCHAIN_CALL_FAILED',
        'BLOCKCHAIN_TX_FAILED',
        'INTERNAL_ERROR',
        'VIRTUAL_ACCOUNTS_PROVISION_FAILED',
      ],
    },
  },
  {
    source: 'its page on idempotency',
    codes: {
      passing: ['idempotency_key_already_exists'],
      effect: ['idempotency_key_in_flight', 'idempotency_key_payload_mismatch'],
    },
  },
  {
    source: 'its page on rate limits',
    codes: { passing: ['development_instance_rate_limit_exceeded'] },
  },
  {
    source: 'its guides to pay-ins and off-ramp wallets',
    codes: { request: ['self_custody_required', 'offramp_wallet_already_exists'] },
  },
];

export const faults: ReadonlyMap<string, Fault> = new Map(
  listed.flatMap(({ codes }) =>
    Object.entries(codes).flatMap(([fault, ofFault]) =>
      ofFault.map((code) => [code, fault as Fault] as const),
    ),
  ),
);

/** Texts of `message` that come without a `code`. */
const legacyCodes: ReadonlyMap<string, string> = new Map([
  ['quote_expired', 'QUOTES_EXPIRED'],
  ['please_accept_terms_of_service', 'TOS_NOT_ACCEPTED'],
  ['wallets_and_transfers_not_enabled', 'TRANSFERS_NOT_ENABLED'],
  // Of its page on billing: an unpaid invoice.
  ['instance_blocked', 'INSTANCES_BLOCKED'],
]);

export function answerCode({ code, message }: { code?: string | null; message: string }): string {
  return code ?? legacyCodes.get(message) ?? message;
}

/** Null for a code that is not listed and whose status says nothing. */
export function faultOf(status: number, code: string): Fault | null {
  const known = faults.get(code);
  if (known !== undefined) return known;
  if (status >= 500) return 'effect';
  if ([401, 402, 403].includes(status)) return 'instance';
  return [408, 425, 429].includes(status) ? 'passing' : null;
}

/** An answer with an error that BlindPay itself has written. */
export function sortError(status: number, code: string): Sorting {
  return sortingOf[faultOf(status, code) ?? 'request'];
}

/** An answer that is not JSON: a page of the network in front of BlindPay, or a cut body. */
export function sortForeign(status: number): Sorting {
  // 2xx and 5xx may come after the effect; with the others, nothing reached BlindPay.
  return status >= 500 || status < 300 ? 'unknown' : 'later';
}
