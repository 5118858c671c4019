"""Client of the Ponte API, in one file, with Python's standard library alone (3.9 or later).

    from ponte import Ponte
    ponte = Ponte("https://api.example.com", api_key="pk_test_…")
    buyer = BuyerHint(email="ana@buyer.example")
    ponte.create_payment_intent(CreatePaymentIntent(externalId="1", amount="250.00", buyer=buyer))
    for payment in ponte.iter_payments(status="settled"): ...

Names of fields are those of the API; a name that is a word of Python ends with `_`, as in `from_`.
A body is a dataclass, of which None is not sent, or a dict. Made from the route table of the service: /docs/clients/ponte.py.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import hmac
import json
import random
import time
import typing
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Tuple, Union

TOLERANCE_SECONDS = 300


class PonteError(Exception):
    """The service refused a request. Decide on `code`; without an answer an OSError is raised."""

    def __init__(self, status: int, body: Any, request_id: Optional[str]):
        body = body if isinstance(body, dict) else {}
        self.status = status
        self.body = body
        self.code = str(body.get("error", "UnknownError"))
        self.message = str(body.get("message", f"Status {status}, and no message of the service."))
        self.retry_after: Optional[int] = body.get("retryAfter")
        self.request_id = request_id
        super().__init__(f"{self.code}: {self.message}")


class InvalidWebhook(Exception):
    """A request that was not signed with the secret of the subscription, or not now."""


def verify_webhook(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """The parsed webhook. `body`: the raw bytes. Takes X-Service-Signature, else the headers of
    Standard Webhooks. Drop duplicates by X-Service-Delivery-Id. InvalidWebhook."""
    secret = _pasted(secret)
    if secret == "":
        raise InvalidWebhook("missing secret")
    found = {name.lower(): value for name, value in headers.items()}
    own = found.get("x-service-signature")
    if own is not None:
        items = [item.strip().partition("=") for item in own.split(",")]
        times = [value for name, _, value in items if name == "t"]
        given = [value.lower() for name, _, value in items if name == "v1"]
        if len(times) != 1 or not given:
            raise InvalidWebhook("malformed header")
        sent = times[0]
        signed = hmac.new(secret.encode(), sent.encode() + b"." + body, hashlib.sha256)
        expected = signed.hexdigest()
    elif "webhook-signature" in found:
        sent = found.get("webhook-timestamp", "")
        head = f"{found.get('webhook-id', '')}.{sent}.".encode()
        text = secret[6:] if secret.startswith("whsec_") else secret
        key = base64.b64decode(text + "=" * (-len(text) % 4))
        expected = base64.b64encode(hmac.new(key, head + body, hashlib.sha256).digest()).decode()
        given = [one[3:] for one in found["webhook-signature"].split(" ") if one[:3] == "v1,"]
    else:
        raise InvalidWebhook("missing header")
    if not (sent.isascii() and sent.isdigit() and len(sent) <= 15):
        raise InvalidWebhook("malformed header")
    if abs((time.time() if now is None else now) - int(sent)) > TOLERANCE_SECONDS:
        raise InvalidWebhook("timestamp outside the tolerance")
    if not any(hmac.compare_digest(one.encode(), expected.encode()) for one in given):
        raise InvalidWebhook("signature mismatch")
    return typing.cast(Dict[str, Any], json.loads(body))


# MODELS


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The service never redirects; a credential must not follow a redirect."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Ponte:
    """Safe requests are sent up to `attempts_max` times: reads, deletes and creates after network
    errors, time-outs and 5xx; any request that was refused with a `retryAfter`, after that time.
    Each create has an Idempotency-Key, the same on every attempt. Send your own to be safe against
    crashes of your process too."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        token: Optional[str] = None,
        timeout: float = 40,
        attempts_max: int = 4,
    ):
        url = base_url.strip().rstrip("/")
        self._base_url = url[:-3] if url.endswith("/v1") else url
        if not self._base_url.lower().startswith(("http://", "https://")):
            raise ValueError("base_url: must be a URL such as https://api.example.com.")
        secret = _pasted(api_key or token or "")
        if secret == "" or not all("!" <= sign <= "~" for sign in secret):
            raise ValueError("api_key or token: is empty, or has blanks or other signs within it.")
        bearer = {"Authorization": f"Bearer {secret}"}
        self._credential = {"X-API-Key": secret} if api_key else bearer
        self._timeout = timeout
        self._attempts_max = attempts_max
        self._opener = urllib.request.build_opener(_NoRedirect)

    def request(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """The JSON of the answer. PonteError."""
        asked = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self._base_url + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        headers = {"Accept": "application/json", "User-Agent": "ponte-python", **self._credential}
        data: Optional[bytes] = None
        if method in ("POST", "PUT", "PATCH"):
            headers["Content-Type"] = "application/json"
            data = json.dumps({} if body is None else _plain(body)).encode()
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        safe = method in ("GET", "PUT", "DELETE") or idempotency_key is not None
        for attempt in range(1, self._attempts_max + 1):
            last = attempt == self._attempts_max
            try:
                status, answered, text = self._send(method, url, headers, data)
                answer = _parsed(status, text)
            except OSError:
                if last or not safe:
                    raise
                time.sleep(_backoff(attempt))
                continue
            if status < 300:
                return answer
            wait = None if last else _wait(status, answered, answer, safe, attempt)
            if wait is None:
                raise PonteError(status, answer, answered.get("X-Request-Id"))
            time.sleep(wait)
        raise AssertionError("attempts_max: must be 1 or more.")

    def _send(
        self, method: str, url: str, headers: Mapping[str, str], data: Optional[bytes]
    ) -> Tuple[int, Mapping[str, str], bytes]:
        asked = urllib.request.Request(url, data=data, headers=dict(headers), method=method)
        try:
            with self._opener.open(asked, timeout=self._timeout) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.headers, refused.read()
        except OSError:
            raise
        except Exception as broken:  # http.client: the answer is incomplete.
            raise ConnectionError(str(broken)) from broken

    def _rows(self, read: Any, query: Dict[str, Any], asks: str, field: str) -> Iterator[Any]:
        while True:
            page = read(**query)
            yield from page.data
            place = getattr(page, field)
            if place is None or place == query.get(asks):
                return
            query[asks] = place

    def events(
        self,
        after: Union[int, str],
        epoch: Optional[int] = None,
        event_types: Optional[List[str]] = None,
    ) -> Iterator[Tuple[FeedEvent, int]]:
        """Each event with its epoch, as it arrives, without an end. Store `sequence` and epoch, and
        continue from them. `after`: your last sequence, 0, or `latest`. PonteError."""
        types = None if event_types is None else ",".join(event_types)
        while True:
            wait = 0 if after == "latest" else 30
            query = {"after": after, "epoch": epoch, "eventTypes": types, "wait": wait}
            page = _read(Feed, self.request("GET", "/v1/events", query))
            for event in page.data:
                yield event, page.epoch
            after, epoch = page.nextAfter, page.epoch

    # OPERATIONS


def _pasted(secret: str) -> str:
    text = secret.strip()
    quoted = len(text) > 1 and text[0] in "\"'" and text[0] == text[-1]
    return text[1:-1].strip() if quoted else text


def _path(value: Any) -> str:
    return urllib.parse.quote(str(value), safe="")


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _plain(value: Any) -> Any:
    """As JSON has it. In a dict of yours None is sent as null."""
    if dataclasses.is_dataclass(value):
        named = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        return {name.rstrip("_"): _plain(one) for name, one in named.items() if one is not None}
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _parsed(status: int, text: bytes) -> Any:
    try:
        return None if status == 204 else json.loads(text)
    except ValueError:  # A proxy answered.
        if status < 300:
            raise ConnectionError("the answer is not JSON: is base_url the service?") from None
        return None


def _wait(
    status: int, headers: Mapping[str, str], answer: Any, safe: bool, attempt: int
) -> Optional[float]:
    """The wait before the next attempt; None if this answer is final."""
    if status != 429 and status < 500:
        return None
    # The service sends retryAfter only if it changed nothing. The header may be a proxy's.
    seconds = answer.get("retryAfter") if isinstance(answer, dict) else None
    if not isinstance(seconds, (int, float)) and (safe or status == 429):
        given = headers.get("Retry-After") or ""
        seconds = int(given) if given.isascii() and given.isdigit() else None
    if isinstance(seconds, (int, float)):
        return None if seconds > 60 else max(0, seconds)
    return _backoff(attempt) if safe else None


def _backoff(attempt: int) -> float:
    return float(0.25 * 2 ** (attempt - 1) * (0.5 + random.random() / 2))


def _read(kind: Any, value: Any) -> Any:
    """JSON as this type. Fields that a newer service adds are left out."""
    if value is None or kind is Any:
        return value
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is Union:
        models = [one for one in args if one is not type(None)]
        return _read(models[0], value) if len(models) == 1 else value
    if origin is list and isinstance(value, list):
        return [_read(args[0], one) for one in value]
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        hints = _hints(kind)
        given = {name: value.get(name.rstrip("_")) for name in hints}
        return kind(**{name: _read(hint, given[name]) for name, hint in hints.items()})
    return value


_known: Dict[Any, Dict[str, Any]] = {}


def _hints(kind: Any) -> Dict[str, Any]:
    if kind not in _known:
        _known[kind] = typing.get_type_hints(kind)
    return _known[kind]
