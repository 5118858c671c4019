// Random payments of the whole service over a partner, and what they moved by the books of that
// partner and by the decisions of operators: never by our own ledger.
import assert from 'node:assert/strict';
import { createFakePartner, type FakePartner } from '../../../../adapters/partner/fake.js';
import {
  type FakeMemory,
  memoryOver,
  type StoredTransaction,
} from '../../../../adapters/partner/fake-memory.js';
import { readPayin, referenceIn } from '../../../../adapters/partner/fake-transaction.js';
import { done } from '../../../../adapters/partner-kit/conformance-harness.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { type Money, money, parseAmount } from '../../../../core/domain/base/money.js';
import { isMoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import type { PaymentStatus } from '../../../../core/domain/payments/payment.js';
import { simulatedEvents } from '../../../../core/domain/payments/simulated-event.js';
import { isCode } from '../../../../core/errors.js';
import { payConsolidated } from '../../../../core/usecases/hosted/consolidated-payments.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import {
  type ListedCandidate,
  listQueues,
  type QueueRow,
} from '../../../../core/usecases/money-desk/money-queues.js';
import type { DeskRequest } from '../../../../core/usecases/money-desk/service-items.js';
import type { CreatePaymentInput } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { createPonte, type Ponte } from '../../../../host/embed.js';
import { SeededRandom } from '../../../simulation/seeded-random.js';
import {
  FAILS_MINOR,
  PAYIN_FEE_MINOR,
  RETURNS_MINOR,
  type Transaction,
} from '../../../support/blindpay/blindpay-objects.js';
import { openPonte, readySeller } from '../../../support/blindpay/blindpay-ponte.js';
import type { BlindPayState } from '../../../support/blindpay/blindpay-state.js';
import { type IntentFields, makeIntent } from '../../../support/scenes/made-payments.js';
import type { SuiteEnd } from '../../../support/suite-end.js';

/** A PIX that reached the seller, in minor units. */
interface Paid {
  readonly amountMinor: bigint;
  readonly feesMinor: bigint;
  readonly settledMinor: bigint;
}

/** What happened to the money of a payment, as those say who moved it. */
export interface Moved {
  /** All that the buyer sent and no bank took back. */
  receivedMinor: bigint;
  /** Refunds of the partner and of operators. */
  refundedMinor: bigint;
  /** What operators paid by their own bank, to buyer or seller. */
  byHandMinor: bigint;
  /** Of payouts that the partner reports as failed, and nobody has decided on. */
  missingMinor: bigint;
  readonly paid: Paid[];
}

/** Half of all payments were booked at it. */
export const BOOKED_RATE = '5.4321';

export class Play {
  /** How often what was done. */
  readonly counts = new Map<string, number>();
  readonly moved = new Map<string, Moved>();
  /** Of the payments that were booked at BOOKED_RATE. */
  readonly booked = new Set<string>();
  readonly ids: string[] = [];
  /** Commands that operators have decided on. */
  readonly decided = new Set<string>();
  /** Money that is of no payment yet, by currency. */
  readonly unmatched = new Map<string, bigint>();
  readonly #paidAgain = new Set<string>();

  readonly ponte: Ponte;
  readonly random: SeededRandom;

  constructor(ponte: Ponte, seed: number) {
    this.ponte = ponte;
    this.random = new SeededRandom(seed);
  }

  readonly count = (what: string): void => {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  };

  movedOf(id: string): Moved {
    const known = this.moved.get(id);
    const none = { receivedMinor: 0n, refundedMinor: 0n, byHandMinor: 0n, missingMinor: 0n };
    const made = known ?? { ...none, paid: [] };
    this.moved.set(id, made);
    return made;
  }

  async create(fields: IntentFields & Pick<CreatePaymentInput, 'amount'>): Promise<string> {
    const isBooked = this.random.chance(0.5);
    const facts = { purpose: 'services', payerRelation: 'unrelated' } as const;
    const bookedRate = isBooked ? BOOKED_RATE : null;
    const { payment } = await makeIntent(this.ponte.deps, this.ponte.tenant, {
      ...facts,
      bookedRate,
      ...fields,
    });
    this.ids.push(payment.id);
    if (isBooked) this.booked.add(payment.id);
    return payment.id;
  }

  advance(id: string, to: PaymentStatus) {
    return advancePayment(this.ponte.deps, this.ponte.tenant, id, to);
  }

  #timesOf(verb: string): number {
    return this.counts.get(`decided ${verb}`) ?? 0;
  }

  /** Operators decide about all that waits. */
  async #decideAll(): Promise<void> {
    const all = { queue: null, orgId: null, mode: null, after: null, limit: 1_000 };
    for (const row of await listQueues(this.ponte.deps, all)) await this.#decide(row);
  }

  async #decide(row: QueueRow): Promise<void> {
    if (row.known.kind === 'deposit') return this.#assign(row.id, row.known.candidates);
    const { paymentId, id, amount, kind } = row;
    const possible = row.steps.filter((step) => {
      if (step === 'pay_again' && this.#paidAgain.has(paymentId ?? '')) return false;
      return ['refund', 'refund_buyer', 'pay_again', 'paid_by_hand', 'write_off'].includes(step);
    });
    if (possible.length === 0 || paymentId === null) return;
    const { feesMinor, settledMinor } = await this.#quoted(paymentId);
    const figures = { settledMinor, feesMinor, endToEndId: `E${id}` };
    // The order of the rows follows from random ids: each verb gets its turn in every play.
    for (const verb of possible.toSorted((a, b) => this.#timesOf(a) - this.#timesOf(b))) {
      const request = { verb, ...(verb === 'paid_by_hand' ? figures : {}) } as DeskRequest;
      const asked = { itemId: id, request, evidence: 'bank reference 1', replace: false };
      const isDone = await unlessConflict(
        decide(this.ponte.deps, { ...asked, operator: developmentOperator }),
      );
      if (!isDone) continue;
      this.count(`decided ${verb}`);
      this.decided.add(id);
      const moved = this.movedOf(paymentId);
      const { amountMinor } = amount;
      if (verb === 'pay_again') this.#paidAgain.add(paymentId);
      if (verb === 'paid_by_hand') {
        moved.byHandMinor += amountMinor;
        moved.paid.push({ amountMinor, feesMinor, settledMinor });
      }
      if (verb === 'refund' && kind === 'refund') {
        moved.refundedMinor += amountMinor;
        moved.byHandMinor += amountMinor;
      }
      return;
    }
  }

  /** Half of what nobody ordered is for one of the payments that wait. */
  async #assign(itemId: string, candidates: readonly ListedCandidate[]): Promise<void> {
    if (candidates.length === 0 || this.random.chance(0.5)) return;
    const { paymentId } = this.random.pick(candidates);
    const request = { verb: 'assign', paymentId } as const;
    const asked = { itemId, request, evidence: null, replace: false };
    const operator = developmentOperator;
    if (await unlessConflict(decide(this.ponte.deps, { ...asked, operator })))
      this.count('decided assign');
  }

  /** As it was quoted, less a centavo. */
  async #quoted(paymentId: string) {
    const { deps, tenant } = this.ponte;
    return deps.store.run(async (tx) => {
      const payment = await tx.payments.get(tenant, paymentId);
      const quote = await tx.quotes.get(tenant, payment?.quoteId ?? '');
      assert.ok(quote !== null, 'its price was confirmed');
      return { feesMinor: quote.fees.amountMinor, settledMinor: quote.target.amountMinor - 1n };
    });
  }

  /** Time for all that is under way, and for those who decide. */
  async finish(between: () => Promise<void> | void): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      await this.ponte.advanceTime(HOUR_MS);
      await this.#decideAll();
      if (round < 2) await between();
    }
    await this.ponte.advanceTime(HOUR_MS);
  }
}

const buyer = { name: 'Copper Ltd', country: 'US', phone: null };

/** Ends of an amount with a meaning for the fake partner, and some without. */
const endings = ['00', '55', '66', '77', '88', '13', '01'] as const;
/** Payments that one transfer pays. */
const TOGETHER = 3;

/** In the currencies of the fake partner; of one in ten groups all payments are paid together. */
export async function playedWithFake(t: SuiteEnd, seed: number, count: number): Promise<Play> {
  const lines: StoredTransaction[] = [];
  const append = (line: StoredTransaction) => void lines.push(line);
  const memory = memoryOver({ refresh: () => undefined, append, lines });
  const partners: FakePartner[] = [];
  const ponte = await createPonte({
    partner: (setup) => {
      const secret = `whsec_${Buffer.from(setup.secret).toString('base64')}`;
      const waits = { delayMs: MINUTE_MS, payins: 'arrive' } as const;
      const made = createFakePartner({ ...setup, ...waits, secret, memory });
      partners.push(made);
      return made;
    },
  });
  t.after(() => ponte.close());
  const play = new Play(ponte, seed);
  const { random } = play;
  const groups: string[][] = [];
  while (play.ids.length < count) {
    const email = `buyer-${groups.length}@buyer.example`;
    const currency = random.pick(['USD', 'EUR', 'GBP']);
    const group: string[] = [];
    for (let made = 0; made < TOGETHER; made += 1) {
      const text = `${random.between(20, 9_000)}.${random.pick(endings)}`;
      const amount = money(parseAmount(text) ?? 0n, currency);
      group.push(await play.create({ amount, buyer: { ...buyer, email } }));
    }
    groups.push(group);
  }
  const together = groups.filter(() => random.chance(0.1));
  for (const group of groups) {
    const to = together.includes(group) ? 'fx_quoted' : 'on_ramp_pending';
    for (const id of group) await play.advance(id, to);
  }
  await play.ponte.advanceTime(2 * MINUTE_MS);
  for (const group of together) await payTogether(play, group);
  for (let round = 0; round < 4; round += 1) {
    for (const id of play.ids) if (random.chance(0.3)) await happens(play, id);
    await ponte.advanceTime(MINUTE_MS);
  }
  await play.finish(async () => {
    for (const id of play.ids) if (random.chance(0.1)) await happens(play, id);
  });
  const [partner = assert.fail()] = partners;
  await readFake(play, partner, memory);
  return play;
}

async function payTogether(play: Play, ids: readonly string[]): Promise<void> {
  const { deps } = play.ponte;
  const payments = await deps.store.run((tx) => Promise.all(ids.map((id) => tx.payments.find(id))));
  const accepted = payments.map((one) => ({
    paymentId: one?.id ?? '',
    quoteId: one?.quoteId ?? null,
  }));
  await payConsolidated(deps, payments[0]?.publicId ?? '', accepted, 'en');
  play.count('paid together');
}

/** A random event that is possible now. */
async function happens(play: Play, id: string): Promise<void> {
  const event = play.random.pick(
    simulatedEvents.filter((one) => /^(money|payout|refund)_/.test(one)),
  );
  const { deps, tenant } = play.ponte;
  if (await unlessConflict(simulate(deps, tenant, id, event))) play.count(event);
}

/** False if the payment does not allow it now: then nothing was changed. */
async function unlessConflict(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (isCode(error, 'PaymentStateConflict') || isCode(error, 'DecisionNotAllowed')) return false;
    throw error;
  }
}

/** The partner's own books, each transaction as it ended. */
async function readFake(play: Play, partner: FakePartner, memory: FakeMemory): Promise<void> {
  const { store } = play.ponte.deps;
  const ownerOf = async (reference: string) => {
    const command = await store.run((tx) => tx.commands.byReference('test', reference));
    assert.ok(command !== null && isMoneyCommand(command), reference);
    return { ...command, moved: play.movedOf(command.paymentId) };
  };
  for (const { partnerRef, reference } of memory.transactions('test', 'payin')) {
    const { received, status } = done(await partner.payin.read(partnerRef));
    const { amountMinor } = received;
    const isOrdered = readPayin('test', partnerRef)?.payee === null;
    if (isOrdered) (await ownerOf(reference)).moved.receivedMinor += amountMinor;
    // One that is open has not arrived.
    else if (status === 'completed') {
      const name = referenceIn('test', 'payin', partnerRef) ?? '';
      await split(play, { reference: name, partnerRef, ...received });
    }
  }
  for (const { partnerRef, reference } of memory.transactions('test', 'refund')) {
    const { status, amount } = done(await partner.refund.read(partnerRef));
    const { moved } = await ownerOf(reference);
    if (status === 'completed') moved.refundedMinor += amount.amountMinor;
  }
  for (const { partnerRef, reference } of memory.transactions('test', 'payout')) {
    const { status, settled, fees } = done(await partner.payout.read(partnerRef));
    const { id, moved, amount } = await ownerOf(reference);
    const { amountMinor } = amount;
    if (status === 'failed' && !play.decided.has(id)) moved.missingMinor += amountMinor;
    if (status !== 'completed' || settled === null || fees === null) continue;
    const minor = { feesMinor: fees.amountMinor, settledMinor: settled.amountMinor };
    moved.paid.push({ amountMinor, ...minor });
  }
}

/** The first payments are full before the next ones get any; the last one gets the rest. */
async function split(
  play: Play,
  { reference, partnerRef, ...received }: Money & { reference: string; partnerRef: string },
): Promise<void> {
  const { deps, tenant } = play.ponte;
  const members = await deps.store.run((tx) => tx.payments.consolidated(tenant, reference));
  if (members.length === 0) return unordered(play, partnerRef, received);
  const inOrder = play.ids.filter((id) => members.some((one) => one.id === id));
  let leftMinor = received.amountMinor;
  for (const [at, id] of inOrder.entries()) {
    const asked = members.find((one) => one.id === id)?.amount.amountMinor ?? 0n;
    const isLast = at === inOrder.length - 1;
    const share = isLast || leftMinor < asked ? leftMinor : asked;
    play.movedOf(id).receivedMinor += share;
    leftMinor -= share;
  }
}

/** It is of the payment to which it was assigned, if any. */
async function unordered(play: Play, partnerRef: string, received: Money): Promise<void> {
  const { amountMinor, currency } = received;
  const { store } = play.ponte.deps;
  const command = await store.run((tx) => tx.commands.byPartnerRef('test', 'payin', partnerRef));
  if (command !== null && isMoneyCommand(command))
    play.movedOf(command.paymentId).receivedMinor += amountMinor;
  else play.unmatched.set(currency, (play.unmatched.get(currency) ?? 0n) + amountMinor);
}

/** Payments to a seller with a virtual account, into which buyers pay what they like. */
export async function playedWithBlindPay(t: SuiteEnd, seed: number, count: number): Promise<Play> {
  const scene = await openPonte(t, 'jpmorgan');
  const { ponte, server } = scene;
  await readySeller(scene);
  const { state } = server;
  state.payinsWait = true;
  state.limits = null;
  const play = new Play(ponte, seed);
  const { random } = play;
  const special = [FAILS_MINOR, RETURNS_MINOR].map((minor) => minor + PAYIN_FEE_MINOR);
  for (let made = 0; made < count; made += 1) {
    const plain = random.between(10_000, 500_000);
    const amountMinor = random.chance(0.1) ? random.pick(special) : plain;
    const amount = money(BigInt(amountMinor), 'USD');
    const to = { buyer: { ...buyer, email: `buyer-${made % 20}@buyer.example` } };
    const id = await play.create({ amount, ...to, sellerExternalId: 'seller-1' });
    await play.advance(id, 'on_ramp_pending');
  }
  await ponte.advanceTime(MINUTE_MS);
  for (const id of play.ids) await pays(play, state, id);
  await ponte.advanceTime(HOUR_MS);
  for (const id of play.ids) if (random.chance(0.2)) await pays(play, state, id);
  await play.finish(async () => takeBack(play, state));
  await readBlindPay(play, state);
  return play;
}

const transfers = { ordered: 6, whole: 4, short: 2, over: 2 } as const;

/** A buyer pays the pay-in that was ordered, or by a transfer that names the payment. */
async function pays(play: Play, state: BlindPayState, id: string): Promise<void> {
  const { ponte, random } = play;
  const how = random.weighted(transfers);
  const { deps, tenant } = ponte;
  const [payment, commands] = await deps.store.run((tx) =>
    Promise.all([tx.payments.find(id), tx.commands.ofPayment(tenant, id)]),
  );
  const ordered = state.payins.find((one) => one.id === commands[0]?.partnerRef);
  if (ordered === undefined || payment === null) return;
  if (how === 'ordered' ? isPaid(ordered) : payment.status !== 'on_ramp_pending') return;
  play.count(`paid ${how}`);
  if (how === 'ordered') return state.pay(ordered.id);
  const account = state.virtualAccounts.find((one) => one.customer_id === ordered.customer_id);
  const askedMinor = Number(payment.amount.amountMinor);
  const factor = { whole: 1, short: 0.6, over: 1.5 }[how];
  state.deposit({
    virtualAccountId: account?.id ?? '',
    amountMinor: Math.floor(askedMinor * factor),
    description: payment.payinInstructions?.reference ?? '',
  });
}

function isPaid({ status, tracking_payment: payment }: Transaction): boolean {
  return status !== 'processing' || payment.step === 'completed';
}

/** Banks take transfers back, and PIX come back. */
function takeBack({ random, count }: Play, state: BlindPayState): void {
  for (const [all, event] of [
    [state.payins, 'payin.update'],
    [state.payouts, 'payout.update'],
  ] as const) {
    for (const one of all.filter(({ status }) => status === 'completed')) {
      if (!random.chance(0.04)) continue;
      one.status = 'refunded';
      state.fire(event, one);
      count(`taken back: ${event}`);
    }
  }
}

async function readBlindPay(play: Play, { payins, payouts }: BlindPayState): Promise<void> {
  const { store } = play.ponte.deps;
  const ownerOf = async (kind: 'payin' | 'payout', ref: string) => {
    const command = await store.run((tx) => tx.commands.byPartnerRef('test', kind, ref));
    assert.ok(command !== null && isMoneyCommand(command), ref);
    const { id, amount } = command;
    return { id, moved: play.movedOf(command.paymentId), amountMinor: amount.amountMinor };
  };
  for (const { id, sender_amount } of payins.filter(({ status }) => status === 'completed'))
    (await ownerOf('payin', id)).moved.receivedMinor += BigInt(Number(sender_amount));
  for (const payout of payouts) {
    const { id, moved, amountMinor } = await ownerOf('payout', payout.id);
    if (payout.status === 'failed' && !play.decided.has(id)) moved.missingMinor += amountMinor;
    if (payout.status !== 'completed') continue;
    const feesMinor = amountMinor - BigInt(Number(payout['sender_amount']));
    const settledMinor = BigInt(Number(payout['receiver_amount']));
    moved.paid.push({ amountMinor, feesMinor, settledMinor });
  }
}
