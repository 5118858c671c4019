// What two operators decide in live mode besides money: organizations and their KYB and PIX
// destinations, held reports, ends of payments, a release without a complete check, operators.

import { isActiveKey, rolledBy } from '../../domain/access/api-key.js';
import { mayGive } from '../../domain/access/member.js';
import { closingOf } from '../../domain/accounting/accounting.js';
import type { OperatorActor } from '../../domain/base/actor.js';
import { emailKey, readEmail } from '../../domain/base/email-address.js';
import { type Mode, tenantOf } from '../../domain/base/tenant.js';
import { isMoneyCommand } from '../../domain/commands/partner-command.js';
import { maskedAddress } from '../../domain/mail/mail.js';
import type { MoneyAction, PaidAction } from '../../domain/money-desk/decisions.js';
import { type Basis, basisOf } from '../../domain/money-desk/money-decision.js';
import type { Proposal, ProposedAction } from '../../domain/money-desk/proposal.js';
import type { ServiceAction } from '../../domain/money-desk/service-decisions.js';
import type { Organization } from '../../domain/parties/organization.js';
import { cancelled, failedByOperator } from '../../domain/payments/payment-transitions.js';
import { releaseEpoch } from '../../domain/service/epoch.js';
import { expectFound, invalid, PonteError } from '../../errors.js';
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
import { addToSum, stageClosed } from '../accounting/accounting-settings.js';
import { booksOf } from '../accounting/settlement-entries.js';
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
  /** Returns what is to be called after the batch is stored. */
  stage(batch: Batch, by: Deciders): Promise<() => void | Promise<void>>;
}

/** Who proposed it, and who confirmed it. */
type Deciders = readonly [OperatorActor, ...OperatorActor[]];

type Reading = Pick<Batch, 'tx' | 'nowMs'>;

type ActionOf<V extends ServiceAction['verb']> = Extract<ServiceAction, { readonly verb: V }>;

/** By default it is of no organization, always possible, and its action is as it was asked. */
interface Row<V extends ServiceAction['verb']>
  extends Pick<ItemOf, 'mode'>,
    Partial<Omit<ItemOf, 'mode' | 'stage'>> {
  readonly action?: ActionOf<V>;
  readonly basis: V extends MoneyService['verb'] ? Basis : string;
  stage(batch: Batch, by: Deciders): Promise<undefined | Awaited<ReturnType<ItemOf['stage']>>>;
}

type Rows = {
  readonly [V in ServiceAction['verb']]: (
    reading: Reading,
    id: string,
    action: ActionOf<V>,
  ) => Promise<Row<V>>;
};

const rows: Rows = {
  async 'grant-production'({ tx }, orgId) {
    const organization = await loadOrganization(tx, orgId);
    const isGranted = organization.productionGrantedAtMs !== null;
    return {
      orgId,
      mode: 'live',
      basis: isGranted ? 'production access' : await ungrantedBasis(tx, organization),
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
  },
  async 'approve-kyb'({ tx }, orgId, action) {
    const tenant = { orgId, mode: action.mode };
    const { status, partnerRef } = await loadProfile(tx, tenant);
    const basis = `KYB ${status ?? 'not started'}, ${partnerRef ?? 'no party'}`;
    return {
      ...tenant,
      basis,
      check: (batch) => expectApprovable(batch.tx, tenant),
      stage: (batch) => stageApproval(batch, tenant),
    };
  },
  async 'payout-config'({ tx }, orgId, action) {
    const tenant = { orgId, mode: action.mode };
    const { partnerRef, destinationRef, heldRef } = await loadProfile(tx, tenant);
    const basis = [`party ${partnerRef}`, `destination ${destinationRef}`, `held ${heldRef}`];
    const stage = (batch: Batch, [proposer]: Deciders) =>
      stagePayout(batch, tenant, action, proposer.id);
    return { ...tenant, basis: basis.join(', '), stage };
  },
  /** One without production access has no invoice in live mode. */
  async 'require-approval'({ tx }, orgId, action) {
    const organization = await loadOrganization(tx, orgId);
    const { productionGrantedAtMs, requiresApproval } = organization;
    const { intentsNeedApproval } = await loadProfile(tx, { orgId, mode: 'live' });
    const isOn = action.origin === 'invoice' ? requiresApproval : intentsNeedApproval;
    return {
      orgId,
      mode: productionGrantedAtMs === null ? 'test' : 'live',
      basis: isOn ? 'required' : 'not required',
      async stage(batch) {
        if (action.origin !== 'invoice') batch.tx.organizations.expect(organization);
        await stageSecondApproval(batch.tx, orgId, false, action.origin);
      },
    };
  },
  async accept({ tx }, id, action) {
    const command = expectFound(await tx.commands.get(id));
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
      basis,
      check: async () => {
        expectAcceptable(command, action.report);
      },
      stage: (batch) => stageAccepted(batch, command, action.report),
    };
  },
  cancel: (reading, id, action) => endItem(reading, id, action, cancelled),
  fail: (reading, id, action) => endItem(reading, id, action, failedByOperator),
  async release({ tx, nowMs }, id, action) {
    const epoch = await tx.epochs.current();
    if (itemOfEpoch(epoch) !== id) throw new PonteError('NotFound');
    const released = (by: string) =>
      releaseEpoch(epoch, { by, forcedBecause: action.reason }, nowMs);
    return {
      mode: 'live',
      basis: `${epoch.state}, check ${epoch.checkedAtMs === null ? 'not complete' : 'complete'}`,
      check: async () => {
        released('');
      },
      async stage({ deps, tx: staging }, by) {
        staging.epochs.update(released(by.map(({ name }) => name).join(' and ')));
        return () => deps.log.warn('the quarantine has ended', { epoch: epoch.number });
      },
    };
  },
  async 'change-partner'({ tx }, _id, action) {
    const { mode, from, to, hasCommands } = action;
    const name = boundNameOf(mode);
    const bound = (await tx.fingerprints.get(name))?.value ?? 'none';
    const unfinished = hasCommands ? [] : await tx.commands.unfinishedElsewhere(mode, to, 5);
    const ids = unfinished.map(({ id }) => id).join(', ');
    const isFree = bound === from && ids === '';
    return {
      mode,
      basis: `bound to ${bound}`,
      problem: isFree
        ? null
        : `The partner ${to} does not have the commands of ${bound}, and some are not finished ` +
          `there: ${ids || 'the binding has changed since'}.`,
      async stage({ tx: staging, nowMs }) {
        staging.fingerprints.put({ name, value: to, createdAtMs: nowMs });
        if (hasCommands) staging.commands.renameInstance(mode, from, to);
      },
    };
  },
  async 'add-operator'({ tx }, _id, action) {
    return {
      mode: 'live',
      basis: 'not registered',
      check: () => expectNewOperator(tx, action),
      async stage({ deps, tx: staging }, [proposer]) {
        await stageOperator(deps, staging, action, proposer);
      },
    };
  },
  /** A new address, or a role with more scopes, gives authority. */
  async 'set-member'({ tx }, orgId, action) {
    const organization = await loadOrganization(tx, orgId);
    const email = readEmail(action.email);
    if (email === null) throw invalid('email: give an e-mail address.');
    const known = await tx.members.byEmail(orgId, emailKey(email));
    const { role, keptBy, locale } = action;
    return {
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
  },
  async 'create-key'({ tx, nowMs }, orgId, action) {
    await loadOrganization(tx, orgId);
    const { keyId, mode, salt, secretHash, name, scopes, networks, expiresAtMs } = action;
    const known = await tx.keys.get(keyId);
    return {
      orgId,
      mode,
      basis: known === null ? 'not stored' : 'stored',
      problem:
        expiresAtMs !== null && expiresAtMs <= nowMs ? 'The key would have expired already.' : null,
      async stage(batch, [proposer]) {
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
  },
  async 'roll-key'({ tx, nowMs }, id, action) {
    const was = await ownKey(tx, null, id);
    const { orgId, mode } = was;
    const { overlapHours } = action;
    return {
      orgId,
      mode,
      basis: was.rolledAtMs === null && isActiveKey(was, nowMs) ? 'active' : 'ended',
      check: async () => {
        expectOverlap(overlapHours);
        lifeOfNext(was, nowMs);
      },
      async stage(batch, [proposer]) {
        const granted = { ...was, ...rolledBy(was, proposer.id) };
        const made = unusedKey({ ...granted, expiresAtMs: lifeOfNext(was, nowMs) }, action, nowMs);
        await stageRoll(batch, was, made, overlapHours);
        return () => batch.deps.wake('mails');
      },
    };
  },
  /** A longer hold gives nobody anything. */
  async 'payout-hold'({ tx }, orgId, action) {
    const profile = await loadProfile(tx, { orgId, mode: 'live' });
    const { payoutHoldHours } = profile;
    return {
      orgId,
      mode: action.hours < payoutHoldHours ? 'live' : 'test',
      basis: `held ${payoutHoldHours} hours`,
      check: async () => expectHoldHours(action.hours),
      async stage(batch) {
        stagePayoutHold(batch.tx, profile, action.hours);
      },
    };
  },
  /** A repeat changes nothing. */
  async 'close-month'({ tx, nowMs }, orgId, { mode, month }) {
    const tenant = { orgId, mode };
    const { accounting, timeZone } = await booksOf(tx, tenant);
    const closing = closingOf(accounting, month, { nowMs, timeZone });
    return {
      orgId,
      mode: closing === null ? 'test' : mode,
      basis: `closed up to ${accounting.closed.at(-1)?.month ?? 'none'}, days of ${timeZone}`,
      async stage(batch) {
        await stageClosed(batch, tenant, month);
        return () => addToSum(batch.deps, tenant);
      },
    };
  },
  async support({ tx }, orgId, { verb, ...contact }) {
    const organization = await loadOrganization(tx, orgId);
    const next = withContact(organization, contact);
    const names = Object.keys(contact) as (keyof typeof contact)[];
    return {
      orgId,
      mode: modeOf(organization, next !== organization),
      action: { verb, ...contact },
      basis: names.map((name) => `${name} ${organization[name] ?? 'none'}`).join(', '),
      async stage(batch) {
        if (next === organization) batch.tx.organizations.expect(organization);
        else batch.tx.organizations.update(Object.freeze(next));
      },
    };
  },
  /** `id` is of any row with the address, which the proposal must not keep. */
  async 'erase-person'({ tx }, id, action) {
    const address = expectFound(await tx.people.addressOf(id));
    const blocking = await tx.people.blocking(address);
    const isErased = maskedAddress(address) !== action.address;
    return {
      mode: 'live',
      basis: isErased ? 'erased, or changed' : 'stored',
      problem:
        blocking.length === 0
          ? null
          : `A person is erased when nothing is open. Open: ${blocking.join('; ')}.`,
      async stage({ tx: staging }) {
        await staging.people.erase(address);
      },
    };
  },
  /** It makes the mailbox of the person enough again, in all organizations. */
  async 'reset-passkeys'({ tx, nowMs }, id, action) {
    const reset = await readPasskeyReset(tx, id, nowMs);
    const { person, passkeys, memberships } = reset;
    const roles = memberships.map(({ role, orgId }) => `${role} of ${orgId}`).sort();
    return {
      mode: 'live',
      action: { ...action, address: maskedAddress(person.email) },
      basis: [
        roles.join(', ') || 'a member nowhere',
        `passkeys ${passkeys.map((one) => one.id).join(', ') || 'none'}`,
      ].join('; '),
      problem:
        passkeys.length > 0
          ? null
          : 'The person has no passkey, and adds one after sign-in by mail.',
      async stage(batch) {
        stagePasskeyReset(batch, reset);
        return () => batch.deps.wake('mails');
      },
    };
  },
};

/** NotFound. */
export async function readServiceItem(
  reading: Reading,
  id: string,
  action: ServiceAction,
): Promise<DeskItem> {
  const read = rows[action.verb] as (
    ...of: [Reading, string, ServiceAction]
  ) => Promise<Row<'release'>>;
  const { stage, ...item } = await read(reading, id, action);
  return {
    orgId: null,
    problem: null,
    check: async () => undefined,
    action,
    ...item,
    stage: async (batch, by) => (await stage(batch, by)) ?? (() => undefined),
  } as DeskItem;
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

/** What gives nobody more than there was in live mode needs no second operator. */
function modeOf(organization: Organization, gives: boolean): Mode {
  return organization.productionGrantedAtMs !== null && gives ? 'live' : 'test';
}

export function itemOfEpoch({ number }: { readonly number: number }): string {
  return `epoch_${number}`;
}

async function endItem<A extends ActionOf<'cancel' | 'fail'>>(
  { tx, nowMs }: Reading,
  id: string,
  asked: A,
  end: typeof cancelled,
) {
  const found = expectFound(await tx.payments.find(id));
  const tenant = tenantOf(found);
  const stored = await loadPayment(tx, tenant, id);
  const commands = await tx.commands.ofPayment(tenant, id);
  const action = { ...asked, reason: checkedReason(asked.reason) };
  const change = () => end(stored, commands, action.reason, nowMs);
  return {
    ...tenant,
    action,
    basis: basisOf(['payment'], { payment: stored }),
    check: async () => {
      change();
    },
    async stage({ deps, tx: staging }: Batch) {
      const done = await stageChange(deps, staging, stored, change());
      return () => announce(deps, done);
    },
  };
}
