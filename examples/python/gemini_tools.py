"""A conversation with Gemini, in which the model uses Forebay's tools."""

import os
import sys

from google import genai
from google.genai import types

import forebay

client = genai.Client(http_options={"base_url": os.environ.get("GEMINI_BASE_URL")})
declared = [
    types.FunctionDeclaration(
        name=tool["name"],
        description=tool["description"],
        parameters_json_schema=tool["parametersJsonSchema"],
    )
    for tool in forebay.tools("gemini")[0]["functionDeclarations"]
]
config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=declared)])
contents = [types.Content(role="user", parts=[types.Part(text=" ".join(sys.argv[1:]))])]

while True:
    model = os.environ.get("MODEL", "gemini-2.5-flash")
    reply = client.models.generate_content(model=model, contents=contents, config=config)
    contents.append(reply.candidates[0].content)
    if not reply.function_calls:
        print(reply.text)
        break
    parts = [
        types.Part.from_function_response(
            name=call.name, response={"result": forebay.call(call.name, call.args)}
        )
        for call in reply.function_calls
    ]
    contents.append(types.Content(role="user", parts=parts))
