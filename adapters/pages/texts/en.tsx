// English texts of the hosted pages. The catalogues of the other languages have the same keys; each
// text exists once. Names, amounts and counts come in formatted, times as elements.
import type { ComponentChildren as Node } from 'preact';

export const en = {
  frame: {
    skip: 'Skip to content',
    pageBy: 'Payment page by',
    test: 'TEST',
    testBar: 'No real money moves. Send nothing to this account.',
    title: (heading: string, payee: string) => `${heading} – Pay ${payee}`,
    errorTitle: (title: string) => `Error: ${title}`,
    progress: 'Progress',
    done: 'done: ',
    thisPayment: 'This payment',
    to: 'To',
    purpose: 'For',
    invoice: 'Invoice',
    due: 'Due',
    help: 'Help',
    helpText: (org: string, reference: Node) => (
      <>
        Questions about this payment? Ask {org} and give the reference {reference}.
      </>
    ),
    helpForm: (org: string) => `Questions about this form? Ask ${org}.`,
    neverMailed: 'We never send bank details by mail.',
    verify: 'Check bank details',
    signOut: 'Sign out',
    language: 'Language',
    copy: 'Copy',
    copied: 'Copied',
    checkAgain: 'Check again',
    live: 'This page updates by itself.',
    print: 'Print',
    sessionEnds: 'You will be signed out in 2 minutes.',
    stay: 'Stay signed in',
    continue: 'Continue',
    you: 'You',
    partner: 'Settlement partner',
    back: 'Back',
    and: (items: readonly string[]) =>
      new Intl.ListFormat('en', { type: 'conjunction' }).format(items),
    or: (items: readonly string[]) =>
      new Intl.ListFormat('en', { type: 'disjunction' }).format(items),
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
    next: 'What happens next, and by when?',
    todo: 'What must I do, or not do?',
    ask: 'Whom do I ask?',
    org: (org: Node, reference: Node) => (
      <>
        {org}, reference {reference}
      </>
    ),
    nothing: 'You have paid nothing.',
    nothingYet: 'You have paid nothing yet.',
    received: (amount: string, partner: string) => `${amount} from you is with ${partner}.`,
    closed: 'This payment is closed. Nothing more happens here.',
    mailed: 'We mail you when it is done.',
    doNothing: 'You need do nothing. You may close this page.',
    notYet:
      'Do not send money yet: you have no bank details so far, and any that reach you by mail ' +
      'are not ours.',
    notAgain: 'Do not pay again.',
    notOldDetails: 'Do not use the old bank details again.',
    otherWay: (payee: string) => `Ask ${payee} for another way to pay.`,
    arrives: 'If you did send money, it goes back to you.',
  },
  money: {
    heading: 'Your money',
    amount: 'Amount',
    asked: 'Asked for',
    received: 'Received from you',
    receivedOn: (day: Node) => <>Received from you on {day}</>,
    missing: 'Missing',
    refunded: 'Returned to you',
    goingBack: 'Goes back to you',
    review: 'Being looked into',
    forPayee: (payee: string) => `For ${payee}`,
  },
  route: {
    heading: 'Where the money is',
    withYou: 'with you: nothing has arrived yet',
    sent: (amount: string) => `sent ${amount}`,
    converts: (from: string) => `converts ${from} to BRL`,
    holds: (amount: string) => `holds ${amount}`,
    arrived: (when: Node) => <>arrived {when}</>,
    passedOn: 'has passed it on',
    waits: 'is paid when all is here',
    receives: 'receives BRL',
    receivesAbout: (amount: string) => `receives about ${amount}`,
    receivesExactly: (amount: string) => `receives ${amount}`,
    pix: 'is being paid by PIX',
    paidOut: (amount: string) => `received ${amount}`,
    returns: 'returns the money',
    banks: 'Banks',
    onItsWay: (amount: string) => `${amount} is on its way`,
    takesDays: 'up to 5 working days',
    backWithYou: (amount: string) => `${amount} is back`,
  },
  ask: {
    heading: (payee: string) => `${payee} asks you to pay`,
    over: (payee: string) => `Payment to ${payee}:`,
    send: 'Send me a sign-in link',
    sendHint: (org: string) =>
      `It goes to the address that ${org} has for you. We show line items and bank details ` +
      'only after you sign in.',
    paidHint: 'Sign in to see the state of this payment and your receipt.',
    how: 'How this works',
    steps: [
      <>
        <b>Sign in</b> with the link in your mail. No password. <span class="quiet">1 minute</span>
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
      `${org} asked Ponte to collect this payment for ${payee}.`,
  },
  sent: {
    heading: 'Check your mail',
    lede: (org: string) =>
      `A link is on its way to the address that ${org} has for you. It works for 15 minutes.`,
    code: 'Or type the six digits from the mail',
    codeHint: 'They work only in this browser.',
    noMail: 'No mail?',
    spam: 'Look in the spam folder.',
    wait: 'Ask for another one after 60 seconds.',
    address: (org: string) => `Ask ${org} which address it has for you. We cannot change it here.`,
    again: 'Send another link',
  },
  enter: {
    heading: (email: string) => `Continue as ${email}?`,
    request: (payee: Node, amount: Node, org: string) => (
      <>
        You are about to open a request by {payee} for {amount}, sent to you by {org}.
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
  linkOver: {
    heading: 'This link no longer works',
    lede: 'Nothing was paid or changed.',
    sendTo: (email: string) => `Send a new link to ${email}`,
    send: 'Send a new link',
    money: 'You have paid nothing with this link.',
    used: (when: Node) => <>It was opened on {when}. Each link works once.</>,
    over: (when: Node) => <>It ran out on {when}.</>,
    unknown: 'Perhaps a newer one replaced it, or a part of it was lost on the way.',
    next: 'A new one arrives in about a minute and works for 15 minutes.',
    notYou: (org: string) =>
      `If it was not you who opened it, contact ${org}. Otherwise ask for a new link.`,
    todo: 'Ask for a new link. You need not start again.',
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
      'For everyone who owns 25 % or more, and one person who runs it: passport, photo of the ' +
        'face, proof of address',
    ],
    person: 'For a person',
    personList: ['Your passport or identity card', 'A photo of your face'],
    notAlone:
      'You need not have it all: owners can add their own documents through a link, and you ' +
      'never see them.',
    saved: 'Each step is saved. You can stop and come back.',
    start: 'Start',
    resume: 'Continue the form',
    wait: 'We are checking your details',
    usual: (hours: number) =>
      hours === 1
        ? 'Most checks take less than 1 hour.'
        : `Most checks take less than ${hours} hours.`,
    waitMail: (email: Node) => <>We mail {email} when it is done.</>,
    thenPrice: 'Then you see the price.',
    sentOn: (when: Node) => <>Sent {when}.</>,
    correct: (count: number) =>
      count === 1 ? 'Please correct one thing' : `Please correct ${count} things`,
    correctAll: 'Please correct your details',
    correctNext: 'When you have sent the corrections, the check goes on.',
    correctBy: (when: Node) => <>Send them by {when}.</>,
    correctTodo: 'Correct only what is listed here. Everything else is kept.',
    correctStart: 'Correct now',
    approved: 'Your details are complete',
    approvedText: 'Nothing more is needed. You may close this page.',
    rejected: 'We cannot accept your details',
    rejectedText: (org: string) => `Ask ${org} what to do.`,
    closed: 'The check is over.',
    noMoney: 'This form is not about a payment.',
  },
  price: {
    ask: (payee: string) => `See what ${payee} will receive`,
    askText: 'Your details are complete. We now ask for a price, which holds for a few minutes.',
    show: 'Show the price',
    heading: 'Check and confirm',
    youPay: 'You pay',
    fees: 'Fees, included',
    rate: 'Rate',
    receives: (payee: string) => `${payee} receives`,
    about: 'about',
    before: (value: string) => `before: ${value}`,
    indicative: (amount: string) =>
      'The final amount follows the rate when your transfer arrives. What you pay stays ' +
      `${amount}. Your own bank may charge for the transfer.`,
    locked: 'The amount is guaranteed. Your own bank may charge for the transfer.',
    lockedUntil: (when: Node) => (
      <>
        The amount is guaranteed if your transfer arrives by {when}. Your own bank may charge for
        the transfer.
      </>
    ),
    confirm: (amount: string) => `Confirm ${amount}`,
    confirmHint: 'Confirming moves no money. You see the bank details next.',
    until: (time: Node) => <>This price holds until {time}.</>,
    after: 'After that, one click gets a new one.',
    left: '{time} left',
    left120: '2 minutes left',
    left30: '30 seconds left',
    over: 'This price has run out',
    overNext: (when: Node) => (
      <>It ended on {when}. A new price takes a moment, and you enter nothing again.</>
    ),
    overTodo: 'Get a new price, then check and confirm it.',
    renew: 'Get a new price',
    changed: 'The price was updated',
    changedText: 'Nothing was confirmed. Check the new price, then confirm it.',
    items: 'Line items and notes',
    lines: 'Line items',
    item: 'Item',
    quantity: 'Quantity',
    unitPrice: 'Unit price',
    subtotal: 'Subtotal',
    notes: 'Notes',
  },
  transfer: {
    preparing: 'Preparing your bank details',
    preparingNext:
      'They are ready in a few seconds. If it takes longer than 2 minutes, we mail you.',
    heading: (amount: string) => `Send ${amount} by bank transfer`,
    nothing: 'Nothing has arrived yet.',
    days: (from: number, to: number) =>
      from === to
        ? `Bank transfers take ${to} working ${to === 1 ? 'day' : 'days'}.`
        : `Bank transfers take ${from} to ${to} working days.`,
    someDays: 'Bank transfers take some working days.',
    match: 'These two must match exactly',
    matchAmount: 'The amount must match exactly',
    reference: 'Reference',
    referenceNote:
      'Put the reference in the field “reference”, “memo” or “message to payee”. Without it we ' +
      'cannot tell that the money is yours: it waits until a person finds it, or goes back.',
    referenceHelps:
      'The account is for this payment only. If there is room, send the reference too.',
    account: (rails: string) => `Account for ${rails}`,
    rails: {
      ach: 'a US bank transfer (ACH)',
      wire: 'a US wire transfer',
      rtp: 'a US instant payment (RTP)',
      swift: 'a transfer from another country (SWIFT)',
      sepa: 'a SEPA transfer',
      fps: 'a UK bank transfer (Faster Payments)',
      pix: 'PIX',
    },
    fields: {
      beneficiary: 'Account holder',
      accountNumber: 'Account number',
      iban: 'IBAN',
      routingNumber: 'Routing number',
      bic: 'BIC (SWIFT)',
      accountType: 'Account type',
      bank: 'Bank',
      bankAddress: 'Bank’s address',
      beneficiaryAddress: 'Holder’s address',
      code: 'Code',
    },
    holder: (holder: string, payee: string) =>
      `The account belongs to ${holder}, which converts your payment for ${payee}. It is normal ` +
      `that the name is not ${payee}.`,
    charges: 'Charges',
    chargesOur: '“OUR”: you pay them, so that the full amount arrives',
    newAccount: (payee: string) => (
      <>
        <b>New account for {payee}.</b> You have not paid to it before.{' '}
        <a href="#check">Check it by phone</a> before you pay.
      </>
    ),
    sameAccount: (day: Node, payee: string) => (
      <>
        Same account as your payment of {day} to {payee}.
      </>
    ),
    check: 'Is this account right?',
    checkText: (payee: string) =>
      `Call ${payee} on a number that you already have, not one from a mail. Ask them to read ` +
      'this code to you.',
    checkCode: 'Check code',
    checkOther: 'Check a code or account',
    given: (when: Node) => <>Given on {when}.</>,
    changes: 'If they ever change, this page says so and asks you again.',
    sentAlready: 'Already sent?',
    sentText: (
      <>
        You need do nothing more. We mail you when it arrives. <b>Do not pay again</b> if it takes a
        few days.
      </>
    ),
    payBy: (when: Node) => <>Pay by {when}; money that comes later is returned.</>,
    print: 'Print these details',
    details: 'Bank details',
    printedFor: (payee: string) => `For your payment to ${payee}`,
  },
  short: {
    heading: (amount: string) => `${amount} is still missing`,
    received: (amount: string) => `We received ${amount}.`,
    receivedOn: (amount: string, day: Node) => (
      <>
        We received {amount} on {day}.
      </>
    ),
    next: (amount: string, payee: string) => `When ${amount} is here we pay ${payee} and mail you.`,
    by: (when: Node) => <>If it is not here by {when}, we return everything.</>,
    todo: (amount: string) =>
      `Send ${amount}, or ask for it all back. Do not send the whole amount again.`,
    rest: 'Send exactly the rest',
    referenceAsBefore: 'Reference, as before',
    sameAccount: (ending: string) => `To the same account, number ending ${ending}.`,
    sameAccountPlain: 'To the same account.',
    showDetails: 'Show the bank details',
    our: 'Choose “OUR” for the charges: most often a bank on the way took the difference.',
    back: 'Or take it all back',
    backText: (amount: string) =>
      `If you would rather not pay, we return ${amount} to the account it came from.`,
    backAsk: (amount: string) => `Ask for ${amount} back`,
    confirm: (amount: string) => `Take ${amount} back?`,
    confirmLede: (payee: string) => `This ends the payment. ${payee} is not paid.`,
    confirmNext: (amount: string) =>
      `We return ${amount} to the account it came from. Banks take up to 5 working days.`,
    confirmTodo: 'It cannot be undone. Send no more money with these bank details.',
    confirmYes: (amount: string) => `Yes, return ${amount}`,
    confirmNo: 'No, keep the payment',
  },
  arrived: {
    heading: 'Your money has arrived',
    lede: (amount: string, payee: string) => `We hold ${amount} for ${payee}.`,
    surplus: (received: string, surplus: string) =>
      `We received ${received}. ${surplus} goes back to you.`,
    next: (payee: string) => `We pay ${payee} in BRL. Your receipt follows by mail.`,
    onItsWay: (payee: string) => `On its way to ${payee}`,
    onItsWayLede: 'BRL is being paid by PIX.',
    onItsWayNext: 'PIX takes minutes, rarely some hours. Your receipt follows by mail.',
    withPayee: (amount: string, payee: string) =>
      `Your ${amount} was converted and is on its way to ${payee}.`,
  },
  paid: {
    lede: (payee: string, amount: string, day: Node) => (
      <>
        {payee} received {amount} on {day}.
      </>
    ),
    receipt: 'Receipt',
    youPaid: 'You paid',
    paidOut: 'Paid out',
    payer: 'Payer',
    payee: 'Payee',
    cnpj: (last4: string) => `CNPJ ending ${last4}`,
    receivedAt: 'Transfer arrived',
    paidOutAt: 'Paid out on',
    brasilia: (time: string) => `${time} in Brasília`,
    endToEndId: 'PIX end-to-end id',
    transaction: 'Transaction',
    payment: 'Payment',
    notTax: (payee: string) =>
      `This is a receipt, not a tax document. The invoice comes from ${payee}.`,
    returnTo: (host: string) => `Back to ${host}`,
    returning: (host: string) => `Returning you to ${host} in 10 seconds.`,
    stay: 'Stay here',
    print: 'Print or save as PDF',
  },
  ended: {
    rejected: 'We cannot take this payment',
    failed: 'The payment did not go through',
    failedMoney: 'Nothing was taken by us.',
    failedTodo: (payee: string) =>
      `Send no money with these bank details. Ask ${payee} how to pay.`,
    review: 'We are looking into your payment',
    reviewLede: (amount: string) =>
      `Your ${amount} reached us. The last step failed; a person is on it.`,
    reviewLedePlain: 'The last step failed; a person is on it.',
    reviewMoney: 'It is somewhere between us and the banks. We are finding out where.',
    reviewNext: 'A person finds out where the money is, then pays it out or returns it to you.',
    reviewMail: 'We mail you as soon as we know.',
    cancelled: (payee: string) => `${payee} withdrew this request`,
    expired: 'This request is no longer open',
    expiredNext: 'If a transfer is on its way, it is returned.',
    expiredTodo: (payee: string) => `Ask ${payee} for a new request if you still want to pay.`,
    endedOn: (when: Node) => <>It ended on {when}.</>,
  },
  refund: {
    heading: 'Your money is coming back',
    cause: {
      cancelled: 'The request was withdrawn.',
      expired: 'The request had ended when your transfer arrived.',
      failed: 'The payment could not be completed.',
    },
    money: (amount: string) => `${amount} is on its way back to you.`,
    owed: (amount: string) => `${amount} goes back to you.`,
    ordered: (day: Node) => <>Ordered on {day}; banks take up to 5 working days.</>,
    orderedPlain: 'It is ordered; banks take up to 5 working days.',
    ordering: 'We are ordering the return; banks then take up to 5 working days.',
    sameAccount: 'It arrives on the account that you paid from.',
    done: 'Your money is back',
    doneLede: (amount: string) => `${amount} went back to the account that you paid from.`,
    doneOn: (amount: string, day: Node) => (
      <>
        {amount} went back on {day} to the account that you paid from.
      </>
    ),
    doneTodo: (org: string) =>
      `If your bank does not show it after 5 working days, ask ${org} and give the reference.`,
    review: 'We need a moment to return your money',
    reviewMoney: (amount: string) => `We owe you ${amount}.`,
    reviewNext: 'The return did not go through. A person looks at it and will contact you.',
  },
  verify: {
    lede: 'Did we give these bank details? Compare before you pay.',
    page: 'Payment page',
    pageHint: 'The address of the payment page, or its last part.',
    value: 'Check code or account number',
    valueHint: 'As on the page or on paper, for example 7KQ4-M2XD.',
    check: 'Check',
    ours: (when: Node) => <>These are the details that we gave on {when}.</>,
    never: (
      <>
        <b>We never gave these details.</b> Do not pay. Call the company that you want to pay, on a
        number that you already have.
      </>
    ),
    incompletePage: 'Enter the address of the payment page.',
    incompleteValue: 'Enter the check code or the account number.',
  },
  errors: {
    heading: (count: number) =>
      count === 1 ? 'There is one problem' : `There are ${count} problems`,
  },
  problem: {
    not_found: {
      heading: 'Page not found',
      text:
        'Check the address, or open the link in your mail again. The company that asked you to ' +
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
    code_wrong: 'This code is not right. Check the six digits and try again.',
    code_over: 'This code no longer works. Send another link.',
    link_too_soon: 'A link was sent less than a minute ago. Wait 60 seconds, then ask again.',
    quote_unavailable: 'We could not get a price just now. Try again in a moment.',
    take_back_asked: 'We return your money. You need do nothing more.',
  },
  simulate: {
    heading: 'Simulate (test mode only)',
    groups: {},
    events: {},
  },
};

export type Catalogue = typeof en;
