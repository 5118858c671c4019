// What a PostgreSQL error means for the work that it ended, for the connection and for the caller.
import pg from 'pg';
import { PonteError } from '../../../core/errors.js';

const RETRY_AFTER_SECONDS = 2;
/** SQLSTATEs of a lock timeout and of a statement timeout: nothing was changed. */
const TOO_LONG: readonly unknown[] = ['55P03', '57014'];
const TOO_LONG_MESSAGE =
  'The database took too long, perhaps because of other load. Nothing was changed; repeat ' +
  `after ${RETRY_AFTER_SECONDS}s.`;
/**
 * SQLSTATEs of a failing machine: no disk space, memory or connections (class 53), I/O errors
 * (class 58), damaged data. The transaction is rolled back.
 */
const MACHINE_FAILS = /^(53|58|XX00[12])/;
export const TOO_MANY_CONNECTIONS = '53300';
export const READ_ONLY = '25006';
/** A migration has changed the columns of a prepared statement. */
const STALE_PLAN = '0A000';

/**
 * The outcome of work whose connection is unusable after this error: `lost` is unknown, `undone`
 * has changed nothing. Null when the connection is intact.
 */
export function failureOf(error: unknown): 'lost' | 'undone' | null {
  if (!(error instanceof pg.DatabaseError)) {
    // Errors of the driver and of sockets; ours have other classes.
    return error instanceof Error && error.constructor === Error ? 'lost' : null;
  }
  // Class 08, and a server that stops or starts.
  if (/^(08|57P0)/.test(error.code ?? '')) return 'lost';
  return error.code === READ_ONLY || error.code === STALE_PLAN ? 'undone' : null;
}

/** Maps an error that leaves the connection intact: StoreUnavailable for a fault of the server. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (TOO_LONG.includes(error.code)) return unavailable(error, TOO_LONG_MESSAGE);
  return MACHINE_FAILS.test(error.code ?? '') ? unavailable(error) : error;
}

export function unavailable(cause: unknown, message?: string): PonteError {
  return new PonteError('StoreUnavailable', message, {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
