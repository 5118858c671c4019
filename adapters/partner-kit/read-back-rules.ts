// Rules about the partner's books: every command is listed once, also while the list grows, and an
// entry agrees with a read of its command.
import assert from 'node:assert/strict';
import type { Money } from '../../core/domain/base/money.js';
import type { EntryKind } from '../../core/domain/deposits/book-reading.js';
import type { PartnerEntry, PartnerStatement } from '../../core/ports/partner.js';
import {
  approvedParty,
  destinationFor,
  destinationOf,
  done,
  finalReport,
  type PartnerHarness,
  type PartnerTraits,
  payinFacts,
  preparedPayout,
  type RuleCheck,
  startedPayinTo,
  until,
} from './conformance-harness.js';

export function readBackRules(traits: PartnerTraits, pageSize: number, check: RuleCheck): void {
  const { fine } = traits.amounts;
  check('books without commands have one page without entries', async (harness) => {
    for (const kind of ['payin', 'payout'] as const) {
      assert.deepEqual(await pagesOf(harness, kind), [[]]);
    }
  });

  check('a pay-in is listed once, as a read of it says', async (harness) => {
    const { partner } = harness;
    const destination = await destinationOf(harness);
    const fromMs = harness.nowMs();
    const { partnerRef, partnerQuoteId } = await startedPayinTo(
      harness,
      destination,
      fine,
      'cmd_1',
    );
    for (const isOver of [false, true]) {
      const ask = () => partner.payin.read(partnerRef);
      const report = isOver ? await finalReport(harness, ask) : done(await ask());
      const [entry, ...others] = (await pagesOf(harness, 'payin')).flat();
      assert.ok(entry !== undefined && others.length === 0);
      assert.deepEqual(done(await statementOf(harness).read('payin', partnerRef)), entry);
      assert.partialDeepStrictEqual(entry, { kind: 'payin', partnerRef, amount: fine });
      assert.equal(entry.status, report.status);
      assert.ok(entry.reference === null || entry.reference === 'cmd_1');
      assert.ok(entry.partnerQuoteId === null || entry.partnerQuoteId === partnerQuoteId);
      assert.ok(entry.reference !== null || entry.partnerQuoteId !== null, 'it names our command');
      assert.ok(entry.createdAtMs >= fromMs && entry.createdAtMs <= harness.nowMs());
    }
  });

  check('a payout is listed once, as a read of it says', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayout(harness, fine);
    const { partnerRef } = done(await partner.payout.start(request));
    const report = await finalReport(harness, () => partner.payout.read(partnerRef));
    const [entry, ...others] = (await pagesOf(harness, 'payout')).flat();
    assert.ok(entry !== undefined && others.length === 0);
    assert.deepEqual(done(await statementOf(harness).read('payout', partnerRef)), entry);
    assert.partialDeepStrictEqual(entry, { kind: 'payout', partnerRef, payer: null });
    assert.equal(entry.reference, 'cmd_payout');
    assert.deepEqual([entry.status, entry.amount], [report.status, fine]);
    if (entry.settled !== undefined) assert.deepEqual(entry.settled, report.settled);
    if (entry.fxRate !== undefined) assert.equal(entry.fxRate, report.fxRate);
  });

  check('several pages list each command once', async (harness) => {
    const destination = await destinationOf(harness);
    const refs = await startedPayins(harness, destination, fine, 2 * pageSize + 1);
    const pages = await pagesOf(harness, 'payin');
    assert.ok(pages.length > 1, 'the harness makes pages of this size');
    assert.deepEqual(refsOf(pages.flat()), refs.toSorted());
  });

  check('entries are those since a time', async (harness) => {
    const destination = await destinationOf(harness);
    await startedPayins(harness, destination, fine, pageSize);
    await harness.step();
    const sinceMs = harness.nowMs();
    const { partnerRef } = await startedPayinTo(harness, destination, fine, 'cmd_since');
    const entries = (await pagesOf(harness, 'payin', sinceMs)).flat();
    assert.deepEqual(refsOf(entries), [partnerRef]);
  });

  check('a command placed between two pages hides and doubles no other one', async (harness) => {
    const destination = await destinationOf(harness);
    const refs = await startedPayins(harness, destination, fine, 2 * pageSize + 1);
    await harness.step();
    const sinceMs = harness.nowMs();
    const added: string[] = [];
    const pages = await pagesOf(harness, 'payin', 0, async () => {
      const name = `cmd_between_${added.length}`;
      if (added.length > 1) return;
      added.push((await startedPayinTo(harness, destination, fine, name)).partnerRef);
    });
    const seen = pages.flat().map(({ partnerRef }) => partnerRef);
    assert.equal(new Set(seen).size, seen.length);
    for (const ref of refs) assert.ok(seen.includes(ref), ref);
    const next = (await pagesOf(harness, 'payin', sinceMs)).flat();
    assert.deepEqual(refsOf(next), added.toSorted());
  });

  check('an id or cursor that the books do not have is refused', async (harness) => {
    const destination = await destinationOf(harness);
    const { partnerRef } = await startedPayinTo(harness, destination, fine, 'cmd_1');
    const statement = statementOf(harness);
    for (const ref of ['', 'nothing', '../payins']) {
      assert.equal((await statement.read('payin', ref)).outcome, 'refused', ref);
    }
    assert.equal((await statement.read('payout', partnerRef)).outcome, 'refused');
    const page = await statement.page('payin', { sinceMs: 0, cursor: 'no cursor' });
    assert.equal(page.outcome, 'refused');
  });
}

/** The rules for a harness that can cause a deposit. */
export function depositRules(traits: PartnerTraits, check: RuleCheck): void {
  check(
    'a deposit that nobody ordered is listed, with a message, beside a command',
    async (harness) => {
      const { partner } = harness;
      const { fine } = traits.amounts;
      const partyRef = await approvedParty(harness);
      const destinationRef = await destinationFor(harness, partyRef);
      const rails = { partyRef, destinationRef, key: 'key-2' };
      const { virtualAccountRef } = done(await partner.provisionRails(rails));
      const payin = await startedPayinTo(harness, destinationRef, fine, 'cmd_1');
      assert.ok(harness.deposit !== undefined, 'the harness makes deposits');
      const partnerRef = await harness.deposit(virtualAccountRef, fine);
      const entry = done(await statementOf(harness).read('payin', partnerRef));
      assert.partialDeepStrictEqual(entry, { kind: 'payin', partyRef, amount: fine });
      assert.equal(entry.reference, null);
      assert.notEqual(entry.partnerQuoteId, payin.partnerQuoteId);
      const listed = refsOf((await pagesOf(harness, 'payin')).flat());
      assert.deepEqual(listed, [payin.partnerRef, partnerRef].toSorted());
      const report = await finalReport(harness, () => partner.payin.read(partnerRef));
      assert.partialDeepStrictEqual(report, { status: 'completed', received: fine });
      await until(harness, () =>
        payinFacts(harness).some((fact) => fact.partnerRef === partnerRef),
      );
    },
  );
}

function statementOf({ partner }: PartnerHarness): PartnerStatement {
  assert.ok(partner.statement !== undefined, 'the partner has a statement');
  return partner.statement;
}

/** All pages; `between` runs after each page but the last. */
async function pagesOf(
  harness: PartnerHarness,
  kind: EntryKind,
  sinceMs = 0,
  between: () => Promise<void> = async () => undefined,
): Promise<readonly (readonly PartnerEntry[])[]> {
  const pages: (readonly PartnerEntry[])[] = [];
  let cursor: string | null = null;
  do {
    const answer: Awaited<ReturnType<PartnerStatement['page']>> = await statementOf(harness).page(
      kind,
      { sinceMs, cursor },
    );
    const { entries, nextCursor } = done(answer);
    pages.push(entries);
    cursor = nextCursor;
    if (cursor !== null) await between();
  } while (cursor !== null);
  return pages;
}

async function startedPayins(
  harness: PartnerHarness,
  destination: string,
  source: Money,
  count: number,
): Promise<readonly string[]> {
  const refs: string[] = [];
  for (let at = 0; at < count; at += 1) {
    refs.push((await startedPayinTo(harness, destination, source, `cmd_many_${at}`)).partnerRef);
  }
  return refs;
}

function refsOf(entries: readonly PartnerEntry[]): readonly string[] {
  return entries.map(({ partnerRef }) => partnerRef).toSorted();
}
