// What a development host makes for itself, so that it runs without any setting: the secret key in
// its data directory, and on an empty database a demo organization with a test key. Production
// makes neither.
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { newSecretKey, parseSecretKeys, type SecretKey } from '../adapters/crypto/secret-box.js';
import { assert } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import { currentEpoch } from '../core/usecases/epochs.js';
import { createKey } from '../core/usecases/keys.js';
import { createOrganization, listOrganizations } from '../core/usecases/organizations.js';
import { type Config, ConfigError } from './config.js';

/** The file of the development secret key, in the form of PONTE_SECRET_KEYS. */
export const SECRET_FILE = 'secret-key';
const DEMO_NAME = 'Demo organization';

export interface Demo {
  readonly orgId: string;
  /** The whole test key, told this once. */
  readonly secret: string;
}

/**
 * The key in the data directory, readable by its owner alone. Where there is neither key nor
 * database it is made, if the caller `makes` databases, else null; beside a SQLite file a new key
 * would open nothing.
 */
export function developmentSecret(
  { dataDir, database }: Pick<Config, 'dataDir' | 'database'>,
  { makes }: { readonly makes: boolean },
): readonly SecretKey[] | null {
  const path = join(dataDir, SECRET_FILE);
  // Looked for first: another process that starts now makes its key before its database.
  const isServed = database.kind === 'sqlite' && sizeOf(database.file) > 0;
  const known = readIfThere(path);
  if (known === null && isServed) {
    const advice = 'Bring the file back, or give the keys that the database was served with';
    const problem = `${path} is gone, and ${database.file} is there. ${advice}`;
    throw new ConfigError([`PONTE_SECRET_KEYS: ${problem}`]);
  }
  if (known === null && !makes) return null;
  const parsed = parseSecretKeys(known ?? madeSecret(path));
  if (!parsed.valid)
    throw new ConfigError([`PONTE_DATA_DIR: ${path} is not readable: ${parsed.reason}`]);
  return parsed.keys;
}

/** Only for looking at a database whose keys are missing: nothing may be sealed with it. */
export function throwawaySecret(): readonly SecretKey[] {
  const parsed = parseSecretKeys(newSecretKey('none'));
  assert(parsed.valid, 'a new secret key is valid');
  return parsed.keys;
}

/** On a database without organizations: one that can collect in test mode, and a key for it. */
export async function makeDemo(deps: Deps): Promise<Demo | null> {
  if (deps.partners.test === null) return null;
  if ((await listOrganizations(deps)).length > 0) return null;
  // A restored database takes nothing new before its release.
  if ((await currentEpoch(deps)).state === 'quarantine') return null;
  const { organization } = await createOrganization(deps, { name: DEMO_NAME, sandboxKyb: true });
  const { id: orgId } = organization;
  const { secret } = await createKey(deps, { orgId, mode: 'test', name: 'demo', scopes: [] });
  return { orgId, secret };
}

/** Written whole under another name and then linked: nobody ever reads a part of it. */
function madeSecret(path: string): string {
  const part = `${path}.${process.pid}`;
  const file = openSync(part, 'wx', 0o600);
  try {
    writeFileSync(file, `${newSecretKey('dev')}\n`);
    fsyncSync(file);
    linkSync(part, path);
  } catch (error) {
    // Another process was first: its key counts.
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    closeSync(file);
    rmSync(part);
  }
  return readFileSync(path, 'utf8').trim();
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    return null;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
