// Mistakes of operators that only the machine notices: an address that is not its own, a folder
// that is a file. Each in one line that names the variable to look at; whatever else goes wrong
// stays as it is.
import { PonteError } from '../core/errors.js';
import { type Config, ConfigError } from './config.js';

/** By code, or the beginning of one: what is wrong with this path. */
const wrongPaths: readonly (readonly [code: string, what: string])[] = [
  ['EEXIST', 'is a file: give a folder'],
  ['ENOTDIR', 'lies below a file: give a folder'],
  ['EISDIR', 'is a folder: give a file'],
  ['EACCES', 'may not be written by this user'],
  ['EPERM', 'may not be written by this user'],
  ['EROFS', 'is on a disk that may only be read'],
  ['SQLITE_NOTADB', 'is not a SQLite database'],
  ['SQLITE_CANTOPEN', 'cannot be opened'],
  ['SQLITE_READONLY', 'may not be written by this user'],
];

/** What opening key, folders and database threw, in words where it is an operator's mistake. */
export function openingProblem(error: unknown, config: Config): unknown {
  const found = wrongPaths.find(([code]) => codeOf(error).startsWith(code));
  if (found === undefined) return error;
  const { dataDir, database } = config;
  const file = database.kind === 'sqlite' ? database.file : dataDir;
  const path = error instanceof Error && 'path' in error ? String(error.path) : file;
  const variable = path.startsWith(dataDir) ? 'PONTE_DATA_DIR' : 'PONTE_DATABASE_URL';
  return new ConfigError([`${variable}: ${path} ${found[1]}`]);
}

/** What listening on the port of this variable threw, likewise. */
export function listeningProblem(
  error: unknown,
  { host, port }: Pick<Config, 'host' | 'port'>,
  variable = 'PONTE_PORT',
): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE': {
      const message = `${host}:${port} is in use. Stop what uses it, or set ${variable}.`;
      return new PonteError('InternalError', message, { cause: error });
    }
    case 'EADDRNOTAVAIL':
      return new ConfigError([`PONTE_HOST: ${host} is no address of this machine`]);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError([`PONTE_HOST: no address is known of ${host}`]);
    case 'EACCES':
      return new ConfigError([`${variable}: this user may not listen on port ${port}`]);
    default:
      return error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
