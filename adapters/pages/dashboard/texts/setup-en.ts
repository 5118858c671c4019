// The texts in English of what an organization sets up: getting started, its KYB, its PIX
// destination, production access, its team and its settings.
import type { ComponentChildren } from 'preact';
import type { MemberRole } from '../../../../core/domain/access/member.js';
import type { ChangeState } from '../../../../core/domain/parties/destination-change.js';
import type { ProductionQuestion } from '../../../../core/domain/parties/production-request.js';

export const setupEn = {
  back: 'Getting started',
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
    change: 'Change',
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
      requested: (day: string) => `Asked for on ${day}. A person decides, and we mail the answer.`,
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
    heading: 'Terms of the settlement partner',
    lede: 'Your organization accepts them once.',
    leaves: 'The link leaves this site. The partner’s page leads back here.',
    open: 'Open the terms',
    back: 'You accepted the terms on the partner’s page. Save it.',
    save: 'Save the acceptance',
    accepted: 'Your organization has accepted the terms.',
  },
  pix: {
    heading: 'PIX destination',
    lede:
      'Payments without a named seller are paid to this key. It goes to the settlement partner ' +
      'and is not stored here.',
    heldLede: (hours: number) =>
      hours === 0
        ? 'A change takes effect at once. Owners and admins are mailed about it.'
        : `A change takes effect after ${hours} hours. Owners and admins are mailed about it and ` +
          'can stop it.',
    history: 'Changes',
    destination: 'Destination',
    changed: 'Changed',
    effective: 'In effect from',
    state: 'State',
    states: {
      held: 'Held',
      effective: 'In effect',
      stopped: 'Stopped',
      replaced: 'Replaced',
    } satisfies Record<ChangeState, string>,
    key: 'PIX key',
    keyHint: 'Email, phone with +55, CPF, CNPJ or random key.',
    again: 'The same key again',
    againHint: 'Type it, do not paste it: so a typing error shows.',
    holder: 'Name of the account holder',
    save: 'Set destination',
    noKey: 'Enter the PIX key.',
    differs: 'The two keys differ. Type both again.',
    noHolder: 'Enter the name of the account holder.',
    refused: 'The settlement partner did not take this key. Check it.',
    notYet: 'The details of the organization must be approved first.',
  },
  production: {
    heading: 'Production access',
    lede: 'A person of the operator reads this and decides. We mail you the answer.',
    questions: {
      sells: 'What do you sell?',
      customers: 'To whom, and in which countries?',
      monthlyVolume: 'How much a month, and in which currencies?',
    } satisfies Record<ProductionQuestion, string>,
    contact: 'Support contact',
    contactText: 'Buyers see it on their pages. Live mode needs at least one of the two.',
    email: 'Support email',
    phone: 'Support phone',
    send: 'Ask for production access',
    missing: 'Give an answer of at most 1,000 characters.',
    noContact: 'Give an email address or a phone number for buyers.',
    notAnAddress: 'This is no email address.',
    notAPhone: 'This is no phone number.',
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
    action: 'Action',
    invitedAt: (at: string) => `invited ${at}`,
    lastOwner: 'The last owner stays',
    change: 'Change',
    again: 'Send again',
    invite: 'Invite someone',
    email: 'Email address',
    send: 'Send invitation',
    sendText: 'The link in the mail signs in once, within 24 hours.',
    first: 'We check your mailbox first.',
    roles: {
      viewer: 'Viewer',
      finance: 'Finance',
      admin: 'Admin',
      owner: 'Owner',
    } satisfies Record<MemberRole, string>,
    roleTexts: {
      viewer: 'sees payments, invoices, sellers',
      finance: 'also makes invoices, onboards sellers',
      admin: 'also keys, webhooks, team, organization details',
      owner: 'also PIX destination, production access, settings',
    } satisfies Record<MemberRole, string>,
    notAnAddress: 'Enter an email address.',
    chooseRole: 'Choose a role.',
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
  settings: {
    lede: 'They are for both modes.',
    changeHeading: 'Change settings',
    contact: 'What buyers see',
    contactText:
      'On payment pages and in mails. Live mode needs an email address or a phone number.',
    supportEmail: 'Support email',
    supportPhone: 'Support phone',
    website: 'Website',
    privacyUrl: 'Privacy notice',
    termsUrl: 'Terms',
    reminders: 'Remind buyers of invoices',
    remindersHint:
      'An email 3 days before the due date and on the day, while no money has arrived.',
    optional: (label: string) => `${label} (optional)`,
    notAnAddress: 'This is no email address.',
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
    save: 'Save settings',
    none: 'none',
    on: 'on',
    off: 'off',
    ownersOnly: 'Owners change these.',
  },
};

export type SetupTexts = typeof setupEn;
