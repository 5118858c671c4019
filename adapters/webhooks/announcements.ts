// Some receivers, and proxies in front of them, announce "100 Continue" without being asked. A
// client takes any announcement (RFC 9110, section 15.2), but undici ends the connection at this
// one. So it reads another one, "102 Processing". Announcements, extensions of chunks and trailers
// may go on without an end, and reading them costs others their turn: an answer is bounded.
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

/** Far above the longest headers that undici takes, and what is read of a body. */
const ANSWER_BYTES_MAX = 128 * 1_024;
export const ANSWER_TOO_LONG = 'PONTE_ANSWER_TOO_LONG';

/** The same socket. It ends once what it reads after a request that was written is too long. */
export function withBoundedAnswers(socket: Socket): Socket {
  let sizeBytes = 0;
  const read: (size?: number) => Buffer | null = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  socket.write = (...given: unknown[]) => {
    sizeBytes = 0;
    return write(...given);
  };
  socket.read = (size?: number) => {
    if (sizeBytes > ANSWER_BYTES_MAX) {
      const error = new Error('The answer does not end.');
      socket.destroy(Object.assign(error, { code: ANSWER_TOO_LONG }));
      return null;
    }
    const chunk = read(size);
    sizeBytes += chunk?.length ?? 0;
    return chunk;
  };
  return socket;
}
