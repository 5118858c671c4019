// Differences between the partner's books and ours: each kind is planted and found, and nothing
// else is reported.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { MoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import type { EntryKind } from '../../../../core/domain/deposits/book-reading.js';
import {
  type Difference,
  differenceKinds,
} from '../../../../core/domain/money-desk/reconciliation.js';
import type {
  PartnerAnswer,
  PartnerEntry,
  PartnerStatement,
} from '../../../../core/ports/partner.js';
import type { Tx } from '../../../../core/ports/storage.js';
import { type Reconciliation, reconcile } from '../../../../core/usecases/money-desk/reconcile.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { memoryOnly } from '../../../support/partners/memory-only.js';
import { aDeposit } from '../../../support/samples/deposit-samples.js';
import { aProposal } from '../../../support/samples/proposal-samples.js';
import { type World, world } from '../../../support/scenes/test-world.js';

/** The fake partner, with the changes that a test makes to its books. */
class Scene {
  readonly made: World;
  readonly tenant: Tenant;
  /** A settled payment of 100.00 USD. */
  readonly id: string;
  readonly payin: MoneyCommand;
  readonly payout: MoneyCommand;
  /** Null: the partner does not have the entry. */
  edit: (entry: PartnerEntry) => PartnerEntry | null = (entry) => entry;
  /** Entries that are on the first page of the list alone. */
  listed: readonly PartnerEntry[] = [];
  added: readonly PartnerEntry[] = [];
  /** Each call of the statement has one of these instead of an answer. */
  readonly failures: string[] = [];
  waits: number[] = [];

  constructor(made: World, tenant: Tenant, id: string, commands: readonly MoneyCommand[]) {
    this.made = made;
    this.tenant = tenant;
    this.id = id;
    const [payin, payout] = (['payin', 'payout'] as const).map((kind) =>
      commands.find((command) => command.kind === kind),
    );
    assert.ok(payin !== undefined && payout !== undefined);
    this.payin = payin;
    this.payout = payout;
  }

  async run(since = DAY_MS): Promise<Reconciliation> {
    const { deps } = this.made;
    this.waits = [];
    const found = await reconcile(deps, {
      mode: 'test',
      sinceMs: deps.clock.nowMs() - since,
      waitMaxMs: MINUTE_MS,
      wait: async (ms) => void this.waits.push(ms),
      onWait: () => undefined,
    });
    return found ?? assert.fail('the partner has books');
  }

  /** Kind, book, our id and the partner's id of each difference. */
  async found(): Promise<readonly (readonly (string | null)[])[]> {
    const { differences, missed } = await this.run();
    assert.deepEqual(missed, []);
    return differences.map(shortOf);
  }

  store(work: (tx: Tx) => void): Promise<void> {
    return this.made.deps.store.run(async (tx) => work(tx));
  }

  change(command: MoneyCommand, fields: Partial<MoneyCommand>): Promise<void> {
    return this.store((tx) => tx.commands.update({ ...command, ...fields }));
  }

  entry(command: MoneyCommand, fields: Partial<PartnerEntry> = {}): PartnerEntry {
    const { kind, partnerRef, reference, amount } = command;
    assert.ok(kind !== 'refund' && partnerRef !== null);
    const known = { kind, partnerRef, reference, amount, status: 'completed' as const };
    const none = { partnerQuoteId: null, partyRef: null, payer: null };
    return { ...known, ...none, createdAtMs: command.createdAtMs, ...fields };
  }
}

function shortOf({ kind, book, ours, theirs }: Difference) {
  return [kind, book, ours?.id ?? null, theirs?.partnerRef ?? null] as const;
}

async function scene(t: TestContext): Promise<Scene> {
  const made = await world(t, { memory: memoryOnly() });
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant, { amount: money(10_000n, 'USD') });
  await made.play(tenant, id, 'settled');
  made.advanceClock(10 * MINUTE_MS);
  await made.settle();
  const commands = await made.deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  const scene = new Scene(made, tenant, id, commands);
  const statement = made.partner.statement ?? assert.fail();
  changePartner(made.partner, { statement: changedBooks(statement, scene) });
  return scene;
}

function changedBooks(books: PartnerStatement, scene: Scene): PartnerStatement {
  const absent = { outcome: 'refused', code: 'not_found', message: 'no' } as const;
  const failure = () => {
    const reason = scene.failures.shift();
    return reason === undefined ? null : ({ outcome: 'later', reason } as const);
  };
  const of = (kind: EntryKind, entries: readonly PartnerEntry[]) =>
    entries.filter((entry) => entry.kind === kind);
  return {
    async page(kind, query) {
      const failed = failure();
      if (failed !== null) return failed;
      const answer = await books.page(kind, query);
      if (answer.outcome !== 'done') return answer;
      const entries = answer.value.entries.flatMap((entry) => scene.edit(entry) ?? []);
      const { added, listed } = scene;
      const more = query.cursor === null ? of(kind, [...added, ...listed]) : [];
      return { outcome: 'done', value: { ...answer.value, entries: [...entries, ...more] } };
    },
    async read(kind, partnerRef) {
      const failed = failure();
      if (failed !== null) return failed;
      const one = of(kind, scene.added).find((entry) => entry.partnerRef === partnerRef);
      if (one !== undefined) return { outcome: 'done', value: one };
      const answer = await books.read(kind, partnerRef);
      if (answer.outcome !== 'done') return answer;
      const value = scene.edit(answer.value);
      return value === null ? absent : { outcome: 'done', value };
    },
  };
}

test('an entry that cannot be read is reported once, and not asked for again', async (t) => {
  const at = await scene(t);
  const { partner } = at.made;
  const { statement } = partner;
  const { partnerRef } = at.payout;
  assert.ok(statement !== undefined && partnerRef !== null);
  const answer: PartnerAnswer<never> = { outcome: 'later', reason: 'the payout has no amounts' };
  changePartner(partner, {
    statement: {
      async page(...asked) {
        const page = await statement.page(...asked);
        if (page.outcome !== 'done' || asked[0] !== 'payout') return page;
        const unreadable = [{ partnerRef, reason: answer.reason }];
        return { ...page, value: { ...page.value, entries: [], unreadable } };
      },
      read: async (kind, ref) => (kind === 'payout' ? answer : statement.read(kind, ref)),
    },
  });
  const { differences, missed } = await at.run();
  assert.deepEqual(differences, []);
  assert.deepEqual(missed, [{ book: 'payout', partnerRef, reason: answer.reason }]);
  assert.deepEqual(at.waits, []);
});

test('a history of payments that end in every way has no differences', async (t) => {
  const books = await scene(t);
  const { made, tenant } = books;
  const play = async (amountMinor: bigint) => {
    const id = await made.newPayment(tenant, { amount: money(amountMinor, 'USD') });
    await advancePayment(made.deps, tenant, id, null);
    await made.settle();
  };
  // A pay-in fails, is short; a payout fails, comes back; a usual one.
  for (const cents of ['66', '44', '77', '88', '00']) await play(BigInt(`200${cents}`));
  await made.newPayment(tenant);
  for (let minutes = 0; minutes < 30; minutes += 1) {
    made.advanceClock(MINUTE_MS);
    await made.settle();
  }
  const found = await books.run();
  assert.deepEqual([found.differences, found.missed], [[], []]);
  assert.ok(found.entries >= 9 && found.commands >= found.entries, JSON.stringify(found));
});

test('a period before the first command has no entries', async (t) => {
  const made = await scene(t);
  const found = await made.run(MINUTE_MS);
  assert.deepEqual([found.entries, found.commands, found.differences], [0, 0, []]);
});

/** What is planted, and the differences: kind, book, our id, the partner's id. */
const plants: Readonly<
  Record<string, (made: Scene) => Promise<readonly (readonly (string | null)[])[]>>
> = {
  'an object that the partner does not have': async (made) => {
    const { id, partnerRef } = made.payout;
    made.edit = (entry) => (entry.partnerRef === partnerRef ? null : entry);
    return [['missing_at_partner', 'payout', id, null]];
  },
  'a payout that nobody ordered': async (made) => {
    made.added = [made.entry(made.payout, { partnerRef: 'po_9', reference: 'rent' })];
    return [['missing_here', 'payout', null, 'po_9']];
  },
  'a pay-in that no host has received': async (made) => {
    made.added = [made.entry(made.payin, { partnerRef: 'pi_9', reference: null })];
    return [['missing_here', 'payin', null, 'pi_9']];
  },
  'a payout that came back later': async (made) => {
    const { id, partnerRef } = made.payout;
    made.edit = (entry) => (entry.kind === 'payout' ? { ...entry, status: 'returned' } : entry);
    return [['status', 'payout', id, partnerRef]];
  },
  'a pay-in whose end was never stored': async (made) => {
    const { id, partnerRef } = made.payin;
    await made.change(made.payin, { end: 'open' });
    return [['status', 'payin', id, partnerRef]];
  },
  'a pay-in that brought less': async (made) => {
    const { id, partnerRef } = made.payin;
    const amount = money(9_000n, 'USD');
    made.edit = (entry) => (entry.kind === 'payin' ? { ...entry, amount } : entry);
    return [['amount', 'payin', id, partnerRef]];
  },
  'a payout of more': async (made) => {
    const { id, partnerRef } = made.payout;
    const amount = money(10_001n, 'USD');
    made.edit = (entry) => (entry.kind === 'payout' ? { ...entry, amount } : entry);
    return [['amount', 'payout', id, partnerRef]];
  },
  'another amount of BRL': async (made) => {
    const { id, partnerRef } = made.payout;
    const settled = money(1n, 'BRL');
    made.edit = (entry) => (entry.kind === 'payout' ? { ...entry, settled } : entry);
    return [['settlement', 'payout', id, partnerRef]];
  },
  'another rate': async (made) => {
    const { id, partnerRef } = made.payout;
    made.edit = (entry) => (entry.kind === 'payout' ? { ...entry, fxRate: '9.99' } : entry);
    return [['settlement', 'payout', id, partnerRef]];
  },
  'a payout that was executed twice': async (made) => {
    made.added = [made.entry(made.payout, { partnerRef: 'po_9' })];
    return [['duplicate_at_partner', 'payout', made.payout.id, 'po_9']];
  },
  'two pay-ins of one quote': async (made) => {
    const { quoteId } = (await made.made.deps.store.run((tx) => tx.payments.find(made.id))) ?? {};
    const quote = await made.made.deps.store.run((tx) => tx.quotes.get(made.tenant, quoteId ?? ''));
    const { partnerQuoteId } = quote ?? assert.fail('a quote');
    const named = { partnerRef: 'pi_9', reference: null, partnerQuoteId };
    made.added = [made.entry(made.payin, named)];
    return [['duplicate_at_partner', 'payin', made.payin.id, 'pi_9']];
  },
  'one object of two commands': async (made) => {
    const { kind, partnerRef, id } = made.payout;
    const other = { ...made.payout, id: `${id}x`, reference: 'other', isAdopted: true };
    await made.store((tx) => tx.commands.insert(other));
    const first = await made.made.deps.store.run((tx) =>
      tx.commands.byPartnerRef('test', kind, partnerRef ?? ''),
    );
    return [['duplicate_command', 'payout', first?.id === id ? other.id : id, null]];
  },
  'a command that counts as not placed': async (made) => {
    const { id, partnerRef } = made.payout;
    await made.change(made.payout, { partnerRef: null, state: 'unknown', end: 'open' });
    return [['not_accepted', 'payout', id, partnerRef]];
  },
  'a report that was held back': async (made) => {
    const { id, reference, partnerRef } = made.payin;
    const fact = { kind: 'payin', reference, partnerRef, report: { status: 'failed' } };
    const review = JSON.stringify({ kind: 'implausible', reason: 'odd', fact });
    await made.change(made.payin, { review });
    made.edit = (entry) => (entry.kind === 'payin' ? { ...entry, status: 'failed' } : entry);
    return [['report_in_review', 'payin', id, null]];
  },
  'a deposit that waits for a person': async (made) => {
    const amount = money(500n, 'USD');
    const enteredAtMs = made.payin.createdAtMs;
    const deposit = aDeposit({ id: 'dep_9', partnerRef: 'pi_9', amount, enteredAtMs });
    await made.store((tx) => tx.deposits.insert(deposit));
    made.added = [made.entry(made.payin, { partnerRef: 'pi_9', reference: null, amount })];
    return [['deposit_unmatched', 'payin', 'dep_9', null]];
  },
  'a deposit that the partner took back': async (made) => {
    const amount = money(500n, 'USD');
    const known = { id: 'dep_9', partnerRef: 'pi_9', amount, state: 'refunded' } as const;
    await made.store((tx) => tx.deposits.insert(aDeposit(known)));
    const entry = made.entry(made.payin, { partnerRef: 'pi_9', reference: null, amount });
    made.added = [{ ...entry, status: 'returned' }];
    return [['status', 'payin', 'dep_9', 'pi_9']];
  },
};

for (const [what, plant] of Object.entries(plants)) {
  test(`found, and nothing else: ${what}`, async (t) => {
    const made = await scene(t);
    assert.deepEqual(await made.found(), []);
    const expected = await plant(made);
    assert.deepEqual(await made.found(), expected);
  });
}

test('every kind of difference is planted', async (t) => {
  const seen = new Set<string>();
  for (const plant of Object.values(plants)) {
    for (const [kind] of await plant(await scene(t))) seen.add(`${kind}`);
  }
  assert.deepEqual([...seen].toSorted(), differenceKinds.toSorted());
});

test('money at risk is first, then larger amounts', async (t) => {
  const made = await scene(t);
  const extra = (partnerRef: string, minor: bigint, kind: EntryKind = 'payout') =>
    made.entry(kind === 'payin' ? made.payin : made.payout, {
      partnerRef,
      reference: null,
      amount: money(minor, 'USD'),
    });
  const twice = made.entry(made.payout, { partnerRef: 'po_4' });
  made.added = [extra('pi_1', 900n, 'payin'), extra('po_2', 1n), extra('po_3', 2n), twice];
  made.edit = (entry) => (entry.kind === 'payin' ? { ...entry, status: 'failed' } : entry);
  const found = (await made.found()).map(([kind, , , ref]) => [kind, ref]);
  assert.deepEqual(found, [
    ['duplicate_at_partner', 'po_4'],
    ['missing_here', 'po_3'],
    ['missing_here', 'po_2'],
    ['missing_here', 'pi_1'],
    ['status', made.payin.partnerRef],
  ]);
});

test('what is in flight does not differ', async (t) => {
  const made = await scene(t);
  const nowMs = made.made.deps.clock.nowMs();
  const createdAtMs = nowMs - MINUTE_MS;
  made.added = [made.entry(made.payout, { partnerRef: 'po_9', reference: null, createdAtMs })];
  const fresh = { id: 'cmd_fresh', reference: 'fresh', partnerRef: 'po_8', lastSentAtMs: nowMs };
  await made.store((tx) => tx.commands.insert({ ...made.payout, ...fresh }));
  assert.deepEqual(await made.found(), []);
  made.made.advanceClock(10 * MINUTE_MS);
  assert.deepEqual(
    (await made.found()).map(([kind]) => kind),
    ['missing_here', 'missing_at_partner'],
  );
});

test('what has changed since its page was read does not differ', async (t) => {
  const made = await scene(t);
  made.edit = (entry) => (entry.kind === 'payout' ? null : entry);
  made.listed = [made.entry(made.payout, { status: 'failed' })];
  const [late] = (await made.run()).differences;
  assert.equal(late?.theirs?.status, 'failed', 'without another answer the first one counts');
  made.edit = (entry) => entry;
  made.listed = [made.entry(made.payin, { status: 'failed', reference: null })];
  assert.deepEqual(await made.found(), []);
});

test('pay-ins that never arrived may fail at the partner after their payment has ended', async (t) => {
  const made = await scene(t);
  await made.change(made.payin, { end: 'open', receivedMinor: 0n });
  made.edit = (entry) => (entry.kind === 'payin' ? { ...entry, status: 'failed' } : entry);
  assert.deepEqual(await made.found(), []);
});

test('a failed payout whose money an operator has found does not differ, until it ends otherwise', async (t) => {
  const made = await scene(t);
  const { id: itemId } = made.payout;
  let status: PartnerEntry['status'] = 'failed';
  made.edit = (entry) =>
    entry.kind === 'payout' ? { ...entry, status, settled: null, fxRate: null } : entry;
  assert.deepEqual((await made.found())[0]?.[0], 'status');
  await made.store((tx) => tx.proposals.insert(aProposal({ ...made.tenant, itemId })));
  assert.deepEqual(await made.found(), []);
  status = 'returned';
  assert.deepEqual((await made.found())[0]?.[0], 'status');
});

test('the partner is asked again for as long as the waits allow, and what is missed is named', async (t) => {
  const made = await scene(t);
  made.failures.push('busy', 'busy');
  assert.deepEqual(await made.found(), []);
  assert.deepEqual(made.waits, [1_000, 5_000]);
  made.failures.push(...Array.from({ length: 5 }, () => 'busy'));
  const { missed, differences, entries } = await made.run();
  assert.deepEqual(missed, [{ book: 'payout', partnerRef: null, reason: 'busy' }]);
  // Payouts without a list are not missing there.
  assert.deepEqual([differences, entries], [[], 1]);
  assert.deepEqual(made.waits, [1_000, 5_000, 15_000, 30_000]);
  const { partnerRef } = made.payout;
  made.edit = (entry) => {
    if (entry.partnerRef !== partnerRef) return entry;
    made.failures.push(...Array.from({ length: 20 }, () => 'busy'));
    return null;
  };
  made.failures.splice(0);
  const absent = await made.run();
  assert.deepEqual(absent.differences, []);
  assert.ok(absent.missed.some((miss) => miss.reason === 'busy'));
});

test('a list that turns in a circle ends as not read', async (t) => {
  const made = await scene(t);
  const statement = made.made.partner.statement ?? assert.fail();
  const next: Readonly<Record<string, string>> = { one: 'two', two: 'one' };
  const page: typeof statement.page = async (_, { cursor }) => {
    const value = { entries: [], unreadable: [], nextCursor: next[cursor ?? 'one'] ?? null };
    return { outcome: 'done', value };
  };
  changePartner(made.made.partner, { statement: { ...statement, page } });
  const { missed } = await made.run();
  assert.deepEqual(
    missed.flatMap((miss) => (miss.partnerRef === null ? [miss.book] : [])).toSorted(),
    ['payin', 'payout'],
  );
});

test('a partner without books cannot be compared', async (t) => {
  const { deps } = await world(t);
  const options = { mode: 'test', sinceMs: 0, waitMaxMs: 0 } as const;
  const silent = { wait: async () => undefined, onWait: () => undefined };
  assert.equal(await reconcile(deps, { ...options, ...silent }), null);
});
