// What the invariants look at besides payments: connected accounts, buyers' submissions, documents
// and mails, as they read now and as batches ever stored them.
import { type Tenant, tenantOf } from '../../../core/domain/base/tenant.js';
import type { Mail } from '../../../core/domain/mail/mail.js';
import type { KycStatus, KycSubmission } from '../../../core/domain/parties/buyer-kyc.js';
import type { ConnectedAccount } from '../../../core/domain/parties/connected-account.js';
import type { Document, DocumentOwner } from '../../../core/domain/parties/document.js';
import type { Store, Tx } from '../../../core/ports/storage.js';
import type { StagedWrite } from '../world/gated-store.js';

/** One kind of row: what is known of it, and what must be read again. */
class Rows<T> {
  all: Map<string, T> = new Map();
  readonly #touched = new Map<string, Tenant>();

  get touched(): boolean {
    return this.#touched.size > 0;
  }

  touch(row: Tenant & { readonly id: string }): void {
    this.#touched.set(row.id, tenantOf(row));
  }

  async refresh(read: (tenant: Tenant, id: string) => Promise<T | null>): Promise<void> {
    for (const [id, tenant] of this.#touched) {
      const row = await read(tenant, id);
      if (row === null) this.all.delete(id);
      else this.all.set(id, row);
    }
  }

  refreshed(): void {
    this.#touched.clear();
  }
}

export class ObservedParties {
  readonly #accounts = new Rows<ConnectedAccount>();
  readonly #kyc = new Rows<KycSubmission>();
  readonly #documents = new Rows<Document>();
  readonly #mails = new Rows<Mail>();
  /** Every row of an account that a batch ever stored, in order. */
  accountHistories: Map<string, ConnectedAccount[]> = new Map();
  /** Every status of a submission that a batch ever stored, in order. */
  kycStatuses: Map<string, KycStatus[]> = new Map();

  get accounts(): ReadonlyMap<string, ConnectedAccount> {
    return this.#accounts.all;
  }

  /** Buyers' submissions. */
  get kyc(): ReadonlyMap<string, KycSubmission> {
    return this.#kyc.all;
  }

  get documents(): ReadonlyMap<string, Document> {
    return this.#documents.all;
  }

  get mails(): ReadonlyMap<string, Mail> {
    return this.#mails.all;
  }

  get touched(): boolean {
    const kinds = [this.#accounts, this.#kyc, this.#documents, this.#mails];
    return kinds.some(({ touched }) => touched);
  }

  remember() {
    const { accounts, kyc, documents, mails, accountHistories, kycStatuses } = this;
    return structuredClone({ accounts, kyc, documents, mails, accountHistories, kycStatuses });
  }

  goBackTo(copy: ReturnType<ObservedParties['remember']>): void {
    const { accounts, kyc, documents, mails, accountHistories, kycStatuses } =
      structuredClone(copy);
    this.#accounts.all = new Map(accounts);
    this.#kyc.all = new Map(kyc);
    this.#documents.all = new Map(documents);
    this.#mails.all = new Map(mails);
    this.accountHistories = accountHistories;
    this.kycStatuses = kycStatuses;
  }

  note({ group, method, args }: StagedWrite): void {
    if (method.startsWith('expect')) return;
    switch (group) {
      case 'accounts':
        this.#noteAccount(args[0] as ConnectedAccount);
        break;
      case 'buyers':
        if (method !== 'insert') this.#noteSubmission(args[0] as KycSubmission);
        break;
      case 'documents':
        if (method === 'requestPurge') this.#touchDocuments(args[0] as Tenant, args[1]);
        else this.#documents.touch(args[0] as Document);
        break;
      case 'mails':
        this.#mails.touch(args[0] as Mail);
        break;
    }
  }

  claimedMails(mails: readonly Mail[]): void {
    for (const mail of mails) this.#mails.touch(mail);
  }

  async refresh(tx: Tx): Promise<void> {
    await this.#accounts.refresh((tenant, id) => tx.accounts.get(tenant, id));
    await this.#kyc.refresh((tenant, id) => tx.buyers.submissionById(tenant, id));
    await this.#documents.refresh((_, id) => tx.documents.find(id));
    await this.#mails.refresh((tenant, id) => tx.mails.get(tenant, id));
  }

  /** After the reads were taken for true. */
  refreshed(): void {
    for (const rows of [this.#accounts, this.#kyc, this.#documents, this.#mails]) rows.refreshed();
  }

  /** Everything is to be read again, also rows that no batch was seen to write. */
  async audit(store: Store): Promise<void> {
    const page = { beforeId: null, limit: 10_000 };
    await store.run(async (tx) => {
      const documents = await tx.documents.list({ kept: false, ...page });
      for (const document of documents) this.#documents.touch(document);
      for (const mail of await tx.mails.list({ status: null, ...page })) this.#mails.touch(mail);
    });
    for (const account of this.accounts.values()) this.#accounts.touch(account);
    for (const submission of this.kyc.values()) this.#kyc.touch(submission);
  }

  #noteAccount(account: ConnectedAccount): void {
    this.#accounts.touch(account);
    const history = this.accountHistories.get(account.id) ?? [];
    this.accountHistories.set(account.id, [...history, account]);
  }

  #noteSubmission(submission: KycSubmission): void {
    const { id, status } = submission;
    this.#kyc.touch(submission);
    const statuses = this.kycStatuses.get(id) ?? [];
    if (statuses.at(-1) !== status) this.kycStatuses.set(id, [...statuses, status]);
  }

  #touchDocuments(tenant: Tenant, owner: unknown): void {
    for (const document of this.documents.values()) {
      if (isOwnedBy(document, tenant, owner as DocumentOwner)) this.#documents.touch(document);
    }
  }
}

export function isOwnedBy(document: Document, tenant: Tenant, { party, id }: DocumentOwner) {
  const { orgId, mode, owner } = document;
  const isTenants = orgId === tenant.orgId && mode === tenant.mode;
  return isTenants && owner.party === party && owner.id === id;
}
