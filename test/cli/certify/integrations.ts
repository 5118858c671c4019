// The example integration, and integrations with one common mistake each: a change of its text.
// Each runs in another thread.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { type CertifyAddress, openCertifier } from '../../../cli/certify/certify.js';
import { type FaultName, faultNames } from '../../../cli/certify/certify-faults.js';
import type { IntegrationUnderTest } from '../../../cli/certify/stage.js';
import { projectRoot } from '../../support/source-tree.js';

interface Changed {
  readonly changes: readonly (readonly [from: string, to: string])[];
}

interface Mistake extends Changed {
  readonly caughtBy: FaultName;
}

/** It names its payments itself, as a shop does. */
export const ownNames: Changed = {
  changes: [
    ['`ext_', '`ext_shop/'],
    ['body: { externalId: name,', "body: { externalId: 'shop/' + name,"],
    ['String(about.externalId)', "String(about.externalId).replace('shop/', '')"],
    ['String(data.externalId)', "String(data.externalId).replace('shop/', '')"],
    [
      '    await work;\n',
      [
        "    if (body.includes('create')) {",
        "      const externalId = 'shop/' + JSON.parse(body.toString()).order;",
        '      response.end(JSON.stringify({ externalId }));',
        '      return;',
        '    }',
        '    await work;',
        '',
      ].join('\n'),
    ],
  ],
};

/** The job of a shop reads the feed each minute. */
export const readsAlways: Changed = {
  changes: [
    [
      'let work: Promise<void>',
      'setInterval(() => catchUp().catch(() => {}), 20);\nlet work: Promise<void>',
    ],
  ],
};

/** An event says only that something happened. */
export const readsAtEachEvent: Changed = {
  changes: [["if (type === 'payment_intent.settled') await", 'await']],
};

const knownTypes =
  '/test|created|kyc|quoted|pending|confirmed|settled|failed|cancelled|funds|refund|payout/';

/** Each event has its effect, also of a payment that counts already. */
const countsAgain = ["  if (order.state === 'paid') return;\n", ''] as const;

export const mistakes: Readonly<Record<string, Mistake>> = {
  'drops no duplicates': {
    caughtBy: 'duplicate',
    changes: [countsAgain, ['  if (seen.has(id)) return;\n', '']],
  },
  'notes an event after its effect, while others run': {
    caughtBy: 'together',
    changes: [
      countsAgain,
      ['inTurn(() => handle(event))', 'inTurn(((done) => () => done)(handle(event)))'],
    ],
  },
  'sets an order to what the latest event says': {
    caughtBy: 'reorder',
    changes: [
      [
        '  seen.add(id);\n',
        "  seen.add(id);\n  if (/created$/.test(type)) order.state = 'open';\n",
      ],
    ],
  },
  'refuses events that are old': {
    caughtBy: 'day-late',
    changes: [
      [
        'if (webhook === undefined)',
        'if (!webhook || Date.parse(webhook.data.occurredAt) < Date.now() - 3_600_000)',
      ],
    ],
  },
  'takes a webhook without a signature': {
    caughtBy: 'unsigned',
    changes: [
      [
        'return [constructEvent({ secret, header, body })];',
        'return [header ? constructEvent({ secret, header, body }) : JSON.parse(String(body))];',
      ],
    ],
  },
  'does not look at the time of the signature': {
    caughtBy: 'old-time-stamp',
    changes: [['{ secret, header, body }', '{ secret, header, body, toleranceSeconds: 1e9 }']],
  },
  'verifies a body that it has serialized again': {
    caughtBy: 'raw-bytes',
    changes: [
      [
        '{ secret, header, body }',
        '{ secret, header, body: JSON.stringify(JSON.parse(String(body))) }',
      ],
    ],
  },
  'works before it answers': {
    caughtBy: 'slow',
    changes: [
      ['receive(request.headers, body);\n', 'receive(request.headers, body);\n      await work;\n'],
    ],
  },
  'refuses events that it does not know': {
    caughtBy: 'unknown-event',
    changes: [
      [
        'if (webhook === undefined)',
        `if (webhook === undefined || !${knownTypes}.test(webhook.event))`,
      ],
    ],
  },
  'fulfils at events that it does not know': {
    caughtBy: 'unknown-event',
    changes: [
      ["if (type === 'payment_intent.settled')", 'if (/settled|later/.test(type))'],
      ["data.status !== 'settled' || ", ''],
    ],
  },
  'keeps its first secret': {
    caughtBy: 'rotation',
    changes: [['    secrets = [secret];\n', '    secrets = [...secrets, secret];\n']],
  },
  'makes another payment when it repeats a create': {
    caughtBy: 'answer-lost',
    changes: [
      [
        'createPonteClient({ baseUrl, apiKey })',
        'createPonteClient({ baseUrl, apiKey, attemptsMax: 1 })',
      ],
      [
        '  create: ({ order = ',
        [
          '  create: (asked) =>',
          "    probe.first?.(asked).catch(() => create(asked.order + '-2', '250.00', 'a@b.com')),",
          '  first: ({ order = ',
        ].join('\n'),
      ],
    ],
  },
  'knows a webhook by its delivery alone': {
    caughtBy: 'both-ways',
    changes: [
      countsAgain,
      ['String(data.externalEventId)', "String(headers['x-service-delivery-id'])"],
    ],
  },
  'takes the first money for all of it': {
    caughtBy: 'short',
    changes: [
      ["data.status !== 'settled'", "data.status === 'cancelled'"],
      [
        "if (type === 'payment_intent.settled')",
        'if (/settled|funds_changed/.test(type) && order.effects === 0)',
      ],
    ],
  },
  'gives up where the feed was reset': {
    caughtBy: 'feed-reset',
    changes: [["if (orderOf(name).state === 'open') await settle(name)", '{}']],
  },
};

export interface RunningIntegration {
  readonly subject: IntegrationUnderTest;
  stop(): Promise<unknown>;
}

/** Null: without a mistake. */
export async function startIntegration(
  { url, apiKey, secret }: CertifyAddress,
  mistake: Changed | null,
  answerWithinMs: number,
): Promise<RunningIntegration> {
  const port = await freePort();
  const text = await builtIntegration(mistake);
  const env = { PONTE_URL: url, PONTE_KEY: apiKey, WEBHOOK_SECRET: secret, PORT: `${port}` };
  const worker = new Worker(text, { eval: true, env });
  const base = `http://127.0.0.1:${port}`;
  return {
    subject: { receiver: `${base}/webhooks`, probe: `${base}/probe`, answerWithinMs },
    stop: () => worker.terminate(),
  };
}

export async function builtIntegration(mistake: Changed | null): Promise<string> {
  const file = join(projectRoot, 'test/examples/integration.ts');
  let contents = readFileSync(file, 'utf8');
  for (const [from, to] of mistake?.changes ?? []) {
    assert.ok(contents.includes(from), `${from} is in the example`);
    contents = contents.replace(from, () => to);
  }
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: projectRoot },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    alias: {
      'ponte-payments/client': join(projectRoot, 'adapters/client/ponte-client.ts'),
      'ponte-payments/webhooks': join(projectRoot, 'adapters/client/verify.ts'),
    },
  });
  return outputFiles[0]?.text ?? '';
}

export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((found) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      server.close(() => found(address.port));
    });
  });
}

/** A receiver that waits for the API meets it. */
const ANSWER_WITHIN_MS = 3_000;
const PATIENCE_MS = 60_000;

type Change = Parameters<typeof startIntegration>[1];
interface Asked {
  readonly named?: readonly FaultName[];
  readonly hasProbe?: boolean;
}

/** Plays faults against an integration, and ends it with the test. */
export async function resultsOf(
  t: TestContext,
  change: Change,
  { named = faultNames, hasProbe = true }: Asked = {},
) {
  const certifier = await openCertifier(0);
  t.after(() => certifier.close());
  const { subject, stop } = await startIntegration(certifier.address, change, ANSWER_WITHIN_MS);
  t.after(stop);
  const seen = hasProbe ? subject : { ...subject, probe: null };
  const run = await certifier.run(seen, { named, seed: 's1', patienceMs: PATIENCE_MS });
  return run.outcome === 'played' ? run.results : assert.fail(run.reason);
}

export function testPasses(name: string, change: Change): void {
  test(`${name} passes every fault`, async (t) => {
    const results = await resultsOf(t, change);
    const others = results.filter(({ verdict }) => verdict !== 'ok');
    assert.deepEqual(others, []);
    assert.equal(results.length, faultNames.length);
  });
}
