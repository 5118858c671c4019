// The first bytes of pictures, of any size.

export function pngOf(width: number, height: number, more = ''): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n', 'latin1');
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return new Uint8Array(Buffer.concat([header, Buffer.from(more)]));
}

/** After a comment; `frame` is the marker of its coding. */
export function jpegOf(width: number, height: number, frame = 0xc0): Uint8Array<ArrayBuffer> {
  const comment = Buffer.from([0xff, 0xfe, 0, 6, 1, 2, 3, 4]);
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  const start = Buffer.from([0xff, 0xff, frame, 0, 11, 8]);
  const parts = [Buffer.from([0xff, 0xd8]), comment, start, size, Buffer.alloc(20)];
  return new Uint8Array(Buffer.concat(parts));
}
