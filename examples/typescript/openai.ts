// A conversation with OpenAI's chat completions, in which the model uses Forebay's tools.

import OpenAI from "openai";
import { call, tools } from "./forebay.ts";

const client = new OpenAI();
const declared = await tools("openai");
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "user", content: process.argv.slice(2).join(" ") },
];

for (;;) {
  const model = process.env.MODEL ?? "gpt-5";
  const reply = await client.chat.completions.create({ model, messages, tools: declared });
  const message = reply.choices[0].message;
  messages.push(message);
  if (!message.tool_calls?.length) {
    console.log(message.content);
    break;
  }
  for (const asked of message.tool_calls) {
    if (asked.type !== "function") continue;
    const content = await call(asked.function.name, JSON.parse(asked.function.arguments));
    messages.push({ role: "tool", tool_call_id: asked.id, content });
  }
}
