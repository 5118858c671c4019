// What parties do with documents: ask where to send them, send them, name them in a dossier, and
// try to read them at any time.
import { type Tenant, tenantOf } from '../../../core/domain/base/tenant.js';
import type { DocumentOwner } from '../../../core/domain/parties/document.js';
import {
  createUpload,
  readDocument,
  receiveUpload,
} from '../../../core/usecases/parties/documents.js';
import { isReadable } from '../invariants/document-invariants.js';
import { isOwnedBy } from '../invariants/observed-parties.js';
import { sentBytes } from '../world/gated-documents.js';
import type { SimulatedHost } from '../world/simulated-host.js';
import type { Acts, GivenUpload, Pointless, World } from '../world/world.js';

/** More would slow every step down and show nothing new. */
const UPLOADS_MAX = 8;
const kinds = ['selfie', 'id_doc_front'] as const;
const signatureForm = /documents\/(\w+)\/content\?signature=(\w+)$/;

export const documentActs: Acts<'getUpload' | 'upload' | 'readDocument'> = {
  getUpload: (world, host) => {
    const owners = ownersOf(world);
    if (owners.length > 0) getUpload(world, host, world.random.pick(owners));
  },
  upload: (world, host) => {
    const upload = world.random.pick(world.uploads);
    const text = `${upload.documentId} ${world.random.between(1, 1_000)}`;
    const receive = () =>
      receiveUpload(host.deps, {
        documentId: upload.documentId,
        signature: signatureOf(upload.uploadUrl),
        contentType: 'image/png',
        sizeBytes: null,
        bytes: sentBytes(text, () => world.nowMs),
      });
    host.begin(`upload ${upload.documentId}`, receive, {
      done: () => world.observed.acknowledged.push({ kind: 'uploaded', id: upload.documentId }),
    });
  },
  readDocument: (world, host) => {
    const { documentId, publicUrl } = world.random.pick(world.uploads);
    const { documents } = world.observed.parties;
    const status = documents.get(documentId)?.status;
    const gone = status === 'purging' || status === 'purged';
    const read = async () => {
      const { bytes } = await readDocument(host.deps, documentId, signatureOf(publicUrl));
      let text = '';
      for await (const chunk of bytes) text += Buffer.from(chunk).toString('utf8');
      return text;
    };
    host.begin(`read ${documentId}`, read, {
      done: (text) => {
        const { misreads } = world.observed;
        world.count('document read');
        if (gone) misreads.push(`${documentId} was read although it was ${status}`);
        if (!text.startsWith(documentId)) misreads.push(`${documentId} was read as ${text}`);
      },
    });
  },
};

export const documentsPointless: Pointless = {
  getUpload: ({ uploads }) => uploads.length >= UPLOADS_MAX,
  upload: ({ uploads }) => uploads.length === 0,
  readDocument: ({ uploads }) => uploads.length === 0,
};

/** A person's dossier, with its uploaded documents if there are any. */
export function personalDossier(world: World, tenant: Tenant, owner: DocumentOwner | null) {
  return {
    firstName: 'Ana',
    lastName: 'Lima',
    dateOfBirth: '1990-01-31',
    country: 'US',
    idDocCountry: 'US',
    idDocType: 'PASSPORT',
    selfieFile: fileOf(world, tenant, owner, 'selfie'),
    idDocFrontFile: fileOf(world, tenant, owner, 'id_doc_front'),
  } as const;
}

/** Mostly one of this party; sometimes anybody's, which must be refused. */
function fileOf(
  world: World,
  tenant: Tenant,
  owner: DocumentOwner | null,
  kind: GivenUpload['kind'],
): string {
  const { random, uploads, observed } = world;
  const own = uploads.filter(({ documentId, kind: its }) => {
    const document = observed.parties.documents.get(documentId);
    const isOwn = document !== undefined && owner !== null && isOwnedBy(document, tenant, owner);
    return isOwn && its === kind && isReadable(document);
  });
  const from = uploads.length > 0 && random.chance(0.05) ? uploads : own;
  if (from.length === 0) return `https://files.example/${kind}.jpg`;
  world.count('document named');
  return random.pick(from).publicUrl;
}

interface Owned {
  readonly tenant: Tenant;
  readonly owner: DocumentOwner;
}

function ownersOf({ observed }: World): readonly Owned[] {
  const { accounts } = observed.parties;
  const ofAccounts = [...accounts.values()].map((account): Owned => {
    return { tenant: tenantOf(account), owner: { party: 'account', id: account.id } };
  });
  const ofBuyers = [...observed.payments.values()].map(({ payment }): Owned => {
    return { tenant: tenantOf(payment), owner: { party: 'buyer', id: payment.buyerId } };
  });
  return [...ofAccounts, ...ofBuyers];
}

function getUpload(world: World, host: SimulatedHost, { tenant, owner }: Owned): void {
  const kind = world.random.pick(kinds);
  const input = { owner, kind, contentType: 'image/png', ownerIndex: null } as const;
  host.begin(`upload URL for ${owner.id}`, () => createUpload(host.deps, tenant, input), {
    by: tenant,
    done: ({ uploadUrl, publicUrl }) => {
      const documentId = signatureForm.exec(publicUrl)?.[1] ?? '';
      world.uploads.push({ tenant, owner, documentId, kind, uploadUrl, publicUrl });
    },
  });
}

function signatureOf(url: string): string {
  return signatureForm.exec(url)?.[2] ?? '';
}
