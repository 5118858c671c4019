// One round: a new service and a sequence of requests that follows from the seed alone. Steps of
// scenarios alternate with deliveries of partner messages and random requests to any operation.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Answer } from '../adapters/http/checked-site.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { type Description, type Operation, readDescription } from './described-operations.js';
import { FuzzCoverage } from './fuzz-coverage.js';
import { checkLog, FuzzRules, pathOf } from './fuzz-rules.js';
import { type Client, type FuzzScene, fuzzScene } from './fuzz-scene.js';
import { type Draft, requestBytes, titleOf } from './request-draft.js';
import { makeRequest, type RequestKind } from './request-maker.js';
import { scenarios } from './scenarios.js';
import type { Plan } from './valid-requests.js';
import { type WireClient, wireClient } from './wire-client.js';

export interface Violation {
  readonly seed: number;
  /** The number of the request. */
  readonly count: number;
  readonly title: string;
  readonly problem: string;
  /** The first bytes of the request. */
  readonly request: string;
}

export interface Round {
  readonly violations: readonly Violation[];
  readonly coverage: FuzzCoverage;
  readonly trace: readonly string[];
  /** Of all bytes sent and all bodies received. */
  readonly traceHash: string;
}

const REQUEST_SHOWN_MAX = 1_000;
/** What a request is: a step of a scenario, a partner message, or else random. */
const MESSAGE_SHARE = 0.4;
const SCENARIO_SHARE = 0.4;
/** Valid random requests to an operation that has not succeeded yet in this round. */
const NEW_OPERATION_SHARE = 0.5;

export async function playRound(seed: number, count: number): Promise<Round> {
  const scene = await fuzzScene();
  const wire = wireClient(scene.site.port);
  try {
    const round = new RoundPlayer({ seed, scene, wire, description: await description(wire) });
    for (let requestNumber = 1; requestNumber <= count; requestNumber += 1) {
      await round.step(requestNumber);
    }
    wire.disconnect();
    await round.guarded('webhooks', () => scene.close());
    return round.result();
  } catch (error) {
    wire.disconnect();
    await scene.close();
    throw error;
  }
}

async function description(wire: WireClient): Promise<Description> {
  const request = Buffer.from('GET /docs-json HTTP/1.1\r\nHost: api.example.com\r\n\r\n');
  const [answer] = await wire.exchange(request, ['GET']);
  assert.equal(answer?.status, 200);
  return readDescription(answer.text);
}

interface RoundParts {
  readonly seed: number;
  readonly scene: FuzzScene;
  readonly wire: WireClient;
  readonly description: Description;
}

class RoundPlayer {
  readonly #parts: RoundParts;
  readonly #random: SeededRandom;
  readonly #rules: FuzzRules;
  readonly #coverage = new FuzzCoverage();
  readonly #violations: Violation[] = [];
  readonly #trace: string[] = [];
  readonly #hash = createHash('sha256');
  #scenario: { steps: readonly string[]; client: Client; since: number } | null = null;
  /** Those that are not played yet: all are, before one is played again. */
  #coming = scenarios;
  #logEntriesChecked = 0;

  constructor(parts: RoundParts) {
    this.#parts = parts;
    this.#random = new SeededRandom(parts.seed);
    this.#rules = new FuzzRules(parts.description);
  }

  async step(requestNumber: number): Promise<void> {
    const { scene, description: described } = this.#parts;
    await this.guarded('work', async () => {
      const notes = await scene.advance(this.#random);
      for (const note of notes) this.#trace.push(`  (${note})`);
    });
    const plan = this.#nextPlan(requestNumber);
    const draft = await makeRequest(scene, described, this.#random, plan);
    await this.#send(draft, requestNumber);
  }

  /** Every error is a violation. */
  async guarded(title: string, run: () => Promise<void>, request = ''): Promise<void> {
    try {
      await run();
    } catch (error) {
      const problem = error instanceof Error ? error.message : `${error}`;
      const { requests: count } = this.#coverage;
      this.#violations.push({ seed: this.#parts.seed, count, title, problem, request });
      this.#parts.wire.disconnect();
    }
  }

  result(): Round {
    return {
      violations: this.#violations,
      coverage: this.#coverage,
      trace: this.#trace,
      traceHash: this.#hash.digest('hex'),
    };
  }

  #nextPlan(requestNumber: number): Plan & { readonly kind: RequestKind } {
    const random = this.#random;
    const { scene, description: described } = this.#parts;
    const client = scene.clients[Number(random.weighted({ 0: 10, 1: 6, 2: 1, 3: 1 }))] as Client;
    const base = { requestNumber, client, since: Number.POSITIVE_INFINITY };
    if (scene.messages.length > 0 && random.chance(MESSAGE_SHARE)) {
      const kind = random.weighted<RequestKind>({ valid: 8, 'near miss': 1, hostile: 1 });
      return { ...base, operation: this.#operation('receivePartnerWebhook'), kind };
    }
    if (random.chance(SCENARIO_SHARE))
      return { ...base, ...this.#scenarioStep(base), kind: 'valid' };
    const kind = random.weighted<RequestKind>({ valid: 3, 'near miss': 4, hostile: 4 });
    const { operations } = described;
    const fresh = operations.filter((one) => !this.#coverage.hasSucceeded(one.operationId));
    const isFresh = kind === 'valid' && fresh.length > 0 && random.chance(NEW_OPERATION_SHARE);
    return { ...base, operation: random.pick(isFresh ? fresh : operations), kind };
  }

  #scenarioStep({ client, requestNumber }: Pick<Plan, 'client' | 'requestNumber'>) {
    this.#scenario ??= { steps: this.#nextScenario(), client, since: requestNumber };
    const { steps, ...scenario } = this.#scenario;
    const [next = '', ...rest] = steps;
    this.#scenario = rest.length === 0 ? null : { ...scenario, steps: rest };
    return { ...scenario, operation: this.#operation(next) };
  }

  #nextScenario(): readonly string[] {
    if (this.#coming.length === 0) this.#coming = scenarios;
    const steps = this.#random.pick(this.#coming);
    this.#coming = this.#coming.filter((other) => other !== steps);
    return steps;
  }

  #operation(operationId: string): Operation {
    const { operations } = this.#parts.description;
    const found = operations.find((operation) => operation.operationId === operationId);
    assert.ok(found !== undefined, `${operationId} is not described`);
    return found;
  }

  async #send(draft: Draft, requestNumber: number): Promise<void> {
    this.#coverage.countRequest();
    const id = `fuzz-${requestNumber}`;
    const ids = draft.twice ? [id, `${id}-again`] : [id];
    const bytes = Buffer.concat(ids.map((one) => requestBytes(draft, one)));
    const shown = bytes.toString('latin1', 0, REQUEST_SHOWN_MAX);
    const results: string[] = [];
    this.#hash.update(bytes);
    const receive = async () => {
      for (const [at, answer] of (await this.#answers(draft, ids, bytes)).entries()) {
        results.push(`${answer.status} ${answer.body['error'] ?? ''}`.trim());
        this.#hash.update(answer.text);
        this.#coverage.countAnswer(draft.method, pathOf(draft), answer.status);
        this.#rules.check(draft, ids[at] ?? '', answer, this.#expectedFailures(draft));
        this.#learn(draft, answer, requestNumber);
      }
    };
    await this.guarded(titleOf(draft), receive, shown);
    await this.guarded(`work: ${titleOf(draft)}`, async () => this.#checkLog(), shown);
    this.#trace.push(`${requestNumber} ${titleOf(draft)} → ${results.join(', ')}`);
  }

  async #answers(draft: Draft, ids: readonly string[], bytes: Buffer): Promise<readonly Answer[]> {
    const { wire } = this.#parts;
    if (draft.disconnects) {
      await wire.sendAndDisconnect(bytes);
      return [];
    }
    if (draft.rewrite !== null) {
      const answer = await wire.sendMalformed(bytes, draft.method);
      return answer === null ? [] : [answer];
    }
    const methods = ids.map(() => draft.method);
    return wire.exchange(bytes, methods);
  }

  #expectedFailures(draft: Draft): readonly string[] {
    // No partner is configured for live mode.
    const isTest = draft.client?.tenant.mode === 'test';
    return [...this.#parts.scene.outageCodes(), ...(isTest ? [] : ['PartnerUnavailable'])];
  }

  #learn(draft: Draft, { status, headers, body, text }: Answer, at: number): void {
    const { operation, client } = draft;
    if (status >= 300 || client === null) return;
    const { etag } = headers;
    if (etag !== undefined) client.known.add('etag', etag, at);
    const key = draft.headers.find(([name]) => name === 'Idempotency-Key')?.[1];
    if (
      key !== undefined &&
      /^create(Payment|PaymentIntent|Invoice)$/.test(operation.operationId)
    ) {
      client.known.add('Idempotency-Key', key, at);
    }
    for (const [, version = '', file = ''] of text.matchAll(/\/docs\/assets\/(\w+)\/([\w.-]+)/g)) {
      client.known.add('version of docs', version, at);
      client.known.add('file of docs', file, at);
    }
    // Public answers hold examples only.
    if (operation.schemes.length > 0) client.known.learn(operation.operationId, body, at);
  }

  #checkLog(): void {
    const { log } = this.#parts.scene.site.world;
    const entries = log.slice(this.#logEntriesChecked);
    this.#logEntriesChecked = log.length;
    checkLog(entries);
  }
}
