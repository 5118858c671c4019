// A fake partner with a clock that stands until it is moved, and the steps to transactions at it.
import assert from 'node:assert/strict';
import { createFakePartner, type FakePartner } from '../../../adapters/partner/fake.js';
import type { FakeMemory } from '../../../adapters/partner/fake-memory.js';
import type { SignedMessage } from '../../../adapters/partner/signed-message.js';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { type Money, money } from '../../../core/domain/base/money.js';
import type {
  SimulatedOutcome,
  SimulatedReport,
} from '../../../core/domain/payments/simulated-event.js';
import type { PartnerAnswer, PartnerFact, PartyInput } from '../../../core/ports/partner.js';

export const START_MS = 1_763_640_000_000;
export const DELAY_MS = 1_000;
export const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
export const pixKey = 'ana.lima@example.com';

export interface World {
  readonly partner: FakePartner;
  readonly messages: SignedMessage[];
  nowMs: number;
  /** Lets this much time pass, then sends everything due. */
  pass(ms: number): Promise<void>;
  restarted(payins?: 'arrive' | 'wait'): FakePartner;
  /** Stores the outcome of the transaction with this reference. */
  choose(reference: string, outcome: SimulatedOutcome): void;
}

export function world(
  options: {
    readonly delayMs?: number;
    readonly mode?: 'test' | 'live';
    readonly payins?: 'arrive' | 'wait';
    readonly memory?: FakeMemory | null;
    readonly pageSize?: number;
  } = {},
): World {
  const messages: SignedMessage[] = [];
  const chosen = new Map<string, SimulatedReport>();
  const make = (payins = options.payins ?? 'arrive') =>
    createFakePartner({
      payins,
      simulatedReport: async (reference) => chosen.get(reference) ?? null,
      mode: options.mode ?? 'test',
      clock: { nowMs: () => made.nowMs },
      delayMs: options.delayMs ?? DELAY_MS,
      secret,
      memory: options.memory ?? null,
      pageSize: options.pageSize ?? 100,
      deliver: async (message) => {
        messages.push(message);
      },
    });
  const made: World = {
    partner: make(),
    messages,
    nowMs: START_MS,
    async pass(ms) {
      made.nowMs += ms;
      while ((await made.partner.sendDueMessages(made.nowMs, 10)) > 0);
    },
    restarted: make,
    choose(reference, outcome) {
      const version = (chosen.get(reference)?.version ?? 0) + 1;
      chosen.set(reference, { mode: 'test', reference, outcome, version });
    },
  };
  return made;
}

export function minor(text: string): Money {
  return money(BigInt(text.replace('.', '')), 'USD');
}

export function party(fields: Partial<PartyInput>): PartyInput {
  return {
    reference: 'cmd_1',
    role: 'buyer',
    entityType: 'individual',
    email: 'buyer@example.com',
    firstName: 'Ana',
    lastName: 'Lima',
    legalName: null,
    country: 'US',
    ...fields,
  };
}

export async function approvedBusiness({ partner }: World): Promise<string> {
  const business = party({ role: 'seller', entityType: 'business', legalName: 'Lima Ltda' });
  const request = done(await partner.party.prepare(business));
  return done(await partner.party.start(request)).partnerRef;
}

export async function destinationOf(made: World): Promise<string> {
  const partyRef = await approvedBusiness(made);
  const input = { partyRef, pixKey, accountHolderName: 'Ana Lima', key: 'k' };
  return done(await made.partner.registerPixDestination(input)).destinationRef;
}

export async function startedPayin(made: World, source: Money): Promise<string> {
  const destination = await destinationOf(made);
  const quote = done(await made.partner.quote({ source, destination }));
  const transaction = { reference: 'cmd_1', quote, payerEmail: 'buyer@example.com' };
  const request = done(await made.partner.payin.prepare(transaction));
  return done(await made.partner.payin.start(request)).partnerRef;
}

export async function startedPayout(made: World, amount: Money, to?: string): Promise<string> {
  const destination = to ?? (await destinationOf(made));
  const transaction = { reference: 'cmd_1', amount, destination, payinRefs: [], quote: null };
  const request = done(await made.partner.payout.prepare(transaction));
  return done(await made.partner.payout.start(request)).partnerRef;
}

export async function payoutEnd(made: World, amount: Money, destination: string) {
  const partnerRef = await startedPayout(made, amount, destination);
  await made.pass(2 * DELAY_MS);
  return done(await made.partner.payout.read(partnerRef));
}

export function facts({ partner, messages, nowMs }: World): readonly PartnerFact[] {
  return messages.flatMap(({ headers, body }) => {
    const sentAtMs = Number.parseInt(headers['svix-timestamp'] ?? '', 10) * 1_000;
    assert.ok(sentAtMs <= nowMs);
    return partner.readInbound(headers, body, sentAtMs)?.facts ?? assert.fail('not genuine');
  });
}

export function refusalCode(answer: PartnerAnswer<unknown>): string | null {
  return answer.outcome === 'refused' ? answer.code : null;
}
