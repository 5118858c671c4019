// BlindPay over its simulator: the suite of the port.
import assert from 'node:assert/strict';
import { callFaults, partnerConformance } from '../../../adapters/partner-kit/partner-kit.js';
import { connectHost } from '../../support/blindpay/blindpay-operator.js';
import { openBlindPay, pixKey, usd } from '../../support/blindpay/blindpay-scene.js';

const noRefunds = 'BlindPay has no call for refunds';
const calls = { receiver: '/customers', payin: '/payins/evm', payout: '/payouts/evm' } as const;
const faultNames = {
  'lost before its effect': 'cut before',
  'lost after its effect': 'cut after',
} as const;

partnerConformance({
  partner: 'blindpay',
  against: 'simulator',
  source: 'OpenAPI of 2026-08-07',
  traits: {
    amounts: {
      fine: usd(125_000n),
      payinFails: usd(66_600n),
      // The pay-in takes one dollar.
      payoutFails: usd(66_700n),
      payoutReturns: usd(77_800n),
    },
    rejected: { firstName: 'Fail', lastName: 'Lima' },
    pixKey,
    badPixKey: 'not a pix key',
    refunds: false,
  },
  unsupported: { 'refund.start': noRefunds, 'refund.find': noRefunds },
  faults: callFaults,
  pageSize: 2,
  deposits: true,
  inboundUrl: 'https://ponte.example/v1/partner-webhooks/blindpay/test',
  async open() {
    const scene = await openBlindPay({ route: { bankingPartner: 'cfsb' } });
    scene.server.state.pageMax = 2;
    await connectHost(scene.server, 'https://ponte.example', 'test');
    return {
      partner: scene.partner,
      nowMs: () => scene.nowMs,
      step: async () => scene.pass(15_000),
      messages: () => scene.messages,
      restarted: scene.restarted,
      failNext: (kind, fault) => scene.server.failNext(`POST ${calls[kind]}`, faultNames[fault]),
      deposit: async (virtualAccountId, { amountMinor }) =>
        scene.server.state.deposit({ virtualAccountId, amountMinor: Number(amountMinor) }),
      close: () => scene.server.close(),
    };
  },
  onReport({ groups, notShown }) {
    assert.deepEqual(new Set(Object.values(groups)), new Set(['passed']));
    assert.ok(notShown.length > 0);
  },
});
