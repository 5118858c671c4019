// BlindPay as a settlement partner: USD by bank transfer in, a stablecoin in a managed wallet of
// the seller, BRL by PIX out. payins.ts and its neighbours make the calls; this file puts them
// together.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import { type Clock, type Log, steadyOf } from '../../../core/ports/outside.js';
import type {
  CommandCalls,
  PartnerNotes,
  RefundInput,
  RefundReport,
  SettlementPartner,
} from '../../../core/ports/partner.js';
import type { PartnerKind, ReadFile } from '../running-partner.js';
import { SIGNATURE_HEADER } from '../signed-message.js';
import { createBlindPayClient, OPERATION_MS } from './blindpay-client.js';
import {
  type BlindPayContext,
  CURRENCY,
  done,
  later,
  notFound,
  notPrepared,
  refused,
  withoutEffect,
} from './blindpay-context.js';
import type { Transport } from './blindpay-transport.js';
import { checkConnection } from './checks.js';
import { customersApi, documentLimits, requirementsOf } from './customers.js';
import { provision, registerPix } from './destinations.js';
import { readMessage } from './inbound.js';
import { limitBook } from './limits.js';
import { payinsApi, requestQuote } from './payins.js';
import { payoutsApi, QUOTE_LIFE_MS } from './payouts.js';
import { type BlindPaySettings, blindPayVariables, readSettings } from './settings.js';
import { statementOf } from './statement.js';
import { walletsApi } from './wallets.js';

export interface BlindPayOptions extends BlindPaySettings {
  readonly mode: Mode;
  readonly clock: Clock;
  readonly log: Log;
  readonly readFile: ReadFile;
  readonly timeoutMs?: number;
  readonly transport?: Transport;
}

export const blindPayPartner: PartnerKind = {
  variables: blindPayVariables,
  problems(mode, env) {
    const read = readSettings(mode, env);
    return 'problems' in read ? read.problems : [];
  },
  address(mode, env) {
    const read = readSettings(mode, env);
    return 'problems' in read ? null : read.settings.url;
  },
  create(setup, env) {
    const read = readSettings(setup.mode, env);
    if ('problems' in read) throw new Error(read.problems.join('; '));
    return createBlindPayPartner({ ...setup, ...read.settings });
  },
};

const notes: PartnerNotes = {
  signatureHeader: SIGNATURE_HEADER,
  testValues: [
    { where: 'the first or legal name', value: 'Fail', means: 'the party is rejected' },
    { where: 'a quoted amount', value: '666.00', means: 'the pay-in or payout fails' },
    { where: 'a quoted amount', value: '777.00', means: 'the pay-in or payout is refunded' },
  ],
};

export function createBlindPayPartner(options: BlindPayOptions): SettlementPartner {
  const { mode, clock, log, route, readFile } = options;
  const isDevelopment = mode === 'test';
  const client = createBlindPayClient({ ...options, ...options.limit });
  const nowMs = () => clock.nowMs();
  const desk: BlindPayContext = { client, route, log, nowMs, steadyMs: steadyOf(clock) };
  const limits = limitBook(desk);
  return {
    name: 'blindpay',
    instance: instanceAt(options),
    callTimeoutMs: OPERATION_MS,
    // A pay-in and a payout need a quote that has not expired.
    effectWithinMs: QUOTE_LIFE_MS + MINUTE_MS,
    currencies: [CURRENCY],
    notes,
    requirements: requirementsOf(isDevelopment),
    documentLimits,
    startTos: (input) => startTos(desk, input),
    party: customersApi(desk, readFile),
    payin: payinsApi(desk),
    payout: payoutsApi(desk),
    wallets: walletsApi(desk),
    refund: noRefunds,
    refundsByHand: true,
    registerPixDestination: (input) => registerPix(desk, input),
    provisionRails: (input) => provision(desk, input),
    quote: (input) => requestQuote(desk, limits, input),
    statement: statementOf(desk),
    async findCommand(kind) {
      // It has no refunds. The books have the references of payouts; pay-ins have none.
      return kind === 'refund' ? done(null) : later('BlindPay looks up no reference alone');
    },
    checks: (input) => checkConnection({ ...options, client, nowMs }, input),
    readInbound: (headers, body, nowMs) => readMessage(options, headers, body, nowMs),
  };
}

function instanceAt({ instanceId, url }: BlindPaySettings): string {
  const { host, pathname } = new URL(url);
  return `blindpay ${instanceId} at ${host}${pathname}`;
}

const termsShape = z.object({ url: z.url() });

/** A person accepts the terms in a browser; each call opens another session. */
async function startTos(
  desk: BlindPayContext,
  { redirectUrl, key, partyRef = null }: Parameters<SettlementPartner['startTos']>[0],
): ReturnType<SettlementPartner['startTos']> {
  const answer = await desk.client.post({
    path: '/e/instances/:instance/tos',
    body: JSON.stringify({
      // A key serves one session: a person who comes back needs another one.
      idempotency_key: uuidOf(`${key}.${desk.nowMs()}`),
      redirect_url: redirectUrl,
      // A customer that accepts a new version.
      ...(partyRef === null ? {} : { customer_id: partyRef }),
    }),
    key: null,
    shape: termsShape,
  });
  return withoutEffect(answer);
}

/** A UUID of version 8: made from a text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

const noRefund = refused(
  'refunds_not_supported',
  'BlindPay has no call for refunds. Pay the buyer back by other means.',
);

/** Refused while it is prepared, so the debt becomes an operator's task. */
const noRefunds: CommandCalls<RefundInput, RefundReport> = {
  prepare: async () => noRefund,
  start: async () => noRefund,
  find: async () => notPrepared,
  read: async () => notFound,
};
