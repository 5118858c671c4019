// What a receiver answered, in one line: its words wherever its program puts them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dashboardTexts } from '../../../../../adapters/pages/dashboard/dashboard-texts.js';
import {
  answerText,
  excerptOf,
} from '../../../../../adapters/pages/dashboard/developer/answer-text.js';
import { sendFailureOf, sendFailures } from '../../../../../core/domain/webhooks/send-failure.js';

test('the words of an answer are found in JSON, HTML and plain text', () => {
  const bodies: readonly (readonly [body: string, words: string])[] = [
    ['', ''],
    ['OK', 'OK'],
    ['{"error":"invalid_signature"}', 'invalid_signature'],
    ['{"error":{"code":"E1","message":"bad signature"}}', 'bad signature'],
    ['{"type":"about:blank","title":"Unauthorized","status":401}', 'Unauthorized'],
    ['"only text"', 'only text'],
    ['{"status":401}', ''],
    ['[1, 2]', ''],
    ['{"error":', '{"error":'],
    ['<html><head><title>502 Bad Gateway</title></head><body>…', '502 Bad Gateway'],
    ['<!doctype html>\n<h1 class="a">Not found</h1>', 'Not found'],
    ['<?xml version="1.0"?><fault/>', ''],
    ['\n  first line\nsecond', 'first line'],
    ['two\u0000 \u202Eparts', 'two parts'],
    [`x${'é'.repeat(200)}`, `x${'é'.repeat(78)}…`],
    [`x${'🌉'.repeat(200)}`, `x${'🌉'.repeat(78)}…`],
  ];
  for (const [body, words] of bodies) assert.equal(excerptOf(body), words, body);
});

test('each stored failure is said in the language of the reader, with its detail', () => {
  for (const [locale, texts] of Object.entries(dashboardTexts)) {
    for (const [failure, sentence] of Object.entries(sendFailures)) {
      const error = `${sentence} 10 s`;
      assert.equal(sendFailureOf(error)?.failure, failure);
      const said = answerText({ texts }, { responseStatus: null, error });
      assert.ok(said !== '' && (locale === 'en' || !said.includes(sentence)), said);
    }
    const unknown = answerText({ texts }, { responseStatus: null, error: 'of another version' });
    assert.equal(unknown, 'of another version');
    const body = '{"error":"invalid_signature"}';
    assert.equal(
      answerText({ texts }, { responseStatus: 401, error: 'the receiver answered 401', body }),
      '401 invalid_signature',
    );
  }
});
