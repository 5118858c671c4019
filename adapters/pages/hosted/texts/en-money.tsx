// English texts about prices, transfers, receipts and refunds.
import type { ComponentChildren as Node } from 'preact';
import type { LimitPeriod } from '../../../../core/domain/payments/amount-limit.js';
import type { Purpose } from '../../../../core/domain/payments/purpose.js';
import { sentence } from '../../kit/format.js';
import { prose } from '../../kit/frame-texts.js';

export const enMoney = {
  money: {
    heading: 'Your money',
    asked: 'Asked for',
    received: 'Received from you',
    receivedOn: (day: Node) => prose`Received from you on ${day}`,
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
    lockedUntil: {
      ahead: (when: Node) => (
        <>
          The amount is guaranteed if your transfer arrives by {when}. Your own bank may charge for
          the transfer.
        </>
      ),
      over: (when: Node) => (
        <>
          The amount was guaranteed for transfers until {when}. Your own bank may charge for the
          transfer.
        </>
      ),
    },
    confirm: (amount: string) => `Confirm ${amount}`,
    confirmHint: 'Confirming moves no money. You see the bank details next.',
    until: (time: Node) => prose`This price holds until ${time}.`,
    after: 'After that, one click gets a new one.',
    payWithin: (days: number) =>
      `The bank details work for ${days} days. Money that comes later is returned.`,
    tooEarly: (days: number, day: Node) => (
      <>
        This payment is due on {day}: to pay on that day, confirm within {days} days before it.
      </>
    ),
    left: '{time} left.',
    left120: '2 minutes left',
    left30: '30 seconds left',
    over: 'This price has run out',
    overNext: (when: Node) =>
      prose`It ended on ${when}. A new price takes a moment, and you enter nothing again.`,
    overTodo: 'Get a new price, then check and confirm it.',
    renew: 'Get a new price',
    changed: 'The price was updated',
    changedText: 'Nothing was confirmed. Check the new price, then confirm it.',
    items: 'Line items and notes',
    lines: 'Line items',
    item: 'Item',
    unitPrice: 'Unit price',
    subtotal: 'Subtotal',
    total: 'Total',
    notes: 'Notes',
  },
  limit: {
    heading: 'This amount cannot be paid now',
    cause: {
      payment: (payee: string, left: string | null) =>
        left === null
          ? `It is more than ${payee} can receive in one payment.`
          : `${payee} can receive at most ${left} in one payment.`,
      day: (payee: string, left: string | null) =>
        left === null
          ? `${payee} has reached a limit and can receive nothing more today.`
          : `${payee} has a daily limit and can receive at most ${left} more today.`,
      month: (payee: string, left: string | null) =>
        left === null
          ? `${payee} has reached a limit and can receive nothing more this month.`
          : `${payee} has a monthly limit and can receive at most ${left} more this month.`,
      unknown: (payee: string, _left: string | null) =>
        `It is over a limit of what ${payee} can receive.`,
      transfer: (_payee: string, _left: string | null) =>
        'By the rule for these payments, it is more than one transfer may have.',
    } satisfies Record<LimitPeriod, (payee: string, left: string | null) => string>,
    until: (when: Node) => prose`It may be possible from ${when}.`,
    next: 'It becomes possible if the limit is raised. This request stays open.',
    wait: (org: string) => `Come back then, or ask ${org} for a smaller amount.`,
    ask: (org: string) => `Ask ${org} for a smaller amount or another way to pay.`,
  },
  purposes: {
    goods: 'Goods',
    services: 'Services',
    software_and_licenses: 'Software and licenses',
    royalties: 'Royalties',
    freight_and_logistics: 'Freight and logistics',
    advertising: 'Advertising',
    commissions: 'Commissions',
    rentals: 'Rentals',
    other: 'Other',
  } satisfies Record<Purpose, string>,
  together: {
    heading: (count: number) => `Pay ${count} payments with one transfer`,
    lede: (payee: string) =>
      `All go to ${payee}. Confirm the price of each: then you get one set of bank details with ` +
      'one reference.',
    receives: 'Payee receives',
    total: 'You transfer in total',
    order:
      'The money pays the payment that is due first in full, then the next one. If less arrives ' +
      'than the total, the last ones stay open.',
    isSent: 'If you have already sent money for one of them, do not choose it.',
    accepted: 'Without fees and rate: you have confirmed that price before.',
    pays: (count: number) => `This one transfer pays ${count} payments`,
    remittance: 'Remittance advice',
    remittanceText: 'One document for this transfer, with all its payments and numbers.',
    remittancePrint: 'Print the advice',
    once: 'Send the total once, with this reference. Do not send a transfer for each payment.',
  },
  transfer: {
    preparing: 'Preparing your bank details',
    preparingNext:
      'They are ready in a few seconds. If you close this page before that, we email you.',
    heading: (amount: string) => `Send ${amount} by bank transfer`,
    nothing: 'Nothing has arrived yet.',
    takes: 'Time it takes',
    days: (from: number, to: number) => {
      if (to === 0) return 'the same day';
      const days = `${to} working ${to === 1 ? 'day' : 'days'}`;
      if (from === to) return days;
      return `${from === 0 ? 'up' : from} to ${days}`;
    },
    match: 'Copy these exactly',
    matchAmount: 'The amount must match exactly',
    referenceNote:
      'Put the reference in the field “reference”, “memo” or “message to payee”. Without it we ' +
      'cannot tell that the money is yours: it waits until a person finds it, or goes back.',
    referenceHelps:
      'The account alone shows that the money is yours. If there is room, send the reference too.',
    accounts: {
      us: 'Account in the US',
      abroad: 'Account for transfers from other countries',
      euros: 'Account for transfers in euros',
      uk: 'Account in the UK',
      brazil: 'Account in Brazil',
    },
    accountTypes: { checking: 'Checking', savings: 'Savings' },
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
      code: 'Sort code',
    },
    holder: (holder: string, payee: string) =>
      `The account belongs to ${holder}, which converts your payment for the payee. It is normal ` +
      `that ${payee} is not the account holder.`,
    scan: 'Scan with your banking app',
    scanLabel: 'QR code with account, amount and reference',
    charges: 'Charges',
    chargesOur: 'Choose “OUR”: you pay the banks’ charges, and the full amount arrives.',
    newAccount: (payee: string) => (
      <>
        <b>This account for {payee} is new.</b> You have not paid to it before.{' '}
        <a href="#check">Check it by phone</a> before you pay.
      </>
    ),
    sameAccount: (day: Node, payee: string) =>
      prose`You paid ${payee} to this same account on ${day}.`,
    replaced: (changed: Node, before: Node, check: string) => (
      <>
        <b>These bank details changed on {changed}.</b> Do not use those of {before}.{' '}
        <a href={check}>Check the new ones by phone</a> before you pay.
      </>
    ),
    check: 'Is this account right?',
    checkText: (payee: string) =>
      `Call ${payee} on a number that you already have, not one from an email. Ask them to read ` +
      'this code to you.',
    checkCode: 'Check code',
    address: 'Address of this page',
    shortId: 'Short id of this page',
    checkOther: 'Check a code or account',
    given: (when: Node) => prose`Given on ${when}.`,
    changes: 'If they ever change, this page says so and we email you.',
    sentAlready: 'Already sent?',
    sentText: (
      <>
        You don’t have to do anything else. We email you when it arrives. <b>Do not pay again</b> if
        it takes a few days.
      </>
    ),
    payBy: {
      ahead: (day: Node) =>
        prose`Send it so that it arrives by ${day}: money that comes later is returned.`,
      over: (day: Node) =>
        prose`It had to arrive by ${day}. Do not send it now: money that comes later is returned.`,
    },
    invoiceDue: {
      ahead: (day: Node) => prose`The invoice is due on ${day}.`,
      over: (day: Node) => prose`The invoice was due on ${day}.`,
    },
    firstDue: {
      ahead: (day: Node) => prose`The first of these payments is due on ${day}.`,
      over: (day: Node) => prose`The first of these payments was due on ${day}.`,
    },
    print: 'Print these details',
    late: (org: string) =>
      'Your transfer has not arrived, although it should have by now. If you sent it, ask your ' +
      `bank where it is and let ${org} know. If you did not, you can still send it.`,
    details: 'Bank details',
    printedFor: (payee: string) => sentence(`For your payment to ${payee}.`),
  },
  late: 'This takes longer than usual. We are looking into it and email you when it goes on.',
  held: {
    heading: 'Your transfer is being checked',
    lede: 'Your money has arrived. Our settlement partner checks it before it counts.',
    money: (partner: string) => `${partner} has your transfer.`,
    next: (payee: string) =>
      `When the check is over we pay ${payee} and email you. It can take up to 30 days.`,
  },
  short: {
    heading: (amount: string) => `${amount} is still missing`,
    received: (amount: string) => `We received ${amount}.`,
    receivedOn: (amount: string, day: Node) => prose`We received ${amount} on ${day}.`,
    next: (amount: string, payee: string) =>
      `When ${amount} is here we pay ${payee} and email you.`,
    by: {
      ahead: (when: Node) => prose`If it is not here by ${when}, we return everything.`,
      over: (when: Node) => prose`It had to be here by ${when}: we return everything.`,
    },
    todo: (amount: string) =>
      `Send ${amount}, or ask for it all back. Do not send the whole amount again.`,
    rest: 'Send exactly the rest',
    referenceAsBefore: 'Reference, as before',
    sameAccount: (ending: string) => `To the same account, number ending ${ending}.`,
    sameAccountPlain: 'To the same account.',
    showDetails: 'Show the bank details',
    our: 'Choose “OUR” for the charges: usually a bank on the way has taken the difference.',
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
    lede: (amount: string, payee: string) => sentence(`We hold ${amount} for ${payee}.`),
    surplus: (received: string, surplus: string) =>
      `We received ${received}. ${surplus} goes back to you.`,
    next: (payee: string) => `We pay ${payee} in BRL. Your receipt follows by email.`,
    onItsWay: (payee: string) => `On its way to ${payee}`,
    onItsWayLede: 'BRL is being paid by PIX.',
    onItsWayNext: 'PIX takes minutes, rarely some hours. Your receipt follows by email.',
    withPayee: (amount: string, payee: string) =>
      sentence(`Your ${amount} was converted and is on its way to ${payee}.`),
  },
  paid: {
    lede: (payee: string, amount: string, day: Node) =>
      prose`${payee} received ${amount} on ${day}.`,
    receipt: 'Receipt',
    youPaid: 'You paid',
    paidOut: 'Paid out',
    payer: 'Payer',
    sentBy: 'Sent by',
    purpose: 'Purpose',
    taxId: (id: string) => `Tax id ${id}`,
    cnpj: (last4: string) => `CNPJ ending ${last4}`,
    method: 'Method',
    bankTransfer: (name: string | null) =>
      name === null ? 'Bank transfer' : `Bank transfer (${name})`,
    reference: 'Reference of the transfer',
    partOf: 'Part of one transfer of',
    paidWithIt: (others: string) => `It also paid ${others}.`,
    receivedAt: 'Transfer arrived',
    paidOutAt: 'Paid out on',
    brasilia: (time: string) => `${time} in Brasília`,
    endToEndId: 'PIX end-to-end id',
    asset: 'Stablecoin sold',
    transaction: 'Transaction',
    notTax: (payee: string) =>
      sentence(`This is a receipt, not a tax document. The invoice comes from ${payee}.`),
    returnTo: (host: string) => `Back to ${host}`,
    returning: (host: string) => `Returning you to ${host} in 10 seconds.`,
    stay: 'Stay here',
  },
  ended: {
    rejected: 'We cannot take this payment',
    failed: 'The payment did not go through',
    failedMoney: 'Nothing was taken by us.',
    failedTodo: (payee: string) =>
      `Send no money with these bank details. Ask ${payee} how to pay.`,
    review: 'We are looking into your payment',
    reviewLede: (amount: string) =>
      `Your ${amount} reached us. The last step is not confirmed. Our team is looking into it.`,
    reviewLedePlain: 'The last step is not confirmed. Our team is looking into it.',
    reviewMoney: (payee: string) =>
      `It reached us. We are asking the bank whether the last step reached ${payee}.`,
    reviewMoneyPlain: 'We are asking the bank how the last step ended.',
    reviewNext: 'Our team confirms where the money is, then pays it out or returns it to you.',
    backLede: (payee: string) => `The payout to ${payee} came back. Our team is looking into it.`,
    backMoney: (payee: string) => `It reached us, but the payout to ${payee} came back.`,
    backNext: (payee: string) => `We decide with ${payee} what happens to the money.`,
    answerBy: {
      ahead: (day: Node) => prose`We answer by ${day}.`,
      over: (day: Node) => prose`We wanted to answer by ${day}, and are still looking into it.`,
    },
    reviewMail: 'We email you as soon as we know.',
    unapprovedLede: 'Your verification was withdrawn, so we cannot pass on this payment.',
    unapprovedNext:
      'Our team looks into it. Unless you are verified again, money that you have sent goes back.',
    unapprovedTodo: 'Send no money with these bank details.',
    cancelled: (payee: string) => `${payee} cancelled this request`,
    expired: 'This request is no longer open',
    expiredNext: 'If a transfer is on its way, it is returned.',
    expiredTodo: (payee: string) => `Ask ${payee} for a new request if you still want to pay.`,
    endedOn: (when: Node) => prose`It ended on ${when}.`,
  },
  refund: {
    heading: 'Your money is coming back',
    cause: {
      cancelled: 'The request was cancelled.',
      expired: 'The request had ended when your transfer arrived.',
      failed: 'The payment could not be completed.',
    },
    money: (amount: string) => `${amount} is on its way back to you.`,
    owed: (amount: string) => `${amount} goes back to you.`,
    ordered: (day: Node) => prose`Ordered on ${day}; banks take up to 5 working days.`,
    orderedPlain: 'It is ordered; banks take up to 5 working days.',
    ordering: 'We are ordering the return; banks then take up to 5 working days.',
    sameAccount: 'It arrives on the account that you paid from.',
    done: 'Your money is back',
    doneLede: (amount: string) => `${amount} went back to the account that you paid from.`,
    doneOn: (amount: string, day: Node) =>
      prose`${amount} went back on ${day} to the account that you paid from.`,
    doneTodo: (org: string) =>
      `If your bank does not show it after 5 working days, ask ${org} and give the reference.`,
    review: 'We need a moment to return your money',
    reviewMoney: (amount: string) => `We owe you ${amount}.`,
    reviewNext: 'The return did not go through. Our team is looking into it and will contact you.',
  },
};

export type MoneyCatalogue = typeof enMoney;
