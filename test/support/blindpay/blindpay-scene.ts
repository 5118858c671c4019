// The BlindPay adapter over its simulator, with a clock that the test moves, and the steps to
// commands at it.
import { createBlindPayPartner } from '../../../adapters/partner/blindpay/blindpay.js';
import type { BlindPayRoute } from '../../../adapters/partner/blindpay/blindpay-context.js';
import type { ReadFile } from '../../../adapters/partner/running-partner.js';
import type { SignedMessage } from '../../../adapters/partner/signed-message.js';
import { done, person } from '../../../adapters/partner-kit/conformance-harness.js';
import { type Money, money } from '../../../core/domain/base/money.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { PartyInput, PayoutInput, SettlementPartner } from '../../../core/ports/partner.js';
import { type LogEntry, notesIn } from '../scenes/test-world.js';
import type { SuiteEnd } from '../suite-end.js';
import {
  apiKey,
  type BlindPayServer,
  instanceId,
  secret,
  startBlindPay,
} from './blindpay-server.js';

export const START_MS = 1_893_456_000_000;
export const pixKey = 'ana.lima@example.com';
export const usd = (amountMinor: bigint): Money => money(amountMinor, 'USD');

export interface SceneOptions {
  readonly mode?: Mode;
  readonly route?: Partial<BlindPayRoute>;
  readonly secrets?: readonly string[];
  readonly callsPerMinute?: number;
  readonly limit?: { readonly perMinute: number; readonly burst: number };
  readonly readFile?: ReadFile;
  readonly files?: ReadonlyMap<string, { readonly type: string; readonly bytes: Uint8Array }>;
}

export interface BlindPayScene {
  readonly partner: SettlementPartner;
  readonly server: BlindPayServer;
  readonly log: readonly LogEntry[];
  /** Signed and sent so far, oldest first. */
  readonly messages: readonly SignedMessage[];
  /** The time, by BlindPay's clock. */
  nowMs: number;
  /** How far the clock of the adapter is ahead of it. */
  aheadMs: number;
  pass(ms: number): void;
  restarted(): SettlementPartner;
}

export async function openBlindPay(options: SceneOptions = {}): Promise<BlindPayScene> {
  const { mode = 'test', secrets = [secret], files = new Map(), limit } = options;
  const { callsPerMinute = 0 } = options;
  const log: LogEntry[] = [];
  const messages: SignedMessage[] = [];
  const server = await startBlindPay({ nowMs: () => scene.nowMs, callsPerMinute });
  const network = { network: 'polygon_amoy', token: 'USDB' };
  const make = () =>
    createBlindPayPartner({
      mode,
      apiKey,
      instanceId,
      secrets,
      url: server.url,
      clock: { nowMs: () => scene.nowMs + scene.aheadMs, steadyMs: () => scene.nowMs },
      log: notesIn(log),
      readFile: options.readFile ?? (async (url) => files.get(url) ?? null),
      route: { ...network, paymentMethod: 'ach', bankingPartner: null, ...options.route },
      limit: limit ?? { perMinute: 0, burst: 1 },
    });
  const scene: BlindPayScene = {
    partner: make(),
    server,
    log,
    nowMs: START_MS,
    aheadMs: 0,
    restarted: make,
    get messages() {
      const fresh = server.state.messages.slice(messages.length);
      messages.push(...fresh.map((message) => server.state.sign(message, secret)));
      return messages;
    },
    pass(ms) {
      scene.nowMs += ms;
      server.state.tick();
    },
  };
  return scene;
}

export async function blindPay(t: SuiteEnd, options: SceneOptions = {}): Promise<BlindPayScene> {
  const scene = await openBlindPay(options);
  t.after(() => scene.server.close());
  return scene;
}

export async function approvedCustomer(
  scene: BlindPayScene,
  fields: Partial<PartyInput> = {},
): Promise<string> {
  const { party } = scene.partner;
  const { partnerRef } = done(await party.start(done(await party.prepare(person(fields)))));
  scene.pass(60_000);
  return partnerRef;
}

export async function destinationAt(scene: BlindPayScene): Promise<string> {
  const partyRef = await approvedCustomer(scene);
  const input = { partyRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
  return done(await scene.partner.registerPixDestination(input)).destinationRef;
}

export async function preparedPayin(
  scene: BlindPayScene,
  source = usd(125_000n),
  reference = 'reference-1',
): Promise<string> {
  const destination = await destinationAt(scene);
  const quote = done(await scene.partner.quote({ source, destination }));
  const input = { reference, quote, payerEmail: 'buyer@example.com' };
  return done(await scene.partner.payin.prepare(input));
}

/** A payout whose pay-in has completed. */
export async function preparedPayout(
  scene: BlindPayScene,
  amount = usd(125_000n),
  fields: Pick<PayoutInput, 'purpose' | 'sinceMs'> = {},
): Promise<string> {
  const destination = await destinationAt(scene);
  const quote = done(await scene.partner.quote({ source: amount, destination }));
  const input = { reference: 'reference-1', quote, payerEmail: 'buyer@example.com' };
  const request = done(await scene.partner.payin.prepare(input));
  const payinRefs = [done(await scene.partner.payin.start(request)).partnerRef];
  scene.pass(60_000);
  const payout = { reference: 'reference-2', amount, destination, payinRefs, quote, ...fields };
  return done(await scene.partner.payout.prepare(payout));
}
