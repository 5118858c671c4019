import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isPixKey,
  type PixKeyKind,
  type PixKeyProblem,
  readPixKey,
  shownPixKey,
  withoutPixKey,
} from '../../../../core/domain/parties/pix-key.js';
import { anyText } from '../../../support/samples/any-text.js';

type Forms = readonly (readonly [text: string, key: string])[];

// The forms of the directory: bacen/pix-api#53, DICT API (CPF and CNPJ without punctuation, E.164,
// e-mail of at most 77 characters and UUID without regard to case).
const forms: Readonly<Record<PixKeyKind, Forms>> = {
  cpf: [
    ['52998224725', '52998224725'],
    ['529.982.247-25', '52998224725'],
    ['529 982 247 25', '52998224725'],
    [' 529.982.247\u201325 ', '52998224725'],
    ['529982247-25', '52998224725'],
    ['001.234.567-97', '00123456797'],
    ['00123456797', '00123456797'],
    ['٥٢٩٩٨٢٢٤٧٢٥', '52998224725'],
    ['５２９．９８２．２４７－２５', '52998224725'],
    ['\u2066529.982.247-25\u2069', '52998224725'],
    ['119.876.500-34', '11987650034'],
  ],
  cnpj: [
    ['11222333000181', '11222333000181'],
    ['11.222.333/0001-81', '11222333000181'],
    ['11 222 333 0001 81', '11222333000181'],
    ['12ABC34501DE35', '12ABC34501DE35'],
    ['12.abc.345/01de-35', '12ABC34501DE35'],
    ['00.000.000/0001-91', '00000000000191'],
    ['00000000000191', '00000000000191'],
    ['11.222.333/0001\u221281', '11222333000181'],
    ['１１２２２３３３０００１８１', '11222333000181'],
    ['\ufeff11.222.333/0001-81\r\n', '11222333000181'],
  ],
  phone: [
    ['+5511987654321', '+5511987654321'],
    ['+55 11 98765-4321', '+5511987654321'],
    ['+55-11-98765-4321', '+5511987654321'],
    ['+55 (11) 9 8765-4321', '+5511987654321'],
    ['+55 (0)11 98765 4321', '+5511987654321'],
    ['(11) 9 8765-4321', '+5511987654321'],
    ['(11)987654321', '+5511987654321'],
    ['11 98765-4321', '+5511987654321'],
    ['11.98765.4321', '+5511987654321'],
    ['11987654321', '+5511987654321'],
    ['011 98765-4321', '+5511987654321'],
    ['011987654321', '+5511987654321'],
    ['0055 11 98765-4321', '+5511987654321'],
    ['005511987654321', '+5511987654321'],
    ['5511987654321', '+5511987654321'],
    // A plus sign that a form has turned into a blank.
    [' 5571992555724', '+5571992555724'],
    ['55 98765-4321', '+5555987654321'],
    ['（１１）９８７６５－４３２１', '+5511987654321'],
    ['(11) 3333-4444', '+551133334444'],
    ['11 98765-0034', '+5511987650034'],
  ],
  email: [
    ['ana@example.com', 'ana@example.com'],
    ['Fulano.Da_Silva@Example.COM', 'fulano.da_silva@example.com'],
    [' ana@example.com\n', 'ana@example.com'],
    ['r&d@loja.com.br', 'r&d@loja.com.br'],
    ['ana+pix@loja.com.br', 'ana+pix@loja.com.br'],
    ['ana@loja.com.br', 'ana@loja.com.br'],
    ['ANA@AÇAÍ.com.br', 'ana@xn--aa-4iaz.com.br'],
    ["o'brien@loja.com.br", "o'brien@loja.com.br"],
    ['52998224725@loja.com.br', '52998224725@loja.com.br'],
    [`${'a'.repeat(64)}@${'b'.repeat(8)}.com`, `${'a'.repeat(64)}@${'b'.repeat(8)}.com`],
  ],
  random: [
    ['123e4567-e89b-12d3-a456-426655440000', '123e4567-e89b-12d3-a456-426655440000'],
    ['123E4567-E89B-12D3-A456-426655440000', '123e4567-e89b-12d3-a456-426655440000'],
    ['123e4567e89b12d3a456426655440000', '123e4567-e89b-12d3-a456-426655440000'],
    ['123e4567–e89b–12d3–a456–426655440000', '123e4567-e89b-12d3-a456-426655440000'],
    ['\u200b123e4567-e89b-12d3-a456-426655440000', '123e4567-e89b-12d3-a456-426655440000'],
    [' 71fd22b5-a8d9-4b43-9e09-6b8fa8a04b1c\t', '71fd22b5-a8d9-4b43-9e09-6b8fa8a04b1c'],
    ['71FD22B5A8D94B439E096B8FA8A04B1C', '71fd22b5-a8d9-4b43-9e09-6b8fa8a04b1c'],
    ['00000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000000'],
    ['12345678-1234-4234-8234-123456789012', '12345678-1234-4234-8234-123456789012'],
    ['１23e4567-e89b-12d3-a456-426655440000', '123e4567-e89b-12d3-a456-426655440000'],
  ],
};

test('a PIX key is read in each form in which people write it, into that of the directory', () => {
  for (const [kind, ofKind] of Object.entries(forms)) {
    for (const [given, text] of ofKind) {
      assert.deepEqual(readPixKey(given, null), { kind, text }, given);
      assert.deepEqual(readPixKey(given, kind as PixKeyKind), { kind, text }, given);
      assert.deepEqual(readPixKey(text, kind as PixKeyKind), { kind, text }, text);
      assert.ok(isPixKey(given, text), given);
      assert.ok(!isPixKey(given, `${text}0`), given);
    }
  }
});

const brCodeEnd = '5204000053039865406100.005802BR5907IDEVWEB6008BRASILIA63044F55';

const refused: Readonly<Record<PixKeyProblem, readonly string[]>> = {
  // 11 digits with the check digits of a CPF and the area code and 9 of a phone number, and numbers
  // that lost the zeros of a CPF or a CNPJ in a spreadsheet (renatofrota/pix-pendencias#24).
  unclear: ['11900000083', '11987650034', ' 11987650115 ', '1133330053', '191', '123456797'],
  check_digits: [
    '529.982.247-24',
    '52998224724',
    '11.222.333/0001-82',
    '11222333000182',
    '12.ABC.345/01DE-36',
    '111.111.111-11',
    '00000000000',
    '119.876.543-21',
    'abc11987654321',
  ],
  br_code: [
    // From public reports: whole, in capitals, cut behind an address, and without its beginning.
    `00020126520014BR.GOV.BCB.PIX0119ivan@idevweb.com.br0207IDEVWEB${brCodeEnd}`,
    `00020126630014BR.GOV.BCB.PIX0122VENDAS@ENDOPLUS.ODO.BR0215PEDIDO${brCodeEnd}`,
    '00020126520014BR.GOV.BCB.PIX0119ivan@idevweb.com.br',
    '26520014br.gov.bcb.pix0119nubank@thalesog.com',
    '00020101021126580014br.gov.bcb.pix0136123e4567-e12b-12d3-a456-426655440000',
    '00020126360014BR.GOV.BCB.PIX0114+5511987654321',
    ' 0002010102122652',
  ],
  not_a_key: [
    '',
    ' ',
    'ana',
    'ana@localhost',
    'ana\u200b@example.com',
    'Ana <ana@example.com>',
    'josé@loja.com.br',
    `${'a'.repeat(64)}@${'b'.repeat(9)}.com`,
    // No such area code, eight digits of a mobile number of before 2016, another country.
    '+5520987654321',
    '+55 11 8765-4321',
    '(11) 8765-4321',
    '+1 415 555 2671',
    '+5511',
    '987654321',
    'tel:+5511987654321',
    '+55 11 98765-4321 (Ana)',
    '123e4567-e89b-12d3-a456-42665544000',
    '{123e4567-e89b-12d3-a456-426655440000}',
  ],
};

test('what is no key, or not surely one, is refused with its reason', () => {
  for (const [problem, texts] of Object.entries(refused)) {
    for (const text of texts) assert.equal(readPixKey(text, null), problem, JSON.stringify(text));
  }
});

test('of a number that can be of two kinds the kind decides, and never against its writing', () => {
  const asCpf = { kind: 'cpf', text: '11987650034' };
  const asPhone = { kind: 'phone', text: '+5511987650034' };
  assert.deepEqual(readPixKey('11987650034', 'cpf'), asCpf);
  assert.deepEqual(readPixKey('11987650034', 'phone'), asPhone);
  assert.deepEqual(readPixKey('1133330053', 'phone'), { kind: 'phone', text: '+551133330053' });
  assert.equal(readPixKey('1133330053', 'cpf'), 'check_digits');
  assert.equal(readPixKey('119.876.500-34', 'phone'), 'check_digits');
  assert.equal(readPixKey('(11) 98765-0034', 'cpf'), 'check_digits');
  assert.equal(readPixKey('11987650034', 'email'), 'not_a_key');
});

test('of every form enough is shown to compare it, and no check digit of a CPF or CNPJ', () => {
  for (const [kind, ofKind] of Object.entries(forms)) {
    for (const [given] of ofKind) {
      const key = readPixKey(given, null);
      assert.ok(typeof key !== 'string');
      const shown = shownPixKey(key);
      assert.notEqual(shown, key.text);
      if (kind !== 'cpf' && kind !== 'cnpj') continue;
      const at = key.text.length;
      assert.equal(shown, `${key.text.slice(0, 3)}…${key.text.slice(at - 4, at - 2)}…`, given);
    }
  }
});

test('a message is shown without the key, however it writes it', () => {
  for (const ofKind of Object.values(forms)) {
    for (const [given, text] of ofKind) {
      const key = readPixKey(given, null);
      assert.ok(typeof key !== 'string');
      const ascii = given.normalize('NFKC').trim();
      for (const quoted of [
        text,
        text.toUpperCase(),
        /^[\x20-\x7e]+$/.test(ascii) ? ascii : text,
      ]) {
        const hidden = withoutPixKey(`key ${quoted} is not known`, key);
        assert.match(hidden, /^key .*… is not known$/, quoted);
        assert.ok(!/[0-9]{5}/.test(hidden.replace(/\W/g, '')), hidden);
      }
    }
  }
});

test('a text is read as one key at most, and its canonical form is that key again', () => {
  const texts = fc.oneof(
    anyText,
    fc.stringMatching(/^[+(]?[0-9 .()/-]{8,20}$/),
    fc.stringMatching(/^[0-9A-Za-z]{14}$/),
    fc.emailAddress(),
    fc.uuid().map((text) => text.toUpperCase()),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const key = readPixKey(text, null);
      if (typeof key === 'string') return;
      assert.deepEqual(readPixKey(key.text, key.kind), key);
      assert.ok(key.text.length <= 77);
    }),
  );
});
