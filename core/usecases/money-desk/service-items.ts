// What two operators decide in live mode besides money: organizations and their KYB and PIX
// destinations, held reports, ends of payments, a release without a complete check, operators.
import { isActive } from '../../domain/access/api-key.js';
import { mayGive } from '../../domain/access/member.js';
import type { OperatorActor } from '../../domain/base/actor.js';
import { emailKey, readEmail } from '../../domain/base/email-address.js';
import { type Mode, tenantOf } from '../../domain/base/tenant.js';
import { isMoneyCommand } from '../../domain/commands/partner-command.js';
import { maskedAddress } from '../../domain/mail/mail.js';
import type { MoneyAction, PaidAction } from '../../domain/money-desk/decisions.js';
import { type Basis, basisOf } from '../../domain/money-desk/money-decision.js';
import type { Proposal, ProposedAction, ServiceAction } from '../../domain/money-desk/proposal.js';
import type { Organization } from '../../domain/parties/organization.js';
import { cancelled, failedByOperator } from '../../domain/payments/payment-transitions.js';
import { releaseEpoch } from '../../domain/service/epoch.js';
import { assert, PonteError } from '../../errors.js';
import type { Tx } from '../../ports/storage.js';
import {
  expectOverlap,
  lifeOfNext,
  ownKey,
  stageNewKey,
  stageRoll,
  unusedKey,
} from '../access/keys.js';
import { stageInvited } from '../access/member-invitations.js';
import { readPasskeyReset, stagePasskeyReset } from '../access/passkeys.js';
import { expectNewOperator, stageOperator } from '../access/registered-operators.js';
import { expectAcceptable, stageAccepted } from '../commands/command-retries.js';
import {
  expectApprovable,
  loadOrganization,
  requireContact,
  stageApproval,
  stagePayout,
  stageProduction,
  stageSecondApproval,
  withContact,
} from '../parties/organizations.js';
import { loadProfile } from '../parties/party-kinds.js';
import { expectHoldHours, stagePayoutHold } from '../parties/payout-changes.js';
import { stageGranted } from '../parties/production-requests.js';
import { announce, loadPayment, stageChange } from '../payments/payment-store.js';
import { checkedReason } from '../payments/payments.js';
import type { Batch } from '../service/batch.js';
import { boundNameOf } from '../service/fingerprints.js';

/** `feesMinor` is in the currency of the command, `settledMinor` in BRL. */
export type DeskRequest =
  | Exclude<ProposedAction, PaidAction>
  | (Pick<PaidAction, 'verb' | 'endToEndId'> & {
      readonly settledMinor: bigint;
      readonly feesMinor: bigint;
    });

type MoneyService = Extract<ServiceAction, { readonly verb: 'accept' | 'cancel' | 'fail' }>;

/** A decision that touches money has the basis of all that it touches. */
type Decided =
  | { readonly action: MoneyAction | MoneyService; readonly basis: Basis }
  | { readonly action: Exclude<ServiceAction, MoneyService>; readonly basis: string };

export type DeskItem = ItemOf & Decided;

interface ItemOf extends Pick<Proposal, 'orgId' | 'mode'> {
  /** Why the item does not allow the action; null if it does. */
  readonly problem: string | null;
  /** Fails if the action is not possible, with the error of the action. */
  check(batch: Batch): Promise<void>;
  /** `by` proposed and confirmed it. Returns what is to be called after the batch is stored. */
  stage(batch: Batch, by: readonly OperatorActor[]): Promise<() => void | Promise<void>>;
}

type Reading = Pick<Batch, 'tx' | 'nowMs'>;

type Readers = {
  readonly [V in ServiceAction['verb']]: (
    reading: Reading,
    id: string,
    action: Extract<ServiceAction, { readonly verb: V }>,
  ) => Promise<DeskItem>;
};

const readers: Readers = {
  'grant-production': productionItem,
  'approve-kyb': approvalItem,
  'payout-config': payoutItem,
  'require-approval': secondApprovalItem,
  accept: reportItem,
  cancel: endItem,
  fail: endItem,
  release: releaseItem,
  'change-partner': partnerItem,
  'add-operator': operatorItem,
  'set-member': memberItem,
  'create-key': keyItem,
  'roll-key': rollItem,
  'payout-hold': holdItem,
  support: supportItem,
  'erase-person': personItem,
  'reset-passkeys': passkeysItem,
};

/** NotFound. */
export function readServiceItem(
  reading: Reading,
  id: string,
  action: ServiceAction,
): Promise<DeskItem> {
  const read = readers[action.verb] as (
    reading: Reading,
    id: string,
    action: ServiceAction,
  ) => Promise<DeskItem>;
  return read(reading, id, action);
}

const possible = { problem: null, check: async () => undefined };

type ActionOf<V extends ServiceAction['verb']> = Extract<ServiceAction, { readonly verb: V }>;

async function productionItem(
  { tx }: Reading,
  orgId: string,
  action: ActionOf<'grant-production'>,
): Promise<DeskItem> {
  const organization = await loadOrganization(tx, orgId);
  const isGranted = organization.productionGrantedAtMs !== null;
  return {
    orgId,
    mode: 'live',
    action,
    basis: isGranted ? 'production access' : await ungrantedBasis(tx, organization),
    problem: null,
    check: async () => {
      if (!isGranted) requireContact(organization);
    },
    async stage(batch, by) {
      await stageGranted(batch, orgId, by.map(({ name }) => name).join(' and '));
      const after = await stageProduction(batch, orgId);
      return async () => {
        batch.deps.wake('mails');
        await after();
      };
    },
  };
}

/**
 * Who has authority over live mode from the grant on: before it, one operator adds members. So the
 * second operator sees them, and the grant is void once they have changed.
 */
async function ungrantedBasis(tx: Tx, organization: Organization): Promise<string> {
  const { id: orgId, supportEmail, supportPhone } = organization;
  const [members, keys] = await Promise.all([tx.members.list(orgId), tx.keys.unrevoked(orgId)]);
  const team = members
    .filter(({ removedAtMs }) => removedAtMs === null)
    .map(({ email, role }) => `${email} (${role})`);
  const live = keys.filter(({ mode }) => mode === 'live').map(({ id }) => id);
  return [
    'no production access',
    `members ${team.sort().join(', ') || 'none'}`,
    `live keys ${live.sort().join(', ') || 'none'}`,
    `support ${[supportEmail, supportPhone].filter(Boolean).join(', ') || 'none'}`,
  ].join('; ');
}

async function approvalItem(
  { tx }: Reading,
  orgId: string,
  action: ActionOf<'approve-kyb'>,
): Promise<DeskItem> {
  const tenant = { orgId, mode: action.mode };
  const { status, partnerRef } = await loadProfile(tx, tenant);
  const basis = `KYB ${status ?? 'not started'}, ${partnerRef ?? 'no party'}`;
  return {
    ...tenant,
    action,
    basis,
    problem: null,
    check: (batch) => expectApprovable(batch.tx, tenant),
    stage: (batch) => stageApproval(batch, tenant),
  };
}

async function payoutItem(
  { tx }: Reading,
  orgId: string,
  action: ActionOf<'payout-config'>,
): Promise<DeskItem> {
  const tenant = { orgId, mode: action.mode };
  const { partnerRef, destinationRef, heldRef } = await loadProfile(tx, tenant);
  const basis = [`party ${partnerRef}`, `destination ${destinationRef}`, `held ${heldRef}`];
  const stage = (batch: Batch, [proposer]: readonly OperatorActor[]) => {
    assert(proposer !== undefined, 'an operator proposed it');
    return stagePayout(batch, tenant, action, proposer.id);
  };
  return { ...possible, ...tenant, action, basis: basis.join(', '), stage };
}

/** What gives nobody more than there was in live mode needs no second operator. */
function modeOf(organization: Organization, gives: boolean): Mode {
  return organization.productionGrantedAtMs !== null && gives ? 'live' : 'test';
}

/** A new address, or a role with more scopes, gives authority. */
async function memberItem(
  { tx }: Reading,
  orgId: string,
  action: ActionOf<'set-member'>,
): Promise<DeskItem> {
  const organization = await loadOrganization(tx, orgId);
  const email = readEmail(action.email);
  if (email === null) throw new PonteError('ValidationError', 'email: give an e-mail address.');
  const known = await tx.members.byEmail(orgId, emailKey(email));
  const { role, keptBy, locale } = action;
  return {
    ...possible,
    orgId,
    mode: modeOf(organization, known === null || !mayGive(known.role, role)),
    action: { ...action, email },
    basis: known === null ? 'no member' : `${known.id}, ${known.role}`,
    async stage({ deps, tx: staging }) {
      staging.organizations.expect(organization);
      const author = { memberId: null, keptBy };
      await stageInvited(deps, staging, { orgId, email, role }, author, locale);
      return () => deps.wake('mails');
    },
  };
}

async function keyItem(
  { tx, nowMs }: Reading,
  orgId: string,
  action: ActionOf<'create-key'>,
): Promise<DeskItem> {
  await loadOrganization(tx, orgId);
  const { keyId, mode, salt, secretHash, name, scopes, networks, expiresAtMs } = action;
  const known = await tx.keys.get(keyId);
  return {
    ...possible,
    orgId,
    mode,
    action,
    basis: known === null ? 'not stored' : 'stored',
    problem:
      expiresAtMs !== null && expiresAtMs <= nowMs ? 'The key would have expired already.' : null,
    async stage(batch, [proposer]) {
      assert(proposer !== undefined, 'an operator proposed it');
      const granted = { name, scopes, keptScopes: [], networks, expiresAtMs };
      const by = { createdBy: proposer.id, keptBy: null };
      const made = unusedKey(
        { orgId, mode, ...granted, ...by },
        { keyId, salt, secretHash },
        nowMs,
      );
      await stageNewKey(batch, made);
      return () => batch.deps.wake('mails');
    },
  };
}

async function rollItem(
  { tx, nowMs }: Reading,
  id: string,
  action: ActionOf<'roll-key'>,
): Promise<DeskItem> {
  const was = await ownKey(tx, null, id);
  const { orgId, mode } = was;
  const { overlapHours } = action;
  return {
    ...possible,
    orgId,
    mode,
    action,
    basis: was.rolledAtMs === null && isActive(was, nowMs) ? 'active' : 'ended',
    check: async () => {
      expectOverlap(overlapHours);
      lifeOfNext(was, nowMs);
    },
    async stage(batch) {
      const made = unusedKey({ ...was, expiresAtMs: lifeOfNext(was, nowMs) }, action, nowMs);
      await stageRoll(batch, was, made, overlapHours);
      return () => batch.deps.wake('mails');
    },
  };
}

/** A longer hold gives nobody anything. */
async function holdItem(
  { tx }: Reading,
  orgId: string,
  action: ActionOf<'payout-hold'>,
): Promise<DeskItem> {
  const profile = await loadProfile(tx, { orgId, mode: 'live' });
  const { payoutHoldHours } = profile;
  return {
    ...possible,
    orgId,
    mode: action.hours < payoutHoldHours ? 'live' : 'test',
    action,
    basis: `held ${payoutHoldHours} hours`,
    check: async () => expectHoldHours(action.hours),
    async stage(batch) {
      stagePayoutHold(batch.tx, profile, action.hours);
      return () => undefined;
    },
  };
}

async function supportItem(
  { tx }: Reading,
  orgId: string,
  { verb, ...contact }: ActionOf<'support'>,
): Promise<DeskItem> {
  const organization = await loadOrganization(tx, orgId);
  const next = withContact(organization, contact);
  const names = Object.keys(contact) as (keyof typeof contact)[];
  return {
    ...possible,
    orgId,
    mode: modeOf(organization, next !== organization),
    action: { verb, ...contact },
    basis: names.map((name) => `${name} ${organization[name] ?? 'none'}`).join(', '),
    async stage(batch) {
      if (next === organization) batch.tx.organizations.expect(organization);
      else batch.tx.organizations.update(Object.freeze(next));
      return () => undefined;
    },
  };
}

/** One without production access has no invoice in live mode. */
async function secondApprovalItem(
  { tx }: Reading,
  orgId: string,
  action: ActionOf<'require-approval'>,
): Promise<DeskItem> {
  const organization = await loadOrganization(tx, orgId);
  const { productionGrantedAtMs, requiresApproval } = organization;
  const { intentsNeedApproval } = await loadProfile(tx, { orgId, mode: 'live' });
  const isOn = action.origin === 'invoice' ? requiresApproval : intentsNeedApproval;
  return {
    ...possible,
    orgId,
    mode: productionGrantedAtMs === null ? 'test' : 'live',
    action,
    basis: isOn ? 'required' : 'not required',
    async stage(batch) {
      if (action.origin !== 'invoice') batch.tx.organizations.expect(organization);
      await stageSecondApproval(batch.tx, orgId, false, action.origin);
      return () => undefined;
    },
  };
}

async function reportItem(
  { tx }: Reading,
  id: string,
  action: ActionOf<'accept'>,
): Promise<DeskItem> {
  const command = await tx.commands.get(id);
  if (command === null) throw new PonteError('NotFound');
  const { orgId, mode } = command;
  const basis = isMoneyCommand(command)
    ? basisOf(['command', 'payment'], {
        command,
        payment: await loadPayment(tx, tenantOf(command), command.paymentId),
      })
    : basisOf(['command'], { command });
  return {
    orgId,
    mode,
    action,
    basis,
    problem: null,
    check: async () => {
      expectAcceptable(command, action.report);
    },
    stage: (batch) => stageAccepted(batch, command, action.report),
  };
}

async function endItem(
  { tx, nowMs }: Reading,
  id: string,
  action: ActionOf<'cancel' | 'fail'>,
): Promise<DeskItem> {
  const found = await tx.payments.find(id);
  if (found === null) throw new PonteError('NotFound');
  const tenant = tenantOf(found);
  const stored = await loadPayment(tx, tenant, id);
  const commands = await tx.commands.ofPayment(tenant, id);
  const end = action.verb === 'cancel' ? cancelled : failedByOperator;
  const reason = checkedReason(action.reason);
  const change = () => end(stored, commands, reason, nowMs);
  return {
    ...tenant,
    action: { ...action, reason },
    basis: basisOf(['payment'], { payment: stored }),
    problem: null,
    check: async () => {
      change();
    },
    async stage({ deps, tx: staging }) {
      const done = await stageChange(deps, staging, stored, change());
      return () => announce(deps, done);
    },
  };
}

async function releaseItem(
  { tx, nowMs }: Reading,
  id: string,
  action: ActionOf<'release'>,
): Promise<DeskItem> {
  const epoch = await tx.epochs.current();
  if (itemOfEpoch(epoch) !== id) throw new PonteError('NotFound');
  const released = (by: string) => releaseEpoch(epoch, { by, forcedBecause: action.reason }, nowMs);
  return {
    orgId: null,
    mode: 'live',
    action,
    basis: `${epoch.state}, check ${epoch.checkedAtMs === null ? 'not complete' : 'complete'}`,
    problem: null,
    check: async () => {
      released('');
    },
    async stage({ deps, tx: staging }, by) {
      staging.epochs.update(released(by.map(({ name }) => name).join(' and ')));
      return () => deps.log.warn('the quarantine has ended', { epoch: epoch.number });
    },
  };
}

export function itemOfEpoch({ number }: { readonly number: number }): string {
  return `epoch_${number}`;
}

async function partnerItem(
  { tx }: Reading,
  _id: string,
  action: ActionOf<'change-partner'>,
): Promise<DeskItem> {
  const { mode, from, to, hasCommands } = action;
  const name = boundNameOf(mode);
  const bound = (await tx.fingerprints.get(name))?.value ?? 'none';
  const unfinished = hasCommands ? [] : await tx.commands.unfinishedElsewhere(mode, to, 5);
  const ids = unfinished.map(({ id }) => id).join(', ');
  const isFree = bound === from && ids === '';
  return {
    ...possible,
    orgId: null,
    mode,
    action,
    basis: `bound to ${bound}`,
    problem: isFree
      ? null
      : `The partner ${to} does not have the commands of ${bound}, and some are not finished ` +
        `there: ${ids || 'the binding has changed since'}.`,
    async stage({ tx: staging, nowMs }) {
      staging.fingerprints.put({ name, value: to, createdAtMs: nowMs });
      if (hasCommands) staging.commands.renameInstance(mode, from, to);
      return () => undefined;
    },
  };
}

/** `id` is of any row with the address, which the proposal must not keep. */
async function personItem(
  { tx }: Reading,
  id: string,
  action: ActionOf<'erase-person'>,
): Promise<DeskItem> {
  const address = await tx.people.addressOf(id);
  if (address === null) throw new PonteError('NotFound');
  const blocking = await tx.people.blocking(address);
  const isErased = maskedAddress(address) !== action.address;
  return {
    ...possible,
    orgId: null,
    mode: 'live',
    action,
    basis: isErased ? 'erased, or changed' : 'stored',
    problem:
      blocking.length === 0
        ? null
        : `A person is erased when nothing is open. Open: ${blocking.join('; ')}.`,
    async stage({ tx: staging }) {
      await staging.people.erase(address);
      return () => undefined;
    },
  };
}

/** It makes the mailbox of the person enough again, in all organizations. */
async function passkeysItem(
  { tx, nowMs }: Reading,
  id: string,
  action: ActionOf<'reset-passkeys'>,
): Promise<DeskItem> {
  const reset = await readPasskeyReset(tx, id, nowMs);
  const { person, passkeys, memberships } = reset;
  const roles = memberships.map(({ role, orgId }) => `${role} of ${orgId}`).sort();
  return {
    ...possible,
    orgId: null,
    mode: 'live',
    action: { ...action, address: maskedAddress(person.email) },
    basis: [
      roles.join(', ') || 'a member nowhere',
      `passkeys ${passkeys.map((one) => one.id).join(', ') || 'none'}`,
    ].join('; '),
    problem:
      passkeys.length > 0 ? null : 'The person has no passkey, and adds one after sign-in by mail.',
    async stage(batch) {
      stagePasskeyReset(batch, reset);
      return () => batch.deps.wake('mails');
    },
  };
}

async function operatorItem(
  { tx }: Reading,
  _id: string,
  action: ActionOf<'add-operator'>,
): Promise<DeskItem> {
  return {
    orgId: null,
    mode: 'live',
    action,
    basis: 'not registered',
    problem: null,
    check: () => expectNewOperator(tx, action),
    async stage({ deps, tx: staging }, [proposer]) {
      assert(proposer !== undefined, 'an operator proposed it');
      await stageOperator(deps, staging, action, proposer);
      return () => undefined;
    },
  };
}
