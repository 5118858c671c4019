// Personal data: for each table its columns, how the rows of an address are found, what erasure
// makes of them, and how long and why the rest is kept. Each column of the schema is in one list:
// `personal` is about a person, `withheld` is sealed or a secret and never exported, `other` goes
// with it.
import { openFundsSql } from './tables/money-rows.js';
import { endedSql } from './tables/payment-rows.js';

/** Why rows stay after a person asks for their erasure, and what ends them. */
const kept = {
  money: 'Record of money: laws against money laundering and on accounting require it.',
  kyc: 'Record of a check that laws require. A draft ends by itself, the dossier by the decision.',
  decided: 'The content is removed when the partner has decided on the party.',
  days30: 'Removed by the service after 30 days.',
  forEver: 'Evidence of who had access and who decided. No time limit.',
  setting: 'Until the organization changes it.',
  signed: 'Chained or sent as signed text: cannot change. Feeds are pruned, the audit log is not.',
  sealed: 'Sealed, not searchable by an address.',
} as const;

const idsOf = (table: 'people' | 'members' | 'buyers' | 'connected_accounts') =>
  `select id from ${table} where email_key = $1`;
const paymentsSql = `select id from payments where buyer_id in (${idsOf('buyers')})`;
const submissionsSql = `select id from kyc_submissions where buyer_id in (${idsOf('buyers')})`;
/** Without wildcards: the address may contain them. In quotes: no part of a longer address. */
const namesAddress = (column: string) =>
  `replace(lower(${column}), '"' || $1 || '"', '') <> lower(${column})`;
const subjectIdsSql = [
  idsOf('people'),
  idsOf('members'),
  idsOf('buyers'),
  idsOf('connected_accounts'),
  paymentsSql,
].join(' union ');

/** $1: the key of the address. */
const found = {
  isPerson: 'email_key = $1',
  ofPerson: `person_id in (${idsOf('people')})`,
  ofBuyers: `buyer_id in (${idsOf('buyers')})`,
  payments: `buyer_id in (${idsOf('buyers')}) or ${namesAddress('colleague_approval')}`,
  sellers: [
    '(org_id, mode, seller_external_id) in',
    '(select org_id, mode, external_id from connected_accounts where email_key = $1)',
  ].join(' '),
  mails: 'to_key = $1',
  names: `owner_id in (${idsOf('buyers')} union ${idsOf('connected_accounts')})`,
  drafts: `id in (${idsOf('connected_accounts')})`,
  destinations: [
    `account_id in (${idsOf('connected_accounts')})`,
    `changed_by in (${idsOf('members')})`,
  ].join(' or '),
  documents: `owner_id in (${subjectIdsSql} union ${submissionsSql})`,
  sessions: [
    `person_id in (${idsOf('people')})`,
    `payment_id in (${paymentsSql})`,
    `submission_id in (${submissionsSql})`,
    `account_id in (${idsOf('connected_accounts')})`,
  ].join(' or '),
  requests: `requested_by in (${idsOf('members')})`,
  support: 'lower(support_email) = $1',
  keys: `created_by in (${idsOf('members')}) or kept_by in (${idsOf('members')})`,
  events: [namesAddress('body'), `exists (select 1 from (${subjectIdsSql}) as person`]
    .join(' or ')
    .concat(" where replace(personal.body, person.id, '') <> personal.body)"),
  commands: [
    `payment_id in (${paymentsSql})`,
    `submission_id in (${submissionsSql})`,
    `account_id in (${idsOf('connected_accounts')})`,
  ].join(' or '),
} as const;

/** What must end before a person is erased; $1: the key of the address. */
export const blockingSql: Readonly<Record<string, string>> = {
  payments: [
    'select id, status as state from payments as personal where',
    `(${found.payments} or ${found.sellers})`,
    `and (status not in ${endedSql} or exists (select 1 from funds where`,
    'funds.org_id = personal.org_id and funds.mode = personal.mode',
    `and funds.payment_id = personal.id and ${openFundsSql})) order by id limit 10`,
  ].join(' '),
  kyc_submissions: [
    "select id, 'verified by the partner' as state from kyc_submissions as personal where",
    `status = 'verifying' and buyer_id in (${idsOf('buyers')})`,
  ].join(' '),
  connected_accounts: [
    "select id, 'verified by the partner' as state from connected_accounts as personal where",
    "status = 'verifying' and email_key = $1",
  ].join(' '),
  members: [
    "select id, 'a member of ' || org_id as state from members as personal where",
    'email_key = $1 and removed_at is null',
  ].join(' '),
};

/**
 * What erasure makes of a column. `nobody`: an address that is nobody's, another one in each row.
 * `nothing`: null. `blank`: an empty text. `unnamed`: the text without the address and the names of
 * the person. `unissued`: a fiscal document without a key that has the CPF of its issuer.
 */
export type Erasure = 'nobody' | 'nothing' | 'blank' | 'unnamed' | 'unissued';

/** Lists of columns; a list that is left out is empty. */
interface UnfoundTable {
  readonly personal?: string;
  readonly withheld?: string;
  readonly other: string;
  readonly found?: undefined;
}

/** A table whose rows an address finds. */
export interface FoundTable extends Omit<UnfoundTable, 'found'> {
  readonly found: string;
  readonly kept: string;
  /** Other columns of the row are kept. `row`: the row is removed. */
  readonly erased?: Readonly<Record<string, Erasure>> | 'row';
  /** Rows about somebody else that have data of the person, in these columns alone. */
  readonly partly?: {
    readonly found: string;
    readonly personal: string;
    readonly erased: Readonly<Record<string, Erasure>>;
  };
}

export type PersonalTable = UnfoundTable | FoundTable;

/** Tables whose rows no address finds, after why they stay. */
const unfoundTables = {
  // Not about a person.
  accounting: { other: 'org_id mode accounts closed_months is_summing version' },
  advances: { other: 'org_id mode payment_id to_status due_at tries version' },
  book_readings: {
    other:
      'partner mode book span from_at since_at page_cursor began_at completed_at tries ' +
      'due_at last_error version',
  },
  epochs: {
    other:
      'number cause state began_at check_progress checked_at released_at released_by ' +
      'forced_because timeline version',
  },
  feed_heads: { other: 'org_id mode sequence chain_hash' },
  fingerprints: { other: 'name value created_at' },
  funds: {
    other:
      'org_id mode payment_id currency position refund received_minor payout_minor ' +
      'refund_owed_minor refund_ordered_minor refunded_minor loss_minor written_off_minor ' +
      'version',
  },
  idempotency_keys: {
    withheld: 'body_macs',
    other: 'org_id mode idempotency_key surface resource_id created_at',
  },
  key_check_values: { withheld: 'sealed', other: 'key_id state created_at version' },
  ledger_lines: {
    other:
      'org_id mode posting_id line_number payment_id kind account amount_minor currency ' +
      'posted_at',
  },
  organization_logos: { withheld: 'content', other: 'org_id content_type hash version' },
  organization_profiles: {
    other:
      'org_id mode kyb_status receiver_id partner_ref virtual_account_ref destination_ref ' +
      'kyb_command_id tos_id tos_accepted_at corrections answer_by answer_alerted_at ' +
      'reason approved_at rejected_at rails_command_id intents_need_approval held_ref ' +
      'held_until payout_hold_hours version',
  },
  quotes: {
    other:
      'org_id mode id payment_id partner_quote_id source_minor source_currency fees_minor ' +
      'fees_currency rate target_minor target_currency rate_kind locked_until_at ' +
      'expires_at created_at',
  },
  reconciliations: {
    other: 'partner mode since_at ended_at entries commands differences unread due_at version',
  },
  service_keys: { withheld: 'sealed', other: 'id purpose created_at expires_at version' },
  simulated_reports: { other: 'mode reference outcome version' },
  subscriptions: {
    personal: 'url',
    withheld: 'secret_sealed',
    other:
      'org_id mode id event_types active slot created_at updated_at feed_cursor paused ' +
      'version',
  },
  // Index of the bank details that are exported.
  bank_detail_accounts: {
    personal: 'payee_name',
    withheld: 'account_hash number_hash',
    other: 'org_id mode payment_id check_code short_id buyer_id issued_at',
  },
  // Answers of webhook receivers, not searchable by an address. Removed with deliveries.
  deliveries: {
    personal: 'first_response_body',
    withheld: 'lease_token',
    other:
      'id org_id mode subscription_id event_id event_type status attempt response_status ' +
      'last_error next_attempt_at due_at delivered_at duration_ms resent created_at ' +
      'first_started_at first_duration_ms first_response_status first_error version',
  },
  delivery_attempts: {
    personal: 'response_body',
    other: 'delivery_id id attempt started_at duration_ms response_status error',
  },
  // Messages of the partner, not searchable by an address. Removed by the retention time.
  inbox: { personal: 'facts', other: 'partner mode message_id received_at due_at tries version' },
  operators: {
    personal: 'name',
    other:
      'id public_key number created_by created_at removed_by removed_at signed_at series version',
  },
  proposals: {
    personal: 'evidence proposed_by ended_by',
    other:
      'id org_id mode item_id number action basis state proposed_by_id proposed_at ' +
      'expires_at ended_by_id ended_at version',
  },
  // Sealed, not searchable by an address.
  deposits: {
    withheld: 'payer_sealed',
    other:
      'id partner mode book partner_ref receiver_ref org_id account_id amount_minor ' +
      'currency entry_end state transaction_hash asset payment_id rule entered_at completed_at ' +
      'due_at last_error created_at updated_at tries consolidated_reference version',
  },
  // Removed by the service after 7 days.
  refused_requests: {
    personal: 'credential_id',
    other: 'id request_id created_at operation status code field org_id mode version',
  },
} as const satisfies Readonly<Record<string, UnfoundTable>>;

export const personalTables = {
  ...unfoundTables,
  api_keys: {
    personal: 'created_by kept_by',
    withheld: 'salt secret_hash',
    other:
      'id org_id mode name scopes last_used_at revoked_at slot created_at expires_at ' +
      'rolled_at networks used_scopes kept_scopes version',
    found: found.keys,
    kept: kept.forEver,
  },
  bank_details: {
    personal: 'payee_name record',
    withheld: 'signature',
    other: 'org_id mode payment_id check_code short_id buyer_id key_id issued_at',
    found: found.ofBuyers,
    kept: kept.money,
  },
  buyers: {
    personal: 'email',
    other: 'mode id email_key created_at',
    found: found.isPerson,
    kept: kept.money,
    erased: { email: 'nobody', email_key: 'nobody' },
  },
  connected_accounts: {
    personal: 'email legal_name display_name country locale tax_id_last4',
    withheld: 'tax_id_sealed tos_session_key',
    other:
      'org_id mode id external_id role entity_type status receiver_id submit_command_id ' +
      'partner_ref email_key tos_id destination_ref rails_command_id rails_ref ready_at ' +
      'reason approved_at rejected_at created_at updated_at corrections answer_by ' +
      'answer_alerted_at held_ref held_until version',
    found: found.isPerson,
    kept: kept.money,
    erased: { email: 'nothing', email_key: 'nothing', display_name: 'nothing' },
  },
  destination_changes: {
    personal: 'pix_key_shown changed_by',
    other:
      'org_id mode id account_id from_ref to_ref created_at effective_at stopped_at ' +
      'replaced_at version',
    found: found.destinations,
    kept: kept.money,
  },
  documents: {
    personal: 'file_name',
    withheld: 'upload_token_hash read_token_hash',
    other:
      'org_id mode id owner_party owner_id kind owner_index content_type expires_on ' +
      'upload_until_at created_at status content_name size_bytes due_at tries purged_at uploads ' +
      'slot version',
    found: found.documents,
    kept: kept.decided,
    erased: { file_name: 'nothing' },
  },
  events: {
    personal: 'body',
    other: 'org_id mode id sequence type alias subject_id chain_hash created_at actor',
    found: found.events,
    kept: kept.signed,
  },
  kyc_submissions: {
    personal: 'status reason corrections country legal_name',
    withheld: 'draft_sealed dossier_sealed born_hash tax_hash document_hash',
    other:
      'org_id mode id buyer_id receiver_id partner_ref submitted_at approved_at ' +
      'rejected_at flow_id tos_id created_at submit_command_id answer_by answer_alerted_at ' +
      'submitted_by fact_tries version',
    found: found.ofBuyers,
    kept: kept.kyc,
    erased: {
      draft_sealed: 'nothing',
      dossier_sealed: 'nothing',
      legal_name: 'nothing',
      born_hash: 'nothing',
      tax_hash: 'nothing',
      document_hash: 'nothing',
      flow_id: 'nothing',
    },
  },
  mails: {
    personal: 'to_address',
    withheld: 'token_hash token_sealed code_hash browser_hash lease_token',
    other:
      'org_id mode id purpose payment_id approval_payment_id account_id submission_id ' +
      'owner_index member_id action action_org_id cause to_key nth locale code_tries ' +
      'link_ends_at link_used_at status tries is_blocked due_at last_error sent_at created_at ' +
      'version',
    found: found.mails,
    kept: kept.days30,
    erased: { to_address: 'nobody', to_key: 'nobody' },
  },
  members: {
    personal: 'email name accepted_at seen_at',
    other: 'org_id id person_id email_key role removed_at created_at version',
    found: found.isPerson,
    kept: kept.forEver,
    erased: { email: 'nobody', email_key: 'nobody', name: 'nothing' },
  },
  organizations: {
    personal: 'support_email support_phone',
    other:
      'org_id name production_granted_at requires_approval created_at website privacy_url ' +
      'terms_url sends_reminders sends_settlement_notices requires_passkey accent_color ' +
      'logo_hash time_zone version',
    found: found.support,
    kept: kept.setting,
  },
  partner_commands: {
    withheld: 'request lease_token',
    other:
      'id org_id mode reference kind payment_id submission_id account_id amount_minor ' +
      'currency payin_id state partner_ref command_end received_minor confirmed_minor ' +
      'settlements refusal review tries last_sent_at due_at last_error created_at ' +
      'updated_at overruled held_since late_at queue is_stuck is_in_flight is_undecided ' +
      'is_ordered deposit_id instance version',
    found: found.commands,
    kept: kept.money,
  },
  party_drafts: {
    withheld: 'draft_sealed',
    other: 'org_id mode id saved_at version',
    found: found.drafts,
    kept: kept.sealed,
    erased: 'row',
  },
  sessions: {
    personal: 'created_at seen_at ends_at ended_at',
    withheld: 'token_hash signed link_hash',
    other:
      'org_id mode id kind payment_id submission_id account_id owner_index person_id ' +
      'operator_id began version',
    found: found.sessions,
    kept: kept.days30,
  },
  passkeys: {
    personal: 'name credential_id created_at used_at removed_at',
    withheld: 'public_key',
    other: 'id person_id sign_count version',
    found: found.ofPerson,
    kept: kept.forEver,
    erased: { name: 'blank' },
  },
  name_words: {
    personal: 'word',
    other: 'org_id mode owner_id version',
    found: found.names,
    kept: kept.setting,
    erased: 'row',
  },
  people: {
    personal: 'email',
    other: 'id email_key created_at version',
    found: found.isPerson,
    kept: kept.forEver,
    erased: { email: 'nobody', email_key: 'nobody' },
  },
  payments: {
    personal:
      'buyer_email buyer_name buyer_country buyer_phone buyer_locale display metadata ' +
      'colleague_approval payin_instructions purchase_order buyer_reference payee_name ' +
      'fiscal_document payer',
    other:
      'org_id mode id origin public_id external_id status amount_minor currency buyer_id ' +
      'seller_external_id destination return_url expires_at quote_id covered_at ' +
      'transaction_hash payin_asset settled_minor settled_currency settled_fees_minor ' +
      'settled_fx_rate end_to_end_id failure_reason cancel_reason number due_date ' +
      'created_by_member_id approved_by_member_id invited_at created_at updated_at ' +
      'confirmed_locale bank_details_code purpose payer_relation booked_rate limit_hit ' +
      'approval_lost_at requires_approval failure_code remind_at consolidated_reference ' +
      'attachment_document_id settled_at external_id_key number_key purchase_order_key ' +
      'end_to_end_key version',
    found: found.payments,
    kept: kept.money,
    erased: {
      buyer_email: 'nobody',
      buyer_phone: 'nothing',
      display: 'unnamed',
      metadata: 'unnamed',
      colleague_approval: 'unnamed',
    },
    partly: {
      found: `${found.sellers} and (fiscal_document is not null or payee_name is not null)`,
      personal: 'payee_name fiscal_document',
      erased: { fiscal_document: 'unissued' },
    },
  },
  production_requests: {
    personal: 'answers',
    other: 'org_id id requested_by state decided_by decided_at reason created_at version',
    found: found.requests,
    kept: kept.forEver,
  },
} as const satisfies Readonly<Record<string, PersonalTable>>;

export function columnsIn(columns = ''): readonly string[] {
  return columns.split(' ').filter((column) => column !== '');
}
