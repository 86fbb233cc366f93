// A conversation with Gemini, in which the model uses Forebay's tools.

import { GoogleGenAI, type Content } from "@google/genai";
import { call, tools } from "./forebay.ts";

const client = new GoogleGenAI({ httpOptions: { baseUrl: process.env.GEMINI_BASE_URL } });
const config = { tools: await tools("gemini") };
const contents: Content[] = [{ role: "user", parts: [{ text: process.argv.slice(2).join(" ") }] }];

for (;;) {
  const model = process.env.MODEL ?? "gemini-2.5-flash";
  const reply = await client.models.generateContent({ model, contents, config });
  contents.push(reply.candidates![0].content!);
  if (!reply.functionCalls?.length) {
    console.log(reply.text);
    break;
  }
  const parts = [];
  for (const asked of reply.functionCalls) {
    const result = await call(asked.name!, asked.args);
    parts.push({ functionResponse: { name: asked.name, response: { result } } });
  }
  contents.push({ role: "user", parts });
}
