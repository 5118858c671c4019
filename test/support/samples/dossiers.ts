// Complete dossiers for KYC: an individual, a company and its beneficial owner.
export const ana = {
  firstName: 'Ana',
  lastName: 'Lima',
  dateOfBirth: '1990-01-31',
  idDocCountry: 'PT',
  idDocType: 'PASSPORT',
  selfieFile: 'https://files.example/selfie.jpg',
  idDocFrontFile: 'https://files.example/front.jpg',
} as const;

const address = {
  addressLine1: 'Hauptstr. 1',
  city: 'Berlin',
  stateProvinceRegion: 'BE',
  postalCode: '10115',
} as const;

export const owner = {
  ...ana,
  ...address,
  role: 'beneficial_owner',
  taxId: '12-3456789',
  country: 'DE',
  proofOfAddressDocType: 'UTILITY_BILL',
  proofOfAddressDocFile: 'https://files.example/bill.pdf',
} as const;

export const acme = {
  ...address,
  legalName: 'Acme GmbH',
  formationDate: '2001-02-03',
  taxId: 'DE123456789',
  website: 'https://acme.example',
  country: 'DE',
  incorporationDocFile: 'https://files.example/incorporation.pdf',
  proofOfOwnershipDocFile: 'https://files.example/ownership.pdf',
  owners: [owner],
} as const;
