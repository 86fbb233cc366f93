"""An MCP server over HTTP with SSE, as the revision of 2024-11-05 has it, for tests."""

import json
import os
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

LOG = open(os.environ["LOG"], "a", buffering=1)
STREAMS = {}
ASKED = {}
RELEASED = threading.Event()


def text(content):
    return {"content": [{"type": "text", "text": content}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def may(self):
        token = os.environ.get("TOKEN_WANTED")
        return not token or self.headers.get("Authorization") == f"Bearer {token}"

    def do_GET(self):
        if self.path != "/sse" or not self.may():
            return self.reply(401 if self.path == "/sse" else 404)
        name = f"s{len(STREAMS)}"
        STREAMS[name] = queue.Queue()
        print("GET", name, file=LOG, flush=True)
        if os.environ.get("NO_GREETING") and name == "s2":
            STREAMS["s1"].put({"method": "notifications/x", "params": {"of": "a stream that is not used"}})
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        where = os.environ.get("ENDPOINT", "/messages")
        self.wfile.write(f": hello\r\n\r\nevent: endpoint\r\ndata: {where}?session={name}\r\n\r\n".encode())
        while (message := STREAMS[name].get()) is not None:
            try:
                # Some servers send signs of life as events of their own.
                self.wfile.write(b'event: ping\ndata: {"method":"ping of no protocol"}\n\n')
                data = message if isinstance(message, list) else {"jsonrpc": "2.0", **message}
                self.wfile.write(b"event: message\ndata: " + json.dumps(data).encode() + b"\n\n")
                self.wfile.flush()
            except OSError:
                break
        print("END", name, file=LOG, flush=True)
        self.close_connection = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        where = urlparse(self.path)
        if where.path != "/messages":
            return self.reply(405)
        if not self.may():
            return self.reply(401)
        name = parse_qs(where.query)["session"][0]
        message = json.loads(body)
        print("POST", name, message.get("method", "answer"), file=LOG, flush=True)
        stream = STREAMS[name]
        if message.get("method") == "initialize" and len(STREAMS) == 2 and os.environ.get("NO_GREETING"):
            return self.reply(500)
        id, params = message.get("id"), message.get("params") or {}
        if "held" in (params.get("name"), message.get("method", "").removeprefix("notifications/")):
            RELEASED.wait(60)
        self.reply(202, b"Accepted")
        match message.get("method"):
            case "initialize":
                stream.put({"id": id, "result": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "sse test", "version": "1"}}})
            case "tools/call":
                self.call(stream, id, params["name"], params.get("arguments") or {})
            case None:
                stream.put({"id": ASKED.pop(id), "result": text("answered: " + json.dumps(message["result"]))})
            case method if id is not None:
                stream.put({"id": id, "error": {"code": -32601, "message": f"no {method}"}})

    def call(self, stream, id, name, arguments):
        if name == "lines":
            stream.put({"method": "notifications/progress", "params": {"progressToken": "t", "progress": 1}})
            stream.put({"id": id, "result": text("\n".join(f"row {n} of the listing" for n in range(arguments["count"])))})
        if name == "together":
            notice = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "t", "progress": 7}}
            stream.put([notice, {"jsonrpc": "2.0", "id": id, "result": text("both")}])
        if name == "said":
            stream.put({"id": id, "result": text(arguments["text"])})
        if name == "ask":
            ASKED["q1"] = id
            stream.put({"id": "q1", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}})
        if name == "held":
            stream.put({"id": id, "result": text("held")})
        if name == "release":
            RELEASED.set()
            stream.put({"id": id, "result": text("released")})
        if name == "hang up":
            stream.put(None)


ThreadingHTTPServer.request_queue_size = 512
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_port}/sse", flush=True)
server.serve_forever()
