// A conversation with Anthropic's messages, in which the model uses Forebay's tools.

import Anthropic from "@anthropic-ai/sdk";
import { call, tools } from "./forebay.ts";

const client = new Anthropic();
const declared = await tools("anthropic");
const messages: Anthropic.MessageParam[] = [
  { role: "user", content: process.argv.slice(2).join(" ") },
];

for (;;) {
  const model = process.env.MODEL ?? "claude-sonnet-4-5";
  const reply = await client.messages.create({ model, max_tokens: 4096, messages, tools: declared });
  messages.push({ role: "assistant", content: reply.content });
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const block of reply.content) {
    if (block.type === "text") console.log(block.text);
    if (block.type !== "tool_use") continue;
    const content = await call(block.name, block.input);
    results.push({ type: "tool_result", tool_use_id: block.id, content });
  }
  if (results.length === 0) break;
  messages.push({ role: "user", content: results });
}
