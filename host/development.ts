// What a development host creates, so that it runs without configuration: a secret key in its data
// directory, and in an empty database a demo organization with a test key. Production creates
// neither.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateFile } from '../adapters/crypto/private-file.js';
import { newSecretKey, parseSecretKeys, type SecretKey } from '../adapters/crypto/secret-box.js';
import { developmentOperator } from '../core/domain/base/actor.js';
import { mayCollect } from '../core/domain/parties/organization.js';
import { assert, PonteError } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import { createKey, unlimitedKey } from '../core/usecases/access/keys.js';
import { addMember } from '../core/usecases/access/members.js';
import {
  createOrganization,
  listOrganizations,
  openSandbox,
  readOrganization,
  setSupportContact,
} from '../core/usecases/parties/organizations.js';
import { asService } from '../core/usecases/service/audit-log.js';
import { currentEpoch } from '../core/usecases/service/epochs.js';
import { type Config, ConfigError } from './config.js';

/** The file of the development secret key, in the form of PONTE_SECRET_KEYS. */
export const SECRET_FILE = 'secret-key';
const DEMO_NAME = 'Demo organization';
/** Signs in to its dashboard by the mailbox of the host. */
const DEMO_OWNER = 'owner@demo.example';
/** Whom its buyers ask. */
const DEMO_SUPPORT = 'help@demo.example';

export interface Demo {
  readonly orgId: string;
  /** The address of its owner. */
  readonly owner: string;
  /** The whole test key, shown only once. */
  readonly secret: string;
  /** False until the partner has approved it and it has a PIX destination. */
  readonly canCollect: boolean;
}

/**
 * The key in the data directory, readable only by its owner. A missing key is created with
 * `creates`, else null. With an existing SQLite file a missing key is an error: a new key would
 * open nothing.
 */
export function developmentSecret(
  { dataDir, database }: Pick<Config, 'dataDir' | 'database'>,
  { creates }: { readonly creates: boolean },
): readonly SecretKey[] | null {
  const path = join(dataDir, SECRET_FILE);
  // Before the key: a process that is starting creates its key before its database.
  const isServed = database.kind === 'sqlite' && sizeOf(database.file) > 0;
  const known = readIfThere(path);
  if (known === null && isServed) {
    const advice = 'Restore the file, or set the keys that the database was served with';
    const problem = `${path} is missing, but ${database.file} exists. ${advice}`;
    throw new ConfigError([`PONTE_SECRET_KEYS: ${problem}`]);
  }
  if (known === null && !creates) return null;
  const parsed = parseSecretKeys(known ?? createSecret(path));
  if (!parsed.valid)
    throw new ConfigError([`PONTE_DATA_DIR: ${path} is not readable: ${parsed.reason}`]);
  return parsed.keys;
}

/** For reading a database whose keys are missing: nothing may be sealed with it. */
export function throwawaySecret(): readonly SecretKey[] {
  const parsed = parseSecretKeys(newSecretKey('none'));
  assert(parsed.valid, 'a new secret key is valid');
  return parsed.keys;
}

/** In a database without organizations: one that can collect in test mode, and a key for it. */
export async function createDemo(unaudited: Deps): Promise<Demo | null> {
  const deps = asService(unaudited, 'demo');
  if (deps.partners.test === null) return null;
  if ((await listOrganizations(deps)).length > 0) return null;
  // A restored database accepts no writes before its release.
  if ((await currentEpoch(deps)).state === 'quarantine') return null;
  const { organization } = await createOrganization(deps, { name: DEMO_NAME, sandboxKyb: false });
  const { id: orgId } = organization;
  await setSupportContact(deps, orgId, { supportEmail: DEMO_SUPPORT });
  const { secret } = await createKey(deps, {
    orgId,
    mode: 'test',
    createdBy: developmentOperator.id,
    name: 'demo',
    ...unlimitedKey,
  });
  const owner = await addMember(deps, { orgId, email: DEMO_OWNER, role: 'owner' });
  // A partner that cannot be reached does not stop the host: the KYB is submitted again.
  await openSandbox(deps, organization).catch((error: unknown) => {
    if (!(error instanceof PonteError)) throw error;
    const next = 'see ponte doctor --partner, then ponte org show';
    deps.log.warn(`the demo organization cannot collect yet: ${next}`, { orgId, error });
  });
  const { profiles } = await readOrganization(deps, orgId);
  return { orgId, secret, owner: owner.email, canCollect: mayCollect(profiles.test) };
}

/** Another process may be first: its key is used. */
function createSecret(path: string): string {
  createPrivateFile(path, `${newSecretKey('dev')}\n`);
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
