// Sequences of valid requests that lead resources through their states. Each step uses what the
// steps before it created. An operation that is in no scenario is still called at random.

const onboarding = (noun: 'ConnectedAccount' | 'Account') => [
  `create${noun}`,
  `start${noun}Terms`,
  `accept${noun}Terms`,
  `create${noun}Upload`,
  'uploadDocument',
  'readDocument',
  `submit${noun}`,
  `configure${noun}Payout`,
  `read${noun}`,
  `list${noun}s`,
  'createPayment',
  'advanceTestPayment',
  'readPayment',
];

export const scenarios: readonly (readonly string[])[] = [
  [
    'createPaymentIntent',
    'readPaymentIntent',
    'advanceTestPayment',
    'readPayment',
    'readPaymentTimeline',
    'cancelPaymentIntent',
  ],
  [
    'createPaymentIntent',
    'cancelPaymentIntent',
    'cancelPayment',
    'readPaymentTimeline',
    'listPayments',
  ],
  // Which event is possible depends on the status, so several are tried.
  [
    'createPaymentIntent',
    'advanceTestPayment',
    'readPaymentIntent',
    ...Array.from({ length: 12 }, () => 'simulateTestPayment'),
  ],
  [
    'createInvoice',
    'approveInvoice',
    'inviteInvoiceBuyer',
    'inviteInvoiceBuyer',
    'advanceTestPayment',
    'readInvoice',
    'listInvoices',
    'readPaymentTimeline',
    'cancelInvoice',
  ],
  onboarding('ConnectedAccount'),
  onboarding('Account'),
  [
    'startBuyerKyc',
    'createBuyerUpload',
    'uploadDocument',
    'readDocument',
    'startBuyerKyc',
    'readBuyerRequirements',
  ],
  [
    'createWebhookSubscription',
    'testWebhookSubscription',
    'listWebhookDeliveries',
    'createPaymentIntent',
    'listWebhookDeliveries',
    'replayWebhookDelivery',
    // A delivery that is not over is refused.
    'listWebhookDeliveries',
    'replayWebhookDelivery',
    'rotateWebhookSecret',
    'readEvents',
    'listWebhookSubscriptions',
    'deleteWebhookSubscription',
    'replayWebhookDelivery',
  ],
  ['createApiKey', 'listApiKeys', 'revokeApiKey', 'switchMode', 'readOnboardingStatus'],
  ['readDescription', 'browseDescription', 'readDocsFile', 'healthz', 'readyz', 'readPublicKeys'],
  ['readSecurityContact'],
];
