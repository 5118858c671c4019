import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indentedJson } from '../../../../../adapters/pages/dashboard/developer/indented-json.js';

test('JSON is indented and stays the same text otherwise: numbers keep their digits', () => {
  for (const [text, shown] of [
    ['{}', '{}'],
    ['[ ]', '[ ]'],
    ['{"a":1.50}', '{\n  "a": 1.50\n}'],
    ['{"a":12345678901234567890,"b":[1,{"c":null}]}', expected],
    ['{"text":"{a: \\"b\\", [c]}"}', '{\n  "text": "{a: \\"b\\", [c]}"\n}'],
    ['{ "a" : true }', '{\n  "a": true\n}'],
  ] as const) {
    assert.equal(indentedJson(text), shown);
  }
});

const expected = `{
  "a": 12345678901234567890,
  "b": [
    1,
    {
      "c": null
    }
  ]
}`;
