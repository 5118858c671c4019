// A settlement partner with the least that the port requires. It accepts every order, completes it
// immediately, and keeps orders in memory. CONTRIBUTING.md uses it as the start of a new adapter.
import { MINUTE_MS } from '../../core/domain/instant.js';
import { type Money, money } from '../../core/domain/money.js';
import type { PayinInstructions } from '../../core/domain/payin-instructions.js';
import type {
  AcceptedOrder,
  OrderApi,
  PartnerAnswer,
  PayinOrder,
  PayoutOrder,
  ReceiverOrder,
  RefundOrder,
  SettlementPartner,
} from '../../core/ports/partner.js';

export interface BankPartner extends SettlementPartner {
  /** Kind and reference of each order, in the order in which they were started. */
  readonly started: readonly string[];
}

export function createBankPartner({ clock }: { clock: { nowMs(): number } }): BankPartner {
  const started: string[] = [];
  const orderApi = orderApis(started);
  const brl = (amountMinor: bigint) => money(amountMinor * 5n, 'BRL');
  const approved = { status: 'approved', reason: null } as const;
  const completed = { status: 'completed', reason: null } as const;
  return {
    started,
    name: 'bank',
    currencies: ['USD'],
    callTimeoutMs: 5_000,
    effectWithinMs: MINUTE_MS,
    notes: { signatureHeader: 'Bank-Signature', testValues: [] },
    requirements: () => [],
    startTos: async ({ redirectUrl }) => done({ url: redirectUrl }),
    receiver: orderApi<ReceiverOrder, typeof approved>(
      'receiver',
      () => ({ report: approved }),
      () => approved,
    ),
    payin: orderApi(
      'payin',
      ({ quote }: PayinOrder) => ({ instructions: instructionsFor(quote.source) }),
      ({ quote }) => ({
        ...completed,
        transactionHash: null,
        receivedMinor: quote.source.amountMinor,
      }),
    ),
    payout: orderApi('payout', nothing, ({ amount }: PayoutOrder) => ({
      ...completed,
      ...{ fxRate: '5', endToEndId: 'E1' },
      ...{ settled: brl(amount.amountMinor), fees: money(0n, amount.currency) },
    })),
    refund: orderApi('refund', nothing, ({ amount }: RefundOrder) => ({ ...completed, amount })),
    registerPixDestination: async ({ key }) => done({ destinationRef: `pix_${key}` }),
    provisionRails: async ({ key }) => done({ virtualAccountRef: `account_${key}` }),
    quote: async ({ source }) =>
      done({
        ...{ partnerQuoteId: 'quote', source, fees: money(0n, source.currency), rate: '5' },
        ...{ target: brl(source.amountMinor), rateKind: 'indicative', lockedUntilMs: null },
        expiresAtMs: clock.nowMs() + MINUTE_MS,
      }),
    findOrder: async () => done(null),
    readInbound: () => null,
  };
}

/** The calls of each kind of order. `started` gets the orders that are started. */
function orderApis(started: string[]) {
  return <Order extends { readonly reference: string }, Report>(
    kind: string,
    answer: (order: Order) => Omit<AcceptedOrder, 'partnerRef'>,
    report: (order: Order) => Report,
  ): OrderApi<Order, Report> => {
    const prepared = new Map<string, Order>();
    const nameOf = (reference: string) => `${kind} ${reference}`;
    return {
      prepare: async (order) => {
        prepared.set(order.reference, order);
        return done(order.reference);
      },
      start: async (reference) => {
        const order = prepared.get(reference);
        if (order === undefined) return absent;
        if (!started.includes(nameOf(reference))) started.push(nameOf(reference));
        return done({ partnerRef: nameOf(reference), ...answer(order) });
      },
      find: async (reference) => {
        const order = prepared.get(reference);
        const isThere = order !== undefined && started.includes(nameOf(reference));
        return done(isThere ? { partnerRef: nameOf(reference), ...answer(order) } : null);
      },
      read: async (partnerRef) => {
        const order = prepared.get(partnerRef.slice(nameOf('').length));
        return order === undefined ? absent : done(report(order));
      },
    };
  };
}

/** The account is the payer's, so the transfer needs no reference. */
function instructionsFor(amount: Money): PayinInstructions {
  return {
    rails: [
      { rail: 'wire', fields: [{ name: 'accountNumber', value: '1' }], arrivesWithinDays: null },
    ],
    ...{ amount, reference: null, referenceRequired: false, holder: 'partner', payByMs: null },
  };
}

const nothing = () => ({});
const absent = { outcome: 'refused', code: 'absent', message: 'absent' } as const;

function done<T>(value: T): PartnerAnswer<T> {
  return { outcome: 'done', value };
}
