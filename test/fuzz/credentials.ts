// The credentials of a request: one that its operation accepts, one that it must refuse, or one
// that it accepts in some cases. Each kind is a row.
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { Client } from './fuzz-scene.js';
import { type Draft, setHeader } from './request-draft.js';

const KEY_HEADER = 'X-API-Key';
export const SESSION_HEADER = 'Authorization';

type Headers = readonly (readonly [name: string, value: string])[];
type Credentials = Readonly<
  Record<string, (client: Client, random: SeededRandom) => Promise<Headers> | Headers>
>;

/** Refused everywhere, by the security scheme that each imitates. */
const refused: Readonly<Record<string, Credentials>> = {
  ApiKey: {
    'no credential': () => [],
    'an empty key': () => [[KEY_HEADER, '']],
    'a malformed key': (_, random) => [
      [
        KEY_HEADER,
        random.pick(['none', 'pk_test_', 'pk_prod_a.b', 'pk_test_a', 'pk_test_.b', '\xff']),
      ],
    ],
    'a key with another secret': ({ key }) => [[KEY_HEADER, `${key.slice(0, -4)}AAAA`]],
    'a truncated key': ({ key }) => [[KEY_HEADER, key.slice(0, -1)]],
    'a key with the other mode': ({ key, tenant }) => [
      [KEY_HEADER, key.replace(tenant.mode, tenant.mode === 'test' ? 'live' : 'test')],
    ],
    'a key in upper case': ({ key }) => [[KEY_HEADER, key.toUpperCase()]],
    'a revoked key': ({ revokedKey }) => [[KEY_HEADER, revokedKey]],
    'a hostile key id': (_, random) => [
      [
        KEY_HEADER,
        `pk_test_${random.pick(['__proto__', "'or'1", '%00', 'a'.repeat(3_000)])}.secret`,
      ],
    ],
    'two keys': ({ key, revokedKey }) => [
      [KEY_HEADER, key],
      [KEY_HEADER, revokedKey],
    ],
    'a session as a key': async ({ session }) => [[KEY_HEADER, await session('owner')]],
  },
  Session: {
    'no credential': () => [],
    'a key as a session': ({ key }) => bearer(key),
    'an expired session': async ({ session }) => bearer(await session('expired')),
    'a session of a removed member': async ({ session }) => bearer(await session('removed')),
    'a session with another signature': async ({ session }) => {
      const [head, payload] = (await session('owner')).split('.');
      return bearer(`${head}.${payload}.${Buffer.alloc(64, 7).toString('base64url')}`);
    },
    'a session with other claims': async ({ session }) => {
      const [head, payload = '', signature] = (await session('viewer')).split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const forged = JSON.stringify({ ...claims, orgId: 'org_other', mode: 'live' });
      return bearer(`${head}.${Buffer.from(forged).toString('base64url')}.${signature}`);
    },
    'an unsigned session': async ({ session }) => {
      const [, payload] = (await session('owner')).split('.');
      const head = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
      return bearer(`${head}.${payload}.`);
    },
    'a malformed session': (_, random) => [
      [
        SESSION_HEADER,
        random.pick(['', 'Bearer', 'Bearer  ', 'Basic YTpi', 'Bearer a.b.c', 'Bearer \xff']),
      ],
    ],
  },
};

/** Accepted by some operations. */
const limited: Credentials = {
  'a key': ({ key }) => [[KEY_HEADER, key]],
  'a session': async ({ session }) => bearer(await session('owner')),
  'a session of a viewer': async ({ session }) => bearer(await session('viewer')),
  'a key and a session': async ({ key, session }) => [
    [KEY_HEADER, key],
    ...bearer(await session('owner')),
  ],
};

/** Created by an earlier request: their mode is not known here. */
const created: Credentials = {
  'a created key': ({ key, known }, random) => [
    [KEY_HEADER, known.pick(random, 'key', Number.POSITIVE_INFINITY) ?? key],
  ],
  'a created session': async ({ known, session }, random) =>
    bearer(known.pick(random, 'token', Number.POSITIVE_INFINITY) ?? (await session('owner'))),
};

const scoped: Credentials = {
  'a key with one scope': ({ scopedKeys }, random) => [[KEY_HEADER, random.pick(scopedKeys)]],
};

/** Adds a credential that the operation accepts. */
export async function signIn(draft: Draft, client: Client, random: SeededRandom): Promise<void> {
  const schemes = draft.operation.schemes.filter((scheme) => refused[scheme] !== undefined);
  if (schemes.length === 0) return;
  if (random.pick(schemes) === 'ApiKey') setHeader(draft, KEY_HEADER, client.key);
  else setHeader(draft, SESSION_HEADER, `Bearer ${await client.session('owner')}`);
}

/** Replaces the credential with one that is refused or limited. */
export async function signInOtherwise(
  draft: Draft,
  client: Client,
  random: SeededRandom,
): Promise<void> {
  const schemes = draft.operation.schemes.filter((scheme) => refused[scheme] !== undefined);
  const bad = refused[schemes.length === 0 ? 'ApiKey' : random.pick(schemes)] ?? {};
  const table = random.pick([bad, bad, bad, limited, created, scoped, scoped]);
  const name = random.pick(Object.keys(table));
  const headers = (await table[name]?.(client, random)) ?? [];
  setHeader(draft, KEY_HEADER, null);
  setHeader(draft, SESSION_HEADER, null);
  for (const [header, value] of headers) draft.headers.push([header, value]);
  // Other operations are public, or authenticate by a signature.
  if (table === bad && schemes.length > 0) draft.mustFail = name;
  if (table === created) draft.client = null;
  draft.notes.push(name);
}

function bearer(token: string): Headers {
  return [[SESSION_HEADER, `Bearer ${token}`]];
}
