"""Verifies the pack of a proof. Usage: python3 verify_proof.py PACK.zip KEYS.json

KEYS.json is https://<service>/.well-known/ponte-keys.json, downloaded from the service itself. The
standard library has no Ed25519, so RFC 8032 is below."""

import base64
import hashlib
import io
import json
import re
import struct
import sys
import zipfile
import zlib

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def point(data: bytes):
    packed = int.from_bytes(data, "little")
    sign, y = packed >> 255, packed & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        raise ValueError("not a point")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] * D, 2 * p[2] * q[2]
    e, f, g, h = (b - a) % P, (d - c) % P, (d + c) % P, (b + a) % P
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(p, factor: int):
    result = (0, 1, 1, 0)
    while factor:
        result = add(result, p) if factor & 1 else result
        p, factor = add(p, p), factor >> 1
    return result


def ed25519(key: bytes, message: bytes, signature: bytes) -> bool:
    s = int.from_bytes(signature[32:], "little")
    if len(key) != 32 or len(signature) != 64 or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left = multiply(point(bytes([0x58] + [0x66] * 31)), s)
    right = add(point(signature[:32]), multiply(point(key), k))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    expect(encode(data) == text, "base64url in another spelling")
    return data


def expect(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def check_jws(payload: bytes, jws: str, keys: list, what: str) -> None:
    head, middle, signature = jws.split(".")
    header = json.loads(decode(head))
    key = next((one for one in keys if one["kid"] == header["kid"]), None)
    expect(middle == "" and header["alg"] == "EdDSA" and key is not None, f"{what}: unknown key")
    signed = f"{head}.{encode(payload)}".encode()
    expect(ed25519(decode(key["x"]), signed, decode(signature)), f"{what}: wrong signature")


def write_zip(files: dict) -> bytes:
    """The one ZIP of these files: stored, without times, sizes behind each file."""
    body, listed = b"", b""
    for name, data in files.items():
        common, path = struct.pack("<5H", 20, 8, 0, 0x6000, 0x21), name.encode()
        sizes = struct.pack("<3I", zlib.crc32(data), len(data), len(data))
        listed += b"PK\1\2\x14\0" + common + sizes
        listed += struct.pack("<5H2I", len(path), 0, 0, 0, 0, 0, len(body)) + path
        body += b"PK\3\4" + common + bytes(12) + struct.pack("<2H", len(path), 0) + path
        body += data + b"PK\7\b" + sizes
    count = len(files)
    end = struct.pack("<4H2IH", 0, 0, count, count, len(listed), len(body), 0)
    return body + listed + b"PK\5\6" + end


def verify(pack: bytes, keys: list) -> dict:
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    expect(all(re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) for name in files), "bad name")
    expect(write_zip(files) == pack, "a byte between the files differs")
    text, signature = files.pop("manifest.json"), files.pop("manifest.jws").decode()
    check_jws(text, signature, keys, "manifest.json")
    manifest = json.loads(text)
    listed = [(one["path"], one["bytes"], one["sha256"]) for one in manifest["files"]]
    found = [(name, len(data), hashlib.sha256(data).hexdigest()) for name, data in files.items()]
    expect(manifest["v"] == 1 and listed == found, "the files are not those of the manifest")
    if manifest["kind"] == "month":
        for payment in json.loads(files["month.json"])["payments"]:
            path = f"payments/{payment['paymentId']}.zip"
            inner = verify(files[path], keys)
            expect(inner["subject"] == payment["paymentId"], f"{path} is of another payment")
        return manifest
    proof = json.loads(files["proof.json"])
    expect(proof["paymentId"] == manifest["subject"], "proof.json is of another payment")
    for event in proof["events"] or []:
        chained = hashlib.sha256((event["previousChainHash"] + event["body"]).encode()).hexdigest()
        expect(chained == event["chainHash"], f"event {event['sequence']} is not of its chain")
    for entry in proof["entries"] or []:
        sums: dict = {}
        for line in entry["lines"]:
            cents = int(line["amount"].replace(".", ""))
            sums[line["currency"]] = sums.get(line["currency"], 0) + cents
        expect(not any(sums.values()), f"entry {entry['id']} is not balanced")
    for details in proof["bankDetails"]:
        check_jws(details["record"].encode(), details["signature"], keys, "bank details")
    return manifest


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: python3 verify_proof.py PACK.zip KEYS.json")
    with open(sys.argv[1], "rb") as pack, open(sys.argv[2], "rb") as published:
        try:
            about = verify(pack.read(), json.load(published)["keys"])
        except Exception as problem:
            sys.exit(f"not genuine: {problem}")
    print(f"genuine: {about['kind']} {about['subject']} of {about['issuer']}")
