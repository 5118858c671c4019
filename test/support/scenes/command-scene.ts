// One payment whose money goes wrong on purpose: the real use cases and workers against the fake
// partner, some of whose calls do not go as they should.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { FakeMemory } from '../../../adapters/partner/fake-memory.js';
import { money } from '../../../core/domain/base/money.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { MoneyCommand } from '../../../core/domain/commands/partner-command.js';
import { reviewName } from '../../../core/domain/commands/report-check.js';
import type { PaymentStatus } from '../../../core/domain/payments/payment.js';
import type { PartnerAnswer, PartnerFact } from '../../../core/ports/partner.js';
import { applyPartnerUpdate } from '../../../core/usecases/commands/partner-inbox.js';
import { readPayment } from '../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../core/usecases/sandbox/sandbox.js';
import { operatorDoes } from '../operator-action.js';
import { changePartner } from '../partners/changed-partner.js';
import { bookedWorld, type World } from './test-world.js';

export type TransactionKind = 'payin' | 'payout' | 'refund';

/** One payment, and what its test does to the partner. */
export class Scene {
  readonly made: World;
  readonly tenant: Tenant;
  readonly id: string;

  constructor(made: World, tenant: Tenant, id: string) {
    this.made = made;
    this.tenant = tenant;
    this.id = id;
  }

  /** Seconds pass, and all that falls due is done. */
  async pass(seconds: number, stepMs = 1_000): Promise<void> {
    await this.made.pass(seconds, stepMs);
    await this.made.settle();
  }

  async commands(kind: TransactionKind): Promise<readonly MoneyCommand[]> {
    const { deps } = this.made;
    const all = await deps.store.run((tx) => tx.commands.ofPayment(this.tenant, this.id));
    return all.filter((command) => command.kind === kind);
  }

  async command(kind: TransactionKind): Promise<MoneyCommand> {
    return (await this.commands(kind)).at(-1) ?? assert.fail(`there is no ${kind}`);
  }

  /** One more payment, of which nothing is asked yet. */
  another(): Promise<string> {
    return this.made.newPayment(this.tenant);
  }

  read() {
    return readPayment(this.made.deps, this.tenant, this.id);
  }

  /** Status, position, refund and amounts in units: received, paid out, owed, refunded, lost. */
  async shown() {
    const { payment, funds } = await this.read();
    const amounts = [
      funds.receivedMinor,
      funds.payoutMinor,
      funds.refundOwedMinor + funds.refundOrderedMinor,
      funds.refundedMinor,
      funds.lossMinor,
    ].map((minor) => Number(minor) / 100);
    return [payment.status, funds.position, funds.refund, ...amounts];
  }

  /** The same as one text. */
  async summary(): Promise<string> {
    return (await this.shown()).join(' ');
  }

  /** A message of the partner about the newest command of this kind. */
  async report(kind: TransactionKind, report: object): Promise<void> {
    const command = await this.command(kind);
    const { reference, partnerRef } = command;
    const fact = { kind, reference, partnerRef, report } as PartnerFact;
    await applyPartnerUpdate(this.made.deps, command, fact);
  }

  /** What the partner answers when asked about the newest command of this kind. */
  async answer(kind: TransactionKind, report: object): Promise<void> {
    const command = await this.command(kind);
    const { reference, partnerRef, version } = command;
    const fact = { kind, reference, partnerRef, report } as PartnerFact;
    await applyPartnerUpdate(this.made.deps, command, fact, { polledVersion: version });
  }

  /** An operator accepts the report that waits for the newest command of this kind. */
  async accept(kind: TransactionKind): Promise<void> {
    const { id, review } = await this.command(kind);
    await operatorDoes(this.made.deps, id, { verb: 'accept', report: reviewName(review ?? '') });
  }

  alerts(): readonly unknown[] {
    const alerts = this.made.log.filter(({ message }) => message === 'alert');
    return alerts.map(({ fields }) => fields['alert']);
  }
}

export async function scene(
  t: TestContext,
  amountMinor = 10_000n,
  memory: FakeMemory | null = null,
  to: PaymentStatus | null = null,
): Promise<Scene> {
  const made = await bookedWorld(t, { memory });
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant, { amount: money(amountMinor, 'USD') });
  await advancePayment(made.deps, tenant, id, to);
  return new Scene(made, tenant, id);
}

export const couldNot: readonly PartnerAnswer<never>[] = [
  { outcome: 'refused', code: 'forbidden', message: 'no' },
  { outcome: 'refused', code: 'rate_limited', message: 'slow down' },
  { outcome: 'later', reason: 'an HTML page' },
  { outcome: 'unknown', reason: 'time-out' },
];

const answers = {
  'executed, answer lost': { outcome: 'unknown', reason: 'time-out' },
  'executed, refused': { outcome: 'refused', code: 'already_used', message: 'no' },
  lost: { outcome: 'unknown', reason: 'time-out' },
  refused: { outcome: 'refused', code: 'already_used', message: 'no' },
  busy: { outcome: 'later', reason: 'busy' },
} as const satisfies Readonly<Record<string, PartnerAnswer<never>>>;

/** The outcome of a failed call. */
export type Fate = keyof typeof answers;

/** Each start of this kind gets the next fate; counts what the partner executed. */
export function fates(
  { made: { partner } }: Scene,
  kind: TransactionKind,
  ...script: readonly Fate[]
): { readonly executed: string[]; calls: number } {
  const seen = { executed: [] as string[], calls: 0 };
  const usual = partner[kind];
  const start = async (request: string) => {
    const fate = script[seen.calls];
    seen.calls += 1;
    if (fate !== undefined && !fate.startsWith('executed')) return answers[fate];
    seen.executed.push(request);
    const answer = await usual.start(request);
    return fate === undefined ? answer : answers[fate];
  };
  changePartner(partner, { [kind]: { start } });
  return seen;
}

/** A look-up that finds only what was executed, like a real partner's. */
export function honestLookUp(at: Scene, kind: TransactionKind, seen: readonly string[]): void {
  const { partner } = at.made;
  const usual = partner[kind];
  const find = async (request: string) =>
    seen.includes(request) ? usual.find(request) : ({ outcome: 'done', value: null } as const);
  changePartner(partner, { [kind]: { find } });
}

export const absent = async () => ({ outcome: 'done', value: null }) as const;
/** No message of the partner arrives: everything is asked for. */
export const silent = { sendDueMessages: async () => 0 };
