// The service broken on purpose around parties, invoices, documents and mails; see mutants.ts.
/** Little but parties, so that a history comes far with them. */
const parties = { parties: 3, faults: { crash: 0.002 } };
/** Many payments of few buyers, whose approvals come and go. */
const adoptions = {
  parties: 0,
  paymentsMax: 15,
  gates: 0.3,
  faults: { crash: 0, messageLost: 0 },
  often: ['create', 'buyerStep', 'lateBankEvent', 'message', 'leap'],
} as const;

export const partyMutants = {
  'a payment lands with another organization': {
    nightly: true,
    file: 'core/usecases/payments/payments.ts',
    edits: [
      [
        '...tenantOf(tenant),\n    id: deps.ids.next(payment',
        "...tenantOf({ ...tenant, orgId: 'org_one' }),\n    id: deps.ids.next(payment",
      ],
    ],
    focus: parties,
    caughtBy: ['noTenantChangesAnothersRows'],
  },
  'an account is found by its id alone': {
    file: 'adapters/storage/tables/account-rows.ts',
    edits: [
      [
        'unit.byKey(accounts, [orgId, mode, id]),',
        "unit.first(accounts, 'where mode = $1 and id = $2', [mode, id]),",
      ],
    ],
    focus: { ...parties, often: ['createAccount', 'trespass'] },
    first: { seed: 22, steps: 5 },
    caughtBy: ['noTenantSeesAnothersRows', 'noTenantChangesAnothersRows'],
  },
  'a tenant finds the accounts of others by its own key': {
    nightly: true,
    file: 'adapters/storage/tables/account-rows.ts',
    edits: [
      [
        'where org_id = $1 and mode = $2 and external_id = $3',
        'where (org_id = $1 or true) and mode = $2 and external_id = $3',
      ],
    ],
    focus: { ...parties, often: ['createAccount'] },
    caughtBy: ['noTenantSeesAnothersRows', 'sellersArePaidAtTheirOwnDestination'],
  },
  'an approval that was taken back stays with those who adopted it': {
    nightly: true,
    file: 'core/usecases/parties/party-kinds.ts',
    edits: [["if (partnerRef !== null && status === 'rejected') {", 'if (false) {']],
    focus: adoptions,
    first: { seed: 14, steps: 600 },
    caughtBy: ['noApprovalIsUsedThatWasTakenBack'],
  },
  'a rejection after an approval changes nothing': {
    nightly: true,
    file: 'core/usecases/parties/buyer-decisions.ts',
    edits: [
      ["if (own?.status === 'approved') {", 'if (own !== null && own.approvedAtMs !== null) {'],
      ["= ['buyer_kyc_pending', ...verifiedStatuses];", "= ['buyer_kyc_pending'];"],
    ],
    focus: { ...adoptions, often: ['create', 'buyerStep', 'bankEvent', 'lateBankEvent', 'work'] },
    first: { seed: 2, steps: 600 },
    caughtBy: ['noPayoutForARejectedBuyer'],
  },
  'a rejection fails the payments of every tenant': {
    file: 'core/usecases/parties/buyer-decisions.ts',
    edits: [
      [
        'const found = await pageOf(statuses);',
        'const found = (await tx.payments.list({ status: null, orgId: null, beforeId: null, ' +
          'limit: 500 })).filter((one) => one.buyerId === buyerId && ' +
          'statuses.includes(one.status));',
      ],
      [
        'found.push(...page.filter((payment) => isDecidedBy(decision, payment)));',
        'found.push(...page.filter((payment) => isDecidedBy(decision, payment) && ' +
          "(payment.orgId === tenant.orgId || decision.decision === 'reject')));",
      ],
      ['loadPayment(tx, tenant, payment.id)', 'loadPayment(tx, payment, payment.id)'],
    ],
    focus: { ...adoptions, often: ['create', 'buyerStep', 'bankEvent', 'message', 'work'] },
    // By the second where the tenant's own request brings the rejection, and not a message.
    first: { seed: 17, steps: 80 },
    caughtBy: ['aKycRejectionFailsOnlyItsOwnTenantsPayments', 'noTenantChangesAnothersRows'],
  },
  'a dossier is not taken while the hosted form is open': {
    nightly: true,
    file: 'core/domain/parties/buyer-kyc.ts',
    edits: [["if (status === 'verifying') return draftSealed !== null;", 'return false;']],
    focus: { ...parties, often: ['startKyc', 'create', 'buyerStep'] },
    caughtBy: ['everyPaymentIsTerminal'],
  },
  'a seller needs no wallet': {
    file: 'core/domain/parties/connected-account.ts',
    edits: [['    account.railsRef !== null &&\n', '']],
    focus: { ...parties, often: ['accountStep'] },
    first: { seed: 14, steps: 20 },
    caughtBy: ['sellersAreReadyOnceAndOnlyWhenTheyAre'],
  },
  'a seller is reported ready more than once': {
    nightly: true,
    file: 'core/domain/parties/connected-account.ts',
    edits: [
      ['if (next.readyAtMs !== null && was.readyAtMs === null)', 'if (readyToCollect(next))'],
    ],
    focus: { ...parties, often: ['accountStep', 'strayAccountStep', 'work'] },
    caughtBy: ['sellersAreReadyOnceAndOnlyWhenTheyAre'],
  },
  'a named seller’s money goes to the organization': {
    file: 'core/usecases/payments/payments.ts',
    edits: [
      [
        "return payee === null ? new PonteError('SellerNotReady') : { ...decided, ...payee };",
        "if (payee === null) return new PonteError('SellerNotReady');",
      ],
    ],
    focus: { ...parties, paymentsMax: 20, often: ['accountStep'] },
    first: { seed: 3, steps: 80 },
    caughtBy: ['sellersArePaidAtTheirOwnDestination'],
  },
  'a member approves its own invoice': {
    file: 'core/domain/payments/payment-transitions.ts',
    edits: [['if (createdByMemberId === memberId) throw', 'if (memberId === null) throw']],
    focus: { ...parties, often: ['createInvoice', 'invoiceStep', 'accountStep'] },
    first: { seed: 5, steps: 20 },
    caughtBy: ['noInvoiceIsApprovedByItsMaker'],
  },
  'no invoice needs an approval': {
    nightly: true,
    file: 'core/domain/payments/payment.ts',
    edits: [
      ["requiresApproval ? 'awaiting_approval' : approvedStatus[origin]", 'approvedStatus[origin]'],
    ],
    focus: parties,
    caughtBy: ['noInvoiceIsApprovedByItsMaker'],
  },
  'the buyer of an invoice is invited before it is approved': {
    file: 'core/domain/payments/payment.ts',
    edits: [
      ["    approve: 'approved',\n", "    approve: 'approved',\n    invite: 'awaiting_buyer',\n"],
    ],
    focus: { ...parties, often: ['createInvoice', 'invoiceStep', 'accountStep', 'work'] },
    first: { seed: 10, steps: 20 },
    caughtBy: ['noMailBeforeApproval'],
  },
  'a mail that is sent again is another mail': {
    file: 'core/usecases/mail/mail-letters.ts',
    edits: [['{mail.id}', '{mail.id + mail.tries}']],
    focus: parties,
    caughtBy: ['mailsReachTheirBuyersUnchanged'],
  },
  'a buyer is invited as often as one likes': {
    nightly: true,
    file: 'core/domain/mail/mail.ts',
    edits: [['return Math.max(0, invitedAtMs + INVITATION_PAUSE_MS - nowMs);', 'return 0;']],
    focus: { ...parties, often: ['invoiceStep'] },
    caughtBy: ['mailsAreFew'],
  },
  'an address is mailed as often as one likes': {
    file: 'core/domain/mail/mail.ts',
    edits: [['waitMs: Math.max(0, pausedUntilMs - nowMs, freeAtMs - nowMs)', 'waitMs: 0']],
    focus: { ...parties, often: ['invoiceStep', 'askForLink'] },
    first: { seed: 1, steps: 80 },
    caughtBy: ['mailsAreFew'],
  },
  'a link signs in as often as it is opened': {
    file: 'core/domain/mail/mail.ts',
    edits: [
      ['return linkUsedAtMs !== null || nowMs >= linkEndsAtMs;', 'return nowMs >= linkEndsAtMs;'],
    ],
    focus: { ...parties, often: ['openLink', 'invoiceStep'] },
    first: { seed: 7, steps: 40 },
    caughtBy: ['noLinkSignsInTwice'],
  },
  'the documents of an account outlive its decision': {
    file: 'core/usecases/parties/party-kinds.ts',
    edits: [
      [
        `if (isDecision(was, next)) {
      stagePurge(deps, tx, tenantOf(next), { party: 'account'`,
        `if (next === null) {
      stagePurge(deps, tx, tenantOf(next), { party: 'account'`,
      ],
      ["      stagePurge(deps, tx, tenant, { party: 'account', id });\n", ''],
    ],
    focus: { ...parties, paymentsMax: 0, often: ['getUpload', 'upload', 'accountStep'] },
    first: { seed: 33, steps: 40 },
    caughtBy: ['submittedDocumentsAreOfUndecidedParties'],
  },
  'the documents of a buyer outlive its decision': {
    nightly: true,
    file: 'core/usecases/parties/party-kinds.ts',
    edits: [
      ["stagePurge(deps, tx, tenantOf(next), { party: 'buyer', id: next.buyerId });", ''],
      [
        "if (corrections === null) stagePurge(deps, tx, tenant, { party: 'buyer', id: buyerId });",
        '',
      ],
    ],
    focus: { ...parties, often: ['getUpload', 'upload', 'buyerStep'] },
    caughtBy: ['submittedDocumentsAreOfUndecidedParties'],
  },
  'a purge deletes nothing': {
    file: 'core/usecases/parties/documents.ts',
    edits: [['storageOf(deps).purge(documentId, isR', 'Promise.resolve(documentId, isR']],
    focus: { ...parties, often: ['getUpload', 'upload', 'leap'] },
    first: { seed: 1, steps: 10 },
    caughtBy: ['nothingIsLeftOfPurgedDocuments'],
  },
  'a document can be read until it is deleted': {
    file: 'core/usecases/parties/documents.ts',
    edits: [
      ['if (!isReadableDocument(document) || contentName === null', 'if (contentName === null'],
    ],
    focus: {
      ...parties,
      faults: { purgeFailed: 0.5 },
      often: ['getUpload', 'upload', 'readDocument'],
    },
    first: { seed: 1, steps: 80 },
    caughtBy: ['noDocumentIsReadAfterItsPurge'],
  },
  'a deletion that failed is not tried again': {
    file: 'core/domain/parties/document.ts',
    edits: [["dueAtMs: nowMs + backoffMs('call', tries) };", 'dueAtMs: null };']],
    focus: {
      ...parties,
      faults: { purgeFailed: 0.5 },
      often: ['getUpload', 'upload', 'accountStep'],
    },
    first: { seed: 34, steps: 80 },
    caughtBy: ['noDocumentWaitsForItsPurge', 'onlyWhatCountsIsKept'],
  },
  'what nobody submits is kept for ever': {
    file: 'core/domain/parties/document.ts',
    edits: [['document.uploadUntilMs + UNUSED_RETENTION_MS', 'Number.MAX_SAFE_INTEGER']],
    focus: { ...parties, often: ['getUpload', 'upload'] },
    first: { seed: 14, steps: 20 },
    caughtBy: ['noBytesAreKept'],
  },
  'what an upload replaces is kept': {
    nightly: true,
    file: 'core/usecases/parties/documents.ts',
    edits: [
      ['await storageOf(deps).remove(documentId, name);', ''],
      [
        'await storageOf(deps).purge(documentId, isR',
        'if (!isReadableDocument(due)) await storageOf(deps).purge(documentId, isR',
      ],
    ],
    focus: { ...parties, often: ['getUpload', 'upload', 'leap'] },
    caughtBy: ['onlyWhatCountsIsKept'],
  },
  'an upload deletes every other one': {
    file: 'core/usecases/parties/documents.ts',
    edits: [
      ['await drop(deps, documentId, was.contentName);', 'await storage.purge(documentId, name);'],
    ],
    focus: { ...parties, gates: 0.3, often: ['getUpload', 'upload'] },
    first: { seed: 8, steps: 80 },
    caughtBy: ['whatCountsIsThere'],
  },
} as const;
