import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isToBuyer } from '../../../../adapters/pages/letters/letter-texts.js';
import { createLetters } from '../../../../adapters/pages/letters/letters.js';
import {
  type SituationFacts,
  situationTexts,
} from '../../../../adapters/pages/letters/situation-texts.js';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { type Locale, locales } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';
import {
  isMemberNotice,
  type MailPurpose,
  mailPurposes,
  mailRules,
  ownerNoticePurposes,
} from '../../../../core/domain/mail/mail.js';
import { accentPalettes } from '../../../../core/domain/parties/accent-color.js';
import {
  type MailedEvent,
  type MovedMoney,
  moneyEventRules,
  moneyEvents,
} from '../../../../core/domain/payments/event.js';
import type { Funds } from '../../../../core/domain/payments/funds.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import type { Letter, RenderedLetter } from '../../../../core/ports/letters.js';
import { aBarePayment, anAccount } from '../../../support/samples/domain-samples.js';
import { sampleInstructions } from '../../../support/samples/payin-samples.js';
import { sampleFunds } from '../../../support/samples/sample-rows.js';
import { exactForms, translatable } from '../translatable.js';

const BYTES_MAX = 8 * 1024;
const page = 'https://pay.example/r/public_1';
/** 2030-01-01T00:00:00.000Z */
const NOW_MS = 1_893_456_000_000;
const timeZone = 'America/Sao_Paulo';
const { render } = createLetters();

const approval = {
  state: 'approved',
  email: 'treasurer@buyer.example',
  askedAtMs: NOW_MS,
  decidedAtMs: NOW_MS,
  reason: null,
} as const;

const payment = aBarePayment({
  amount: money(1_248_000n, 'USD'),
  payeeName: 'Café Serra Azul Exportadora Ltda',
  number: 'RN-2030-0418',
  dueDate: '2030-02-28',
  colleagueApproval: approval,
  settlement: {
    settled: money(6_739_200n, 'BRL'),
    fees: money(100n, 'USD'),
    fxRate: '5.4',
    endToEndId: 'E1',
  },
});

interface LetterFields extends Partial<Omit<Letter, 'about'>> {
  readonly payment?: Partial<Payment> | null;
  readonly funds?: Partial<Funds>;
}

const stopLink = {
  url: 'https://pay.rotanorte.example/stop/dst_1.0a',
  code: '418926',
  isAsked: false,
  endsAtMs: NOW_MS + 86_400_000,
} as const;

const movedBy = (name: MailedEvent): MovedMoney => ({
  name,
  amount: money(1_248_000n, 'USD'),
  settled: name.includes('recall') ? null : money(6_739_200n, 'BRL'),
});

const mailedEvents = moneyEvents.filter(
  (name): name is MailedEvent => moneyEventRules[name].mailTo === 'owners',
);

const bySeller = { account: anAccount(), keyId: 'key_1' };

function letterOf(purpose: MailPurpose, fields: LetterFields = {}): Letter {
  const { payment: changed, funds, ...rest } = fields;
  const toMember: readonly MailPurpose[] = [
    'confirmation',
    'production_decided',
    'passkey_added',
    'passkey_removed',
    ...mailPurposes.filter(isMemberNotice),
  ];
  const others: readonly MailPurpose[] = [
    'owner_link',
    'payout_changed',
    'paper_ends',
    ...toMember,
  ];
  const isOfPayment = changed !== null && !others.includes(purpose);
  const isAsked = purpose === 'sign_in' || purpose === 'confirmation';
  const link = { url: `${page}?token=token`, code: '418926', isAsked, endsAtMs: NOW_MS + 900_000 };
  return {
    purpose,
    locale: 'en',
    mode: 'live',
    writtenAtMs: NOW_MS,
    organization: {
      name: 'Rota Norte',
      supportEmail: 'help@rotanorte.example',
      timeZone,
      accentColor: null,
    },
    about: isOfPayment
      ? { payment: { ...payment, ...changed }, funds: { ...sampleFunds, ...funds } }
      : null,
    account: null,
    isToMember: toMember.includes(purpose),
    isToApprover: purpose === 'approval_link',
    isFirst: false,
    action: purpose === 'confirmation' ? 'create_key' : null,
    keyId: null,
    object: purpose === 'webhooks_gave_up' ? 'https://api.rotanorte.example/hook' : 'key_1',
    role: null,
    hasReceipt: false,
    hasLogo: false,
    question: purpose === 'question' ? 'Why 12 bags, not 10?' : null,
    invited: [],
    moved: purpose === 'money_moved' ? movedBy('payout_returned') : null,
    paper: purpose === 'paper_ends' ? { kind: 'w8', expiresOn: '2031-12-31' } : null,
    isReplacement: false,
    reference: 'RN-2030-0418',
    pageUrl: ['payout_changed', 'paper_ends'].includes(purpose) ? null : page,
    pageEndsAtMs: purpose === 'payment_settled' ? NOW_MS + 14 * DAY_MS : null,
    link: mailRules[purpose].signsIn ? link : null,
    ...rest,
  };
}

/** Invoices of one buyer and two payees. */
const many = (count: number): readonly Payment[] =>
  Array.from({ length: count }, (_, at) => ({
    ...payment,
    id: `inv_${at}`,
    number: at === 1 ? null : `RN-2030-${at}`,
    payeeName: at === 2 ? 'Café Serra Azul Ltda' : payment.payeeName,
  }));

/** Every letter with each of its variants. */
function variants(fields: Partial<Letter> = {}): readonly (readonly [string, Letter])[] {
  const received = (receivedMinor: bigint) => ({ ...fields, funds: { receivedMinor } });
  const owed = { receivedMinor: 1_000n, refundOwedMinor: 1_000n };
  const plain = mailPurposes.map((purpose) => [purpose, letterOf(purpose, fields)] as const);
  const forms = ['sign_in', 'kyc_approved', 'kyc_more', 'kyc_rejected'] as const;
  const ofForms = forms.map(
    (purpose) => [`${purpose} of a form`, letterOf(purpose, { ...fields, payment: null })] as const,
  );
  return [
    ...plain,
    ...ofForms,
    ['changed details', letterOf('instructions_ready', { ...fields, isReplacement: true })],
    ...(['invitation', 'sign_in'] as const).map(
      (purpose) =>
        [
          `${purpose} of a member`,
          letterOf(purpose, { ...fields, payment: null, isToMember: true }),
        ] as const,
    ),
    ['sign_in of an approver', letterOf('sign_in', { ...fields, isToApprover: true })],
    [
      'declined',
      letterOf('approval_declined', {
        ...fields,
        payment: {
          colleagueApproval: { ...approval, state: 'declined', reason: 'See evil.com/x' },
        },
      }),
    ],
    ...mailedEvents.map(
      (name) => [name, letterOf('money_moved', { ...fields, moved: movedBy(name) })] as const,
    ),
    ['short', letterOf('money_short', received(1_247_900n))],
    ['too much', letterOf('money_received', received(1_249_000n))],
    ['too much, settled', letterOf('receipt', received(1_249_000n))],
    ['failed with money', letterOf('failed', received(1_248_000n))],
    [
      'refund',
      letterOf('refund_ordered', { ...fields, funds: { ...owed, refund: 'refund_owed' } }),
    ],
    [
      'refund by hand',
      letterOf('refund_ordered', { ...fields, funds: { ...owed, refund: 'needs_review' } }),
    ],
    ['seller', letterOf('payout_changed', { ...fields, ...bySeller })],
    ['held', letterOf('payout_changed', { ...fields, ...bySeller, link: stopLink })],
    [
      'no number',
      letterOf('invitation', {
        ...fields,
        payment: { number: null, dueDate: null, payeeName: null },
      }),
    ],
    ['of many', letterOf('invitation', { ...fields, invited: many(3) })],
    ['of more than it lists', letterOf('invitation', { ...fields, invited: many(28) })],
    ['due only', letterOf('invitation', { ...fields, payment: { number: null } })],
    ['number only', letterOf('invitation', { ...fields, payment: { dueDate: null } })],
  ];
}

const every = locales.flatMap((locale) =>
  (['live', 'test'] as const).flatMap((mode) =>
    variants({ locale, mode }).map(([name, letter]) => {
      return { name: `${name} ${locale} ${mode}`, letter, rendered: render(letter) };
    }),
  ),
);

/** What a reader sees of the HTML, in reading order. */
function seen(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  return unspaced(
    body
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll('&lt;', '<')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  );
}

function unspaced(text: string): string {
  return text.replaceAll(/[\s\u00a0]+/g, ' ').trim();
}

function each(check: (rendered: RenderedLetter, letter: Letter) => void): void {
  for (const { name, letter, rendered } of every) {
    try {
      check(rendered, letter);
    } catch (error) {
      assert.fail(`${name}: ${String(error)}\n${rendered.text}`);
    }
  }
}

test('HTML and plain text say the same, in the same order', () => {
  each(({ text, html }) => {
    let rest = seen(html);
    for (const block of text.split('\n\n')) {
      // A button has its link in an attribute, and once more as text at the end.
      const said = unspaced(block.trimEnd().replace(/:\n?https:\S+$/, ''));
      const at = rest.indexOf(said);
      assert.ok(at >= 0, `“${said}” is missing in ${rest}`);
      rest = rest.slice(0, at) + rest.slice(at + said.length);
    }
    const [beyond = ''] = rest.trim().split(/:? ?https:/);
    assert.ok(unspaced(beyond).length <= 32, `the HTML says more: ${beyond}`);
  });
});

test('the HTML has at most 8 KB', () => {
  each(({ html }) => {
    const bytes = Buffer.byteLength(html);
    assert.ok(bytes <= BYTES_MAX, `${bytes} bytes`);
  });
});

test('the only link is that of the page, and nothing is loaded', () => {
  each(({ text, html }, { link, pageUrl }) => {
    const url = link?.url ?? pageUrl;
    const urls = [...text.matchAll(/[a-z]+:\/\/\S+/g)].map(([found]) => found);
    assert.deepEqual(urls, url === null ? [] : [url]);
    const attributes = [...html.matchAll(/(\w+)="([^"]*:\/\/[^"]*|mailto:[^"]*)"/g)];
    assert.deepEqual(
      attributes.map(([, name, value]) => [name, value]),
      url === null ? [] : [['href', url]],
    );
    assert.doesNotMatch(html, /<(img|script|link|iframe|form|input|video)\b|url\(|@import/i);
  });
});

test('letters of test mode say so in subject and text', () => {
  each(({ subject, text }, { mode }) => {
    assert.equal(subject.startsWith('[Test] '), mode === 'test');
    assert.equal(/\b(test|teste|prueba)\b/i.test(text), mode === 'test');
  });
});

test('letters about trouble answer the four questions, with the reference', () => {
  const trouble = new Set<MailPurpose>([
    ...(['kyc_more', 'kyc_rejected', 'money_short', 'cancelled', 'expired', 'failed'] as const),
    ...(['refund_ordered', 'refunded'] as const),
  ]);
  const questions = {
    en: ['Where is my money?', 'What happens next?', 'What must I do?', 'Whom do I ask?'],
    'pt-BR': [
      'Onde está o meu dinheiro?',
      'O que acontece agora?',
      'O que devo fazer?',
      'Com quem falo?',
    ],
    es: ['¿Dónde está mi dinero?', '¿Qué pasa ahora?', '¿Qué debo hacer?', '¿A quién pregunto?'],
  } as const satisfies Record<Locale, readonly string[]>;
  each(({ text }, { purpose, locale, about, reference }) => {
    const places = questions[locale].map((question) => text.indexOf(`${question}\n`));
    if (!trouble.has(purpose) || about === null) {
      assert.ok(places.every((place) => place === -1));
      return;
    }
    assert.ok(places.every((place, at) => place > (places[at - 1] ?? -1)));
    assert.ok(text.includes(reference), 'the reference');
    assert.ok(text.includes('help@rotanorte.example'));
  });
});

test('no letter to a buyer has bank details, and each says that none ever has', () => {
  const never = {
    en: /never send bank/,
    'pt-BR': /Nunca enviamos dados/,
    es: /Nunca enviamos datos/,
  };
  each(({ text }, { purpose, locale }) => {
    const toOrganization = [
      'payout_changed',
      'question',
      'payment_settled',
      'paper_ends',
      ...ownerNoticePurposes,
    ];
    const isToBuyer = !toOrganization.includes(purpose);
    assert.equal(never[locale].test(text), isToBuyer);
    assert.doesNotMatch(text, /DE1|iban|routing|account number/i);
  });
});

test('a letter is in one language: no sentence is shared by two', () => {
  const [en, pt, es] = locales.map((locale) => {
    const texts = variants({ locale }).map(([, letter]) => {
      const { subject, text } = render(letter);
      return `${subject}\n${text}`;
    });
    return new Set(
      texts
        .join('\n')
        .split(/\n+|(?<=[.?!])\s/)
        .map((line) => line.trim()),
    );
  });
  const shared = [
    [en, pt],
    [en, es],
    [pt, es],
  ].flatMap(([one, other]) => [...(one ?? [])].filter((line) => other?.has(line)));
  // Names, values, and “Vendedor”, which is the same word in two.
  const names = /^(Rota Norte vi|https:|418926$|$|Café Serra Azul|Vendedor: |Why 12 bags|.{0,3}$)/;
  assert.deepEqual(
    shared.filter((line) => !names.test(line)),
    [],
  );
});

test('amounts and dates are written as in the language', () => {
  const expected = {
    en: ['USD 12,480.00', '28 February 2030', '1 January 2030, 00:15 UTC'],
    'pt-BR': ['USD 12.480,00', '28 de fevereiro de 2030', '1 de janeiro de 2030, 00:15 UTC'],
    es: ['12.480,00 USD', '28 de febrero de 2030', '1 de enero de 2030, 00:15 UTC'],
  };
  for (const locale of locales) {
    const { text, html } = render(letterOf('sign_in', { locale }));
    for (const value of expected[locale]) {
      assert.ok(text.includes(value), `${value} in ${text}`);
      assert.ok(seen(html).includes(value), value);
    }
  }
});

test('names in any script stay whole', () => {
  const names = ['ООО «Ромашка»', '株式会社セラアズール', 'شركة القهوة', "O'Brien & Sons <Ltd>"];
  for (const payeeName of names) {
    const { subject, text, html } = render(letterOf('invitation', { payment: { payeeName } }));
    assert.ok(subject.includes(payeeName) && text.includes(payeeName), payeeName);
    assert.ok(seen(html).includes(payeeName), payeeName);
    assert.doesNotMatch(html, /<Ltd>/);
  }
});

test('an integrator’s text starts no line, no header and no element', () => {
  const evil = `Bank\r\nBcc: x\u2028https://evil.example/r/p?token=t\u202e<b onclick="x">`;
  const organization = { name: evil, supportEmail: null, timeZone, accentColor: null };
  const payeeName = evil;
  for (const purpose of mailPurposes) {
    const given = letterOf(purpose, { organization, payment: { payeeName } });
    const { from, subject, text, html } = render(given);
    assert.doesNotMatch(from + subject, /[\r\n\u2028\u202e]/);
    assert.doesNotMatch(text, /^(Bcc|https:\/\/evil)/m);
    assert.doesNotMatch(html, /<b onclick|href="https:\/\/evil/);
  }
});

test('an integrator’s text holds no address that a mail program makes a link of', () => {
  const evil =
    'Pay at https://evil.example/x or evil.example or www.evil.example or a@evil.example';
  const account = anAccount({ displayName: evil, legalName: evil });
  const fields = {
    organization: { name: evil, supportEmail: null, timeZone, accentColor: null },
    account,
  };
  for (const purpose of mailPurposes) {
    const payment = { payeeName: evil, number: evil };
    const { from, subject, text, html } = render(letterOf(purpose, { ...fields, payment }));
    for (const written of [from, subject, text, html]) {
      assert.doesNotMatch(written, /evil\.example|\/\/evil|www\.evil|@evil/, purpose);
    }
  }
  const { subject } = render(letterOf('invitation', { payment: { payeeName: 'Café S.A. (B/C)' } }));
  assert.match(subject, /Café S\.A\. \(B\/C\) asks/, 'other names stay as they are');
});

test('a number with slashes in a question is as it was typed, so that it can be searched for', () => {
  for (const number of ['2026/101', 'INV/2026-04/7']) {
    const { text, html } = render(letterOf('question', { question: `Is ${number} right?` }));
    for (const written of [text, html]) assert.ok(written.includes(number), written);
  }
});

test('a number that holds words is not shown, nor the externalId of a seller', () => {
  const number = 'call +1 555 0100 now';
  assert.doesNotMatch(render(letterOf('invitation', { payment: { number } })).text, /555/);
  const account = anAccount({ displayName: null, legalName: null, externalId: number });
  assert.doesNotMatch(render(letterOf('payout_changed', { account })).text, /555/);
});

test('long free text is cut', () => {
  const { from, subject } = render(
    letterOf('invitation', { payment: { payeeName: 'é'.repeat(5_000) } }),
  );
  assert.ok([...subject].length < 200, `${[...subject].length}`);
  assert.equal(from, 'Rota Norte');
});

test('without a support address the letter names the organization, and asks for no answer', () => {
  const organization = { name: 'Rota Norte', supportEmail: null, timeZone, accentColor: null };
  const { text } = render(letterOf('money_short', { organization }));
  assert.match(text, /Ask Rota Norte and give the reference RN-2030-0418\./);
  assert.doesNotMatch(text, /Answer this email/);
});

test('each subject about a payment begins with its number, else with its external id', () => {
  each(({ subject }, { about, mode, invited }) => {
    const marked = `${mode === 'test' ? '[Test] ' : ''}[RN-2030-0418] `;
    assert.equal(subject.startsWith(marked), about !== null && invited.length === 0, subject);
  });
  const { id } = letterOf('money_received').about?.payment ?? { id: '' };
  assert.doesNotMatch(render(letterOf('money_received', { reference: id })).subject, /\[/);
});

test('a letter about missing money says by when it must arrive', () => {
  const payinInstructions = sampleInstructions({ payByMs: NOW_MS + 5 * DAY_MS });
  const { text } = render(letterOf('money_short', { payment: { payinInstructions } }));
  assert.match(text, /If it is not here by 5 January 2030, everything goes back\./);
  const late = { writtenAtMs: NOW_MS + 9 * DAY_MS, payment: { payinInstructions } };
  const over = render(letterOf('money_short', late)).text;
  assert.match(over, /It had to be here by 6 January 2030, 00:00 UTC: everything goes back\./);
  const none = sampleInstructions({ payByMs: null });
  const plain = render(letterOf('money_short', { payment: { payinInstructions: none } }));
  assert.doesNotMatch(plain.text, /If it is not here/);
});

test('a reminder asks for what is missing, and says what arrived', () => {
  const funds = { position: 'received', receivedMinor: 1_198_000n } as const;
  const part = { status: 'on_ramp_pending', dueDate: '2030-04-30' } as const;
  for (const [locale, missing, received] of [
    ['en', 'USD 500.00', 'USD 11,980.00'],
    ['pt-BR', 'USD 500,00', 'USD 11.980,00'],
    ['es', '500,00 USD', '11.980,00 USD'],
  ] as const) {
    const letter = letterOf('reminder', { locale, payment: part, funds });
    const { subject, text } = render(letter);
    assert.ok(subject.includes(missing), subject);
    assert.ok(text.includes(missing) && text.includes(received), text);
    const all = render(letterOf('reminder', { locale, payment: part }));
    assert.ok(!all.subject.includes(missing), all.subject);
  }
});

test('a letter to the organization about a payment says where it stands, as the dashboard', () => {
  const funds = { position: 'needs_review', receivedMinor: 1_248_000n } as const;
  for (const purpose of ['question', ...ownerNoticePurposes] as const) {
    for (const locale of locales) {
      const { text } = render(letterOf(purpose, { locale, funds }));
      const { what, next } = situationTexts[locale].with_operator;
      const facts = { received: '12', buyer: 'x' } as SituationFacts;
      const end = what(facts).split('x').at(-1) ?? '';
      assert.ok(end !== '' && text.includes(`${end} ${next(facts)}`), text);
    }
  }
});

test('a letter names the order and the reference of the buyer, if they look like numbers', () => {
  const numbers = { purchaseOrder: 'PO-4711', buyerReference: 'KST-300' };
  const lineOf = (changed: Partial<Payment>, locale: Locale = 'en') =>
    render(letterOf('receipt', { locale, payment: changed })).text.split('\n\n')[2];
  assert.equal(
    lineOf(numbers),
    'Invoice RN-2030-0418, purchase order PO-4711, your reference KST-300, due 28 February 2030',
  );
  assert.equal(
    lineOf({ ...numbers, number: null, dueDate: null }, 'pt-BR'),
    'Ordem de compra PO-4711, sua referência KST-300',
  );
  const sentence = { purchaseOrder: 'call +1 555 now', buyerReference: 'see evil.example' };
  assert.equal(lineOf(sentence), 'Invoice RN-2030-0418, due 28 February 2030');
});

test('a mail of the service itself is not “via” itself', () => {
  const organization = { name: 'Ponte', supportEmail: null, timeZone, accentColor: null };
  for (const locale of locales) {
    const { text, html } = render(letterOf('sign_in', { organization, locale }));
    assert.match(text, /^Ponte\n/);
    assert.doesNotMatch(`${text}${html}`, /v[ií]a Ponte/);
  }
});

test('a sign-in mail reads so', () => {
  const { subject, text } = render(letterOf('sign_in', { mode: 'test' }));
  assert.equal(subject, '[Test] [RN-2030-0418] Your link to pay Café Serra Azul Exportadora Ltda');
  assert.equal(
    text,
    [
      'This is a test: no real money moves. Send nothing.',
      'Rota Norte via Ponte',
      'Café Serra Azul Exportadora Ltda asks you to pay USD 12,480.00',
      'Invoice RN-2030-0418, due 28 February 2030',
      `Open the payment page:\n${page}?token=token`,
      'Or type this code in the window where you asked for it:\n418926',
      'Link and code work once, until 1 January 2030, 00:15 UTC. Opening the page pays nothing.',
      'Do not forward this email: anyone who opens the link acts for you.',
      'We never send bank details by email. If an email gives you an account to pay to, it is ' +
        'not from us.',
      'You did not expect this email? Do nothing.',
      'Questions? Answer this email, or write to Rota Norte at help@rotanorte.example. Give the ' +
        'reference RN-2030-0418.\n',
    ].join('\n\n'),
  );
});

test('a letter about changed bank details says not to use the old ones, and how to check', () => {
  const fields = { isReplacement: true, funds: { receivedMinor: 1_247_900n } };
  const { subject, text } = render(letterOf('instructions_ready', fields));
  assert.equal(
    subject,
    '[RN-2030-0418] The bank details for Café Serra Azul Exportadora Ltda have changed',
  );
  assert.match(
    text,
    /Do not use the earlier ones\. Open the page to see where to send USD 1\.00\./,
  );
  assert.match(text, /on a number that you already have.*read the check code/);
  assert.match(text, /“Check bank details” on the page/);
});

test('the notice about a PIX destination names seller and key and says what to do', () => {
  const own = render(letterOf('payout_changed'));
  assert.equal(own.subject, 'The PIX destination of Rota Norte was changed');
  assert.match(own.text, /contact the operator of this service/);
  const { subject, text } = render(letterOf('payout_changed', bySeller));
  assert.equal(subject, 'The PIX destination of Zoë was changed');
  assert.match(text, /Seller: acct_1\. Collected by: Rota Norte\./);
  assert.match(text, /Payments created before keep the old one/);
  assert.match(text, /2029, 21:00 GMT-3 by the API key key_1\./);
  assert.match(text, /Rota Norte should revoke this API key/);
  assert.doesNotMatch(text, /Stop the change/);
});

test('the notice about a held change says when it takes effect, and how to stop it', () => {
  const { text } = render(letterOf('payout_changed', { ...bySeller, link: stopLink }));
  assert.match(text, /Payments created from 1 January 2030, 21:00 GMT-3 on are paid to the new/);
  assert.ok(text.includes(`Stop the change:\n${stopLink.url}`));
  assert.match(text, /Opening the link changes nothing/);
  assert.doesNotMatch(text, /work once|acts for you/);
});

test('what a buyer asks is text: no link, no element, and it names where the answer goes', () => {
  const question = 'See https://evil.example/x or mail a@evil.example <b onclick="x">now</b>';
  const { subject, text, html } = render(letterOf('question', { question }));
  assert.match(subject, /A question about USD 12,480.00/);
  assert.doesNotMatch(text, /https:\/\/evil|a@evil/);
  assert.doesNotMatch(html, /<b onclick/);
  assert.ok(text.includes(payment.buyer.email.trim()));
});

test('a letter has no time without its zone: of the organization for its members, else UTC', () => {
  const times = /\d{1,2}:\d{2}(?::\d{2})?(.{0,6})/g;
  const forOrganization = [
    'payout_changed',
    'question',
    'payment_settled',
    'paper_ends',
    ...ownerNoticePurposes,
  ];
  let timed = 0;
  each(({ subject, text, html }, { purpose, isToMember }) => {
    const zone = isToMember || forOrganization.includes(purpose) ? 'GMT-3' : 'UTC';
    for (const written of [subject, text, seen(html)]) {
      for (const [found, after = ''] of written.matchAll(times)) {
        assert.ok(after.replace('\u00a0', ' ').startsWith(` ${zone}`), found);
        timed += 1;
      }
    }
  });
  assert.ok(timed > 100, `${timed}`);
  const summer = {
    name: 'Ópticas',
    supportEmail: null,
    timeZone: 'Europe/Madrid',
    accentColor: null,
  };
  const sent = (writtenAtMs: number) =>
    render(letterOf('payout_changed', { organization: summer, writtenAtMs })).text;
  assert.match(sent(Date.UTC(2030, 0, 1)), /1 January 2030, 01:00 GMT\+1/);
  assert.match(sent(Date.UTC(2030, 6, 1)), /1 July 2030, 02:00 GMT\+2/);
});

test('in no letter a translator may change an amount, a code, a time, an id or a name', () => {
  const names = ['Rota Norte', 'Café Serra Azul', 'Zoë', 'RN-2030-0418', 'acct_1', 'key_1'];
  each(({ html }, { about }) => {
    const known = [...names, about?.payment.buyer.name ?? 'Zoë', 'api.rotanorte.example'];
    for (const text of translatable(html)) {
      assert.doesNotMatch(text, exactForms);
      for (const name of known) assert.ok(!text.includes(name), `${name} in ${text}`);
    }
    assert.ok(
      translatable(html).some((text) => /\p{L}{3} \p{L}/u.test(text)),
      'prose stays',
    );
  });
});

test('a mail to the buyer has the colors of the page that it opens, others have the usual ones', () => {
  const usual = render(letterOf('invitation')).html;
  assert.match(usual, /background:#0a5568;color:#ffffff/);
  const organization = { name: 'R', supportEmail: null, timeZone, accentColor: '#c84300' };
  const { light, dark } = accentPalettes('#c84300');
  for (const purpose of mailPurposes) {
    const letter = letterOf(purpose, { organization });
    const { html } = render(letter);
    const isBuyers = isToBuyer(letter);
    assert.equal(html.includes(`color:${light.accent}">R<`), isBuyers, purpose);
    assert.equal(html.includes(`background:${dark.accent}!important;color:${dark.on}`), isBuyers);
    if (!html.includes('class="go"')) continue;
    assert.equal(html.includes(`background:${light.accent};color:${light.on}`), isBuyers, purpose);
  }
});

test('a mail to the buyer shows the logo that it carries, others and those without show none', () => {
  for (const purpose of mailPurposes) {
    const letter = letterOf(purpose, { hasLogo: true });
    const { html } = render(letter);
    assert.equal(/<img src="cid:logo" alt(?:="")?[ >]/.test(html), isToBuyer(letter), purpose);
    assert.ok(!html.replace('src="cid:logo"', '').includes('src='), purpose);
    assert.doesNotMatch(render(letterOf(purpose)).html, /cid:/);
  }
});

test('an invitation of many lists each with its name and amount, and the sum', () => {
  for (const locale of ['en', 'pt-BR', 'es'] as const) {
    const { subject, text, html } = render(letterOf('invitation', { locale, invited: many(3) }));
    assert.match(subject, /3/);
    assert.doesNotMatch(subject, /^\[/);
    for (const name of ['RN-2030-0', 'inv_1', 'RN-2030-2']) {
      assert.ok(text.includes(name), name);
      assert.ok(html.includes(name), name);
    }
    assert.match(text, /RN-2030-2.*\(Café Serra Azul Ltda\): /);
    const cut = render(letterOf('invitation', { locale, invited: many(28) }));
    assert.doesNotMatch(cut.text, /RN-2030-25/);
    assert.match(cut.text, /3/);
  }
});

test('the notice about a settlement has what arrived, who paid, and until when its link opens', () => {
  const expected = {
    en: ['Café Serra Azul Exportadora Ltda received BRL 67,392.00', '14 January 2030, 21:00 GMT-3'],
    'pt-BR': ['recebeu BRL 67.392,00', '14 de janeiro de 2030, 21:00 GMT-3'],
    es: ['recibió 67.392,00 BRL', '14 de enero de 2030, 21:00 GMT-3'],
  } as const satisfies Record<Locale, readonly [string, string]>;
  const attached = /is attached|está anexo|Adjuntamos/;
  for (const locale of locales) {
    const of = { locale, hasReceipt: true, payment: { buyerReference: 'KST-300' } };
    const { subject, text } = render(letterOf('payment_settled', of));
    const [received, until] = expected[locale];
    assert.ok(subject.includes(received), subject);
    assert.ok(text.includes(until), text);
    assert.ok(text.includes(page) && text.includes('help@rotanorte.example'), text);
    assert.match(text, attached);
    assert.doesNotMatch(text, /KST-300/, 'the reference of the buyer is not the payee’s');
    assert.doesNotMatch(render(letterOf('payment_settled', { locale })).text, attached);
  }
});
