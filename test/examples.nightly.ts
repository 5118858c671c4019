// The programs in test/examples that verify a webhook, in each language that this machine has.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { signWebhook } from '../core/domain/webhooks/signature.js';
import { projectRoot } from './support/source-tree.js';

const folder = join(projectRoot, 'test/examples');

/** Programs that verify a webhook: header as argument, body on stdin. */
const verifiers = [
  { command: 'python3', options: ['verify_webhook.py'] },
  { command: 'php', options: ['verify_webhook.php'] },
  { command: 'go', options: ['run', 'verify_webhook.go'] },
  // It compiles the file each time: not with the compiler for programs that run long.
  {
    command: 'java',
    options: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', 'VerifyWebhook.java'],
  },
];

for (const { command, options } of verifiers.filter(({ command }) => isInstalled(command))) {
  test(`${options.at(-1)} accepts a signed webhook and rejects any other`, () => {
    const secret = 'whsec_c2VjcmV0';
    const body = '{"event":"payment_intent.settled","data":{"name":"São João"}}';
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const sign = (seconds: number) => signWebhook({ secret, timestampSeconds: seconds, body });
    const header = sign(nowSeconds);
    const cases = [
      { header, body, said: 'valid' },
      { header, body: `${body} `, said: 'invalid' },
      { header: sign(nowSeconds - 301), body, said: 'invalid' },
      { header: header.replace('v1', 'v0'), body, said: 'invalid' },
    ];
    for (const { header, body, said } of cases) {
      const env = { ...process.env, WEBHOOK_SECRET: secret };
      const settings = { cwd: folder, env, input: body, encoding: 'utf8' } as const;
      assert.equal(execFileSync(command, [...options, header], settings).trim(), said, header);
    }
  });
}

function isInstalled(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}
