// Minimal poolers between a client and PostgreSQL: the session pooler refuses or drops unknown
// startup parameters; the transaction pooler assigns a session to a client for each transaction.
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import pg from 'pg';

export interface PoolerDouble {
  /** The URL of the database through this pooler. */
  readonly url: string;
  close(): Promise<void>;
}

const STARTUP_HEAD_BYTES = 8;
const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
const READY = 'Z'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
/** Query and Sync: the server answers each with that it is ready. */
const ends = [...Buffer.from('QS')];
const IN_NO_TRANSACTION = 'I'.charCodeAt(0);
const MESSAGE_HEAD_BYTES = 5;

/** As PgBouncer with `pool_mode = session`, with and without `ignore_startup_parameters`. */
export function sessionPooler(url: string, ignores: readonly string[] = []): Promise<PoolerDouble> {
  const { hostname, port } = new URL(url);
  return listening(url, (client) => {
    client.once('data', (first: Buffer) => {
      const parameters = startupParameters(first);
      if (parameters === null) return client.destroy();
      const unknown = Object.keys(parameters).filter((name) => !known.includes(name));
      const refused = unknown.find((name) => !ignores.includes(name));
      if (refused !== undefined) return refuse(client, `unsupported startup parameter: ${refused}`);
      const server = dial(Number(port), hostname);
      const kept = Object.entries(parameters).filter(([name]) => known.includes(name));
      server.write(startupMessage(kept));
      join(client, server);
    });
  });
}

/** The startup parameters that PgBouncer supports by default. */
const known = ['user', 'database', 'client_encoding', 'application_name', 'DateStyle', 'TimeZone'];

/** As PgBouncer with `pool_mode = transaction`, in front of two sessions. */
export async function transactionPooler(url: string): Promise<PoolerDouble> {
  const sessions = await Promise.all([rawSession(url), rawSession(url)]);
  const free = [...sessions];
  const queue: ((session: Socket) => void)[] = [];
  const taken = () =>
    new Promise<Socket>((resolve) => {
      const session = free.pop();
      if (session === undefined) queue.push(resolve);
      else resolve(session);
    });
  const given = (session: Socket) => {
    const next = queue.shift();
    if (next === undefined) free.push(session);
    else next(session);
  };
  const pooler = await listening(url, (client) => {
    let session: Socket | null = null;
    let asking = false;
    let unanswered = 0;
    let kept: Buffer[] = [];
    const give = () => {
      session?.removeAllListeners('data');
      if (session !== null) given(session);
      session = null;
    };
    const fromServer = (data: Buffer) => {
      client.write(data);
      if (data[0] === READY) unanswered -= 1;
      const isOver = data[MESSAGE_HEAD_BYTES] === IN_NO_TRANSACTION && unanswered === 0;
      if (data[0] === READY && isOver) give();
    };
    const toServer = async (data: Buffer) => {
      if (ends.includes(data[0] ?? 0)) unanswered += 1;
      kept.push(data);
      if (session === null && !asking) {
        asking = true;
        const answers = new Messages(fromServer);
        session = await taken();
        session.on('data', (answer: Buffer) => answers.add(answer));
        asking = false;
      }
      if (session === null) return;
      for (const one of kept) session.write(one);
      kept = [];
    };
    const messages = new Messages((data) => {
      // Terminate ends the client, not the session.
      if (data[0] === TERMINATE) client.end();
      else void toServer(data);
    });
    client.once('data', () => {
      client.write(welcome);
      client.on('data', (data: Buffer) => messages.add(data));
    });
    client.on('close', give);
  });
  return {
    url: pooler.url,
    async close() {
      await pooler.close();
      for (const session of sessions) session.destroy();
    },
  };
}

/** An authenticated session that is detached from the driver. */
async function rawSession(url: string): Promise<Socket> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  const socket = client.connection.stream as Socket;
  socket.removeAllListeners('data');
  return socket;
}

/** Whole messages: a type, a length, a body. */
class Messages {
  #rest = Buffer.alloc(0);
  readonly #each: (message: Buffer) => void;

  constructor(each: (message: Buffer) => void) {
    this.#each = each;
  }

  add(data: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, data]);
    while (this.#rest.length >= MESSAGE_HEAD_BYTES) {
      const length = this.#rest.readInt32BE(1) + 1;
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      this.#each(message);
    }
  }
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(MESSAGE_HEAD_BYTES);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Authenticated, with a process id that is the pooler's own, and ready. */
const welcome = Buffer.concat([
  message('R', Buffer.from([0, 0, 0, 0])),
  message('K', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])),
  message('Z', Buffer.from('I')),
]);

function refuse(client: Socket, text: string): void {
  client.end(message('E', Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`)));
}

/** Null of a request that is no startup. */
function startupParameters(first: Buffer): Readonly<Record<string, string>> | null {
  const code = first.readInt32BE(4);
  if (code === SSL_REQUEST || code === CANCEL_REQUEST) return null;
  const texts = first.subarray(STARTUP_HEAD_BYTES).toString('utf8').split('\0');
  const pairs = texts.flatMap((name, at) =>
    at % 2 === 0 && name !== '' ? [[name, texts[at + 1] ?? '']] : [],
  );
  return Object.fromEntries(pairs);
}

function startupMessage(parameters: readonly (readonly [string, string])[]): Buffer {
  const text = `${parameters.map(([name, value]) => `${name}\0${value}\0`).join('')}\0`;
  const head = Buffer.alloc(STARTUP_HEAD_BYTES);
  head.writeInt32BE(STARTUP_HEAD_BYTES + Buffer.byteLength(text));
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

function join(client: Socket, server: Socket): void {
  client.pipe(server).pipe(client);
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

async function listening(url: string, accept: (client: Socket) => void): Promise<PoolerDouble> {
  const clients = new Set<Socket>();
  const server: Server = createServer((client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => clients.delete(client));
    accept(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const through = new URL(url);
  through.port = typeof address === 'object' && address !== null ? `${address.port}` : '';
  return {
    url: through.href,
    async close() {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
