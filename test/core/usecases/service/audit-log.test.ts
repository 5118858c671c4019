// The audit log: what is recorded of a change, and which changes of the log itself are found.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  COMMAND_LIFE_MS,
  SIGNATURE_AGE_MAX_MS,
  signedWith,
} from '../../../../core/domain/access/registered-operator.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import {
  type FeedHead,
  headAfter,
  type NumberedEvent,
} from '../../../../core/domain/payments/event.js';
import { ADDRESS_RETENTION_MS } from '../../../../core/domain/service/audit-address.js';
import { macKey } from '../../../../core/domain/service/audit-proof.js';
import {
  type AuditRecord,
  auditEvent,
  auditRecord,
} from '../../../../core/domain/service/audit-record.js';
import type { Deps } from '../../../../core/ports/deps.js';
import { createKey, unlimitedKey } from '../../../../core/usecases/access/keys.js';
import { addMember, removeMember } from '../../../../core/usecases/access/members.js';
import {
  depsOfCommand,
  signCommand,
} from '../../../../core/usecases/access/registered-operators.js';
import { receivePartnerMessage } from '../../../../core/usecases/commands/partner-inbox.js';
import { createOrganization } from '../../../../core/usecases/parties/organizations.js';
import {
  AUDIT_SEARCHED_MAX,
  allAuditRecords,
  audited,
  auditHead,
  listAuditRecords,
  newestAuditRecords,
  recordExport,
  searchAuditRecords,
  verifyAudit,
} from '../../../../core/usecases/service/audit-log.js';
import { PRUNABLE_MS, prune } from '../../../../core/usecases/service/prune.js';
import {
  currentKey,
  openedKeys,
  runAddressKeyDeletion,
} from '../../../../core/usecases/service/service-keys.js';
import { createSubscription } from '../../../../core/usecases/webhooks/subscriptions.js';
import { partnerMessage } from '../../../adapters/http/docs/example-calls.js';
import { anEvent } from '../../../support/samples/domain-samples.js';
import { registered } from '../../../support/samples/operator-samples.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { makeIntent } from '../../../support/scenes/made-payments.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { valuesOf } from '../../../support/values-of.js';

const operator = {
  actor: { kind: 'operator', id: developmentOperator.id },
  action: 'member add',
} as const;
const email = 'ana@acme.example';

const suite = suiteEnd();
const made = await world(suite);
const orgId = await made.organization();

async function eventsOf(deps: Pick<Deps, 'store'>): Promise<readonly NumberedEvent[]> {
  const events: NumberedEvent[] = [];
  for await (const event of allAuditRecords(deps)) events.push(event);
  return events;
}

async function entriesOf(deps: Pick<Deps, 'store'>): Promise<readonly AuditRecord[]> {
  return (await eventsOf(deps)).map(auditRecord);
}

async function newEntries(work: () => Promise<unknown>): Promise<readonly AuditRecord[]> {
  const was = (await auditHead(made.deps))?.sequence ?? 0;
  await work();
  return (await entriesOf(made.deps)).filter(({ sequence }) => sequence > was);
}

describe('an entry', () => {
  test('says who changed what, from where and when, and is in the batch of the change', async () => {
    const deps = audited(made.deps, { ...operator, address: 'desk', requestId: 'req_1' });
    const [entry, ...others] = await newEntries(() =>
      addMember(deps, { orgId, email, role: 'viewer' }),
    );
    assert.deepEqual(others, []);
    assert.ok(entry !== undefined);
    const { id, chainHash, sequence, objects, address, ...rest } = entry;
    assert.match(id, /^aud_/);
    assert.match(address ?? '', /^skey_\w+\.[\w-]+$/, 'the body has it sealed');
    const page = { beforeSequence: null, limit: 1 };
    const [read] = await newestAuditRecords(made.deps, null, page);
    assert.equal(read?.address, 'desk');
    assert.deepEqual(rest, {
      ...operator,
      requestId: 'req_1',
      signed: null,
      operator: null,
      exported: null,
      orgId,
      mode: null,
      atMs: made.deps.clock.nowMs(),
    });
    const [member, ...more] = objects;
    assert.deepEqual(valuesOf(more, 'type'), ['person']);
    assert.deepEqual([member?.type, member?.before], ['member', null]);
    assert.match(member?.after ?? '', /^[0-9a-f]{64}$/);
  });

  test('has the hash of the row before, which is that after its last change', async () => {
    const deps = audited(made.deps, operator);
    const entries = await newEntries(async () => {
      await addMember(deps, { orgId, email: 'two@acme.example', role: 'viewer' });
      await addMember(deps, { orgId, email: 'two@acme.example', role: 'finance' });
      await addMember(deps, { orgId, email: 'two@acme.example', role: 'viewer' });
    });
    const [added, changed, back] = entries.map(({ objects }) => objects[0]);
    assert.equal(changed?.before, added?.after);
    assert.notEqual(changed?.after, added?.after);
    assert.equal(back?.before, changed?.after);
    assert.equal(back?.after, added?.after);
  });

  test('is stored with its change or not at all', async () => {
    const deps = audited(made.deps, operator);
    const entries = await newEntries(() =>
      assert.rejects(
        deps.store.run(async (tx) => {
          const member = (await tx.members.byEmail(orgId, email)) ?? assert.fail();
          tx.members.update({ ...member, version: 99 });
        }),
      ),
    );
    assert.deepEqual(entries, []);
  });

  test('is not made by work that changes nothing', async () => {
    const deps = audited(made.deps, operator);
    const again = { orgId, email, role: 'viewer' } as const;
    assert.deepEqual(await newEntries(() => addMember(deps, again)), []);
  });

  test('names every object of the batch', async () => {
    const deps = audited(made.deps, { ...operator, action: 'member remove' });
    const leaving = { orgId, email: 'three@acme.example', role: 'admin' } as const;
    const { id: createdBy } = await addActiveMember(made.deps, leaving);
    await createKey(made.deps, { ...unlimitedKey, orgId, mode: 'test', createdBy, name: 'erp' });
    const [entry] = await newEntries(() => removeMember(deps, orgId, 'three@acme.example'));
    assert.deepEqual(valuesOf(entry?.objects ?? [], 'type'), ['api_key', 'member']);
    assert.equal(entry?.objects[1]?.id, createdBy);
  });

  test('names a new webhook subscription once', async () => {
    const tenant = await made.newTenant();
    const deps = audited(made.deps, operator);
    const entries = await newEntries(() =>
      createSubscription(deps, tenant, { url: 'https://acme.example/hooks', eventTypes: ['*'] }),
    );
    const types = entries.flatMap(({ objects }) => objects.map(({ type }) => type));
    assert.deepEqual(types, ['webhook_subscription']);
  });

  test('of a message names the partner', async () => {
    const tenant = await made.newTenant();
    const { headers, body } = await partnerMessage(made, tenant);
    const entries = await newEntries(() =>
      receivePartnerMessage(made.deps, { partner: 'fake', mode: 'test', headers, body }),
    );
    for (const { actor } of entries) assert.deepEqual(actor, { kind: 'partner', id: 'fake' });
    const types = entries.flatMap(({ objects }) => objects.map(({ type }) => type));
    assert.ok(types.includes('partner_message'));
  });

  test('of a created payment is its event, which names the key', async () => {
    const tenant = await made.newTenant();
    await createSubscription(made.deps, tenant, {
      url: 'https://acme.example/hooks',
      eventTypes: ['*'],
    });
    const by = { actor: { kind: 'key', id: 'key_1' }, action: 'createPaymentIntent' } as const;
    const deps = audited(made.deps, { ...by, orgId: tenant.orgId });
    const entries = await newEntries(() => makeIntent(deps, tenant, { createdBy: 'key_7' }));
    assert.deepEqual(entries, []);
    const events = await made.deps.store.run((tx) => tx.feed.after(tenant, 0, 10));
    const creators = events.map(({ type, body }) => [type, JSON.parse(body).data.createdBy]);
    assert.deepEqual(creators, [
      ['payment_intent.created', 'key_7'],
      ['invoice.created', 'key_7'],
    ]);
  });
});

test('an organization reads its entries of a mode or of both alone, newest first, in pages', async () => {
  const other = await made.organization();
  const deps = audited(made.deps, operator);
  const key = { ...unlimitedKey, orgId: other, createdBy: developmentOperator.id, name: 'erp' };
  await addMember(deps, { orgId: other, email: 'a@acme.example', role: 'viewer' });
  await createKey(deps, { ...key, mode: 'test' });
  await createKey(deps, { ...key, mode: 'live' });
  await addMember(deps, { orgId: other, email: 'b@acme.example', role: 'viewer' });
  const first = await listAuditRecords(
    made.deps,
    { orgId: other, mode: 'test' },
    { beforeSequence: null, limit: 2 },
  );
  const beforeSequence = first.at(-1)?.sequence ?? null;
  const rest = await listAuditRecords(
    made.deps,
    { orgId: other, mode: 'test' },
    { beforeSequence, limit: 2 },
  );
  const sequences = [...first, ...rest].map(({ sequence }) => sequence);
  assert.equal(sequences.length, 3);
  const modes = [...first, ...rest].map(({ mode }) => mode);
  assert.deepEqual(modes, [null, 'test', null]);
  assert.deepEqual(
    sequences,
    sequences.toSorted((one, two) => two - one),
  );
});

test('entries of one actor are found among those of others, a stretch at a time', async () => {
  const [mine, other] = ['aaa', 'bbb'].map((orgName) => ({ orgId: `org_${orgName}` }));
  assert.ok(mine !== undefined && other !== undefined);
  const author = (id: string, name: string) =>
    audited(made.deps, { ...mine, actor: { kind: 'key', id }, action: name });
  const kept = { orgId: mine.orgId, mode: 'test' } as const;
  const write = (deps: Deps, rows: number) => recordExport(deps, kept, { filter: '', rows });
  await write(author('key_rare', 'first'), 1);
  await write(author('key_rare', 'second'), 2);
  for (let count = 0; count < AUDIT_SEARCHED_MAX; count += 1)
    await write(author('key_busy', 'other'), 0);
  await write(author('key_rare', 'third'), 3);
  const find = async (beforeSequence: number | null, limit: number) => {
    const search = { kind: null, actorId: 'key_rare', beforeSequence, limit };
    const { records, next } = await searchAuditRecords(made.deps, kept, search);
    return { found: records.map(({ action }) => action), next };
  };
  const { found, next } = await find(null, 5);
  assert.deepEqual(found, ['third']);
  assert.notEqual(next, null, 'the search ended before the log');
  const onward = await find(next, 1);
  assert.deepEqual(onward.found, ['second']);
  assert.deepEqual(await find(onward.next, 1), { found: ['first'], next: null });
  const anyone = { kind: 'all', actorId: null, beforeSequence: null, limit: 2 } as const;
  const all = await searchAuditRecords(made.deps, kept, anyone);
  assert.deepEqual(valuesOf(all.records, 'action'), ['third', 'other']);
  assert.equal(all.next, all.records[1]?.sequence);
});

test('pruning removes no entry', async () => {
  const was = await entriesOf(made.deps);
  made.advanceClock(2 * PRUNABLE_MS);
  await prune(made.deps, PRUNABLE_MS);
  assert.deepEqual(await entriesOf(made.deps), was);
});

test('the removal of events alone is an entry: they name who created a payment', async () => {
  const tenant = await made.newTenant();
  await made.deps.store.run(async (tx) => tx.feed.append(anEvent({ ...tenant, createdAtMs: 1 })));
  const deps = audited(made.deps, { ...operator, action: 'prune' });
  const [entry, ...others] = await newEntries(() => prune(deps, PRUNABLE_MS));
  assert.deepEqual(others, []);
  const removed = entry?.objects.map(({ type, id }) => ({ type, id }));
  assert.deepEqual([entry?.action, removed], ['prune', [{ type: 'event', id: null }]]);
});

describe('verification', () => {
  let events: readonly NumberedEvent[];

  before(async () => {
    const deps = audited(made.deps, operator);
    for (let count = 0; count < 5; count += 1) {
      await addMember(deps, { orgId, email: `m${count}@acme.example`, role: 'viewer' });
    }
    events = await eventsOf(made.deps);
  });

  /** Verifies a log that somebody has changed behind its head. */
  async function problems(
    changed: readonly NumberedEvent[],
    anchors: readonly NumberedEvent[] = [],
    head: NumberedEvent | null = changed.at(-1) ?? null,
  ): Promise<readonly (number | null)[]> {
    const operators = { list: async () => [] };
    const feed = {
      head: async () => head,
      after: async (_: unknown, after: number, limit: number) =>
        changed.filter(({ sequence }) => sequence > after).slice(0, limit),
    };
    const store = { run: (work: (tx: unknown) => unknown) => work({ feed, operators }) };
    const needs = { store } as unknown as Pick<Deps, 'store'>;
    const { defects } = await verifyAudit(needs, anchors);
    return [...new Set(defects.map(({ sequence }) => sequence))];
  }

  const edited = (at: number, change: Partial<NumberedEvent>) =>
    events.map((event, index) => (index === at ? { ...event, ...change } : event));

  test('finds nothing in a log as it was written', async () => {
    const { defects, records, head } = await verifyAudit(made.deps, events);
    assert.deepEqual(defects, []);
    assert.equal(records, events.length);
    assert.equal(head?.sequence, events.length);
  });

  test('finds a rewritten entry, also if only a column differs', async () => {
    const third = events[2] as NumberedEvent;
    const body = third.body.replace('member add', 'member get');
    assert.deepEqual(await problems(edited(2, { body })), [3]);
    for (const column of [{ subjectId: 'org_2' }, { type: 'other' }, { createdAtMs: 1 }]) {
      assert.deepEqual(await problems(edited(2, column)), [3]);
    }
  });

  test('finds a deleted entry', async () => {
    assert.deepEqual(await problems(events.toSpliced(2, 1)), [4]);
  });

  test('finds an inserted entry', async () => {
    const forged = { ...(events[1] as NumberedEvent), id: 'aud_forged' };
    const behind = events.slice(2).map((one) => ({ ...one, sequence: one.sequence + 1 }));
    const inserted = [...events.slice(0, 2), { ...forged, sequence: 3 }, ...behind];
    assert.equal((await problems(inserted))[0], 3);
  });

  test('finds reordered entries', async () => {
    const [third, fourth] = events.slice(2, 4) as [NumberedEvent, NumberedEvent];
    const swapped = [
      ...events.slice(0, 2),
      { ...fourth, sequence: 3 },
      { ...third, sequence: 4 },
      ...events.slice(4),
    ];
    assert.equal((await problems(swapped))[0], 3);
  });

  test('finds a truncated end by the head, and with the head by an anchor', async () => {
    const cut = events.slice(0, -2);
    const last = events.at(-1) as NumberedEvent;
    assert.deepEqual(await problems(cut, [], last), [last.sequence]);
    assert.deepEqual(await problems(cut), []);
    assert.deepEqual(await problems(cut, [last]), [last.sequence]);
  });

  test('finds a log that was written again as a whole, by what it cites and by an anchor', async () => {
    let head: FeedHead | null = null;
    const forged = events.map((event) => {
      const body = event.body.replace('"address":null', '"address":"desk"');
      head = headAfter(head, body);
      return { ...event, body, ...head };
    });
    const citing = await problems(forged);
    assert.equal(citing.length, 1, 'the head of a minute ago');
    assert.deepEqual(await problems(forged, [events[2] as NumberedEvent]), [3, ...citing]);
  });
});

test('addresses of a month are read for 180 days after it, and the log stays sound', async () => {
  const own = await world(suite);
  const { deps } = own;
  const acting = (address: string) => audited(deps, { ...operator, address });
  const firstOrg = await own.organization();
  await addMember(acting('198.51.100.7'), { orgId: firstOrg, email, role: 'viewer' });
  own.advanceClock(40 * DAY_MS);
  await addMember(acting('198.51.100.8'), {
    orgId: firstOrg,
    email: 'b@acme.example',
    role: 'viewer',
  });
  const addresses = async () => {
    const page = { beforeSequence: null, limit: 9 };
    const entries = await newestAuditRecords(deps, firstOrg, page);
    return entries.flatMap(({ address }) => (address === null ? [] : [address])).toReversed();
  };
  assert.deepEqual(await addresses(), ['198.51.100.7', '198.51.100.8']);
  assert.equal(await runAddressKeyDeletion(deps, deps.clock.nowMs()), 0);
  own.advanceClock(ADDRESS_RETENTION_MS + 1);
  assert.equal(await runAddressKeyDeletion(deps, deps.clock.nowMs()), 1);
  assert.deepEqual(await addresses(), ['198.51.100.8']);
  const { defects } = await verifyAudit(deps, [], await openedKeys(deps, 'record'));
  assert.deepEqual(defects, []);
});

describe('an entry of an operator', () => {
  const given = { command: 'member add', arguments: { email } };

  /** A member is added, by a command that one person signed and the entry says of another. */
  async function problemsOf(signer: 'ana' | 'bia' | null, { action = given.command } = {}) {
    const { deps } = await world(suite);
    const [ana, bia] = await registered(deps, ['ana', 'bia']);
    assert.ok(ana !== undefined && bia !== undefined);
    const by = { ana: ana.key, bia: bia.key };
    const signed = signer === null ? null : await signCommand(deps, given, by[signer]);
    const identity = { actor: ana.actor, signed };
    const command = depsOfCommand(deps, identity, { action, address: null });
    const { organization } = await createOrganization(deps, { name: 'Acme', sandboxKyb: false });
    await addMember(command, { orgId: organization.id, email, role: 'viewer' });
    const { defects, signatures } = await verifyAudit(deps);
    return { problems: defects.map(({ problem }) => problem), signatures };
  }

  const unproven = {
    problems: ['no signature proves that its operator gave the command then'],
    signatures: 0,
  };

  test('is proven by the signature of the command', async () => {
    assert.deepEqual(await problemsOf('ana'), { problems: [], signatures: 1 });
  });

  test('is found without a signature, and with that of another operator', async () => {
    assert.deepEqual(await problemsOf(null), unproven);
    assert.deepEqual(await problemsOf('bia'), unproven);
  });

  test('is found with the signature of another command', async () => {
    assert.deepEqual(await problemsOf('ana', { action: 'member remove' }), unproven);
  });

  /** Somebody with write access adds an entry about another object, with the signature of one. */
  async function problemsOfCopy({ laterMs = 0, first = 'ana' } = {}) {
    const { deps } = await world(suite);
    const [ana = assert.fail()] = await registered(deps, ['ana', 'bia']);
    const atMs = deps.clock.nowMs();
    const database = { firstOperator: `opr_${first}`, epoch: 1 };
    const signedBy = { operator: ana.actor.id, series: 0, atMs };
    const signed = signedWith({ ...given, database, ...signedBy }, ana.key);
    const by = { ...operator, actor: ana.actor, orgId, signed, operator: null };
    const author = { ...by, address: null, requestId: null };
    const objects = [{ type: 'member', id: 'mem_other', before: null, after: null }] as const;
    const place = { id: 'aud_copy', atMs: atMs + laterMs };
    const key = macKey(await currentKey(deps, 'record'));
    const about = { orgId, mode: null, objects, exported: null };
    const copy = auditEvent(author, about, place, { key, cited: null });
    await deps.store.run(async (tx) => tx.feed.append(copy));
    return (await verifyAudit(deps)).defects.map(({ problem }) => problem);
  }

  test('is found with a signature of another time', async () => {
    for (const laterMs of [COMMAND_LIFE_MS + 1, -SIGNATURE_AGE_MAX_MS - 1]) {
      assert.deepEqual(await problemsOfCopy({ laterMs }), unproven.problems);
    }
    for (const laterMs of [COMMAND_LIFE_MS, -SIGNATURE_AGE_MAX_MS]) {
      assert.deepEqual(await problemsOfCopy({ laterMs }), [], 'a long command writes many');
    }
  });

  test('is found with a signature of another database', async () => {
    assert.deepEqual(await problemsOfCopy({ first: 'bia' }), unproven.problems);
  });

  test('has no argument of the command in what was signed', async () => {
    const { deps } = await world(suite);
    const [ana = assert.fail()] = await registered(deps, ['ana']);
    const signed = await signCommand(deps, given, ana.key);
    assert.doesNotMatch(signed?.text ?? '', new RegExp(email));
  });
});
