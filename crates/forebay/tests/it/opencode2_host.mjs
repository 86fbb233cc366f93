// What OpenCode 2 shows of itself to a plugin, as its published types have it (@opencode/plugin 2.0): the module's
// default export is { id, setup }, hooks are registered by domain and name, and a hook gets one event, of which only
// some fields may be assigned. The context has the hooks that `hooks` names.
//
// Usage: node opencode2_host.mjs PLUGIN < '{"hooks": {...}, "location": {...}, "steps": [{"hook", "event", "mutable"}]}'
// Prints one JSON line: the events after their hooks, or the error that a hook threw.
import { readFileSync, writeFileSync } from "node:fs";

const { hooks, location, steps } = JSON.parse(readFileSync(0, "utf8"));
const { default: plugin } = await import(process.argv[2]);
if (typeof plugin.id !== "string" || typeof plugin.setup !== "function") {
  throw new Error("Plugin must export a default definition with an id and an effect or setup function");
}

const registered = new Map();
const domain = (name) => ({
  hook: async (hook, callback) => {
    if (!hooks[name].includes(hook)) throw new Error(`unknown hook ${hook}`);
    registered.set(`${name}.${hook}`, callback);
    return { dispose: async () => registered.delete(`${name}.${hook}`) };
  },
});

let publish;
async function* subscribe({ signal }) {
  while (!signal.aborted) yield await new Promise((resolve) => (publish = resolve));
}

const context = { location, event: { subscribe } };
for (const name of Object.keys(hooks)) context[name] = domain(name);
const cleanup = await plugin.setup(context);
if (cleanup !== undefined && typeof cleanup !== "function") throw new Error("setup returned no cleanup");

/** An event whose other fields cannot be assigned. */
function guarded(fields, mutable) {
  const event = {};
  for (const [name, value] of Object.entries(fields)) {
    const writable = mutable.includes(name);
    Object.defineProperty(event, name, { value, writable, enumerable: true });
  }
  return Object.seal(event);
}

const results = [];
for (const { hook, event, mutable } of steps) {
  if (hook === "event") {
    publish(event);
    await new Promise((resolve) => setTimeout(resolve, 500));
    continue;
  }
  const seen = guarded(event, mutable);
  try {
    await registered.get(hook)?.(seen);
    results.push(seen);
  } catch (error) {
    results.push({ error: error.message });
  }
}
// Synchronous, because the process exits at once.
writeFileSync(1, JSON.stringify({ registered: [...registered.keys()].sort(), results }));
process.exit(0);
