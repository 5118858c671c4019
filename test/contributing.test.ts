// The worked examples of CONTRIBUTING.md are true: applied to a copy of the sources, they compile
// and do what the text says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { loadMigrations } from '../adapters/storage/migrations.js';
import { loadTypeScript, projectRoot } from './support/source-tree.js';
import { suiteEnd } from './support/suite-end.js';

const copy = mkdtempSync(join(tmpdir(), 'ponte-contributing-'));
const released = loadMigrations('sqlite').map(({ number }) => number);
const nextMigration = `${released.length + 1}`.padStart(4, '0');
const guide = readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8');
/** Files that examples create, and files that they change. */
const created: string[] = [];
const changed: string[] = [];

const suite = suiteEnd();

before(() => {
  suite.after(() => rmSync(copy, { recursive: true }));
  for (const name of ['core', 'adapters', 'host', 'cli', 'package.json', 'tsconfig.json']) {
    cpSync(join(projectRoot, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
  for (const [, language = '', path = '', body = ''] of guide.matchAll(
    /^```(tsx?|sql|diff)\n(?:\/\/|--) (\S+)\n([\s\S]*?)^```$/gm,
  )) {
    const file = join(copy, path.replace('NNNN', nextMigration));
    if (language === 'diff') {
      writeFileSync(file, edited(readFileSync(file, 'utf8'), body.trimEnd().split('\n'), path));
      changed.push(path);
    } else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, body);
      created.push(path);
    }
  }
  const bank = readFileSync(join(projectRoot, 'test/examples/bank-partner.ts'), 'utf8');
  const moved = bank.replaceAll("'../../core/", "'../../../core/");
  writeFileSync(join(copy, 'adapters/partner/bank/bank-partner.ts'), moved);
});

/** Finds the other lines in their order, removes those with `-`, and inserts those with `+`. */
function edited(text: string, diff: readonly string[], path: string): string {
  let rest = text;
  let done = '';
  for (const line of diff) {
    const own = `${line.slice(1)}\n`;
    if (line.startsWith('+')) done += own;
    else {
      const at = `\n${rest}`.indexOf(`\n${own}`);
      assert.ok(at >= 0, `${path} has the line: ${own}`);
      done += rest.slice(0, line.startsWith('-') ? at : at + own.length);
      rest = rest.slice(at + own.length);
    }
  }
  return done + rest;
}

test('each example changes the files that the text names, and no others', () => {
  assert.deepEqual(changed, [
    // An endpoint, an error code, a setting and a partner.
    'adapters/http/routes.ts',
    'adapters/http/docs/description-text.ts',
    'core/errors.ts',
    'cli/exit-codes.ts',
    'host/config.ts',
    'adapters/partner/partners.ts',
    // A field.
    'core/domain/payments/payment.ts',
    'core/domain/payments/idempotency.ts',
    'adapters/http/resources/payment-routes.ts',
    'adapters/storage/tables/payment-rows.ts',
    // A status.
    'core/domain/payments/payment.ts',
    'core/domain/hosted/hosted-screen.ts',
    'adapters/http/docs/description-text.ts',
    'core/domain/payments/command-outcomes.ts',
    'core/usecases/sandbox/sandbox.ts',
    'core/domain/payments/situation.ts',
    'adapters/pages/dashboard/payment-groups.ts',
    'adapters/pages/letters/situation-texts.ts',
    // A screen.
    'core/domain/hosted/hosted-screen.ts',
    'adapters/pages/buyer/render.tsx',
    'adapters/pages/hosted/texts/en-money.tsx',
    'adapters/pages/hosted/texts/es-money.tsx',
    'adapters/pages/hosted/texts/pt-br-money.tsx',
    // A wait.
    'core/domain/base/schedules.ts',
  ]);
  assert.deepEqual(created, [
    'adapters/http/resources/currency-routes.ts',
    'adapters/partner/bank/bank.ts',
    'adapters/pages/buyer/payout-held-screen.tsx',
    'adapters/storage/migrations/NNNN.sql',
  ]);
});

test('the examples compile', () => {
  const config = JSON.stringify({
    extends: './tsconfig.json',
    include: ['core', 'adapters', 'host', 'cli'],
  });
  writeFileSync(join(copy, 'tsconfig.examples.json'), config);
  const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.examples.json', '--singleThreaded'], {
    cwd: copy,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
});

test('the examples run: endpoint, error, setting, partner, field, status, screen, wait, migration', () => {
  const script = `
    import { createPonte } from './host/embed.js';
    import { catalogue } from './core/errors.js';
    import { bankPartner } from './adapters/partner/bank/bank.js';
    import { partnerVariables, partners } from './adapters/partner/partners.js';
    import { loadMigrations } from './adapters/storage/migrations.js';
    import { paymentMoves } from './core/domain/payments/payment.js';
    import { screens } from './core/domain/hosted/hosted-screen.js';
    import { readConfig } from './host/config.js';
    const ponte = await createPonte({ partner: (setup) => partners.bank.create(setup, {}) });
    const numbers = (database) => loadMigrations(database).map(({ number }) => number);
    const sent = { externalId: 'a', amount: '10.00', buyer: { email: 'ana@example.com' } };
    const made = await ponte.post('/v1/payment-intents', { ...sent, costCenter: 'CC 7' });
    console.log(JSON.stringify({
      field: (await ponte.get('/v1/payments/' + made.id)).costCenter,
      status: Object.keys(paymentMoves).includes('payout_on_hold'),
      screen: screens.includes('payout_held'),
      firstWaitMs: readConfig({}).retryDelaysMs[0],
      currencies: await ponte.get('/v1/currencies'),
      described: Object.keys((await ponte.get('/docs-json')).paths).includes('/v1/currencies'),
      errorStatus: catalogue.CurrencyNotSupported.status,
      setting: readConfig({ PONTE_STATUS_PAGE: 'https://status.example/' }).statusPage,
      isConfigured: 'PONTE_BANK_URL' in partnerVariables && partners.bank === bankPartner,
      migrations: [numbers('sqlite'), numbers('postgres')],
    }));
    await ponte.close();`;
  writeFileSync(join(copy, 'examples.ts'), script);
  const said = execFileSync(process.execPath, [...loadTypeScript, 'examples.ts'], {
    cwd: copy,
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(said), {
    field: 'CC 7',
    status: true,
    screen: true,
    firstWaitMs: 45_000,
    currencies: { currencies: ['USD'] },
    described: true,
    errorStatus: 400,
    setting: 'https://status.example',
    isConfigured: true,
    migrations: [
      [...released, released.length + 1],
      [...released, released.length + 1],
    ],
  });
});
