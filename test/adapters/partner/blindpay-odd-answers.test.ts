// Every field of every answer about money with every odd value: nothing throws, nothing of another
// object counts, and what is only shown to people holds up no money. The fields are those of the
// simulator's answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { transactionEnds } from '../../../adapters/partner/blindpay/blindpay-context.js';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import type { Money } from '../../../core/domain/base/money.js';
import { MADE_BY_ANOTHER } from '../../../core/domain/commands/partner-command.js';
import type { PartnerAnswer } from '../../../core/ports/partner.js';
import {
  approvedCustomer,
  type BlindPayScene,
  blindPay,
  destinationAt,
  usd,
} from '../../support/blindpay/blindpay-scene.js';

type Path = readonly string[];
const absent = Symbol('absent');

/** Names of every object are among them, as a table that is an object would find those. */
const oddValues: readonly unknown[] = [absent as unknown, 'x'.repeat(20_000)].concat(
  JSON.parse(`[null, [], {}, -1, 1.5, 12500000, 1e21, 1e308, "", "125000", "constructor",
    "__proto__", "EUR", "a\\u0000\\ud800b", "+275760-09-13T00:00:00.000Z"]`),
);
/** Only shown to people. */
const toldFields =
  /^(tracking_\w+|memo_code|token|network|address|sender_wallet_address|blindpay_bank_details)\b/;

/** The first item stands for a list, and one rail for all. */
function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  if (/^(\d*[1-9]|wire|rtp|swift_\w+|receiving_bank)$/.test(at.at(-1) ?? '')) return [];
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, one]) => pathsOf(one, [...at, name]))];
}

function withValue(body: unknown, path: Path, value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value === absent ? '' : value;
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<
    string,
    unknown
  >;
  if (rest.length === 0 && value === absent) delete copy[name];
  else copy[name] = withValue(copy[name], rest, value);
  return copy;
}

/** Ordered, paid and paid out. */
async function paid({ partner, pass }: BlindPayScene, destination: string, name: string) {
  const quote = done(await partner.quote({ source: usd(125_000n), destination }));
  const input = { reference: `in-${name}`, quote, payerEmail: 'buyer@example.com' };
  const payinRequest = done(await partner.payin.prepare(input));
  const payin = done(await partner.payin.start(payinRequest)).partnerRef;
  pass(60_000);
  const money = { reference: `out-${name}`, amount: usd(125_000n), payinRefs: [payin] };
  const payoutInput = { ...money, destination, quote };
  const payoutRequest = done(await partner.payout.prepare(payoutInput));
  const payout = done(await partner.payout.start(payoutRequest)).partnerRef;
  pass(60_000);
  return { payin, payout, payinRequest, payoutRequest, payoutInput };
}

interface Asked {
  readonly ask: () => Promise<PartnerAnswer<unknown>>;
  /** Of the partner's object that the answer is about. */
  readonly id: string;
}

async function scene(t: Parameters<typeof blindPay>[0]) {
  const at = await blindPay(t, { route: { bankingPartner: 'cfsb' } });
  at.server.state.listOrder = 'oldest first';
  const destination = await destinationAt(at);
  const own = await paid(at, destination, '1');
  const other = await paid(at, destination, '2');
  const { payin, payout, statement, party, wallets } = at.partner;
  assert.ok(statement !== undefined && wallets !== undefined);
  const [customer = ''] = destination.split('.');
  const wallet = wallets.walletOf(destination) ?? '';
  const quoted: Asked['ask'] = async () => {
    const answer = await at.partner.quote({ source: usd(125_000n), destination });
    return answer.outcome === 'over_limit' ? { outcome: 'later', reason: 'a limit' } : answer;
  };
  const asked: Readonly<Record<string, Asked>> = {
    'payin.read': { ask: () => payin.read(own.payin), id: own.payin },
    'payin.find': { ask: () => payin.find(own.payinRequest), id: own.payin },
    'payout.read': { ask: () => payout.read(own.payout), id: own.payout },
    'payout.find': { ask: () => payout.find(own.payoutRequest), id: own.payout },
    'payout.prepare': { ask: () => payout.prepare(own.payoutInput), id: own.payin },
    'entry payin': { ask: () => statement.read('payin', own.payin), id: own.payin },
    'entry payout': { ask: () => statement.read('payout', own.payout), id: own.payout },
    'page payin': { ask: () => statement.page('payin', { sinceMs: 0, cursor: null }), id: '' },
    'page payout': { ask: () => statement.page('payout', { sinceMs: 0, cursor: null }), id: '' },
    'party.read': { ask: () => party.read(customer), id: customer },
    balance: { ask: () => wallets.balance(wallet), id: '' },
    quote: { ask: quoted, id: '' },
    'payin.start': { ask: () => payin.start(own.payinRequest), id: own.payin },
    'payout.start': { ask: () => payout.start(own.payoutRequest), id: own.payout },
  };
  return { at, asked, own, other };
}

/** Calls that `ask` makes, with the bodies of their answers. */
async function answersOf({ server }: BlindPayScene, ask: Asked['ask']) {
  const seen = new Map<string, unknown>();
  server.change = ({ method, path }, answer) => {
    seen.set(`${method} ${path}`, structuredClone(answer.body));
    return answer;
  };
  const honest = done(await ask());
  return { honest, seen };
}

function oddly({ server }: BlindPayScene, call: string, change: (body: unknown) => unknown): void {
  server.change = ({ method, path }, answer) =>
    `${method} ${path}` === call ? { ...answer, body: change(answer.body) } : answer;
}

type Facts = Partial<Record<'status' | 'received' | 'settled' | 'fees' | 'amount', unknown>>;

const partyStatuses = 'verifying approved paused rejected'.split(' ');
const ends: readonly unknown[] = [...transactionEnds.values(), ...partyStatuses];

/** An end that core knows, and amounts that it can compare. */
function assertReadable(value: unknown, what: string): void {
  const { status, ...amounts } = value as Facts;
  if (status !== undefined) assert.ok(ends.includes(status), `${what}: ${String(status)}`);
  for (const one of [amounts.received, amounts.settled, amounts.fees, amounts.amount]) {
    assert.ok(one == null || typeof (one as Money).amountMinor === 'bigint', what);
  }
}

test('no odd value in an answer throws, or makes a report that core cannot read', async (t) => {
  const { at, asked } = await scene(t);
  let tried = 0;
  for (const [name, { ask }] of Object.entries(asked)) {
    const { honest, seen } = await answersOf(at, ask);
    for (const [call, body] of seen) {
      for (const path of pathsOf(body)) {
        for (const value of oddValues) {
          oddly(at, call, (given) => withValue(given, path, value));
          const answer = await ask();
          tried += 1;
          const what = `${name}: ${call} ${path.join('.')} = ${String(value).slice(0, 30)}`;
          if (answer.outcome === 'done' && answer.value !== null)
            assertReadable(answer.value, what);
          const isTold = /\.(read|start)$/.test(name) && toldFields.test(path.join('.'));
          if (!isTold || (path[0] === 'blindpay_bank_details' && name === 'payin.start')) continue;
          assert.equal(answer.outcome, 'done', what);
          const { status, received } = (answer.outcome === 'done' ? answer.value : {}) as Facts;
          const right = honest as Facts;
          assert.ok(isDeepStrictEqual([status, received], [right.status, right.received]), what);
        }
      }
    }
  }
  assert.ok(tried > 2_000, `${tried}`);
});

test('what BlindPay says of another object never counts for the one that was asked for', async (t) => {
  const { at, asked, own, other } = await scene(t);
  const others = new Map([
    [own.payin, other.payin],
    [own.payout, other.payout],
  ]);
  for (const [name, { ask, id }] of Object.entries(asked)) {
    if (id === '') continue;
    const { seen } = await answersOf(at, ask);
    for (const call of seen.keys()) {
      if (!/^GET \/(payins|payouts|customers)\/[^/]+$/.test(call)) continue;
      const before = at.log.length;
      oddly(at, call, (body) => ({ ...(body as object), id: others.get(id) ?? 're_other' }));
      assert.equal((await ask()).outcome, 'later', `${name}: ${call}`);
      const alert = at.log.slice(before).find(({ message }) => message === 'alert');
      assert.match(String(alert?.fields['alert']), /another object than was asked for/, name);
    }
  }
});

test('an order that is answered with another object is in doubt, and so is one without an id', async (t) => {
  const { at, asked } = await scene(t);
  const odd = {
    'payin.start': ['POST /payins/evm', { payin_quote_id: 'qu_other' }],
    'payout.start': ['POST /payouts/evm', { description: 'out-2 1250.00 USD' }],
  } as const;
  for (const [name, [call, fields]] of Object.entries(odd)) {
    const { ask } = asked[name] ?? assert.fail(name);
    if (name === 'payout.start') at.server.state.payouts.length = 0;
    for (const changed of [fields, { id: '' }, { id: 'x'.repeat(65) }, { id: '../payins' }]) {
      oddly(at, call, (body) => ({ ...(body as object), ...changed }));
      assert.equal((await ask()).outcome, 'unknown', `${name} ${JSON.stringify(changed)}`);
    }
  }
});

test('what another order made is not read as this one', async (t) => {
  const { at, own, other } = await scene(t);
  const { payin, payout } = at.partner;
  const reads = [
    [payin, own.payin, own.payinRequest, other.payinRequest],
    [payout, own.payout, own.payoutRequest, other.payoutRequest],
  ] as const;
  for (const [calls, id, request, others] of reads) {
    assert.equal((await calls.read(id, () => request)).outcome, 'done');
    assert.equal((await calls.read(id)).outcome, 'done');
    const { outcome, code } = { code: null, ...(await calls.read(id, () => others)) };
    assert.deepEqual([outcome, code], ['later', MADE_BY_ANOTHER]);
  }
});

test('a PIX account that is answered with another key is no destination', async (t) => {
  const { at } = await scene(t);
  const partyRef = await approvedCustomer(at);
  const newKey = { pixKey: 'eva@lima.example', key: 'key-2' };
  const input = { partyRef, accountHolderName: 'Eva Lima', ...newKey };
  const call = `POST /customers/${partyRef}/bank-accounts`;
  oddly(at, call, (body) => ({ ...(body as object), id: 'ba_other', pix_key: 'b@other.example' }));
  assert.equal((await at.partner.registerPixDestination(input)).outcome, 'later');
  at.server.change = (_, answer) => answer;
  const { destinationRef } = done(await at.partner.registerPixDestination(input));
  assert.doesNotMatch(destinationRef, /ba_other/);
});
