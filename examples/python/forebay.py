"""Forebay's tools for a model that calls functions: what to declare, and how to answer a call."""

import json
import os
import urllib.error
import urllib.request

SERVER = os.environ.get("FOREBAY_URL", "http://127.0.0.1:7878")
TOKEN = os.environ.get("FOREBAY_TOKEN")


def tools(format):
    """What goes into a request as `tools`: for openai, anthropic or gemini."""
    return _request("GET", f"/v1/tools?format={format}")


def call(name, arguments):
    """The text that answers a function call. A refusal is an answer, too: the model can act on it."""
    try:
        result = _request("POST", f"/v1/tools/{name}", arguments)
    except urllib.error.HTTPError as error:
        told = json.load(error)
        return f"error: {told['error']}\nhint: {told['hint']}"
    return "\n".join(block["text"] for block in result["content"])


def _request(method, path, body=None):
    # The session names the conversation; one a run is a good start.
    headers = {"Content-Type": "application/json", "Forebay-Session": f"example-{os.getpid()}"}
    if TOKEN:
        headers["Authorization"] = f"Bearer {TOKEN}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)
