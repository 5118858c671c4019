// English texts of the hosted pages. The catalogues of the other languages have the same keys; each
// text exists once. Names, amounts and counts come in formatted, times as elements.
import type { ComponentChildren as Node } from 'preact';
import type {
  SimulatedEvent,
  simulations,
} from '../../../../core/domain/payments/simulated-event.js';
import { frameTexts, prose } from '../../kit/frame-texts.js';
import { emailTexts } from '../../kit/pages/email-texts.js';
import { enMoney } from './en-money.js';

type SimulatedGroup = (typeof simulations)[SimulatedEvent]['group'];

export const en = {
  ...enMoney,
  frame: {
    ...frameTexts.en,
    pageBy: 'Payment page by',
    testBar: 'No real money moves.',
    testAccount: 'This is a test account: send nothing to it.',
    title: (heading: string, payee: string) => `${heading} – Pay ${payee}`,
    progress: 'Progress',
    done: 'done: ',
    thisPayment: 'This payment',
    to: 'To',
    purpose: 'For',
    logo: (name: string) => `Logo of ${name}`,
    vendorPapersFile: 'Download all (ZIP)',
    vendorPapersNote:
      'Tax form, letters and registration for your vendor file, as their owners uploaded them.',
    purchaseOrder: 'Purchase order',
    buyerReference: 'Your reference',
    help: 'Help',
    helpText: (org: string, reference: Node) =>
      prose`Questions about this payment? Ask ${org} and give the reference ${reference}.`,
    helpForm: (org: string) => `Ask ${org} if you have questions about this page.`,
    neverMailed: 'We never send bank details by email.',
    verify: 'Check bank details',
    privacy: 'Privacy',
    terms: 'Terms',
    downloadPdf: 'Download as PDF',
    printOrSave: 'Print or save as PDF',
    sessionEnds: 'You will be signed out in 2 minutes.',
    stay: 'Stay signed in',
    you: 'You',
    partner: 'Settlement partner',
    or: (items: readonly string[]) =>
      new Intl.ListFormat('en', { type: 'disjunction' }).format(items),
  },
  files: {
    receipt: 'receipt',
    instructions: 'bank-details',
    remittance: 'remittance',
    deadline: 'deadline',
    deadlineTitle: (amount: string, payee: string) => `${amount} to ${payee}: last day to arrive`,
    deadlineText: (reference: string, page: string) =>
      `Reference ${reference}. The page has the bank details: ${page}`,
    addDeadline: 'Add to calendar',
  },
  share: {
    link: 'Send to a colleague',
    heading: 'Let a colleague see the bank details',
    lede:
      'Whoever has the link sees amount, reference and bank details of this payment, ' +
      'and can change nothing. It works until the payment ends, for 14 days at most.',
    make: 'Make a link',
    made: 'Send this link to your colleague',
    madeText: 'It is shown here only, and once.',
    url: 'Link to send',
    list: 'Open links',
    none: 'No link is open.',
    seen: 'Last opened',
    never: 'not yet',
    until: 'Works until',
    end: 'End this link',
    full: 'At most 5 links are open at a time. End one first.',
  },
  approval: {
    link: 'Ask a colleague to approve it first',
    heading: 'Let a colleague approve this payment',
    lede:
      'We email your colleague a link that shows payee, amount and line items. The price can be ' +
      'confirmed once your colleague has approved.',
    stays:
      'This cannot be undone for this payment. You can ask somebody else, but nobody confirms it ' +
      'without an approval.',
    email: 'Email address of your colleague',
    problems: { ...emailTexts.en, own: 'This is your own address. Somebody else must approve.' },
    send: 'Ask for the approval',
    again: 'Ask again, or ask somebody else',
    waits: (who: Node, when: Node) =>
      prose`${who} has not approved this payment yet. You asked on ${when}.`,
    waitsText: 'You can confirm the price once it is approved. We email you when it is decided.',
    by: 'Approved by',
    given: (who: Node, when: Node) => prose`${who} approved this payment on ${when}.`,
    declined: (who: Node, when: Node) => prose`${who} declined this payment on ${when}.`,
    declinedText: 'You cannot confirm it without an approval.',
    reason: (reason: Node) => prose`The reason: ${reason}`,
    colleague: 'your colleague',
    sendHint:
      'It goes to the address that your colleague gave us. We show line items only after you ' +
      'sign in.',
    decide: (payee: string) => `Approve the payment to ${payee}?`,
    asks: (buyer: string) => `${buyer} wants to pay, and asks for your approval first.`,
    rule: (amount: string, payee: string) =>
      `What is paid stays ${amount}, fees included. How much BRL ${payee} receives follows the ` +
      'exchange rate: your colleague confirms the price after your approval.',
    approve: (amount: string) => `Approve ${amount}`,
    approveHint: 'Approving pays nothing. Your colleague confirms and sends the transfer.',
    decline: 'Decline instead',
    why: 'Why do you decline?',
    whyHint: 'Your colleague sees it. At most 500 characters.',
    refused: 'Write the reason in at most 500 characters.',
    declineIt: 'Decline this payment',
    didApprove: 'You have approved this payment',
    didDecline: 'You have declined this payment',
    didText: (buyer: string) => `We tell ${buyer}. You don’t have to do anything else.`,
    over: 'This payment needs no approval any more',
    overText: 'It has ended, or its price is not open any more.',
  },
  question: {
    link: 'Ask a question',
    heading: 'Ask about this payment',
    lede: (org: string, email: string) =>
      `It goes to ${org} by email, and the answer comes to ${email}.`,
    label: 'Your question',
    hint: 'At most 500 characters. Send no bank details and no documents.',
    refused: 'Write your question in at most 500 characters.',
    send: 'Send the question',
  },
  payments: {
    all: 'All my payments',
    open: (count: string) => `You have ${count} open payments`,
    heading: (org: string, period: string) => `Your payments through ${org} in ${period}`,
    none: 'No payments in this period.',
    newest: 'These are the newest of this period. The file has all of them.',
    period: 'Period',
    show: 'Show',
    created: 'Asked for on',
    states: { open: 'Open', over: 'Closed' },
    currency: 'Currency',
    taxId: 'Tax id of the payee',
    csv: 'Download as CSV',
    file: 'payments',
    choose: (payment: string) => `Choose ${payment}`,
    chooseHint:
      'You can pay several open payments with one transfer: choose two or more to one payee in ' +
      'one currency.',
    chooseAll: (count: number) => `Choose all ${count} to the same payee.`,
    unopened: (count: number) =>
      `${count === 1 ? 'One payment waits' : `${count} payments wait`} for your sign-in. You may ` +
      'be asked for the code in our email.',
    openAll: 'Sign in to all of them',
    someNotTogether:
      'A payment without a box cannot be paid so: its check or approval is not done, its ' +
      'money is on the way or here, or its payee or currency is another.',
    notTogether: 'They cannot be paid with one transfer: pay each with its own bank details.',
    payChosen: 'Pay the chosen ones with one transfer',
  },
  journey: {
    signIn: 'Sign in',
    payer: 'Who is paying',
    price: 'Price',
    transfer: 'Transfer',
    paid: 'Paid',
  },
  answers: {
    money: 'Where is my money?',
    next: 'What happens next?',
    todo: 'What must I do, or not do?',
    ask: 'Whom do I ask?',
    org: (org: Node, reference: Node) => prose`${org}, reference ${reference}`,
    nothing: 'You have paid nothing.',
    nothingYet: 'You have paid nothing yet.',
    received: (amount: string, partner: string) => `${partner} holds ${amount} from you.`,
    closed: 'This payment is closed. Nothing more happens here.',
    mailed: 'We email you when it is done.',
    doNothing: 'You don’t have to do anything. You may close this page.',
    notYet:
      'Do not send money yet: you have no bank details so far, and any that reach you by email ' +
      'are not ours.',
    notAgain: 'Do not pay again.',
    notOldDetails: 'Do not use the old bank details again.',
    otherWay: (payee: string) => `Ask ${payee} for another way to pay.`,
    arrives: 'If you did send money, it goes back to you.',
  },
  ask: {
    heading: (payee: string) => `${payee} asks you to pay`,
    over: (payee: string) => `Payment to ${payee}:`,
    send: 'Send me a sign-in link',
    sendHint: (org: string) =>
      `It goes to the address that ${org} has for you. We show line items and bank details ` +
      'only after you sign in.',
    closed: 'This request is closed. Nothing is to be paid.',
    paidHint: 'Sign in to see the state of this payment and your receipt.',
    how: 'How this works',
    steps: [
      <>
        <b>Sign in</b> with the link in your email. No password. <span class="quiet">1 minute</span>
      </>,
      <>
        <b>Tell us who is paying.</b> The law asks for it, the first time only.{' '}
        <span class="quiet">About 10 minutes</span>
      </>,
      <>
        <b>Check the price</b> and see what the payee receives. <span class="quiet">1 minute</span>
      </>,
      <>
        <b>Send a bank transfer</b> from your own bank.{' '}
        <span class="quiet">It takes 1 to 5 working days to arrive</span>
      </>,
    ],
    who: (org: string) => `Who is ${org}?`,
    whoText: (org: string, payee: string) =>
      org === payee
        ? `${org} collects this payment through Ponte.`
        : `${org} collects this payment for ${payee} through Ponte.`,
  },
  sent: {
    heading: 'Check your email',
    lede: (org: string) =>
      `A link is on its way to the address that ${org} has for you. It works for at least ` +
      '15 minutes.',
    noMail: 'No email?',
    spam: 'Look in the spam folder.',
    wait: 'Ask for another one. If it is too soon, this page says when you can.',
    address: (org: string) => `Ask ${org} which address it has for you. We cannot change it here.`,
    again: 'Send another link',
  },
  enter: {
    heading: (email: string) => `Continue as ${email}?`,
    request: (payee: Node, amount: Node, org: string) =>
      prose`You are about to open a request by ${payee} for ${amount}. ${org} sent it to you.`,
    approval: (payee: Node, amount: Node) => (
      <>
        You are about to open a payment to {payee} of {amount}. A colleague asks you to approve it.
      </>
    ),
    form: (org: string) =>
      `You are about to open a form that ${org} asks you to fill in: it says who you are.`,
    notYou: (
      <>
        <b>Not you?</b> Close this page, nothing happens. Nobody is signed in until you press
        Continue.
      </>
    ),
  },
  linkEnded: {
    lede: 'Nothing was paid or changed.',
    sendTo: (email: string) => `Send a new link to ${email}`,
    send: 'Send a new link',
    money: 'You have paid nothing with this link.',
    used: (when: Node) => prose`It was opened on ${when}. Each link works once.`,
    over: (when: Node) => prose`It ran out on ${when}.`,
    unknown: 'Perhaps a newer one replaced it, or a part of it was lost on the way.',
    next: 'A new one arrives in about a minute and works for at least 15 minutes.',
    notYou: (org: string) =>
      `If it was not you who opened it, let ${org} know. Otherwise ask for a new link.`,
    todo: 'Ask for a new link. You don’t have to start again.',
  },
  kyc: {
    heading: 'Tell us who is paying',
    lede: 'It takes about 10 minutes, the first time only.',
    why: 'Why we ask',
    whyText:
      'The law requires us and our settlement partner to know who pays, and who owns the payer. ' +
      'The partner checks what you send. Files are deleted when it has decided.',
    hand: 'Have at hand',
    company: 'For a company',
    companyList: [
      'Its registration number and the date of its formation',
      'A document of its incorporation, and one that shows who owns it',
      'For everyone who owns 25% or more, and one person who runs it: passport, photo of the ' +
        'face, proof of address',
    ],
    person: 'For a person',
    personList: ['Your passport or identity card', 'A photo of your face'],
    notAlone:
      'You don’t have to have it all: owners can add their own documents through a link, and you ' +
      'never see them.',
    saved: 'Each step is saved. You can stop and come back.',
    start: 'Start',
    resume: 'Continue the form',
    facts: {
      heading: 'Were you verified before?',
      lede:
        'Your identity was checked for an earlier payment. Confirm two details of it and ' +
        'you need no new check.',
      born: 'Date of birth, or of formation of the company',
      bornHint: 'Year, month, day: 1990-01-31.',
      number: 'Tax number, or number of the identity document',
      numberHint: 'As it was given for the earlier check.',
      send: 'Confirm',
    },
    wait: 'We are checking your details',
    usual: (hours: number) =>
      hours === 1
        ? 'Most checks take less than 1 hour.'
        : `Most checks take less than ${hours} hours.`,
    waitMail: (email: Node) =>
      prose`We email ${email} when it is done, unless this page shows it first.`,
    thenPrice: 'Then you see the price.',
    sentOn: (when: Node) => prose`Sent ${when}.`,
    correct: (count: number) =>
      count === 1 ? 'Please correct one thing' : `Please correct ${count} things`,
    correctAll: 'Please correct your details',
    correctNext: 'When you have sent the corrections, the check goes on.',
    correctBy: {
      ahead: (when: Node) => prose`Send them by ${when}.`,
      over: (when: Node) => prose`They were asked for by ${when}. Send them now.`,
    },
    correctTodo: 'Correct only what is listed here. Everything else is kept.',
    correctStart: 'Correct now',
    approved: 'Your details are complete',
    approvedText: 'Nothing more is needed. You may close this page.',
    rejected: 'We cannot accept your details',
    rejectedText: (org: string) => `Ask ${org} what to do.`,
    alone: 'Tell us who you are',
    closed: 'The check is over.',
    noMoney: 'This form is not about a payment.',
  },
  stopChange: {
    stop: 'Stop the change',
    held: {
      heading: 'Stop the change of the PIX destination?',
      text: 'Nothing is then paid to the new one. You cannot undo this here.',
    },
    stopped: {
      heading: 'The change was stopped',
      text: 'Nothing is paid to the new PIX destination. Ask who set it; revoke the API key.',
    },
    effective: {
      heading: 'It is too late to stop this change',
      text: 'New payments go to the new destination. Is it wrong? Call the company that collects.',
    },
    replaced: {
      heading: 'A later change replaced this one',
      text: 'If it is wrong, too: open the link in the email about the later change.',
    },
  },
  verify: {
    over: 'But their payment awaits no more money. Do not pay to them now.',
    lede: 'Did we give these bank details? Compare before you pay.',
    page: 'Payment page',
    pageHint: 'Its address, or the short id beside the check code.',
    value: 'Check code or account number',
    valueHint: 'As on the page or on paper, for example 7KQ4-M2XD.',
    check: 'Check',
    ours: (when: Node) => prose`These are the details that we gave on ${when}.`,
    never: (
      <>
        <b>We never gave these details.</b> Do not pay. Call the company that you want to pay, on a
        number that you already have.
      </>
    ),
    incompletePage: 'Enter the address of the payment page, or its short id.',
    incompleteValue: 'Enter the check code or the account number.',
  },
  problem: {
    not_found: {
      heading: 'Page not found',
      text:
        'Check the address, or open the link in your email again. The company that asked you to ' +
        'pay can send you a new one.',
    },
    too_many: {
      heading: 'Too many attempts',
      text: 'Wait some minutes, then try again. Nothing was changed.',
    },
    session_over: {
      heading: 'You are signed out',
      text: 'What you saved is kept. Open the page again to get a new sign-in link.',
    },
    forbidden: {
      heading: 'This request was not accepted',
      text: 'It did not come from this page, so nothing was changed. Try again from here.',
    },
    out_of_order: {
      heading: 'Something went wrong on our side',
      text: 'We do not know whether your last step counted. The page shows it: open it again.',
    },
    open: 'Open the page',
  },
  notice: {
    out_of_date: (
      <>
        <b>This page was out of date.</b> Nothing was changed. This is the current state.
      </>
    ),
    signed_out: (
      <>
        <b>You were signed out.</b> Sign in again, and you come back to your page.
      </>
    ),
    no_cookies: (
      <>
        <b>Your browser sent us no cookie.</b> If it blocks cookies, allow them for this site:
        sign-in needs one. Then open the link of the email again, or ask for another one.
      </>
    ),
    unsaved: (
      <>
        <b>You were signed out before your last page was sent.</b> What you entered on it is not
        saved, everything before is. Sign in again, and you come back to it.
      </>
    ),
    code_wrong: 'This code is not right. Check the six digits and try again.',
    code_expired: 'This code no longer works. Send another link.',
    together_too_much:
      'Together these are more than one transfer may have. Choose fewer, or pay them one by one.',
    choose_together: 'Choose two or more open payments to one payee in one currency.',
    quote_unavailable: 'We could not get a price just now. Try again in a moment.',
    take_back_asked: 'We return your money. You don’t have to do anything else.',
    question_sent: 'Your question is on its way. The answer comes by email.',
    facts_wrong:
      'These do not match the details that we know. Fill in the form instead, or try ' +
      'again if the page asks.',
  },
  limited: {
    link_sent: (until: Node, sentAt: Node) => (
      <>
        <b>A link was emailed at {sentAt}.</b> Open the newest email: its link works in this
        browser, too. You can ask for another one at {until}.
      </>
    ),
    mail_too_soon: (until: Node) => (
      <>
        <b>No email was sent,</b> because many were asked for. Ask again at {until}.
      </>
    ),
    code_too_often: (until: Node) => (
      <>
        <b>Too many codes were tried.</b> Open the link in the email, or enter a code at {until}.
      </>
    ),
    tryAgain: (until: Node) => prose`Nothing was changed. Try again at ${until}.`,
  },
  simulate: {
    heading: 'Simulate (test mode only)',
    groups: {
      identity: 'Identity',
      quote: 'Quote',
      money: 'Money',
      payout: 'Payout and refund',
    } satisfies Record<SimulatedGroup, string>,
    events: {
      identity_sent: 'Fill in and send made-up data',
      identity_approved: 'Approve',
      identity_rejected: 'Reject',
      identity_documents_again: 'Ask for the passport again',
      identity_pending: 'Keep waiting',
      quote_expired: 'Let it run out',
      rate_moved: 'Move the rate',
      rate_locked: 'Lock the rate',
      money_arrives: 'Arrives',
      money_from_other: 'From another name',
      money_short: '1.00 short',
      money_top_up: 'The rest arrives',
      money_over: 'Too much',
      money_twice: 'Twice',
      money_unmatched: 'Without a reference',
      money_fails: 'Fails',
      money_late: 'Arrives after the end',
      payout_completes: 'Payout completes',
      payout_fails: 'Payout fails, money not back',
      payout_returns: 'Payout comes back',
      refund_completes: 'Refund completes',
      refund_fails: 'Refund fails',
    } satisfies Record<SimulatedEvent, string>,
  },
};

export type Catalogue = typeof en;
