// A store that closes leaves no connection open, also not one that opens at that time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { postgresConnections } from '../../../../adapters/storage/postgres/connections.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';

const postgres = localPostgres();

test('a connection that opens while the store closes is closed, too', async () => {
  const url = await postgres.newDatabase();
  for (let round = 0; round < 20; round += 1) {
    const connections = postgresConnections({ url });
    const clients: pg.ClientBase[] = [];
    const ask = () =>
      connections.use('once', async (client) => {
        clients.push(client);
        await client.query('select');
      });
    await ask();
    const asked = Promise.allSettled([ask(), ask(), ask()]);
    for (let turn = 0; turn < round; turn += 1) await new Promise(setImmediate);
    await connections.close();
    await asked;
    assert.ok(clients.every((client) => (client as pg.Client).connection.stream.destroyed));
  }
});
