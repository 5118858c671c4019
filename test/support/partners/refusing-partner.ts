// Loaded into a host process before anything else: the fake partner gets a memory in a folder, as a
// real one has, and refuses every call that it carried out before. For each number in
// REFUSING_PARTNER_KILLS it kills the host once, between the effect and the answer of the first
// command that has this number or a later one.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FakePartner } from '../../../adapters/partner/fake.js';
import type { CommandCalls } from '../../../core/ports/partner.js';
import { changedPartner } from './changed-partner.js';

const folder = process.env['REFUSING_PARTNER_FOLDER'] ?? '';
const deadly = (process.env['REFUSING_PARTNER_KILLS'] || null)?.split(',').map(Number) ?? [];
const fake = fileURLToPath(new URL('../../../adapters/partner/fake.ts', import.meta.url));

type Find = CommandCalls<never, unknown>['find'];
type Start = CommandCalls<never, unknown>['start'];

mkdirSync(folder, { recursive: true });

/** How the loaded module reaches this one. */
Object.assign(globalThis, {
  refusing: (partner: FakePartner): FakePartner => {
    const refusing = (kind: 'payin' | 'payout' | 'refund') => {
      const usual = partner[kind];
      const pathOf = (request: string) =>
        join(folder, `${kind}.${(JSON.parse(request) as { reference: string }).reference}`);
      const start: Start = async (request) => {
        if (!remembered(pathOf(request), request)) {
          writeFileSync(join(folder, `repeat.${readdirSync(folder).length}`), request);
          return { outcome: 'refused', code: 'already_used', message: 'already used' };
        }
        const number = readdirSync(folder).filter((name) => /^(pay|refund)/.test(name)).length;
        const answer = await usual.start(request);
        // Commands that are started together do not share a kill.
        const due = deadly.find((at) => at <= number && !existsSync(join(folder, `killed.${at}`)));
        if (due !== undefined) {
          writeFileSync(join(folder, `killed.${due}`), '');
          process.kill(process.pid, 'SIGKILL');
        }
        return answer;
      };
      const find: Find = async (request) =>
        readdirSync(folder).some((name) => pathOf(request).endsWith(name))
          ? usual.find(request)
          : { outcome: 'done', value: null };
      return { start, find };
    };
    return changedPartner(partner, {
      payin: refusing('payin'),
      payout: refusing('payout'),
      refund: refusing('refund'),
    });
  },
});

/** False when a command of this name was carried out before. */
function remembered(path: string, request: string): boolean {
  try {
    writeFileSync(path, request, { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

registerHooks({
  load: (url, context, nextLoad) => {
    if (!url.startsWith('file:') || fileURLToPath(url.replace(/\?.*/, '')) !== fake) {
      return nextLoad(url, context);
    }
    const source = readFileSync(fake, 'utf8').replace(
      'export function createFakePartner(options: FakePartnerOptions): FakePartner {',
      'export const createFakePartner = (options) => globalThis.refusing(forgetful(options));\n' +
        'function forgetful(options) {',
    );
    return { format: 'module', source: stripTypeScriptTypes(source), shortCircuit: true };
  },
});
