// How a host runs a settlement partner: its environment variables, and its creation.
import type { z } from 'zod';
import type { Mode } from '../../core/domain/base/tenant.js';
import type { SimulatedReport } from '../../core/domain/payments/simulated-event.js';
import type { Clock, Log } from '../../core/ports/outside.js';
import type { SettlementPartner } from '../../core/ports/partner.js';
import type { SignedMessage } from './signed-message.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface PartnerKind {
  /**
   * Environment variables by name. Each has `meta({ description })` for the reference of settings,
   * and `unset` if the default is not in its schema; a secret has `secret: true`.
   */
  readonly variables: Readonly<Record<string, z.ZodType<unknown, string | undefined>>>;
  /** What else is wrong with the variables of a mode that uses this partner, one line each. */
  readonly problems?: (mode: Mode, env: Environment) => readonly string[];
  /** The URL of its API, if it is outside the process and configured. */
  readonly address?: (mode: Mode, env: Environment) => string | null;
  create(setup: PartnerSetup, env: Environment): RunningPartner;
}

/** A document of a dossier, by its URL; null for a URL that is not one of ours. */
export type ReadFile = (
  url: string,
) => Promise<{ readonly type: string; readonly bytes: Uint8Array } | null>;

/** What the host provides. */
export interface PartnerSetup {
  readonly mode: Mode;
  readonly clock: Clock;
  readonly log: Log;
  readonly readFile: ReadFile;
  /** 32 bytes derived from the first secret key of the service, per mode. */
  readonly secret: Uint8Array;
  /** Accepts a message like the partner's webhook endpoint; rejects if it was not stored. */
  readonly deliver: (message: SignedMessage) => Promise<void>;
  /** The outcome that a person chose in test mode for the command with this reference. */
  readonly simulatedReport: (reference: string) => Promise<SimulatedReport | null>;
  /** The name of the buyer that pays the command with this reference, in test mode. */
  readonly payerName: (reference: string, partyRef: string | null) => Promise<string | null>;
  /** To be called when a message is queued for `sendDueMessages`. */
  readonly onQueued: () => void;
}

/** A partner inside the process sends its messages when the host calls `sendDueMessages`. */
export interface RunningPartner extends SettlementPartner {
  /** Sends up to `limit` messages that are due; returns how many it tried. */
  readonly sendDueMessages?: (nowMs: number, limit: number) => Promise<number>;
  /** When the next message is due; null if there is none. */
  readonly nextDueAtMs?: () => number | null;
}
