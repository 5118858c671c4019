// The pack of a proof: the same bytes for the same facts, and no byte of it changes unnoticed. Both
// verifiers are tried: the script of verify.html, and the example in Python where Python is there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { unzipSync } from 'fflate';
import { packCheck } from '../../../../adapters/pages/proof/pack-check.js';
import { bytesOf, monthPack, packOf } from '../../../../adapters/pages/proof/proof-pack.js';
import { formatInstant, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { jsonText } from '../../../../core/domain/law/pack.js';
import type { Proof } from '../../../../core/domain/law/proof.js';
import { fiscalDocumentOfKey } from '../../../../core/domain/payments/fiscal-document.js';
import type { PublicJwk } from '../../../../core/domain/service/service-key.js';
import { payeesOfMonth } from '../../../../core/usecases/law/proof-months.js';
import { readProof } from '../../../../core/usecases/law/proofs.js';
import { setFiscalDocument } from '../../../../core/usecases/payments/payments.js';
import { recordKeys, rotateRecordKey } from '../../../../core/usecases/service/service-keys.js';
import { readPdf } from '../../../support/read-pdf.js';
import { projectRoot } from '../../../support/source-tree.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { type ProofScene, proofScene } from './proof-scene.js';

const CHANGES = 20;
const hasPython = spawnSync('python3', ['--version']).status === 0;
const suite = suiteEnd();
let scene: ProofScene;
let pack: Uint8Array;
let keys: readonly PublicJwk[];

before(async () => {
  scene = await proofScene(suite);
  pack = await scene.pack();
  keys = await recordKeys(scene.made.deps);
});

/** What each verifier says of each pack; null: nothing is wrong. */
const verifiers: Readonly<
  Record<string, (packs: readonly Uint8Array[]) => Promise<readonly (string | null)[]>>
> = {
  async script(packs) {
    const { verifyPack } = await packCheck();
    const checks = packs.map((one) =>
      verifyPack(one, keys).then(
        () => null,
        (error: Error) => error.message,
      ),
    );
    return Promise.all(checks);
  },
  ...(hasPython ? { python: inPython } : {}),
};

async function inPython(packs: readonly Uint8Array[]): Promise<readonly (string | null)[]> {
  const folder = temporaryFolder();
  const files = packs.map((bytes, index) => {
    const file = join(folder, `${index}.zip`);
    writeFileSync(file, bytes);
    return file;
  });
  const program = [
    'import json, sys',
    'from verify_proof import verify',
    'given = json.load(sys.stdin)',
    'def problem(path):',
    '    try:',
    '        verify(open(path, "rb").read(), given["keys"])',
    '    except Exception as error:',
    '        return repr(error)',
    'print(json.dumps([problem(path) for path in given["files"]]))',
  ].join('\n');
  const { stdout, stderr } = spawnSync('python3', ['-W', 'ignore', '-c', program], {
    cwd: join(projectRoot, 'test/examples'),
    input: JSON.stringify({ keys, files }),
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
}

/** The bytes of each file in the pack, and all bytes that are in none. */
function partsOf(bytes: Uint8Array): ReadonlyMap<string, readonly number[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = bytes.length - 22;
  const parts = new Map<string, readonly number[]>();
  const others = new Set(bytes.keys());
  for (let at = view.getUint32(end + 16, true); at < end; ) {
    const [size, nameSize] = [view.getUint32(at + 24, true), view.getUint16(at + 28, true)];
    const name = Buffer.from(bytes.subarray(at + 46, at + 46 + nameSize)).toString();
    const start = view.getUint32(at + 42, true) + 30 + nameSize;
    const own = Array.from({ length: size }, (_, index) => start + index);
    for (const index of own) others.delete(index);
    parts.set(name, own);
    at += 46 + nameSize;
  }
  return parts.set('between the files', [...others]);
}

test('a pack has the facts, the PDF, the invoice, the keys, the check and the signature', async () => {
  const files = unzipSync(pack);
  assert.deepEqual(Object.keys(files), [
    'proof.json',
    'proof.pdf',
    'invoice.pdf',
    'keys.json',
    'verify.html',
    'manifest.json',
    'manifest.jws',
  ]);
  const text = (name: string) => Buffer.from(files[name] ?? []).toString();
  const proof: Proof = JSON.parse(text('proof.json'));
  const { made, tenant, paymentId } = scene;
  assert.deepEqual(proof, await readProof(made.deps, tenant, paymentId, 'seller'));
  const pdf = await readPdf(files['proof.pdf'] ?? new Uint8Array());
  for (const shown of ['Müller GmbH', 'USD 1,250.00', proof.settlements[0]?.endToEndId ?? '?']) {
    assert.ok(pdf.text.includes(shown), `${shown} in ${pdf.text}`);
  }
  assert.equal(JSON.parse(text('manifest.json')).subject, paymentId);
});

test('a proof has what was confirmed, what arrived, what was paid, books, events and records', async () => {
  const { made, tenant, paymentId } = scene;
  const proof = await readProof(made.deps, tenant, paymentId, 'seller');
  const [settlement] = proof.settlements;
  assert.ok(proof.quote?.confirmedAt && settlement?.endToEndId && settlement.asset);
  assert.deepEqual(
    proof.transfers.map(({ amount, currency }) => [amount, currency]),
    [['1250.00', 'USD']],
  );
  assert.ok(proof.transfers[0]?.receivedAt);
  assert.ok(proof.transactionHash);
  assert.deepEqual(
    proof.events?.map(({ body }) => JSON.parse(body).event),
    await made.eventsOf(tenant, paymentId),
  );
  assert.deepEqual(
    [...new Set(proof.entries?.map(({ kind }) => kind))],
    ['funds_received', 'payout_paid'],
  );
  assert.equal(proof.bankDetails.length, 1);
  assert.deepEqual(
    proof.exemption?.map(({ missing }) => missing),
    [[], [], []],
  );
});

test('the same payment in the same language is the same pack, at any time and in any zone', async () => {
  const { made } = scene;
  const zone = process.env['TZ'];
  made.advanceClock(10 * MINUTE_MS);
  process.env['TZ'] = 'Asia/Tokyo';
  const again = await scene.pack();
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
  assert.deepEqual(Buffer.from(again), Buffer.from(pack));
});

for (const [name, verify] of Object.entries(verifiers)) {
  test(`${name}: a pack is genuine in each language and for the buyer`, async () => {
    const packs = [
      pack,
      await scene.pack({ locale: 'pt-BR' }),
      await scene.pack({ locale: 'es', audience: 'buyer' }),
    ];
    assert.deepEqual(await verify(packs), [null, null, null]);
  });

  test(`${name}: no byte of any part can change, and the problem names the file`, async () => {
    let state = 7;
    const next = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state % below;
    };
    const files = new Set(Object.keys(unzipSync(pack)));
    for (const [part, places] of partsOf(pack)) {
      const changed = Array.from({ length: CHANGES }, () => {
        const copy = Uint8Array.from(pack);
        const at = places[next(places.length)] ?? 0;
        copy[at] = (copy[at] ?? 0) ^ (1 + next(255));
        return copy;
      });
      const problems = await verify(changed);
      assert.ok(
        problems.every((problem) => problem?.includes(files.has(part) ? part : '')),
        `${part}: ${problems}`,
      );
    }
  });

  test(`${name}: a month has a pack for each payment, and each of its bytes counts`, async () => {
    const { made, tenant, paymentId } = scene;
    const [payee, ...others] = await payeesOfMonth(made.deps, tenant, '2030-01');
    assert.ok(payee && others.length === 0);
    const of = { ...payee, month: '2030-01' };
    const bytes = await bytesOf(await monthPack(() => made.deps, tenant, of, 'en'));
    const files = unzipSync(bytes);
    const list = JSON.parse(Buffer.from(files['month.json'] ?? []).toString());
    assert.ok(payee.paymentIds.includes(paymentId));
    assert.deepEqual(
      list.payments.map((one: Proof) => one.paymentId),
      payee.paymentIds,
    );
    assert.ok(list.payments.every((one: Proof) => one.exemption?.length === 3));
    assert.deepEqual(Buffer.from(files[`payments/${paymentId}.zip`] ?? []), Buffer.from(pack));
    const changed = [...partsOf(bytes).values()].map((places) => {
      const at = places[Math.floor(places.length / 2)] ?? 0;
      return Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte));
    });
    const [first, ...problems] = await verify([bytes, ...changed]);
    assert.equal(first, null);
    assert.ok(problems.every((problem) => problem !== null));
  });

  test(`${name}: a pack stays genuine when the key rotates, while it is written or later`, async (t) => {
    const own = await proofScene(suite, 2);
    const { made, tenant } = own;
    const before = await own.pack();
    const [payee] = await payeesOfMonth(made.deps, tenant, '2030-01');
    assert.ok(payee);
    let rotated = 0;
    const rotating = () => {
      rotated += 1;
      return made.deps;
    };
    const source = await monthPack(rotating, tenant, { ...payee, month: '2030-01' }, 'en');
    const { kid } = await rotateRecordKey(made.deps);
    const month = await bytesOf(source);
    assert.ok(rotated > 1);
    const usual = keys;
    t.after(() => {
      keys = usual;
    });
    keys = await recordKeys(made.deps);
    assert.deepEqual(await verify([before, month, await own.pack()]), [null, null, null]);
    const signed = Buffer.from(unzipSync(await own.pack())['manifest.jws'] ?? []).toString();
    const head = Buffer.from(signed.split('.')[0] ?? '', 'base64url').toString();
    assert.equal(JSON.parse(head).kid, kid);
  });

  test(`${name}: a pack that another key signed, or that ends early, is refused`, async () => {
    const other = await proofScene(suite, 1);
    const problems = await verify([await other.pack(), pack.subarray(0, -1), new Uint8Array()]);
    assert.ok(problems.every((problem) => problem !== null));
  });

  test(`${name}: signed facts that contradict each other are refused`, async () => {
    const { made, tenant, paymentId } = scene;
    const proof = await readProof(made.deps, tenant, paymentId, 'seller');
    const [first, ...others] = proof.events ?? [];
    const [entry, ...entries] = proof.entries ?? [];
    const [details] = proof.bankDetails;
    assert.ok(first && entry && details);
    const lies: Readonly<Record<string, Partial<Proof>>> = {
      'another payment': { paymentId: 'pi_other' },
      'an event that did not happen': { events: [{ ...first, body: '{}' }, ...others] },
      'entries that are not balanced': {
        entries: [{ ...entry, lines: entry.lines.slice(1) }, ...entries],
      },
      'bank details of somebody else': { bankDetails: [{ ...details, record: '{}' }] },
    };
    const packs = Object.values(lies).map(async (lie) => {
      const text = jsonText({ ...proof, ...lie });
      const about = { kind: 'payment', subject: paymentId } as const;
      const file = async () => ['proof.json', Buffer.from(text)] as const;
      return bytesOf(await packOf(made.deps, about, [file]));
    });
    const problems = await verify(await Promise.all(packs));
    assert.ok(
      problems.every((problem) => problem !== null),
      `${problems}`,
    );
  });
}

test('the buyer gets no books, events, ids or relations of the seller', async () => {
  const { made, tenant, paymentId } = scene;
  const proof = await readProof(made.deps, tenant, paymentId, 'buyer');
  const { entries, events, exemption, externalId, payerRelation } = proof;
  assert.deepEqual(
    { entries, events, exemption, externalId, payerRelation },
    { entries: null, events: null, exemption: null, externalId: null, payerRelation: null },
  );
  assert.doesNotMatch(jsonText(proof), /order|metadata/);
});

test('what the exemption asks and a payment lacks is named', async () => {
  const { made, tenant } = scene;
  const id = await made.newPayment(tenant);
  await assert.rejects(readProof(made.deps, tenant, id, 'seller'), {
    code: 'PaymentStateConflict',
  });
  await made.play(tenant, id, 'settled');
  const { exemption } = await readProof(made.deps, tenant, id, 'seller');
  assert.deepEqual(exemption, [
    { demand: 'payer_abroad', missing: [] },
    { demand: 'conversion', missing: [] },
    { demand: 'service', missing: ['fiscalDocument', 'invoice', 'purpose'] },
  ]);
});

test('a fiscal document that came later is in the next packs, and earlier ones verify', async () => {
  const { made, tenant } = scene;
  const id = await made.newPayment(tenant);
  await made.play(tenant, id, 'settled');
  const before = await scene.pack({ of: id });
  const document = fiscalDocumentOfKey('35261112ABC34501DE35550010000123451123456711');
  await setFiscalDocument(made.deps, tenant, id, document ?? assert.fail('a good key'));
  const after = await scene.pack({ of: id });
  const month = formatInstant(made.deps.clock.nowMs()).slice(0, 7);
  const payees = await payeesOfMonth(made.deps, tenant, month);
  const payee = payees.find(({ paymentIds }) => paymentIds.includes(id)) ?? assert.fail();
  const months = await bytesOf(await monthPack(() => made.deps, tenant, { ...payee, month }, 'en'));
  const jsonIn = (bytes: Uint8Array, name: string) =>
    JSON.parse(Buffer.from(unzipSync(bytes)[name] ?? []).toString());
  const listed = jsonIn(months, 'month.json').payments.find((one: Proof) => one.paymentId === id);
  const proof: Proof = jsonIn(after, 'proof.json');
  assert.deepEqual(proof.fiscalDocument, document);
  for (const { exemption } of [proof, listed]) {
    assert.deepEqual(exemption.at(-1), { demand: 'service', missing: ['invoice', 'purpose'] });
  }
  assert.equal(jsonIn(before, 'proof.json').fiscalDocument, null);
  for (const [name, verify] of Object.entries(verifiers)) {
    assert.deepEqual(await verify([before, after, months]), [null, null, null], name);
  }
});

test('signatures are checked as Node does', async () => {
  const { verifyEd25519 } = await packCheck();
  const decode = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
  for (const size of [0, 1, 200]) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = decode(publicKey.export({ format: 'jwk' }).x ?? '');
    const message = new Uint8Array(size).fill(size);
    const signature = new Uint8Array(sign(null, message, privateKey));
    assert.equal(await verifyEd25519(key, message, signature), true);
    assert.equal(await verifyEd25519(key, new Uint8Array([...message, 1]), signature), false);
    // The same signature with the order of the group added to its second half (RFC 8032, 5.1.7).
    const malleable = signature.slice();
    let carry = 0;
    const order = [...Buffer.from('edd3f55c1a631258d69cf7a2def9de14', 'hex'), ...Array(15).fill(0)];
    for (const [index, byte] of [...order, 0x10].entries()) {
      const sum = (malleable[32 + index] ?? 0) + byte + carry;
      malleable[32 + index] = sum & 0xff;
      carry = sum >> 8;
    }
    assert.equal(await verifyEd25519(key, message, malleable), false);
  }
});
