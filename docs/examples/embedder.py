"""A stand-in for an embedding server, for the documentation. It knows a few words in two languages.

Usage: embedder.py PORT. It ends by itself after two minutes.
"""

import http.server
import json
import re
import sys
import threading
import zlib

DIMENSIONS = 64
CONCEPTS = [
    {"password", "passwort", "losungswort", "login", "anmeldung"},
    {"wrong", "often", "attempts", "versuchen", "versuche"},
    {"lock", "locked", "sperrt", "tor"},
]


def dimension(word):
    for number, words in enumerate(CONCEPTS):
        if word in words:
            return number
    return len(CONCEPTS) + zlib.crc32(word.encode()) % (DIMENSIONS - len(CONCEPTS))


def embed(text):
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        place = dimension(word)
        vector[place] += 1.0 if place < len(CONCEPTS) else 0.1
    return vector


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
        data = [{"index": n, "embedding": embed(text)} for n, text in enumerate(texts)]
        body = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
timer = threading.Timer(120, server.shutdown)
timer.daemon = True
timer.start()
server.serve_forever()
