// English texts of the KYC form. The catalogues of the other languages have the same keys.
import type { ComponentChildren as Node } from 'preact';
import type { FieldProblem } from '../../../../core/domain/hosted/kyc-fields.js';
import type { UploadRefusal } from '../../../../core/usecases/hosted/page-documents.js';
import { prose } from '../../kit/frame-texts.js';
import { emailTexts } from '../../kit/pages/email-texts.js';

export const kycEn = {
  steps: {
    type: 'Company or person',
    person: 'Person',
    company: 'Company',
    address: 'Address',
    owners: 'Owners',
    documents: 'Documents',
    terms: 'Partner’s terms',
    review: 'Check your answers',
  },
  stepOf: (step: number, count: number) => `Step ${step} of ${count}`,
  stepsTitle: 'Steps',
  missingCount: (count: number) => `${count} missing`,
  correctCount: (count: number) => `${count} to correct`,
  waitingFor: (names: string) => `Waiting for ${names}`,
  savedAt: (when: Node) => prose`Saved as you go, last ${when}.`,
  continue: 'Save and continue',
  choose: 'Choose',
  day: 'Day',
  month: 'Month',
  year: 'Year',
  chooseType: 'Choose a company or a person.',
  typeHeading: 'Is the payer a company or a person?',
  types: {
    business: 'A company',
    businessHint: 'Also a partnership, an association or a public body.',
    individual: 'A person',
    individualHint: 'Somebody who pays from an account in their own name.',
  },
  handOver: {
    summary: 'Ask somebody else by email',
    text:
      'We email a link to this form, such as to a director. It opens the form and not the ' +
      'payment. What you have saved stays.',
    email: 'Email address',
    send: 'Send the link',
    takeBack: 'Take it back',
    takeBackText: 'The link stops working, and that person is signed out. What they saved stays.',
    sent: (email: Node, day: Node) => prose`Sent to ${email} on ${day}.`,
  },
  /** In place of the words for a payer, on the form of a seller. */
  seller: {
    personHeading: 'Who is paid?',
    companyHeading: 'Which company is paid?',
    whyText:
      'Our settlement partner must know who is paid and who owns the company, by rules against ' +
      'money laundering. Files are encrypted, seen by the partner’s checkers only, and deleted ' +
      'once they have decided.',
  },
  personHeading: 'Who is paying?',
  personLede: 'As in the passport or identity card.',
  companyHeading: 'Which company is paying?',
  companyLede: 'As it is registered.',
  addressHeading: { business: 'Address of the company', individual: 'Your address' },
  addressLede: { business: 'Where the company is registered.', individual: 'Where you live.' },
  fields: {
    firstName: 'First names',
    lastName: 'Last names',
    dateOfBirth: 'Date of birth',
    phone: 'Phone number',
    taxId: 'Tax number',
    taxType: 'Kind of tax number',
    idDocType: 'Identity document',
    idDocCountry: 'Country that issued it',
    idDocNumber: 'Number of the document',
    legalName: 'Legal name',
    email: 'Email address',
    cnpj: 'CNPJ',
    formationDate: 'Date of formation',
    website: 'Website',
    country: 'Country',
    addressLine1: 'Street and number',
    addressLine2: 'Apartment, floor, building',
    city: 'City',
    stateProvinceRegion: 'State, province or region',
    postalCode: 'Postal code',
    role: 'Role in the company',
    proofOfAddressDocType: 'Which proof of address will be added?',
    selfieFile: 'Photo of the face',
    idDocFrontFile: 'Identity document, front',
    idDocBackFile: 'Identity document, back',
    proofOfAddressDocFile: 'Proof of address',
    incorporationDocFile: 'Incorporation document',
    proofOfOwnershipDocFile: 'Proof of ownership',
    owners: 'Owners',
    tosId: 'Partner’s terms',
  },
  hints: {
    firstName: 'All of them, in any script.',
    dateOfBirth: 'For example 31 1 1990.',
    formationDate: 'For example 3 2 2001. It is in the register.',
    phone: 'With the country code, such as +1.',
    website: 'No website? A public profile page is fine.',
    stateProvinceRegion: 'In the USA two letters, such as TX. Blank where there are none.',
    postalCode: 'Leave it blank in a country without postal codes.',
    taxType: 'Only for people who are taxed in the USA.',
  },
  oneName: 'I have one name only',
  theirOneName: 'This person has one name only',
  taxIdKept: (masked: string) => `We have ${masked}. Leave it empty to keep it.`,
  idDocTypes: { PASSPORT: 'Passport', ID_CARD: 'Identity card', DRIVERS: 'Driver’s license' },
  roles: {
    beneficial_owner: 'Owns 25% or more',
    controlling_person: 'Runs the company, owns less than 25%',
    beneficial_controlling: 'Owns 25% or more, and runs the company',
  },
  proofTypes: {
    UTILITY_BILL: 'Bill for electricity, water, gas or internet',
    BANK_STATEMENT: 'Bank statement',
    RENTAL_AGREEMENT: 'Rental agreement',
    TAX_DOCUMENT: 'Tax document',
    GOVERNMENT_CORRESPONDENCE: 'Letter from an authority',
  },
  /** What is missing, at its field. */
  enter: {
    firstName: 'Enter the first names.',
    lastName: 'Enter the last names, or tick the box below.',
    dateOfBirth: 'Enter the date of birth.',
    phone: 'Enter the phone number.',
    taxId: 'Enter the tax number.',
    idDocType: 'Choose passport, identity card or driver’s license.',
    idDocCountry: 'Choose the country that issued the document.',
    idDocNumber: 'Enter the number of the document.',
    legalName: 'Enter the legal name.',
    email: 'Enter the email address.',
    cnpj: 'Enter the CNPJ.',
    formationDate: 'Enter the date of formation.',
    website: 'Enter the website.',
    country: 'Choose the country.',
    addressLine1: 'Enter street and number.',
    city: 'Enter the city.',
    stateProvinceRegion: 'Enter the state, province or region.',
    postalCode: 'Enter the postal code.',
    role: 'Choose the role in the company.',
    proofOfAddressDocType: 'Choose the proof of address.',
  },
  problems: {
    missing: 'This is missing.',
    too_short: 'This is too short.',
    too_long: 'This is too long.',
    control_characters: 'This has characters that cannot be printed. Type it again.',
    not_offered: 'Choose one of the list.',
    no_such_date: 'This day does not exist. Give day, month and a year of four digits.',
    too_young: 'The person must be 18 or older.',
    too_old: 'Check the year.',
    in_the_future: 'This day is in the future.',
    not_a_phone: 'Give the country code and the number, such as +1 503 555 0100.',
    not_a_website: 'Give an address such as www.example.com.',
    not_a_state: 'Give the two letters of the state, such as TX.',
    not_a_cnpj: 'This is no CNPJ: check its 14 characters.',
    ...emailTexts.en,
  } satisfies Record<FieldProblem, string>,
  correct: 'Something here was not accepted. Check it and save it again.',
  correctOther:
    'Something in your details was not accepted. Check all of them and send them again.',
  correctElsewhere: (reason: string) =>
    `${reason} This form does not ask for it. We were notified and will contact you.`,
  owners: {
    heading: 'Who owns and runs the company?',
    lede: 'Everyone who owns 25% or more, and one person who runs the company.',
    who: 'Who counts as an owner?',
    whoText:
      'A person who holds 25% or more of the shares or votes, directly or through other ' +
      'companies. If nobody does, name only the person who runs the company.',
    none:
      'No owner is listed yet. Add at least one person: everyone who owns 25% or more, and one ' +
      'person who runs the company.',
    pages: {
      owner: '1 of 2: the person',
      owner_papers: '2 of 2: tax number and identity document',
    },
    sameAddress: 'Lives at the address of the company',
    nameless: (number: number) => `Owner ${number}`,
    add: 'Add an owner',
    edit: 'Open',
    complete: 'Complete',
    asked: (day: Node) => prose`Asked on ${day}, not done yet`,
    done: (day: Node) => prose`Done on ${day}`,
    whoFills: 'Who fills this in?',
    whoFillsText: (name: string) =>
      `Fill it in below, or ask ${name} by email: you then need no numbers and documents.`,
    askHeading: (name: string) => `Ask ${name} by email`,
    askText:
      'We email a link to the owner. It works for 7 days and shows this part of the form only. ' +
      'You see that it is done, never the files and numbers.',
    askWarning: 'What you have filled in here beyond name and role is handed over too.',
    email: 'Email address of the owner',
    again: 'Send again',
    takeBack: 'Fill it in here instead',
    takeBackText: 'What the owner has filled in is deleted.',
    self: {
      heading: (company: string) => `Your details for ${company}`,
      lede:
        'You were named as somebody who owns or runs this company. The person who asked you sees ' +
        'that you are done, and nothing of what you add here.',
      send: 'Send my part',
      sent: 'Thank you. Your part is complete.',
      sentText: 'You may close this page. Until the whole form is sent you can still change it.',
      documents: 'Your documents',
      change: 'Change something',
    },
  },
  documents: {
    formats: (types: string, size: string) => `${types}, up to ${size}`,
    hints: {
      selfieFile: 'Taken now, looking at the camera, without glasses or hat.',
      idDocFrontFile: 'All four corners, no glare, every line readable.',
      idDocBackFile: 'All four corners, no glare, every line readable.',
      proofOfAddressDocFile: 'With name and address, of the last 3 months.',
      incorporationDocFile: 'Articles or certificate with name, date and registration number.',
      proofOfOwnershipDocFile:
        'Shows who holds which share: share register, cap table or operating agreement.',
    },
    fronts: {
      PASSPORT: 'Passport, page with photo',
      ID_CARD: 'Identity card, front',
      DRIVERS: 'Driver’s license, front',
    },
    backs: { ID_CARD: 'Identity card, back', DRIVERS: 'Driver’s license, back' },
    received: 'Received',
    missing: 'Missing',
    refused: 'Not accepted',
    add: 'Add a photo or PDF',
    drop: 'or drop a file here',
    replaceBy: 'Choose a photo or PDF',
    replace: 'Replace',
    remove: 'Remove',
    of: (file: string, name: string) => `${file} of ${name}`,
    why: 'Why do you need this?',
    whyText:
      'Our settlement partner must know who pays and who owns the payer, by rules against money ' +
      'laundering. Files are encrypted, seen by the partner’s checkers only, and deleted once ' +
      'they have decided.',
    off: 'Files cannot be uploaded on this page. Ask the organization below for another way.',
    waits: (name: string) => `${name} adds the documents through a link. You see that it is done.`,
    refusals: {
      empty: 'Choose a file first. The one that arrived is empty.',
      heic:
        'This photo is in the format HEIC of the iPhone, which cannot be read everywhere. On the ' +
        'iPhone choose Settings, Camera, Formats, Most Compatible and take it again, or take a ' +
        'screenshot of the photo.',
      unknown_type: 'This file is not a JPEG, PNG or PDF. Take a photo of the document instead.',
      not_as_declared:
        'The name of this file does not fit its content. Save it again as PDF or JPEG.',
      photo_only: 'This must be a photo, not another kind of file: JPEG or PNG.',
      too_large: 'This file is too large. Take a photo with a lower resolution.',
      too_many: 'Too many files were sent in a short time. Wait some minutes and try again.',
    } satisfies Record<UploadRefusal, string>,
  },
  phone: {
    heading: 'Take photos with your phone',
    lede: 'Point the camera of your phone at this code. It opens a page that only takes files.',
    memberLede: 'Point the camera of your phone at this code, and sign in there, too.',
    alt: 'QR code with the link',
    life: 'The code works once, for 10 minutes.',
    back: 'Back to the documents',
    again: 'Make a new code',
    over: 'This code no longer works',
    endedText: 'It was used, or 10 minutes have passed. Make a new one on your computer.',
    enter: 'Add files from this phone?',
    enterText: 'The page takes files for the form on your computer, and shows nothing else.',
    formOf: 'Form of',
    askedBy: 'Asked for by',
    paymentTo: 'For a payment to',
    notYours: (org: string) => `Not your form? Close this page, add no files, and let ${org} know.`,
    uploads: 'Add your files',
    uploadsLede: 'They appear on your computer. Close this page when you are done.',
  },
  terms: {
    heading: 'Terms of the settlement partner',
    lede: 'The partner that checks your details asks you to accept its terms on its own page.',
    open: 'Read the terms',
    leaves: 'You leave this page and come back to it.',
    accepted: 'You have accepted the terms.',
  },
  review: {
    lede: 'Nothing is sent before you press the button.',
    changeOf: (what: string) => `Change: ${what}`,
    none: '–',
    filledBy: (email: Node) => prose`Filled in by ${email}`,
    toDo: 'Before you can send it',
    who: 'Who sees this, and for how long',
    whoText: (org: string) =>
      `Our settlement partner checks these details. ${org} learns the result and sees no files. ` +
      'We keep your details encrypted until the partner has decided, then we delete them. The ' +
      'partner keeps what the law requires of it.',
    send: 'Send for verification',
  },
  ask: {
    heading: (org: string) => `${org} asks who you are`,
    lede: 'Sign in to fill in the form. It takes about 10 minutes.',
    owner: 'You were asked to add your details to a form. Sign in with a link to do that.',
    sendHint: 'It goes to the address to which the first email was sent.',
  },
};

export type KycTexts = typeof kycEn;
