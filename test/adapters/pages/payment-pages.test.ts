// Which pages of a payment its state opens, and which sessions each subject takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortIdOf } from '../../../core/domain/bank-record.js';
import type { PageSession } from '../../../core/domain/page-session.js';
import { startBuyerKyc } from '../../../core/usecases/kyc.js';
import { startSession } from '../../../core/usecases/page-sessions.js';
import { simulate } from '../../../core/usecases/simulations.js';
import { pageSite, textOf } from './visitor.js';

const pagesAt = {
  fx_quoted: [],
  on_ramp_pending: ['instructions'],
  short: ['instructions', 'take-back'],
  settled: ['receipt'],
} as const;

test('bank details, receipt and the return of money are open while they apply', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { world, tenant } = site;
  for (const [state, open] of Object.entries(pagesAt)) {
    const { id, path } = await site.newPayment();
    await world.play(tenant, id, state === 'short' ? 'on_ramp_pending' : (state as 'settled'));
    await world.settle();
    if (state === 'short') await simulate(world.deps, tenant, id, 'money_short');
    const subject = { kind: 'buyer', paymentId: id, submissionId: null, ownerIndex: null } as const;
    const { token } = await startSession(world.deps, { ...tenant, ...subject });
    const visitor = site.visitor({ headers: { cookie: `ponte-session=${token}` } });
    for (const page of ['instructions', 'receipt', 'take-back']) {
      const { path: landed, text } = await visitor.open(`${path}/${page}`);
      const isOpen = open.some((one) => one === page);
      assert.equal(landed, isOpen ? `${path}/${page}` : path, `${state}: ${page}`);
      if (isOpen && page !== 'take-back') {
        assert.ok(text.includes(`>http://pages.test${path}<`), 'the address, for paper');
        assert.ok(text.includes(shortIdOf(path.slice('/r/'.length))));
      }
      if (state !== 'short' || page !== 'instructions') continue;
      assert.match(textOf(text), /USD 1\.00/);
      assert.doesNotMatch(textOf(text), /USD 100\.00 (Copy|$)/);
    }
    if (state === 'short') continue;
    const before = await world.statusOf(id);
    await visitor.open(path);
    const [, version = ''] = /name="version" value="(\d+)"/.exec(visitor.shown?.text ?? '') ?? [];
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(visitor.shown?.text ?? '') ?? [];
    await visitor.post(`${path}/take-back`, { csrf, version });
    assert.equal(await world.statusOf(id), before, state);
  }
});

test('the part of an owner takes that owner’s sessions only, and the form takes none of them', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  const start = { name: null, entityType: null, paymentId: null, dossier: {} } as const;
  const email = 'ana@example.com';
  const { id: submissionId, flowId } = await startBuyerKyc(deps, site.tenant, { ...start, email });
  const opened = async (kind: PageSession['kind'], ownerIndex: number | null, path: string) => {
    const subject = { ...site.tenant, kind, paymentId: null, submissionId, ownerIndex };
    const { token } = await startSession(deps, subject);
    const headers = { cookie: `ponte-session=${token}` };
    const response = await site.visitor({ headers }).request('GET', path);
    return response.headers.get('location')?.replace('?notice=signed_out', '');
  };
  const [form, owner] = [`/kyc/${flowId}`, `/owner/${flowId}/null`];
  assert.equal(await opened('upload', null, `${owner}/kyc/documents`), owner);
  assert.equal(await opened('buyer', null, `${owner}/kyc/documents`), owner);
  assert.equal(await opened('owner', 2, `${form}/kyc/phone`), form);
  assert.equal(await opened('buyer', null, `${form}/kyc/phone`), `${form}/kyc/documents`);
});
