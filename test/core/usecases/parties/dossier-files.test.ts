import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDossierFile } from '../../../../core/usecases/parties/dossier-files.js';
import { scene } from '../../../support/scenes/document-scene.js';

test('a file that a dossier names is read whole, by its public URL', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  await made.send(upload);
  const file = await readDossierFile(made.deps, upload.publicUrl);
  assert.equal(file?.type, 'image/png');
  assert.equal(Buffer.from(file.bytes).toString(), 'a card');
});

test('a URL of another site is none of our files, even with the same path', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  await made.send(upload);
  const elsewhere = upload.publicUrl.replace('api.example.com', 'api.example.net');
  for (const url of [elsewhere, 'https://shop.example/front.jpg', 'nothing', '']) {
    assert.equal(await readDossierFile(made.deps, url), null, url);
  }
});

test('a file that was not uploaded, or a URL that writes, reads nothing', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  await assert.rejects(readDossierFile(made.deps, upload.publicUrl), { code: 'NotFound' });
  await assert.rejects(readDossierFile(made.deps, upload.uploadUrl), { code: 'InvalidSignature' });
});
