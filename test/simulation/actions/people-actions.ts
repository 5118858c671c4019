// What people do with their credentials: operators propose, confirm and remove each other, members
// sign in and make API keys, and all of them go on with what has ended in the meantime.
import { type MemberRole, memberRoles } from '../../../core/domain/access/member.js';
import type { OperatorActor } from '../../../core/domain/base/actor.js';
import { HOUR_MS } from '../../../core/domain/base/instant.js';
import { modes } from '../../../core/domain/base/tenant.js';
import {
  authenticateKey,
  createKey,
  type IssuedKey,
  revokeKey,
  rollKey,
  unlimitedKey,
} from '../../../core/usecases/access/keys.js';
import { addMember, removeMember } from '../../../core/usecases/access/members.js';
import { removeOperator } from '../../../core/usecases/access/registered-operators.js';
import {
  authenticateSession,
  createSession,
  endSessions,
  type SessionActor,
} from '../../../core/usecases/access/sessions.js';
import { confirmProposal, decide } from '../../../core/usecases/money-desk/money-desk.js';
import type { DeskRequest } from '../../../core/usecases/money-desk/service-items.js';
import { createPayment } from '../../../core/usecases/payments/payments.js';
import { auditHead } from '../../../core/usecases/service/audit-log.js';
import { membersOf, tenants } from '../world/actors.js';
import type { Signer } from '../world/people.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { Acts, Pointless, World } from '../world/world.js';
import { newRequest, shown } from './payment-actions.js';

type PeopleAction = 'operatorCommand' | 'memberRequest' | 'keyRequest' | 'noteHead';

export const peopleActs: Acts<PeopleAction> = {
  operatorCommand: (world, host) => {
    const { random, people } = world;
    random.pick(commands)(world, host, random.pick(people.signers));
  },
  memberRequest,
  keyRequest,
  // Somebody writes the head of the audit log down.
  noteHead: async ({ observed, store }) => {
    const head = await auditHead({ store });
    if (head !== null) observed.anchors.push(head);
  },
};

export const peoplePointless: Pointless = {
  memberRequest: ({ people }) => people.tokens.length === 0,
  keyRequest: ({ people }) => people.apiKeys.length === 0,
};

type Command = (world: World, host: SimulatedHost, signer: Signer) => void;

/** Some are there several times: they come as often. */
const commands: readonly Command[] = [
  proposes,
  proposes,
  confirms,
  confirms,
  confirms,
  removesOperator,
  addsMember,
  removesMember,
  signsIn,
  signsIn,
  signsOut,
  endsKey,
];

/** Switches off an approval that is off already, or adds an operator. */
function proposes(world: World, host: SimulatedHost, signer: Signer): void {
  const { random } = world;
  const { name, publicKey } = random.pick(world.people.signers);
  const [itemId, request] = random.pick<readonly [string, DeskRequest]>([
    ['org_one', { verb: 'require-approval', origin: 'payment_intent' }],
    ['org_two', { verb: 'require-approval', origin: 'payment_intent' }],
    [name, { verb: 'add-operator', name, publicKey }],
  ]);
  const propose = (operator: OperatorActor) =>
    decide(host.deps, { itemId, request, evidence: null, operator, replace: random.chance(0.3) });
  host.command(`propose ${request.verb} ${itemId}`, signer, propose, counted(world, 'proposal'));
}

/** Also what this person has proposed. */
function confirms(world: World, host: SimulatedHost, signer: Signer): void {
  const waiting = [...world.observed.proposals.values()].filter(
    ({ state, mode }) => state === 'proposed' && mode === 'live',
  );
  if (waiting.length === 0) return;
  const { id } = world.random.pick(waiting);
  const confirm = (operator: OperatorActor) => confirmProposal(host.deps, id, operator);
  host.command(`confirm ${id}`, signer, confirm, counted(world, 'confirmation'));
}

function removesOperator(world: World, host: SimulatedHost, signer: Signer): void {
  const { name } = world.random.pick(world.people.signers);
  const remove = (operator: OperatorActor) => removeOperator(host.deps, name, operator);
  host.command(`remove operator ${name}`, signer, remove, {
    ...counted(world, 'operator removed'),
    done: ({ id }) => {
      world.count('operator removed');
      world.observed.ended.add(id);
    },
  });
}

function anyMember({ random }: World): { readonly orgId: string; readonly email: string } {
  const { orgId } = random.pick(tenants);
  return { orgId, email: `${random.pick([...membersOf(orgId), 'another'])}@example.com` };
}

function addsMember(world: World, host: SimulatedHost, signer: Signer): void {
  const { orgId, email } = anyMember(world);
  const role: MemberRole = world.random.pick(memberRoles);
  const add = () => addMember(host.deps, { orgId, email, role });
  host.command(`add ${role} ${email}`, signer, add, counted(world, 'member added'));
}

function removesMember(world: World, host: SimulatedHost, signer: Signer): void {
  const { orgId, email } = anyMember(world);
  const keeper = world.random.chance(0.3) ? anyMember(world).email : null;
  const remove = () => removeMember(host.deps, orgId, email, { memberId: null, keptBy: keeper });
  host.command(`remove ${email}`, signer, remove, {
    ...counted(world, 'member removed'),
    done: ({ member, keys }) => {
      world.count('member removed');
      const { ended } = world.observed;
      ended.add(member.id);
      if (keeper === null) for (const { id } of keys) ended.add(id);
    },
  });
}

function signsIn(world: World, host: SimulatedHost, signer: Signer): void {
  const { orgId, email } = anyMember(world);
  const mode = world.random.pick(modes);
  const signIn = () => createSession(host.deps, { orgId, email, mode });
  host.command(`sign ${email} in`, signer, signIn, {
    ...counted(world, 'session begun'),
    done: ({ token, expiresAtMs }) => {
      world.count('session begun');
      const { memberId, sessionId } = claimsOf(token);
      const held = { text: token, id: sessionId, orgId, mode, endsAtMs: expiresAtMs };
      world.people.tokens.push({ ...held, memberId });
    },
  });
}

function signsOut(world: World, host: SimulatedHost, signer: Signer): void {
  if (world.people.tokens.length === 0) return;
  const { memberId } = world.random.pick(world.people.tokens);
  const personId = memberId.replace('mem', 'per');
  const end = () => endSessions(host.deps, { personId, orgId: null }, null);
  host.command(`end the sessions of ${memberId}`, signer, end, {
    ...counted(world, 'session ended'),
    done: (ended) => acknowledgeEnds(world, 'session ended', ended),
  });
}

function endsKey(world: World, host: SimulatedHost, signer: Signer): void {
  if (world.people.apiKeys.length === 0) return;
  const { id } = world.random.pick(world.people.apiKeys);
  host.command(`revoke ${id}`, signer, () => revokeKey(host.deps, null, id), {
    ...counted(world, 'key revoked'),
    done: (key) => acknowledgeEnds(world, 'key revoked', [key]),
  });
}

/** A member uses a session, whether or not it is over. */
function memberRequest(world: World, host: SimulatedHost): void {
  const { random, people, observed, nowMs } = world;
  const held = random.pick(people.tokens);
  const isOver = [held.id, held.memberId].some((id) => observed.ended.has(id));
  const isExpired = nowMs >= (held.endsAtMs ?? Infinity);
  const act = random.pick(requests);
  host.begin(
    `${held.memberId} ${act.name}`,
    async () => {
      const actor = await authenticateSession(host.deps, `Bearer ${held.text}`);
      if (isOver || isExpired) observed.intrusions.push(`the session ${held.id} is over`);
      await act(world, host, actor);
    },
    { ...counted(world, act.name), actor: { kind: 'member', id: held.memberId } },
  );
}

const requests = [makesKey, makesKey, rollsKey, revokesKey, signsItselfOut] as const;

async function makesKey(world: World, host: SimulatedHost, actor: SessionActor): Promise<void> {
  const { random, nowMs } = world;
  const { orgId, mode, memberId: createdBy } = actor;
  const expiresAtMs = random.pick([null, null, nowMs + HOUR_MS]);
  const input = { ...unlimitedKey, orgId, mode, createdBy, name: 'key', expiresAtMs };
  hold(world, await createKey(host.deps, input));
}

async function rollsKey(world: World, host: SimulatedHost, actor: SessionActor): Promise<void> {
  const { random, people, observed } = world;
  if (people.apiKeys.length === 0) return;
  const { id } = random.pick(people.apiKeys);
  const { orgId, memberId: createdBy } = actor;
  const overlapHours = random.pick([0, 1, 24]);
  hold(world, await rollKey(host.deps, orgId, id, { createdBy, overlapHours }));
  if (overlapHours === 0) observed.ended.add(id);
}

async function revokesKey(world: World, host: SimulatedHost, actor: SessionActor): Promise<void> {
  const { random, people } = world;
  if (people.apiKeys.length === 0) return;
  const { id } = random.pick(people.apiKeys);
  acknowledgeEnds(world, 'key revoked', [await revokeKey(host.deps, actor.orgId, id)]);
}

async function signsItselfOut(
  world: World,
  host: SimulatedHost,
  { session }: SessionActor,
): Promise<void> {
  const ended = await endSessions(host.deps, session, session.id);
  acknowledgeEnds(world, 'session ended', ended);
}

/** A program creates a payment with a key, whether or not the key has ended. */
function keyRequest(world: World, host: SimulatedHost): void {
  const { random, people, observed, nowMs, profile } = world;
  const { text, id, orgId, mode } = random.pick(people.apiKeys);
  const isExpired = nowMs >= (observed.keys.get(id)?.expiresAtMs ?? Infinity);
  const isOver = observed.ended.has(id) || isExpired;
  const request = newRequest(world);
  const tenant = { orgId, mode };
  host.begin(
    `a program uses ${id}`,
    async () => {
      await authenticateKey(host.deps, text);
      if (isOver) observed.intrusions.push(`the key ${id} has ended`);
      world.count('key used');
      if (observed.payments.size >= profile.paymentsMax) return;
      const { done } = shown(world, request.input.idempotencyKey);
      done(await createPayment(host.deps, tenant, { ...request.input, createdBy: id }));
    },
    { ...counted(world, 'key'), actor: { kind: 'key', id } },
  );
}

function hold({ people }: World, { key, secret }: IssuedKey): void {
  const { id, orgId, mode } = key;
  people.apiKeys.push({ text: secret, id, orgId, mode, endsAtMs: key.expiresAtMs });
}

function acknowledgeEnds(world: World, what: string, ended: readonly { readonly id: string }[]) {
  world.count(what);
  for (const { id } of ended) world.observed.ended.add(id);
}

function counted(world: World, what: string) {
  return {
    done: () => world.count(what),
    refused: ({ code }: { readonly code: string }) => world.count(`${what} refused: ${code}`),
  };
}

function claimsOf(token: string): { readonly memberId: string; readonly sessionId: string } {
  const [, payload = ''] = token.split('.');
  const { sub, sid } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return { memberId: sub, sessionId: sid };
}
