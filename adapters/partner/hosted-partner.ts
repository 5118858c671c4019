// What a settlement partner needs to be run by a host: the variables it reads, and how it is made.
import type { z } from 'zod';
import type { Mode } from '../../core/domain/tenant.js';
import type { Clock } from '../../core/ports/outside.js';
import type { SettlementPartner } from '../../core/ports/partner.js';
import type { SignedMessage } from './signed-message.js';

export interface PartnerKind {
  /** Environment variables by name, each of a text: part of the operator's contract. */
  readonly variables: Readonly<Record<string, z.ZodType<unknown, string | undefined>>>;
  create(setup: PartnerSetup, env: Readonly<Record<string, string | undefined>>): HostedPartner;
}

/** What a host gives to a partner that it runs. */
export interface PartnerSetup {
  readonly mode: Mode;
  readonly clock: Clock;
  /** 32 bytes that follow from the first secret key of the service, one value per mode. */
  readonly secret: Uint8Array;
  /** Takes in a message like the partner's webhook endpoint; rejects if it was not stored. */
  readonly deliver: (message: SignedMessage) => Promise<void>;
  /** To be called when a message begins to wait for `pump`. */
  readonly onQueued: () => void;
}

/** A partner that lives in the process sends its messages when the host calls `pump`. */
export interface HostedPartner extends SettlementPartner {
  /** Sends up to `limit` messages that are due; returns how many it tried. */
  readonly pump?: (nowMs: number, limit: number) => Promise<number>;
  /** When the next message is due; null if none waits. */
  readonly nextDueAtMs?: () => number | null;
}
