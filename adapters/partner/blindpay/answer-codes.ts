// How an answer of BlindPay counts, by its code: the "Errors" section of its OpenAPI description
// (2026-08-07), and its page on idempotency. A code that is not listed counts by its status.

export type Sorting = 'refused' | 'later' | 'unknown';

const codes: Readonly<Record<Sorting, readonly string[]>> = {
  /** Final: the same request cannot succeed. */
  refused: [
    'BANK_ACCOUNTS_INCOMPLETE',
    'BANK_ACCOUNTS_INVALID_BANK_CODE',
    'BANK_ACCOUNTS_NOT_FOUND',
    'BANK_ACCOUNTS_INVALID_ROUTING',
    'BANK_ACCOUNTS_NOT_APPROVED',
    'BANK_ACCOUNTS_PARTNER_NOT_SUPPORTED',
    'BANK_ACCOUNTS_RTP_NOT_SUPPORTED',
    'BLOCKCHAIN_NETWORK_NOT_SUPPORTED',
    'BLOCKCHAIN_TOKEN_NOT_SUPPORTED',
    'COMPLIANCE_RFI_IN_PROGRESS',
    'COMPLIANCE_RFI_INVALID',
    'CUSTOMERS_ALREADY_APPROVED',
    'CUSTOMERS_BUSINESS_ENHANCED_NOT_AVAILABLE',
    'CUSTOMERS_COUNTRY_NOT_SUPPORTED',
    'CUSTOMERS_ENHANCED_KYC_REQUIRED',
    'CUSTOMERS_ID_DOCUMENT_INVALID',
    'CUSTOMERS_INVALID_DATA',
    'CUSTOMERS_INVALID_PHONE',
    'CUSTOMERS_INVALID_TAX_ID',
    'CUSTOMERS_KYC_NOT_APPROVED',
    'CUSTOMERS_NOT_FOUND',
    'CUSTOMERS_ONBOARDING_INCOMPLETE',
    'DATA_INTEGRITY_ERROR',
    'FEES_NOT_FOUND',
    'FEES_PARTNER_FEE_EXCEEDED',
    'FILES_EMPTY',
    'FILES_TOO_LARGE',
    'FILES_TYPE_NOT_ALLOWED',
    'FILES_UNREADABLE',
    'LIMITS_AMOUNT_OUT_OF_RANGE',
    'LIMITS_VOLUME_EXCEEDED',
    'PAYINS_ALREADY_TERMINAL',
    'PAYINS_METHOD_NOT_SUPPORTED',
    'PAYINS_NOT_FOUND',
    'PAYINS_TAX_ID_REQUIRED',
    'PAYOUTS_AMOUNT_BELOW_MINIMUM',
    'PAYOUTS_DOCUMENTS_NOT_ACCEPTED',
    'PAYOUTS_NOT_FOUND',
    'QUOTES_ALREADY_USED',
    'QUOTES_EXPIRED',
    'QUOTES_INVALID_STATE',
    'QUOTES_NOT_FOUND',
    'QUOTES_OTC_NOT_SUPPORTED',
    'REQUEST_REJECTED',
    'TOS_ALREADY_ACCEPTED',
    'TOS_NOT_FOUND',
    'TOS_NOT_ACCEPTED',
    'TRANSFERS_NOT_ENABLED',
    'VALIDATION_FAILED',
    'VALIDATION_INVALID_REQUEST',
    'VALIDATION_MISSING_BODY',
    'VALIDATION_MISSING_REQUIRED_FIELDS',
    'VIRTUAL_ACCOUNTS_DISABLED',
    'VIRTUAL_ACCOUNTS_DOCUMENTS_REQUIRED',
    'VIRTUAL_ACCOUNTS_NOT_APPROVED',
    'VIRTUAL_ACCOUNTS_NOT_FOUND',
    'VIRTUAL_ACCOUNTS_REGION_NOT_SUPPORTED',
    'WALLETS_ATTACHED_TO_VIRTUAL_ACCOUNT',
    'WALLETS_NOT_FOUND',
    'self_custody_required',
    'offramp_wallet_already_exists',
  ],
  /** Without effect. An operator may have to act first: a wrong key must not fail a payment. */
  later: [
    'AUTH_FORBIDDEN',
    'AUTH_IP_BLOCKED',
    'AUTH_RATE_LIMITED',
    'AUTH_SERVICE_UNAVAILABLE',
    'AUTH_TOKEN_INVALID',
    'AUTH_UNAUTHORIZED',
    'INSTANCES_BLOCKED',
    'INSTANCES_NOT_FOUND',
    'FILES_ANALYSIS_FAILED',
    'PAYOUTS_ALLOWANCE_NOT_CONFIRMED',
    'PAYOUTS_INSUFFICIENT_BALANCE',
    'QUOTES_INSUFFICIENT_LIQUIDITY',
    'QUOTES_RATE_UNAVAILABLE',
    'WALLETS_BALANCE_UNAVAILABLE',
    'development_instance_rate_limit_exceeded',
    'idempotency_key_already_exists',
  ],
  /** It may have had an effect, or an earlier call under the same key had. */
  unknown: [
    'BLOCKCHAIN_CALL_FAILED',
    'BLOCKCHAIN_TX_FAILED',
    'INTERNAL_ERROR',
    'VIRTUAL_ACCOUNTS_PROVISION_FAILED',
    'idempotency_key_in_flight',
    'idempotency_key_payload_mismatch',
  ],
};

export const sortings: ReadonlyMap<string, Sorting> = new Map(
  Object.entries(codes).flatMap(([sorting, listed]) =>
    listed.map((code) => [code, sorting as Sorting] as const),
  ),
);

/** Texts of `message` from before there was a `code`. */
const legacyCodes: Readonly<Record<string, string>> = {
  quote_expired: 'QUOTES_EXPIRED',
  please_accept_terms_of_service: 'TOS_NOT_ACCEPTED',
  wallets_and_transfers_not_enabled: 'TRANSFERS_NOT_ENABLED',
};

export function codeOf({ code, message }: { code?: string | null; message: string }): string {
  return code ?? legacyCodes[message] ?? message;
}

/** An answer with an error that BlindPay itself has written. */
export function sortError(status: number, code: string): Sorting {
  const known = sortings.get(code);
  if (known !== undefined) return known;
  if (status >= 500) return 'unknown';
  return [401, 403, 408, 425, 429].includes(status) ? 'later' : 'refused';
}

/** An answer that is not JSON: a page of the network in front of BlindPay, or a cut body. */
export function sortForeign(status: number): Sorting {
  // 2xx and 5xx may come after the effect; with the others, nothing reached BlindPay.
  return status >= 500 || status < 300 ? 'unknown' : 'later';
}
