"""A whole integration, beside ponte.py: it creates payments, receives webhooks and catches up by the
event feed. `ponte certify` plays 24 faults against it:

    ponte certify --receiver http://127.0.0.1:3000/webhooks --probe http://127.0.0.1:3000/probe \\
        -- python3 integration.py

It is started with PONTE_URL, PONTE_KEY, WEBHOOK_SECRET and PORT."""

import json
import os
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Optional, Set, Tuple
from urllib.parse import parse_qs, urlsplit

from ponte import InvalidWebhook, Ponte, PonteError, verify_webhook

ponte = Ponte(os.environ["PONTE_URL"], api_key=os.environ["PONTE_KEY"])

# A real shop has these in its database: an event is stored in the transaction of its effect.
orders: Dict[str, Dict[str, Any]] = {}
seen: Set[str] = set()
place: Tuple[int, Optional[int]] = (0, None)
# Two for the time of a rotation.
secrets: List[str] = [os.environ["WEBHOOK_SECRET"]]
# What may change an order is done one after the other.
turn = threading.Lock()
# Webhooks are answered first.
work: "queue.Queue[Tuple[str, str, str]]" = queue.Queue()


def order_of(name: str) -> Dict[str, Any]:
    return orders.setdefault(name, {"state": "open", "effects": 0, "settled": None})


def handle(event_id: str, kind: str, name: str) -> None:
    if event_id in seen:
        return
    order = order_of(name)
    if kind == "payment_intent.settled":
        settle(name)
    if kind.endswith((".failed", ".cancelled", ".expired")) and order["state"] == "open":
        order["state"] = "ended"
    # The seller does not have the money: a person decides.
    if kind == "payment_intent.payout_returned":
        order["state"] = "review"
    seen.add(event_id)


def settle(name: str) -> None:
    """The payment says what was settled, not an event or an older quote."""
    order = order_of(name)
    try:
        payment = ponte.read_payment(f"ext_{name}")
    except PonteError as refused:
        if refused.code == "NotFound":  # Its create failed.
            return
        raise
    # Read again after a reset, it may have counted before its event comes.
    if payment.status == "settled" and order["state"] not in ("paid", "review"):
        order.update(state="paid", settled=payment.brlSettledAmount)
        order["effects"] += 1


def create(name: str, amount: str, email: str) -> None:
    order_of(name)
    body = {"externalId": name, "amount": amount, "buyer": {"email": email}}
    # The client repeats it with the same key.
    ponte.create_payment_intent(body, idempotency_key=name)


def catch_up() -> None:
    global place
    while True:
        after, epoch = place
        try:
            page = ponte.read_events(after=after, epoch=epoch)
        except PonteError as refused:
            if refused.code == "EventsPruned":
                place = (refused.body["oldestSequence"] - 1, epoch)
            elif refused.code == "FeedReset":
                # Events of the old feed may be missing: the payments themselves are read again.
                for name in list(orders):
                    with turn:
                        if orders[name]["state"] == "open":
                            settle(name)
                place = (refused.body["lastSequence"], refused.body["epoch"])
            else:
                raise
            continue
        for event in page.data:
            if "externalId" in event.data:
                work.put((event.id, event.event, str(event.data["externalId"])))
        place = (page.nextAfter, page.epoch)
        if not page.data:
            return


def receive(headers: Dict[str, str], body: bytes) -> None:
    webhook = None
    for secret in secrets:
        try:
            webhook = verify_webhook(secret, headers, body)
        except InvalidWebhook:
            continue
    if webhook is None:
        raise InvalidWebhook("no secret fits")
    data = webhook["data"]
    # webhook.test is about no payment. The feed has the same event: its id counts, not the delivery's.
    if "externalId" in data:
        work.put((str(data["externalEventId"]), webhook["event"], str(data["externalId"])))


def asked(body: Dict[str, str]) -> None:
    """Test mode only: what `ponte certify` asks for."""
    global secrets
    if body["do"] == "create":
        create(body["order"], body["amount"], body["email"])
    elif body["do"] == "catch-up":
        catch_up()
    elif body["do"] == "secret":
        secrets = [body["secret"]]


class Integration(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            if self.path == "/webhooks":
                receive(dict(self.headers), body)
            else:
                asked(json.loads(body))
            self.answer(200, {})
        except InvalidWebhook as refused:
            self.answer(400, {"error": str(refused)})
        except (PonteError, OSError) as failed:
            self.answer(500, {"error": str(failed)})

    def do_GET(self) -> None:
        work.join()
        [name] = parse_qs(urlsplit(self.path).query).get("order", [""])
        self.answer(200, order_of(name))

    def answer(self, status: int, body: Dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def run_work() -> None:
    while True:
        event = work.get()
        try:
            with turn:
                handle(*event)
        except (PonteError, OSError) as failed:
            print(failed, flush=True)
        finally:
            work.task_done()


threading.Thread(target=run_work, daemon=True).start()
port = int(os.environ.get("PORT", "3000"))
ThreadingHTTPServer(("127.0.0.1", port), Integration).serve_forever()
