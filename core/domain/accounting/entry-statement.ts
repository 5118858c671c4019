// Statements of the accounts that are like those of a bank: what the partner holds, and what
// reached the sellers. Each has one currency, an opening and a closing balance. Two forms: OFX
// 1.02, as banks in Brazil write it, and camt.053.001.08 of ISO 20022, whose elements are in the
// order of its schema. Ids and names have no character that either form escapes.
import { formatInstant } from '../base/instant.js';
import { absolute, formatAmount } from '../base/money.js';
import { PAYOUT_CURRENCY } from '../payments/funds.js';
import type { BookedEntry } from './accounting.js';
import type { EntryFile } from './entry-file.js';
import type { EntryAccount, EntryLine } from './settlement-entry.js';

/** By the account that names the statement: the accounts whose lines it has. */
const statementAccounts = {
  partner_float: ['partner_float', 'refunds', 'suspense', 'adjustments'],
  seller: ['seller'],
} as const satisfies Partial<Record<EntryAccount, readonly EntryAccount[]>>;

/** Longest id of an account in OFX; camt.053 takes 34 characters. */
const ACCOUNT_ID_LENGTH_MAX = 22;

interface Movement {
  readonly entry: BookedEntry;
  readonly amountMinor: bigint;
}

interface Statement {
  readonly accountId: string;
  readonly name: string;
  readonly currency: string;
  readonly openingMinor: bigint;
  readonly closingMinor: bigint;
  readonly movements: readonly Movement[];
}

/** One for each account and currency with a balance or a movement; at least one. */
export function statementsOf(file: EntryFile): readonly Statement[] {
  const all = [...file.opening, ...file.entries.flatMap(({ lines }) => lines)];
  const currencies = [...new Set(all.map(({ money }) => money.currency))].sort();
  const made = Object.entries(statementAccounts).flatMap(([account, parts]) =>
    currencies.map((currency) => {
      const of = { account: account as keyof typeof statementAccounts, parts, currency };
      return statementOf(of, file);
    }),
  );
  const used = made.filter(({ openingMinor, movements }) => {
    return openingMinor !== 0n || movements.length > 0;
  });
  const ofSeller = { account: 'seller', parts: ['seller'], currency: PAYOUT_CURRENCY } as const;
  return used.length > 0 ? used : [statementOf(ofSeller, file)];
}

interface StatementSubject {
  readonly account: keyof typeof statementAccounts;
  readonly parts: readonly EntryAccount[];
  readonly currency: string;
}

function statementOf(
  { account, parts, currency }: StatementSubject,
  { entries, opening, accounts }: EntryFile,
): Statement {
  const sumIn = (lines: readonly EntryLine[]) =>
    lines
      .filter((line) => parts.includes(line.account) && line.money.currency === currency)
      .reduce((sum, { money: { amountMinor } }) => sum + amountMinor, 0n);
  const movements = entries
    .map((entry) => ({ entry, amountMinor: sumIn(entry.lines) }))
    .filter(({ amountMinor }) => amountMinor !== 0n);
  const openingMinor = sumIn(opening);
  const name = (entries.at(-1)?.accounts ?? accounts)[account];
  const [own, usual] = [`${name}-${currency}`, `${account}-${currency}`];
  return {
    accountId: own.length > ACCOUNT_ID_LENGTH_MAX ? usual : own,
    name,
    currency,
    openingMinor,
    closingMinor: movements.reduce((sum, one) => sum + one.amountMinor, openingMinor),
    movements,
  };
}

/** Noon of UTC is the same day in nearly every zone; a date without a time is midnight there. */
function ofxDay(day: string): string {
  return `${day.replaceAll('-', '')}120000`;
}

export function ofxLines(file: EntryFile): readonly string[] {
  const head = [
    'OFXHEADER:100',
    'DATA:OFXSGML',
    'VERSION:102',
    'SECURITY:NONE',
    'ENCODING:USASCII',
    'CHARSET:1252',
    'COMPRESSION:NONE',
    'OLDFILEUID:NONE',
    'NEWFILEUID:NONE',
    '',
  ];
  const status = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>';
  const server = formatInstant(file.madeAtMs)
    .replaceAll(/[^0-9]/g, '')
    .slice(0, 14);
  return [
    ...head,
    '<OFX>',
    `<SIGNONMSGSRSV1><SONRS>${status}<DTSERVER>${server}</DTSERVER><LANGUAGE>ENG</LANGUAGE>`,
    '</SONRS></SIGNONMSGSRSV1>',
    '<BANKMSGSRSV1>',
    ...statementsOf(file).flatMap((statement, at) => [
      `<STMTTRNRS><TRNUID>${at + 1}</TRNUID>${status}<STMTRS>`,
      `<CURDEF>${statement.currency}</CURDEF>`,
      `<BANKACCTFROM><BANKID>PONTE</BANKID><ACCTID>${statement.accountId}</ACCTID>`,
      '<ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>',
      `<BANKTRANLIST><DTSTART>${ofxDay(file.fromDay)}</DTSTART>`,
      `<DTEND>${ofxDay(file.toDay)}</DTEND>`,
      ...statement.movements.map(ofxMovement),
      '</BANKTRANLIST>',
      `<LEDGERBAL><BALAMT>${formatAmount(statement.closingMinor)}</BALAMT>`,
      `<DTASOF>${ofxDay(file.toDay)}</DTASOF></LEDGERBAL>`,
      '</STMTRS></STMTTRNRS>',
    ]),
    '</BANKMSGSRSV1>',
    '</OFX>',
  ];
}

function ofxMovement({ entry: { id, day, kind, subjectId }, amountMinor }: Movement): string {
  return [
    `<STMTTRN><TRNTYPE>${amountMinor < 0n ? 'DEBIT' : 'CREDIT'}</TRNTYPE>`,
    `<DTPOSTED>${ofxDay(day)}</DTPOSTED><TRNAMT>${formatAmount(amountMinor)}</TRNAMT>`,
    `<FITID>${id}</FITID><NAME>${kind}</NAME><MEMO>${subjectId}</MEMO></STMTTRN>`,
  ].join('');
}

export function camtLines(file: EntryFile): readonly string[] {
  const madeAt = formatInstant(file.madeAtMs);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">',
    '<BkToCstmrStmt>',
    `<GrpHdr><MsgId>PONTE-${file.madeAtMs}</MsgId><CreDtTm>${madeAt}</CreDtTm></GrpHdr>`,
    ...statementsOf(file).flatMap((statement, at) => camtStatement(file, statement, at + 1)),
    '</BkToCstmrStmt>',
    '</Document>',
  ];
}

function camtStatement(
  { fromDay, toDay, madeAtMs }: EntryFile,
  { accountId, name, currency, openingMinor, closingMinor, movements }: Statement,
  number: number,
): readonly string[] {
  const balance = (code: 'OPBD' | 'CLBD', minor: bigint, day: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${camtAmount(minor, currency)}` +
    `<Dt><Dt>${day}</Dt></Dt></Bal>`;
  return [
    `<Stmt><Id>${madeAtMs}-${number}</Id>`,
    `<CreDtTm>${formatInstant(madeAtMs)}</CreDtTm>`,
    `<FrToDt><FrDtTm>${fromDay}T00:00:00</FrDtTm><ToDtTm>${toDay}T23:59:59</ToDtTm></FrToDt>`,
    `<Acct><Id><Othr><Id>${accountId}</Id></Othr></Id><Ccy>${currency}</Ccy>`,
    `<Nm>${name.slice(0, CAMT_NAME_LENGTH_MAX)}</Nm>`,
    // Optional, and some programs read no account without it.
    '<Svcr><FinInstnId><Othr><Id>PONTE</Id></Othr></FinInstnId></Svcr></Acct>',
    balance('OPBD', openingMinor, fromDay),
    balance('CLBD', closingMinor, toDay),
    ...movements.map(({ entry: { id, day, kind, subjectId }, amountMinor }) =>
      [
        `<Ntry><NtryRef>${id}</NtryRef>${camtAmount(amountMinor, currency)}`,
        `<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt>`,
        `<BkTxCd><Prtry><Cd>${kind}</Cd><Issr>PONTE</Issr></Prtry></BkTxCd>`,
        `<NtryDtls><TxDtls><Refs><EndToEndId>${subjectId}</EndToEndId></Refs>`,
        `${camtAmount(amountMinor, currency)}</TxDtls></NtryDtls></Ntry>`,
      ].join(''),
    ),
    '</Stmt>',
  ];
}

const CAMT_NAME_LENGTH_MAX = 70;

/** An amount has no sign: money in is a credit, as a bank sees it. */
function camtAmount(minor: bigint, currency: string): string {
  const side = minor < 0n ? 'DBIT' : 'CRDT';
  const amount = formatAmount(absolute(minor));
  return `<Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd>`;
}
