// Parties: BlindPay calls them customers. A party's files are uploaded while its request is
// prepared, so the request names them and a repeat sends the same bytes.
import { z } from 'zod';
import type { EntityType, Role } from '../../../core/domain/parties/connected-account.js';
import {
  type ContentType,
  contentTypes,
  type VerificationKind,
  verificationKinds,
} from '../../../core/domain/parties/document.js';
import { type Dossier, fileLinks, type Owner } from '../../../core/domain/parties/dossier.js';
import { PARTY_BLOCKED, TERMS } from '../../../core/domain/parties/party-due.js';
import { readCnpj } from '../../../core/domain/parties/tax-id.js';
import { isCode } from '../../../core/errors.js';
import type {
  AcceptedCommand,
  CommandCalls,
  PartnerAnswer,
  PartyInput,
  PartyReport,
} from '../../../core/ports/partner.js';
import type { ReadFile } from '../running-partner.js';
import {
  type BlindPayContext,
  done,
  endOf,
  idText,
  isId,
  later,
  notFound,
  notPrepared,
  readObject,
  readRequest,
  refused,
  unreadable,
} from './blindpay-context.js';
import { answerByMs, answerTo, askedFiles, correctionsIn, openRfi, rfiPath } from './rfi.js';

/** Size of a file by the OpenAPI description, in bytes; a guide says five MiB. */
const FILE_BYTES_MAX = 3 * 1_024 * 1_024;
/** Identity documents and selfies are photographs. */
const photoFields = /(selfieFile|idDocFrontFile|idDocBackFile)$/;
const photoKinds: readonly VerificationKind[] = ['selfie', 'id_doc_front', 'id_doc_back'];

/** `compliance_request` becomes `rejected` after 27 days, `approved_rfi` does not. */
const statuses: ReadonlyMap<string, PartyReport['status']> = new Map([
  ['verifying', 'verifying'],
  ['pending_review', 'verifying'],
  ['awaiting_contract', 'verifying'],
  ['compliance_request', 'paused'],
  ['approved', 'approved'],
  ['approved_rfi', 'approved'],
  ['rejected', 'rejected'],
  ['deprecated', 'rejected'],
]);

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
export function documentLimits(kind: VerificationKind) {
  return limitsOf(photoKinds.includes(kind));
}

function limitsOf(isPhoto: boolean) {
  const types: readonly ContentType[] = isPhoto ? verificationKinds.selfie : contentTypes;
  return { bytesMax: FILE_BYTES_MAX, contentTypes: types };
}

/** A request for information is open. */
const withRfi: readonly string[] = ['compliance_request', 'approved_rfi'];

const customerShape = z.object({
  id: idText,
  kyc_status: z.string(),
  external_id: z.string().nullish(),
  kyc_warnings: z.array(z.object({ code: z.string().nullish() })).nullish(),
  is_tos_accepted: z.boolean().nullish(),
  /** A Brazilian company is approved until then, unless its activity code is corrected. */
  cnae_condition: z
    .object({
      status: z.string(),
      expected_cnaes: z.array(z.string()).nullish(),
      due_at: z.string().nullish(),
    })
    .nullish(),
});
type Customer = z.output<typeof customerShape>;

/** A request for a new customer, or an answer about `customerId`; `rfiId` null: none was open. */
const requestShape = z.object({
  reference: z.string(),
  body: z.string(),
  customerId: z.string().nullish(),
  rfiId: z.string().nullish(),
});
type Request = z.output<typeof requestShape>;

export function customersApi(
  desk: BlindPayContext,
  readFile: ReadFile,
): CommandCalls<PartyInput, PartyReport> {
  return {
    read: (customerId) => readReport(desk, customerId),
    prepare: (input) =>
      input.previousRef == null
        ? prepareCustomer(desk, readFile, input)
        : prepareAnswer(desk, readFile, { ...input, previousRef: input.previousRef }),
    async start(request) {
      const fields = readRequest('party', requestShape, request);
      if (fields === null) return unreadable;
      const sent =
        fields.customerId == null ? await create(desk, fields) : await answer(desk, fields);
      if (sent.outcome !== 'done') return sent;
      const partnerRef = sent.value;
      const report = await readReport(desk, partnerRef);
      return done(
        report.outcome === 'done' ? { partnerRef, report: report.value } : { partnerRef },
      );
    },
    async find(request) {
      const fields = readRequest('party', requestShape, request);
      if (fields === null) return notPrepared;
      return fields.customerId == null ? findCustomer(desk, fields) : findAnswer(desk, fields);
    },
  };
}

function readCustomer(desk: BlindPayContext, customerId: string): Promise<PartnerAnswer<Customer>> {
  return readObject(desk, 'customers', customerId, customerShape);
}

async function readReport(
  desk: BlindPayContext,
  customerId: string,
): Promise<PartnerAnswer<PartyReport>> {
  const customer = await readCustomer(desk, customerId);
  return customer.outcome === 'done' ? reportOf(desk, customer.value) : customer;
}

/** Refusals that end when the party has done what is due. */
const blocking: ReadonlySet<string> = new Set([
  'TOS_NOT_ACCEPTED',
  'CUSTOMERS_KYC_NOT_APPROVED',
  'COMPLIANCE_RFI_IN_PROGRESS',
]);

/** `PARTY_BLOCKED` for a refusal of a quote or pay-in that passes, unless the party is rejected. */
export async function blockedIfPassing<T>(
  desk: BlindPayContext,
  customerId: string,
  refusal: PartnerAnswer<T>,
): Promise<PartnerAnswer<T>> {
  if (refusal.outcome !== 'refused' || !blocking.has(refusal.code)) return refusal;
  const customer = await readCustomer(desk, customerId);
  if (customer.outcome !== 'done') return later('a customer could not be read');
  if (statuses.get(customer.value.kyc_status) === 'rejected') return refusal;
  return refused(PARTY_BLOCKED, refusal.message);
}

async function prepareCustomer(
  desk: BlindPayContext,
  readFile: ReadFile,
  input: PartyInput,
): Promise<PartnerAnswer<string>> {
  if (input.entityType === 'business' && input.kycTier === 'enhanced') {
    return refused('tier_not_available', 'BlindPay has no enhanced tier for businesses.');
  }
  const files = await uploadedFiles(desk, readFile, input);
  if (files.outcome !== 'done') return files;
  const body = JSON.stringify(customerOf(input, files.value));
  return done(JSON.stringify({ kind: 'party', reference: input.reference, body }));
}

/** Once the request is closed there is nothing to send: the customer is read. */
async function prepareAnswer(
  desk: BlindPayContext,
  readFile: ReadFile,
  input: PartyInput & { readonly previousRef: string },
): Promise<PartnerAnswer<string>> {
  const { reference, previousRef: customerId } = input;
  const rfi = await openRfi(desk, customerId);
  if (rfi.outcome !== 'done') return rfi;
  const head = { kind: 'party', reference, customerId };
  if (rfi.value === null) return done(JSON.stringify({ ...head, rfiId: null, body: '' }));
  const asked = askedFiles(rfi.value, input);
  const files = await uploadedFiles(desk, readFile, input, (path) => asked.has(path));
  if (files.outcome !== 'done') return files;
  const body = answerTo(rfi.value, input, customerOf(input, files.value), files.value);
  if (body.outcome !== 'done') return body;
  return done(JSON.stringify({ ...head, rfiId: rfi.value.id, body: JSON.stringify(body.value) }));
}

const createdShape = z.object({ id: idText });
const answeredShape = z.object({ success: z.boolean() });

async function create({ client }: BlindPayContext, { reference, body }: Request) {
  const created = await client.post({
    path: '/instances/:instance/customers',
    body,
    key: reference,
    shape: createdShape,
  });
  if (created.outcome === 'done') return done(created.value.id);
  // Terms that were not accepted, or that serve another customer: the party accepts others.
  const isOfTerms = created.outcome === 'refused' && created.code.startsWith('TOS_');
  return isOfTerms ? { ...created, code: TERMS } : created;
}

async function answer(
  { client }: BlindPayContext,
  { reference, body, customerId, rfiId }: Request,
): Promise<PartnerAnswer<string>> {
  const id = customerId ?? '';
  if (!isId(id)) return notFound;
  if (rfiId == null) return done(id);
  const sent = await client.post({ path: rfiPath(id), body, key: reference, shape: answeredShape });
  return sent.outcome === 'done' ? done(id) : sent;
}

async function findCustomer(
  desk: BlindPayContext,
  { reference }: Request,
): Promise<PartnerAnswer<AcceptedCommand | null>> {
  const path = '/instances/:instance/customers';
  const found = await desk.client.search(path, customerShape, (customer) =>
    customer.external_id === reference ? customer : null,
  );
  if (found.outcome !== 'done' || found.value === null) return found as PartnerAnswer<null>;
  const report = await reportOf(desk, found.value);
  const partnerRef = found.value.id;
  return done(report.outcome === 'done' ? { partnerRef, report: report.value } : { partnerRef });
}

/** A request that does not wait any more has its answer, or needs none. */
async function findAnswer(
  desk: BlindPayContext,
  { customerId, rfiId }: Request,
): Promise<PartnerAnswer<AcceptedCommand | null>> {
  const partnerRef = customerId ?? '';
  const rfi = await openRfi(desk, partnerRef);
  if (rfi.outcome !== 'done') return rfi;
  return done(rfi.value !== null && rfi.value.id === rfiId ? null : { partnerRef });
}

async function reportOf(
  desk: BlindPayContext,
  customer: Customer,
): Promise<PartnerAnswer<PartyReport>> {
  const { id: customerId, kyc_status: kycStatus, kyc_warnings: warnings } = customer;
  const shown = { what: 'customer', status: kycStatus, open: 'verifying' } as const;
  const status = endOf(desk, statuses, shown);
  if (status === 'rejected') {
    // Codes only: the words of a warning may quote the dossier.
    const codes = (warnings ?? []).flatMap(({ code }) => code ?? []).join(', ');
    return done({ status, reason: codes === '' ? `BlindPay: ${kycStatus}` : codes });
  }
  const rfi = withRfi.includes(kycStatus) ? await openRfi(desk, customerId) : done(null);
  if (rfi.outcome !== 'done') return rfi;
  const isApproved = status === 'approved';
  const due = [
    ...(rfi.value === null
      ? []
      : [{ corrections: correctionsIn(rfi.value), byMs: answerByMs(rfi.value) }]),
    ...(isApproved && customer.is_tos_accepted === false ? [newTerms] : []),
    ...(isApproved ? cnaeOf(customer) : []),
  ];
  const corrections = due.flatMap((one) => one.corrections);
  if (corrections.length === 0) return done({ status, reason: null });
  const times = due.flatMap(({ byMs }) => byMs ?? []);
  const byMs = times.length === 0 ? null : Math.min(...times);
  return done({ status, reason: null, corrections, answerByMs: byMs });
}

const newTerms = {
  corrections: [{ field: TERMS, reason: 'The terms of BlindPay have changed.' }],
  byMs: null,
};

/** It is corrected in the public register, not here. */
function cnaeOf({ cnae_condition: condition }: Customer) {
  if (condition?.status !== 'pending') return [];
  const codes = (condition.expected_cnaes ?? []).join(', ');
  const reason = `The activity code (CNAE) in the public register must become one of: ${codes}.`;
  const atMs = Date.parse(condition.due_at ?? '');
  return [{ corrections: [{ field: 'cnae', reason }], byMs: Number.isNaN(atMs) ? null : atMs }];
}

/** Addresses of the files at BlindPay by their addresses in the dossier. */
async function uploadedFiles(
  { client }: BlindPayContext,
  readFile: ReadFile,
  input: PartyInput,
  isSent: (path: string) => boolean = () => true,
): Promise<PartnerAnswer<ReadonlyMap<string, string>>> {
  const stored = new Map<string, string>();
  for (const { path, url } of fileLinks(input)) {
    if (stored.has(url) || !isSent(path)) continue;
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
function customerOf(input: PartyInput, files: ReadonlyMap<string, string>) {
  const { entityType, email, legalName, cnpj, taxId, formationDate, website } = input;
  const fileAt = (url: string | null | undefined) => (url ? (files.get(url) ?? url) : null);
  const business = {
    legal_name: legalName,
    formation_date: instantOf(formationDate),
    website,
    incorporation_doc_file: fileAt(input.incorporationDocFile),
    proof_of_ownership_doc_file: fileAt(input.proofOfOwnershipDocFile),
    owners: input.owners?.map((owner) => ownerOf(owner, fileAt)),
  };
  return present({
    type: entityType,
    kyc_type: input.kycTier ?? 'standard',
    external_id: input.reference,
    tos_id: input.tosId,
    email,
    ...personOf(input, fileAt),
    tax_id: entityType === 'business' ? (readCnpj(cnpj ?? '') ?? cnpj ?? taxId) : taxId,
    // E.164.
    phone_number: input.phone?.replace(/(?!^)[^0-9]/g, ''),
    ...(entityType === 'business' ? business : { selfie_file: fileAt(input.selfieFile) }),
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
