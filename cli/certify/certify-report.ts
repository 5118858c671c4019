// The report of `ponte certify`, as signed JSON and as a page. The key of the signature lives for
// one run: it shows that a file was not changed, not who made it.
import { generateKeyPairSync, sign } from 'node:crypto';
import { productVersion } from '../../host/product-version.js';
import type { FaultResult } from './certify.js';
import { faults } from './certify-faults.js';
import type { Verdict } from './stage.js';

interface Facts {
  readonly ponte: string;
  readonly at: string;
  readonly receiver: string;
  readonly probe: string | null;
  readonly seed: string;
  readonly summary: { readonly ok: number; readonly failed: number; readonly notSeen: number };
  readonly results: readonly FaultResult[];
}

export interface CertifyReport extends Facts {
  /** It signs the JSON of the other fields, without blanks, in their order. */
  readonly signature: {
    readonly algorithm: 'Ed25519';
    /** SPKI in Base64. */
    readonly publicKey: string;
    readonly value: string;
  };
}

export function reportOf(
  { receiver, probe, seed }: Pick<Facts, 'receiver' | 'probe' | 'seed'>,
  results: readonly FaultResult[],
): CertifyReport {
  const count = (verdict: Verdict) => results.filter((one) => one.verdict === verdict).length;
  const summary = { ok: count('ok'), failed: count('failed'), notSeen: count('not seen') };
  const at = new Date().toISOString();
  const facts = { ponte: productVersion, at, receiver, probe, seed, summary, results };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const value = sign(null, Buffer.from(JSON.stringify(facts)), privateKey).toString('base64');
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return { ...facts, signature: { algorithm: 'Ed25519', publicKey: spki, value } };
}

/** One file, readable without the service. */
export function reportPage({ ponte, at, receiver, seed, summary, results }: CertifyReport): string {
  const { ok, failed, notSeen } = summary;
  const rows = results.map(({ number, name, verdict, findings }) => {
    const { played, expected } = faults[name];
    const list = findings.map((one) => `<li>${escaped(one.text)}</li>`).join('');
    return [
      `<tr class="${verdict.replace(' ', '-')}"><td>${number}</td>`,
      `<td><b>${name}</b><br>${escaped(played)}<br><i>${escaped(expected)}</i></td>`,
      `<td>${verdict}</td><td><ul>${list}</ul></td></tr>`,
    ].join('');
  });
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>ponte certify</title>',
    `<meta name="viewport" content="width=device-width"><style>${style}</style>`,
    `<h1>${ok} ok, ${failed} failed, ${notSeen} not seen</h1>`,
    `<p>${escaped(receiver)}, ${at}, seed ${escaped(seed)}, Ponte ${ponte}</p><table>`,
    '<tr><th>No</th><th>Fault, and what is expected</th><th>Result</th><th>Seen</th></tr>',
    ...rows,
    '</table></html>\n',
  ].join('\n');
}

const style = [
  'body{font:16px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}',
  'table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;',
  'padding:.5rem;border-bottom:1px solid #ccc}ul{margin:0;padding-left:1rem}',
  'i{color:#555}tr.ok td:nth-child(3){color:#176b2c}tr.failed td:nth-child(3){color:#a11;',
  'font-weight:700}tr.not-seen td:nth-child(3){color:#7a5200}',
].join('');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
