// Ponte as a payment provider of Medusa v2. A payment is authorized and captured at once, when it
// is settled: until then an order waits for it, because a bank transfer takes hours or days.
import { type components, createPonteClient, type PonteClient } from 'ponte-payments/client';
import { constructEvent } from 'ponte-payments/webhooks';

export interface PonteOptions {
  /** The URL of the service. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The secret of the subscription that sends to Medusa's hook route. */
  readonly webhookSecret: string;
  /** Where the buyer returns to. */
  readonly returnUrl?: string;
  /** What orders are for, and who pays them: some hosts make no payment without both. */
  readonly facts?: Pick<components['schemas']['CreatePaymentIntent'], 'purpose' | 'payerRelation'>;
}

type Data = Record<string, unknown>;
interface Input {
  readonly data?: Data;
  readonly context?: { readonly customer?: { readonly email: string } };
}
interface AmountInput extends Input {
  /** A number, a text or a BigNumber of Medusa, in units: 250 is 250.00. */
  readonly amount: unknown;
  readonly currency_code: string;
}
interface HookInput {
  readonly rawData: string | Buffer;
  readonly headers: Record<string, unknown>;
}
export type SessionStatus = 'pending' | 'pending_authorization' | 'captured' | 'canceled' | 'error';
interface HookResult {
  readonly action: 'captured' | 'canceled' | 'failed' | 'not_supported';
  readonly data?: { readonly session_id: string; readonly amount: number };
}
type Payment = NonNullable<Awaited<ReturnType<typeof readPayment>>>;

/** Medusa shows the message of an error of this form; others are "An unknown error". */
export class Refused extends Error {
  readonly __isMedusaError = true;
  readonly type = 'not_allowed';
}

const ended: Readonly<Record<string, SessionStatus>> = {
  settled: 'captured',
  cancelled: 'canceled',
  expired: 'canceled',
  failed: 'error',
};

const actions: Readonly<Record<string, HookResult['action']>> = {
  'payment_intent.settled': 'captured',
  'payment_intent.cancelled': 'canceled',
  'payment_intent.expired': 'canceled',
  'payment_intent.failed': 'failed',
};

export class PonteProvider {
  static readonly identifier = 'ponte';
  readonly #ponte: PonteClient;
  readonly #options: PonteOptions;
  readonly #warn: (text: string) => void;

  constructor(
    { logger }: { readonly logger?: { warn(text: string): void } },
    options: PonteOptions,
  ) {
    this.#ponte = clientOf(options);
    this.#options = options;
    this.#warn = (text) => logger?.warn(text);
  }

  static validateOptions(options: Partial<PonteOptions>): void {
    for (const name of ['baseUrl', 'apiKey', 'webhookSecret'] as const) {
      if (!options[name]) throw new Refused(`Ponte needs the option ${name}.`);
    }
  }

  getIdentifier(): string {
    return PonteProvider.identifier;
  }

  /** `data` of a session is shown to the storefront: it leads the buyer to `hostedPaymentUrl`. */
  async initiatePayment(input: AmountInput) {
    const payment = await this.#create(input);
    return { id: payment.id, status: 'pending' as const, data: dataOf(payment, input) };
  }

  /** An amount of Ponte never changes: another amount is another payment, and the old one ends. */
  async updatePayment(input: AmountInput) {
    const old = String(input.data?.id);
    const payment = await this.#create(input);
    if (payment.id !== old) await this.cancelPayment({ data: { id: old } });
    return { status: 'pending' as const, data: dataOf(payment, input) };
  }

  async authorizePayment(input: Input) {
    return this.getPaymentStatus(input);
  }

  async getPaymentStatus(input: Input) {
    const payment = await this.#read(input);
    return { status: statusOf(payment), data: dataOf(payment, input) };
  }

  async retrievePayment(input: Input) {
    return { data: dataOf(await this.#read(input), input) };
  }

  /** Ponte collects by itself: Medusa only notes what is settled. */
  async capturePayment(input: Input) {
    const payment = await this.#read(input);
    if (payment.status === 'settled') return { data: dataOf(payment, input) };
    throw new Refused(`The payment is ${payment.status}: it is captured when it is settled.`);
  }

  async cancelPayment(input: Input) {
    const payment = await this.#read(input);
    if (payment.status in ended && payment.status !== 'settled') {
      return { data: dataOf(payment, input) };
    }
    const path = { id: payment.id };
    const { data, error } = await this.#ponte.POST('/v1/payment-intents/{id}/cancel', {
      params: { path },
      body: { reason: 'cancelled in the shop' },
    });
    if (error) throw new Refused(`Ponte does not cancel the payment: ${error.message}`);
    return { data: dataOf(data, input) };
  }

  async deletePayment(input: Input) {
    // The session may have ended before Ponte knew of it.
    return input.data?.id === undefined ? {} : this.cancelPayment(input);
  }

  async refundPayment(_: Input): Promise<never> {
    throw new Refused(
      'Ponte has paid the seller in BRL, and refunds only what was not paid out. Pay the buyer ' +
        'back by bank transfer, and note it in the order.',
    );
  }

  /**
   * Medusa has answered 200 before it calls this, and repeats nothing: what is lost here, the feed
   * has (catch-up.ts). It drops a result without `session_id`, so each payment carries it.
   */
  async getWebhookActionAndData({ rawData, headers }: HookInput): Promise<HookResult> {
    const header = headers['x-service-signature'] as string | undefined;
    try {
      const secret = this.#options.webhookSecret;
      const { event, data } = constructEvent({ secret, header, body: rawData });
      return sessionAction(event, data);
    } catch (error) {
      this.#warn(`A webhook of Ponte was dropped: ${error instanceof Error ? error.message : ''}`);
      return { action: 'not_supported' };
    }
  }

  async #create({ amount, currency_code, data = {}, context }: AmountInput) {
    const session = String(data.session_id);
    const email = data.email ?? context?.customer?.email;
    if (typeof email !== 'string') {
      throw new Refused('Ponte needs the address of the buyer: send data.email with the session.');
    }
    const price = decimal(amount);
    const currency = currency_code.toUpperCase();
    const { returnUrl, facts } = this.#options;
    const { data: payment, error } = await this.#ponte.POST('/v1/payment-intents', {
      body: {
        // A repeat returns the same payment, also after a crash of Medusa.
        externalId: `${session}.${price}.${currency}`,
        amount: price,
        currency: currency as 'USD',
        buyer: { email },
        metadata: { session_id: session },
        ...facts,
        ...(returnUrl === undefined ? {} : { returnUrl }),
        ...(typeof data.expires_at === 'string' ? { expiresAt: data.expires_at } : {}),
      },
    });
    if (error) throw new Refused(`Ponte makes no payment: ${error.message}`);
    return payment;
  }

  async #read({ data }: Input): Promise<Payment> {
    const payment = await readPayment(this.#ponte, String(data?.id));
    if (payment === null) throw new Refused(`Ponte has no payment ${data?.id}.`);
    return payment;
  }
}

export function clientOf({ baseUrl, apiKey }: PonteOptions): PonteClient {
  return createPonteClient({ baseUrl, apiKey });
}

/** What Medusa does about an event; by webhook and by feed the same. */
export function sessionAction(event: string, data: object): HookResult {
  const { metadata, amount } = data as {
    readonly metadata?: Data | null;
    readonly amount?: string;
  };
  const session_id = metadata?.session_id;
  if (typeof session_id !== 'string') return { action: 'not_supported' };
  const action = actions[event] ?? 'not_supported';
  return { action, data: { session_id, amount: Number(amount) } };
}

export function statusOf({ status }: { readonly status: string }): SessionStatus {
  return ended[status] ?? 'pending_authorization';
}

export async function readPayment(ponte: PonteClient, id: string) {
  const { data, error } = await ponte.GET('/v1/payment-intents/{id}', { params: { path: { id } } });
  if (error?.error === 'NotFound') return null;
  if (error) throw new Error(`Ponte: ${error.message}`);
  return data;
}

function dataOf(payment: Payment, { data = {} }: Input): Data {
  const { id, status, hostedPaymentUrl, brlSettledAmount } = payment;
  return { ...data, id, status, hostedPaymentUrl, brlSettledAmount };
}

/** Medusa's BigNumber has its exact text in `value` or `numeric`. */
function decimal(amount: unknown): string {
  const { value, numeric } = Object(amount) as { value?: unknown; numeric?: unknown };
  const text = String(value ?? numeric ?? amount);
  const [, units, cents = ''] = /^([0-9]+)(?:\.([0-9]{1,2})0*)?$/.exec(text) ?? [];
  if (units === undefined) throw new Refused(`${text} is no amount with two decimals.`);
  return `${units}.${cents.padEnd(2, '0')}`;
}
