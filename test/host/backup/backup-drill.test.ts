// The drill of a backup, a kill and a restore under load, with few payments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backupDrill } from '../../drills/backup-restore.js';
import { play } from '../../drills/drill.js';

test('a host under load is backed up, killed and restored to the moment of its backup', async () => {
  const result = await play(backupDrill(40));
  assert.ok('broken' in result);
  assert.deepEqual(result.broken, [], JSON.stringify(result.counts));
});
