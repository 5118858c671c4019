// A local mail server, minimal under RFC 5321: it answers each command as configured and records
// the messages that it accepted.
import { createServer, type Socket } from 'node:net';

export interface LocalSmtp {
  readonly url: string;
  readonly port: number;
  /** Commands in their order, without what came after DATA. */
  readonly commands: readonly string[];
  /** Messages that were taken, as they came over the line. */
  readonly messages: readonly string[];
  /** Answers to commands that begin so, instead of the good ones; null hangs up. */
  answers: Readonly<Record<string, string | null>>;
  close(): Promise<void>;
}

const good: Readonly<Record<string, string>> = {
  EHLO: '250-local\r\n250-AUTH PLAIN\r\n250 8BITMIME',
  AUTH: '235 welcome',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  '.': '250 taken',
  QUIT: '221 bye',
};

export async function localSmtp(): Promise<LocalSmtp> {
  const commands: string[] = [];
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let rest = '';
    let data: string[] | null = null;
    const say = (command: string) => {
      const answer = command in made.answers ? made.answers[command] : good[command];
      if (answer === null) socket.destroy();
      else socket.write(`${answer ?? '502 what?'}\r\n`);
    };
    const take = (line: string) => {
      if (data === null) {
        commands.push(line);
        const command = line.slice(0, 4).toUpperCase();
        say(command);
        const taken = command === 'DATA' && !('DATA' in made.answers);
        if (taken) data = [];
      } else if (line === '.') {
        const accepted = !('.' in made.answers);
        if (accepted) messages.push(data.join('\r\n'));
        data = null;
        say('.');
      } else {
        data.push(line.startsWith('.') ? line.slice(1) : line);
      }
    };
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    });
    socket.write('220 local\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const made: LocalSmtp = {
    url: `smtp://127.0.0.1:${port}`,
    port,
    commands,
    messages,
    answers: {},
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return made;
}
