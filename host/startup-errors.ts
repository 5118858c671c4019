// Configuration errors that only the operating system or the database detects, such as a foreign
// address, a file in place of a folder, or a wrong password. Each becomes one line that names the
// variable. Other errors stay unchanged.
import { S3Refusal } from '../adapters/documents/s3.js';
import { PonteError, StoreRefusal } from '../core/errors.js';
import { type Config, ConfigError } from './config.js';

/** By prefix of the error code: what is wrong with the path. */
const wrongPaths: readonly (readonly [code: string, what: string])[] = [
  ['EEXIST', 'is a file: give a folder'],
  ['ENOTDIR', 'lies below a file: give a folder'],
  ['EISDIR', 'is a folder: give a file'],
  ['EACCES', 'is not writable by this user'],
  ['EPERM', 'is not writable by this user'],
  ['EROFS', 'is on a read-only disk'],
  ['SQLITE_NOTADB', 'is not a SQLite database'],
  ['SQLITE_CANTOPEN', 'cannot be opened'],
  ['SQLITE_READONLY', 'is not writable by this user'],
];

const DAMAGED = 'SQLITE_CORRUPT';

/** No disk space: not a wrong setting, and a retry may succeed. */
const noRoom: readonly string[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'];

/** SQLite says so, too, if a full disk has no room for the index of its log. */
const IO_ERROR = 'SQLITE_IOERR';

/** No connection was made, so nothing was written. */
const unconnected = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/**
 * Codes of a wrong PostgreSQL URL: user or password, a database that does not exist, a certificate
 * that is not trusted, a certificate file that is missing.
 */
const wrongAccess = /^28|^3D000$|CERT|^ERR_TLS|^ERR_SSL|^ENOENT$/;

/** Replaces configuration errors of the system by a line that names the variable. */
export async function explainErrors<T>(config: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw openingProblem(error, config);
  }
}

/** Maps an error of opening or using keys, folders or the database. */
export function openingProblem(error: unknown, config: Config): unknown {
  const { dataDir, database } = config;
  if (error instanceof S3Refusal) return new ConfigError([`PONTE_DOCUMENTS: ${error.message}`]);
  const access = accessProblem(error);
  if (access !== null && database.kind === 'postgres') {
    return new ConfigError([`PONTE_DATABASE_URL: ${access}`]);
  }
  const cause = failureOf(error);
  if (database.kind === 'postgres' && unconnected.includes(codeOf(cause))) {
    const hosts = database.url.replace(/^\w+:\/\/(?:[^@/]*@)?([^/?]*).*$/, '$1');
    const message =
      `PONTE_DATABASE_URL: no database answers at ${hosts} (${codeOf(cause)}). ` +
      'Check that it runs, and the host and port of the URL.';
    return new PonteError('StoreUnavailable', message);
  }
  const file = database.kind === 'sqlite' ? database.file : dataDir;
  const path = cause instanceof Error && 'path' in cause ? String(cause.path) : file;
  if (noRoom.includes(codeOf(cause))) {
    return new PonteError('StoreUnavailable', `There is no disk space left for ${path}.`, {
      cause,
    });
  }
  if (codeOf(cause).startsWith(IO_ERROR)) {
    const message = `${path} cannot be read or written: its disk is full, or fails.`;
    return new PonteError('StoreUnavailable', message, { cause });
  }
  if (codeOf(cause).startsWith(DAMAGED)) {
    return new StoreRefusal(`${file} is damaged. Restore a backup: ponte restore --from.`, {
      cause,
    });
  }
  const found = wrongPaths.find(([code]) => codeOf(cause).startsWith(code));
  if (found === undefined) return error;
  const variable = path.startsWith(dataDir) ? 'PONTE_DATA_DIR' : 'PONTE_DATABASE_URL';
  return new ConfigError([`${variable}: ${path} ${found[1]}`]);
}

/** Why a PostgreSQL database cannot be used with this URL; null for other errors. */
export function accessProblem(error: unknown): string | null {
  const cause = failureOf(error);
  if (cause === error || !(cause instanceof Error) || !wrongAccess.test(codeOf(cause))) return null;
  return `the database cannot be used: ${cause.message}`;
}

/** Maps an error of listening on the port of this variable. */
export function listeningProblem(
  error: unknown,
  { host, port }: Pick<Config, 'host' | 'port'>,
  variable = 'PONTE_PORT',
): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE': {
      const problem = `${host}:${port} is in use: stop what uses it, or set another port`;
      return new ConfigError([`${variable}: ${problem}`]);
    }
    case 'EADDRNOTAVAIL':
      return new ConfigError([`PONTE_HOST: ${host} is not an address of this machine`]);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError([`PONTE_HOST: ${host} cannot be resolved`]);
    case 'EACCES':
      return new ConfigError([`${variable}: this user may not listen on port ${port}`]);
    default:
      return error;
  }
}

function failureOf(error: unknown): unknown {
  const isRefusal = error instanceof PonteError && error.code === 'StoreUnavailable';
  return isRefusal && error.cause !== undefined ? error.cause : error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
