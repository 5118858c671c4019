// The report of `ponte certify` in a request for production access: as it was written, or refused.
import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { test } from 'node:test';
import { reportOf } from '../../../../cli/certify/certify-report.js';
import {
  REPORT_LENGTH_MAX,
  readCertifyReport,
} from '../../../../core/domain/parties/certify-summary.js';

const subject = { receiver: 'https://shop.example/', probe: null, seed: '1' };
const results = [
  { number: 1, name: 'duplicate', verdict: 'ok', findings: [] },
  { number: 12, name: 'rotation', verdict: 'failed', findings: [] },
  { number: 18, name: 'outage', verdict: 'not seen', findings: [] },
  { number: 20, name: 'short', verdict: 'ok', findings: [] },
] as const;
const report = reportOf(subject, results);

test('a report has its counts, and the names of what is not ok; blanks in it do not matter', () => {
  const others = ['rotation', 'outage'];
  const key = Buffer.from(report.signature.publicKey, 'base64');
  const signedBy = hash('sha256', key).slice(0, 16);
  const summary = { at: report.at, ok: 2, failed: 1, notSeen: 1, others, signedBy };
  assert.deepEqual(readCertifyReport(JSON.stringify(report)), summary);
  assert.deepEqual(readCertifyReport(`${JSON.stringify(report, null, 2)}\n`), summary);
});

/** By a right signature of another kind of key. */
function signedWith(facts: object, kind: 'ed448' | 'rsa'): string {
  const { privateKey, publicKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync(kind);
  const value = sign(null, Buffer.from(JSON.stringify(facts)), privateKey).toString('base64');
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return JSON.stringify({ ...facts, signature: { algorithm: 'Ed25519', publicKey: spki, value } });
}

test('a report that was changed, or is none, is not taken', () => {
  const { signature, ...facts } = report;
  const better = facts.results.map((one) => ({ ...one, verdict: 'ok' as const }));
  const signed = (changed: object) => JSON.stringify(Object.assign({}, changed, { signature }));
  const wrong = {
    changed: signed({ ...facts, results: better }),
    unsigned: JSON.stringify(facts),
    empty: '',
    'no JSON': 'certified',
    null: 'null',
    'no results': JSON.stringify(reportOf(subject, [])),
    'another verdict': JSON.stringify(
      reportOf(subject, [{ ...results[0], verdict: 'great' } as never]),
    ),
    'a name that is markup': JSON.stringify(
      reportOf(subject, [{ ...results[0], name: '<b>' } as never]),
    ),
    'no key': JSON.stringify({ ...report, signature: { ...signature, publicKey: 'AAAA' } }),
    'another algorithm': JSON.stringify({
      ...report,
      signature: { ...signature, algorithm: 'RSA' },
    }),
    'a key of another kind': signedWith(facts, 'ed448'),
    'a key of an RSA pair': signedWith(facts, 'rsa'),
    long: JSON.stringify({ ...report, more: 'x'.repeat(REPORT_LENGTH_MAX) }),
  };
  for (const [name, text] of Object.entries(wrong)) {
    assert.equal(readCertifyReport(text), null, name);
  }
});

test('a report of all faults that failed is short enough', () => {
  const findings = Array.from({ length: 10 }, () => ({
    verdict: 'failed' as const,
    text: 'payment_intent.settled: the connection was refused; expected: 2xx',
  }));
  const all = Array.from({ length: 24 }, (_, at) => ({
    number: at + 1,
    name: 'too-many-requests' as const,
    verdict: 'failed' as const,
    findings,
  }));
  const text = JSON.stringify(reportOf(subject, all), null, 2);
  assert.notEqual(readCertifyReport(text), null, `${text.length}`);
});
