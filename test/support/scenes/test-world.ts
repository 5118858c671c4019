// The service in one process for tests: the real use cases over a store, a clock that the test
// moves, seeded ids, the fake partner without delay, and webhook receivers scripted by the test.
// No worker runs until `settle` runs them all.

import assert from 'node:assert/strict';
import { createIds, type RandomSource, seededBytes } from '../../../adapters/crypto/ids.js';
import { createTokenSigner, fixedKeys } from '../../../adapters/crypto/jwt.js';
import { createPasskeyVerifier } from '../../../adapters/crypto/passkey-verifier.js';
import {
  createSecretBox,
  newSecretKey,
  parseSecretKeys,
  type SecretKey,
} from '../../../adapters/crypto/secret-box.js';
import { createMemoryDocuments } from '../../../adapters/documents/memory.js';
import { createMemoryMailer } from '../../../adapters/mail/memory-mail.js';
import { createLetters } from '../../../adapters/pages/letters/letters.js';
import { createFakePartner, type FakePartner } from '../../../adapters/partner/fake.js';
import type { FakeMemory } from '../../../adapters/partner/fake-memory.js';
import type { SignedMessage } from '../../../adapters/partner/signed-message.js';
import type { MemberRole } from '../../../core/domain/access/member.js';
import type { Scope } from '../../../core/domain/access/scope.js';
import { developmentOperator } from '../../../core/domain/base/actor.js';
import { schedules } from '../../../core/domain/base/schedules.js';
import type { Mode, Tenant } from '../../../core/domain/base/tenant.js';
import { defaultDrift } from '../../../core/domain/commands/report-check.js';
import type { Organization } from '../../../core/domain/parties/organization.js';
import type { Payment, PaymentStatus } from '../../../core/domain/payments/payment.js';
import type { AuditRecord } from '../../../core/domain/service/audit-record.js';
import { Refusals } from '../../../core/domain/service/refused-request.js';
import { defaultStorageLimits } from '../../../core/domain/service/storage-limits.js';
import type { Deps, Settings, WorkKind } from '../../../core/ports/deps.js';
import type { OutgoingMail, WebhookRequest, WebhookResult } from '../../../core/ports/outside.js';
import { createKey, unlimitedKey } from '../../../core/usecases/access/keys.js';
import { addMember } from '../../../core/usecases/access/members.js';
import { startMemberSession, tokenOf } from '../../../core/usecases/access/sessions.js';
import { runClosings } from '../../../core/usecases/accounting/accounting-settings.js';
import { commandRunner, runInline } from '../../../core/usecases/commands/command-runner.js';
import { receivePartnerMessage, runInbox } from '../../../core/usecases/commands/partner-inbox.js';
import { runBookReadings } from '../../../core/usecases/deposits/book-readings.js';
import { runMails } from '../../../core/usecases/mail/mails.js';
import { runPurges } from '../../../core/usecases/parties/documents.js';
import { createOrganization, setTimeZone } from '../../../core/usecases/parties/organizations.js';
import { runEndedHolds } from '../../../core/usecases/parties/payout-changes.js';
import { findDifferences } from '../../../core/usecases/payments/ledger-check.js';
import { runExpiry } from '../../../core/usecases/payments/payments.js';
import { runReminders } from '../../../core/usecases/payments/reminders.js';
import { advancePayment, runAdvances } from '../../../core/usecases/sandbox/sandbox.js';
import { readPayerName } from '../../../core/usecases/sandbox/simulations.js';
import { newestAuditRecords } from '../../../core/usecases/service/audit-log.js';
import type { Runner } from '../../../core/usecases/service/concurrency-limiter.js';
import { recordKeyCheckValue } from '../../../core/usecases/service/secret-keys.js';
import { deliveryRunner } from '../../../core/usecases/webhooks/delivery-runner.js';
import { type FeedReaders, feedReaders } from '../../../core/usecases/webhooks/feed-readers.js';
import { testStore } from '../databases/test-store.js';
import type { SuiteEnd } from '../suite-end.js';
import { type IntentFields, makeIntent } from './made-payments.js';

/** 2030-01-01T00:00:00.000Z */
export const STARTS_AT_MS = 1_893_456_000_000;
const BATCH = 100;
const answered = { responseStatus: 200, responseBody: 'ok', error: null, durationMs: 1 } as const;
/** In 100 ms each: the sandbox takes a few rounds from one status to the next. */
const ROUNDS_MAX = 100;

const usualSettings: Settings = {
  baseUrl: 'https://api.example.com',
  payUrl: 'https://pay.example.com',
  retryDelaysMs: schedules.webhookAttempt.waitsMs,
  rateLimitPerMinute: 600,
  rateLimitBurst: 100,
  storage: defaultStorageLimits,
  securityContact: 'mailto:security@example.com',
  legal: { privacyUrl: null, termsUrl: null },
  answerDays: null,
  drift: defaultDrift,
  regime: 'unstated',
};

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SentWebhook extends WebhookRequest {
  readonly atMs: number;
}

export type Answer = Partial<WebhookResult>;

const anyKey = { ...unlimitedKey, createdBy: developmentOperator.id, name: 'test key' } as const;

export interface WorldOptions {
  readonly settings?: Partial<Settings>;
  readonly memory?: FakeMemory | null;
  readonly cell?: number;
  /** Of the fake partner. */
  readonly payins?: 'arrive' | 'wait';
}

export interface World {
  readonly deps: Deps;
  readonly secretKey: SecretKey;
  readonly feedReaders: FeedReaders;
  readonly partner: FakePartner;
  /** Signs the partner's messages. */
  readonly partnerSecret: string;
  readonly log: readonly LogEntry[];
  /** The kinds of work that were woken, in order. */
  readonly woken: readonly WorkKind[];
  readonly sent: readonly SentWebhook[];
  /** The result of each webhook: 200 unless the test sets it. */
  answer: (request: WebhookRequest) => Answer | Promise<Answer>;
  /** Why the sender refuses a URL: unless the test sets it, https is accepted. */
  refusal: (url: string) => string | null;
  readonly mails: readonly OutgoingMail[];
  /** Delivers the partner's messages: to the use case unless the test sets it. */
  deliver: (message: SignedMessage) => Promise<void>;
  /** The id of a new organization that can collect in test mode. */
  organization(options?: { readonly sandboxKyb: boolean }): Promise<string>;
  /** A new key of the organization, as it is sent in X-API-Key. */
  key(
    orgId: string,
    options?: { readonly mode?: Mode; readonly scopes?: readonly Scope[] },
  ): Promise<string>;
  /** A new member's session token. */
  session(
    orgId: string,
    options?: { readonly mode?: Mode; readonly role?: MemberRole },
  ): Promise<string>;
  newTenant(): Promise<Tenant>;
  /** The id of a new payment of 100.00 USD. */
  newPayment(tenant: Tenant, fields?: IntentFields): Promise<string>;
  statusOf(paymentId: string): Promise<PaymentStatus>;
  /** Fails if there is none. */
  payment(id: string): Promise<Payment>;
  /** The audit log of an organization, or of everything; the newest entry first. */
  audit(orgId?: string | null): Promise<readonly AuditRecord[]>;
  changeOrganization(orgId: string, fields: Partial<Organization>): Promise<void>;
  /** Advances the payment in the sandbox and waits until it has the status. */
  play(tenant: Tenant, paymentId: string, to: PaymentStatus): Promise<void>;
  /** Types of the events about a payment, oldest first. */
  eventsOf(tenant: Tenant, paymentId: string): Promise<readonly string[]>;
  /** Ledger, funds and commands agree. */
  booksAreRight(): Promise<void>;
  advanceClock(ms: number): void;
  /** Runs all workers until nothing is due. */
  settle(): Promise<void>;
  /** So many times all that is due is done, and time passes. */
  pass(times: number, stepMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Closed at the end of the test, or of the suite that shares it. */
export async function world(t: SuiteEnd, options: WorldOptions = {}): Promise<World> {
  const made = await openWorld(options);
  t.after(made.close);
  return made;
}

/** The same; at the end of the test its ledger, funds and commands agree. */
export async function bookedWorld(t: SuiteEnd, options: WorldOptions = {}): Promise<World> {
  const made = await openWorld(options);
  t.after(async () => {
    try {
      await made.booksAreRight();
    } finally {
      await made.close();
    }
  });
  return made;
}

const inMemory = () => ({
  keyUses: new Map(),
  refusals: new Refusals(),
  passkeyVerifier: createPasskeyVerifier(),
});

/** Deliveries wait until the test claims them. */
const unused = {
  metrics: null,
  dispatch: () => null,
  mailedFiles: {},
  deliveryMonths: null,
} as const;

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { settings = {}, memory = null, payins = 'arrive' } = options;
  const bytes = seededBytes('world');
  const secretKey = newKey(bytes);
  let nowMs = STARTS_AT_MS;
  const clock = { nowMs: () => nowMs };
  const registerKey = async () => void (await recordKeyCheckValue(deps));
  const store = await testStore({ keyId: secretKey.id, registerKey });
  const log: LogEntry[] = [];
  const sent: SentWebhook[] = [];
  const woken: WorkKind[] = [];
  const mailer = createMemoryMailer();
  const partnerSecret = `whsec_${Buffer.from(bytes(32)).toString('base64')}`;
  const partner = createFakePartner({
    mode: 'test',
    clock,
    delayMs: 0,
    secret: partnerSecret,
    memory,
    payins,
    deliver: (message) => made.deliver(message),
    simulatedReport: (reference) => store.run((tx) => tx.simulations.get('test', reference)),
    payerName: (reference, partyRef) => readPayerName(deps, 'test', reference, partyRef),
  });
  const deps: Deps = {
    store,
    ...inMemory(),
    partners: { test: partner, live: null },
    sender: {
      async send(request) {
        sent.push({ ...request, atMs: nowMs });
        return { ...answered, ...(await made.answer(request)) };
      },
      refusal: async (url) => made.refusal(url),
      close: async () => undefined,
    },
    mailer,
    letters: createLetters(),
    secretBox: createSecretBox([secretKey], bytes),
    documents: createMemoryDocuments(),
    tokenSigner: createTokenSigner(fixedKeys([secretKey])),
    rateLimits: store.rateLimits,
    clock,
    ids: createIds(bytes, options.cell),
    log: notesIn(log),
    wake: (work, tenants) => {
      woken.push(work);
      if (work === 'feed') made.feedReaders.look(tenants);
    },
    ...unused,
    runCommand: runInline,
    settings: { ...usualSettings, ...settings },
  };
  const made: World = {
    deps,
    secretKey,
    partner,
    partnerSecret,
    log,
    woken,
    sent,
    feedReaders: feedReaders({ store }),
    answer: () => ({}),
    refusal: (url) => (url.startsWith('https://') ? null : 'Only https URLs are called.'),
    mails: mailer.mails,
    deliver: ({ headers, body }) =>
      receivePartnerMessage(deps, { partner: 'fake', mode: 'test', headers, body }),
    organization: ({ sandboxKyb } = { sandboxKyb: true }) => organizationInUtc(deps, sandboxKyb),
    key: async (orgId, { mode = 'test', scopes = [] } = {}) =>
      (await createKey(deps, { ...anyKey, orgId, mode, scopes })).secret,
    session: newSession(deps),
    advanceClock: (ms) => {
      nowMs += ms;
    },
    settle: settler(deps, partner),
    close: () => store.close(),
    ...paymentSteps(deps, () => made),
  };
  return made;
}

type PaymentSteps = Pick<
  World,
  | 'newTenant'
  | 'newPayment'
  | 'statusOf'
  | 'payment'
  | 'play'
  | 'eventsOf'
  | 'booksAreRight'
  | 'audit'
  | 'changeOrganization'
  | 'pass'
>;

function paymentSteps(deps: Deps, world: () => World): PaymentSteps {
  const { store } = deps;
  const steps: PaymentSteps = {
    newTenant: async () => ({ orgId: await world().organization(), mode: 'test' }),
    newPayment: async (tenant, fields) => (await makeIntent(deps, tenant, fields)).payment.id,
    statusOf: async (id) => (await steps.payment(id)).status,
    payment: async (id) =>
      (await store.run((tx) => tx.payments.find(id))) ?? assert.fail(`no payment ${id}`),
    audit: (orgId = null) =>
      newestAuditRecords(deps, orgId, { beforeSequence: null, limit: 1_000 }),
    changeOrganization: (orgId, fields) =>
      store.run(async (tx) => {
        const organization = await tx.organizations.get(orgId);
        assert.ok(organization !== null, `no organization ${orgId}`);
        tx.organizations.update({ ...organization, ...fields });
      }),
    async play(tenant, id, to) {
      await advancePayment(deps, tenant, id, to);
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        await world().settle();
        if ((await steps.statusOf(id)) === to) return;
        world().advanceClock(100);
      }
      assert.fail(`${id} is never ${to}`);
    },
    async pass(times, stepMs) {
      for (let count = 0; count < times; count += 1) {
        await world().settle();
        world().advanceClock(stepMs);
      }
    },
    booksAreRight: async () => assert.deepEqual(await findDifferences(deps, 10), []),
    async eventsOf(tenant, id) {
      await world().settle();
      const events = await store.run((tx) => tx.feed.after(tenant, 0, 1_000));
      return events.filter(({ subjectId }) => subjectId === id).map(({ type }) => type);
    },
  };
  return steps;
}

export function notesIn(log: LogEntry[]): Deps['log'] {
  const note =
    (level: LogEntry['level']) =>
    (message: string, fields = {}) => {
      log.push({ level, message, fields });
    };
  return { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
}

function newKey(bytes: RandomSource): SecretKey {
  const made = parseSecretKeys(newSecretKey('first', bytes));
  const [key] = made.valid ? made.keys : [];
  if (key === undefined) throw new Error('a new secret key is valid');
  return key;
}

function newSession(deps: Deps): World['session'] {
  let members = 0;
  return async (orgId, { mode = 'test', role = 'owner' } = {}) => {
    members += 1;
    const email = `member-${members}@acme.example`;
    const member = await addMember(deps, { orgId, email, role });
    const session = await startMemberSession(deps, member);
    return (await tokenOf(deps, session, { orgId, memberId: member.id, mode })).token;
  };
}

/** Runs all workers until nothing is due. */
export function settler(deps: Deps, partner: FakePartner): () => Promise<void> {
  const [commands, deliveries] = [commandRunner(deps), deliveryRunner(deps)];
  const waited = (runner: Runner) => async (nowMs: number) => {
    const begun = await runner.runOnce(nowMs, BATCH);
    await runner.idle();
    return begun;
  };
  const steps: readonly ((nowMs: number) => Promise<number>)[] = [
    (nowMs) => partner.sendDueMessages(nowMs, BATCH),
    (nowMs) => runInbox(deps, nowMs, BATCH),
    () => runBookReadings(deps),
    (nowMs) => runAdvances(deps, nowMs, BATCH),
    waited(commands),
    (nowMs) => runExpiry(deps, nowMs, BATCH),
    (nowMs) => runReminders(deps, nowMs, BATCH),
    (nowMs) => runEndedHolds(deps, nowMs, BATCH),
    (nowMs) => runClosings(deps, nowMs, BATCH),
    (nowMs) => runPurges(deps, nowMs, BATCH),
    (nowMs) => runMails(deps, nowMs, BATCH),
    waited(deliveries),
  ];
  return async () => {
    for (let at = 0, idle = 0; idle < steps.length; at += 1) {
      const done = (await steps[at % steps.length]?.(deps.clock.nowMs())) ?? 0;
      idle = done > 0 ? 0 : idle + 1;
    }
  };
}

/** Tests write times as they are stored. */
async function organizationInUtc(deps: Deps, sandboxKyb: boolean): Promise<string> {
  const { organization } = await createOrganization(deps, { name: 'Acme Ltda', sandboxKyb });
  await setTimeZone(deps, organization.id, 'UTC');
  return organization.id;
}
