// Payments that wait for money, and a partner whose books have pay-ins that nobody ordered.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { money } from '../../../core/domain/base/money.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { PayinReport } from '../../../core/domain/commands/report-check.js';
import type { EntryKind } from '../../../core/domain/deposits/book-reading.js';
import {
  type Deposit,
  depositPosting,
  depositTenant,
} from '../../../core/domain/deposits/deposit.js';
import { trialFacts } from '../../../core/domain/payments/payer-relation.js';
import type {
  CollectInput,
  PartnerAnswer,
  PartnerEntry,
  PartnerFact,
  PartnerNotice,
  PartnerStatement,
  UnreadableEntry,
} from '../../../core/ports/partner.js';
import type { Tx } from '../../../core/ports/storage.js';
import { receivePartnerMessage } from '../../../core/usecases/commands/partner-inbox.js';
import { payConsolidated } from '../../../core/usecases/hosted/consolidated-payments.js';
import { changePartner } from '../partners/changed-partner.js';
import { T0 } from '../samples/domain-samples.js';
import { sampleInstructions } from '../samples/payin-samples.js';
import { Scene } from './command-scene.js';
import { assignDeposit } from './deposit-decisions.js';
import { bookedWorld, type World, type WorldOptions } from './test-world.js';

/** A page of the books. */
const PAGE_SIZE = 2;

/** The books of the partner as the test has them: a change counts from the next read on. */
export class Books {
  readonly entries = new Map<string, PartnerEntry>();
  /** On the first page of a book. */
  readonly unreadable: Record<EntryKind, UnreadableEntry[]> = { payin: [], payout: [] };
  /** What reads answer instead. */
  problem: PartnerAnswer<never> | null = null;
  readonly pagesRead: (string | null)[] = [];
  reads = 0;

  readonly statement: PartnerStatement = {
    page: async (asked, { sinceMs, cursor }) => {
      if (this.problem !== null) return this.problem;
      this.pagesRead.push(cursor);
      const all = [...this.entries.values()].filter(
        ({ kind, createdAtMs }) => kind === asked && createdAtMs >= sinceMs,
      );
      const from = Number(cursor ?? 0);
      const entries = all.slice(from, from + PAGE_SIZE);
      const next = from + PAGE_SIZE;
      return {
        outcome: 'done',
        value: {
          entries,
          unreadable: cursor === null ? this.unreadable[asked] : [],
          nextCursor: next < all.length ? `${next}` : null,
        },
      };
    },
    read: async (_, partnerRef) => {
      this.reads += 1;
      const value = this.entries.get(partnerRef);
      if (this.problem !== null) return this.problem;
      return value === undefined
        ? { outcome: 'refused', code: 'not_found', message: 'no such pay-in' }
        : { outcome: 'done', value };
    },
  };

  /** 100.00 USD, completed. */
  deposit(
    partnerRef: string,
    fields: Partial<PartnerEntry> & Pick<PartnerEntry, 'partyRef' | 'createdAtMs'>,
  ): void {
    this.entries.set(partnerRef, {
      kind: 'payin',
      partnerRef,
      reference: null,
      partnerQuoteId: null,
      status: 'completed',
      amount: money(10_000n, 'USD'),
      payer: { name: 'Ana Lima', bank: 'Chase', texts: [], trace: '0123' },
      transactionHash: '0xdeposit',
      ...fields,
    });
  }

  change(partnerRef: string, fields: Partial<PartnerEntry>): void {
    const entry = this.entries.get(partnerRef);
    assert.ok(entry, `${partnerRef} is in the books`);
    this.entries.set(partnerRef, { ...entry, ...fields });
  }
}

export class DepositScene {
  readonly made: World;
  readonly tenant: Tenant;
  readonly books = new Books();
  readonly collected: CollectInput[] = [];
  /** The partner's id of the organization. */
  readonly partyRef: string;
  #messages = 0;

  constructor(made: World, tenant: Tenant, partyRef: string) {
    this.made = made;
    this.tenant = tenant;
    this.partyRef = partyRef;
  }

  /** 100.00 USD in the account of the organization, without a message. */
  deposit(partnerRef: string, fields: Partial<PartnerEntry> = {}): void {
    const { partyRef, made } = this;
    const createdAtMs = made.deps.clock.nowMs();
    this.books.deposit(partnerRef, { partyRef, createdAtMs, ...fields });
  }

  /** The same, with the words of the payer. */
  transfer(partnerRef: string, text: string, fields: Partial<PartnerEntry> = {}): void {
    const payer = { name: 'Ana Lima', bank: null, texts: [text], trace: null };
    this.deposit(partnerRef, { payer, ...fields });
  }

  /** A message that names the pay-in; its id. */
  async tell(partnerRef: string, fact: Partial<PartnerFact | PartnerNotice> = {}): Promise<string> {
    this.#messages += 1;
    const messageId = `msg_${this.#messages}`;
    const notice = { kind: 'payin', reference: null, partnerRef, report: null, ...fact };
    const body = new TextEncoder().encode(JSON.stringify({ messageId, facts: [notice] }));
    const message = { partner: 'fake', mode: 'test', headers: {}, body } as const;
    await receivePartnerMessage(this.made.deps, message);
    return messageId;
  }

  /** A deposit with its message. */
  async arrive(partnerRef: string, fields: Partial<PartnerEntry> = {}): Promise<void> {
    this.deposit(partnerRef, fields);
    await this.tell(partnerRef);
  }

  /** A transfer with its message. */
  async pay(partnerRef: string, text: string, amountMinor = 10_000n, fields = {}): Promise<void> {
    this.transfer(partnerRef, text, { amount: money(amountMinor, 'USD'), ...fields });
    await this.tell(partnerRef);
  }

  /** The books have it otherwise, and a message names it. */
  async change(partnerRef: string, fields: Partial<PartnerEntry>): Promise<void> {
    this.books.change(partnerRef, fields);
    await this.tell(partnerRef);
  }

  /** The buyer accepts the prices of these payments, to pay them with one transfer. */
  async collect(...all: readonly [Scene, ...Scene[]]): Promise<void> {
    const payments = await Promise.all(all.map(async (at) => (await at.read()).payment));
    const accepted = payments.map(({ id: paymentId, quoteId }) => ({ paymentId, quoteId }));
    await payConsolidated(this.made.deps, payments[0]?.publicId ?? '', accepted, 'en');
  }

  /** A person gives the deposit to this payment. */
  async assign(partnerRef: string, paymentId: string): Promise<Deposit> {
    return assignDeposit(this.made.deps, (await this.found(partnerRef)).id, paymentId);
  }

  /** A payment that waits for money, whose ordered pay-in stays open. */
  async awaiting(amountMinor = 10_000n, externalId: string | null = null): Promise<Scene> {
    const amount = money(amountMinor, 'USD');
    const id = await this.made.newPayment(this.tenant, { amount, externalId });
    await this.made.play(this.tenant, id, 'on_ramp_pending');
    return new Scene(this.made, this.tenant, id);
  }

  /** A payment whose buyer was shown its price. */
  async priced(amountMinor: bigint): Promise<Scene> {
    const amount = money(amountMinor, 'USD');
    const id = await this.made.newPayment(this.tenant, { amount, ...trialFacts });
    await this.made.play(this.tenant, id, 'fx_quoted');
    return new Scene(this.made, this.tenant, id);
  }

  stored(partnerRef: string): Promise<Deposit | null> {
    const { store } = this.made.deps;
    return store.run((tx) => tx.deposits.byPartnerRef('fake', 'test', 'payin', partnerRef));
  }

  async found(partnerRef: string): Promise<Deposit> {
    return (await this.stored(partnerRef)) ?? assert.fail(`no deposit of ${partnerRef}`);
  }

  /** State, end at the partner, and rule. */
  async shown(partnerRef: string): Promise<string> {
    const { state, end, rule } = await this.found(partnerRef);
    return `${state} ${end} ${rule}`;
  }

  async postings(partnerRef: string): Promise<readonly string[]> {
    const deposit = await this.found(partnerRef);
    const { store } = this.made.deps;
    const found = await store.run((tx) => tx.ledger.ofSubject(depositTenant(deposit), deposit.id));
    return found.map(({ kind }) => kind).toSorted();
  }

  /** Whether the message waits to be tried again. */
  async waits(messageId: string): Promise<boolean> {
    const row = await this.made.deps.store.run((tx) => tx.inbox.get('fake', 'test', messageId));
    return row !== null && row.dueAtMs !== null;
  }

  alerts(): readonly unknown[] {
    const alerts = this.made.log.filter(({ message }) => message === 'alert');
    return alerts.map(({ fields }) => fields['alert']);
  }
}

export async function depositScene(
  t: TestContext,
  options: WorldOptions = {},
): Promise<DepositScene> {
  const made = await bookedWorld(t, { payins: 'wait', ...options });
  const tenant = await made.newTenant();
  const profile = await made.deps.store.run((tx) => tx.organizations.profile(tenant));
  const scene = new DepositScene(made, tenant, profile?.partnerRef ?? assert.fail('no party'));
  const { partner } = made;
  const { payin, readInbound } = partner;
  changePartner(partner, {
    statement: scene.books.statement,
    collect: async (input) => {
      scene.collected.push(input);
      const { amount, reference } = input;
      return { outcome: 'done', value: { ...sampleInstructions(), amount, reference } };
    },
    readInbound: (headers, body, nowMs) =>
      headers['svix-id'] === undefined
        ? JSON.parse(new TextDecoder().decode(body))
        : readInbound(headers, body, nowMs),
    payin: {
      read: async (partnerRef) => {
        const entry = scene.books.entries.get(partnerRef);
        return entry === undefined ? payin.read(partnerRef) : reportOf(entry);
      },
    },
  });
  return scene;
}

function reportOf({ status, amount, transactionHash }: PartnerEntry): PartnerAnswer<PayinReport> {
  const received = status === 'completed' ? amount : { ...amount, amountMinor: 0n };
  const given = { transactionHash: transactionHash ?? null, reason: null };
  return { outcome: 'done', value: { status, received, ...given } };
}

/** With the posting that follows from it. */
export function storeDeposit(tx: Tx, deposit: Deposit): void {
  const { id } = deposit;
  tx.deposits.insert(deposit);
  const posting = depositPosting(null, deposit);
  if (posting !== null) tx.ledger.append(depositTenant(deposit), id, `pst_${id}`, posting, T0);
}
