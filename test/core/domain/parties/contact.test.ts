// What an organization shows its buyers: which texts are taken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPhone, readWebsite } from '../../../../core/domain/parties/contact.js';

test('a phone number has at least five digits, and only what numbers are written with', () => {
  for (const phone of ['12345', '+55 11 5555-0100', '(11) 5555.0100', '11/5555-0100']) {
    assert.equal(readPhone(` ${phone} `), phone);
  }
  assert.equal(readPhone('（０２）１２３４－５６７８'), '(02)1234-5678');
  assert.equal(readPhone('\u202a+971\u00a04\u2013123 4567\u202c'), '+971 4-123 4567');
  for (const wrong of [
    '',
    '+',
    '1234',
    '1 2 3 4',
    '12345a',
    '+1+23456',
    '1'.repeat(41),
    '12345\n6',
  ]) {
    assert.equal(readPhone(wrong), null, wrong);
  }
});

test('a website is an http or https URL without a password, normalized', () => {
  assert.equal(readWebsite(' HTTPS://Acme.example '), 'https://acme.example/');
  assert.equal(readWebsite('http://ação.example/é'), 'http://xn--ao-siap.example/%C3%A9');
  for (const wrong of [
    '',
    'acme.example',
    'ftp://acme.example',
    'https://',
    'https:///a',
    'javascript:alert(1)',
    'https://a@acme.example',
    'https://acme.example:443@evil.example',
    'https://a b.example',
    `https://acme.example/${'a'.repeat(200)}`,
  ]) {
    assert.equal(readWebsite(wrong), null, wrong);
  }
});
