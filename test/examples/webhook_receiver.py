"""A receiver. Beside ponte.py: WEBHOOK_SECRET=whsec_… PORT=3000 python3 webhook_receiver.py"""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Set

from ponte import InvalidWebhook, verify_webhook

# A real receiver stores the id in the transaction of its effect.
seen: Set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            webhook = verify_webhook(os.environ["WEBHOOK_SECRET"], dict(self.headers), body)
        except InvalidWebhook:
            self.send_response(400)
        else:
            delivery = self.headers.get("X-Service-Delivery-Id", "")
            if delivery not in seen:
                print(webhook["event"], flush=True)
            seen.add(delivery)
            self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Quiet."""


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
