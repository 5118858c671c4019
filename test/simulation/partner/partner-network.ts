// The line between one simulated process and the partner: calls that never arrive, arrive late, or
// whose answer is lost, and answers that take their time. What an arrived call does is in
// simulated-partner.ts.
import type { Money } from '../../../core/domain/base/money.js';
import { money } from '../../../core/domain/base/money.js';
import type { PayinInstructions } from '../../../core/domain/payments/payin-instructions.js';
import type {
  PartnerAnswer,
  PartnerEntry,
  PartnerStatement,
  SettlementPartner,
} from '../../../core/ports/partner.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Faults } from '../world/faults.js';
import type { Gates, SimulatedProcess } from '../world/gates.js';
import { LATE_MS_MAX, type LateCall } from './history-partner.js';
import type { PartnerTransaction, TransactionKind } from './partner-ledger.js';
import {
  payinReport,
  payoutReport,
  readFacts,
  refundReport,
  wrongPayinReport,
  wrongPayoutReport,
  wrongRefundReport,
} from './partner-reports.js';
import type { SimulatedPartner } from './simulated-partner.js';

export interface PartnerNetworkInput {
  readonly partner: SimulatedPartner;
  readonly process: SimulatedProcess;
  readonly gates: Gates;
  readonly random: SeededRandom;
  readonly faults: Faults;
  readonly nowMs: () => number;
  readonly lateCalls: LateCall[];
}

export function partnerNetwork(input: PartnerNetworkInput): SettlementPartner {
  return {
    name: input.partner.name,
    instance: input.partner.name,
    callTimeoutMs: 20_000,
    effectWithinMs: LATE_MS_MAX + 60_000,
    currencies: ['USD', 'EUR', 'GBP'],
    notes: { signatureHeader: 'genuine', testValues: [] },
    ...partyCalls(input),
    ...moneyCalls(input),
    statement: statementOf(input),
    collect: (asked) =>
      call(input, `collect ${asked.reference}`, () => {
        input.partner.collect(asked);
        const { amount, reference } = asked;
        return done({ ...accountOf(asked.partyRef), amount, reference });
      }),
    readInbound: (headers, body) => {
      const messageId = headers['message-id'];
      if (headers['genuine'] !== 'yes' || messageId === undefined) return null;
      return { messageId, facts: readFacts(Buffer.from(body).toString('utf8')) };
    },
  };
}

function partyCalls(input: PartnerNetworkInput) {
  const { desk } = input.partner;
  return {
    requirements: (role) => (role === 'seller' ? ['tosId'] : []),
    startTos: ({ redirectUrl, key }) =>
      call(input, 'start terms', () => done({ url: `${redirectUrl}?tos_id=${key}` })),
    party: {
      prepare: (asked) => prepare(input, asked),
      start: async (request) => {
        const label = `enrol ${referenceOf(request)}`;
        const answer = await call(input, label, () => desk.enrol(request));
        return mapped(answer, (ref) => {
          const status = desk.party(ref)?.status ?? 'verifying';
          return { partnerRef: ref, report: { status, reason: null } };
        });
      },
      read: (ref) =>
        read(input, `ask ${ref}`, () => {
          const party = desk.party(ref);
          return party === null ? null : { status: party.status, reason: null };
        }),
      find: (request) =>
        lookUp(input, request, () => {
          const reference = referenceOf(request);
          return desk.parties.find((party) => party.reference === reference)?.ref ?? null;
        }),
    },
    registerPixDestination: async ({ partyRef, pixKey, key }) => {
      const asked = { partyRef, pixKey, key };
      const label = `register PIX of ${partyRef}`;
      const answer = await call(input, label, () => desk.register(asked));
      return mapped(answer, (destinationRef) => ({ destinationRef }));
    },
    provisionRails: async (asked) => {
      const label = `provision ${asked.partyRef}`;
      const answer = await call(input, label, () => desk.provision(asked));
      return mapped(answer, (virtualAccountRef) => ({ virtualAccountRef }));
    },
  } satisfies Partial<SettlementPartner>;
}

function moneyCalls(input: PartnerNetworkInput) {
  const { partner } = input;
  const withInstructions = (found: { readonly partnerRef: string }) => ({
    ...found,
    instructions: accountOf(found.partnerRef),
  });
  return {
    quote: ({ source }) => read(input, 'quote', () => partner.quote(source)),
    payin: {
      prepare: ({ reference, quote }) =>
        prepare(input, { reference, ...sumOf(quote.source), quoteId: quote.partnerQuoteId }),
      start: async (request) => mapped(await start(input, 'payin', request), withInstructions),
      find: async (request) =>
        mapped(await find(input, request), (found) => found && withInstructions(found)),
      read: (ref) => report(input, ref, payinReport, wrongPayinReport),
    },
    payout: {
      async prepare({ reference, amount, destination }) {
        if (!input.faults.occurs('payoutUnprepared'))
          return prepare(input, { reference, destination, ...sumOf(amount) });
        const code = input.random.pick(['account_unknown', 'not_found', 'something_new']);
        return input.random.chance(0.5)
          ? { outcome: 'refused', code, message: code }
          : { outcome: 'later', reason: code, code };
      },
      start: (request) => start(input, 'payout', request),
      find: (request) => find(input, request),
      read: (ref) => report(input, ref, payoutReport, wrongPayoutReport),
    },
    refund: {
      prepare: ({ reference, payinRef, amount }) =>
        prepare(input, { reference, payinRef, ...sumOf(amount) }),
      start: (request) => start(input, 'refund', request),
      find: (request) => find(input, request),
      read: (ref) => report(input, ref, refundReport, wrongRefundReport),
    },
    findCommand: async (kind, reference) =>
      mapped(await find(input, JSON.stringify({ reference })), (found) =>
        found === null || kind !== 'payin' ? found : withInstructions(found),
      ),
  } satisfies Partial<SettlementPartner>;
}

const PAGE_SIZE = 5;

/** A cursor counts the transactions before it. */
function statementOf(input: PartnerNetworkInput): PartnerStatement {
  const { partner } = input;
  return {
    page: (kind, { sinceMs, cursor }) =>
      read(input, `list ${kind}s`, () => {
        const all = partner.transactions.filter((one) => one.kind === kind);
        const from = Number(cursor ?? 0);
        const listed = all.slice(from, from + PAGE_SIZE).map(entryOf);
        const entries = listed.filter(({ createdAtMs }) => createdAtMs >= sinceMs);
        const end = from + PAGE_SIZE;
        const nextCursor = end < all.length ? `${end}` : null;
        return { entries, unreadable: [], nextCursor };
      }),
    read: (_kind, ref) =>
      read(input, `read ${ref}`, () => {
        const transaction = partner.transaction(ref);
        return transaction === null ? null : entryOf(transaction);
      }),
  };
}

function entryOf(transaction: PartnerTransaction): PartnerEntry {
  const {
    kind,
    ref: partnerRef,
    reference,
    status,
    amount,
    receivedMinor,
    takenAtMs,
    collected,
    foreign,
  } = transaction;
  const isReceived = kind === 'payin' && status === 'completed';
  return {
    kind: kind === 'payout' ? 'payout' : 'payin',
    partnerRef,
    reference: collected === undefined ? reference : collected.repeats,
    partnerQuoteId: null,
    partyRef: collected?.partyRef ?? null,
    status,
    amount: foreign ?? (isReceived ? { ...amount, amountMinor: receivedMinor } : amount),
    createdAtMs: takenAtMs,
    payer:
      (collected?.reference ?? null) === null
        ? null
        : { name: 'A payer', bank: null, texts: [`for ${collected?.reference}`], trace: null },
  };
}

/** The simulated partner has one account for each command. */
function accountOf(partnerRef: string): PayinInstructions {
  return {
    rails: [
      {
        rail: 'wire',
        fields: [{ name: 'accountNumber', value: partnerRef }],
        arrivesWithinDays: null,
      },
    ],
    amount: money(1n, 'USD'),
    reference: null,
    referenceRequired: false,
    holder: 'partner',
    payByMs: null,
  };
}

function prepare(input: PartnerNetworkInput, asked: object): Promise<PartnerAnswer<string>> {
  return call(input, 'prepare', () => done(JSON.stringify(asked)));
}

async function start(input: PartnerNetworkInput, kind: TransactionKind, request: string) {
  const label = `start ${kind} ${request}`;
  const { partner } = input;
  const { life } = partner;
  const answer = await call(input, label, () => partner.place(kind, request, life));
  return mapped(answer, (partnerRef) => ({ partnerRef }));
}

function find(input: PartnerNetworkInput, request: string) {
  return lookUp(input, request, () => {
    return input.partner.lookUp(referenceOf(request))?.ref ?? null;
  });
}

function report<T>(
  input: PartnerNetworkInput,
  ref: string,
  right: (asked: PartnerTransaction) => T,
  wrong: (random: SeededRandom, asked: PartnerTransaction) => T,
) {
  const { partner, faults, random } = input;
  return question(input, `ask ${ref}`, () => {
    const asked = partner.transaction(ref);
    if (asked === null) return null;
    return faults.occurs('wrongReport') ? wrong(random, asked) : right(asked);
  });
}

async function lookUp(input: PartnerNetworkInput, request: string, ref: () => string | null) {
  const answer = await question(input, `find ${request}`, () => ({ ref: ref() }));
  return mapped(answer, ({ ref: partnerRef }) => (partnerRef === null ? null : { partnerRef }));
}

/** A look-up, or a question about a command: it has no effect, and may be refused. */
async function question<T>(
  input: PartnerNetworkInput,
  label: string,
  value: () => T | null,
): Promise<PartnerAnswer<T>> {
  switch (input.faults.firstOf('lookUpForbidden', 'lookUpLimited')) {
    case 'lookUpForbidden':
      return { outcome: 'refused', code: 'forbidden', message: 'forbidden' };
    case 'lookUpLimited':
      return { outcome: 'later', reason: 'too many requests' };
    case null:
      return read(input, label, value);
  }
}

async function read<T>(
  input: PartnerNetworkInput,
  label: string,
  value: () => T | null,
): Promise<PartnerAnswer<T>> {
  const answer = await call<T>(input, label, () => {
    const found = value();
    if (found === null) return { outcome: 'refused', code: 'not_found', message: 'not found' };
    return done(found);
  });
  return asRead(answer);
}

async function call<T>(
  input: PartnerNetworkInput,
  label: string,
  effect: () => PartnerAnswer<T>,
): Promise<PartnerAnswer<T>> {
  const { process, gates, faults } = input;
  const fault = faults.firstOf('noConnection', 'callLost', 'callLate', 'answerLost');
  // The caller may die while its call is on the way; the call itself does not.
  await gates.pass(process, `partner: ${label}`, () => arriveLate(input, label, effect));
  switch (fault) {
    case 'noConnection':
      return { outcome: 'later', reason: 'connection refused' };
    case 'callLost':
      await gates.pass(process, `partner: ${label}: time-out, lost`);
      return { outcome: 'unknown', reason: 'time-out' };
    case 'callLate':
      arriveLate(input, label, effect);
      await gates.pass(process, `partner: ${label}: time-out, late`);
      return { outcome: 'unknown', reason: 'time-out' };
    case 'answerLost':
      effect();
      await gates.pass(process, `partner: ${label}: time-out after the effect`);
      return { outcome: 'unknown', reason: 'time-out' };
    case null: {
      const answer = effect();
      await gates.pass(process, `partner: ${label}: ${answer.outcome}`);
      return answer;
    }
  }
}

function arriveLate(input: PartnerNetworkInput, label: string, effect: () => unknown): void {
  const arrivesAtMs = input.nowMs() + input.random.between(0, LATE_MS_MAX);
  input.lateCalls.push({ label, arrivesAtMs, arrive: effect });
}

/** A read that cannot be answered is `later`. */
function asRead<T>(answer: PartnerAnswer<T>): PartnerAnswer<T> {
  if (answer.outcome !== 'unknown') return answer;
  return { outcome: 'later', reason: answer.reason };
}

function done<T>(value: T): PartnerAnswer<T> {
  return { outcome: 'done', value };
}

function mapped<T, U>(answer: PartnerAnswer<T>, map: (value: T) => U): PartnerAnswer<U> {
  return answer.outcome === 'done' ? { outcome: 'done', value: map(answer.value) } : answer;
}

function sumOf({ amountMinor, currency }: Money) {
  return { amountMinor: `${amountMinor}`, currency };
}

function referenceOf(request: string): string {
  return (JSON.parse(request) as { readonly reference: string }).reference;
}
