// The sentences of mails in English. They address people who do not know Ponte.
import type { LetterCatalogue } from './letter-texts.js';
import { roleNames } from './role-names.js';
import { situationDeadlines } from './situation-texts.js';

const roles = roleNames.en;
const { rest: restBy } = situationDeadlines.en;

const paidNothing = 'You have paid nothing.';
const closed = 'This request is closed.';
const tooMuch = (surplus: string) => `You sent ${surplus} too much. It goes back to you.`;

const keepOld = ' Payments created before keep the old one.';

export const lettersEn = {
  payment: {
    invitation: ({ payee, amount, invoices: list }) =>
      list === null
        ? {
            subject: `${payee} asks you to pay ${amount}`,
            heading: `${payee} asks you to pay`,
            amount,
            paragraphs: ['The page shows what it is for, and how to pay by bank transfer.'],
          }
        : {
            subject: `${list.payee} asks you to pay ${list.count} invoices`,
            amount: list.total,
            paragraphs: [
              'One sign-in opens all of them. The page shows what each is for, and how to pay ' +
                'by bank transfer.',
            ],
          },
    sign_in: ({ payee, amount }) => ({
      subject: `Your link to pay ${payee}`,
      heading: `${payee} asks you to pay`,
      amount,
    }),
    kyc_approved: ({ payee }) => [
      `You can now pay ${payee}`,
      'Your details are approved',
      'You have paid nothing yet.',
      'Open the page to check the price and to get the bank details.',
    ],
    kyc_more: () => ({
      subject: 'Please correct your details',
      answers: [
        'You have paid nothing yet.',
        'The check goes on when you have sent them again.',
        'Open the page. It shows what to correct, and why.',
      ],
    }),
    kyc_rejected: ({ payee }) => ({
      subject: `We cannot take the payment to ${payee}`,
      heading: 'We cannot take this payment',
      answers: [
        `${paidNothing} If you did send money, it goes back to you.`,
        closed,
        `Ask ${payee} for another way to pay.`,
      ],
    }),
    approval_given: ({ payee, approver }) => [
      `You can now confirm the payment to ${payee}`,
      'Your colleague has approved',
      `${approver} has approved the payment. You have paid nothing yet.`,
      'Open the page to confirm the price and to get the bank details.',
    ],
    approval_declined: ({ payee, approver, declineReason }) => [
      `Your colleague declined the payment to ${payee}`,
      'Your colleague has declined',
      `${approver} does not approve the payment. You have paid nothing, and cannot confirm it.`,
      ...(declineReason === null ? [] : [`The reason: ${declineReason}`]),
      'On the page you can ask again, or ask somebody else.',
    ],
    instructions_ready: ({ payee, missing, isReplacement }) =>
      isReplacement
        ? [
            `The bank details for ${payee} have changed`,
            'The bank details have changed',
            `Do not use the earlier ones. Open the page to see where to send ${missing}.`,
            `Before you pay, call ${payee} on a number that you already have, not one from ` +
              'an email. Ask them to read the check code of the new details, and compare it ' +
              'with the page.',
            'Details that reached you elsewhere can be compared under “Check bank details” ' +
              'on the page.',
          ]
        : [
            `You can now send the money for ${payee}`,
            'The bank details are ready',
            `Open the page to see where to send ${missing}.`,
          ],
    money_short: ({ payee, amount, received, missing, payBy }) => ({
      subject: `${missing} is still missing`,
      heading: 'Still missing:',
      amount: missing,
      answers: [
        `We received ${received} of ${amount}.`,
        `We pay ${payee} when all of it has arrived.${payBy === null ? '' : ` ${payBy(restBy)}`}`,
        `Send exactly ${missing} with the same reference. Or ask for all of it back on the page.`,
      ],
    }),
    money_received: ({ payee, amount, surplus }) => ({
      subject: 'Your money has arrived',
      paragraphs: [
        `We hold ${amount} for ${payee}.`,
        ...(surplus === null ? [] : [tooMuch(surplus)]),
        'You don’t have to do anything. The receipt follows by email.',
      ],
    }),
    reminder: ({ payee, amount, due, received, missing, isPart }) => ({
      subject: `Due ${due}: ${missing} to ${payee}`,
      heading: isPart ? `Still missing for ${payee}:` : `A reminder of ${payee}’s request for`,
      amount: missing,
      paragraphs: [
        isPart
          ? `${amount} is due ${due}, and ${received} has arrived. A bank transfer takes days.`
          : `It is due ${due}, and no money has arrived for it. A bank transfer takes days.`,
        'Have you already sent it? Then you don’t have to do anything.',
      ],
    }),
    receipt: ({ payee, amount, settled, surplus, hasReceipt }) => ({
      subject: `Paid: ${amount} to ${payee}`,
      heading: `${payee} received`,
      amount: settled ?? amount,
      paragraphs: [
        `You paid ${amount}.`,
        ...(surplus === null ? [] : [tooMuch(surplus)]),
        hasReceipt ? 'Your receipt is attached.' : 'The page has your receipt.',
      ],
    }),
    cancelled: ({ payee }) => ({
      subject: `${payee} cancelled the request for payment`,
      heading: `${payee} cancelled this request`,
      answers: [
        paidNothing,
        `${closed} A transfer that is on its way goes back to you.`,
        'Do not send money with the bank details of this request.',
      ],
    }),
    expired: ({ payee }) => ({
      subject: `The request of ${payee} is no longer open`,
      heading: 'This request is no longer open',
      answers: [
        paidNothing,
        'A transfer that is on its way goes back to you.',
        `Send no money. Ask ${payee} for a new request.`,
      ],
    }),
    failed: ({ payee, received, isHeld }) =>
      isHeld
        ? {
            subject: `We are looking into your payment to ${payee}`,
            heading: 'We are looking into your payment',
            answers: [
              `Your ${received} reached us. The last step is not confirmed.`,
              'Our team is looking into it and will write to you.',
              'Do not pay again.',
            ],
          }
        : {
            subject: `The payment to ${payee} did not go through`,
            heading: 'The payment did not go through',
            answers: [
              'None of your money is with us.',
              closed,
              `Send no money with the same bank details. Ask ${payee} for another way to pay.`,
            ],
          },
    refund_ordered: ({ goesBack, isReturnedByHand }) => ({
      subject: isReturnedByHand
        ? 'We need a moment to return your money'
        : 'Your money is coming back',
      heading: isReturnedByHand ? 'We need a moment to return your' : 'Coming back to you:',
      amount: goesBack,
      answers: [
        `${goesBack} goes back to the account that sent it.`,
        isReturnedByHand
          ? 'Our team arranges the transfer and writes to you.'
          : 'Banks take up to 5 working days.',
        'You don’t have to do anything. Do not pay again.',
      ],
    }),
    refunded: ({ refunded }) => ({
      subject: 'Your money is back',
      heading: 'Returned to you:',
      amount: refunded,
      answers: [
        `We returned ${refunded} to the account that sent it.`,
        'Your bank shows it in its next statement.',
        'You don’t have to do anything.',
      ],
    }),
  },
  form: {
    sign_in: ({ org }) => [
      `Your sign-in link for ${org}`,
      'Your sign-in link',
      `It opens the form in which ${org} asks who you are.`,
    ],
    owner_link: ({ org }) => [
      `${org} needs your details as an owner`,
      'Please add your details',
      `A company that pays through ${org} names you as an owner or a director. The law ` +
        'requires your details and documents.',
      'The person who asked for this email does not see what you enter.',
    ],
    kyc_approved: ({ org }) => ({
      subject: 'Your details are approved',
      paragraphs: [`You can now pay through ${org}. You don’t have to do anything for now.`],
    }),
    kyc_more: () => ({
      subject: 'Please correct your details',
      paragraphs: [
        'Open the page. It shows what to correct, and why.',
        'The check goes on when you have sent them again.',
      ],
    }),
    kyc_rejected: ({ org }) => ({
      subject: 'We cannot accept your details',
      paragraphs: [`The form is closed. Ask ${org} what you can do.`],
    }),
  },
  approver: {
    approval_link: ({ payee, amount, mailbox: buyer }) => ({
      subject: `Please approve ${amount} to ${payee}`,
      heading: 'Please approve or decline',
      amount,
      paragraphs: [
        `${buyer} wants to pay ${payee} and asks for your approval first.`,
        'The page shows what it is for. Approving pays nothing: your colleague confirms and pays.',
      ],
    }),
    sign_in: ({ payee, amount, mailbox: buyer }) => ({
      subject: `Your link to approve the payment to ${payee}`,
      heading: 'Please approve or decline',
      amount,
      paragraphs: [`${buyer} wants to pay ${payee} and asks for your approval first.`],
    }),
  },
  member: {
    invitation: ({ org }) => [
      `You are invited to the dashboard of ${org}`,
      `Welcome to ${org}`,
      'The dashboard shows payments and where their money is. The link signs you in without a ' +
        'password.',
    ],
    sign_in: ({ org }) => [
      `Your sign-in link for the dashboard of ${org}`,
      'Your sign-in link',
      `It opens the dashboard of ${org}.`,
    ],
    production_decided: ({ org }) => [
      `The production access of ${org} was decided`,
      'Your request was decided',
      `The operator of the service decided on the production access of ${org}.`,
      'The dashboard shows the answer under “Getting started”.',
    ],
    webhooks_gave_up: ({ object }) => [
      `Webhooks to ${object} were not delivered`,
      'Webhooks were not delivered',
      `${object} did not accept them, in live mode. At least one event was given up ` +
        `after its last try.`,
      'No event is lost: replay the deliveries in the dashboard when the server works, or read ' +
        'the event feed. While this lasts, this email comes once a day.',
    ],
    passkey_added: ({ org }) => [
      `A passkey was added for the dashboard of ${org}`,
      'A passkey was added',
      `It signs in to the dashboard of ${org} as you, without an email.`,
      'If you did not add it, sign in by email, remove it under “Your sessions” and sign out ' +
        'everywhere.',
    ],
    passkey_removed: ({ org }) => [
      `A passkey was removed from the dashboard of ${org}`,
      'A passkey was removed',
      `It no longer signs in to the dashboard of ${org}.`,
      'If you did not remove it, sign in by email, look at “Your sessions” and sign out ' +
        'everywhere.',
    ],
    live_key_created: ({ org, object }) => [
      `A live API key of ${org} was created`,
      'A live API key was created',
      `The key ${object} works from now on, with real money.`,
      'If nobody of your team created it, revoke it in the dashboard, end the sessions ' +
        'that you do not know, and write to us.',
    ],
    team_changed: ({ org, object, role }) => [
      `The team of ${org} was changed`,
      'Your team was changed',
      role === null
        ? `${object} is no longer a member.`
        : `${object} is a member with the role “${roles[role]}” now.`,
      'If nobody of your team did this, an owner can take it back in the dashboard, ' +
        'under “Team”. Write to us, too.',
    ],
    passkeys_reset: ({ org, object }) => [
      `The passkeys of ${object} were reset`,
      'The passkeys of a member were reset',
      `At the request of your team, we ended all passkeys and sessions of ${object}, a member ` +
        `of ${org}. The member signs in by email and adds another passkey.`,
      'If nobody of your team asked for it, remove the member in the dashboard, under “Team”, ' +
        'and write to us.',
    ],
  },
  destination: ({ org, owner, sellerId, isFirst, keyId, writtenAt, effectiveAt }) => ({
    subject: `The PIX destination of ${owner} was ${isFirst ? 'set' : 'changed'}`,
    paragraphs: [
      `It was ${isFirst ? 'set' : 'changed'} on ${writtenAt}` +
        `${keyId === null ? '' : ` by the API key ${keyId}`}.`,
      ...(sellerId === null ? [] : [`Seller: ${sellerId}. Collected by: ${org}.`]),
      effectiveAt === null
        ? `Payments created from now on are paid to the new destination.${isFirst ? '' : keepOld}`
        : `Payments created from ${effectiveAt} on are paid to the new destination.` +
          (isFirst ? ' None can be created before.' : keepOld),
      ...(effectiveAt === null
        ? []
        : ['Until then you can stop it. Opening the link changes nothing.']),
      'If you expected this, you don’t have to do anything. If not, act immediately: ' +
        (keyId === null
          ? 'contact the operator of this service.'
          : `${org} should revoke this API key, then register the right destination again.`),
    ],
  }),
  confirmation: ({ action }) => [
    `Confirm that you are about to ${action}`,
    'Confirm that it is you',
    `You are about to ${action}.`,
    'The link or the code shows that it is you. By itself neither changes anything.',
  ],
  question: ({ payee, amount, mailbox, question }) => [
    `A question about ${amount} to ${payee}`,
    'A buyer asks',
    question,
    `Answer this email: the answer goes to ${mailbox}, who has proven that address.`,
  ],
  moved: {
    payout_returned: ({ payee, amount, moved, settled }) => [
      `The payout of ${amount} to ${payee} came back`,
      'A payout came back',
      `${payee} does not have ${settled ?? moved} any more: the PIX came back to the ` +
        'settlement partner.',
      'The payment stays settled. An operator of this service decides whether the seller is ' +
        'paid again or the buyer gets the money back. Another email follows if the seller is ' +
        'paid again.',
    ],
    paid_again: ({ payee, amount, moved, settled }) => [
      `The payout of ${amount} to ${payee} was made again`,
      'The seller was paid again',
      `${payee} has ${settled ?? moved} by another PIX.`,
      'Its amount, rate and PIX id are its own. Those of the first PIX stay in the payment, ' +
        'with the time at which it came back.',
    ],
    paid_late: ({ payee, amount, moved, settled }) => [
      `A payout of ${amount} to ${payee} was made after the payment had ended`,
      'The seller was paid after the end',
      `${payee} has ${settled ?? moved}, although the payment had ended without a payout.`,
      'Its status does not change. Do not pay the seller by other means.',
    ],
    payin_recalled: ({ payee, amount, moved }) => [
      `The payment of ${amount} to ${payee} was recalled by a bank`,
      'A bank recalled a payment',
      `The bank of the buyer took back ${moved} after the payout to ${payee} was sent.`,
      'No refund was made. The status of the payment does not change.',
    ],
    recall_reversed: ({ payee, amount, moved }) => [
      `The recall of ${amount} to ${payee} was reversed`,
      'A recall was reversed',
      `${moved} that a bank had taken back is with the settlement partner after all.`,
      'The status of the payment does not change.',
    ],
  },
  settled: ({ payee, amount, buyer, settled, writtenAt, hasProof, until }) => ({
    subject: `${payee} received ${settled}`,
    heading: `${payee} received`,
    amount: settled,
    paragraphs: [
      `The PIX for ${amount} from ${buyer} was reported on ${writtenAt}.`,
      hasProof ? 'The proof of this is attached.' : 'The page has the proof of this.',
      `The page opens until ${until}. Anyone who has its link can read it and change nothing.`,
    ],
  }),
  paper: ({ org, kind, lastDay, seller }) => [
    `The last day of a document for buyers is ${lastDay}`,
    'A document for buyers ends',
    `${kind}${seller === null ? '' : ` (${seller})`}. Buyers download it and file it before ` +
      `they pay. After ${lastDay} it is not offered any more, and they may hold payments.`,
    seller === null
      ? 'Upload a new one in the dashboard, under “Vendor documents”. It replaces this one.'
      : `Send a new one to ${org}. It replaces this one.`,
  ],
  paperKinds: {
    w8: 'Tax form of the payee (W-8 or W-9)',
    engagement_letter: 'Letter of engagement',
    holder_tax_form: 'Tax form of the account holder',
    bank_letter: 'Bank letter',
    registration: 'Registration or license',
  },
  owner: {
    payment_approved: ({ payee, amount, buyer, approver }) => [
      `A payment of ${amount} to ${payee} was approved`,
      'A payment was approved',
      `${approver} approved it. The buyer is ${buyer}.`,
      'If you did not expect this, cancel the payment in the dashboard and look at your team.',
    ],
    buyer_differs: ({ payee, amount, buyer }) => [
      `The buyer of ${amount} to ${payee} was verified under another name or country`,
      'A payment waits for its buyer',
      `The payment names ${buyer}. The mailbox of the buyer was verified before, under another ` +
        'name or in another country than the payment says. That approval is not used.',
      'The payment goes on when the buyer has completed the form on its page. If the name or ' +
        'the country in the payment is wrong, cancel it and create another one.',
    ],
  },
  frame: {
    test: 'This is a test: no real money moves. Send nothing.',
    via: 'via Ponte',
    details: {
      number: (number) => `invoice ${number}`,
      purchaseOrder: (order) => `purchase order ${order}`,
      buyerReference: (reference) => `your reference ${reference}`,
      due: (due) => `due ${due}`,
    },
    questions: ['Where is my money?', 'What happens next?', 'What must I do?', 'Whom do I ask?'],
    now: (text) => `Now: ${text}`,
    openPayment: 'Open the payment page',
    openForm: 'Open the form',
    openDashboard: 'Open the dashboard',
    stopChange: 'Stop the change',
    openProof: 'Open the proof',
    code: 'Or type this code in the window where you asked for it:',
    codeOfPage: 'If the page asks for a code, type this one:',
    until: (moment, withCode) =>
      withCode
        ? `Link and code work once, until ${moment}. Opening the page pays nothing.`
        : `The link signs you in once, until ${moment}. Then the page emails you a new one.`,
    untilOfMember: (moment, withCode) =>
      withCode
        ? `Link and code work once, until ${moment}.`
        : `The link signs you in once, until ${moment}. Then ask the sign-in page for a new one.`,
    doNotForward: 'Do not forward this email: anyone who opens the link acts for you.',
    neverBankDetails:
      'We never send bank details by email. If an email gives you an account to pay to, it is ' +
      'not from us.',
    unexpected: 'You did not expect this email? Do nothing.',
    notAsked:
      'You did not ask for this email? Somebody is signed in as you. Sign in, end all your ' +
      'sessions under “Your sessions”, and tell an owner of your organization.',
    anyQuestions: 'Questions?',
    help: (org, email, reference) =>
      email === null
        ? `Ask ${org} and give the reference ${reference}.`
        : `Answer this email, or write to ${org} at ${email}. Give the reference ${reference}.`,
    moreInvoices: (count) => `And ${count} more, which the page lists.`,
    copyLink: 'The link does not open? Copy it:',
  },
} as const satisfies LetterCatalogue;
