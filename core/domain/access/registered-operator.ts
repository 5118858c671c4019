// Operators: people who run commands. Each has an Ed25519 key, of which the database has the public
// half, and signs each command. registered-operators.ts admits what they sign.
import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { invalid, PonteError } from '../../errors.js';
import { developmentOperator, type OperatorActor } from '../base/actor.js';
import { DAY_MS, MINUTE_MS } from '../base/instant.js';

export interface RegisteredOperator {
  readonly id: string;
  readonly name: string;
  /** 32 bytes, in base64url. */
  readonly publicKey: string;
  /** Counts the operators from 1, removed ones too. Number 1 names the database. */
  readonly number: number;
  /** The id of an operator; null for number 1. */
  readonly createdBy: string | null;
  readonly createdAtMs: number;
  readonly removedBy: string | null;
  readonly removedAtMs: number | null;
  /** The time of the latest command that was accepted: each of a series is newer. */
  readonly signedAtMs: number;
  /** A new series begins once a clock that was ahead is right again; older ones have ended. */
  readonly series: number;
  readonly version: number;
}

/**
 * What an operator signs. `arguments` are those of the command line, options included; the text has
 * their SHA-256, so that it may be kept. Short arguments can be guessed from it.
 */
export interface CommandToSign {
  readonly command: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly database: DatabaseName;
  readonly operator: string;
  readonly series: number;
  readonly atMs: number;
}

/** A restored database has another epoch than the one that its backup was taken of. */
export interface DatabaseName {
  /** The id of operator number 1. */
  readonly firstOperator: string;
  readonly epoch: number;
}

export interface SignedCommand {
  readonly text: string;
  /** In base64url. */
  readonly signature: string;
}

/** How far the clocks of an operator and the database may differ. */
export const SIGNATURE_AGE_MAX_MS = 5 * MINUTE_MS;
/** How long a command changes something after it was signed. */
export const COMMAND_LIFE_MS = DAY_MS;

/** The name of the command that makes a link to the console, and the path of its pages. */
export const CONSOLE_COMMAND = 'operator console-link';
export const CONSOLE_ROOT = '/operator';

/** ASCII only: two names that look alike differ in no invisible character. */
const nameForm = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const keyForm = /^[A-Za-z0-9_-]{43}$/;

/** ValidationError. */
export function checkedOperatorName(text: string): string {
  if (nameForm.test(text) && text !== developmentOperator.name) return text;
  throw invalid('name: give 1 to 64 small letters, digits, ".", "_" or "-", such as ana.silva.');
}

/** ValidationError. */
export function checkedPublicKey(text: string): string {
  if (keyForm.test(text) && isKey(text)) return text;
  throw invalid('public-key: give the 43 characters that ponte login prints.');
}

export function isActiveOperator({ removedAtMs }: RegisteredOperator): boolean {
  return removedAtMs === null;
}

export function operatorActor({ id, name }: RegisteredOperator): OperatorActor {
  return Object.freeze({ kind: 'operator', id, name });
}

/** The public half of an Ed25519 key, as it is registered. */
export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '';
}

export function signedWith(toSign: CommandToSign, key: KeyObject): SignedCommand {
  const text = writeCommand(toSign);
  return { text, signature: sign(null, Buffer.from(text), key).toString('base64url') };
}

type SignedBy = Pick<CommandToSign, 'operator' | 'series' | 'atMs'>;

/**
 * What the operator signs with. The latest time may be of a clock that was ahead: without another
 * series nothing could be signed until then.
 */
export function nextSignature(operator: RegisteredOperator, nowMs: number): SignedBy {
  const { id, series, signedAtMs } = operator;
  return signedAtMs > nowMs + SIGNATURE_AGE_MAX_MS
    ? { operator: id, series: series + 1, atMs: nowMs }
    : { operator: id, series, atMs: Math.max(nowMs, signedAtMs + 1) };
}

/**
 * The operator after the command. OperatorNotAllowed, unless the operator is registered, signed
 * exactly this command, signed it just now, and has signed no later one.
 */
export function verifyCommand(
  signed: SignedCommand | null,
  expected: Omit<CommandToSign, keyof SignedBy>,
  operator: RegisteredOperator,
  nowMs: number,
): RegisteredOperator {
  if (signed === null) throw refused('The command is not signed. Run ponte login.');
  if (!isActiveOperator(operator)) throw refused(`The operator ${operator.name} was removed.`);
  if (!isOfKey(signed, operator.publicKey)) {
    throw refused(`The signature is not of the key of ${operator.name}.`);
  }
  const { atMs } = JSON.parse(signed.text) as CommandToSign;
  const next = nextSignature(operator, nowMs);
  const by = { operator: operator.id, series: next.series, atMs };
  if (signed.text !== writeCommand({ ...expected, ...by })) {
    throw refused('The signature is of another command or of another database.');
  }
  // A text compares as NaN: neither late nor early.
  if (!Number.isSafeInteger(atMs) || Math.abs(nowMs - atMs) > SIGNATURE_AGE_MAX_MS) {
    throw refused('The signature is not of this time. Compare the clock of this machine.');
  }
  if (next.series === operator.series && atMs <= operator.signedAtMs) {
    throw refused('The signature was used before, or is older than another one. Sign again.');
  }
  return { ...operator, series: next.series, signedAtMs: atMs };
}

/** What is known of a change that a signature has to prove. */
export interface SignedChange
  extends Pick<CommandToSign, 'command'>,
    Pick<DatabaseName, 'firstOperator'> {
  readonly atMs: number;
}

/**
 * Whether this operator signed such a command, with any arguments, or the link to the console in
 * which it was given, at the time of the change.
 */
export function hasSigned(
  { id, publicKey }: RegisteredOperator,
  signed: SignedCommand,
  { command, firstOperator, atMs }: SignedChange,
): boolean {
  if (!isOfKey(signed, publicKey)) return false;
  const said = JSON.parse(signed.text) as Omit<CommandToSign, 'arguments'>;
  return (
    (said.command === command || isOfConsole(said, command)) &&
    said.operator === id &&
    said.database.firstOperator === firstOperator &&
    mayChangeAt(signed, atMs)
  );
}

/** What is done in the console has the signature of the link to it. */
function isOfConsole({ command }: Pick<CommandToSign, 'command'>, action: string): boolean {
  return command === CONSOLE_COMMAND && action.startsWith(`${CONSOLE_ROOT}/`);
}

/** Not after a restore. */
export function isOfDatabase({ text }: SignedCommand, database: DatabaseName): boolean {
  const said = JSON.parse(text) as Pick<CommandToSign, 'database'>;
  const { firstOperator, epoch } = said.database;
  return firstOperator === database.firstOperator && epoch === database.epoch;
}

/** Whether a command that was signed so still changes something, or has ended. */
export function mayChangeAt({ text }: SignedCommand, atMs: number): boolean {
  const said = JSON.parse(text) as Pick<CommandToSign, 'atMs'>;
  return atMs >= said.atMs - SIGNATURE_AGE_MAX_MS && atMs <= said.atMs + COMMAND_LIFE_MS;
}

function isOfKey({ text, signature }: SignedCommand, publicKey: string): boolean {
  const bytes = Buffer.from(signature, 'base64url');
  return verify(null, Buffer.from(text), keyOf(publicKey), bytes);
}

/** The same command gives the same text. */
function writeCommand(toSign: CommandToSign): string {
  const { command, arguments: given, database, operator, series, atMs } = toSign;
  const { firstOperator, epoch } = database;
  const named = Object.entries(given).sort(([left], [right]) => (left < right ? -1 : 1));
  const argumentsText = JSON.stringify(named, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  const argumentsHash = hash('sha256', argumentsText, 'hex');
  const on = { firstOperator, epoch };
  return JSON.stringify({ command, argumentsHash, database: on, operator, series, atMs });
}

function keyOf(publicKey: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
}

function isKey(publicKey: string): boolean {
  try {
    return keyOf(publicKey).export({ format: 'jwk' }).x === publicKey;
  } catch {
    return false;
  }
}

function refused(message: string): PonteError {
  return new PonteError('OperatorNotAllowed', message);
}
