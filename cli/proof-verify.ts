// `ponte proof`: checks of proofs. They need no database: anybody may have a pack.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { SECOND_MS } from '../core/domain/base/instant.js';
import type { PublicJwk } from '../core/domain/service/service-key.js';
import { invalid } from '../core/errors.js';
import { addCommand, type Outcome, type Shell } from './operator.js';
import { value } from './options.js';
import { fields } from './output.js';

const TIMEOUT_MS = 10 * SECOND_MS;

export function addProofCommands(shell: Shell, program: Command): void {
  const noun = program.command('proof').description('proofs of settled payments');
  addCommand(shell, noun, {
    name: 'verify <file>',
    authority: 'none',
    description: 'check each byte of a pack, its signatures, events and entries',
    options: {
      keys: value(
        '<file-or-url>',
        'the public keys of the service that made it; without them those in the pack count',
      ),
    },
    details: [
      'A pack has the keys of its signatures, so anybody could make one with other keys. Give',
      'https://<service>/.well-known/ponte-keys.json as --keys, or compare the key that is',
      'printed. test/examples/verify_proof.py does the same in Python.',
    ].join('\n'),
    run: async ({ keys }, [file = '']) => verify(file, keys),
  });
}

async function verify(file: string, keysAt: string | null): Promise<Outcome> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${file}: cannot be read (${error.code}).`);
  });
  const keys = keysAt === null ? null : await readKeys(keysAt);
  const { packCheck } = await import('../adapters/pages/proof/pack-check.js');
  const { verifyPack } = await packCheck();
  try {
    const { manifest, key, payments } = await verifyPack(bytes, keys);
    const { kind, subject, issuer, keys: published } = manifest;
    const shown = { genuine: true, kind, subject, issuer, payments, keyId: key.kid, key: key.x };
    const compare = keys === null ? `\nCompare the key with ${published}.` : '';
    return { json: shown, text: `${fields({ ...shown, genuine: 'yes' })}${compare}` };
  } catch (error) {
    const problem = error instanceof Error ? error.message : `${error}`;
    const json = { genuine: false, problem };
    return { json, text: fields({ genuine: 'no', problem }), exit: 'checkFailed' };
  }
}

async function readKeys(place: string): Promise<readonly PublicJwk[]> {
  try {
    const text = /^https?:\/\//.test(place)
      ? await (await fetch(place, { signal: AbortSignal.timeout(TIMEOUT_MS) })).text()
      : await readFile(place, 'utf8');
    const { keys } = JSON.parse(text) as { readonly keys: readonly PublicJwk[] };
    if (Array.isArray(keys)) return keys;
  } catch {
    // It says the same.
  }
  throw invalid(`--keys: ${place} has no public keys (JWKS).`);
}
