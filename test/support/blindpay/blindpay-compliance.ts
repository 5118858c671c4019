// What the compliance team of the simulated BlindPay does: requests for information, new terms, and
// the activity code of companies. By the guides "RFI", "Terms of Service" and "Customers".
import { DAY_MS } from '../../../core/domain/base/instant.js';
import { type Answer, found, need, ok, Refusal } from './blindpay-answers.js';
import { type Customer, type Fields, newId } from './blindpay-objects.js';

export const RFI_LIFE_MS = 27 * DAY_MS;

export interface RfiField {
  readonly key: string;
  readonly label: string;
  readonly required: boolean;
  readonly regex?: string;
  readonly items?: readonly { readonly label: string; readonly value: string }[];
  readonly multiple?: boolean;
}
export interface RfiSection {
  readonly title: string;
  readonly description: string;
  readonly fields: readonly RfiField[];
}
export interface Rfi extends Fields {
  readonly id: string;
  readonly customer_id: string;
  readonly request: readonly RfiSection[];
  readonly expires_at: string;
  status: 'pending' | 'submitted' | 'expired' | 'cancelled';
  response: Fields;
}

/** The request in the example of the guide. */
export const addressAgain: RfiSection = {
  title: 'Proof of Address',
  description: "The Proof of Address attached doesn't match the address provided.",
  fields: [
    {
      key: 'proof_of_address_doc_type',
      label: 'Proof of Address Type',
      required: true,
      items: [
        { label: 'Utility Bill', value: 'UTILITY_BILL' },
        { label: 'Bank Statement', value: 'BANK_STATEMENT' },
      ],
    },
    {
      key: 'proof_of_address_doc_file',
      label: 'Proof of Address File',
      required: true,
      regex: '^https://[^\\s]+$',
    },
  ],
};

/** A question that no field of a customer answers. */
export const question: RfiSection = {
  title: 'Business Description',
  description: "The business description doesn't match the company's website.",
  fields: [{ key: 'business_description_explanation', label: 'Explanation', required: true }],
};

/** The parts of the instance that it changes. */
interface Instance {
  readonly customers: readonly Customer[];
  readonly kycDelayMs: number;
  /** Where people accept the terms. */
  readonly appUrl: string;
  setKyc(id: string, status: string): void;
  schedule(afterMs: number, run: () => void): void;
  fire(event: string, object: object): void;
}

export class BlindPayCompliance {
  readonly rfis: Rfi[] = [];
  /** By the id of an acceptance: the customer that it serves, if it serves one. */
  readonly terms = new Map<string, string | null>();
  /** Off: a customer is created with any terms, as if they had been accepted for it. */
  checksTerms = true;
  readonly #state: Instance;
  readonly #nowMs: () => number;

  constructor(state: Instance, nowMs: () => number) {
    this.#state = state;
    this.#nowMs = nowMs;
  }

  /** `compliance_request`, or `approved_rfi` for a customer that stays approved. */
  ask(
    customerId: string,
    request: readonly RfiSection[],
    status: 'compliance_request' | 'approved_rfi' = 'compliance_request',
  ): Rfi {
    const nowMs = this.#nowMs();
    const rfi: Rfi = {
      id: newId('rfi', this.rfis.length + 1),
      customer_id: customerId,
      instance_id: 'in_000000000001',
      status: 'pending',
      request,
      response: {},
      expires_at: new Date(nowMs + RFI_LIFE_MS).toISOString(),
      submitted_at: null,
      created_at: new Date(nowMs).toISOString(),
    };
    this.rfis.push(rfi);
    this.#state.setKyc(customerId, status);
    this.#state.schedule(RFI_LIFE_MS, () => {
      if (rfi.status !== 'pending') return;
      rfi.status = 'expired';
      if (status === 'compliance_request') this.#state.setKyc(customerId, 'rejected');
    });
    return rfi;
  }

  open(customerId: string): Rfi | null {
    found(this.#state.customers, customerId, 'CUSTOMERS_NOT_FOUND');
    const open = this.rfis.find(
      (rfi) => rfi.customer_id === customerId && rfi.status === 'pending',
    );
    return open ?? null;
  }

  answer(customerId: string, body: Fields): Answer {
    const rfi = this.open(customerId);
    if (rfi === null) throw new Refusal(404, 'COMPLIANCE_RFI_NOT_FOUND');
    const fields = rfi.request.flatMap((section) => section.fields);
    const unknown = Object.keys(body).filter((key) => !fields.some((field) => field.key === key));
    const wrong = fields.filter((field) => !isAnswered(field, body[field.key]));
    if (unknown.length + wrong.length > 0) {
      const keys = [...unknown, ...wrong.map(({ key }) => key)];
      throw new Refusal(400, 'COMPLIANCE_RFI_INVALID', keys.join(', '));
    }
    Object.assign(rfi, { status: 'submitted', response: body });
    const stays = this.#customer(customerId).kyc_status === 'approved_rfi';
    this.#state.setKyc(customerId, stays ? 'approved' : 'verifying');
    if (!stays) {
      this.#state.schedule(this.#state.kycDelayMs, () =>
        this.#state.setKyc(customerId, 'approved'),
      );
    }
    return ok({ success: true });
  }

  /** The team closes the request without an answer. */
  cancel(rfi: Rfi, status: string): void {
    rfi.status = 'cancelled';
    this.#state.setKyc(rfi.customer_id, status);
  }

  startTos(body: Fields): Answer {
    need(body, ['idempotency_key']);
    const query = new URLSearchParams({ session_token: 'token' });
    query.set('idempotency_key', `${body['idempotency_key']}`);
    query.set('redirect_url', `${body['redirect_url']}`);
    if (body['customer_id']) query.set('customer_id', `${body['customer_id']}`);
    return ok({ url: `${this.#state.appUrl}/e/terms-of-service?${query}` });
  }

  /** A person accepts the terms in the browser; with a customer, a new version. */
  accept(tosId: string, sessionKey: string, customerId: string | null = null): void {
    this.terms.set(tosId, customerId);
    if (customerId !== null) this.#customer(customerId)['is_tos_accepted'] = true;
    const about = customerId === null ? {} : { customer_id: customerId };
    const accepted = { tos_id: tosId, idempotency_key: sessionKey, version: '1.0.1' };
    this.#state.fire('tos.accept', { ...accepted, ...about });
  }

  /** A new version: what every customer has accepted is of the one before. */
  newTerms(): void {
    for (const customer of this.#state.customers) customer['is_tos_accepted'] = false;
  }

  /** The terms of a new customer; each serves one. */
  useTerms(tosId: unknown, customerId: string): void {
    if (!this.checksTerms || typeof tosId !== 'string') return;
    const user = this.terms.get(tosId);
    if (user === undefined) throw new Refusal(404, 'TOS_NOT_FOUND');
    if (user !== null) throw new Refusal(409, 'TOS_ALREADY_ACCEPTED');
    this.terms.set(tosId, customerId);
  }

  /** Approved on the condition that the activity code is corrected; checked at its time. */
  expectCnae(customerId: string, codes: readonly string[], dueMs: number): void {
    const condition = { status: 'pending', expected_cnaes: codes };
    const due_at = new Date(this.#nowMs() + dueMs).toISOString();
    this.#customer(customerId)['cnae_condition'] = { ...condition, due_at };
    this.#state.setKyc(customerId, 'approved');
    this.#state.schedule(dueMs, () => {
      const customer = this.#customer(customerId);
      customer['cnae_condition'] = { ...condition, status: 'failed', due_at };
      customer['kyc_warnings'] = [{ code: 'CNAE_MISMATCH', message: 'x' }];
      this.#state.setKyc(customerId, 'rejected');
    });
  }

  #customer(id: string): Customer {
    return found(this.#state.customers, id, 'CUSTOMERS_NOT_FOUND');
  }
}

function isAnswered({ required, regex, items, multiple }: RfiField, value: unknown): boolean {
  if (value === undefined || value === '') return !required;
  const texts = multiple ? value : [value];
  if (!Array.isArray(texts) || texts.length > 20) return false;
  return texts.every((text) => {
    if (typeof text !== 'string') return false;
    const isOffered = items === undefined || items.some((item) => item.value === text);
    return isOffered && (regex === undefined || new RegExp(regex).test(text));
  });
}
