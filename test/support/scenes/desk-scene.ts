// Payments whose money waits for an operator, stored as they are after it went wrong, and what
// operators do about them.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { money } from '../../../core/domain/base/money.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import {
  isMoneyCommand,
  type MoneyCommand,
} from '../../../core/domain/commands/partner-command.js';
import { withSettlement } from '../../../core/domain/commands/settlement.js';
import {
  type Deposit,
  depositTenant,
  payerPurpose,
} from '../../../core/domain/deposits/deposit.js';
import { fundsOf, postingsBetween, sumsOf } from '../../../core/domain/payments/funds.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { PartnerFact } from '../../../core/ports/partner.js';
import { applyPartnerUpdate } from '../../../core/usecases/commands/partner-inbox.js';
import {
  confirmProposal,
  type DeskDecision,
  type DeskOutcome,
  decide,
} from '../../../core/usecases/money-desk/money-desk.js';
import { listQueues } from '../../../core/usecases/money-desk/money-queues.js';
import { currentKey } from '../../../core/usecases/service/service-keys.js';
import { changedPartner } from '../partners/changed-partner.js';
import { aDeposit } from '../samples/deposit-samples.js';
import {
  aBarePayment,
  aCommand,
  anOrganization,
  aProfile,
  aQuote,
  someFunds,
  T0,
} from '../samples/domain-samples.js';
import { operatorNamed, registerOperators } from '../samples/operator-samples.js';
import { Books, storeDeposit } from './deposit-scene.js';
import { bookedWorld, type World } from './test-world.js';

export const live: Tenant = { orgId: 'org_a', mode: 'live' };
export const inTest: Tenant = { orgId: 'org_a', mode: 'test' };
export const aPayer = {
  name: 'Blue Parts LLC',
  bank: 'First Bank',
  trace: '0210000',
  texts: ['invoice 7', 'thanks'],
};
export const usd = (amountMinor: bigint) => money(amountMinor, 'USD');

type OrderFields = Partial<MoneyCommand>;

/** A command that the partner accepted, of 100.00 USD. */
export function anOrder(kind: MoneyCommand['kind'], id: string, fields: OrderFields = {}) {
  return aCommand({
    ...live,
    id,
    kind,
    paymentId: 'pi_1',
    amount: usd(10_000n),
    state: 'done',
    end: 'open',
    partnerRef: `pa_${id}`,
    receivedMinor: 0n,
    confirmedMinor: 0n,
    dueAtMs: null,
    payinId: kind === 'refund' ? 'cmd_in' : null,
    review: null,
    request: null,
    leaseToken: null,
    lastError: null,
    lateAtMs: null,
    ...fields,
  });
}

export const paidIn = (receivedMinor = 10_000n, fields: OrderFields = {}) =>
  anOrder('payin', fields.id ?? 'cmd_in', {
    end: 'completed',
    receivedMinor,
    confirmedMinor: receivedMinor,
    ...fields,
  });

export const refusedRefund = (fields: OrderFields = {}) =>
  anOrder('refund', 'cmd_back', {
    state: 'refused',
    partnerRef: null,
    lastError: 'not_supported: no refunds',
    ...fields,
  });

export const failedPayout = (fields: OrderFields = {}) =>
  anOrder('payout', 'cmd_out', { end: 'failed', lastError: 'PIX key closed', ...fields });

export interface DeskFields extends Partial<Pick<DeskDecision, 'evidence' | 'replace'>> {
  readonly operator?: string;
}

export class DeskScene {
  readonly made: Pick<World, 'deps' | 'log'>;
  /** What the partner of live mode has in its books. */
  readonly books = new Books();

  constructor(made: DeskScene['made']) {
    const { test, live: given } = made.deps.partners;
    assert.ok(test !== null, 'a world has a partner');
    const partner = given ?? changedPartner(test, { statement: this.books.statement });
    this.made = { ...made, deps: { ...made.deps, partners: { test, live: partner } } };
  }

  get deps() {
    return this.made.deps;
  }

  /** Stores a payment of 100.00 USD with these commands and the books that follow from them. */
  async payment(
    given: readonly MoneyCommand[],
    { tenant = live, ...fields }: Partial<Payment> & { readonly tenant?: Tenant } = {},
  ): Promise<void> {
    const id = fields.id ?? 'pi_1';
    const of = { ...tenant, paymentId: id };
    const { settlement = null } = fields;
    const commands = given.map((command) =>
      settlement !== null && command.kind === 'payout' && command.end === 'completed'
        ? { ...command, settlements: withSettlement([], settlement, T0) }
        : command,
    );
    const sums = sumsOf(commands);
    const payment = aBarePayment({
      ...tenant,
      id,
      amount: usd(10_000n),
      status: 'failed',
      quoteId: null,
      settlement,
      settledAtMs: settlement === null ? null : T0,
      ...fields,
    });
    const postings = postingsBetween(sumsOf([]), sums, 'USD');
    await this.deps.store.run(async (tx) => {
      tx.payments.insert(payment);
      if (payment.quoteId !== null) {
        const rate = { fees: usd(100n), rate: '5.20', target: money(51_480n, 'BRL') };
        const quoted = { source: usd(10_000n), rateKind: 'indicative', ...rate } as const;
        tx.quotes.insert(aQuote({ ...of, id: payment.quoteId, ...quoted, lockedUntilMs: null }));
      }
      tx.funds.put(fundsOf(someFunds({ ...of, currency: 'USD' }), commands));
      for (const command of commands) tx.commands.insert({ ...command, ...of });
      for (const [index, one] of postings.entries()) {
        tx.ledger.append(tenant, id, `pst_${id}_${index}`, one, T0);
      }
    });
  }

  /** An organization whose account at the partner has this id. */
  async organization(profile: Tenant & { readonly partnerRef: string }): Promise<void> {
    await this.deps.store.run(async (tx) =>
      tx.organizations.insert(anOrganization(), [aProfile(profile)]),
    );
  }

  /** Stores 100.00 USD that nobody ordered, with the posting that follows from it. */
  async deposit(fields: Partial<Deposit> = {}): Promise<Deposit> {
    const known = {
      ...live,
      partyRef: null,
      accountId: null,
      amount: usd(10_000n),
      dueAtMs: null,
    };
    const payerSealed = this.deps.secretBox.seal(
      JSON.stringify(aPayer),
      payerPurpose({ id: fields.id ?? 'dep_1' }),
    );
    const deposit = aDeposit({ ...known, payerSealed, ...fields });
    const { book: kind, partnerRef, partyRef, amount, end: status } = deposit;
    const createdAtMs = deposit.enteredAtMs;
    this.books.deposit(partnerRef, { kind, partyRef, amount, status, createdAtMs });
    await this.deps.store.run(async (tx) => storeDeposit(tx, deposit));
    return deposit;
  }

  /** State and end, and the balances in units: buyer, suspense, adjustments, operator. */
  async depositNow(id = 'dep_1'): Promise<string> {
    const [deposit, postings] = await this.deps.store.run((tx) =>
      Promise.all([tx.deposits.get(id), tx.ledger.ofSubject(depositTenant(live), id)]),
    );
    assert.ok(deposit !== null);
    const accounts = ['buyer', 'suspense', 'adjustments', 'operator'];
    const balances = accounts.map((of) => {
      const lines = postings.flatMap((one) => one.lines).filter(({ account }) => account === of);
      return Number(lines.reduce((sum, { money: one }) => sum + one.amountMinor, 0n)) / 100;
    });
    return [deposit.state, deposit.end, ...balances].join(' ');
  }

  /** Gives the command, or confirms what another operator proposed by the same command. */
  async decide(
    itemId: string,
    request: DeskDecision['request'],
    { operator: name = 'ana', ...fields }: DeskFields = {},
  ): Promise<DeskOutcome> {
    const operator = operatorNamed(name);
    const asked = { evidence: 'bank reference 1', replace: false, ...fields, operator };
    const outcome = await decide(this.deps, { itemId, request, ...asked });
    const { kind, decision } = outcome;
    if (kind !== 'waiting' || decision.proposedBy === name) return outcome;
    return confirmProposal(this.deps, decision.id, operator);
  }

  /** Two operators, one after the other. */
  async agree(itemId: string, request: DeskDecision['request'], fields: DeskFields = {}) {
    await this.decide(itemId, request, fields);
    return this.decide(itemId, request, { ...fields, replace: false, operator: 'bia' });
  }

  async command(id: string): Promise<MoneyCommand> {
    const found = await this.deps.store.run((tx) => tx.commands.get(id));
    assert.ok(found !== null && isMoneyCommand(found), id);
    return found;
  }

  /** A message of the partner, or with `polled` its answer to a read. */
  async report(id: string, report: object, polled = false): Promise<void> {
    const command = await this.command(id);
    const { kind, reference, partnerRef, version } = command;
    const fact = { kind, reference, partnerRef: partnerRef ?? `pa_${id}`, report } as PartnerFact;
    const source = polled ? { polledVersion: version } : {};
    await applyPartnerUpdate(this.deps, command, fact, source);
  }

  /** Position, refund and amounts in units: received, paid out, owed, refunded, lost. */
  async summary(id = 'pi_1', tenant = live): Promise<string> {
    const funds = await this.deps.store.run((tx) => tx.funds.get(tenant, id));
    assert.ok(funds !== null);
    const amounts = [
      funds.receivedMinor,
      funds.payoutMinor,
      funds.refundOwedMinor + funds.refundOrderedMinor,
      funds.refundedMinor,
      funds.lossMinor,
    ].map((minor) => Number(minor) / 100);
    return [funds.position, funds.refund, ...amounts].join(' ');
  }

  async postings(id = 'pi_1', tenant = live): Promise<readonly string[]> {
    const found = await this.deps.store.run((tx) => tx.ledger.ofSubject(tenant, id));
    return found.map(({ kind }) => kind);
  }

  decisions() {
    const page = { orgId: null, mode: null, beforeId: null, limit: 100 };
    return this.deps.store.run((tx) => tx.proposals.list(page));
  }

  async waiting(): Promise<readonly string[]> {
    const all = { queue: null, orgId: null, mode: null, after: null, limit: 100 };
    return (await listQueues(this.deps, all)).map(({ queue, id }) => `${queue} ${id}`);
  }
}

/** With a payment, if commands are given. */
export async function deskScene(
  t: TestContext,
  given?: readonly MoneyCommand[],
  fields?: Parameters<DeskScene['payment']>[1],
): Promise<DeskScene> {
  const made = await bookedWorld(t);
  // It is older than any payment.
  await currentKey(made.deps, 'partner');
  await registerOperators(made.deps.store, ['ana', 'bia', 'eva', 'ivo'].map(operatorNamed));
  const scene = new DeskScene(made);
  if (given !== undefined) await scene.payment(given, fields);
  return scene;
}
