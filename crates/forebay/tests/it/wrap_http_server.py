"""An MCP server over streamable HTTP for tests: sessions, streams that break, tokens, and both revisions."""

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOG = open(os.environ["LOG"], "a", buffering=1)
SESSIONS = set()
ANSWERS = {}
ANSWERED = threading.Event()
RESUMED = {}
RELEASED = threading.Event()
# Whether a session is refused that is started again.
REFUSING = threading.Event()
META = "io.modelcontextprotocol/protocolVersion"


def log(*words):
    print(*words, file=LOG, flush=True)


def text(content):
    return {"content": [{"type": "text", "text": content}]}


TOOLS = [
    {"name": "said", "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}}},
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, id, result, **headers):
        # Over several lines, as some servers write it.
        body = json.dumps({"jsonrpc": "2.0", "id": id, "result": result}, indent=1).encode()
        self.reply(200, body, **headers)

    def start_events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def event(self, message=None, id=None, retry=None):
        lines = [f"id: {id}"] if id else []
        lines += [f"retry: {retry}"] if retry else []
        lines += ["data: " + json.dumps({"jsonrpc": "2.0", **message})] if message else ["data:"]
        piece = ("\n".join(lines) + "\n\n").encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.flush()

    def end_events(self):
        self.wfile.write(b"0\r\n\r\n")

    def may(self):
        token = os.environ.get("TOKEN_WANTED")
        if not token or self.headers.get("Authorization") == f"Bearer {token}":
            return True
        self.reply(401, b"who are you", "text/plain", WWW_Authenticate='Bearer resource_metadata="http://x/"')
        return False

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/moved":
            return self.reply(308, Location="/mcp")
        if self.path in ("/elsewhere", "/found"):
            return self.reply(307 if self.path == "/elsewhere" else 302, Location=os.environ["ELSEWHERE"])
        if not self.may():
            return
        message = json.loads(body)
        params = message.get("params") or {}
        revision = (params.get("_meta") or {}).get(META)
        method = message.get("method")
        log("POST", method or "answer", self.headers.get("MCP-Protocol-Version"), params.get("name", ""))
        if method == "initialize" and REFUSING.is_set():
            REFUSING.clear()
            error = {"code": -32000, "message": "not now"}
            return self.reply(400, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode())
        if method == "initialize":
            session = f"session-{len(SESSIONS)}-{time.monotonic_ns()}"
            SESSIONS.add(session)
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "http test", "version": "1"},
            }
            return self.answer(message["id"], result, Mcp_Session_Id=session)
        if revision:
            if self.headers.get("Mcp-Method") != method or self.headers.get("MCP-Protocol-Version") != revision:
                error = {"code": -32020, "message": "headers do not match"}
                return self.reply(400, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())
        elif self.headers.get("Mcp-Session-Id") not in SESSIONS:
            return self.reply(404)
        if method is None:
            ANSWERS[message["id"]] = body.decode()
            ANSWERED.set()
            return self.reply(202)
        if method == "notifications/held":
            RELEASED.wait(60)
        if "id" not in message:
            return self.reply(202)
        if method == "tools/list":
            return self.answer(message["id"], {"tools": TOOLS})
        if method == "tools/call":
            return self.call(message["id"], params["name"], params.get("arguments") or {})
        self.answer(message["id"], {})

    def call(self, id, name, arguments):
        if name == "said":
            return self.answer(id, text(arguments["text"]))
        if name == "headers":
            return self.answer(id, text(json.dumps(dict(self.headers))))
        if name == "forget":
            SESSIONS.clear()
            if arguments.get("refuses"):
                REFUSING.set()
            return self.answer(id, text("forgotten"))
        if name == "held":
            return self.answer(id, text("held" if RELEASED.wait(60) else "not released"))
        if name == "release":
            RELEASED.set()
            return self.answer(id, text("released"))
        if name == "nothing":
            return self.reply(200, b'{"jsonrpc": "2.0", "result": {}}')
        if name == "garbage":
            return self.reply(200, b"{'id': 1}")
        if name == "page":
            return self.reply(200, b"<html>", "text/html")
        if name == "boom":
            return self.reply(500, b"out of order", "text/plain")
        if name == "two values":
            notice = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "t", "progress": 7}}
            answer = {"jsonrpc": "2.0", "id": id, "result": text("both")}
            return self.reply(200, (json.dumps(notice) + "\n" + json.dumps(answer)).encode())
        if name == "silent":
            return self.reply(202)
        self.start_events()
        if name == "lines":
            self.event({"method": "notifications/progress", "params": {"progressToken": "t", "progress": 1}})
            lines = "\n".join(f"row {n} of the listing" for n in range(arguments["count"]))
            self.event({"id": id, "result": text(lines)})
        if name == "ask":
            self.event({"id": "s1", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}})
            ANSWERED.wait(60)
            self.event({"id": id, "result": text("answered: " + ANSWERS["s1"])})
        if name == "broken":
            RESUMED["b1"] = id
            self.event(id="b1", retry=10)
        if name == "wait":
            return self.keep_open("client left")
        if name == "lingers":
            self.event({"id": id, "result": text("answered")})
            return self.keep_open("lingering client left")
        self.end_events()

    def keep_open(self, end):
        try:
            while True:
                self.wfile.write(b"2\r\n:\n\r\n")
                self.wfile.flush()
                time.sleep(0.02)
        except OSError:
            log(end)
            self.close_connection = True

    def do_GET(self):
        last = self.headers.get("Last-Event-ID")
        if not self.may():
            return
        if last in RESUMED:
            self.start_events()
            self.event({"id": RESUMED.pop(last), "result": text("taken up")}, id="b2")
            return self.end_events()
        if self.headers.get("Mcp-Session-Id") not in SESSIONS:
            return self.reply(405)
        self.start_events()
        self.event({"method": "notifications/resources/updated", "params": {"uri": "test://unasked"}})
        if os.environ.get("STUBBORN"):
            log("GET")
            return self.keep_open("listening client left")
        while self.headers.get("Mcp-Session-Id") in SESSIONS:
            time.sleep(0.05)
        self.end_events()

    def do_DELETE(self):
        log("DELETE", self.headers.get("Mcp-Session-Id") in SESSIONS)
        SESSIONS.discard(self.headers.get("Mcp-Session-Id"))
        self.reply(200)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)
server.serve_forever()
