// Loaded into a host process before anything else: the fake partner gets a memory in a folder, as a
// real one has, and refuses every call that it carried out before. On the orders whose numbers are
// named it kills the host between the effect and the answer.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FakePartner } from '../../adapters/partner/fake.js';
import type { PartnerAnswer } from '../../core/ports.js';

const folder = process.env['REFUSING_PARTNER_FOLDER'] ?? '';
const deadly = (process.env['REFUSING_PARTNER_KILLS'] ?? '').split(',').map(Number);
const fake = fileURLToPath(new URL('../../adapters/partner/fake.ts', import.meta.url));

type Call = (request: string) => Promise<PartnerAnswer<unknown>>;

const calls = {
  payin: ['startPayin', 'findPayin'],
  payout: ['startPayout', 'findPayout'],
  refund: ['startRefund', 'findRefund'],
} as const;

mkdirSync(folder, { recursive: true });

/** How the loaded module reaches this one. */
Object.assign(globalThis, {
  refusing: (partner: FakePartner): FakePartner => {
    const changed: Record<string, Call> = {};
    for (const [kind, [start, find]] of Object.entries(calls)) {
      const pathOf = (request: string) =>
        join(folder, `${kind}.${(JSON.parse(request) as { reference: string }).reference}`);
      changed[start] = async (request) => {
        if (!remembered(pathOf(request), request)) {
          writeFileSync(join(folder, `repeat.${readdirSync(folder).length}`), request);
          return { outcome: 'refused', code: 'already_used', message: 'already used' };
        }
        const number = readdirSync(folder).length;
        const answer = await (partner[start] as Call)(request);
        if (deadly.includes(number)) process.kill(process.pid, 'SIGKILL');
        return answer;
      };
      changed[find] = async (request) =>
        readdirSync(folder).some((name) => pathOf(request).endsWith(name))
          ? (partner[find] as Call)(request)
          : { outcome: 'done', value: null };
    }
    return { ...partner, ...changed };
  },
});

/** False when an order of this name was carried out before. */
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
