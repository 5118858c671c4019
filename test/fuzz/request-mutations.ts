// Mutations of a whole request: its method, path, query and headers, its body (body-mutations.ts)
// and its bytes on the wire (wire-faults.ts). Each row changes one thing. Credentials are in
// credentials.ts.
import type { SeededRandom } from '../simulation/seeded-random.js';
import { bodyMutations } from './body-mutations.js';
import { hostileTexts } from './hostile-texts.js';
import { type Draft, setHeader } from './request-draft.js';
import { unacceptableFaults, wireFaults } from './wire-faults.js';

export interface Mutation {
  /** Every draft unless given. */
  readonly applies?: (draft: Draft) => boolean;
  readonly change: (draft: Draft, random: SeededRandom) => void;
}

const hasId = ({ operation }: Draft) => operation.path.includes('{');
const hasQuery = ({ query }: Draft) => query.length > 0;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'LINK'];
const origins = ['https://app.example', 'https://evil.example', 'null', ''];

/** Path segments, as they are sent. */
const hostileIds = [
  '%00',
  'a%00b',
  '%',
  '%Z',
  '%ZZ',
  '%FF',
  '%C3',
  '%ED%A0%80',
  '%2F',
  '..%2f..%2fetc',
  '%252e',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  '0',
  '-1',
  '.',
  '..',
  '*',
  '~',
  'ext_',
  'ext_%00',
  'ext_%',
  'ext___proto__',
  'ext_%F0%9F%98%80',
  'pi_',
  'inv_',
  'acct_',
  ' ',
  'pi_00000000000000000000000000',
  'whs_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  "'%20or%201=1--",
  '{id}',
  `ext_${'a'.repeat(200)}`,
  `ext_${'%C3%A9'.repeat(201)}`,
  'a'.repeat(1_025),
  'a'.repeat(9_000),
  '\xff\xfe',
  'a\tb',
  'a\x7f',
  ';a=b',
  'a,b',
  'a:b',
  '@',
  '%20',
  '+',
  'a%0d%0aX:%20y',
  '',
];

const hostileQueries = [
  'limit=',
  'limit=0',
  'limit=101',
  'limit=1e1',
  'limit=%31',
  'limit=-1',
  'limit=1.5',
  'limit[]=1',
  'limit=99999999999999999999',
  'cursor=',
  'cursor=%00',
  'cursor=%ZZ',
  '=',
  'a',
  `cursor=${'a'.repeat(600)}`,
  'status=none',
  'role=',
  '__proto__=1',
  'constructor=1',
  'a=#b',
  'after=-1',
  'after=9007199254740992',
  'wait=31',
  'wait=-0',
  'unknown=1',
  'limits=1',
  '%00=1',
  'a%ZZ=%',
  '\xff=\xff',
  'signature=',
  'signature=%00',
  'a=?&&&==',
  'toString=1',
  'limit=1;a=2',
];

const hostileHeaders = [
  'Idempotency-Key: ',
  `Idempotency-Key: ${'a'.repeat(256)}`,
  'Idempotency-Key: cl\xe9',
  'Idempotency-Key: a\tb',
  'Idempotency-Key: a,b',
  'X-Request-Id: a b',
  'X-Request-Id: \xff',
  `X-Request-Id: ${'a'.repeat(129)}`,
  'X-HTTP-Method-Override: DELETE',
  'Range: bytes=0-1',
  'Expect: cats',
  'Expect: 100-continue',
  'Connection: close',
  'Connection: Upgrade',
  'TE: a',
  'Upgrade: websocket',
  'If-None-Match: *',
  'Accept: text/html',
  'Accept-Encoding: gzip',
  'Cookie: a=b; \xff',
  'X-Forwarded-For: 127.0.0.1',
  'X-Forwarded-Host: evil.example',
  'Host: ',
  'Host: a b',
  'Host: evil.example',
  'Content-Length: +1',
  'Transfer-Encoding: gzip',
  ...origins.map((origin) => `Origin: ${origin}`),
];

const mutations: Readonly<Record<string, Mutation>> = {
  'another method': {
    change: (draft, random) => {
      draft.method = random.pick(methods.filter((method) => method !== draft.method));
    },
  },
  'HEAD for GET': {
    applies: ({ method }) => method === 'GET',
    change: (draft) => {
      draft.method = 'HEAD';
    },
  },
  'a hostile id': {
    applies: hasId,
    change: (draft, random) => changeId(draft, random, () => random.pick(hostileIds)),
  },
  'an id changed a little': {
    applies: hasId,
    change: (draft, random) => {
      const changed = (id: string) => [
        id.toUpperCase(),
        id.slice(0, -1),
        `${id}0`,
        `${id}%20`,
        id.replace('_', '%5F'),
      ];
      changeId(draft, random, (id) => random.pick(changed(id)));
    },
  },
  'another path': {
    change: (draft, random) => {
      const { path } = draft;
      // It may be open to anybody.
      draft.mustFail = null;
      draft.path = random.pick([
        `${path}/`,
        `/${path}`,
        path.toUpperCase(),
        `${path}/extra`,
        path.replace('/v1', ''),
        `${path};a=b`,
        `http://evil.example${path}`,
        '*',
        '/',
        '',
        `${path}#a`,
        path.slice(1),
        path.replace('/v1', '/v2'),
        path.replace('/v1', '/v1/.'),
        `/${'a/'.repeat(2_000)}`,
        path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      ]);
    },
  },
  'a hostile query': {
    change: (draft, random) => {
      const count = Number(random.weighted({ 1: 6, 2: 2, 500: 1 }));
      for (let left = count; left > 0; left -= 1) {
        const [name = '', ...value] = random.pick(hostileQueries).split('=');
        draft.query.push([name, value.join('=')]);
      }
    },
  },
  'a query parameter twice': {
    applies: hasQuery,
    change: (draft, random) => {
      draft.query.push(random.pick(draft.query));
    },
  },
  'hostile text in the query': {
    applies: hasQuery,
    change: (draft, random) => {
      const at = random.between(0, draft.query.length - 1);
      const text = encodeURIComponent(random.pick(hostileTexts).toWellFormed());
      draft.query = draft.query.with(at, [draft.query[at]?.[0] ?? '', text]);
    },
  },
  'a hostile header': {
    change: (draft, random) => {
      const [name = '', ...value] = random.pick(hostileHeaders).split(': ');
      if (random.chance(0.7)) setHeader(draft, name, value.join(': '));
      else draft.headers.push([name, value.join(': ')]);
    },
  },
  'a header twice': {
    change: (draft, random) => {
      const [name, value] = random.pick(draft.headers);
      draft.headers.push([name, random.pick([value, 'other', ''])]);
    },
  },
  'a preflight': {
    change: (draft, random) => {
      draft.method = 'OPTIONS';
      draft.headers.push(
        ['Origin', random.pick(origins)],
        ['Access-Control-Request-Method', 'PUT'],
      );
    },
  },
  'a fault on the wire': {
    applies: ({ rewrite }) => rewrite === null,
    change: (draft, random) => {
      const name = random.pick(Object.keys(wireFaults));
      draft.notes.push(name);
      if (unacceptableFaults.has(name)) draft.mustFail = name;
      draft.rewrite = (request) => wireFaults[name]?.(request, random) ?? request;
    },
  },
  ...bodyMutations,
};

/** Changes one thing of the draft. */
export function mutate(draft: Draft, random: SeededRandom): void {
  const names = Object.keys(mutations).filter((name) => mutations[name]?.applies?.(draft) ?? true);
  const name = random.pick(names);
  draft.notes.push(name);
  mutations[name]?.change(draft, random);
}

function changeId(draft: Draft, random: SeededRandom, change: (id: string) => string): void {
  const isId = draft.operation.path.split('/').map((segment) => segment.startsWith('{'));
  const at = random.pick([isId.indexOf(true), isId.lastIndexOf(true)]);
  const segments = draft.path.split('/');
  draft.path = segments.map((id, index) => (index === at ? change(id) : id)).join('/');
}
