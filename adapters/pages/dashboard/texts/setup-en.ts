// The texts in English of what an organization sets up: getting started, its KYB, its PIX
// destination, production access, its team and its settings.
import type { ComponentChildren } from 'preact';
import type { MemberRole } from '../../../../core/domain/access/member.js';
import type { Actor } from '../../../../core/domain/base/actor.js';
import type { ChangeState } from '../../../../core/domain/parties/destination-change.js';
import type { ProductionQuestion } from '../../../../core/domain/parties/production-request.js';
import type { ObjectType } from '../../../../core/domain/service/audit-record.js';
import { roleNames } from '../../letters/role-names.js';

export const setupEn = {
  start: {
    lede: (done: number, all: number) =>
      done === all ? 'Everything is done.' : `${done} of ${all} done.`,
    done: 'done',
    open: 'to do',
    waiting: 'waiting',
    who: 'Who does what',
    whoText:
      'Owners and admins do most of this. The PIX destination and production access need an owner.',
    stuck: 'Stuck?',
    stuckText: (id: ComponentChildren) => [
      'The id of your organization is ',
      id,
      '. Give it when you write to the operator of the service.',
    ],
    see: 'See',
    organization: {
      heading: 'Organization',
      none: 'Its legal name, CNPJ and address, for the settlement partner. Takes five minutes.',
      sandbox: 'Test mode takes sandbox details: the partner approves them at once.',
      useSandbox: 'Use sandbox details',
      fill: 'Fill in',
      verifying: 'The settlement partner checks the details. You don’t have to do anything.',
      approved: (name: string, day: string) => `${name}. Approved on ${day}.`,
      due: 'The settlement partner asks for something more.',
      rejected: (reason: string | null) =>
        reason === null
          ? 'The settlement partner did not accept the details. Correct them and send them again.'
          : `The settlement partner did not accept the details: ${reason}`,
      answer: 'Answer',
      correct: 'Correct',
    },
    terms: {
      heading: 'Terms of the settlement partner',
      open: 'The settlement partner has terms that your organization accepts on its page.',
      read: 'Read and accept',
      accepted: (day: string) => `Accepted on ${day}.`,
      notAsked: 'The settlement partner asks for no acceptance in this mode.',
    },
    pix: {
      heading: 'PIX destination',
      none: 'Where payments without a named seller are paid.',
      afterKyb:
        'Where payments without a named seller are paid. Possible once the details above are ' +
        'approved.',
      add: 'Set',
      is: (shown: string, day: string) =>
        `${shown}, since ${day}. The key itself is not stored here.`,
      set: 'It is set. The key itself is not stored here.',
      held: (shown: string, at: string) => `The change to ${shown} takes effect on ${at}.`,
    },
    payment: {
      heading: 'First test payment',
      none:
        'We create one of USD 250.00 and open its page. You pay it as the buyer, with no real ' +
        'money.',
      inTest: 'You make it in test mode.',
      afterPix: 'Possible once the PIX destination is set.',
      create: 'Create it',
      running: (amount: string, status: string) => `${amount}: ${status}.`,
      open: 'Open its page',
      paid: (amount: string, day: string) => `${amount}, paid on ${day}.`,
    },
    webhook: {
      heading: 'Webhook',
      none: 'Give an address that we call when a payment changes, and send a test to it.',
      add: 'Add endpoint',
      has: (count: number) => (count === 1 ? '1 endpoint.' : `${count} endpoints.`),
    },
    production: {
      heading: 'Production access',
      none: 'Tell us what you sell, to whom, and how much a month. A person decides.',
      ask: 'Ask for it',
      askAgain: 'Ask again',
      requested: (day: string) => `Asked for on ${day}. A person decides, and we email the answer.`,
      refused: (day: string, reason: string) => `Refused on ${day}: ${reason}`,
      granted: (day: string) => `Granted on ${day}. Live mode is open.`,
      live: 'Go to live mode',
    },
  },
  kyb: {
    heading: 'Organization details',
    lede: 'As the company is registered. They go to the settlement partner, which checks them.',
    testLede: 'Test mode takes any details with a valid CNPJ. These are those of the sandbox.',
    email: (address: string) => `Questions about it go to ${address}.`,
  },
  terms: {
    lede: 'Your organization accepts them once.',
    leaves: 'The link leaves this site. The partner’s page leads back here.',
    open: 'Open the terms',
    back: 'You accepted the terms on the partner’s page. Save it.',
    save: 'Save the acceptance',
    accepted: 'Your organization has accepted the terms.',
  },
  pix: {
    lede:
      'Payments without a named seller are paid to this key. It goes to the settlement partner ' +
      'and is not stored here.',
    heldLede: (hours: number) =>
      hours === 0
        ? 'A change takes effect at once. Owners and admins are emailed about it.'
        : `A change takes effect after ${hours} hours. Owners and admins are emailed about it ` +
          'and can stop it.',
    history: 'Changes',
    destination: 'Destination',
    changed: 'Changed',
    effective: 'In effect from',
    states: {
      held: 'Held',
      effective: 'In effect',
      stopped: 'Stopped',
      replaced: 'Replaced',
    } satisfies Record<ChangeState, string>,
    notYet: 'The details of the organization must be approved first.',
  },
  production: {
    lede: 'A person of the operator reads this and decides. We email you the answer.',
    questions: {
      sells: 'What do you sell?',
      customers: 'To whom, and in which countries?',
      monthlyVolume: 'How much a month, and in which currencies?',
    } satisfies Record<ProductionQuestion, string>,
    report: 'Report of ponte certify, if you have one',
    reportHint: 'Paste certify.json. The operator sees which faults your integration survives.',
    notAReport: 'This is no certify.json as the command wrote it. Paste the whole file.',
    contact: 'Support contact',
    contactText: 'Buyers see it on their pages. Live mode needs at least one of the two.',
    missing: 'Give an answer of at most 1,000 characters.',
    noContact: 'Give an email address or a phone number for buyers.',
  },
  team: {
    lede: (organization: string) => `Who can sign in to the dashboard of ${organization}.`,
    members: 'Members',
    member: 'Member',
    role: 'Role',
    seen: 'Last seen',
    now: 'now',
    never: 'not yet',
    you: 'you',
    invitedAt: (at: string) => `invited ${at}`,
    lastOwner: 'The last owner stays',
    again: 'Send again',
    yourName: 'Your name',
    nameHint: 'As colleagues know you, such as Joana Prado.',
    nameLede: 'Colleagues see it in the team, in the activity and on payments.',
    saveName: 'Save name',
    noName: 'Give your name.',
    nameTaken: 'Give a name that no colleague has, without an address.',
    invite: 'Invite someone',
    email: 'Email address',
    send: 'Send invitation',
    sendText: 'The link in the email signs in once, within 24 hours.',
    first: 'We check your mailbox first.',
    roles: roleNames.en,
    roleTexts: {
      viewer: 'sees payments, invoices, sellers',
      finance: 'also makes invoices, onboards sellers',
      admin: 'also keys, webhooks, team, organization details',
      owner: 'also PIX destination, production access, settings',
    } satisfies Record<MemberRole, string>,
    isMember: 'This person is a member. Change the role in the list.',
    tooSoon: 'This address got five invitations within the hour. Try again later.',
    changeHeading: (email: string) => `Role of ${email}`,
    changeLede: 'Another role counts from the next page on.',
    keysText: 'API keys of this person that the role does not allow are revoked.',
    saveRole: 'Save role',
    removeHeading: 'Remove from the team',
    removeText:
      'The person is signed out everywhere at once. API keys that this person created are revoked.',
    keep: 'An owner keeps the API keys',
    keepNobody: 'Revoke them',
    removeButton: (email: string) => `Remove ${email}`,
    sessions: 'Where you are signed in',
    allSessions: 'All your sessions',
  },
  activity: {
    lede: 'Who changed what, newest first. Nobody can change or remove an entry.',
    when: 'When',
    who: 'Who',
    what: 'What',
    any: 'People and keys',
    empty: 'No entry yet',
    emptyText: 'The first change in this mode makes the first entry.',
    noMatch: 'No entry matches',
    noMatchText: 'Change the filter, or clear it.',
    notSoFar: (count: string) => `None among ${count} entries. Older ones may match.`,
    goOn: 'Search older ones',
    more: (count: string) => `and ${count} more`,
    from: (address: string) => `from ${address}`,
    exported: (rows: string | null) =>
      rows === null ? 'began an export' : `exported ${rows} rows`,
    /** The role of a member, after its name. */
    now: (role: string) => `now ${role}`,
    several: 'several',
    all: 'Everyone, machines too',
    kinds: {
      key: 'API key',
      member: 'Member',
      person: 'Person',
      operator: 'Operator of the service',
      buyer: 'Buyer',
      seller: 'Seller',
      link: 'Person with a link',
      partner: 'Payment partner',
      service: 'The service',
    } satisfies Record<Actor['kind'], string>,
    /** With the place of the name. */
    sentences: {
      member: {
        created: 'invited {name}',
        changed: 'changed the membership of {name}',
        ownChanged: 'changed their own membership',
        removed: 'removed {name} from the team',
      },
      api_key: {
        created: 'created the API key {name}',
        changed: 'changed the API key {name}',
        removed: 'removed the API key {name}',
      },
      session: {
        created: 'signed in',
        changed: 'confirmed the session or ended it',
        removed: 'signed out',
      },
      webhook_subscription: {
        created: 'added the webhook to {name}',
        changed: 'changed the webhook to {name}',
        removed: 'removed the webhook to {name}',
      },
      webhook_delivery: {
        created: 'sent a webhook again',
        changed: 'sent a webhook again',
        removed: 'removed a webhook',
      },
      payment: {
        created: 'created the payment {name}',
        changed: 'changed the payment {name}',
        removed: 'removed the payment {name}',
      },
      sandbox_advance: {
        created: 'advanced the test payment {name}',
        changed: 'advanced the test payment {name}',
        removed: 'stopped the test payment {name}',
      },
      simulated_report: {
        created: 'simulated an answer of the partner',
        changed: 'simulated an answer of the partner',
        removed: 'removed a simulated answer',
      },
      connected_account: {
        created: 'added {name} as a seller or buyer',
        changed: 'changed the data of {name}',
        removed: 'removed {name}',
      },
      organization: {
        created: 'created the organization',
        changed: 'changed the settings of the organization',
        removed: 'removed the organization',
      },
      organization_profile: {
        created: 'began this mode',
        changed: 'changed what the organization may do in this mode',
        removed: 'ended this mode',
      },
      destination_change: {
        created: 'asked for another PIX destination',
        changed: 'decided about a change of the PIX destination',
        removed: 'removed a change of the PIX destination',
      },
      production_request: {
        created: 'asked for live mode',
        changed: 'changed the request for live mode',
        removed: 'withdrew the request for live mode',
      },
      passkey: {
        created: 'added a passkey',
        changed: 'used or changed a passkey',
        removed: 'removed a passkey',
      },
      document: {
        created: 'uploaded a document',
        changed: 'changed a document',
        removed: 'removed a document',
      },
      mail: {
        created: 'asked for an email',
        changed: 'changed an email',
        removed: 'removed an email',
      },
    },
    other: {
      created: (what: string) => `made: ${what} {name}`,
      changed: (what: string) => `changed: ${what} {name}`,
      removed: (what: string) => `removed: ${what} {name}`,
    },
    objects: {
      sandbox_advance: 'Simulated payment',
      accounting: 'Accounting',
      api_key: 'API key',
      bank_details: 'Bank details',
      connected_account: 'Account of a seller or buyer',
      webhook_delivery: 'Webhook',
      destination_change: 'Change of a PIX destination',
      document: 'Document',
      epoch: 'Epoch',
      event: 'Event',
      partner_message: 'Message of the partner',
      secret_key: 'Secret key',
      kyc_submission: 'KYC of a buyer',
      mail: 'Email',
      session: 'Session of a member',
      member: 'Member',
      operator_session: 'Session of an operator',
      operator: 'Operator',
      organization_profile: 'State of the organization in this mode',
      organization: 'Organization',
      page_session: 'Session on a payment page',
      partner_command: 'Instruction to the partner',
      party_draft: 'Saved form',
      passkey: 'Passkey',
      person: 'Person',
      payment: 'Payment',
      production_request: 'Request for live mode',
      proposal: 'Proposal of an operator',
      quote: 'Price',
      deposit: 'Deposit',
      service_key: 'Service key',
      simulated_report: 'Simulated result',
      webhook_subscription: 'Webhook subscription',
    } satisfies Record<ObjectType, string>,
  },
  settings: {
    lede: 'These settings apply to test and live mode.',
    company: 'Organization',
    name: 'Name',
    details: 'CNPJ and address',
    set: 'set',
    verified: 'verified',
    notVerified: 'not verified yet',
    preview: 'What buyers see of the color: the amount and a button',
    changeHeading: 'Change settings',
    contact: 'What buyers see',
    contactText:
      'On payment pages and in emails. Live mode needs an email address or a phone number.',
    supportEmail: 'Support email',
    supportPhone: 'Support phone',
    website: 'Website',
    privacyUrl: 'Privacy notice',
    termsUrl: 'Terms',
    timeZone: 'Time zone',
    timeZoneHint: 'Whose days lists, files and plots have, like America/Sao_Paulo.',
    notAZone: 'Give a time zone like America/Sao_Paulo.',
    sendsReminders: 'Remind buyers of invoices',
    sendsRemindersHint:
      'An email 3 days before the due date and on the day, while money is missing.',
    sendsSettlementNotices: 'Email proofs of payment to sellers',
    sendsSettlementNoticesHint:
      'When a payment settles, its seller gets an email with the proof as PDF and a link that ' +
      'lasts 14 days. For your own payments, your owners get it.',
    passkey: 'Passkey required',
    passkeyHint:
      'Owners and admins use live mode only after sign-in with a passkey, and what needs a fresh ' +
      'proof needs one.',
    needsPasskey: 'Sign in with a passkey first.',
    notAPhone: 'This is no phone number.',
    notAUrl: 'This is no http or https address.',
    needsContact: 'Live mode needs an email address or a phone number.',
    rules: 'Rules',
    rulesText: 'You make these rules stricter; your operator relaxes them.',
    approval: 'A second member approves invoices',
    intentApproval: 'A second member approves payment intents',
    hold: 'Hold of a changed PIX destination in live mode, in hours',
    holdHint: (from: number) => `${from} to 72. Members can stop a change while it is held.`,
    notHours: (from: number) => `Give a whole number from ${from} to 72.`,
    brand: 'Look of the payment page',
    brandText: 'Buyers see them on payment pages, and the color in emails.',
    accentColor: 'Accent color',
    accentHint:
      'Six hex digits, as #0a5568. Links and buttons have it; dark pages show it lighter.',
    notAColor: 'This is no color like #0a5568.',
    faintColor: (contrast: string) =>
      `Choose a darker color: the contrast of this one is ${contrast}:1, and text needs 4.5:1.`,
    logo: 'Logo',
    logoHint:
      'A PNG or JPEG file of at most 100 kB and 1,000 pixels on each side. It is shown 28 pixels ' +
      'high, on white.',
    logoAlt: 'The logo that buyers see',
    saveLogo: 'Save logo',
    removeLogo: 'Remove logo',
    logoProblems: {
      empty: 'Choose a file.',
      too_heavy: 'Choose a file of at most 100 kB.',
      not_a_picture: 'Choose a PNG or JPEG file.',
      too_wide: 'Choose a picture of at most 1,000 pixels on each side.',
    },
    save: 'Save settings',
    none: 'none',
    on: 'on',
    off: 'off',
    ownersOnly: 'Owners change these.',
  },
};

export type SetupTexts = typeof setupEn;
