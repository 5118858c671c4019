// A settlement partner with the least that the port requires. It accepts every command, completes
// it immediately, and keeps commands in memory. CONTRIBUTING.md uses it as the start of a new
// adapter.
import { MINUTE_MS } from '../../core/domain/base/instant.js';
import { type Money, money } from '../../core/domain/base/money.js';
import type { PayinInstructions } from '../../core/domain/payments/payin-instructions.js';
import type {
  AcceptedCommand,
  CommandCalls,
  PartnerAnswer,
  PartyInput,
  PayinInput,
  PayoutInput,
  RefundInput,
  SettlementPartner,
} from '../../core/ports/partner.js';

export interface BankPartner extends SettlementPartner {
  /** Kind and reference of each command, in the order in which they were started. */
  readonly started: readonly string[];
}

export function createBankPartner({ clock }: { clock: { nowMs(): number } }): BankPartner {
  const started: string[] = [];
  const commandCalls = commandCallsOf(started);
  const brl = (amountMinor: bigint) => money(amountMinor * 5n, 'BRL');
  const approved = { status: 'approved', reason: null } as const;
  const completed = { status: 'completed', reason: null } as const;
  return {
    started,
    name: 'bank',
    instance: 'bank',
    currencies: ['USD'],
    callTimeoutMs: 5_000,
    effectWithinMs: MINUTE_MS,
    notes: { signatureHeader: 'Bank-Signature', testValues: [] },
    requirements: () => [],
    startTos: async ({ redirectUrl }) => done({ url: redirectUrl }),
    party: commandCalls<PartyInput, typeof approved>(
      'party',
      () => ({ report: approved }),
      () => approved,
    ),
    payin: commandCalls(
      'payin',
      ({ quote }: PayinInput) => ({ instructions: instructionsFor(quote.source) }),
      ({ quote }) => ({
        ...completed,
        transactionHash: null,
        received: quote.source,
      }),
    ),
    payout: commandCalls('payout', nothing, ({ amount }: PayoutInput) => ({
      ...completed,
      fxRate: '5',
      endToEndId: 'E1',
      settled: brl(amount.amountMinor),
      fees: money(0n, amount.currency),
    })),
    refund: commandCalls('refund', nothing, ({ amount }: RefundInput) => ({
      ...completed,
      amount,
    })),
    registerPixDestination: async ({ key }) => done({ destinationRef: `pix_${key}` }),
    provisionRails: async ({ key }) => done({ virtualAccountRef: `account_${key}` }),
    quote: async ({ source }) =>
      done({
        partnerQuoteId: 'quote',
        source,
        fees: money(0n, source.currency),
        rate: '5',
        target: brl(source.amountMinor),
        rateKind: 'indicative',
        lockedUntilMs: null,
        expiresAtMs: clock.nowMs() + MINUTE_MS,
      }),
    findCommand: async () => done(null),
    readInbound: () => null,
  };
}

/** The calls of each kind of command. `started` gets the commands that are started. */
function commandCallsOf(started: string[]) {
  return <Input extends { readonly reference: string }, Report>(
    kind: string,
    answer: (input: Input) => Omit<AcceptedCommand, 'partnerRef'>,
    report: (input: Input) => Report,
  ): CommandCalls<Input, Report> => {
    const prepared = new Map<string, Input>();
    const nameOf = (reference: string) => `${kind} ${reference}`;
    return {
      prepare: async (input) => {
        prepared.set(input.reference, input);
        return done(input.reference);
      },
      start: async (reference) => {
        const input = prepared.get(reference);
        if (input === undefined) return absent;
        if (!started.includes(nameOf(reference))) started.push(nameOf(reference));
        return done({ partnerRef: nameOf(reference), ...answer(input) });
      },
      find: async (reference) => {
        const input = prepared.get(reference);
        const isThere = input !== undefined && started.includes(nameOf(reference));
        return done(isThere ? { partnerRef: nameOf(reference), ...answer(input) } : null);
      },
      read: async (partnerRef) => {
        const input = prepared.get(partnerRef.slice(nameOf('').length));
        return input === undefined ? absent : done(report(input));
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
    amount,
    reference: null,
    referenceRequired: false,
    holder: 'partner',
    payByMs: null,
  };
}

const nothing = () => ({});
const absent = { outcome: 'refused', code: 'absent', message: 'absent' } as const;

function done<T>(value: T): PartnerAnswer<T> {
  return { outcome: 'done', value };
}
