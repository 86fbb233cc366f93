// Loads a plugin as Cline does (@cline/core 0.0.86): the module's default export has a name, a manifest and hooks.
//
// Usage: node cline_host.mjs PLUGIN < '{"context": {...}, "calls": [{"hook", "payload"}]}'
// Prints one JSON line: what each hook returned.
import { readFileSync, writeFileSync } from "node:fs";

const { context, calls } = JSON.parse(readFileSync(0, "utf8"));
const { default: plugin } = await import(process.argv[2]);
if (typeof plugin.name !== "string" || typeof plugin.manifest !== "object") throw new Error("invalid plugin");
await plugin.setup({}, context);
const results = [];
for (const { hook, payload } of calls) results.push((await plugin.hooks[hook](payload)) ?? null);
writeFileSync(1, JSON.stringify(results));
