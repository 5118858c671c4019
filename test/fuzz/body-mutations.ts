// Mutations of a whole body: another content type or encoding, broken JSON, too deep, too wide, too
// large. Single values inside a body are in near-misses.ts.
import { gzipSync } from 'node:zlib';
import { bodyBytes, type Draft, setHeader } from './request-draft.js';
import type { Mutation } from './request-mutations.js';

const hasBody = ({ body }: Draft) => body !== undefined;
const takesJson = ({ operation }: Draft) => (operation.body?.schema ?? null) !== null;

/** More than the 256 KiB that are read. */
const LARGE_BYTES = 300 * 1024;
const WIDE_COUNT = 5_000;

const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=a',
  '',
  'application/jsonx',
  'application/json; charset=utf-16',
  'application/json;charset="utf-8"',
  'APPLICATION/JSON',
  'application/json ;',
  'text/json, application/json',
  'a'.repeat(200),
];

const notObjects = [
  '',
  ' ',
  'null',
  'true',
  '1',
  '""',
  '[]',
  '[{}]',
  '{',
  '{}}',
  '{"a":}',
  "{'a':1}",
  '{"a":1,}',
  '{a:1}',
  '\ufeff{}',
  '{}{}',
  '{"a":1e}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
  '{"\\ud83d":1}',
  '{"__proto__":1}',
  '{"constructor":{"prototype":{"a":1}}}',
  '// a\n{}',
  '{"a":NaN}',
  '{\0}',
];

export const bodyMutations: Readonly<Record<string, Mutation>> = {
  'another content type': {
    applies: hasBody,
    change: (draft, random) => {
      setHeader(draft, 'Content-Type', random.pick([null, ...contentTypes]));
    },
  },
  'another JSON text': {
    applies: takesJson,
    change: (draft, random) => {
      draft.body = Buffer.from(random.pick(notObjects));
    },
  },
  'broken JSON': {
    applies: hasBody,
    change: (draft, random) => {
      const bytes = bodyBytes(draft);
      const at = random.between(0, bytes.length);
      const texts = ['', '"', '\\', ',', '}', '\0', '\xff\xfe', '\xed\xa0\x80', '\\u'];
      const inserted = Buffer.from(random.pick(texts), 'latin1');
      const rest = random.chance(0.3) ? Buffer.alloc(0) : bytes.subarray(at);
      draft.body = Buffer.concat([bytes.subarray(0, at), inserted, rest]);
    },
  },
  'deep JSON': {
    applies: takesJson,
    change: (draft, random) => {
      const depth = random.pick([100, 5_000, 40_000]);
      const [open, close] = random.chance(0.5) ? ['[', ']'] : ['{"a":', '}'];
      const core = random.pick(['1', '"\\u0041"', '"\\u0000"']);
      const name = random.pick(['metadata', 'display', 'a', 'owners', 'buyer']);
      addProperty(draft, name, `${open.repeat(depth)}${core}${close.repeat(depth)}`);
    },
  },
  'wide JSON': {
    applies: takesJson,
    change: (draft, random) => {
      const many = Array.from({ length: WIDE_COUNT }, (_, index) => `"k${index}":${index}`);
      addProperty(draft, random.pick(['metadata', 'display', 'a']), `{${many.join(',')}}`);
    },
  },
  'a property twice': {
    applies: takesJson,
    change: (draft, random) => {
      const names = [
        ...bodyBytes(draft)
          .toString()
          .matchAll(/"(\w+)":/g),
      ];
      const name = names.length === 0 ? 'a' : (random.pick(names)[1] ?? 'a');
      addProperty(draft, name, random.pick(['1', '"a"', 'null', '{}']));
    },
  },
  'a large body': {
    applies: hasBody,
    change: (draft, random) => {
      const filling = random.chance(0.5) ? ' '.repeat(LARGE_BYTES) : `"${'a'.repeat(LARGE_BYTES)}"`;
      draft.body = Buffer.concat([bodyBytes(draft), Buffer.from(filling)]);
      draft.framing = random.pick(['length', 'chunked']);
    },
  },
  'an unexpected body': {
    applies: (draft) => !hasBody(draft),
    change: (draft, random) => {
      draft.body = random.pick([{}, { a: 1 }, Buffer.from('{'), Buffer.alloc(LARGE_BYTES)]);
    },
  },
  'a compressed body': {
    applies: hasBody,
    change: (draft) => {
      draft.body = gzipSync(bodyBytes(draft));
      setHeader(draft, 'Content-Encoding', 'gzip');
    },
  },
};

/** As the first property of the object; another one of this name stays behind it. */
function addProperty(draft: Draft, name: string, json: string): void {
  const text = bodyBytes(draft).toString();
  draft.body = Buffer.from(text.replace(/\{/, () => `{"${name}":${json},`).replace(/,\}$/, '}'));
}
