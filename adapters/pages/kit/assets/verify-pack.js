// Checks the pack of a proof (core/domain/law/pack.ts) without a network: in verify.html, which is
// in each pack, and in `ponte proof verify`. Every byte counts: the ZIP is written again from its
// files and compared. Ed25519 is RFC 8032; browsers before 2025 have SHA-512 alone.
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });
const MANIFEST = 'manifest.json';
const SIGNATURE = 'manifest.jws';

/** `trusted` are public keys that came another way, as JWKS; null: those of the pack. */
export async function verifyPack(bytes, trusted = null) {
  const files = readZip(bytes);
  const { manifest, key } = await readManifest(files, trusted);
  const read = (path) => JSON.parse(decoder.decode(fileOf(files, path)));
  if (manifest.kind === 'month') {
    const { payments } = read('month.json');
    const paths = payments.map(({ paymentId }) => `payments/${paymentId}.zip`);
    expect(new Set(paths).size === paths.length, 'a payment is listed twice');
    for (const path of paths) {
      const inner = await verifyPack(fileOf(files, path), [key]);
      const { paymentId } = inner.proof;
      expect(path === `payments/${paymentId}.zip`, `${path} is of ${paymentId}`);
    }
    return { manifest, key, proof: null, payments: paths.length };
  }
  const proof = read('proof.json');
  expect(proof.paymentId === manifest.subject, 'proof.json is of another payment');
  await checkEvents(proof.events ?? []);
  checkEntries(proof.entries ?? []);
  const keys = read('keys.json').keys;
  for (const { record, signature } of proof.bankDetails) {
    await checkJws(encoder.encode(record), signature, keys, 'bank details');
  }
  return { manifest, key, proof, payments: 1 };
}

function expect(holds, problem) {
  if (!holds) throw new Error(problem);
}

function fileOf(files, path) {
  expect(files.has(path), `${path} is missing`);
  return files.get(path);
}

async function readManifest(files, trusted) {
  const bytes = fileOf(files, MANIFEST);
  const manifest = JSON.parse(decoder.decode(bytes));
  const { keys } = JSON.parse(decoder.decode(fileOf(files, 'keys.json')));
  const signature = decoder.decode(fileOf(files, SIGNATURE));
  const key = await checkJws(bytes, signature, trusted ?? keys, MANIFEST);
  expect(manifest.v === 1, 'the pack is of a later version');
  const listed = manifest.files.map(({ path }) => path);
  const names = [...files.keys()].filter((path) => path !== MANIFEST && path !== SIGNATURE);
  expect(listed.join('\n') === names.join('\n'), 'the files are not those of the manifest');
  for (const { path, bytes: size, sha256 } of manifest.files) {
    const file = files.get(path);
    expect(
      file.length === size && hex(await digest('SHA-256', file)) === sha256,
      `${path} differs`,
    );
  }
  return { manifest, key };
}

async function checkEvents(events) {
  let last = null;
  for (const { sequence, previousChainHash, chainHash, body } of events) {
    const made = await digest('SHA-256', encoder.encode(previousChainHash + body));
    expect(hex(made) === chainHash, `event ${sequence} is not of its chain`);
    const follows = last !== null && sequence === last.sequence + 1;
    expect(!follows || previousChainHash === last.chainHash, `event ${sequence} does not follow`);
    last = { sequence, chainHash };
  }
}

function checkEntries(entries) {
  for (const { id, lines } of entries) {
    const sums = new Map();
    for (const { amount, currency } of lines) {
      sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount.replace('.', '')));
    }
    expect(
      [...sums.values()].every((sum) => sum === 0n),
      `entry ${id} is not balanced`,
    );
  }
}

/** A detached JWS (RFC 7515, appendix F), in its one spelling. Returns the key. */
async function checkJws(payload, jws, keys, what) {
  const [head = '', middle, signature = '', ...rest] = jws.split('.');
  expect(middle === '' && rest.length === 0, `the signature of ${what} has another form`);
  const { alg, kid } = JSON.parse(decoder.decode(fromBase64(head)));
  const key = keys.find((one) => one.kid === kid);
  expect(alg === 'EdDSA' && key !== undefined, `the key ${kid} of ${what} is not known`);
  const signed = encoder.encode(`${head}.${toBase64(payload)}`);
  const isGenuine = await verifyEd25519(fromBase64(key.x), signed, fromBase64(signature));
  expect(isGenuine, `the signature of ${what} is wrong`);
  return key;
}

function toBase64(bytes) {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  expect(toBase64(bytes) === text, 'base64url in another spelling');
  return bytes;
}

async function digest(name, bytes) {
  return new Uint8Array(await crypto.subtle.digest(name, bytes));
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Files are stored, not compressed; their sizes follow them. */
function readZip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - 22;
  expect(end >= 0 && view.getUint32(end, true) === 0x06054b50, 'this is no pack');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const files = new Map();
  for (let index = 0; index < count; index += 1) {
    expect(at + 46 <= end, 'the list of files is damaged');
    const [size, nameSize] = [view.getUint32(at + 24, true), view.getUint16(at + 28, true)];
    const name = decoder.decode(bytes.subarray(at + 46, at + 46 + nameSize));
    const start = view.getUint32(at + 42, true) + 30 + nameSize;
    expect(/^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/.test(name), 'a file has a bad name');
    expect(!files.has(name), `${name} is there twice`);
    const file = bytes.subarray(start, start + size);
    expect(crc32(file) === view.getUint32(at + 16, true), `a byte of ${name} differs`);
    files.set(name, file);
    at += 46 + nameSize;
  }
  const written = writeZip(files);
  const isSame = written.length === bytes.length && written.every((byte, i) => byte === bytes[i]);
  expect(isSame, 'a byte between the files differs');
  return files;
}

/** Numbers of two or four bytes, little-endian. */
function fields(...sized) {
  return sized.flatMap(([size, value]) =>
    Array.from({ length: size }, (_, index) => (value >>> (8 * index)) & 0xff),
  );
}

function writeZip(files) {
  const parts = [];
  const list = [];
  let offset = 0;
  const put = (part) => {
    parts.push(part);
    offset += part.length;
  };
  for (const [path, bytes] of files) {
    const name = encoder.encode(path);
    const start = offset;
    // Version 2.0, sizes behind the file, stored, noon of 1 January 1980.
    const common = [
      [2, 20],
      [2, 8],
      [2, 0],
      [2, 0x6000],
      [2, 0x21],
    ];
    const sizes = [
      [4, crc32(bytes)],
      [4, bytes.length],
      [4, bytes.length],
    ];
    const none = [
      [4, 0],
      [4, 0],
      [4, 0],
    ];
    put(fields([4, 0x04034b50], ...common, ...none, [2, name.length], [2, 0]));
    put(name);
    put(bytes);
    put(fields([4, 0x08074b50], ...sizes));
    const rest = [
      [2, name.length],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, start],
    ];
    list.push(fields([4, 0x02014b50], [2, 20], ...common, ...sizes, ...rest), name);
  }
  const start = offset;
  for (const part of list) put(part);
  const counts = [
    [2, 0],
    [2, 0],
    [2, files.size],
    [2, files.size],
  ];
  put(fields([4, 0x06054b50], ...counts, [4, offset - start], [4, start], [2, 0]));
  const written = new Uint8Array(offset);
  let at = 0;
  for (const part of parts) {
    written.set(part, at);
    at += part.length;
  }
  return written;
}

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (crc ^ -1) >>> 0;
}

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const mod = (value) => ((value % P) + P) % P;

function power(base, exponent) {
  let [result, square] = [1n, mod(base)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

const D = mod(-121665n * power(121666n, P - 2n));
const ROOT = power(2n, (P - 1n) / 4n);

function littleEndian(bytes) {
  return BigInt(`0x${hex(bytes.toReversed ? bytes.toReversed() : bytes.slice().reverse())}`);
}

/** A point as x, y, z, t with x·y = z·t. Null for bytes that are none. */
function pointOf(bytes) {
  const packed = littleEndian(bytes);
  const [sign, y] = [packed >> 255n, packed & (2n ** 255n - 1n)];
  if (y >= P) return null;
  const square = mod((y * y - 1n) * power(D * y * y + 1n, P - 2n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x - square) !== 0n) x = mod(x * ROOT);
  if (mod(x * x - square) !== 0n || (x === 0n && sign === 1n)) return null;
  if ((x & 1n) !== sign) x = P - x;
  return [x, y, 1n, mod(x * y)];
}

function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const [a, b] = [(y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)];
  const [c, d] = [2n * t1 * t2 * D, 2n * z1 * z2];
  const [e, f, g, h] = [b - a, d - c, d + c, b + a].map(mod);
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

function multiply(point, factor) {
  let [result, double] = [[0n, 1n, 1n, 0n], point];
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result, double);
    double = add(double, double);
  }
  return result;
}

export async function verifyEd25519(publicKey, message, signature) {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const [key, commitment] = [pointOf(publicKey), pointOf(signature.subarray(0, 32))];
  const s = littleEndian(signature.subarray(32));
  if (key === null || commitment === null || s >= ORDER) return false;
  const hashed = new Uint8Array([...signature.subarray(0, 32), ...publicKey, ...message]);
  const challenge = littleEndian(await digest('SHA-512', hashed)) % ORDER;
  const base = pointOf(Uint8Array.from([0x58, ...new Array(31).fill(0x66)]));
  const [x1, y1, z1] = multiply(base, s);
  const [x2, y2, z2] = add(commitment, multiply(key, challenge));
  return mod(x1 * z2 - x2 * z1) === 0n && mod(y1 * z2 - y2 * z1) === 0n;
}
