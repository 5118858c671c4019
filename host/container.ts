// The wiring: creates the adapter of each port from the configuration. The only file that imports
// Inversify; all other code takes its dependencies as arguments.
import { setTimeout as wait } from 'node:timers/promises';
import { Refusals } from '../core/domain/service/refused-request.js';
import 'reflect-metadata';
import { join } from 'node:path';
import { Container, type ResolutionContext, type ServiceIdentifier } from 'inversify';
import { createIds } from '../adapters/crypto/ids.js';
import { createTokenSigner, fixedKeys, type TokenKeys } from '../adapters/crypto/jwt.js';
import { createPasskeyVerifier } from '../adapters/crypto/passkey-verifier.js';
import { createSecretBox, type SecretKey } from '../adapters/crypto/secret-box.js';
import { createFsDocuments } from '../adapters/documents/fs.js';
import { createS3Documents } from '../adapters/documents/s3.js';
import { createLog } from '../adapters/log/pino.js';
import { createFileMailbox, createFileMailer } from '../adapters/mail/file.js';
import { createSmtpMailer } from '../adapters/mail/smtp.js';
import { receiptFile } from '../adapters/pages/buyer/payment-file.js';
import { type HostedPages, hostedPages } from '../adapters/pages/hosted-pages.js';
import { createLetters } from '../adapters/pages/letters/letters.js';
import { proofFile } from '../adapters/pages/proof/proof-pack.js';
import { partners } from '../adapters/partner/partners.js';
import type { PartnerSetup, RunningPartner } from '../adapters/partner/running-partner.js';
import type { ServedStore } from '../adapters/storage/store.js';
import { webhookSender } from '../adapters/webhooks/sender.js';
import { withoutHundredths } from '../core/domain/base/money.js';
import type { Mode } from '../core/domain/base/tenant.js';
import { assert } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import type { Letters } from '../core/ports/letters.js';
import type {
  Clock,
  Ids,
  Log,
  Mailer,
  RateLimits,
  SecretBox,
  TokenSigner,
  WebhookSender,
} from '../core/ports/outside.js';
import type { Sealer } from '../core/ports/storage.js';
import type { PasskeyVerifier } from '../core/ports/webauthn.js';
import { commandRunner, runInline } from '../core/usecases/commands/command-runner.js';
import { receivePartnerMessage } from '../core/usecases/commands/partner-inbox.js';
import { type PageWatch, pageWatch } from '../core/usecases/hosted/page-watch.js';
import {
  type ReconciliationRunner,
  reconciliationRunner,
} from '../core/usecases/money-desk/book-comparisons.js';
import { readDossierFile } from '../core/usecases/parties/dossier-files.js';
import { readPayerName } from '../core/usecases/sandbox/simulations.js';
import { asService } from '../core/usecases/service/audit-log.js';
import { recordKeyCheckValue } from '../core/usecases/service/secret-keys.js';
import { currentKey, type KeyNeeds, validKeys } from '../core/usecases/service/service-keys.js';
import { deliveryRunner } from '../core/usecases/webhooks/delivery-runner.js';
import { type FeedReaders, feedReaders } from '../core/usecases/webhooks/feed-readers.js';
import type { Config } from './config.js';
import { type HostClock, newHostClock } from './host-clock.js';
import { createSignals, type Runners, type WorkSignals } from './workers.js';

export const tokens = {
  clock: token<Clock>('clock'),
  hostClock: token<HostClock>('hostClock'),
  ids: token<Ids>('ids'),
  log: token<Log>('log'),
  sender: token<WebhookSender>('sender'),
  mailer: token<Mailer>('mailer'),
  letters: token<Letters>('letters'),
  store: token<ServedStore>('store'),
  secretBox: token<SecretBox>('secretBox'),
  documents: token<Deps['documents']>('documents'),
  tokenSigner: token<TokenSigner>('tokenSigner'),
  passkeyVerifier: token<PasskeyVerifier>('passkeyVerifier'),
  rateLimits: token<RateLimits>('rateLimits'),
  signals: token<WorkSignals>('signals'),
  address: token<Address>('address'),
  partners: token<Readonly<Record<Mode, RunningPartner | null>>>('partners'),
  deps: token<Deps>('deps'),
  runners: token<Runners>('runners'),
  reconciliations: token<ReconciliationRunner>('reconciliations'),
  feedReaders: token<FeedReaders>('feedReaders'),
  pageWatch: token<PageWatch>('pageWatch'),
  pages: token<HostedPages>('pages'),
} as const;

/** Replacements of adapters, for tests and embedding. */
export type AdapterOverrides = Partial<
  Pick<Deps, 'clock' | 'ids' | 'log' | 'sender' | 'mailer' | 'documents' | 'metrics'>
> & {
  readonly partners?: Partial<Readonly<Record<Mode, (setup: PartnerSetup) => RunningPartner>>>;
};

/** The address of the service; with port 0 it is known once the service listens. */
export interface Address {
  baseUrl: string;
}

export async function createContainer(
  config: Config,
  secretKeys: readonly SecretKey[],
  world: AdapterOverrides = {},
): Promise<Container> {
  const openStore = await storeOpener(config);
  const container = new Container({ defaultScope: 'Singleton' });
  const { allowPrivateUrls: allowPrivate, host, port } = config;
  const bind = <T>(id: ServiceIdentifier<T>) => container.bind(id);

  bind(tokens.hostClock).toDynamicValue(() => clockOf(container, config));
  bind(tokens.clock).toDynamicValue((all) => world.clock ?? all.get(tokens.hostClock));
  bind(tokens.ids).toDynamicValue(() => world.ids ?? createIds(undefined, config.cell));
  bind(tokens.log).toDynamicValue(() => world.log ?? createLog({ level: config.logLevel }));
  bind(tokens.sender).toDynamicValue(() => world.sender ?? webhookSender({ allowPrivate }));
  bind(tokens.mailer).toDynamicValue((all) => world.mailer ?? mailer(config, all.get(tokens.log)));
  bind(tokens.letters).toDynamicValue(() => createLetters());
  bind(tokens.store).toDynamicValue((all) => openStore(sealerOf(all)));
  bind(tokens.secretBox).toDynamicValue(() => createSecretBox(secretKeys));
  bind(tokens.documents).toDynamicValue(() => documents(config, world));
  bind(tokens.tokenSigner).toDynamicValue((all) =>
    createTokenSigner(config.jwtKeys === null ? databaseKeys(all) : fixedKeys(config.jwtKeys)),
  );
  bind(tokens.passkeyVerifier).toDynamicValue(() => createPasskeyVerifier());
  bind(tokens.rateLimits).toDynamicValue((all) => all.get(tokens.store).rateLimits);
  bind(tokens.signals).toDynamicValue(() => createSignals());
  bind(tokens.address).toDynamicValue(() => ({ baseUrl: config.baseUrl ?? hostUrl(host, port) }));
  bind(tokens.partners).toDynamicValue(() => ({
    test: partnerOf(container, config, world, 'test'),
    live: partnerOf(container, config, world, 'live'),
  }));
  bind(tokens.deps).toDynamicValue((all) => ({
    clock: all.get(tokens.clock),
    ids: all.get(tokens.ids),
    log: all.get(tokens.log),
    sender: all.get(tokens.sender),
    mailer: all.get(tokens.mailer),
    letters: all.get(tokens.letters),
    mailedFiles: { receipt: receiptFile, payment_settled: proofFile },
    store: all.get(tokens.store),
    keyUses: new Map(),
    refusals: new Refusals(),
    secretBox: all.get(tokens.secretBox),
    documents: all.get(tokens.documents),
    tokenSigner: all.get(tokens.tokenSigner),
    passkeyVerifier: all.get(tokens.passkeyVerifier),
    rateLimits: all.get(tokens.rateLimits),
    deliveryMonths: all.get(tokens.store).deliveryMonths,
    partners: all.get(tokens.partners),
    metrics: world.metrics ?? null,
    wake: all.get(tokens.signals).wake,
    dispatch: () => all.get(tokens.runners).deliveries.dispatch(),
    runCommand: runInline,
    settings: settings(config, all.get(tokens.address)),
  }));
  bind(tokens.reconciliations).toDynamicValue((all) =>
    reconciliationRunner(asService(all.get(tokens.deps), 'workers'), (ms, signal) =>
      wait(ms, undefined, { signal }),
    ),
  );
  bind(tokens.runners).toDynamicValue((all) => {
    const deps = all.get(tokens.deps);
    return {
      commands: commandRunner(asService(deps, 'commands')),
      deliveries: deliveryRunner(deps),
    };
  });
  bind(tokens.pageWatch).toDynamicValue((all) => wokenWatch(all));
  bind(tokens.pages).toDynamicValue((all) => pages(config, all));
  bind(tokens.feedReaders).toResolvedValue(wokenReaders, [tokens.store, tokens.signals]);
  return container;
}

function clockOf(container: Container, { database }: Config): HostClock {
  const databaseMs = () => {
    const { clockMs } = container.get(tokens.store);
    assert(clockMs !== null, 'PostgreSQL has a clock');
    return clockMs();
  };
  return newHostClock({
    machineMs: () => Date.now(),
    steadyMs: () => performance.now(),
    databaseMs: database.kind === 'postgres' ? databaseMs : null,
  });
}

/** Loads the driver of this database alone. */
async function storeOpener({ database }: Config): Promise<(sealer: Sealer) => ServedStore> {
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('../adapters/storage/postgres/store.js');
    return (sealer) => openPostgresStore({ url: database.url }, sealer);
  }
  const { openSqliteStore } = await import('../adapters/storage/sqlite/store.js');
  return (sealer) => openSqliteStore({ path: database.file }, sealer);
}

function sealerOf(all: Pick<ResolutionContext, 'get'>): Sealer {
  const secretBox = all.get(tokens.secretBox);
  const { keyId } = secretBox;
  return {
    keyId,
    registerKey: async () => {
      const [store, clock] = [all.get(tokens.store), all.get(tokens.clock)];
      if (!(await recordKeyCheckValue({ store, secretBox, clock }))) return;
      const advice = 'check that all processes have the same PONTE_SECRET_KEYS';
      all.get(tokens.log).warn(`sealed under a new or retired key: ${advice}`, { keyId });
    },
  };
}

export function hostUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function token<T>(name: string): ServiceIdentifier<T> {
  return Symbol(name);
}

function settings(config: Config, address: Address): Deps['settings'] {
  return {
    retryDelaysMs: config.retryDelaysMs,
    rateLimitPerMinute: config.rateLimitPerMinute,
    rateLimitBurst: config.rateLimitBurst,
    storage: config.storage,
    securityContact: config.securityContact,
    legal: config.legal,
    answerDays: config.answerDays,
    drift: config.drift,
    regime: config.regime,
    get baseUrl() {
      return address.baseUrl;
    },
    get payUrl() {
      return config.payUrl ?? address.baseUrl;
    },
  };
}

function databaseKeys(all: Pick<ResolutionContext, 'get'>): TokenKeys {
  const needs: KeyNeeds = {
    store: all.get(tokens.store),
    secretBox: all.get(tokens.secretBox),
    ids: all.get(tokens.ids),
    clock: all.get(tokens.clock),
  };
  return {
    signing: () => currentKey(needs, 'session'),
    accepted: () => validKeys(needs, 'session'),
  };
}

function mailer({ smtpUrl, mailFrom: from, dataDir, production }: Config, log: Log): Mailer {
  if (smtpUrl === null) return createFileMailer({ folder: mailFolder({ dataDir }), from, log });
  return createSmtpMailer({ url: smtpUrl, from, requireTls: production });
}

function documents(
  { documents: kind, s3, dataDir, diskReserveBytes }: Config,
  world: AdapterOverrides,
): Deps['documents'] {
  if (world.documents !== undefined) return world.documents;
  if (s3 !== null) return createS3Documents(s3);
  return kind === 'none' ? null : createFsDocuments(join(dataDir, 'documents'), diskReserveBytes);
}

function wokenReaders(store: ServedStore, signals: WorkSignals): FeedReaders {
  const readers = feedReaders({ store });
  signals.listen((work, tenants) => {
    if (work === 'feed') readers.look(tenants);
  });
  return readers;
}

function wokenWatch(all: Pick<ResolutionContext, 'get'>): PageWatch {
  const watch = pageWatch(all.get(tokens.deps), repeat);
  all.get(tokens.signals).listen((work, tenants) => {
    if (work === 'feed') watch.look(tenants);
  });
  return watch;
}

function pages(config: Config, all: Pick<ResolutionContext, 'get'>): HostedPages {
  const [deps, watch] = [all.get(tokens.deps), all.get(tokens.pageWatch)];
  const writesMails = !config.production && config.smtpUrl === null;
  const mailbox = writesMails ? createFileMailbox(mailFolder(config)) : null;
  return hostedPages({ watch, mailbox, settings: deps.settings });
}

function repeat(periodMs: number, work: () => void): () => void {
  const timer = setInterval(work, periodMs).unref();
  return () => clearInterval(timer);
}

function mailFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'mails');
}

function partnerOf(
  container: Container,
  { partners: names, partnerEnv }: Config,
  world: AdapterOverrides,
  mode: Mode,
): RunningPartner | null {
  const name = names[mode];
  const setup: PartnerSetup = {
    mode,
    clock: container.get(tokens.clock),
    log: container.get(tokens.log),
    readFile: (url) => readDossierFile(container.get(tokens.deps), url),
    secret: Buffer.from(container.get(tokens.secretBox).mac(mode, `${name}-partner`), 'hex'),
    deliver: async (message) => {
      const deps = container.get(tokens.deps);
      const partner = deps.partners[mode]?.name ?? '';
      await receivePartnerMessage(deps, { ...message, partner, mode });
    },
    simulatedReport: (reference) =>
      container.get(tokens.store).run((tx) => tx.simulations.get(mode, reference)),
    payerName: (reference, partyRef) =>
      readPayerName(container.get(tokens.deps), mode, reference, partyRef),
    onQueued: () => container.get(tokens.signals).wake('partner messages'),
  };
  const own = name === 'none' ? null : (of: PartnerSetup) => partners[name].create(of, partnerEnv);
  const partner = (world.partners?.[mode] ?? own)?.(setup) ?? null;
  if (partner === null) return null;
  const others = withoutHundredths(partner.currencies).join(', ');
  assert(others === '', `amounts have two decimals, unlike those of the partner in: ${others}`);
  return partner;
}
