import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  hasUnstorableText,
  isSameJson,
  namesWithin,
  RawJson,
  repeatedName,
  sliceItems,
  sliceTopLevel,
  writeJson,
} from '../../../../core/domain/base/raw-json.js';
import { AssertionFailure } from '../../../../core/errors.js';
import { lawRuns } from '../../../support/law-runs.js';

// No key holds a backslash: after parsing such a key, V8's JSON.parse may misread escaped keys of
// later objects of the same shape (nodejs/node issue 63785), and a law that compares with it fails.
const key = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\\', '/'));
const anyJson = fc.anything({
  key,
  values: [
    fc.string({ unit: 'grapheme' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  ],
});
const anyObject = fc.dictionary(key, anyJson, { maxKeys: 8 });
const indent = fc.constantFrom(undefined, 1, '\t', '\r\n');

function slice(text: string, name: string): string | undefined {
  return sliceTopLevel(text, [name]).get(name);
}

const slices: readonly (readonly [text: string, name: string, expected: string | undefined])[] = [
  ['{}', 'a', undefined],
  [' \r\n\t{ } ', 'a', undefined],
  ['{"a":1}', 'a', '1'],
  ['{"a":1}', 'b', undefined],
  ['{ "b" : 1 , "a" : -1.5e+10 }', 'a', '-1.5e+10'],
  ['{"a":{"2":0,"1":0}}', 'a', '{"2":0,"1":0}'],
  ['{"a":{ "n" : 12345678901234567890.10 } }', 'a', '{ "n" : 12345678901234567890.10 }'],
  ['{"a":"}","b":["{",{"a":"]"}],"c":null}', 'b', '["{",{"a":"]"}]'],
  ['{"a":"}","b":["{",{"a":"]"}],"c":null}', 'c', 'null'],
  ['{"b":{"a":1}}', 'a', undefined],
  ['{"b":"a","a":true}', 'a', 'true'],
  ['{"b":"\\"a\\":1,","a":false}', 'a', 'false'],
  ['{"a":"\\\\"}', 'a', '"\\\\"'],
  ['{"a":"\\\\\\"x"}', 'a', '"\\\\\\"x"'],
  ['{"a":1,"a":2}', 'a', '2'],
  ['{"\\u0061":1}', 'a', '1'],
  ['{"a":1,"\\u0061":{"x":[]}}', 'a', '{"x":[]}'],
  ['{"":[]}', '', '[]'],
  ['{"__proto__":{"x":1}}', '__proto__', '{"x":1}'],
];

test('a top-level property is cut out as it was written; the last of its name counts', () => {
  for (const [text, name, expected] of slices) assert.equal(slice(text, name), expected, text);
});

test('several properties are cut out in one pass', () => {
  const cut = sliceTopLevel('{"metadata":{"b":1,"a":2},"x":0,"display":null}', [
    'metadata',
    'display',
    'absent',
  ]);
  assert.deepEqual(
    [...cut],
    [
      ['metadata', '{"b":1,"a":2}'],
      ['display', 'null'],
    ],
  );
});

const noLimits = { depthMax: 1_000, valuesMax: 1e9 };
const repeatedIn = (text: string) =>
  repeatedName(text, JSON.parse(text), namesWithin(text, noLimits) ?? -1);

test('law: a value that JSON.stringify wrote repeats no name, at any depth', () => {
  fc.assert(
    fc.property(anyObject, indent, (object, space) => {
      assert.equal(repeatedIn(JSON.stringify({ o: [object] }, null, space)), null);
    }),
    { numRuns: lawRuns(500) },
  );
});

test('law: a name that is written again in its object is found by its path', () => {
  fc.assert(
    fc.property(
      anyObject,
      key,
      anyJson,
      indent,
      fc.boolean(),
      (object, name, again, space, isIn) => {
        const members = { ...object, [name]: 1 };
        const text = JSON.stringify(members, null, space);
        const member = `${JSON.stringify(name)}:${JSON.stringify(again)}`;
        const twice = `${text.slice(0, text.lastIndexOf('}'))},${member}}`;
        assert.equal(repeatedIn(isIn ? `{"a":[0,${twice}]}` : twice), isIn ? `a[1].${name}` : name);
      },
    ),
    { numRuns: lawRuns(500) },
  );
});

test('only an object has properties to cut out', () => {
  for (const text of ['[]', '1', '"a"', 'null']) {
    assert.throws(() => slice(text, 'a'), AssertionFailure);
  }
});

test('law: what is cut out of any object means what JSON.parse reads there', () => {
  fc.assert(
    fc.property(anyObject, indent, (object, space) => {
      const text = JSON.stringify(object, null, space);
      const names = Object.keys(object);
      const cut = sliceTopLevel(text, names);
      const parsed = JSON.parse(text) as Record<string, unknown>;
      assert.equal(cut.size, names.length);
      for (const [name, raw] of cut) {
        assert.deepEqual(JSON.parse(raw), parsed[name]);
        assert.equal(raw, raw.trim());
      }
    }),
    { numRuns: lawRuns(500) },
  );
});

test('law: of a name given twice the last one counts, escaped or not', () => {
  const escaped = (name: string) =>
    [...Array(name.length).keys()]
      .map((at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
  const entry = fc.record({
    name: fc.constantFrom('a', 'b', 'é', '"', '\n', '😀'),
    value: anyJson,
    inEscapes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
      const members = entries.map(({ name, value, inEscapes }) => {
        const quoted = inEscapes ? `"${escaped(name)}"` : JSON.stringify(name);
        return `${quoted}:${JSON.stringify(value)}`;
      });
      const text = `{${members.join(',')}}`;
      const parsed = JSON.parse(text) as Record<string, unknown>;
      const cut = sliceTopLevel(text, Object.keys(parsed));
      assert.equal(cut.size, Object.keys(parsed).length);
      for (const [name, raw] of cut) assert.deepEqual(JSON.parse(raw), parsed[name]);
    }),
  );
});

test('a body as large and as deep as is accepted is cut without a deep stack', () => {
  const deep = `${'['.repeat(120_000)}${']'.repeat(120_000)}`;
  assert.equal(slice(`{"x":${deep},"metadata":${deep}}`, 'metadata'), deep);
});

test('law: without raw parts it writes what JSON.stringify writes', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      assert.equal(writeJson(value), JSON.stringify(value));
    }),
  );
});

test('undefined properties are dropped; undefined items and NaN become null', () => {
  const value = { a: undefined, b: [undefined, 1], c: Number.NaN, d: { e: undefined } };
  assert.equal(writeJson(value), JSON.stringify(value));
  assert.equal(writeJson({ a: undefined, b: 1 }), '{"b":1}');
});

test('a raw part is put out as it is, key order and digits included', () => {
  const raw = new RawJson('{"2":1.10,"1":12345678901234567890}');
  assert.equal(
    writeJson({ z: raw, list: [raw, null], a: 'x' }),
    `{"z":${raw.text},"list":[${raw.text},null],"a":"x"}`,
  );
  assert.equal(writeJson(raw), raw.text);
});

test('a text that looks like the place of a raw part is put out as it is', () => {
  const raw = new RawJson('{"b":1.0}');
  const value = { a: '\0', raw, list: ['\0', raw], c: '"\0"' };
  const spelled = '"\\u0000"';
  const parts = [`"a":${spelled}`, `"raw":${raw.text}`, `"list":[${spelled},${raw.text}]`];
  const text = `{${parts.join(',')},"c":"\\"\\u0000\\""}`;
  assert.equal(writeJson(value), text);
});

test('law: what is cut out and written again comes back letter for letter', () => {
  fc.assert(
    fc.property(anyObject, indent, (metadata, space) => {
      const raw = JSON.stringify(metadata, null, space);
      const body = writeJson({ amount: '10.00', metadata: new RawJson(raw) });
      assert.equal(slice(body, 'metadata'), raw);
    }),
  );
});

test('JSON.stringify of a raw part keeps its meaning', () => {
  assert.equal(JSON.stringify({ a: new RawJson('{"b":1}') }), '{"a":{"b":1}}');
});

test('what is no JSON is a programmer error', () => {
  for (const value of [1n, { a: 1n }, () => 1, Symbol('x'), undefined]) {
    assert.throws(() => writeJson(value), AssertionFailure);
  }
});

const unstorable: readonly (readonly [text: string, expected: boolean])[] = [
  ['{"a":"fine ✓ 😀"}', false],
  ['{"a":"\\ud83d\\ude00"}', false],
  ['{"a":"\\\\u0000"}', false],
  ['{"a":"\\u0001"}', false],
  ['{"a":"\\u0000"}', true],
  ['{"a":"\\ud83d"}', true],
  ['{"a":"\\ude00\\ud83d"}', true],
  ['{"a\\u0000":1}', true],
  ['{"a":[{"b":[1,null,{"\\udfff":true}]}]}', true],
  ['{"a":[{"b":[1,null,"x\\u0000"]}]}', true],
  ['"\\u0000"', true],
  ['[]', false],
  ['null', false],
  ['1', false],
];

test('NUL and lone surrogates are found in any string and key, however deep', () => {
  for (const [text, expected] of unstorable) {
    assert.equal(hasUnstorableText(JSON.parse(text)), expected, text);
  }
  const deep = `${'['.repeat(120_000)}"\\u0000"${']'.repeat(120_000)}`;
  assert.equal(hasUnstorableText(JSON.parse(deep)), true);
});

test('law: a text without a unicode escape has nothing unstorable in it', () => {
  fc.assert(
    fc.property(anyObject, (value) => {
      const text = JSON.stringify(value);
      if (!text.includes('\\u')) assert.equal(hasUnstorableText(JSON.parse(text)), false);
    }),
  );
});

test('law: the items of an array are cut out as they stand', () => {
  fc.assert(
    fc.property(fc.array(anyJson), indent, (items, space) => {
      const cut = sliceItems(JSON.stringify(items, null, space));
      assert.deepEqual(
        cut.map((raw) => JSON.parse(raw)),
        JSON.parse(JSON.stringify(items)),
      );
      assert.ok(cut.every((raw) => raw === raw.trim()));
    }),
  );
  assert.deepEqual(sliceItems(' [ 1e2 , "a,]" ,{"b":[ 1.0 ]} ] '), [
    '1e2',
    '"a,]"',
    '{"b":[ 1.0 ]}',
  ]);
});

const spellings: readonly (readonly [left: string, right: string, same: boolean])[] = [
  ['{}', ' { } ', true],
  ['{"a":1,"b":[1,{"c":null}]}', '{"b":[1.0,{"c":null}],\n"a":1e0}', true],
  ['{"\\u0061":"\\u0062"}', '{"a":"b"}', true],
  ['{"__proto__":1}', '{"__proto__":1}', true],
  ['{"__proto__":1}', '{"__proto__":2}', false],
  ['{"__proto__":1}', '{"toString":1}', false],
  ['[1,2]', '[2,1]', false],
  ['[1]', '[1,1]', false],
  ['[]', '{}', false],
  ['["a"]', '{"0":"a"}', false],
  ['{"a":1}', '{"a":1,"b":1}', false],
  ['{"a":null}', '{"b":null}', false],
  ['{"a":null}', '{"a":{}}', false],
  ['{"a":0}', '{"a":"0"}', false],
];

test('texts are the same JSON with any blanks, order and escapes, at any depth', () => {
  for (const [left, right, same] of spellings) {
    assert.equal(isSameJson(left, right), same, `${left} ${right}`);
    assert.equal(isSameJson(right, left), same, `${right} ${left}`);
  }
  const nested = (core: string) => `${'[{"a":'.repeat(20_000)}${core}${'}]'.repeat(20_000)}`;
  assert.equal(isSameJson(nested('1'), nested(' 1')), true);
  assert.equal(isSameJson(nested('1'), nested('2')), false);
});

test('law: what is written otherwise is the same JSON', () => {
  fc.assert(
    fc.property(anyJson, indent, (value, space) => {
      const text = JSON.stringify(value);
      assert.equal(isSameJson(text, JSON.stringify(JSON.parse(text), null, space)), true);
    }),
  );
});
