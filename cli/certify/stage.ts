// The stage of one fault: a Ponte in this process behind a proxy that can misbehave, the
// integrator's receiver, and the probe. All that a check looks at becomes a finding.
import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { sendFailures } from '../../core/domain/webhooks/send-failure.js';
import {
  signedHeaders,
  signingKeys,
  standardHeaders,
  webhookHeaders,
} from '../../core/domain/webhooks/signature.js';
import type { WebhookResult, WebhookSender } from '../../core/ports/outside.js';
import type { Ponte, ReceivedWebhook } from '../../host/embed.js';
import { type PlayedEvent, refusal } from './certify-faults.js';

export type Verdict = 'ok' | 'failed' | 'not seen';

export interface Finding {
  readonly verdict: Verdict;
  readonly text: string;
}

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

/** Decides on the answer of a call; null breaks the connection. */
export type ApiRule = (
  call: ApiCall,
  forward: () => Promise<ApiAnswer>,
) => Promise<ApiAnswer | null>;

/** What is asked of an integrator. */
export interface IntegrationUnderTest {
  readonly receiver: string;
  /** Null: none. */
  readonly probe: string | null;
  /** How long an answer to a webhook may take. */
  readonly answerWithinMs: number;
}

/** What a run shares between its faults. */
export interface Play {
  readonly ponte: Ponte;
  readonly subject: IntegrationUnderTest;
  /** As a host sends, within the time that the subject has for an answer. */
  readonly sender: WebhookSender;
  secret: string;
  rule: ApiRule | null;
  /** How often the feed was reset: each one is an epoch. */
  resets: number;
  /** Else it has no new events, so a program that reads it each minute changes no other fault. */
  isFeedOpen: boolean;
  readonly calls: { readonly call: ApiCall; readonly atMs: number }[];
}

type Random = (below: number) => number;

interface WebhookChange {
  readonly ageSeconds?: number;
  readonly secret?: string;
  readonly unsigned?: true;
  readonly changedByte?: true;
  readonly signedSecondsAgo?: number;
  readonly spaced?: true;
  readonly type?: string;
}

interface PreparedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: string;
}

interface ProbedOrder {
  readonly effects?: number;
  readonly state?: string;
  readonly settled?: string | null;
}

const AMOUNT = '250.00';
const PROBE_WITHIN_MS = 30_000;
const signatures: readonly string[] = [webhookHeaders.signature, ...Object.values(standardHeaders)];

export class Stage {
  readonly order: string;
  /** The payment has that of the order, unless the integrator names it otherwise. */
  #externalId: string;
  readonly findings: Finding[] = [];
  readonly #play: Play;
  /** Webhooks of the order that were played. */
  #played = 0;
  readonly #callsBefore: number;
  /** A whole number below the given one. */
  readonly random: Random;

  constructor(play: Play, order: string, random: Random) {
    this.#play = play;
    this.order = order;
    this.#externalId = order;
    this.random = random;
    this.#callsBefore = play.calls.length;
  }

  secret(): string {
    return this.#play.secret;
  }

  otherSecret(): string {
    return secretOf(`${this.order} ${this.random(1_000_000)}`);
  }

  api(rule: ApiRule): void {
    this.#play.rule = rule;
  }

  /** Calls of the integrator wait until the returned function is called. */
  holdApi(): () => void {
    const held = Promise.withResolvers<void>();
    this.api((_, forward) => held.promise.then(forward));
    return held.resolve;
  }

  /** The feed without events before those of the order. */
  async prunedFeed(): Promise<ApiRule> {
    const oldestSequence = await this.#firstSequence();
    return async (call, forward) =>
      isFeed(call) && Number(call.query.get('after')) < oldestSequence - 1
        ? refusal('EventsPruned', { oldestSequence })
        : forward();
  }

  /** The feed after a restore, from now on: its events were before the place that it names. */
  resetFeed(): void {
    this.#play.resets += 1;
    // Who names no epoch learns of no reset, and reads from a place that is not there yet.
    this.api(async (call, forward) =>
      isFeed(call) && !call.query.has('epoch')
        ? { status: 200, body: JSON.stringify({ data: [], nextAfter: 0, epoch: 0 }) }
        : forward(),
    );
  }

  async settle(): Promise<void> {
    await this.advances(null);
  }

  /** To this status, or until it settles. */
  async advances(to: string | null): Promise<void> {
    const { ponte } = this.#play;
    await this.#created();
    await ponte.post(`/v1/test-helpers/payments/${this.#named()}/advance`, to ? { to } : {});
    await ponte.runUntilIdle();
  }

  /** Once the payment has the status; null: as it is. */
  async simulates(to: string | null, event: PlayedEvent): Promise<void> {
    const { ponte } = this.#play;
    if (to !== null) await this.advances(to);
    await ponte.post(`/v1/test-helpers/payments/${this.#named()}/simulate`, { event });
    await ponte.runUntilIdle();
  }

  async cancels(): Promise<void> {
    const { ponte } = this.#play;
    await ponte.post(`/v1/payment-intents/${this.#named()}/cancel`, { reason: 'certify' });
    await ponte.runUntilIdle();
  }

  /** The newest of this type, as it is or changed. */
  webhook(event: string, change: WebhookChange = {}): PreparedWebhook {
    const one = this.#received().findLast((received) => received.event === event);
    if (one === undefined) throw new Error(`${event} of ${this.order} was sent`);
    return this.#prepared(one, change);
  }

  webhooks(): readonly PreparedWebhook[] {
    return this.#received().map((one) => this.#prepared(one, {}));
  }

  async accepts(webhook: PreparedWebhook): Promise<boolean> {
    const result = await this.#send(webhook);
    this.#note(isTaken(result), `${webhook.event}: ${answered(result)}`, '2xx');
    return isTaken(result);
  }

  /** In order, up to the first that is not accepted. */
  async acceptsAll(webhooks: readonly PreparedWebhook[]): Promise<void> {
    for (const webhook of webhooks) if (!(await this.accepts(webhook))) return;
  }

  async acceptsOne(webhooks: readonly PreparedWebhook[]): Promise<void> {
    const results = await Promise.all(webhooks.map((webhook) => this.#send(webhook)));
    const text = `both webhooks: ${results.map(answered).join(', ')}`;
    this.#note(results.some(isTaken), text, '2xx for one');
  }

  /** Every webhook since the last call, in order. */
  async acceptsNew(): Promise<void> {
    const all = this.webhooks();
    await this.acceptsAll(all.slice(this.#played));
    this.#played = all.length;
  }

  async refuses(webhook: PreparedWebhook): Promise<void> {
    const result = await this.#send(webhook);
    const { responseStatus: status } = result;
    const isRefused = status !== null && status >= 400 && status < 500;
    this.#note(isRefused, `a forged ${webhook.event}: ${answered(result)}`, '4xx');
  }

  async counts(times: number): Promise<void> {
    const { effects } = await this.#probed();
    this.#noteSeen(effects, times, `the payment counted ${effects} times`, `${times}`);
  }

  async hasState(state: string): Promise<void> {
    const { state: found } = await this.#probed();
    this.#noteSeen(found, state, `the order is ${found}`, state);
  }

  async hasSettledAmount(): Promise<void> {
    const payment = await this.#play.ponte.get(`/v1/payments/${this.#named()}`);
    const right = `${payment['brlSettledAmount']}`;
    const { settled } = await this.#probed();
    this.#noteSeen(settled ?? undefined, right, `the order has ${settled} BRL`, right);
  }

  async catchesUp(): Promise<void> {
    this.#play.isFeedOpen = true;
    const isRead = (await this.#asked({ do: 'catch-up' })) !== null;
    this.#play.isFeedOpen = false;
    if (!isRead) this.#unseen('no probe read the feed to its end');
  }

  /** False: the integrator takes no new secret from the probe. */
  async rotates(): Promise<boolean> {
    const secret = this.otherSecret();
    const isTold = (await this.#asked({ do: 'secret', secret })) !== null;
    if (isTold) this.#play.secret = secret;
    else this.#unseen('the probe takes no new secret');
    return isTold;
  }

  async repeatsCreate(waitMs: number): Promise<void> {
    const isMade = (await this.#asked(this.#creation())) !== null;
    const made = this.#play.calls
      .slice(this.#callsBefore)
      .filter(({ call }) => call.method === 'POST' && /^\/v1\/(payment|invoice)/.test(call.path));
    const [first, second] = made;
    if (first === undefined) {
      this.#unseen('the integration created no payment');
      return;
    }
    this.#note(second !== undefined, `the create was sent ${made.length} times`, 'at least 2');
    if (second === undefined) return;
    const names = new Set(made.map(({ call }) => nameOf(call)));
    this.#note(names.size === 1, `the creates named ${[...names].join(', ')}`, 'one externalId');
    const waited = Math.round(second.atMs - first.atMs);
    this.#note(waited >= waitMs, `it was repeated after ${waited} ms`, `at least ${waitMs}`);
    this.#note(isMade, `the probe said ${isMade ? 'created' : 'that it failed'}`, 'created');
  }

  async #created(): Promise<void> {
    const { ponte } = this.#play;
    const exists = () =>
      ponte.fetch(`/v1/payment-intents/${this.#named()}`).then(({ status }) => status === 200);
    if (await exists()) return;
    const made = await this.#asked(this.#creation());
    this.#externalId = made?.externalId ?? this.order;
    if (await exists()) return;
    const buyer = { email: 'buyer@certify.example' };
    this.#externalId = this.order;
    await ponte.post('/v1/payment-intents', { externalId: this.order, amount: AMOUNT, buyer });
  }

  #named(): string {
    return `ext_${encodeURIComponent(this.#externalId)}`;
  }

  #creation() {
    return { do: 'create', order: this.order, amount: AMOUNT, email: 'buyer@certify.example' };
  }

  #received(): readonly ReceivedWebhook[] {
    return this.#play.ponte.webhooks.filter(({ data }) => data['externalId'] === this.#externalId);
  }

  async #firstSequence(): Promise<number> {
    const payment = await this.#play.ponte.get(`/v1/payment-intents/${this.#named()}`);
    for (let after = 0; ; ) {
      const page = await this.#play.ponte.get(`/v1/events?after=${after}&limit=100`);
      const events = page['data'] as readonly FeedRow[];
      const found = events.find(({ data }) => data['paymentIntentId'] === payment['id']);
      if (found !== undefined) return found.sequence;
      if (events.length === 0) throw new Error(`the feed has ${this.#externalId}`);
      after = Number(page['nextAfter']);
    }
  }

  #send({ headers, body }: PreparedWebhook): Promise<WebhookResult> {
    const { sender, subject } = this.#play;
    return sender.send({ url: subject.receiver, headers, body });
  }

  async #asked(body: object): Promise<ProbeAnswer | null> {
    const { probe } = this.#play.subject;
    return probe === null ? null : askProbe(probe, body);
  }

  async #probed(): Promise<ProbedOrder> {
    const { probe } = this.#play.subject;
    if (probe === null) return {};
    const url = new URL(probe);
    url.searchParams.set('order', this.order);
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_WITHIN_MS) });
      return response.ok ? ((await response.json()) as ProbedOrder) : {};
    } catch {
      return {};
    }
  }

  #prepared(
    { deliveryId, event, body: sent }: ReceivedWebhook,
    change: WebhookChange,
  ): PreparedWebhook {
    const { type = event, ageSeconds = 0, signedSecondsAgo = 0 } = change;
    const { event: _, data } = JSON.parse(sent);
    const occurredAt = new Date(Date.parse(data.occurredAt) - ageSeconds * 1_000).toISOString();
    const isOther = type !== event || ageSeconds > 0;
    const plain = isOther ? JSON.stringify({ event: type, data: { ...data, occurredAt } }) : sent;
    const body = change.spaced ? spaced(plain) : plain;
    const headers = signedHeaders({
      keys: signingKeys(change.secret ?? this.#play.secret),
      timestampSeconds: nowSeconds() - signedSecondsAgo,
      body,
      deliveryId,
      eventType: type,
    });
    const kept = Object.entries(headers).filter(([name]) => !signatures.includes(name));
    return {
      event: type,
      headers: change.unsigned ? Object.fromEntries(kept) : headers,
      body: change.changedByte ? withOtherDigit(body, this.random) : body,
    };
  }

  #note(isRight: boolean, found: string, expected: string): void {
    const text = isRight ? found : `${found}; expected: ${expected}`;
    this.findings.push({ verdict: isRight ? 'ok' : 'failed', text });
  }

  #noteSeen<T>(found: T | undefined, right: T, text: string, expected: string): void {
    if (found === undefined) this.#unseen('no probe says what the order has');
    else this.#note(found === right, text, expected);
  }

  #unseen(text: string): void {
    this.findings.push({ verdict: 'not seen', text });
  }
}

interface FeedRow {
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** To `create`: the externalId of the payment, if it is not that of the order. */
const probeAnswer = z.object({ externalId: z.string().min(1).optional().catch(undefined) });
type ProbeAnswer = z.infer<typeof probeAnswer>;

/** Null unless it does it. */
export async function askProbe(probe: string, body: object): Promise<ProbeAnswer | null> {
  const signal = AbortSignal.timeout(PROBE_WITHIN_MS);
  const headers = { 'content-type': 'application/json' };
  const asked = { method: 'POST', headers, body: JSON.stringify(body), signal };
  try {
    const response = await fetch(probe, asked);
    const text = await response.text();
    return response.ok ? readAnswer(text) : null;
  } catch {
    return null;
  }
}

function readAnswer(text: string): ProbeAnswer {
  try {
    return probeAnswer.catch({}).parse(JSON.parse(text));
  } catch {
    // It says nothing.
    return {};
  }
}

const { connection_refused, connection_closed, no_host, not_resolved, no_answer } = sendFailures;
/** So it is until a program has started. */
const passing = [connection_refused, connection_closed, no_host, not_resolved, no_answer];

/** Waits until the receiver answers a genuine webhook; null if it takes it, else why not. */
export async function unready(
  { subject: { receiver }, sender, secret }: Pick<Play, 'subject' | 'sender' | 'secret'>,
  patienceMs: number,
  ended: AbortSignal,
): Promise<string | null> {
  const occurredAt = new Date().toISOString();
  const data = { subscriptionId: 'whs_test', externalEventId: 'evt_test', occurredAt };
  const body = JSON.stringify({ event: 'webhook.test', data });
  const keys = signingKeys(secret);
  for (const endMs = performance.now() + patienceMs; ; await wait(50)) {
    const timestampSeconds = nowSeconds();
    const test = { keys, timestampSeconds, body, deliveryId: 'whd_test' };
    const headers = signedHeaders({ ...test, eventType: 'webhook.test' });
    const result = await sender.send({ url: receiver, headers, body });
    if (isTaken(result)) return null;
    const isFinal = !passing.some((failure) => result.error?.startsWith(failure));
    if (isFinal || performance.now() > endMs) return answered(result);
    if (ended.aborted) return String(ended.reason);
  }
}

export function secretOf(name: string): string {
  return `whsec_${hash('sha256', `ponte certify ${name}`, 'base64')}`;
}

/** The worst one; a check without findings saw nothing. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const has = (verdict: Verdict) => findings.some((finding) => finding.verdict === verdict);
  if (has('failed')) return 'failed';
  return has('not seen') || findings.length === 0 ? 'not seen' : 'ok';
}

/** The same JSON, as no serializer writes it. */
function spaced(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2).replace('"event"', '"\\u0065vent"');
}

/** Another digit of a value, so that the body stays JSON. */
function withOtherDigit(body: string, random: Random): string {
  const places = [...body.matchAll(/(?<=")[0-9]+(?=\.)/g)].map(({ index }) => index);
  const place = places[random(places.length)] ?? 0;
  const digit = (Number(body[place]) + 1 + random(8)) % 9;
  return `${body.slice(0, place)}${digit || 9}${body.slice(place + 1)}`;
}

function nameOf({ headers, body }: ApiCall): string {
  const { externalId } = JSON.parse(body) as { readonly externalId?: string };
  return externalId ?? headers.get('idempotency-key') ?? '';
}

export const isFeed = ({ path }: ApiCall): boolean => path === '/v1/events';
const isTaken = ({ responseStatus: status }: WebhookResult): boolean =>
  status !== null && status >= 200 && status < 300;
const answered = ({ responseStatus, error }: WebhookResult): string =>
  error ?? `the receiver answered ${responseStatus}`;
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
