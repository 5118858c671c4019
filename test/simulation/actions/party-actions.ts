// What integrators do for parties: connected accounts from their creation to the payout, and KYC of
// buyers by the API; and what they try on parties and payments of others.
import { type Tenant, tenantOf } from '../../../core/domain/base/tenant.js';
import {
  type ConnectedAccount,
  readyToCollect,
} from '../../../core/domain/parties/connected-account.js';
import { isSubmitted } from '../../../core/domain/parties/party.js';
import type { PonteError } from '../../../core/errors.js';
import { signIn } from '../../../core/usecases/hosted/buyer-steps.js';
import {
  acceptAccountTerms,
  type CreateAccountInput,
  configureAccountPayout,
  createAccount,
  readAccount,
  startTerms,
  submitAccount,
} from '../../../core/usecases/parties/accounts.js';
import { createUpload } from '../../../core/usecases/parties/documents.js';
import { startBuyerKyc } from '../../../core/usecases/parties/kyc.js';
import { inviteBuyer } from '../../../core/usecases/payments/invoices.js';
import {
  approvePayment,
  cancelPayment,
  readPayment,
} from '../../../core/usecases/payments/payments.js';
import { anyAuthor } from '../../support/samples/domain-samples.js';
import { buyerEmails, tenants } from '../world/actors.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { Acts, Pointless, World } from '../world/world.js';
import { personalDossier } from './document-actions.js';

/** More would slow every step down and show nothing new. */
const ACCOUNTS_MAX = 4;
/** A company number with right check digits. */
const CNPJ = '11222333000181';

type PartyAction = 'createAccount' | 'accountStep' | 'strayAccountStep' | 'startKyc' | 'trespass';

export const partyActs: Acts<PartyAction> = {
  createAccount: (world, host) => {
    const { random } = world;
    const by = random.pick(tenants);
    const input = newAccount(world);
    const create = () => createAccount(host.deps, by, input);
    const done = ({ account }: { readonly account: ConnectedAccount }) => noteShown(world, account);
    host.begin(`create account ${input.externalId}`, create, { by, done });
    if (random.chance(0.2)) {
      const other = world.host() ?? host;
      const again = () => createAccount(other.deps, by, input);
      other.begin(`create account ${input.externalId}`, again, { by, done });
    }
  },
  accountStep: (world, host) => accountStep(world, host, world.random.pick(accountsTurn(world))),
  strayAccountStep: (world, host) => {
    const accounts = [...world.observed.parties.accounts.values()];
    if (accounts.length === 0) return;
    const step = world.random.pick([startsTerms, acceptsTerms, submits, configuresPayout]);
    step(world, host, world.random.pick(accounts));
  },
  startKyc,
  trespass: (world, host) => {
    const attempts = trespasses(world, host);
    if (attempts.length === 0) return;
    const [label, by, attempt] = world.random.pick(attempts);
    const { trespasses: found } = world.observed;
    host.begin(`trespass: ${label}`, attempt, {
      done: () => found.push(`${label} is of another tenant, and was found`),
      refused: ({ code, transient }: PonteError) => {
        if (code !== 'NotFound' && !transient) found.push(`${label} was refused with ${code}`);
      },
      by,
    });
  },
};

export const partiesPointless: Pointless = {
  createAccount: ({ observed }) => observed.parties.accounts.size >= ACCOUNTS_MAX,
  accountStep: (world) => accountsTurn(world).length === 0,
};

/** Accounts of which the integrator has something to do. */
function accountsTurn({ observed }: World): readonly ConnectedAccount[] {
  return [...observed.parties.accounts.values()].filter(
    (account) =>
      !isSubmitted(account.status) ||
      (account.status === 'approved' && account.role === 'seller' && !readyToCollect(account)),
  );
}

function newAccount({ random }: World): CreateAccountInput {
  const isSeller = random.chance(0.65);
  return {
    role: isSeller ? 'seller' : 'buyer',
    entityType: isSeller ? random.pick(['business', 'individual']) : 'individual',
    externalId: isSeller ? random.pick(['seller-1', 'seller-1', 'seller-2']) : 'buyer-1',
    email: isSeller ? 'shop@example.com' : random.pick(buyerEmails),
    legalName: 'Loja Ltda',
    displayName: null,
    country: 'BR',
    taxId: null,
  };
}

function accountStep(world: World, host: SimulatedHost, account: ConnectedAccount): void {
  if (isSubmitted(account.status)) configuresPayout(world, host, account);
  else if (account.tosId !== null || account.role === 'buyer') submits(world, host, account);
  else if (account.tosSessionKey === null) startsTerms(world, host, account);
  else acceptsTerms(world, host, account);
}

function startsTerms(_world: World, host: SimulatedHost, account: ConnectedAccount): void {
  const { id } = account;
  const by = tenantOf(account);
  const url = 'https://shop.example/terms';
  host.begin(`start terms ${id}`, () => startTerms(host.deps, by, id, url), { by });
}

function acceptsTerms(world: World, host: SimulatedHost, account: ConnectedAccount): void {
  const { id, tosSessionKey } = account;
  const by = tenantOf(account);
  const tosId = tosSessionKey ?? 'made up';
  host.begin(`accept terms ${id}`, () => acceptAccountTerms(host.deps, by, id, tosId), {
    by,
    done: (next) => noteShown(world, next),
  });
}

function submits(world: World, host: SimulatedHost, account: ConnectedAccount): void {
  const { id, role, entityType, email } = account;
  const by = tenantOf(account);
  const dossier =
    role === 'seller' && entityType === 'business'
      ? { email, legalName: 'Loja Ltda', cnpj: CNPJ }
      : { email, ...personalDossier(world, by, { party: 'account', id }) };
  host.begin(`submit ${role} ${id}`, () => submitAccount(host.deps, by, id, dossier), {
    by,
    done: (next) => noteShown(world, next),
  });
}

function configuresPayout(world: World, host: SimulatedHost, account: ConnectedAccount): void {
  const { id } = account;
  const by = tenantOf(account);
  const pixKey = `pix-${world.random.between(1, 2)}@example.com`;
  const destination = { pixKey, accountHolderName: 'Loja Ltda' };
  host.begin(
    `configure ${id}`,
    () => configureAccountPayout(host.deps, by, id, destination, anyAuthor),
    {
      by,
      done: (next) => noteShown(world, next),
    },
  );
}

function startKyc(world: World, host: SimulatedHost): void {
  const { random, observed } = world;
  const by = random.pick(tenants);
  const email = random.pick(buyerEmails);
  const key = email.trim().toLowerCase();
  const own = [...observed.payments.values()].filter(({ payment: { orgId, mode, buyer } }) => {
    return orgId === by.orgId && mode === by.mode && buyer.email.trim().toLowerCase() === key;
  });
  const paying = own.length === 0 ? null : random.pick(own).payment;
  const buyerId = paying?.buyerId ?? null;
  const owner = buyerId === null ? null : ({ party: 'buyer', id: buyerId } as const);
  const tosId = random.pick([null, null, null, 'tos-a', 'tos-b']);
  const start = {
    email,
    name: 'Ana Lima',
    entityType: random.pick([null, 'individual', 'individual', 'individual'] as const),
    paymentId: random.chance(0.3) ? (paying?.id ?? null) : null,
    dossier: { tosId, ...personalDossier(world, by, owner) },
  };
  host.begin(`start KYC of ${key}`, () => startBuyerKyc(host.deps, by, start), {
    by,
    done: ({ id, version }) => observed.acknowledged.push({ kind: 'kyc', id, version }),
  });
}

function noteShown({ observed }: World, { id, version }: ConnectedAccount): void {
  observed.acknowledged.push({ kind: 'account', id, version });
}

type Attempt = readonly [label: string, by: Tenant, attempt: () => Promise<unknown>];

/** What may be tried on what belongs to another tenant. */
function trespasses(world: World, { deps }: SimulatedHost): readonly Attempt[] {
  const { observed, random } = world;
  const strangers = ({ orgId, mode }: Tenant) =>
    tenants.filter((tenant) => tenant.orgId !== orgId || tenant.mode !== mode);
  const onPayments = [...observed.payments.values()].flatMap(({ payment }): readonly Attempt[] => {
    const { id } = payment;
    const by = random.pick(strangers(payment));
    const kyc = {
      email: payment.buyer.email,
      name: null,
      entityType: null,
      paymentId: id,
      dossier: {},
    };
    return [
      [`read ${id}`, by, () => readPayment(deps, by, id)],
      [`cancel ${id}`, by, () => cancelPayment(deps, by, id, 'not mine')],
      [`approve ${id}`, by, () => approvePayment(deps, by, id, 'mem_stranger')],
      [`invite for ${id}`, by, () => inviteBuyer(deps, by, id)],
      [`sign in for ${id}`, by, () => signIn(deps, by, id)],
      [`KYC for ${id}`, by, () => startBuyerKyc(deps, by, kyc)],
    ];
  });
  const onAccounts = [...observed.parties.accounts.values()].flatMap(
    (account): readonly Attempt[] => {
      const { id } = account;
      const by = random.pick(strangers(account));
      const owner = { party: 'account', id } as const;
      const upload = { owner, kind: 'selfie', contentType: 'image/png', ownerIndex: null } as const;
      const destination = { pixKey: 'mine', accountHolderName: 'Me' };
      return [
        [`read ${id}`, by, () => readAccount(deps, by, id)],
        [`terms of ${id}`, by, () => startTerms(deps, by, id, 'https://mine.example')],
        [`submit ${id}`, by, () => submitAccount(deps, by, id, {})],
        [`configure ${id}`, by, () => configureAccountPayout(deps, by, id, destination, anyAuthor)],
        [`upload for ${id}`, by, () => createUpload(deps, by, upload)],
      ];
    },
  );
  return [...onPayments, ...onAccounts];
}
