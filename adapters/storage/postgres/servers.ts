// Chooses the server among those that a URL names: it accepts writes, belongs to the cluster that
// was seen first, and has the newest timeline seen. A promotion begins a timeline, so a replaced
// primary stays behind even when it returns and accepts writes.
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { assert } from '../../../core/errors.js';
import {
  destroySession,
  openSession,
  type PostgresSession,
  type ServerIdentity,
  unknownServer,
} from './session.js';

const QUERY_AGAIN_MS = 250;

/** The server answers and must not be used. */
export class UnfitServer extends Error {
  override readonly name = 'UnfitServer';
}

export interface Found {
  readonly session: PostgresSession | null;
  /** Why the others are not used, by URL. */
  readonly failures: ReadonlyMap<string, unknown>;
}

export class PostgresServers {
  readonly #urls: readonly string[];
  #seen: Pick<ServerIdentity, 'systemId' | 'timeline'> = unknownServer;

  constructor(url: string) {
    this.#urls = hostUrls(url);
  }

  /**
   * Queries all servers in parallel and takes the newest. A newer timeline than any seen is taken
   * without waiting for the others, which may hang.
   */
  async find(): Promise<Found> {
    const failures = new Map<string, unknown>();
    const open: PostgresSession[] = [];
    const { promise: newer, resolve } = Promise.withResolvers<void>();
    let silent = this.#urls.length;
    let isOver = false;
    const query = async (url: string): Promise<void> => {
      try {
        const session = await openSession(url);
        if (isOver) return destroySession(session);
        open.push(this.#fit(session));
        if (this.#isNewer(session.server)) resolve();
      } catch (error) {
        failures.set(url, error);
      }
    };
    const queried = this.#urls.map(async (url) => {
      await query(url).finally(() => {
        silent -= 1;
      });
      // A standby may be promoted while another server is silent.
      while (silent > 0 && !isOver && failures.get(url) instanceof UnfitServer) {
        await wait(QUERY_AGAIN_MS);
        failures.delete(url);
        await query(url);
      }
    });
    await Promise.race([newer, Promise.all(queried)]);
    isOver = true;
    const [session = null, ...others] = open.toSorted(
      (a, b) => timelineOf(b) - timelineOf(a) || this.#placeOf(a) - this.#placeOf(b),
    );
    for (const other of others) destroySession(other);
    if (session !== null) this.#note(session.server);
    return { session, failures };
  }

  /** Notes the server of this session as the newest; throws when it must not be used. */
  admit(session: PostgresSession): void {
    this.#note(this.#fit(session).server);
  }

  #note({ systemId, timeline }: ServerIdentity): void {
    const seen = this.#seen;
    this.#seen = { systemId: systemId ?? seen.systemId, timeline: timeline ?? seen.timeline };
  }

  #placeOf({ url }: PostgresSession): number {
    return this.#urls.indexOf(url);
  }

  /** A session that must not be used is destroyed. */
  #fit(session: PostgresSession): PostgresSession {
    const reason = this.#unfitness(session);
    if (reason === null) return session;
    destroySession(session);
    throw new UnfitServer(`the connection is to ${reason}`);
  }

  #unfitness({ isStandby, server }: PostgresSession): string | null {
    const { systemId, timeline } = this.#seen;
    if (isStandby) return 'a standby';
    if (systemId !== null && server.systemId !== null && server.systemId !== systemId) {
      return (
        `another cluster: ${server.systemId}, not ${systemId}. ` +
        'Restart the hosts if that is meant'
      );
    }
    if (timeline !== null && server.timeline !== null && server.timeline < timeline) {
      return (
        `a server that was replaced: its timeline is ${server.timeline}, the newest one is ` +
        `${timeline}. Fence it and rejoin it as a standby`
      );
    }
    return null;
  }

  #isNewer({ timeline }: ServerIdentity): boolean {
    return this.#seen.timeline !== null && timeline !== null && timeline > this.#seen.timeline;
  }
}

export function isSameServer(one: ServerIdentity, other: ServerIdentity): boolean {
  return one.systemId === other.systemId && one.timeline === other.timeline;
}

/** The most specific failure: an error of a server before one of the network. */
export function reasonIn(failures: Found['failures']): unknown {
  const all = [...failures.values()];
  return all.find((failure) => failure instanceof pg.DatabaseError) ?? all.at(-1);
}

/** One URL for each host of a URL that may name several: `postgres://user@a:5432,b:5433/name`. */
export function hostUrls(url: string): readonly string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url);
  assert(parts !== null, 'a PostgreSQL URL begins with postgres://');
  const [, head, hosts, tail] = parts;
  return (hosts ?? '').split(',').map((host) => `${head}${host}${tail}`);
}

function timelineOf({ server }: PostgresSession): number {
  return server.timeline ?? 0;
}
