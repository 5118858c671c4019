// The settlement partner of test mode. The request determines the id of a transaction, the id
// contains the transaction, and the clock gives its stage: a restart changes nothing. With a memory
// (fake-memory.ts) a transaction exists once it was started, and its reference is an idempotency
// key. Without a memory a transaction exists from the preparation of its request, as if the answer
// to `start` was lost. fake-transaction.ts has the test values.
import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseRate, type Rate } from '../../core/domain/base/money.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import type { PayinInstructions } from '../../core/domain/payments/payin-instructions.js';
import { assert } from '../../core/errors.js';
import type { Clock } from '../../core/ports/outside.js';
import type {
  AcceptedCommand,
  CollectInput,
  CommandCalls,
  InboundMessage,
  PartnerAnswer,
  PartnerFact,
  PartnerNotes,
  PartnerReports,
  PartnerSandbox,
  PartyInput,
  PartyReport,
  PayoutInput,
  RefundInput,
  SettlementPartner,
} from '../../core/ports/partner.js';
import { collectInstructions, PAY_WITHIN_MS } from './fake-instructions.js';
import { type FakeMemory, memoryInFile } from './fake-memory.js';
import { createFakeOutbox, type FakeOutbox, readFact } from './fake-outbox.js';
import { fakeCurrencies, quoteAt, rateAt } from './fake-quote.js';
import { digestOf, makeRef, readRef } from './fake-ref.js';
import {
  type Chosen,
  chosenReport,
  createSandbox,
  currentMessage,
  type PayerNameOf,
  withPayer,
} from './fake-sandbox.js';
import { type FakeBooks, readEntry, statementOf } from './fake-statement.js';
import {
  type FakeRefusal,
  type FakeStage,
  notFound,
  referenceIn,
  scenarios,
  type TransactionKind,
  type TransactionScenario,
  transferRef,
  unreadable,
  writeRequest,
} from './fake-transaction.js';
import { magicValues } from './fake-values.js';
import type { PartnerKind } from './running-partner.js';
import { SIGNATURE_HEADER, type SignedMessage, verifyMessage } from './signed-message.js';

export interface FakePartnerOptions {
  readonly mode: Mode;
  readonly clock: Clock;
  /** How long each decision and each leg of a transfer takes. */
  readonly delayMs: number;
  /** Signs and verifies its messages: `whsec_` and base64. One per mode. */
  readonly secret: string;
  /** Passes a message to the inbox of the host; rejects if it was not accepted. */
  readonly deliver: (message: SignedMessage) => Promise<void>;
  /** Called when a message is queued. */
  readonly onQueued?: () => void;
  /** None by default. */
  readonly memory?: FakeMemory | null;
  /** Entries on a page of its statement. */
  readonly pageSize?: number;
  /**
   * `arrive` (default): the money of a pay-in arrives after the delay. `wait`: it arrives when a
   * person or the sandbox simulates it. Fixed with the request of each pay-in.
   */
  readonly payins?: 'arrive' | 'wait';
  /** Outcomes that a person chose; none by default. */
  readonly simulatedReport?: Chosen;
  /** None by default. */
  readonly payerName?: PayerNameOf;
}

/** The host calls `sendDueMessages` at `nextDueAtMs`, or periodically. */
export interface FakePartner
  extends SettlementPartner,
    Pick<FakeOutbox, 'sendDueMessages' | 'nextDueAtMs'> {
  readInbound(
    ...message: Parameters<SettlementPartner['readInbound']>
  ): InboundMessage<PartnerFact> | null;
}

/** The sandbox in the API description. */
export const fakeNotes: PartnerNotes = {
  signatureHeader: SIGNATURE_HEADER,
  testValues: Object.entries(magicValues).map(([value, { means }]) => {
    const where = value.startsWith('.') ? 'an amount that ends in' : 'the first or legal name';
    return { where, value, means };
  }),
};

const DELAY_HINT = 'give a whole number from 0 to 3600000';

const variables = {
  PONTE_FAKE_PARTNER_DELAY_MS: z
    .string()
    .regex(/^\d{1,7}$/, DELAY_HINT)
    .transform(Number)
    .refine((delayMs) => delayMs <= 3_600_000, DELAY_HINT)
    .prefault('1000')
    .meta({ description: 'Time until the fake partner decides, in milliseconds.' }),
  PONTE_FAKE_PARTNER_PAYINS: z
    .enum(['wait', 'arrive'])
    .optional()
    .meta({
      description:
        '`wait`: a pay-in of test mode waits until an `advance` or a simulated event sends the ' +
        'money, a transfer for several payments until a simulated event does. `arrive`: it ' +
        'arrives after the delay, a transfer for several payments with `PONTE_FAKE_PARTNER_FILE`.',
      unset: '`wait`; with `PONTE_FAKE_PARTNER_FILE` `arrive`',
    }),
  PONTE_FAKE_PARTNER_FILE: z.string().optional().meta({
    description: 'File in which the fake partner stores its commands, independent of the database.',
    unset: 'none: it stores no commands',
  }),
} as const;

/** The fake partner of a host. Its signed messages take the path of real ones. */
export const fakePartner: PartnerKind = {
  variables,
  create({ secret, ...setup }, env) {
    const values = z.object(variables).parse(env);
    const { PONTE_FAKE_PARTNER_DELAY_MS: delayMs, PONTE_FAKE_PARTNER_FILE: file } = values;
    // A file is independent of the database. Simulated transfers are not: a restore loses them.
    const usual = file === undefined ? 'wait' : 'arrive';
    return createFakePartner({
      ...setup,
      delayMs,
      // Nobody plays the buyer of live mode.
      payins: setup.mode === 'live' ? 'arrive' : (values.PONTE_FAKE_PARTNER_PAYINS ?? usual),
      memory: file === undefined ? null : memoryInFile(resolve(file)),
      secret: `whsec_${Buffer.from(secret).toString('base64')}`,
    });
  },
};

export function createFakePartner(options: FakePartnerOptions): FakePartner {
  const { mode, secret, memory = null, payins = 'arrive' } = options;
  const chosen = options.simulatedReport ?? null;
  const payerName = options.payerName ?? null;
  const current = (message: Parameters<typeof currentMessage>[1]) =>
    currentMessage({ mode, chosen, payerName }, message);
  const outbox = createFakeOutbox({ ...options, current });
  const world: FakeContext = { ...options, outbox, memory, chosen, payerName };
  const books = booksOf(world);
  return {
    name: 'fake',
    payWithinMs: PAY_WITHIN_MS,
    instance: 'fake',
    callTimeoutMs: 20_000,
    // Five minutes for the slowest call, and one in reserve.
    effectWithinMs: 360_000,
    currencies: fakeCurrencies,
    notes: fakeNotes,
    ...parties(world),
    party: partyCalls(world),
    payin: commandCalls(world, scenarios.payin, async ({ reference, quote, payerEmail }) => {
      const waits = payins === 'wait';
      const fields = { reference, quoteRef: quote.partnerQuoteId, payerEmail, waits };
      return done(writeRequest('payin', { ...stamp(world), ...fields }));
    }),
    payout: commandCalls(world, scenarios.payout, (input) => preparePayout(world, input)),
    refund: commandCalls(world, scenarios.refund, (input) => prepareRefund(world, input)),
    ...(memory === null ? {} : { statement: statementOf(books, memory, options.pageSize) }),
    // A transfer that comes by itself may come after this process.
    ...(memory === null && payins === 'arrive'
      ? {}
      : { collect: async (input: CollectInput) => collect(world, input, payins) }),
    sandbox: {
      ...createSandbox(world),
      awaitsBuyer: () => payins === 'wait',
      deposit: depositsOf(world),
      readEntry: (kind, partnerRef) => readEntry(books, memory, kind, partnerRef),
    },
    async findCommand(kind, reference) {
      if (memory === null) return noMemory;
      const transaction = memory.find({ mode, kind, reference });
      if (transaction === null) return done(null);
      return done(accepted(mode, scenarios[kind], transaction.partnerRef));
    },
    readInbound(headers, body, nowMs) {
      const message = verifyMessage({ secret, headers, body, nowMs });
      const fact = message === null ? null : readFact(message.text);
      if (message === null || fact === null) return null;
      if (readRef(mode, fact.kind, fact.partnerRef) === null) return null;
      return { messageId: message.messageId, facts: [fact] };
    },
    sendDueMessages: outbox.sendDueMessages,
    nextDueAtMs: outbox.nextDueAtMs,
  };
}

interface FakeContext extends Pick<FakePartnerOptions, 'mode' | 'clock' | 'delayMs' | 'secret'> {
  readonly outbox: FakeOutbox;
  readonly memory: FakeMemory | null;
  readonly chosen: Chosen | null;
  readonly payerName: PayerNameOf | null;
}

type PixRegistration = Parameters<SettlementPartner['registerPixDestination']>[0];
type TosSession = Parameters<SettlementPartner['startTos']>[0];
type RailsInput = Parameters<SettlementPartner['provisionRails']>[0];
type QuoteInput = Parameters<SettlementPartner['quote']>[0];

function parties(world: FakeContext) {
  const { mode, clock, secret } = world;
  const read = (partnerRef: string) => readTransaction(world, scenarios.party, partnerRef);
  const keyed = (kind: 'pix' | 'account', key: string) => {
    const mac = createHmac('sha256', secret).update(`${mode}.${kind}.${key}`).digest('base64url');
    return makeRef(mode, kind, [mac.slice(0, 12)]);
  };
  return {
    requirements: () => [],
    // Following the link accepts the terms; there is no page.
    async startTos({ redirectUrl, key }: TosSession) {
      const url = new URL(redirectUrl);
      url.searchParams.set('tos_id', `tos_${digestOf(`${mode}.${key}`)}`);
      return done({ url: url.href });
    },
    async registerPixDestination(input: PixRegistration) {
      const problem = partyProblem(await read(input.partyRef)) ?? pixProblem(input);
      if (problem !== null) return refused(problem);
      return done({ destinationRef: keyed('pix', input.key) });
    },
    async provisionRails({ partyRef, destinationRef, key }: RailsInput) {
      const known = readRef(mode, 'pix', destinationRef) !== null;
      const problem =
        partyProblem(await read(partyRef)) ?? (known ? null : notFound('destination'));
      if (problem !== null) return refused(problem);
      return done({ virtualAccountRef: keyed('account', key) });
    },
    async quote({ source, destination }: QuoteInput) {
      if (readRef(mode, 'pix', destination) === null) return refused(notFound('destination'));
      if (!fakeCurrencies.includes(source.currency)) return refused(currencyUnknown);
      const nowMs = clock.nowMs();
      const rate = rateAt(source.currency, nowMs);
      return quoteAt(mode, source, { nowMs, rate, locked: false });
    },
  };
}

/** The answer contains the first status. */
function partyCalls(world: FakeContext): SettlementPartner['party'] {
  const { mode, delayMs } = world;
  const api = commandCalls<'party', PartyInput>(world, scenarios.party, async (input) =>
    done(writeRequest('party', { ...input, ...stamp(world) })),
  );
  return {
    ...api,
    async start(request) {
      const started = await api.start(request);
      if (started.outcome !== 'done') return started;
      const [first] = scenarios.party.stages(mode, started.value.partnerRef, delayMs) ?? [];
      assert(first !== undefined, 'a transaction has a first stage');
      return done({ ...started.value, report: first.report });
    },
  };
}

async function preparePayout(
  world: FakeContext,
  { reference, amount, destination, quote }: PayoutInput,
): Promise<PartnerAnswer<string>> {
  const { currency, amountMinor } = amount;
  if (!fakeCurrencies.includes(currency)) return refused(currencyUnknown);
  const { mode, preparedAtMs } = stamp(world);
  const { rateScaled } = lockedRate(quote, preparedAtMs) ?? rateAt(currency, preparedAtMs);
  const money = { currency, amountMinor: `${amountMinor}`, rateScaled: `${rateScaled}` };
  return done(writeRequest('payout', { mode, preparedAtMs, reference, destination, ...money }));
}

function lockedRate(quote: PayoutInput['quote'], nowMs: number): Rate | null {
  return quote !== null && nowMs < (quote.lockedUntilMs ?? 0) ? parseRate(quote.rate) : null;
}

/** The request states what the pay-in has received, in case a person chose it. */
async function prepareRefund(
  world: FakeContext,
  { reference, payinRef, amount: { currency, amountMinor } }: RefundInput,
): Promise<PartnerAnswer<string>> {
  const payin = await readTransaction(world, scenarios.payin, payinRef);
  const receivedMinor = payin.outcome === 'done' ? payin.value.received.amountMinor : 0n;
  const amounts = { amountMinor: `${amountMinor}`, receivedMinor: `${receivedMinor}` };
  const fields = { ...stamp(world), reference, payinRef, currency, ...amounts };
  return done(writeRequest('refund', fields));
}

/** The calls of one kind of transaction. Only `start` leaves messages in the outbox. */
function commandCalls<K extends TransactionKind, Input>(
  world: FakeContext,
  scenario: TransactionScenario<K>,
  prepare: CommandCalls<Input, PartnerReports[K]>['prepare'],
): CommandCalls<Input, PartnerReports[K]> {
  const { mode, clock, delayMs, outbox, memory } = world;
  const { kind } = scenario;
  return {
    prepare,
    async start(request) {
      const transaction = scenario.transaction(mode, request);
      if ('code' in transaction) return refused(transaction);
      const { partnerRef } = transaction;
      const fresh = { mode, kind, ...transaction, digest: digestOf(request), atMs: clock.nowMs() };
      if ((memory?.insert(fresh) ?? fresh).digest !== fresh.digest) return refused(keyReused);
      for (const { atMs, report } of scenario.stages(mode, partnerRef, delayMs)?.slice(1) ?? []) {
        const messageId = `msg_${digestOf(`${partnerRef}.${report.status}`)}`;
        // The scenario pairs kind and report.
        outbox.put(messageId, { ...transaction, kind, report } as PartnerFact, atMs);
      }
      // It may have been chosen before the transaction was made.
      const known = await chosenReport(world, scenario, partnerRef);
      if (known !== null) {
        const fact = { ...transaction, kind, report: known.report } as PartnerFact;
        outbox.put(known.messageId, fact, clock.nowMs());
      }
      return done(accepted(mode, scenario, partnerRef));
    },
    async find(request) {
      const transaction = scenario.transaction(mode, request);
      if (transaction === unreadable) return notPrepared;
      if ('code' in transaction) return done(null);
      const found = memory === null ? transaction : memory.find({ mode, kind, ...transaction });
      return done(found === null ? null : accepted(mode, scenario, found.partnerRef));
    },
    read: async (partnerRef) => readTransaction(world, scenario, partnerRef),
  };
}

/** `arrive`: the transfer is in the books at once, its messages follow. */
function collect(
  world: FakeContext,
  input: CollectInput,
  payins: 'arrive' | 'wait',
): PartnerAnswer<PayinInstructions> {
  const { mode, delayMs, outbox } = world;
  const atMs = world.clock.nowMs();
  if (payins === 'arrive') {
    const partnerRef = addTransfer(world, input, { when: 'arrives', atMs });
    for (const stage of scenarios.payin.stages(mode, partnerRef, delayMs)?.slice(1) ?? []) {
      const { messageId, fact } = transferMessage(partnerRef, stage);
      outbox.put(messageId, fact, stage.atMs);
    }
  }
  return done(collectInstructions(input, atMs));
}

/** The whole transfer is here, and its message is sent before it resolves. */
function depositsOf(world: FakeContext): PartnerSandbox['deposit'] {
  const { mode, clock, delayMs, outbox } = world;
  let lastMs = 0;
  return async (input) => {
    const nowMs = clock.nowMs();
    // Two transfers alike differ by their time.
    lastMs = Math.max(nowMs, lastMs + 1);
    const partnerRef = addTransfer(world, input, { when: 'arrived', atMs: lastMs });
    const [stage] = scenarios.payin.stages(mode, partnerRef, delayMs) ?? [];
    assert(stage !== undefined, 'a transfer has a stage');
    const { messageId, fact } = transferMessage(partnerRef, stage);
    await outbox.sendNow(messageId, fact, nowMs);
  };
}

function addTransfer(
  { mode, memory }: FakeContext,
  input: CollectInput,
  from: Parameters<typeof transferRef>[2],
): string {
  const partnerRef = transferRef(mode, input, from);
  const digest = digestOf(partnerRef);
  const { atMs } = from;
  memory?.insert({ mode, kind: 'payin', reference: partnerRef, partnerRef, digest, atMs });
  return partnerRef;
}

function transferMessage(partnerRef: string, { report }: FakeStage<'payin'>) {
  return {
    messageId: `msg_${digestOf(`${partnerRef}.${report.status}`)}`,
    fact: { reference: null, partnerRef, kind: 'payin', report } as const,
  };
}

/** Another adapter may have sent the request, so it is not absent. */
const notPrepared: PartnerAnswer<never> = { outcome: 'later', reason: unreadable.message };

/** The answer about a transaction that exists. */
function accepted(
  mode: Mode,
  { instructions }: Pick<TransactionScenario<TransactionKind>, 'instructions'>,
  partnerRef: string,
): AcceptedCommand {
  if (instructions === undefined) return { partnerRef };
  return { partnerRef, instructions: instructions(mode, partnerRef) };
}

/** The current report of a transaction. */
async function readTransaction<K extends TransactionKind>(
  world: FakeContext,
  scenario: TransactionScenario<K>,
  partnerRef: string,
): Promise<PartnerAnswer<PartnerReports[K]>> {
  const { mode, clock, delayMs } = world;
  const known = await chosenReport(world, scenario, partnerRef);
  if (known !== null) return done(known.report);
  const stages = scenario.stages(mode, partnerRef, delayMs);
  if (stages === null) return refused(notFound('transaction'));
  const nowMs = clock.nowMs();
  const { report } = stages.findLast(({ atMs }) => atMs <= nowMs) ?? stages[0];
  const reference = referenceIn(mode, scenario.kind, partnerRef) ?? '';
  return done(await withPayer(world.payerName, scenario.kind, reference, report));
}

function booksOf(world: FakeContext): FakeBooks {
  const { mode } = world;
  const report: FakeBooks['report'] = async (kind, partnerRef) => {
    const scenario: TransactionScenario<typeof kind> = scenarios[kind] as never;
    const answer = await readTransaction(world, scenario, partnerRef);
    assert(answer.outcome === 'done', 'the books have transactions of their partner');
    return answer.value;
  };
  return { mode, payerName: world.payerName, report };
}

function stamp({ mode, clock }: FakeContext) {
  return { mode, preparedAtMs: clock.nowMs() };
}

function partyProblem(report: PartnerAnswer<PartyReport>): FakeRefusal | null {
  if (report.outcome !== 'done') return notFound('party');
  if (report.value.status === 'approved') return null;
  return { code: 'receiver_not_approved', message: 'The receiver is not approved.' };
}

/** The message may be logged: it does not contain the key. */
function pixProblem({ pixKey, accountHolderName }: PixRegistration): FakeRefusal | null {
  if (accountHolderName.trim() === '') {
    return { code: 'account_holder_invalid', message: 'accountHolderName is empty.' };
  }
  if (pixKeyForms.some((form) => form.test(pixKey))) return null;
  const message =
    'pixKey is none of: CPF or CNPJ without punctuation, +55 phone number, e-mail address or ' +
    'UUID in lower case.';
  return { code: 'pix_key_invalid', message };
}

/** As the directory has them: CPF, CNPJ (numeric and alphanumeric), phone, e-mail, random key. */
const pixKeyForms = [
  /^[0-9]{11}$/,
  /^[0-9A-Z]{12}[0-9]{2}$/,
  /^\+55[0-9]{10,11}$/,
  /^(?=.{3,77}$)[^\sA-Z@]+@[^\sA-Z@]+\.[^\sA-Z@.]+$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
] as const;

const keyReused: FakeRefusal = {
  code: 'idempotency_key_reused',
  message: 'Another request has used this reference.',
};

const noMemory = {
  outcome: 'later',
  reason: 'the fake partner has no memory: set PONTE_FAKE_PARTNER_FILE',
} as const;

const currencyUnknown: FakeRefusal = {
  code: 'currency_not_supported',
  message: `Buyers can pay in ${fakeCurrencies.join(', ')}.`,
};

function done<T>(value: T): { readonly outcome: 'done'; readonly value: T } {
  return { outcome: 'done', value };
}

function refused(refusal: FakeRefusal) {
  return { outcome: 'refused', ...refusal } as const;
}
