"""A conversation with OpenAI's chat completions, in which the model uses Forebay's tools."""

import json
import os
import sys

from openai import OpenAI

import forebay

client = OpenAI()
tools = forebay.tools("openai")
messages = [{"role": "user", "content": " ".join(sys.argv[1:])}]

while True:
    model = os.environ.get("MODEL", "gpt-5")
    reply = client.chat.completions.create(model=model, messages=messages, tools=tools)
    message = reply.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    if not message.tool_calls:
        print(message.content)
        break
    for tool_call in message.tool_calls:
        answer = forebay.call(tool_call.function.name, json.loads(tool_call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": tool_call.id, "content": answer})
