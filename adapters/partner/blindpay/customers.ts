// Parties: BlindPay calls them customers. A party's files are uploaded while its request is
// prepared, so the request names them and a repeat sends the same bytes.
import { z } from 'zod';
import type { EntityType, Role } from '../../../core/domain/connected-account.js';
import {
  type ContentType,
  contentTypes,
  type DocumentKind,
  documentKinds,
} from '../../../core/domain/document.js';
import { type Dossier, fileLinks, type Owner } from '../../../core/domain/dossier.js';
import { isCode } from '../../../core/errors.js';
import type {
  OrderApi,
  PartnerAnswer,
  ReceiverOrder,
  ReceiverReport,
} from '../../../core/ports/partner.js';
import type { ReadFile } from '../running-partner.js';
import {
  type Desk,
  done,
  endOf,
  isId,
  later,
  notFound,
  readRequest,
  refused,
  unreadable,
} from './orders.js';

/** Of a file, by the OpenAPI description; a guide says five. */
const FILE_BYTES_MAX = 3 * 1_024 * 1_024;
/** Identity documents and selfies are photographs. */
const photoFields = /(selfieFile|idDocFrontFile|idDocBackFile)$/;
const photoKinds: readonly DocumentKind[] = ['selfie', 'id_doc_front', 'id_doc_back'];

/** `compliance_request` blocks new quotes, and becomes `rejected` after 27 days. */
const statuses: Readonly<Record<string, ReceiverReport['status']>> = {
  verifying: 'verifying',
  pending_review: 'verifying',
  awaiting_contract: 'verifying',
  compliance_request: 'verifying',
  approved: 'approved',
  approved_rfi: 'approved',
  rejected: 'rejected',
  deprecated: 'rejected',
};

/** Required in production, in addition to dossier.ts: the guide on KYC tiers, 2026-08-21. */
const requiredFields = {
  individual: [
    ...(['tosId', 'country', 'taxId', 'addressLine1', 'city'] as const),
    ...(['stateProvinceRegion', 'postalCode'] as const),
  ],
  business: [
    ...(['tosId', 'email', 'country', 'addressLine1', 'city', 'stateProvinceRegion'] as const),
    ...(['postalCode', 'formationDate', 'website', 'incorporationDocFile'] as const),
    ...(['proofOfOwnershipDocFile', 'proofOfAddressDocType', 'proofOfAddressDocFile'] as const),
    'owners',
  ],
} as const satisfies Record<EntityType, readonly (keyof Dossier)[]>;

/** A development instance approves all who submit what its API requires of everybody. */
const developmentFields = ['email', 'country'] as const satisfies readonly (keyof Dossier)[];

export function requirementsOf(isDevelopment: boolean) {
  return (_: Role, entityType: EntityType): readonly (keyof Dossier)[] =>
    isDevelopment ? developmentFields : requiredFields[entityType];
}

/** What it takes of a kind of document. */
export function documentLimits(kind: DocumentKind) {
  return limitsOf(photoKinds.includes(kind));
}

function limitsOf(isPhoto: boolean) {
  const types: readonly ContentType[] = isPhoto ? documentKinds.selfie : contentTypes;
  return { bytesMax: FILE_BYTES_MAX, contentTypes: types };
}

const customerShape = z.object({
  id: z.string(),
  kyc_status: z.string(),
  external_id: z.string().nullish(),
  kyc_warnings: z.array(z.object({ code: z.string().nullish() })).nullish(),
});

const requestShape = z.object({ reference: z.string(), body: z.string() });

export function customersApi(
  desk: Desk,
  readFile: ReadFile,
): OrderApi<ReceiverOrder, ReceiverReport> {
  const { client } = desk;
  const read = async (customerId: string): Promise<PartnerAnswer<ReceiverReport>> => {
    if (!isId(customerId)) return notFound;
    const path = `/instances/:instance/customers/${customerId}`;
    const answer = await client.get(path, customerShape);
    return answer.outcome === 'done' ? done(reportOf(desk, answer.value)) : answer;
  };
  return {
    read,
    async prepare(order) {
      if (order.entityType === 'business' && order.kycTier === 'enhanced') {
        return refused('tier_not_available', 'BlindPay has no enhanced tier for businesses.');
      }
      const files = await uploadedFiles(desk, readFile, order);
      if (files.outcome !== 'done') return files;
      const body = JSON.stringify(customerOf(order, files.value));
      return done(JSON.stringify({ kind: 'receiver', reference: order.reference, body }));
    },
    async start(request) {
      const order = readRequest('receiver', requestShape, request);
      if (order === null) return unreadable;
      const created = await client.post({
        path: '/instances/:instance/customers',
        body: order.body,
        key: order.reference,
        shape: z.object({ id: z.string() }),
      });
      if (created.outcome !== 'done') return created;
      const partnerRef = created.value.id;
      const report = await read(partnerRef);
      return done(
        report.outcome === 'done' ? { partnerRef, report: report.value } : { partnerRef },
      );
    },
    async find(request) {
      const order = readRequest('receiver', requestShape, request);
      if (order === null) return done(null);
      const path = '/instances/:instance/customers';
      return client.search(path, customerShape, (customer) =>
        customer.external_id === order.reference
          ? { partnerRef: customer.id, report: reportOf(desk, customer) }
          : null,
      );
    },
  };
}

function reportOf(
  desk: Desk,
  { id: customerId, kyc_status: kycStatus, kyc_warnings: warnings }: z.output<typeof customerShape>,
): ReceiverReport {
  if (kycStatus === 'compliance_request') {
    const todo = 'BlindPay requests information about a customer: answer in its dashboard';
    desk.log.warn(todo, { customerId });
  }
  const shown = { what: 'customer', status: kycStatus, open: 'verifying' } as const;
  const status = endOf(desk, statuses, shown);
  if (status !== 'rejected') return { status, reason: null };
  // Codes only: the words of a warning may quote the dossier.
  const codes = (warnings ?? []).flatMap(({ code }) => code ?? []).join(', ');
  return { status, reason: codes === '' ? `BlindPay: ${kycStatus}` : codes };
}

/** Addresses of the files at BlindPay by their addresses in the dossier. */
async function uploadedFiles(
  { client }: Desk,
  readFile: ReadFile,
  order: ReceiverOrder,
): Promise<PartnerAnswer<ReadonlyMap<string, string>>> {
  const stored = new Map<string, string>();
  for (const { path, url } of fileLinks(order)) {
    if (stored.has(url)) continue;
    const file = await readFile(url).catch((error: unknown) =>
      isCode(error, 'NotFound') || isCode(error, 'InvalidSignature') ? 'absent' : 'unreadable',
    );
    if (file === 'absent') return refused('file_not_found', `${path}: there is no such file.`);
    if (file === 'unreadable') return later('a document could not be read');
    // An address of another site: BlindPay fetches it, or refuses it.
    if (file === null) {
      stored.set(url, url);
      continue;
    }
    const { bytesMax, contentTypes: types } = limitsOf(photoFields.test(path));
    if (!types.some((type) => type === file.type)) {
      return refused('file_type', `${path}: BlindPay takes ${types.join(', ')}.`);
    }
    if (file.bytes.length > bytesMax) {
      return refused('file_too_large', `${path}: BlindPay takes at most ${bytesMax} bytes.`);
    }
    const answer = await client.upload(file);
    if (answer.outcome !== 'done')
      return answer.outcome === 'refused' ? answer : later(answer.reason);
    stored.set(url, answer.value);
  }
  return done(stored);
}

/** The body of POST /customers; fields that are absent stay absent. */
function customerOf(order: ReceiverOrder, files: ReadonlyMap<string, string>) {
  const { entityType, email, legalName, cnpj, taxId, formationDate, website } = order;
  const fileAt = (url: string | null | undefined) => (url ? (files.get(url) ?? url) : null);
  const business = {
    legal_name: legalName,
    formation_date: instantOf(formationDate),
    website,
    incorporation_doc_file: fileAt(order.incorporationDocFile),
    proof_of_ownership_doc_file: fileAt(order.proofOfOwnershipDocFile),
    owners: order.owners?.map((owner) => ownerOf(owner, fileAt)),
  };
  return present({
    type: entityType,
    kyc_type: order.kycTier ?? 'standard',
    external_id: order.reference,
    tos_id: order.tosId,
    email,
    ...personOf(order, fileAt),
    tax_id: entityType === 'business' ? (cnpj?.replace(/[./-]/g, '') ?? taxId) : taxId,
    phone_number: order.phone,
    ...(entityType === 'business' ? business : { selfie_file: fileAt(order.selfieFile) }),
  });
}

type FileAt = (url: string | null | undefined) => string | null;

function personOf(person: Dossier | Owner, fileAt: FileAt) {
  return {
    first_name: person.firstName,
    last_name: person.lastName,
    date_of_birth: instantOf(person.dateOfBirth),
    tax_id: person.taxId,
    address_line_1: person.addressLine1,
    address_line_2: person.addressLine2,
    city: person.city,
    state_province_region: person.stateProvinceRegion,
    country: person.country,
    postal_code: person.postalCode,
    id_doc_country: person.idDocCountry,
    id_doc_type: person.idDocType,
    id_doc_front_file: fileAt(person.idDocFrontFile),
    id_doc_back_file: fileAt(person.idDocBackFile),
    proof_of_address_doc_type: person.proofOfAddressDocType,
    proof_of_address_doc_file: fileAt(person.proofOfAddressDocFile),
  };
}

function ownerOf(owner: Owner, fileAt: FileAt) {
  return present({ role: owner.role, ...personOf(owner, fileAt), tax_type: owner.taxType });
}

/** BlindPay takes an instant where a date is meant. */
function instantOf(date: string | null | undefined): string | null {
  if (date === null || date === undefined) return null;
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date}T00:00:00Z` : date;
}

function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isGiven = ([, value]: [string, unknown]) => value !== null && value !== undefined;
  return Object.fromEntries(Object.entries(fields).filter(isGiven));
}
