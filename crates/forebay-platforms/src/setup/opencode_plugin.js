// Written by `forebay init`. Sends each event to `forebay hook opencode <event>` as JSON on stdin; the
// reply, if any, is JSON on stdout. If anything fails here, OpenCode continues as if without the plugin.
//
// OpenCode 1 calls `server`, OpenCode 2 calls `setup`; both ask Forebay with the event names of version 1.
import { spawn } from "node:child_process";

const PROGRAM = "FOREBAY_PROGRAM";
const TIMEOUT_MS = 10_000;

/** Sends an event to Forebay; resolves to its reply, or to {}. */
function ask(event, payload) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["hook", "opencode", event], {
        stdio: ["pipe", "pipe", "ignore"],
        timeout: TIMEOUT_MS,
      });
      const chunks = [];
      child.on("error", () => resolve({}));
      child.stdin.on("error", () => {});
      child.stdout.on("data", (chunk) => chunks.push(chunk));
      child.on("close", () => {
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")) ?? {});
        } catch {
          resolve({});
        }
      });
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }));
    } catch {
      resolve({});
    }
  });
}

/** Asks Forebay about the sessions in one folder, whatever the version of OpenCode. */
function forebay(location) {
  // Sessions with their start context; stale after a compaction.
  const started = new Map();
  const asked = (event, sessionID, payload) => ask(event, { ...location, sessionID, ...payload });

  return {
    /** The context to add to a prompt. */
    prompt: async (session, text) => (await asked("chat.message", session, { prompt: text })).context,

    /** The context for the system prompt: the same in every request, so that prompt caches stay valid. */
    start: async (session, isResumed) => {
      if (!started.has(session) || started.get(session).stale) {
        const fresh = async () => ((await isResumed()) ? "resume" : "startup");
        const source = started.has(session) ? "compact" : await fresh();
        const answer = await asked("experimental.chat.system.transform", session, { source });
        started.set(session, { context: answer.context });
      }
      return started.get(session).context;
    },

    /** Throws if the call is denied; returns the arguments to change, if any. */
    before: async (session, callID, tool_name, tool_input) => {
      const payload = { callID, tool_name, tool_input };
      const answer = await asked("tool.execute.before", session, payload);
      if (answer.deny) throw new Error(answer.deny);
      return answer.args;
    },

    /** Returns what to do with a result: `replace` it with a text, add a `context`. */
    after: (session, callID, tool_name, tool_input, tool_response) =>
      asked("tool.execute.after", session, { callID, tool_name, tool_input, tool_response }),

    /** The context for the summary of a compaction. */
    compacting: async (session) =>
      (await asked("experimental.session.compacting", session, { trigger: "auto" })).context,

    compacted: async (session) => {
      if (started.has(session)) started.get(session).stale = true;
      await asked("event:session.compacted", session, {});
    },

    idle: (session) => asked("event:session.idle", session, {}),
  };
}

/** Replaces a result of OpenCode 1 with a text, in the structure of the result. */
function replaceResult(output, text) {
  if (Array.isArray(output.content)) output.content = [{ type: "text", text }];
  else output.output = text;
}

/** Appends a text to a result of OpenCode 1. */
function appendToResult(output, text) {
  if (Array.isArray(output.content)) output.content.push({ type: "text", text });
  else output.output = `${output.output ?? ""}\n\n${text}`;
}

/** Whether a session of OpenCode 1 has replies from an earlier process, that is, was resumed. */
async function hasReplies(client, session) {
  try {
    const { data } = await client.session.messages({ path: { id: session } });
    return data.some(({ info }) => info.role === "assistant" && info.time?.completed);
  } catch {
    return false;
  }
}

/** The plugin of OpenCode 1: returns its hooks. */
async function server({ client, directory, worktree }) {
  const events = forebay({ cwd: directory, worktree });

  return {
    "chat.message": async (input, output) => {
      const part = output.parts?.find((one) => one.type === "text" && !one.synthetic);
      if (!part) return;
      const context = await events.prompt(input.sessionID, part.text);
      if (context) part.text += `\n\n${context}`;
    },

    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID;
      if (!session) return;
      const context = await events.start(session, () => hasReplies(client, session));
      if (context) output.system.push(context);
    },

    "tool.execute.before": async (input, output) => {
      const args = await events.before(input.sessionID, input.callID, input.tool, output.args);
      // OpenCode sees only changes in place.
      if (args) Object.assign(output.args, args);
    },

    "tool.execute.after": async (input, output) => {
      const { title, metadata, content, output: text } = output;
      const response = Array.isArray(content)
        ? { content, isError: output.isError }
        : { title, metadata: { ...metadata, output: undefined }, output: text };
      const { sessionID, callID, tool, args } = input;
      const answer = await events.after(sessionID, callID, tool, args, response);
      if (answer.replace) replaceResult(output, answer.replace);
      if (answer.context) appendToResult(output, answer.context);
    },

    "experimental.session.compacting": async (input, output) => {
      const context = await events.compacting(input.sessionID);
      if (context) output.context.push(context);
    },

    event: async ({ event }) => {
      const session = event.properties?.sessionID;
      if (event.type === "session.compacted") await events.compacted(session);
      if (event.type === "session.idle") await events.idle(session);
    },
  };
}

/** The text of a result of OpenCode 2; undefined if it is not text alone. */
function textOf({ content, output }) {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    return content.every((part) => part.type === "text")
      ? content.map((part) => part.text).join("\n")
      : undefined;
  }
  return typeof output === "string" ? output : undefined;
}

/** Follows OpenCode 2's events until the signal. */
async function followEvents(context, events, signal) {
  try {
    for await (const event of context.event.subscribe({ signal })) {
      const session = event.data?.sessionID ?? event.properties?.sessionID;
      if (event.type === "session.compaction.ended") await events.compacted(session);
      if (event.type === "session.execution.succeeded") await events.idle(session);
    }
  } catch {
    // The subscription ends with the process, or this version has none.
  }
}

/** The plugin of OpenCode 2: registers its hooks, and returns how to end. */
async function setup(context) {
  const cwd = context?.location?.directory ?? process.cwd();
  const events = forebay({ cwd, worktree: context?.location?.project?.directory });
  // A hook that this version does not know is left out; the others work.
  const hook = async (domain, name, handle) => {
    try {
      await context[domain].hook(name, handle);
    } catch {}
  };

  await hook("session", "prompt", async (event) => {
    if (typeof event.prompt?.text !== "string") return;
    const added = await events.prompt(event.sessionID, event.prompt.text);
    if (added) event.prompt.text += `\n\n${added}`;
  });

  await hook("session", "context", async (event) => {
    const isResumed = () => event.messages?.some((message) => message.role === "assistant");
    const added = await events.start(event.sessionID, isResumed);
    if (added) event.system.push({ type: "text", text: added });
  });

  await hook("session", "compaction", async (event) => {
    const added = await events.compacting(event.sessionID);
    if (added && Array.isArray(event.system)) event.system.push({ type: "text", text: added });
  });

  await hook("tool", "execute.before", async (event) => {
    const input = await events.before(event.sessionID, event.id, event.tool, event.input);
    if (input) event.input = { ...event.input, ...input };
  });

  await hook("tool", "execute.after", async (event) => {
    const { sessionID, id, tool, input, status, result } = event;
    if (status !== "completed") {
      const content = [{ type: "text", text: String(event.error?.message ?? event.error) }];
      await events.after(sessionID, id, tool, input, { content, isError: true });
      return;
    }
    const text = textOf(result);
    if (text === undefined) return;
    const response = { metadata: { ...result.metadata, output: undefined }, output: text };
    const answer = await events.after(sessionID, id, tool, input, response);
    if (answer.replace) event.result = { ...result, content: answer.replace };
    if (answer.context) event.result = { ...result, content: `${text}\n\n${answer.context}` };
  });

  const ended = new AbortController();
  followEvents(context, events, ended.signal);
  return () => ended.abort();
}

export default { id: "forebay", server, setup };
