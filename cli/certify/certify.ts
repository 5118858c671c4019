// Plays the faults against an integration, one after the other, on a Ponte in this process. The
// seed decides what is random.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededBytes } from '../../adapters/crypto/ids.js';
import { webhookSender } from '../../adapters/webhooks/sender.js';
import { createPonte, type Ponte } from '../../host/embed.js';
import { type FaultName, faultNames, faults, refusal } from './certify-faults.js';
import {
  type ApiAnswer,
  type ApiCall,
  askProbe,
  type Finding,
  type IntegrationUnderTest,
  isFeed,
  type Play,
  Stage,
  secretOf,
  unready,
  type Verdict,
  verdictOf,
} from './stage.js';

export interface FaultResult {
  readonly number: number;
  readonly name: FaultName;
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
}

/** What the integration is configured with. */
export interface CertifyAddress {
  readonly url: string;
  readonly apiKey: string;
  readonly secret: string;
}

export interface Certifier {
  readonly address: CertifyAddress;
  run(subject: IntegrationUnderTest, given: Asked): Promise<CertifyRun>;
  close(): Promise<void>;
}

/** `not_ready`: without a fault the integration does not do what faults are about. */
export type CertifyRun =
  | { readonly outcome: 'played'; readonly results: readonly FaultResult[] }
  | { readonly outcome: 'not_ready'; readonly reason: string };

interface Asked {
  readonly named: readonly FaultName[];
  readonly seed: string;
  /** How long the integration may take to start, unless it has ended. */
  readonly patienceMs: number;
  readonly ended?: AbortSignal;
  readonly onResult?: (result: FaultResult) => void;
}

/** Serves the API to the integration, at a port of 127.0.0.1; 0: a free one. */
export async function openCertifier(port: number): Promise<Certifier> {
  const ponte = await createPonte({ seed: 'certify', nowMs: Date.now() });
  const hook = { url: 'https://receiver.example/', eventTypes: ['payment_intent.*'] };
  await ponte.post('/v1/webhook-subscriptions', hook);
  const secret = secretOf('first');
  let play: Played = { ponte, ...quiet(), calls: [] };
  let runs = 0;
  const server = createServer((request, response) => {
    answer(play, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', listening);
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    address: { url: `http://127.0.0.1:${own}`, apiKey: ponte.apiKey, secret },
    async run(subject, asked) {
      const sender = webhookSender({ allowPrivate: true, timeoutMs: subject.answerWithinMs });
      const running: Play = { ponte, ...quiet(), calls: [], subject, sender, secret };
      play = running;
      runs += 1;
      try {
        return await played(running, asked, `certify-${runs}`);
      } finally {
        await sender.close();
      }
    },
    async close() {
      await new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      });
      await ponte.close();
    },
  };
}

async function played(play: Play, asked: Asked, orders: string): Promise<CertifyRun> {
  const { ended = new AbortController().signal } = asked;
  const why = await unready(play, asked.patienceMs, ended);
  if (why !== null) {
    const { receiver } = play.subject;
    const reason = `${receiver} does not take a signed webhook.test with 2xx: ${why}.`;
    return { outcome: 'not_ready', reason };
  }
  const wrong = await plainPayment(play, `${orders}-plain`, asked.seed);
  if (wrong !== null) return { outcome: 'not_ready', reason: wrong };
  return { outcome: 'played', results: await playAll(play, asked, orders) };
}

type Played = Pick<Play, 'ponte' | 'rule' | 'calls' | 'resets' | 'isFeedOpen'>;

function quiet() {
  return { rule: null, resets: 0, isFeedOpen: false };
}

/** Why a payment without a fault does not count once; null if it does, or nothing shows it. */
async function plainPayment(play: Play, order: string, seed: string): Promise<string | null> {
  const stage = new Stage(play, order, randomOf(`${seed} plain`));
  await stage.settle();
  await stage.acceptsNew();
  await stage.counts(1);
  const wrong = stage.findings.filter(({ verdict }) => verdict === 'failed');
  if (wrong.length === 0) return null;
  const found = wrong.map(({ text }) => text).join('; ');
  return `A payment without any fault does not count once, so no fault was played: ${found}.`;
}

async function playAll(play: Play, { named, seed, onResult }: Asked, orders: string) {
  const results: FaultResult[] = [];
  const first = play.secret;
  for (const [at, name] of faultNames.entries()) {
    if (!named.includes(name)) continue;
    // What a fault plays follows from the seed and its number, not from the ones before.
    const random = randomOf(`${seed} ${name}`);
    const stage = new Stage(play, `${orders}-${at + 1}`, random);
    await faults[name].play(stage);
    play.rule = null;
    const { findings } = stage;
    const result = { number: at + 1, name, verdict: verdictOf(findings), findings };
    results.push(result);
    onResult?.(result);
  }
  const { probe } = play.subject;
  if (play.secret !== first && probe !== null)
    await askProbe(probe, { do: 'secret', secret: first });
  return results;
}

async function answer(
  play: Played,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://certify');
  const headers = new Headers(request.headers as Record<string, string>);
  const { method = 'GET' } = request;
  const call: ApiCall = { method, path, query, headers, body: Buffer.concat(chunks).toString() };
  play.calls.push({ call, atMs: performance.now() });
  const forward = () => (isFeed(call) ? readFeed(play, call) : forwarded(play.ponte, call));
  const given = await (play.rule === null ? forward() : play.rule(call, forward));
  if (given === null) {
    response.destroy();
    return;
  }
  response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
}

/** The feed in the epoch that the resets have led to. */
async function readFeed({ ponte, resets, isFeedOpen }: Played, call: ApiCall): Promise<ApiAnswer> {
  const query = new URLSearchParams(call.query);
  query.delete('epoch');
  const { status, body } = await forwarded(ponte, { ...call, query });
  if (status !== 200) return { status, body };
  const feed = JSON.parse(body) as { readonly epoch: number };
  const epoch = feed.epoch + resets;
  const given = call.query.get('epoch');
  if (given === null || given === `${epoch}`) {
    const after = Number(query.get('after') ?? 0);
    const shown = isFeedOpen || Number.isNaN(after) ? {} : { data: [], nextAfter: after };
    return { status, body: JSON.stringify({ ...feed, epoch, ...shown }) };
  }
  const { nextAfter: lastSequence } = await ponte.get('/v1/events?after=latest');
  return refusal('FeedReset', { epoch, lastSequence });
}

/** The clock stands still, so the feed is never waited for. */
async function forwarded(ponte: Ponte, { method, path, query, headers, body }: ApiCall) {
  const kept = ['x-api-key', 'idempotency-key', 'content-type'].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  const search = new URLSearchParams(query);
  search.delete('wait');
  const sent = { method, headers: kept, ...(method === 'GET' ? {} : { body }) };
  const response = await ponte.fetch(`${path}?${search}`, sent);
  return { status: response.status, body: await response.text() } satisfies ApiAnswer;
}

function randomOf(seed: string): (below: number) => number {
  const bytes = seededBytes(`certify ${seed}`);
  return (below) => Buffer.from(bytes(4)).readUInt32BE() % below;
}
