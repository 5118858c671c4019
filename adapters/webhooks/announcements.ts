// Some receivers, and proxies in front of them, announce "100 Continue" without being asked. A
// client takes any announcement (RFC 9110, section 15.2), but undici ends the connection at this
// one. So it reads another one, "102 Processing".
import type { Socket } from 'node:net';

const announcement = /^HTTP\/1\.[01] 1[0-9]{2}(?![0-9])/;
const HEAD_LENGTH = 'HTTP/1.1 100 '.length;
const LAST_DIGIT = 'HTTP/1.1 10'.length;
const HEADERS_END = '\r\n\r\n';

/** The same socket. */
export function withoutContinue(socket: Socket): Socket {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket);
  socket.read = (size?: number) => {
    const chunk = read(size);
    let at = 0;
    while (chunk !== null) {
      const head = chunk.toString('latin1', at, at + HEAD_LENGTH);
      if (!announcement.test(head)) break;
      if (head.slice(0, LAST_DIGIT + 1).endsWith(' 100')) chunk.write('2', at + LAST_DIGIT);
      const end = chunk.indexOf(HEADERS_END, at);
      if (end < 0) break;
      at = end + HEADERS_END.length;
    }
    return chunk;
  };
  return socket;
}
