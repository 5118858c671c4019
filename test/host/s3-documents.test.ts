// A host whose documents are in S3: its mark in the bucket, what wrong credentials say, and a
// backup, which names the bucket and copies no document.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readManifest } from '../../adapters/backup/manifest.js';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import {
  addPayment,
  backUp,
  keptDocument,
  type Place,
  placeIn,
  withStore,
} from '../support/scenes/backup-scene.js';
import { runCommand } from '../support/servers/command.js';
import { s3Credentials, startS3 } from '../support/servers/s3-double.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const suite = suiteEnd();
const s3 = await startS3();
suite.after(() => s3.close());

function inBucket(name: string): Place {
  const place = placeIn(folder, name);
  const settings = {
    PONTE_DOCUMENTS: 's3',
    PONTE_S3_URL: s3.url,
    PONTE_S3_REGION: s3.region,
    PONTE_S3_ACCESS_KEY_ID: s3Credentials.accessKeyId,
    PONTE_S3_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
  };
  return { ...place, env: { ...place.env, ...settings } };
}

async function serve(env: Readonly<Record<string, string>>): Promise<void> {
  const host = await startHost(readConfig(env));
  await host.stop();
}

test('the first start marks the bucket; a bucket without the mark is refused', async () => {
  s3.objects.clear();
  const { env, documents } = inBucket('marked');
  await serve(env);
  const [mark = '', ...more] = s3.objects.keys();
  assert.match(mark, /^database-[0-9a-f]{32}$/);
  assert.deepEqual([more, existsSync(documents)], [[], false]);
  await serve(env);
  s3.objects.clear();
  const refused = { name: 'ConfigError', message: RegExp(`${s3.url} is not where .*${mark}`) };
  await assert.rejects(serve(env), refused);
  s3.objects.set(mark, Buffer.alloc(0));
  await serve(env);
});

test('wrong credentials are a problem of the configuration, which names no secret', async () => {
  s3.objects.clear();
  const { env } = inBucket('wrong');
  await serve(env);
  const wrong = { ...env, PONTE_S3_SECRET_ACCESS_KEY: 'topsecret' };
  const { status, stderr } = await runCommand(wrong, ['serve']);
  assert.equal(status, 7);
  assert.match(
    stderr,
    /^ {2}PONTE_DOCUMENTS: the S3 service answers 403 \(SignatureDoesNotMatch\)/m,
  );
  const doctor = await runCommand(wrong, ['doctor']);
  assert.equal(doctor.status, 8);
  assert.match(doctor.stdout, /^documents +FAIL +the S3 service answers 403/m);
  assert.doesNotMatch(`${stderr}${doctor.stdout}${doctor.stderr}`, /topsecret|AKDOUBLE/);
});

test('a backup names the bucket and has no document; a restore goes on with the bucket', async () => {
  s3.objects.clear();
  const place = inBucket('whole');
  await serve(place.env);
  await addPayment(place, 'pi_first');
  await withStore(place, (store) =>
    store.run(async (tx) => tx.documents.insert(keptDocument('doc_1', 'ab12'))),
  );
  s3.objects.set('doc_1/ab12', Buffer.from('a passport'));
  const backup = await backUp(place);
  const manifest = await readManifest(backup);
  assert.equal(manifest.documentsAt, s3.url);
  assert.deepEqual(
    manifest.files.map(({ path }) => path),
    ['ponte.db'],
  );
  assert.deepEqual([manifest.missingDocuments, existsSync(join(backup, 'documents'))], [[], false]);
  const secretKeys = readFileSync(join(place.env.PONTE_DATA_DIR, 'secret-key'), 'utf8').trim();
  const { env } = inBucket('restored');
  const restored = { ...env, PONTE_SECRET_KEYS: secretKeys };
  const { status, stdout, stderr } = await runCommand(restored, ['restore', '--from', backup]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, RegExp(`Its documents are not in the backup: they stay at ${s3.url}\\.`));
  assert.equal(existsSync(join(env.PONTE_DATA_DIR, 'documents', 'doc_1')), false);
  await serve(restored);
  assert.ok(s3.objects.has('doc_1/ab12'), 'the bucket is as it was');
});
