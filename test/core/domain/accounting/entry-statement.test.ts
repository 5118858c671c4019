// Statements: their balances follow from the entries, and their forms are those of their standards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser } from 'htmlparser2';
import { bookAccounts } from '../../../../core/domain/accounting/account-name.js';
import { type EntryFile, entryText } from '../../../../core/domain/accounting/entry-file.js';
import { statementsOf } from '../../../../core/domain/accounting/entry-statement.js';
import { money } from '../../../../core/domain/base/money.js';
import { posting, transfer } from '../../../../core/domain/payments/ledger.js';
import { sampleFile, samplePostings } from '../../../support/samples/entry-samples.js';
import { rowsOf, valuesOf } from '../../../support/values-of.js';

const owed = {
  id: 'pst_3',
  subjectId: 'pi_1',
  atMs: 0,
  ...posting('refund_owed', transfer('partner_float', 'refunds', money(2_500n, 'USD'))),
};

/** The sample payments in a month after one in which 25.00 USD came in and are owed. */
const file: EntryFile = {
  ...sampleFile(),
  opening: sampleFile(bookAccounts, [
    {
      ...owed,
      id: 'pst_0',
      ...posting('funds_received', transfer('buyer', 'partner_float', money(2_500n, 'USD'))),
    },
    owed,
  ]).entries.flatMap(({ lines }) => lines),
};

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

function parsed(text: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const element: Element = { name, attributes, children: [], text: '' };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(part) {
        const last = open.at(-1);
        if (last !== undefined) last.text += part;
      },
      onclosetag(name, isImplied) {
        assert.equal(isImplied, false, `${name} is closed`);
        assert.equal(open.pop()?.name, name);
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  assert.deepEqual(open, [root]);
  return root;
}

function all({ children }: Element, name: string): readonly Element[] {
  return children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...all(child, name),
  ]);
}

const textOf = (of: Element, name: string) => all(of, name)[0]?.text;

test('a statement has an account and a currency, and its balances follow from the entries', () => {
  const shown = statementsOf(file).map((one) => [
    one.accountId,
    one.openingMinor,
    one.movements.map(({ amountMinor }) => amountMinor),
    one.closingMinor,
  ]);
  assert.deepEqual(shown, [
    ['partner_float-USD', 2_500n, [125_000n, -100_000n], 27_500n],
    ['Assets:Bank-BRL', 0n, [540_570n], 540_570n],
  ]);
  const none = statementsOf({ ...file, entries: [], opening: [] });
  assert.deepEqual(
    rowsOf(none, 'currency', 'closingMinor'),
    [['BRL', 0n]],
    'a form has at least one statement',
  );
});

/**
 * The children of each element in the order of camt.053.001.08; `!`: mandatory, `*`: any number.
 * Of a choice and of optional elements, those that are written.
 */
const camtOrder: Readonly<Record<string, string>> = {
  Document: 'BkToCstmrStmt!',
  BkToCstmrStmt: 'GrpHdr! Stmt!*',
  GrpHdr: 'MsgId! CreDtTm!',
  Stmt: 'Id! CreDtTm FrToDt Acct! Bal!* Ntry*',
  FrToDt: 'FrDtTm! ToDtTm!',
  Acct: 'Id! Tp Ccy Nm Ownr Svcr',
  Svcr: 'FinInstnId!',
  FinInstnId: 'BICFI Nm Othr',
  'Acct/Id': 'Othr!',
  Othr: 'Id!',
  Bal: 'Tp! Amt! CdtDbtInd! Dt!',
  Tp: 'CdOrPrtry!',
  CdOrPrtry: 'Cd!',
  Dt: 'Dt!',
  Ntry: 'NtryRef Amt! CdtDbtInd! RvslInd Sts! BookgDt ValDt BkTxCd! NtryDtls',
  Sts: 'Cd!',
  BookgDt: 'Dt!',
  BkTxCd: 'Prtry',
  Prtry: 'Cd! Issr',
  NtryDtls: 'TxDtls*',
  TxDtls: 'Refs Amt CdtDbtInd',
  Refs: 'EndToEndId',
};

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$/;

/** The form of every text, as the types of that schema have it. */
const camtTexts: Readonly<Record<string, RegExp>> = {
  MsgId: /^.{1,35}$/,
  CreDtTm: dateTime,
  'Stmt/Id': /^.{1,35}$/,
  FrDtTm: dateTime,
  ToDtTm: dateTime,
  'Othr/Id': /^.{1,34}$/,
  Ccy: /^[A-Z]{3}$/,
  Nm: /^.{1,70}$/,
  'CdOrPrtry/Cd': /^.{1,4}$/,
  // Eighteen digits, five of them behind the point; without a sign.
  Amt: /^\d{1,16}\.\d{2}$/,
  CdtDbtInd: /^(CRDT|DBIT)$/,
  Dt: /^\d{4}-\d\d-\d\d$/,
  NtryRef: /^.{1,35}$/,
  'Sts/Cd': /^.{1,4}$/,
  'Prtry/Cd': /^.{1,35}$/,
  Issr: /^.{1,35}$/,
  EndToEndId: /^.{1,35}$/,
};

function checkCamt({ name, children, attributes, text }: Element, parent: string): void {
  const order = camtOrder[`${parent}/${name}`] ?? (children.length > 0 ? camtOrder[name] : '');
  assert.ok(order !== undefined, `${parent}/${name} is known`);
  const rules = order.split(' ').filter((rule) => rule !== '');
  const names = rules.map((rule) => rule.replace(/[!*]/g, ''));
  const places = children.map((child) => names.indexOf(child.name));
  assert.ok(!places.includes(-1), `${name} has ${children.map((child) => child.name)}`);
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
    `order in ${name}`,
  );
  for (const [at, rule] of rules.entries()) {
    const count = places.filter((place) => place === at).length;
    assert.ok(count > 0 || !rule.includes('!'), `${name} has ${names[at]}`);
    assert.ok(count < 2 || rule.includes('*'), `${name} has one ${names[at]}`);
  }
  if (name === 'Amt') assert.match(attributes['Ccy'] ?? '', /^[A-Z]{3}$/);
  if (children.length === 0) {
    const form = camtTexts[`${parent}/${name}`] ?? camtTexts[name];
    assert.match(text, form ?? assert.fail(`the text of ${parent}/${name} has a form`), name);
  }
  for (const child of children) checkCamt(child, name);
}

const amounts = transfer('buyer', 'partner_float', money(999_999_999_999_999n, 'USD'));
const long = 'a'.repeat(100);

for (const [name, of] of Object.entries({
  'a month': file,
  'an empty month': { ...file, entries: [], opening: [] },
  'the longest ids and names, and large and negative amounts': sampleFile(
    { ...bookAccounts, seller: long, partner_float: long },
    [
      { ...posting('funds_received', amounts), id: `pst_${'a'.repeat(26)}`, subjectId: 'pi_1' },
      { ...owed, ...posting('payout_paid', transfer('partner_float', 'fees', money(1n, 'EUR'))) },
    ].map((one) => ({ ...owed, ...one, subjectId: `inv_${'a'.repeat(26)}` })),
  ),
} satisfies Record<string, EntryFile>)) {
  test(`camt.053 has elements and texts as its schema has them: ${name}`, () => {
    const [document] = parsed(entryText('camt.053', of)).children;
    assert.equal(document?.attributes['xmlns'], 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08');
    checkCamt(document, '');
  });
}

test('camt.053 has an opening and a closing balance, and the entries are between them', () => {
  const document = parsed(entryText('camt.053', file));
  const signed = (of: Element) => {
    const amount = Number(textOf(of, 'Amt')) * (textOf(of, 'CdtDbtInd') === 'DBIT' ? -1 : 1);
    return Math.round(amount * 100);
  };
  const statements = all(document, 'Stmt');
  assert.deepEqual(
    statements.map((one) => textOf(one, 'Ccy')),
    ['USD', 'BRL'],
  );
  for (const statement of statements) {
    const [opening, closing, ...none] = all(statement, 'Bal');
    assert.deepEqual([opening && textOf(opening, 'Cd'), none], ['OPBD', []]);
    assert.equal(closing && textOf(closing, 'Cd'), 'CLBD');
    const moved = all(statement, 'Ntry').reduce((sum, one) => sum + signed(one), 0);
    assert.ok(opening !== undefined && closing !== undefined);
    assert.equal(signed(opening) + moved, signed(closing));
  }
});

test('OFX has its header, and each statement its currency, movements and balance', () => {
  const text = entryText('ofx', file);
  const [head = '', body = ''] = text.split('\n\n');
  assert.match(head, /^OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the header promises ASCII.
  assert.match(text, /^[\x0a\x20-\x7e]+$/);
  const [ofx = assert.fail()] = parsed(body).children;
  assert.deepEqual(valuesOf(ofx.children, 'name'), ['SIGNONMSGSRSV1', 'BANKMSGSRSV1']);
  const [held, bank] = all(ofx, 'STMTTRNRS');
  assert.ok(held !== undefined && bank !== undefined);
  assert.deepEqual([textOf(held, 'CURDEF'), textOf(held, 'BALAMT')], ['USD', '275.00']);
  assert.deepEqual([textOf(bank, 'CURDEF'), textOf(bank, 'BALAMT')], ['BRL', '5405.70']);
  assert.deepEqual(
    all(held, 'STMTTRN').map((one) => one.children.map(({ text: value }) => value)),
    [
      ['CREDIT', '20261130120000', '1250.00', 'pst_1', 'funds_received', 'pi_1'],
      ['DEBIT', '20261130120000', '-1000.00', 'pst_2', 'payout_paid', 'inv_2'],
    ],
  );
  assert.equal(samplePostings.length, 2);
  const long = statementsOf({
    ...file,
    ...sampleFile({ ...bookAccounts, seller: 'a'.repeat(100) }),
  });
  assert.deepEqual(
    long.map(({ accountId }) => accountId.length <= 22),
    [true, true],
    'an id of an account has at most 22 characters',
  );
});
