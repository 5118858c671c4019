// Rate limits in the database, shared by all hosts. rate-limit.ts has the arithmetic. Concurrent
// requests are counted in one statement. Keys of one request advance together, or none of them does
// because another host was first: those requests are counted again. All hosts use the
// clock of the database. The cache has the last known time of each key; a refusal may rely on it,
// because the time of a key only grows, or falls to what its limit can produce. What a request
// gives back on one host may be refused on another one until the cached time allows it.
import { type Taken, takeFromAll } from '../../../core/domain/service/rate-limit.js';
import { PonteError } from '../../../core/errors.js';
import type { RateLimits } from '../../../core/ports/outside.js';
import { flag, integer, text } from '../columns.js';
import type { Database } from '../database.js';
import { MicroBatcher } from './micro-batcher.js';

/** Rounds that other hosts may win; at least one of them advances in each. */
const ROUNDS_MAX = 50;
const GROUP_MAX = 1_000;
/** About 10 MB. A key that is not cached is read again. */
const KEYS_MAX = 100_000;
/** New keys between two sweeps, and the keys that one sweep removes. */
const NEW_KEYS_PER_SWEEP = 100;
const SWEPT_MAX = 1_000;
/** A key that has rested for this long is rested by every clock. */
const RESTED_MICROS = 3_600_000_000;
const MICROS_PER_MS = 1_000;

type RateRequest = Parameters<RateLimits['take']>[0];

interface Taking extends RateRequest {
  readonly resolve: (taken: Taken) => void;
  readonly reject: (error: unknown) => void;
}

const sql = {
  known: 'select key, tat_micros from rate_limits where key = $1',
  first: 'insert into rate_limits (key, tat_micros) values ($1, $2) on conflict (key) do nothing',
  // A rested key is treated like one never seen. A key that another host updates is skipped.
  sweep: [
    'delete from rate_limits where key in (select key from rate_limits where tat_micros < $1',
    'limit $2 for update skip locked)',
  ].join(' '),
  // Locked in the order of keys: two hosts cannot deadlock. A part with a lost key moves nothing.
  take: [
    'with t as (select * from json_to_recordset($1::json)',
    'as t(key text, was bigint, tat bigint, part text)), held as (select t.* from t',
    'join rate_limits r on r.key = t.key and r.tat_micros = t.was order by key for update of r),',
    'moved as (update rate_limits r set tat_micros = held.tat from held where r.key = held.key',
    'and part not in (select part from t where key not in (select key from held)) returning r.key)',
    'select key, moved.key is not null as is_moved from held left join moved using (key)',
  ].join(' '),
} as const;

export function newSharedRateLimits(database: Database): RateLimits {
  const tatMicrosByKey = new Map<string, number>();
  let newKeys = 0;
  const read = async (key: string, nowMs: number): Promise<void> => {
    const nowMicros = nowMs * MICROS_PER_MS;
    newKeys += 1;
    if (newKeys % NEW_KEYS_PER_SWEEP === 0) {
      await database.immediate(sql.sweep, [nowMicros - RESTED_MICROS, SWEPT_MAX]);
    }
    await database.immediate(sql.first, [key, nowMicros]);
    const [row] = await database.read(sql.known, [key]);
    // Another host may have swept it: then the update misses, and the key is read again.
    const tatMicros = row === undefined ? 0 : integer('tat_micros').read(row);
    if (tatMicrosByKey.size >= KEYS_MAX) tatMicrosByKey.clear();
    tatMicrosByKey.set(key, tatMicros);
  };

  /** One round. Returns the requests of which another host advanced a key. */
  const round = async (group: readonly Taking[]): Promise<readonly Taking[]> => {
    const keys = new Set(group.flatMap(({ buckets }) => buckets.map(({ key }) => key)));
    const nowMs = group[0]?.nowMs ?? 0;
    const unknown = [...keys].filter((key) => !tatMicrosByKey.has(key));
    await Promise.all(unknown.map((key) => read(key, nowMs)));
    const was = new Map([...keys].map((key) => [key, tatMicrosByKey.get(key) ?? 0]));
    const { tats, answers } = plan(group, was);
    const partOf = partsOf(group);
    const moves = [...tats]
      .map(([key, tat]) => ({ key, was: was.get(key), tat, part: partOf(key) }))
      .filter((move) => move.was !== move.tat);
    const lostKeys = new Set(moves.map(({ key }) => key));
    const held = new Set<string>();
    if (moves.length > 0) {
      for (const row of await database.immediate(sql.take, [JSON.stringify(moves)])) {
        const key = text('key').read(row);
        held.add(key);
        if (flag('is_moved').read(row)) lostKeys.delete(key);
      }
    }
    for (const [key, tat] of tats) {
      if (!lostKeys.has(key)) tatMicrosByKey.set(key, tat);
      else if (!held.has(key)) tatMicrosByKey.delete(key);
    }
    const isLost = ({ buckets }: Taking) => buckets.some(({ key }) => lostKeys.has(key));
    for (const { taking, taken } of answers) {
      if (!isLost(taking)) taking.resolve(taken);
    }
    return group.filter(isLost);
  };

  const batcher = new MicroBatcher<Taking>({
    // One statement of this host at a time advances a key.
    concurrency: 1,
    groupMax: GROUP_MAX,
    work: async (queue) => {
      let left = queue.next();
      try {
        for (let rounds = 0; left.length > 0; rounds += 1) {
          if (rounds === ROUNDS_MAX) throw new PonteError('StoreContention');
          left = await round(left);
        }
      } catch (error) {
        for (const { reject } of left) reject(error);
      }
    },
  });
  return {
    take: (request) =>
      new Promise((resolve, reject) => batcher.add({ ...request, resolve, reject })),
  };
}

/** Keys are of one part if a request takes from both, or a chain of requests joins them. */
function partsOf(group: readonly Taking[]): (key: string) => string {
  const joined = new Map<string, string>();
  const partOf = (key: string): string => {
    const next = joined.get(key);
    if (next === undefined || next === key) return key;
    const part = partOf(next);
    joined.set(key, part);
    return part;
  };
  for (const { buckets } of group) {
    for (const { key } of buckets) joined.set(partOf(key), partOf(buckets.at(-1)?.key ?? key));
  }
  return partOf;
}

/** The times of all keys after these requests in turn, and the result of each. */
function plan(group: readonly Taking[], was: ReadonlyMap<string, number>) {
  const tats = new Map(was);
  const answers = group.map((taking) => {
    const { buckets, nowMs } = taking;
    const taken = takeFromAll(buckets, nowMs, (key) => tats.get(key) ?? null);
    for (const [key, tat] of taken.tatMicros) {
      // Only a request that is allowed advances a key; a lower time corrects a wrong clock.
      if (taken.retryAfterSeconds === null || tat < (tats.get(key) ?? 0)) tats.set(key, tat);
    }
    return { taking, taken };
  });
  return { tats, answers };
}
