// E-mail addresses: how they are read, and when two are one. The local part follows RFC 5321; an
// international domain is kept as the DNS has it, in A-labels (RFC 5890).

/** RFC 5321, 4.5.3.1.1 and erratum 1690, in octets. */
const LOCAL_PART_MAX = 64;
const ADDRESS_MAX = 254;
/** A longer text is no address, and no pattern is tried on it. */
const TEXT_MAX = LOCAL_PART_MAX + 1 + ADDRESS_MAX;
/** A dot-atom of RFC 5321 atext. Quoted local parts are no address of a company. */
const atext = String.raw`[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]`;
const localForm = new RegExp(`^${atext}+(?:\\.${atext}+)*$`);
/** Some mail programs decode it (RFC 2047), and send to another address than the one shown. */
const encodedWord = '=?';
/** RFC 1123 host names. The last label is a word or an A-label, so no number is a domain. */
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const domainForm = new RegExp(
  `^(?:${label}\\.)+(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9-]{0,58}[A-Za-z0-9])$`,
  'i',
);
/** Dots that IDNA reads as one (RFC 3490, 3.1), letters, digits and marks: nothing invisible. */
const internationalDomain = /^[\p{L}\p{N}\p{M}.\u3002\uff0e\uff61-]+$/u;

/**
 * Why a text is no address. `international`: a local part in other letters, which needs a mail
 * server with SMTPUTF8 (RFC 6531) on every hop.
 */
export type EmailProblem = 'not_an_address' | 'international';

/** The address without surrounding blanks, its domain in A-labels; null for any other text. */
export function readEmail(text: string): string | null {
  const address = text.trim();
  if (address.length > TEXT_MAX) return null;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const isLocal = local.length <= LOCAL_PART_MAX && localForm.test(local);
  if (!isLocal || local.includes(encodedWord)) return null;
  const domain = asciiDomain(address.slice(at + 1));
  if (domain === null || local.length + 1 + domain.length > ADDRESS_MAX) return null;
  return `${local}@${domain}`;
}

/** Null: it is one. */
export function emailProblem(text: string): EmailProblem | null {
  if (readEmail(text) !== null) return null;
  if (text.length > TEXT_MAX) return 'not_an_address';
  const at = Math.max(text.lastIndexOf('@'), 0);
  const local = text.slice(0, at).replace(/[\p{L}\p{M}\p{N}]/gu, 'a');
  return readEmail(`${local}${text.slice(at)}`) === null ? 'not_an_address' : 'international';
}

/** Addresses are equal if their keys are. */
export function emailKey(email: string): string {
  return (readEmail(email) ?? email.trim()).toLowerCase();
}

/**
 * Addresses reach one mailbox if these are equal, as far as an address shows it: most mail servers
 * ignore a tag behind a plus sign (RFC 5233). Two of them are one person for a second approval.
 */
export function mailboxKey(email: string): string {
  const [local = '', ...rest] = emailKey(email).split('@');
  const tag = rest.length === 0 ? -1 : local.indexOf('+');
  return [tag < 0 ? local : local.slice(0, tag), ...rest].join('@');
}

function asciiDomain(domain: string): string | null {
  if (domainForm.test(domain)) return domain;
  if (domain.length > ADDRESS_MAX || !internationalDomain.test(domain)) return null;
  const host = URL.parse(`http://${domain}`)?.hostname ?? '';
  return domainForm.test(host) ? host : null;
}
