// Faults in the bytes of a request that its parts cannot express: framing, header lines, the
// request line. Each row rewrites the bytes that would be sent.
import type { SeededRandom } from '../simulation/seeded-random.js';

type Fault = (request: Buffer, random: SeededRandom) => Buffer;

/** Within the request line and the first headers. */
const FLIPPED_BYTES_MAX = 200;

const headerLines = [
  'A: b\0c',
  'A: b\nX: y',
  ' A: b',
  'A : b',
  ': b',
  'A b',
  'A: \x01',
  'Ä: b',
  '\x7f: b',
  'A:',
];

/** Short: whether more arrives with the request is up to the network. */
const behind = ['\r\n', 'hello', 'GET / HTTP/1.1\r\n\r\n'];

export const wireFaults: Readonly<Record<string, Fault>> = {
  'a malformed header line': inHead((head, random) => withLine(head, random.pick(headerLines))),
  'two lengths': inHead((head) => withLine(head, 'Content-Length: 3\r\nContent-Length: 4')),
  'a length and chunks': inHead((head) =>
    withLine(head, 'Content-Length: 3\r\nTransfer-Encoding: chunked'),
  ),
  'a length that is not a number': inHead((head) => withLine(head, 'Content-Length: 0x3')),
  'line feeds only': inHead((head) => head.replaceAll('\r\n', '\n')),
  'a folded header': inHead((head) => withLine(head, 'A: b\r\n c')),
  'no host': inHead((head) => head.replace(/Host: .*\r\n/, '')),
  'two hosts': inHead((head) => withLine(head, 'Host: evil.example')),
  'another version': inHead((head, random) =>
    head.replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTCPCP/1.0', ''])),
  ),
  'an unknown method': inHead((head, random) =>
    head.replace(/^\S+/, random.pick(['BREW', 'get', 'G\0T', '', 'CONNECT', 'GET'.repeat(50)])),
  ),
  'a long header': inHead((head, random) =>
    withLine(head, `X-Long: ${'a'.repeat(random.pick([8_000, 17_000, 70_000]))}`),
  ),
  'many headers': inHead((head) => withLine(head, 'A: b\r\n'.repeat(1_500).trim())),
  'cut off': (request, random) => request.subarray(0, random.between(1, request.length - 1)),
  'more bytes behind it': (request, random) =>
    Buffer.concat([request, Buffer.from(random.pick(behind))]),
  'a flipped bit': (request, random) => {
    const at = random.between(0, Math.min(request.length, FLIPPED_BYTES_MAX) - 1);
    return Buffer.from(request.map((byte, index) => (index === at ? byte ^ 0x20 : byte)));
  },
};

/** A server that accepts one of these can be made to read a request as another one. */
export const unacceptableFaults: ReadonlySet<string> = new Set([
  'two lengths',
  'a length and chunks',
  'a length that is not a number',
  'no host',
  'an unknown method',
]);

/** `change` gets the head as latin1: one character is one byte. */
function inHead(change: (head: string, random: SeededRandom) => string): Fault {
  return (request, random) => {
    const end = request.indexOf('\r\n\r\n') + 4;
    const head = change(request.subarray(0, end).toString('latin1'), random);
    return Buffer.concat([Buffer.from(head, 'latin1'), request.subarray(end)]);
  };
}

/** Adds a line before the first header. */
function withLine(head: string, line: string): string {
  return head.replace('\r\n', `\r\n${line}\r\n`);
}
