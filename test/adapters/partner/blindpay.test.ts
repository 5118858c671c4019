// BlindPay over its simulator: the suite of the port.
import assert from 'node:assert/strict';
import {
  callFaults,
  type PartyEvent,
  partnerConformance,
} from '../../../adapters/partner-kit/partner-kit.js';
import { addressAgain } from '../../support/blindpay/blindpay-compliance.js';
import { connectHost } from '../../support/blindpay/blindpay-operator.js';
import { openBlindPay, pixKey, usd } from '../../support/blindpay/blindpay-scene.js';
import type { BlindPayState } from '../../support/blindpay/blindpay-state.js';

const noRefunds = 'BlindPay has no call for refunds';
const calls = { party: '/customers', payin: '/payins/evm', payout: '/payouts/evm' } as const;
const faultNames = {
  'lost before its effect': 'cut before',
  'lost after its effect': 'cut after',
} as const;

/** What the compliance team of BlindPay does. */
const causes: Readonly<Record<PartyEvent, (state: BlindPayState, customerId: string) => void>> = {
  'asks for more': ({ compliance }, customerId) => compliance.ask(customerId, [addressAgain]),
  'takes the approval back': (state, customerId) => state.setKyc(customerId, 'rejected'),
  'changes the terms': ({ compliance }) => compliance.newTerms(),
};

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
    asked: {
      party: { reference: 'cmd_asked' },
      answer: {
        proofOfAddressDocType: 'UTILITY_BILL',
        proofOfAddressDocFile: 'https://files.example/bill.pdf',
      },
    },
    refunds: false,
  },
  unsupported: { 'refund.start': noRefunds, 'refund.find': noRefunds },
  faults: callFaults,
  pageSize: 2,
  deposits: true,
  inboundUrl: 'https://ponte.example/v1/partner-webhooks/blindpay/test',
  withdrawals: true,
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
      cause: async (event, customerId) => {
        causes[event](scene.server.state, customerId);
      },
      close: () => scene.server.close(),
    };
  },
  onReport({ groups, notShown }) {
    assert.deepEqual(new Set(Object.values(groups)), new Set(['passed']));
    assert.ok(notShown.length > 0);
  },
});
