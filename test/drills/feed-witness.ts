// A reader at each host for as long as a drill runs: what it saw under one number must be what the
// feed says in the end.
import { setTimeout as wait } from 'node:timers/promises';

const REQUEST_TIMEOUT_MS = 20_000;
const RETRY_MS = 100;
const PAGE = 100;

export interface FeedWitness {
  /** Reads the whole feed once more and compares: each contradiction, in words. */
  contradictions(): Promise<readonly string[]>;
  /** How many different events were seen. */
  seen(): number;
  stop(): Promise<void>;
}

interface Page {
  readonly data: readonly { readonly sequence: number }[];
  readonly nextAfter: number;
  readonly epoch: number;
}

export function witnessFeed(urls: readonly string[], apiKey: string): FeedWitness {
  const seen = new Map<string, string>();
  const found: string[] = [];
  const end = new AbortController();
  const note = ({ data, epoch }: Page): readonly string[] =>
    data.map((event) => {
      const place = `event ${event.sequence} of epoch ${epoch}`;
      const text = JSON.stringify(event);
      const known = seen.get(place) ?? text;
      if (known !== text) found.push(`${place} was ${known}, and then ${text}`);
      seen.set(place, known);
      return place;
    });
  const readers = Promise.all(urls.map((url) => read(url)));

  async function read(url: string): Promise<void> {
    for (let after = 0; !end.signal.aborted; ) {
      const page = await pageAfter(url, apiKey, { after, waitSeconds: 1, signal: end.signal });
      if (page === null) await wait(RETRY_MS);
      else note(page);
      after = page?.nextAfter ?? after;
    }
  }

  return {
    seen: () => seen.size,
    async stop() {
      end.abort();
      await readers;
    },
    async contradictions() {
      end.abort();
      await readers;
      const kept = new Set<string>();
      const [url = ''] = urls;
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      for (let [after, isWhole] = [0, false]; !isWhole; ) {
        const page = await pageAfter(url, apiKey, { after, waitSeconds: 0, signal });
        if (page === null) throw new Error('the feed cannot be read after the drill');
        for (const place of note(page)) kept.add(place);
        after = page.nextAfter;
        isWhole = page.data.length < PAGE;
      }
      const gone = [...seen.keys()].filter((place) => !kept.has(place));
      return [...found, ...gone.map((place) => `${place} is gone`)];
    },
  };
}

async function pageAfter(
  url: string,
  apiKey: string,
  how: { readonly after: number; readonly waitSeconds: number; readonly signal: AbortSignal },
): Promise<Page | null> {
  const query = `after=${how.after}&wait=${how.waitSeconds}&limit=${PAGE}`;
  const response = await fetch(`${url}/v1/events?${query}`, {
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.any([how.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
  }).catch(() => null);
  return response?.ok ? ((await response.json().catch(() => null)) as Page | null) : null;
}
