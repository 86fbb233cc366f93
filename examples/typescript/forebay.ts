// Forebay's tools for a model that calls functions: what to declare, and how to answer a call.

const server = process.env.FOREBAY_URL ?? "http://127.0.0.1:7878";
const token = process.env.FOREBAY_TOKEN;

/** What goes into a request as `tools`: for openai, anthropic or gemini. */
export async function tools(format: "openai" | "anthropic" | "gemini"): Promise<any[]> {
  return (await request("GET", `/v1/tools?format=${format}`)).body;
}

/** The text that answers a function call. A refusal is an answer, too: the model can act on it. */
export async function call(name: string, input: unknown): Promise<string> {
  const { ok, body } = await request("POST", `/v1/tools/${name}`, input);
  if (!ok) return `error: ${body.error}\nhint: ${body.hint}`;
  return body.content.map((block: { text: string }) => block.text).join("\n");
}

async function request(method: string, path: string, body?: unknown): Promise<{ ok: boolean; body: any }> {
  // The session names the conversation; one a run is a good start.
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "Forebay-Session": `example-${process.pid}`,
  };
  if (token) headers.Authorization = `Bearer ${token}`;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(server + path, { method, headers, body: sent });
  return { ok: response.ok, body: await response.json() };
}
