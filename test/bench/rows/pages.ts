// The hosted pages: the server's time for each screen beside the time in which Preact renders the
// same view alone, and what open status streams cost. All in this process, over SQLite in memory.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { renderPage } from '../../../adapters/pages/buyer/render.js';
import { createPonte, type Ponte } from '../../../host/embed.js';
import { samples } from '../../adapters/pages/buyer/page-samples.js';
import { buyerSubject, startSession } from '../../support/scenes/started-session.js';
import { type Bench, type Figure, median, until } from '../comparison.js';

/** The screens on the way of a payment, by the status that shows them. */
const screens = {
  ask: null,
  kyc_form: 'buyer_kyc_pending',
  price: 'fx_quoted',
  bank_details: 'on_ramp_pending',
  paid: 'settled',
} as const;

const STREAMS = 1_000;
/** Long enough for several comparisons of all watched payments. */
const WATCHED_MS = 6_000;

export async function pages(bench: Bench): Promise<readonly Figure[]> {
  const ponte = await createPonte();
  const url = await ponte.listen();
  const figures: Figure[] = [];
  for (const [screen, status] of Object.entries(screens)) {
    figures.push(await screenFigure(bench, { ponte, url }, screen, status));
  }
  figures.push(...(await streamFigures(bench, { ponte, url })));
  await ponte.close();
  return figures;
}

interface Site {
  readonly ponte: Ponte;
  readonly url: string;
}

async function screenFigure(
  bench: Bench,
  site: Site,
  screen: string,
  status: string | null,
): Promise<Figure> {
  const { path, cookie } = await pageOf(site, screen, status);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const served = () => get(site.url, path, status === null ? {} : { cookie }, agent);
  const sample = samples.find(({ name }) => name === screen.replaceAll('_', '-'));
  if (sample === undefined) throw new Error(`there is no sample ${screen}`);
  const bare = async () => {
    renderPage(sample.view);
  };
  const [mine, others]: [number[], number[]] = [[], []];
  for (let round = 0; round < bench.rounds; round += 1) {
    mine.push(await meanMs(served, bench.roundMs / 4));
    others.push(await meanMs(bare, bench.roundMs / 4));
  }
  agent.destroy();
  bench.say(`  ${screen}: ${median(mine).toFixed(2)} ms, bare ${median(others).toFixed(2)} ms`);
  return {
    row: 'pages',
    what: `screen ${screen}, over HTTP`,
    unit: 'ms',
    value: median(mine),
    against: { what: 'Preact alone', value: median(others) },
    ratio: median(mine.map((value, round) => value / (others[round] ?? 1))),
    goal: null,
    notes: {},
  };
}

/** A payment in this status, and the session of its buyer. */
async function pageOf({ ponte, url }: Site, name: string, status: string | null) {
  const order = {
    externalId: `${name}-1`,
    amount: '250.00',
    buyer: { email: `${name}@a.example` },
  };
  const created = await ponte.post('/v1/payment-intents', order);
  const id = String(created['id']);
  if (status !== null) {
    await ponte.post(`/v1/test-helpers/payments/${id}/advance`, { to: status });
    await ponte.runUntilIdle();
  }
  const { token } = await startSession(ponte.deps, buyerSubject(ponte.tenant, id));
  const path = new URL(String(created['hostedPaymentUrl'])).pathname;
  const response = await get(url, path, { cookie: `ponte-session=${token}` });
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
  return { path, cookie: `ponte-session=${token}` };
}

async function get(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<IncomingMessage> {
  const sent = request(`${url}${path}`, { headers, ...(agent === undefined ? {} : { agent }) });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

async function meanMs(work: () => Promise<unknown>, durationMs: number): Promise<number> {
  const startedAtMs = performance.now();
  let count = 0;
  while (performance.now() - startedAtMs < durationMs) {
    await work();
    count += 1;
  }
  return (performance.now() - startedAtMs) / count;
}

async function streamFigures(bench: Bench, site: Site): Promise<readonly Figure[]> {
  const opened: { readonly path: string; readonly cookie: string }[] = [];
  for (let at = 0; at < STREAMS; at += 1) {
    opened.push(await pageOf(site, `stream-${at}`, null));
  }
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const streams = opened.map(({ path, cookie }) => {
    const sent = request(`${site.url}${path}/status?version=1.0`, { agent, headers: { cookie } });
    sent.end();
    return sent;
  });
  const answers = await Promise.all(
    streams.map(async (sent) => ((await once(sent, 'response')) as [IncomingMessage])[0]),
  );
  for (const answer of answers) answer.resume();
  const memoryKb = (process.memoryUsage().rss - before) / 1_024 / STREAMS;
  const { store } = site.ponte.deps;
  const run = store.run.bind(store);
  let runs = 0;
  Object.assign(store, {
    run: (...work: Parameters<typeof run>) => {
      runs += 1;
      return run(...work);
    },
  });
  const startedAtMs = performance.now();
  await until(async () => performance.now() - startedAtMs >= WATCHED_MS, 100);
  const readsPerSecond = (runs * 1_000) / WATCHED_MS;
  for (const sent of streams) sent.destroy();
  agent.destroy();
  bench.say(`  ${STREAMS} streams: ${memoryKb.toFixed(0)} KiB each, ${readsPerSecond} reads/s`);
  const alone = { row: 'pages', against: null, ratio: null, goal: null, notes: {} } as const;
  return [
    { ...alone, what: `memory of an open page, client included`, unit: 'KiB', value: memoryKb },
    { ...alone, what: `reads for ${STREAMS} open pages`, unit: '/s', value: readsPerSecond },
  ];
}
