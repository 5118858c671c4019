// The dossier of an organization's KYB, from a JSON file or standard input and from options, which
// override it. For the fake partner in test mode, sandbox values fill in missing fields.
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Mode } from '../core/domain/base/tenant.js';
import { sortedJson } from '../core/domain/money-desk/proposal.js';
import type { GivenDossier } from '../core/domain/money-desk/service-decisions.js';
import { type Organization, sandboxKyb } from '../core/domain/parties/organization.js';
import { invalid, PonteError } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import type { OrganizationDossier } from '../core/usecases/parties/organizations.js';
import type { Shell } from './operator.js';
import { type OptionValues, value } from './options.js';

export const dossierOptions = {
  email: value('<address>', 'the address of the organization'),
  legalName: value('<name>', 'its registered name'),
  cnpj: value('<number>', 'its Brazilian company number'),
  dossier: value('<file>', 'a JSON file with these and other fields; - reads stdin'),
};

/** ValidationError lists every invalid field. The use case checks for missing ones. */
export async function readDossier(
  { stdin }: Shell,
  { dossier: file, email, legalName, cnpj }: OptionValues<typeof dossierOptions>,
): Promise<OrganizationDossier> {
  const [{ submitAccountBody }, { checkedAgainst, parseJson }] = await Promise.all([
    import('../adapters/http/resources/account-routes.js'),
    import('../adapters/http/protocol/request-input.js'),
  ]);
  const bytes = file === null ? null : await bytesOf(file, stdin);
  if (bytes?.length === 0) throw invalid('dossier: it is empty. Give one JSON object.');
  const inFile = bytes === null ? {} : parseJson(bytes, 'dossier');
  const problems: string[] = [];
  const schema = submitAccountBody.omit({ tosId: true }).strict();
  const checked = checkedAgainst(
    schema,
    { ...inFile, ...given({ email, legalName, cnpj }) },
    problems,
  );
  if (problems.length === 0) return checked as OrganizationDossier;
  throw invalid(`${problems.join('; ')}.`);
}

export function dossierFor(
  { partners }: Deps,
  mode: Mode,
  organization: Organization,
  dossier: OrganizationDossier,
): OrganizationDossier {
  const isSandbox = mode === 'test' && partners.test?.name === 'fake';
  return isSandbox ? { ...sandboxKyb(organization), ...given(dossier) } : dossier;
}

/** What a proposal keeps of it; the same for the same fields in any order. */
export function dossierFacts(dossier: OrganizationDossier): GivenDossier {
  const { legalName, cnpj } = dossier as Readonly<Record<string, string | null | undefined>>;
  const dossierHash = hash('sha256', sortedJson(dossier), 'hex');
  return { legalName: legalName ?? null, cnpj: cnpj ?? null, dossierHash };
}

function given<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as Partial<T>;
}

async function bytesOf(file: string, stdin: Shell['stdin']): Promise<Buffer> {
  if (file !== '-') {
    return readFile(file).catch((cause: NodeJS.ErrnoException) => {
      const text = `dossier: ${file} cannot be read (${cause.code}). Give a readable file.`;
      throw new PonteError('ValidationError', text, { cause });
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
