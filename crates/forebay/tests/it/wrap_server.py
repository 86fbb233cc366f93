"""An MCP server for tests: its tools answer at length, in odd ways, or not at all."""

import base64
import json
import os
import struct
import sys
import time
import zlib

SEND = sys.stdout.buffer


def line(text):
    SEND.write(text.encode() + b"\n")
    SEND.flush()


def send(message):
    line(json.dumps({"jsonrpc": "2.0", **message}))


def text(content, **more):
    return {"content": [{"type": "text", "text": content}], **more}


def png(width, height):
    """An image without content behind its header, and noise to make it large."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    return b"\x89PNG\r\n\x1a\n" + chunk + bytes(range(256)) * 800


def snapshot(total):
    rows = [f'  - row "Order {n} open" [ref=e{n}]:\n    - button "Pay" [ref=p{n}]' for n in range(900)]
    head = f'- Page URL: http://shop.test/\n- Page Title: Shop\n- main [ref=m1]:\n  - heading "Total {total}" [level=1] [ref=h1]\n'
    return head + "\n".join(rows)


COUNTS = {"snapshot": 0}
# Calls that go on as tasks.
TASKS = {}


def call(id, name, arguments):
    if name == "lines":
        return text("\n".join(f"row {n} of the listing" for n in range(arguments["count"])), isError=arguments.get("fails", False))
    if name == "said":
        return text(arguments["text"])
    if name == "structured":
        value = {"rows": [{"id": n, "name": f"row {n}"} for n in range(arguments["count"])]}
        return text(json.dumps(value), structuredContent=value)
    if name == "file":
        content = "\n".join(f"line {n} of the file" for n in range(arguments["count"]))
        return text(content, structuredContent={"path": "a.txt", "content": content})
    if name == "shot":
        image = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(png(1280, 720)).decode()}
        return {"content": [{"type": "text", "text": "taken"}, image]}
    if name == "sounds":
        data = base64.b64encode(bytes(range(256)) * 800).decode()
        audio = {"type": "audio", "mimeType": "audio/wav", "data": data}
        file = {"type": "resource", "resource": {"uri": "test://file", "mimeType": "application/pdf", "blob": data}}
        return {"content": [audio, file]}
    if name == "snapshot":
        COUNTS["snapshot"] += 1
        return text(snapshot(COUNTS["snapshot"]))
    if name == "children":
        pid = os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "1000")
        with open(arguments["file"], "w") as file:
            file.write(f"{pid}\n")
        return text("started")
    if name == "die":
        send({"method": "notifications/message", "params": {"level": "error", "data": "dying"}})
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(arguments["code"])
    if name == "odd":
        return line('{"result":{"x":1.50e0,"content":[{"type":"text","text":"\\u00e9"}]} ,"jsonrpc":"2.0",  "id":' + json.dumps(id) + "}")
    if name == "bad":
        line("warming up")
        line('{"jsonrpc":"2.0","id":')
        SEND.write(b"\xff\xfe\n")
        line("[1, 2")
        return text("after all")
    if name == "twice":
        send({"id": id, "result": text("one")})
        return text("two")
    if name == "flood":
        for _ in range(arguments["mb"]):
            SEND.write(b"x" * (1 << 20))
        line("")
        return text("flooded")
    if name == "torn":
        # Ends within a message, right behind a long one.
        send({"id": id, "result": text("\n".join(f"row {n} of the listing" for n in range(4000)))})
        SEND.write(b'{"jsonrpc":"2.0","id":"torn')
        SEND.flush()
        os._exit(3)
    if name == "deep":
        nested = "[" * arguments["depth"] + "]" * arguments["depth"]
        return line('{"jsonrpc":"2.0","id":' + json.dumps(id) + ',"result":{"content":[],"structuredContent":' + nested + "}}")
    if name == "repeated":
        return line('{"jsonrpc":"2.0","id":1,"result":{"content":[]},"id":' + json.dumps(id) + ',"result":{"content":[]}}')
    if name == "endless":
        SEND.write(b'{"jsonrpc":"2.0","result":{"x":"')
        for _ in range(arguments["mb"]):
            SEND.write(b"x" * (1 << 20))
        return line('"},"id":' + json.dumps(id) + "}")
    if name == "ask":
        send({"id": "s1", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}})
        return text("answered: " + sys.stdin.readline().strip())
    if name == "together":
        notice = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "t", "progress": 7}}
        return line(json.dumps([notice, {"jsonrpc": "2.0", "id": id, "result": text("both")}]))
    if name == "progress":
        for step in range(3):
            send({"method": "notifications/progress", "params": {"progressToken": "t", "progress": step}})
        return text("done")
    if name == "never":
        return None
    if name == "deaf":
        # Reads no more, and is not gone.
        send({"id": id, "result": text("deaf")})
        while True:
            time.sleep(1)
    if name == "pid":
        return text(str(os.getpid()))
    if name == "notices":
        for step in range(arguments["count"]):
            send({"method": "notifications/progress", "params": {"progressToken": "t", "progress": step}})
        return text("done")
    if name == "grow":
        TOOLS.append({"name": "grown", "inputSchema": {"type": "object"}})
        send({"method": "notifications/tools/list_changed"})
        return text("grown")
    return text(f"no tool {name}", isError=True)


if os.environ.get("LONG_DESCRIPTIONS"):
    WORDS = "Looks at the state of the account. It takes a while. " + "More about every detail of it. " * 40
else:
    WORDS = ""

TOOLS = [
    {"name": "lines", "inputSchema": {"type": "object"}},
    {"name": "structured", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "title": "rows"}},
    {"name": "file", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "title": "file"}},
    {"name": "other", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "title": "kept"}},
]

if WORDS:
    for number, tool in enumerate(TOOLS):
        tool["description"] = f"Tool {number}. {WORDS}"
    TOOLS[0]["inputSchema"] = {"type": "object", "properties": {"count": {"type": "integer", "description": WORDS}}}
    TOOLS.append({"name": "said", "description": "Repeats a text", "inputSchema": {"type": "object"}})


if os.environ.get("ANNOTATED"):
    TOOLS[0]["annotations"] = {"readOnlyHint": True}
    TOOLS[1]["annotations"] = {"destructiveHint": False}
    TOOLS[2]["annotations"] = {"destructiveHint": True}


if extra := os.environ.get("EXTRA_TOOL"):
    TOOLS.append({"name": extra, "inputSchema": {"type": "object"}})


def page(params):
    """One tool on each page, if the environment says so."""
    if not os.environ.get("PAGES"):
        return {"tools": TOOLS}
    at = int(params.get("cursor", "0"))
    more = {"nextCursor": str(at + 1)} if at + 1 < len(TOOLS) else {}
    return {"tools": TOOLS[at : at + 1], **more}


# In front of the addresses that it can read.
RESOURCES = os.environ.get("RESOURCES")


def answer(message):
    id, params = message["id"], message.get("params") or {}
    match message["method"]:
        case "initialize":
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {
                    "tools": {"listChanged": True},
                    **({"resources": {"subscribe": True}} if RESOURCES else {}),
                    **({"prompts": {}, "completions": {}} if os.environ.get("PROMPTS") else {}),
                },
                "serverInfo": {"name": "test", "version": "1"},
            }
        case "tools/list":
            if os.environ.get("NO_LISTS"):
                return
            result = page(params)
        case "resources/read" if RESOURCES and params["uri"].startswith(RESOURCES):
            result = {"contents": [{"uri": params["uri"], "text": RESOURCES}]}
        case "resources/subscribe" if RESOURCES:
            # Whatever the address.
            with open(os.environ["SUBSCRIBED"], "a") as file:
                file.write(f"{RESOURCES} {params['uri']}\n")
            result = {}
        case "prompts/list":
            result = {"prompts": [{"name": "greet"}]}
        case "prompts/get" if os.environ.get("PROMPTS"):
            result = {"description": params["name"], "messages": []}
        case "completion/complete" if os.environ.get("PROMPTS"):
            result = {"completion": {"values": [params["ref"]["name"]]}}
        case "tools/call" if "task" in params:
            TASKS["t1"] = params
            result = {"task": {"taskId": "t1", "status": "working"}}
        case "tasks/result" if params["taskId"] in TASKS:
            task = TASKS[params["taskId"]]
            result = call(id, task["name"], task["arguments"])
        case "tools/call":
            if log := os.environ.get("CALLS"):
                with open(log, "a") as file:
                    file.write(params["name"] + "\n")
            if log := os.environ.get("ARGUMENTS"):
                with open(log, "a") as file:
                    json.dump(params.get("arguments"), file)
            result = call(id, params["name"], params.get("arguments") or {})
            if result is None:
                return
        case method:
            return send({"id": id, "error": {"code": -32601, "message": f"no {method}"}})
    send({"id": id, "result": result})


print("test server ready", file=sys.stderr, flush=True)
for received in sys.stdin:
    if log := os.environ.get("RECEIVED"):
        with open(log, "a") as file:
            file.write(received)
    try:
        message = json.loads(received)
    except ValueError:
        send({"id": None, "error": {"code": -32700, "message": "parse error"}})
        continue
    for one in message if isinstance(message, list) else [message]:
        if "id" in one and "method" in one:
            answer(one)
sys.exit(int(os.environ.get("EXIT", "0")))
