// Opens the database with everything wired, for a serving process or for a command.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { assert, StoreRefusal } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import type { Config } from './config.js';
import { type AdapterOverrides, createContainer, tokens } from './container.js';
import { type Creation, databaseProblem } from './database-place.js';
import { developmentSecret, throwawaySecret } from './development.js';

export type Container = Awaited<ReturnType<typeof createContainer>>;

/** Wires everything and opens the database. StoreRefusal if it is missing and not created. */
export async function open(
  config: Config,
  { world = {}, creation }: { readonly world?: AdapterOverrides; readonly creation: Creation },
): Promise<{ readonly container: Container; readonly hasKeys: boolean }> {
  const problem = await databaseProblem(config, creation);
  if (problem !== null) throw new StoreRefusal(problem);
  const creates = creation !== 'none';
  if (creates) makeFolders(config);
  assert(config.secretKeys !== null || !config.production, 'production has configured keys');
  const keys = config.secretKeys ?? developmentSecret(config, { creates });
  const container = await createContainer(config, keys ?? throwawaySecret(), world);
  container.get(tokens.store);
  return { container, hasKeys: keys !== null };
}

/** What this process posts comes after what others have posted, also if the clock went back. */
export async function continuePostings({ store, ids }: Deps): Promise<void> {
  ids.postedUntil((await store.run((tx) => tx.ledger.newestMs())) ?? 0);
}

function makeFolders({ dataDir, database }: Config): void {
  const folders = database.kind === 'sqlite' ? [dataDir, dirname(database.file)] : [dataDir];
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** For a start, which logs more than a command. */
export function warnOfSettings(config: Config, deps: Deps): void {
  warnOfUnknown(config, deps);
  for (const warning of config.warnings) deps.log.warn(warning);
}

export function warnOfUnknown({ unknownVariables }: Config, deps: Deps): void {
  for (const { name, meant } of unknownVariables) {
    const hint = meant === null ? 'check its spelling' : `did you mean ${meant}?`;
    deps.log.warn(`${name} is not a variable of Ponte and has no effect: ${hint}`);
  }
}
