// The key of the operator at this machine: a file in the user's configuration folder, and the
// operator who a command is given by.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createPrivateFile } from '../adapters/crypto/private-file.js';
import { publicKeyOf } from '../core/domain/access/registered-operator.js';
import { developmentOperator } from '../core/domain/base/actor.js';
import { PonteError } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import {
  admitOperator,
  type CommandIdentity,
  type GivenCommand,
  listOperators,
  signCommand,
} from '../core/usecases/access/registered-operators.js';
import { type Config, ConfigError } from '../host/config.js';

/**
 * Who may give a command. `none`: everybody who has the settings. `read`: an operator. `signed`: an
 * operator, whose signature is used up. `first`: the same, or anybody while no operator is
 * registered. `confirmed`: the same as `signed`, and in live mode another operator confirms it.
 */
export type Authority = 'none' | 'read' | 'signed' | 'first' | 'confirmed';

type Environment = Readonly<Record<string, string | undefined>>;

/** Readable by others: the bits of a file's mode that a private key must not have. */
const OPEN_TO_OTHERS = 0o077;

export function operatorKeyPath(env: Environment): string {
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(folder, 'ponte', 'operator.key');
}

/** Creates the key unless it is there. ConfigError. */
export function keepOperatorKey(env: Environment): {
  readonly path: string;
  readonly publicKey: string;
} {
  const path = operatorKeyPath(env);
  if (statOf(path) === undefined) {
    const { privateKey } = generateKeyPairSync('ed25519');
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      createPrivateFile(path, `${privateKey.export({ format: 'pem', type: 'pkcs8' })}`);
    } catch (error) {
      throw unusable(path, 'written', error);
    }
  }
  return { path, publicKey: publicKeyOf(requireKey(env)) };
}

/** Undefined if there is no file. ConfigError if the folder may not be read. */
function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unusable(path, 'read', error);
  }
}

function unusable(path: string, done: 'read' | 'written', error: unknown): ConfigError {
  const code = error instanceof Error && 'code' in error ? error.code : String(error);
  const advice = 'set XDG_CONFIG_HOME to a folder that this user may write';
  return new ConfigError([`${path} cannot be ${done} (${code}): ${advice}`]);
}

/** Null if there is no file. ConfigError if others can read it, or it is no Ed25519 key. */
function readOperatorKey(env: Environment): KeyObject | null {
  const path = operatorKeyPath(env);
  const stat = statOf(path);
  if (stat === undefined) return null;
  if ((stat.mode & OPEN_TO_OTHERS) !== 0) {
    throw new ConfigError([`${path}: others can read it; run chmod 600 ${path}`]);
  }
  try {
    const key = createPrivateKey(readFileSync(path));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Reported below, without the content.
  }
  throw new ConfigError([`${path}: is no Ed25519 key; restore it, or move it away and log in`]);
}

/** ConfigError. */
export function requireKey(env: Environment): KeyObject {
  const key = readOperatorKey(env);
  if (key !== null) return key;
  throw new ConfigError([`${operatorKeyPath(env)}: is missing; run ponte login`]);
}

const nobody: CommandIdentity = { actor: developmentOperator, signed: null };

/**
 * Who gives a command. It is signed with the key of this machine and verified by the database.
 * OperatorNotAllowed, ConfigError.
 */
export async function identify(
  env: Environment,
  { production }: Pick<Config, 'production'>,
  deps: Deps,
  { authority, given }: { readonly authority: Authority; readonly given: GivenCommand },
): Promise<CommandIdentity> {
  if (authority === 'none') return nobody;
  const isNew = (await listOperators(deps)).length === 0;
  if (isNew && (!production || authority === 'first')) return nobody;
  if (isNew) {
    const message = 'No operator is registered. Run ponte login, then ponte operator add <name>.';
    throw new PonteError('OperatorNotAllowed', message);
  }
  const key = requireKey(env);
  const admit = async () => {
    const signed = await signCommand(deps, given, key);
    const by = { signed, publicKey: publicKeyOf(key) };
    const actor = await admitOperator(deps, given, by, { records: authority !== 'read' });
    return { actor, signed };
  };
  return admit().catch((error: unknown) => {
    // Another command of this operator may have been admitted after this one was signed.
    if (error instanceof PonteError && error.code === 'OperatorNotAllowed') return admit();
    throw error;
  });
}
