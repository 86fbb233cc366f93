// Written by `forebay init`. Sends each event to `forebay hook opencode <event>` as JSON on stdin; the
// reply, if any, is JSON on stdout. If anything fails here, OpenCode continues as if without the plugin.
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

/** Replaces a result with a text, in the structure of the result. */
function replaceResult(output, text) {
  if (Array.isArray(output.content)) output.content = [{ type: "text", text }];
  else output.output = text;
}

/** Appends a text to a result. */
function appendToResult(output, text) {
  if (Array.isArray(output.content)) output.content.push({ type: "text", text });
  else output.output = `${output.output ?? ""}\n\n${text}`;
}

/** Whether a session has replies from an earlier process, that is, was resumed. */
async function isResumed(client, session) {
  try {
    const { data } = await client.session.messages({ path: { id: session } });
    return data.some(({ info }) => info.role === "assistant" && info.time?.completed);
  } catch {
    return false;
  }
}

export const Forebay = async ({ client, directory, worktree }) => {
  const location = { cwd: directory, worktree };
  // Sessions with their start context; stale after a compaction.
  const started = new Map();

  return {
    "chat.message": async (input, output) => {
      const part = output.parts?.find((one) => one.type === "text" && !one.synthetic);
      if (!part) return;
      const payload = { ...location, sessionID: input.sessionID, prompt: part.text };
      const answer = await ask("chat.message", payload);
      if (answer.context) part.text += `\n\n${answer.context}`;
    },

    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID;
      if (!session) return;
      if (!started.has(session) || started.get(session).stale) {
        const fresh = async () => ((await isResumed(client, session)) ? "resume" : "startup");
        const source = started.has(session) ? "compact" : await fresh();
        const payload = { ...location, sessionID: session, source };
        const answer = await ask("experimental.chat.system.transform", payload);
        started.set(session, { context: answer.context });
      }
      // The same text in every request of the session, so that prompt caches stay valid.
      const { context } = started.get(session);
      if (context) output.system.push(context);
    },

    "tool.execute.before": async (input, output) => {
      const payload = { ...location, sessionID: input.sessionID, callID: input.callID };
      const tool = { tool_name: input.tool, tool_input: output.args };
      const answer = await ask("tool.execute.before", { ...payload, ...tool });
      if (answer.deny) throw new Error(answer.deny);
      // OpenCode sees only changes in place.
      if (answer.args) Object.assign(output.args, answer.args);
    },

    "tool.execute.after": async (input, output) => {
      const payload = { ...location, sessionID: input.sessionID, callID: input.callID };
      const { title, metadata, content, output: text } = output;
      const tool_response = Array.isArray(content)
        ? { content, isError: output.isError }
        : { title, metadata: { ...metadata, output: undefined }, output: text };
      const tool = { tool_name: input.tool, tool_input: input.args, tool_response };
      const answer = await ask("tool.execute.after", { ...payload, ...tool });
      if (answer.replace) replaceResult(output, answer.replace);
      if (answer.context) appendToResult(output, answer.context);
    },

    "experimental.session.compacting": async (input, output) => {
      const payload = { ...location, sessionID: input.sessionID, trigger: "auto" };
      const answer = await ask("experimental.session.compacting", payload);
      if (answer.context) output.context.push(answer.context);
    },

    event: async ({ event }) => {
      if (event.type !== "session.compacted" && event.type !== "session.idle") return;
      const session = event.properties?.sessionID;
      if (event.type === "session.compacted" && started.has(session)) {
        started.get(session).stale = true;
      }
      await ask(`event:${event.type}`, { ...location, event });
    },
  };
};
