// What an organization tells for its KYB: the options of a command, over a JSON file or standard
// input. Against the fake partner in test mode, what is left out has marked values of the sandbox.
import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import { type Organization, sandboxKyb } from '../core/domain/organization.js';
import type { Mode } from '../core/domain/tenant.js';
import { PonteError } from '../core/errors.js';
import type { Deps } from '../core/ports.js';
import type { OrganizationDossier } from '../core/usecases/organizations.js';
import type { Shell } from './operator.js';

export interface DossierOptions {
  readonly dossier: string | null;
  readonly email: string | null;
  readonly legalName: string | null;
  readonly cnpj: string | null;
}

export const dossierOptions = (): readonly Option[] => [
  new Option('--email <address>', 'where the organization is reached').default(null),
  new Option('--legal-name <name>', 'as registered').default(null),
  new Option('--cnpj <number>', 'its Brazilian company number').default(null),
  new Option('--dossier <file>', 'JSON with these and all else that is told; - is stdin').default(
    null,
  ),
];

/** ValidationError names everything that is wrong; what is missing is the use case's to say. */
export async function readDossier(
  { stdin }: Shell,
  { dossier: file, email, legalName, cnpj }: DossierOptions,
): Promise<OrganizationDossier> {
  const [{ submitAccountBody }, { checkedAgainst }] = await Promise.all([
    import('../adapters/http/account-schemas.js'),
    import('../adapters/http/request-input.js'),
  ]);
  const inFile = file === null ? {} : parsed(await textOf(file, stdin));
  const problems: string[] = [];
  const schema = submitAccountBody.omit({ tosId: true }).strict();
  const told = checkedAgainst(
    schema,
    { ...inFile, ...given({ email, legalName, cnpj }) },
    problems,
  );
  if (problems.length === 0) return told as OrganizationDossier;
  throw new PonteError('ValidationError', `${problems.join('; ')}.`);
}

/** What is submitted of what was told. */
export function dossierFor(
  { partners }: Deps,
  mode: Mode,
  organization: Organization,
  told: OrganizationDossier,
): OrganizationDossier {
  const isSandbox = mode === 'test' && partners.test?.name === 'fake';
  return isSandbox ? { ...sandboxKyb(organization), ...given(told) } : told;
}

function given<T extends object>(told: T): Partial<T> {
  const entries = Object.entries(told).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as Partial<T>;
}

async function textOf(file: string, stdin: Shell['stdin']): Promise<string> {
  if (file !== '-') {
    return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      const text = `dossier: ${file} cannot be read (${cause.code}). Give a file that can.`;
      throw new PonteError('ValidationError', text, { cause });
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below: what the parser says quotes the file.
  }
  throw new PonteError('ValidationError', 'dossier: give one JSON object.');
}
