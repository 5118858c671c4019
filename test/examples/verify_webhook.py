"""Verifies a webhook. Usage: WEBHOOK_SECRET=whsec_… python3 verify_webhook.py HEADER < body"""

import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def is_valid(secret: str, header: str, body: bytes) -> bool:
    """`header` is X-Service-Signature, `body` the raw bytes of the request."""
    items = [item.strip().partition("=") for item in header.split(",")]
    times = [value for name, _, value in items if name == "t"]
    if len(times) != 1 or not times[0].isdigit():
        return False
    if abs(time.time() - int(times[0])) > TOLERANCE_SECONDS:
        return False
    message = times[0].encode() + b"." + body
    expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    return any(
        name == "v1" and hmac.compare_digest(value.encode(), expected.encode())
        for name, _, value in items
    )


if __name__ == "__main__":
    valid = is_valid(os.environ["WEBHOOK_SECRET"], sys.argv[1], sys.stdin.buffer.read())
    print("valid" if valid else "invalid")
