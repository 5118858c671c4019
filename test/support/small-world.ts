// A small world for tests above the core: the real use cases over a store, a clock that
// stands until it is moved, seeded ids, the fake partner at no delay, a receiver that takes every
// webhook, and organizations with keys. Nothing runs by itself: `settle` does what is due.
import { type ByteSource, createIds, seededBytes } from '../../adapters/crypto/ids.js';
import { createTokenSigner, fixedKeys } from '../../adapters/crypto/jwt.js';
import {
  createSecretBox,
  newSecretKey,
  parseSecretKeys,
  type SecretKey,
} from '../../adapters/crypto/secret-box.js';
import { createMemoryDocuments } from '../../adapters/documents/memory.js';
import { createMemoryMailer } from '../../adapters/mail/memory-mail.js';
import { createFakePartner, type FakePartner } from '../../adapters/partner/fake.js';
import type { FakeMemory } from '../../adapters/partner/fake-memory.js';
import type { SignedMessage } from '../../adapters/partner/signed-message.js';
import { type MemberRole, SESSION_MS } from '../../core/domain/member.js';
import type { Scope } from '../../core/domain/scope.js';
import type { Mode } from '../../core/domain/tenant.js';
import { RETRY_DELAYS_MS } from '../../core/domain/webhook-delivery.js';
import type { Deps, Settings } from '../../core/ports/deps.js';
import type { OutgoingMail, WebhookRequest, WebhookResult } from '../../core/ports/outside.js';
import { commandRunner } from '../../core/usecases/command-runner.js';
import type { Runner } from '../../core/usecases/concurrency-limiter.js';
import { deliveryRunner } from '../../core/usecases/delivery-runner.js';
import { runPurges } from '../../core/usecases/documents.js';
import { runSequencer } from '../../core/usecases/feed.js';
import { type FeedReaders, feedReaders } from '../../core/usecases/feed-readers.js';
import { createKey } from '../../core/usecases/keys.js';
import { runMails } from '../../core/usecases/mails.js';
import { addMember } from '../../core/usecases/members.js';
import { createOrganization } from '../../core/usecases/organizations.js';
import { receivePartnerMessage, runInbox } from '../../core/usecases/partner-inbox.js';
import { runExpiry } from '../../core/usecases/payments.js';
import { runAdvances } from '../../core/usecases/sandbox.js';
import { recordKeyCheckValue } from '../../core/usecases/secret-keys.js';
import { testStore } from './test-store.js';

/** 2030-01-01T00:00:00.000Z */
const STARTS_AT_MS = 1_893_456_000_000;
const BATCH = 100;
/** What a receiver that is content answers. */
const taken = { responseStatus: 200, responseBody: '', error: null, durationMs: 1 } as const;

const usualSettings: Settings = {
  baseUrl: 'https://api.example.com',
  payUrl: 'https://pay.example.com',
  retryDelaysMs: RETRY_DELAYS_MS,
  rateLimitPerMinute: 600,
  rateLimitBurst: 100,
  allowPrivateUrls: false,
};

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface World {
  readonly deps: Deps;
  /** The one of its `secretBox`. */
  readonly secretKey: SecretKey;
  readonly feedReaders: FeedReaders;
  readonly partner: FakePartner;
  /** Signs what the partner says. */
  readonly partnerSecret: string;
  readonly log: readonly LogEntry[];
  /** Every webhook that was sent; `answer` decides on the next ones. */
  readonly sent: readonly WebhookRequest[];
  answer: (request: WebhookRequest) => Partial<WebhookResult>;
  /** Every mail that was sent. */
  readonly mails: readonly OutgoingMail[];
  /** How messages of the partner arrive; by the use case at once unless replaced. */
  deliver: (message: SignedMessage) => Promise<void>;
  /** An organization that can collect in test mode, unless told otherwise; answers with its id. */
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
  advanceClock(ms: number): void;
  /** Does all that is due now, and what follows from it. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function world(
  settings: Partial<Settings> = {},
  memory: FakeMemory | null = null,
): Promise<World> {
  const bytes = seededBytes('world');
  const secretKey = newKey(bytes);
  let nowMs = STARTS_AT_MS;
  const clock = { nowMs: () => nowMs };
  const registerKey = async () => void (await recordKeyCheckValue(deps));
  const store = await testStore({ keyId: secretKey.id, registerKey });
  const log: LogEntry[] = [];
  const sent: WebhookRequest[] = [];
  const mailer = createMemoryMailer();
  const partnerSecret = `whsec_${Buffer.from(bytes(32)).toString('base64')}`;
  const partner = createFakePartner({
    mode: 'test',
    clock,
    delayMs: 0,
    secret: partnerSecret,
    deliver: (message) => made.deliver(message),
    memory,
  });
  const deps: Deps = {
    ...{ store, metrics: null, partners: { test: partner, live: null } },
    sender: {
      async send(request) {
        sent.push(request);
        return { ...taken, ...made.answer(request) };
      },
      refusal: async (url) => (url.startsWith('https://') ? null : 'Only https URLs are called.'),
      close: async () => undefined,
    },
    mailer,
    secretBox: createSecretBox([secretKey], bytes),
    documents: createMemoryDocuments(),
    tokenSigner: createTokenSigner(fixedKeys([secretKey])),
    rateLimits: store.rateLimits,
    clock,
    pause: async () => undefined,
    ids: createIds(bytes),
    log: notesIn(log),
    wake: (work, tenants) => {
      if (work === 'feed') made.feedReaders.look(tenants);
    },
    settings: { ...usualSettings, ...settings },
  };
  const made: World = {
    ...{ deps, secretKey },
    feedReaders: feedReaders({ store }),
    ...{ partner, partnerSecret },
    log,
    sent,
    answer: () => ({}),
    mails: mailer.mails,
    deliver: ({ headers, body }) =>
      receivePartnerMessage(deps, { partner: 'fake', mode: 'test', headers, body }),
    organization: async ({ sandboxKyb } = { sandboxKyb: true }) =>
      (await createOrganization(deps, { name: 'Acme Ltda', sandboxKyb })).organization.id,
    key: async (orgId, { mode = 'test', scopes = [] } = {}) =>
      (await createKey(deps, { orgId, mode, name: 'test key', scopes })).secret,
    session: newSession(deps),
    advanceClock: (ms) => {
      nowMs += ms;
    },
    settle: settler(deps, partner),
    close: () => store.close(),
  };
  return made;
}

function notesIn(log: LogEntry[]): Deps['log'] {
  const note =
    (level: LogEntry['level']) =>
    (message: string, fields = {}) => {
      log.push({ level, message, fields });
    };
  return { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
}

function newKey(bytes: ByteSource): SecretKey {
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
    const { id: memberId } = await addMember(deps, { orgId, email, role });
    const expiresAtMs = deps.clock.nowMs() + SESSION_MS;
    return deps.tokenSigner.sign({ orgId, mode, memberId, expiresAtMs });
  };
}

function settler(deps: Deps, partner: FakePartner): () => Promise<void> {
  const [commands, deliveries] = [commandRunner(deps), deliveryRunner(deps)];
  const waited = (runner: Runner) => async (nowMs: number) => {
    const begun = await runner.runOnce(nowMs, BATCH);
    await runner.idle();
    return begun;
  };
  const steps: readonly ((nowMs: number) => Promise<number>)[] = [
    (nowMs) => partner.pump(nowMs, BATCH),
    (nowMs) => runInbox(deps, nowMs, BATCH),
    (nowMs) => runAdvances(deps, nowMs, BATCH),
    waited(commands),
    (nowMs) => runExpiry(deps, nowMs, BATCH),
    (nowMs) => runPurges(deps, nowMs, BATCH),
    (nowMs) => runMails(deps, nowMs, BATCH),
    (nowMs) => runSequencer(deps, nowMs, BATCH, deliveries.directDispatch()),
    waited(deliveries),
  ];
  return async () => {
    for (let done = 1; done > 0; ) {
      done = 0;
      for (const step of steps) done += await step(deps.clock.nowMs());
    }
  };
}
