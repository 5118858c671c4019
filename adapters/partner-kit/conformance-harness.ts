// The harness that each partner brings to the suite, and the steps of the rules.
import assert from 'node:assert/strict';
import type { Money } from '../../core/domain/base/money.js';
import type {
  PartnerAnswer,
  PartyInput,
  PayinInput,
  SettlementPartner,
} from '../../core/ports/partner.js';

export interface SentMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface PartnerHarness {
  readonly partner: SettlementPartner;
  readonly nowMs: () => number;
  /** Lets one step of the partner's time pass: commands go on, their messages are sent. */
  readonly step: () => Promise<void>;
  /** Everything sent so far, oldest first; repeats included. */
  readonly messages: () => readonly SentMessage[];
  /** The same partner after a restart of our side: nothing in memory, the same settings. */
  readonly restarted: () => SettlementPartner;
  /** The next call that places a command of this kind has this fault. */
  readonly failNext?: (kind: FailableCall, fault: CallFault) => void;
  /** Money arrives in a virtual account and nobody ordered it; returns the id of its pay-in. */
  readonly deposit?: (virtualAccountRef: string, amount: Money) => Promise<string>;
  /** What the partner does about an approved party. */
  readonly cause?: (event: PartyEvent, partnerRef: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export type PartyEvent = 'asks for more' | 'takes the approval back' | 'changes the terms';

export type FailableCall = 'party' | 'payin' | 'payout';
export const callFaults = ['lost before its effect', 'lost after its effect'] as const;
export type CallFault = (typeof callFaults)[number];

export interface PartnerTraits {
  readonly amounts: {
    readonly fine: Money;
    readonly payinFails: Money;
    readonly payoutFails: Money;
    /** Fails first, then the money is back; or only the latter. */
    readonly payoutReturns: Money;
  };
  readonly rejected: Pick<PartyInput, 'firstName' | 'lastName'>;
  readonly pixKey: string;
  readonly badPixKey: string;
  /**
   * A party that the partner wants more of, by itself or when the harness causes it, and the fields
   * that answer it. Without it, no rule about requirements runs.
   */
  readonly asked?: {
    readonly party: Partial<PartyInput>;
    readonly answer: Partial<PartyInput>;
  };
  /** Whether a refund can be had by a call; if not, it is refused for good. */
  readonly refunds: boolean;
}

/** The harness of a rule, with what the partner is like. */
export interface RuleHarness extends PartnerHarness {
  readonly traits: PartnerTraits;
}

export type RuleCheck = (rule: string, body: (harness: RuleHarness) => Promise<void>) => unknown;

/** Far more than any command takes, so that a partner that never ends one fails the test. */
export const STEPS_MAX = 20;

/** The value of an answer that must be `done`. */
export function done<T>(answer: PartnerAnswer<T> | { readonly outcome: 'over_limit' }): T {
  if (answer.outcome === 'done') return answer.value;
  return assert.fail(JSON.stringify(answer));
}

export function person(fields: Partial<PartyInput>): PartyInput {
  return {
    reference: 'cmd_party',
    role: 'seller',
    entityType: 'individual',
    email: 'buyer@example.com',
    firstName: 'Ana',
    lastName: 'Lima',
    legalName: fields.entityType === 'business' ? 'Lima Ltda' : null,
    country: 'BR',
    ...fields,
  };
}

export async function submitted({ partner }: PartnerHarness, fields: Partial<PartyInput>) {
  const request = done(await partner.party.prepare(person(fields)));
  return done(await partner.party.start(request));
}

export async function approvedParty(harness: PartnerHarness): Promise<string> {
  const { partnerRef } = await submitted(harness, { entityType: 'business' });
  await finalReport(harness, () => harness.partner.party.read(partnerRef));
  return partnerRef;
}

export async function destinationOf(harness: RuleHarness): Promise<string> {
  return destinationFor(harness, await approvedParty(harness));
}

export async function destinationFor(
  { partner, traits: { pixKey } }: RuleHarness,
  partyRef: string,
): Promise<string> {
  const input = { partyRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
  return done(await partner.registerPixDestination(input)).destinationRef;
}

export async function preparedPayin(
  harness: RuleHarness,
  source: Money,
  reference = 'cmd_payin',
): Promise<string> {
  const destination = await destinationOf(harness);
  return (await preparedPayinTo(harness, destination, source, reference)).request;
}

async function preparedPayinTo(
  { partner }: PartnerHarness,
  destination: string,
  source: Money,
  reference: string,
) {
  const quote = done(await partner.quote({ source, destination }));
  const input: PayinInput = { reference, quote, payerEmail: 'buyer@example.com' };
  return { quote, request: done(await partner.payin.prepare(input)) };
}

export async function startedPayin(
  harness: RuleHarness,
  source: Money,
  reference = 'cmd_payin',
): Promise<string> {
  const destination = await destinationOf(harness);
  return (await startedPayinTo(harness, destination, source, reference)).partnerRef;
}

/** Several of one party: a party is submitted once. */
export async function startedPayinTo(
  harness: PartnerHarness,
  destination: string,
  source: Money,
  reference: string,
): Promise<{ readonly partnerRef: string; readonly partnerQuoteId: string }> {
  const { quote, request } = await preparedPayinTo(harness, destination, source, reference);
  const { partnerRef } = done(await harness.partner.payin.start(request));
  return { partnerRef, partnerQuoteId: quote.partnerQuoteId };
}

export async function preparedPayout(harness: RuleHarness, amount: Money): Promise<string> {
  const destination = await destinationOf(harness);
  const payin = await startedPayinTo(harness, destination, amount, 'cmd_payin');
  await finalReport(harness, () => harness.partner.payin.read(payin.partnerRef));
  const input = {
    reference: 'cmd_payout',
    amount,
    destination,
    payinRefs: [payin.partnerRef],
    quote: null,
  };
  return done(await harness.partner.payout.prepare(input));
}

/** The first report that is no longer `open` or `verifying`. */
export async function finalReport<R extends { readonly status: string }>(
  harness: PartnerHarness,
  ask: () => Promise<PartnerAnswer<R>>,
): Promise<R> {
  let report = done(await ask());
  await until(harness, async () => {
    report = done(await ask());
    return report.status !== 'open' && report.status !== 'verifying';
  });
  return report;
}

export async function until(
  harness: PartnerHarness,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let count = 0; count < STEPS_MAX; count += 1) {
    if (await isSo()) return;
    await harness.step();
  }
  assert.fail(`not so after ${STEPS_MAX} steps`);
}

export function read(harness: PartnerHarness, { headers, body }: SentMessage) {
  // Verified at the time of its header: the test may have advanced the clock since.
  const sentAtMs = Number.parseInt(headers['svix-timestamp'] ?? '', 10) * 1_000;
  return harness.partner.readInbound(headers, body, sentAtMs);
}

export function payinFacts(harness: PartnerHarness) {
  return harness
    .messages()
    .flatMap((message) => read(harness, message)?.facts ?? [])
    .filter(({ kind }) => kind === 'payin');
}

/** Neither as it is nor in the usual encodings. */
export function assertHides(text: string, secret: string): void {
  for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
    const written = Buffer.from(secret)
      .toString(encoding)
      .replace(/(?<!=)=+$/, '');
    assert.ok(!text.includes(written));
    for (const part of text.split(/[._]/)) {
      assert.ok(!Buffer.from(part, 'base64url').toString('utf8').includes(secret));
    }
  }
}
