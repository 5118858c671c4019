// Reads the mails that a development host wrote to files, for its page /dev/mailbox.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mailbox, WrittenMail } from '../../core/ports/outside.js';

const MAILS_SHOWN = 50;
const idForm = /^mail_[0-9a-z]{1,64}(\.[0-9a-f]{8})?$/;

export function createFileMailbox(folder: string): Mailbox {
  const read = async (id: string): Promise<WrittenMail | null> => {
    if (!idForm.test(id)) return null;
    const text = await readFile(join(folder, `${id}.json`), 'utf8').catch(() => null);
    return text === null ? null : (JSON.parse(text) as WrittenMail);
  };
  return {
    async list() {
      const files = await readdir(folder).catch(() => []);
      const ids = files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []));
      // Ids sort by creation time.
      const newest = ids.sort().reverse().slice(0, MAILS_SHOWN);
      const mails = await Promise.all(newest.map(read));
      return mails.filter((mail) => mail !== null);
    },
    read,
  };
}
