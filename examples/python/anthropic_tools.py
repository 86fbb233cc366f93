"""A conversation with Anthropic's messages, in which the model uses Forebay's tools."""

import os
import sys

from anthropic import Anthropic

import forebay

client = Anthropic()
tools = forebay.tools("anthropic")
messages = [{"role": "user", "content": " ".join(sys.argv[1:])}]

while True:
    model = os.environ.get("MODEL", "claude-sonnet-4-5")
    reply = client.messages.create(model=model, max_tokens=4096, messages=messages, tools=tools)
    messages.append({"role": "assistant", "content": reply.content})
    calls = [block for block in reply.content if block.type == "tool_use"]
    if not calls:
        print("".join(block.text for block in reply.content if block.type == "text"))
        break
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": forebay.call(call.name, call.input)}
        for call in calls
    ]
    messages.append({"role": "user", "content": results})
