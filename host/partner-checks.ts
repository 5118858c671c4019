// The checks of a settlement partner's connection, by the configuration alone: without a database,
// its keys or a server.
import { PARTNER_WEBHOOK } from '../adapters/http/resources/service-routes.js';
import { partners } from '../adapters/partner/partners.js';
import type { PartnerKind, PartnerSetup } from '../adapters/partner/running-partner.js';
import type { Mode } from '../core/domain/base/tenant.js';
import type { PartnerCheck } from '../core/ports/partner.js';
import type { Config } from './config.js';
import { hostUrl } from './container.js';

export interface PartnerReport {
  readonly mode: Mode;
  /** Null: the mode has none. */
  readonly partner: string | null;
  /** Null: the partner has no checks. */
  readonly checks: readonly PartnerCheck[] | null;
}

export async function checkPartner(config: Config, mode: Mode): Promise<PartnerReport> {
  const name = config.partners[mode];
  if (name === 'none') return { mode, partner: null, checks: null };
  const kind: PartnerKind = partners[name];
  const partner = kind.create(inert(mode), config.partnerEnv);
  const baseUrl = config.baseUrl ?? hostUrl(config.host, config.port);
  const path = PARTNER_WEBHOOK.replace('{partner}', partner.name).replace('{mode}', mode);
  const inboundUrl = `${baseUrl}${path}`;
  return { mode, partner: partner.name, checks: (await partner.checks?.({ inboundUrl })) ?? null };
}

/** Checks place no command and accept no message. */
function inert(mode: Mode): PartnerSetup {
  const mute = () => undefined;
  return {
    mode,
    clock: { nowMs: Date.now },
    log: { debug: mute, info: mute, warn: mute, error: mute },
    readFile: async () => null,
    secret: new Uint8Array(32),
    deliver: async () => undefined,
    simulatedReport: async () => null,
    payerName: async () => null,
    onQueued: mute,
  };
}
