// What follows pages for the reader: the rows of a list, and the events of the feed.
import type { components } from './description.gen.js';

type RefusalBody = components['schemas']['Error'];
export type FeedEvent = components['schemas']['FeedEvent'];

/** A call that an iteration made was refused. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** The body of the answer; decide on `refusal.error`. */
  readonly refusal: RefusalBody;

  constructor(refusal: RefusalBody) {
    super(`${refusal.error}: ${refusal.message}`);
    this.refusal = refusal;
  }
}

interface Answered<T> {
  readonly data?: T;
  readonly error?: unknown;
}

/** `cursor` or `after` in the query of the next page names its place. */
export type RowPage<Row> = { readonly data: readonly Row[] } & (
  | { readonly nextCursor: string | null }
  | { readonly nextAfter: string | null }
);

type Query = Readonly<Record<string, unknown>>;

/** Every row from this query on, page after page. RefusedError. */
export async function* rowsOf<Row>(
  first: Query,
  read: (query: Query) => Promise<Answered<RowPage<Row>>>,
): AsyncGenerator<Row, void> {
  for (let query = first; ; ) {
    const page: RowPage<Row> = expectData(await read(query));
    yield* page.data;
    const isAfter = 'nextAfter' in page;
    const [name, place] = isAfter ? ['after', page.nextAfter] : ['cursor', page.nextCursor];
    // After its end a list with `after` names the same place again.
    if (place === null || place === query[name]) return;
    query = { ...query, [name]: place };
  }
}

export interface EventsOptions {
  /** Your last sequence, 0 before the first, or `latest` for those to come. */
  readonly after: number | 'latest';
  /** The epoch that came with it. */
  readonly epoch?: number;
  /** Types and wildcards, such as `invoice.*`; all by default. */
  readonly eventTypes?: readonly string[];
  /** Ends the iteration, also while it waits. */
  readonly signal?: AbortSignal;
}

/** An event and its epoch: store `sequence` and `epoch`, and continue from them. */
export type PlacedEvent = FeedEvent & { readonly epoch: number };

interface FeedQuery {
  after: number | 'latest';
  epoch?: number;
  eventTypes?: string;
  wait: number;
}

const WAIT_SECONDS = 30;

/** The events after a place, as they arrive; ends with the signal alone. RefusedError. */
export async function* eventsFrom(
  { after: from, epoch: known, eventTypes, signal }: EventsOptions,
  read: (query: FeedQuery) => Promise<Answered<components['schemas']['Feed']>>,
): AsyncGenerator<PlacedEvent, void> {
  const types = eventTypes === undefined ? {} : { eventTypes: eventTypes.join(',') };
  let after = from;
  let epoch = known;
  while (signal?.aborted !== true) {
    const place = { after, ...(epoch === undefined ? {} : { epoch }) };
    // The place of `latest` must be known before the wait.
    const wait = after === 'latest' ? 0 : WAIT_SECONDS;
    const answer = await read({ ...place, ...types, wait }).catch((error: unknown) => {
      if (signal?.aborted === true) return null;
      throw error;
    });
    if (answer === null) return;
    const { data, ...next } = expectData(answer);
    for (const event of data) yield { ...event, epoch: next.epoch };
    after = next.nextAfter;
    epoch = next.epoch;
  }
}

function expectData<T>({ data, error }: Answered<T>): T {
  if (data !== undefined) return data;
  throw new RefusedError(error as RefusalBody);
}
