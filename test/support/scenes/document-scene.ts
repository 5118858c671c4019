// Documents of two buyers that one tenant knows, over the small world: steps of an integrator, of a
// decision and of the purge, and a store of documents that a test may break.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { DocumentOwner } from '../../../core/domain/parties/document.js';
import type { Dossier } from '../../../core/domain/parties/dossier.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { DocumentStorage } from '../../../core/ports/outside.js';
import {
  createUpload,
  type ReceivedUpload,
  readDocument,
  receiveUpload,
  runPurges,
  stagePurge,
  stageSubmitted,
  type Upload,
} from '../../../core/usecases/parties/documents.js';
import { chunks, textOf } from '../../contract/document-storage.js';
import { aSubmission } from '../samples/domain-samples.js';
import { type World, world } from './test-world.js';

export const tenant: Tenant = { orgId: 'org_a', mode: 'test' };
export const owner: DocumentOwner = { party: 'buyer', id: 'byr_1' };
export const input = {
  owner,
  kind: 'id_doc_front',
  contentType: 'image/png',
  ownerIndex: null,
} as const;

export interface Scene extends World {
  readonly storage: DocumentStorage;
  upload(fields?: Partial<typeof input>): Promise<Upload>;
  send(upload: Upload, fields?: Partial<ReceivedUpload>): Promise<void>;
  submit(dossier: Dossier, of?: DocumentOwner, by?: Tenant): Promise<void>;
  decide(of?: DocumentOwner): Promise<void>;
  documentStatusOf(upload: Upload): Promise<string | undefined>;
  purges(): Promise<number>;
}

/** A world in which the tenant knows two buyers. */
export async function scene(
  t: TestContext,
  storageFor: (inner: DocumentStorage) => DocumentStorage = (it) => it,
) {
  const made = await world(t);
  const { documents: inner } = made.deps;
  assert.ok(inner !== null);
  const storage = storageFor(inner);
  const deps: Deps = { ...made.deps, documents: storage };
  await deps.store.run(async (tx) => {
    tx.buyers.insertSubmission(aSubmission({ flowId: null }));
    tx.buyers.insertSubmission(aSubmission({ flowId: null, id: 'kyc_2', buyerId: 'byr_2' }));
  });
  const result: Scene = {
    ...made,
    deps,
    storage,
    upload: (fields = {}) => createUpload(deps, tenant, { ...input, ...fields }),
    send: (upload, fields = {}) =>
      receiveUpload(deps, {
        ...grantOf(upload.uploadUrl),
        contentType: 'image/png',
        sizeBytes: null,
        bytes: chunks('a card'),
        ...fields,
      }),
    submit: (dossier, of = owner, by = tenant) =>
      deps.store.run((tx) => stageSubmitted(deps, tx, by, of, dossier)),
    decide: (of = owner) => deps.store.run(async (tx) => stagePurge(deps, tx, tenant, of)),
    documentStatusOf: async ({ uploadUrl }) =>
      (await deps.store.run((tx) => tx.documents.find(grantOf(uploadUrl).documentId)))?.status,
    purges: () => runPurges(deps, deps.clock.nowMs(), 100),
  };
  return result;
}

export function grantOf(url: string): { readonly documentId: string; readonly signature: string } {
  const form = /^https:\/\/api\.example\.com\/v1\/documents\/(\w+)\/content\?signature=(\w+)$/;
  const [, documentId = '', signature = ''] = form.exec(url) ?? [];
  assert.notEqual(documentId, '', url);
  return { documentId, signature };
}

export async function contentOf({ deps }: Scene, upload: Upload): Promise<string | null> {
  const { documentId, signature } = grantOf(upload.publicUrl);
  return textOf((await readDocument(deps, documentId, signature)).bytes);
}
