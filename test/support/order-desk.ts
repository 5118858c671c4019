// One payment over the real use cases, and a partner whose books the test writes: the test says how
// calls end, what a look-up finds and what is reported. Nothing runs by itself.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { PartnerCommand } from '../../core/domain/partner-command.js';
import type { Payment } from '../../core/domain/payment.js';
import type { Quote } from '../../core/domain/quote.js';
import type { PayinReport, PayoutReport } from '../../core/domain/report-check.js';
import { type Tenant, tenantOf } from '../../core/domain/tenant.js';
import type {
  Deps,
  PartnerAnswer,
  PartnerFact,
  RefundReport,
  SettlementPartner,
} from '../../core/ports.js';
import { confirmQuote } from '../../core/usecases/buyers.js';
import { commandRunner } from '../../core/usecases/commands.js';
import { createPayment, readPayment } from '../../core/usecases/payments.js';
import { advancePayment } from '../../core/usecases/sandbox.js';
import { applyFact } from '../../core/usecases/settlement.js';
import { type World, world } from './small-world.js';

export type MoneyKind = 'payin' | 'payout' | 'refund';
type Report = PayinReport | PayoutReport | RefundReport;

/** How a call ends; `unknown` and `refused` may leave an order behind. */
interface CallEnd {
  readonly outcome: PartnerAnswer<never>['outcome'];
  readonly effect: boolean;
}

const AMOUNT_MINOR = 10_000n;
const fine: CallEnd = { outcome: 'done', effect: true };

export interface OrderDesk {
  readonly made: World;
  readonly deps: Deps;
  readonly tenant: Tenant;
  readonly paymentId: string;
  /** The report of a payout that completed as the quote said. */
  readonly paid: PayoutReport;
  /** Every call to start or find an order: `start payout`. */
  readonly calls: string[];
  /** What the partner has, by our reference. */
  readonly books: Map<string, { readonly kind: MoneyKind; report: Report }>;
  /** How the next calls of this kind end, one after the other; then they are fine. */
  readonly ends: Record<MoneyKind, CallEnd[]>;
  /** Answers of look-ups and questions instead of the books; null: the books. */
  lookUp: PartnerAnswer<never> | null;
  question: PartnerAnswer<never> | null;
  /** Called in the middle of a call or a question, after the partner made its answer. */
  meanwhile: (call: string) => Promise<void>;
  /** Workers do what is due. */
  work(): Promise<void>;
  later(ms: number): Promise<void>;
  /** The newest order of the kind. */
  order(kind: MoneyKind): Promise<PartnerCommand>;
  orders(): Promise<readonly PartnerCommand[]>;
  /** A message of the partner about the newest order of the kind. */
  message(kind: MoneyKind, report: Partial<PayinReport & PayoutReport>): Promise<void>;
  status(): Promise<string>;
  alerts(): readonly unknown[];
}

/** A payment of 100.00 USD whose quote was just confirmed. */
export async function orderDesk(t: TestContext): Promise<OrderDesk> {
  const made = await world();
  t.after(() => made.close());
  const tenant: Tenant = { orgId: await made.organization(), mode: 'test' };
  const { payment } = await createPayment(made.deps, tenant, {
    origin: 'payment_intent',
    idempotencyKey: null,
    externalId: null,
    amount: { amountMinor: AMOUNT_MINOR, currency: 'USD' },
    buyer: { email: 'buyer@example.com', name: null, country: null, phone: null },
    sellerExternalId: null,
    returnUrl: null,
    display: null,
    metadata: '{}',
    expiresAtMs: null,
  });
  await advancePayment(made.deps, tenant, payment.id, 'fx_quoted');
  for (let look = 0; look < 4; look += 1) {
    await made.settle();
    made.advanceClock(1_000);
  }
  const shown = await readPayment(made.deps, tenant, payment.id);
  const quoteId = shown.payment.quoteId ?? '';
  const quoted = await confirmQuote(made.deps, tenant, payment.id, quoteId);
  const quote = await made.deps.store.run((tx) => tx.quotes.get(tenant, quoteId));
  assert.ok(quote !== null);
  return new Desk(made, quoted.payment, quote);
}

class Desk implements OrderDesk {
  readonly made: World;
  readonly tenant: Tenant;
  readonly paymentId: string;
  readonly paid: PayoutReport;
  readonly deps: Deps;
  readonly calls: string[] = [];
  readonly books: OrderDesk['books'] = new Map();
  readonly ends: OrderDesk['ends'] = { payin: [], payout: [], refund: [] };
  lookUp: PartnerAnswer<never> | null = null;
  question: PartnerAnswer<never> | null = null;
  meanwhile: OrderDesk['meanwhile'] = async () => undefined;

  constructor(made: World, payment: Payment, quote: Quote) {
    this.made = made;
    this.tenant = tenantOf(payment);
    this.paymentId = payment.id;
    const { target: settled, fees, rate: fxRate } = quote;
    this.paid = { ...reports.payout, status: 'completed', settled, fees, fxRate };
    this.deps = { ...made.deps, partners: { test: this.#partner(), live: null } };
  }

  async work(): Promise<void> {
    const runner = commandRunner(this.deps);
    while ((await runner.runOnce(this.deps.clock.nowMs(), 10)) > 0) await runner.idle();
  }

  async later(ms: number): Promise<void> {
    this.made.advanceClock(ms);
    await this.work();
  }

  orders(): Promise<readonly PartnerCommand[]> {
    return this.deps.store.run((tx) => tx.commands.ofPayment(this.tenant, this.paymentId));
  }

  async order(kind: MoneyKind): Promise<PartnerCommand> {
    const found = (await this.orders()).findLast((order) => order.kind === kind);
    return found ?? assert.fail(`no ${kind} was ordered`);
  }

  async message(kind: MoneyKind, fields: Partial<PayinReport & PayoutReport>): Promise<void> {
    const { id, reference } = await this.order(kind);
    const report = { ...reports[kind], ...fields };
    const fact = { kind, reference, partnerRef: `partner_${reference}`, report };
    await applyFact(this.deps, id, fact as PartnerFact);
  }

  async status(): Promise<string> {
    return (await readPayment(this.deps, this.tenant, this.paymentId)).payment.status;
  }

  alerts(): readonly unknown[] {
    const alerts = this.made.log.filter(({ message }) => message === 'alert');
    return alerts.map(({ fields }) => fields['alert']);
  }

  #partner(): SettlementPartner {
    const prepare = async (order: { readonly reference: string }) =>
      ({ outcome: 'done', value: order.reference }) as const;
    return {
      ...this.made.partner,
      ...{ preparePayin: prepare, preparePayout: prepare, prepareRefund: prepare },
      startPayin: (reference) => this.#start('payin', reference),
      startPayout: (reference) => this.#start('payout', reference),
      startRefund: (reference) => this.#start('refund', reference),
      findPayin: (reference) => this.#find('payin', reference),
      findPayout: (reference) => this.#find('payout', reference),
      findRefund: (reference) => this.#find('refund', reference),
      payin: (partnerRef) => this.#ask(partnerRef) as Promise<PartnerAnswer<PayinReport>>,
      payout: (partnerRef) => this.#ask(partnerRef) as Promise<PartnerAnswer<PayoutReport>>,
      refund: (partnerRef) => this.#ask(partnerRef) as Promise<PartnerAnswer<RefundReport>>,
    };
  }

  async #start(kind: MoneyKind, reference: string) {
    this.calls.push(`start ${kind}`);
    const { outcome, effect } = this.ends[kind].shift() ?? fine;
    if (effect && !this.books.has(reference)) {
      this.books.set(reference, { kind, report: reports[kind] });
    }
    await this.meanwhile(`start ${kind}`);
    return outcome === 'done' ? accepted(reference) : answers[outcome];
  }

  async #find(kind: MoneyKind, reference: string) {
    this.calls.push(`find ${kind}`);
    if (this.lookUp !== null) return this.lookUp;
    if (this.books.has(reference)) return accepted(reference);
    return { outcome: 'done', value: null } as const;
  }

  async #ask(partnerRef: string): Promise<PartnerAnswer<Report>> {
    if (this.question !== null) return this.question;
    const order = this.books.get(partnerRef.slice('partner_'.length));
    assert.ok(order !== undefined, 'only orders that exist are asked about');
    const { report } = order;
    await this.meanwhile(`ask ${order.kind}`);
    return { outcome: 'done', value: report };
  }
}

function accepted(reference: string) {
  const value = { partnerRef: `partner_${reference}`, instructions: '{"iban":"x"}' };
  return { outcome: 'done', value } as const;
}

/** What ends a call other than with an order. */
export const answers = {
  refused: { outcome: 'refused', code: 'account_blocked', message: 'The account is blocked.' },
  later: { outcome: 'later', reason: 'busy' },
  unknown: { outcome: 'unknown', reason: 'no answer' },
} as const;

/** Reports of open orders. */
const reports = {
  payin: { status: 'open', receivedMinor: 0n, transactionHash: null, reason: null },
  payout: {
    ...{ status: 'open', settled: null, fxRate: null, fees: null, endToEndId: null, reason: null },
  },
  refund: { status: 'open', reason: null },
} as const satisfies Record<MoneyKind, Report>;

export const completed = {
  payin: { ...reports.payin, status: 'completed', receivedMinor: AMOUNT_MINOR },
  refund: { status: 'completed', reason: null },
} as const;
