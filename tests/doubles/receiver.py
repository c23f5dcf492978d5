"""Receives webhooks with the library `standardwebhooks` from PyPI, on 127.0.0.1:PORT.

`PUT /` sets the secret. `POST /` returns 204 for a message that the library verifies, and 400 for any other.
"""

import http.server
import os

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


class Receiver(http.server.BaseHTTPRequestHandler):
    secret = ""

    def body(self):
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self):
        self.answer(204)

    def do_PUT(self):
        Receiver.secret = self.body().decode()
        self.answer(204)

    def do_POST(self):
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            Webhook(self.secret).verify(self.body(), headers)
        except WebhookVerificationError as problem:
            print(problem, flush=True)
            return self.answer(400)
        self.answer(204)


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
