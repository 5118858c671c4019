// A key that another process revokes, beside a server that reads all the time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import SqliteConnection from 'better-sqlite3';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();

test('a key that another process has revoked is refused, also while the server reads', async (t) => {
  const settings = { PONTE_PORT: '0', PONTE_LOG_LEVEL: 'silent', PONTE_DATA_DIR: folder };
  const host = await startHost(readConfig(settings));
  t.after(() => host.stop());
  const { port } = new URL(host.url);
  const other = new SqliteConnection(join(folder, 'ponte.db'));
  t.after(() => other.close());
  const request = [
    'GET /v1/me HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${host.demo?.secret}`,
    'Connection: close',
    '\r\n',
  ].join('\r\n');
  const before = await exchanged(Number(port), (socket) => socket.write(request));
  assert.match(before, /^HTTP\/1.1 200/);
  const after = await exchanged(Number(port), async (socket) => {
    // After the poll for connections: what is read now shares its transaction with the next poll.
    await endOfTurn();
    await host.deps.store.run((tx) => tx.epochs.current());
    other.prepare('update api_keys set revoked_at = 1, version = version + 1').run();
    socket.write(request);
  });
  assert.match(after, /^HTTP\/1.1 401/);
});

async function exchanged(
  port: number,
  ask: (socket: ReturnType<typeof connect>) => unknown,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await ask(socket);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
