// Written by `forebay init`. Does what Cline's hook scripts cannot: replace results, and add context when a run starts.
//
// It sends each event to `forebay hook cline <event>` as JSON on stdin; the reply, if any, is JSON on stdout. The script
// PreToolUse enforces the rules, because Cline waits longer for it than for a plugin, and starts without plugins that
// load slowly. If anything fails here, Cline continues as if without the plugin.
import { spawn } from "node:child_process";

const PROGRAM = "FOREBAY_PROGRAM";
/** Cline ends a run whose plugin takes 3 seconds; on a busy machine, half of them pass elsewhere. */
const DEADLINE_MS = 1_500;
/** An answer that comes too late is still recorded. */
const TIMEOUT_MS = 10_000;
/** Shorter results stay, so that Cline does not wait for the answer. */
const MIN_CHARS = 400;

/** The fields of every event: the session and its folder. */
let session = {};
/** The ids of the messages that Forebay knows; undefined before the first run. */
let known;

/** Sends an event to Forebay; resolves to its reply, or to {}. */
function ask(event, { conversationId, agentId, parentAgentId }, payload) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["hook", "cline", event], {
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
      const subagentId = parentAgentId ? agentId : undefined;
      child.stdin.end(JSON.stringify({ ...session, taskId: conversationId, subagentId, ...payload }));
    } catch {
      resolve({});
    }
  });
}

/** Whether a person wrote a message: Cline's own reminders belong to no run of the user, or are shown as its own. */
function isPrompt({ role, metadata }) {
  const isOwn = ["system", "status"].includes(metadata?.displayRole) || metadata?.userRunSpan === 0;
  return role === "user" && !isOwn;
}

/** What the user has written since the last call, message by message. */
function newPrompts({ messages }) {
  const fresh = messages.filter(({ id }) => !known.has(id));
  for (const { id } of fresh) known.add(id);
  const texts = fresh.filter(isPrompt).map(({ content }) => content.filter(({ type }) => type === "text"));
  return texts.map((parts) => parts.map(({ text }) => text).join("\n")).filter((text) => text.trim() !== "");
}

/** Tells Forebay what the user has written; resolves to the context to add. */
async function reportPrompts(snapshot) {
  if (snapshot.parentAgentId || !known) return undefined;
  const contexts = [];
  for (const prompt of newPrompts(snapshot)) {
    const reply = await ask("UserPromptSubmit", snapshot, { userPromptSubmit: { prompt } });
    contexts.push(reply.contextModification);
  }
  return joined(...contexts);
}

/** Tells Forebay that a session starts or goes on; resolves to the context to add. */
async function reportStart(snapshot) {
  const { messages } = snapshot;
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  known = new Set(messages.slice(0, lastAnswer + 1).map(({ id }) => id));
  const isNew = lastAnswer === -1;
  const hookName = isNew ? "agent_start" : "agent_resume";
  return (await ask(isNew ? "TaskStart" : "TaskResume", snapshot, { hookName })).contextModification;
}

function joined(...texts) {
  return texts.filter((text) => text).join("\n\n") || undefined;
}

/** Resolves to what a hook returns, or to nothing after the deadline or an error. */
function inTime(returned) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, DEADLINE_MS)));
  return Promise.race([returned.catch(() => undefined), late]).finally(() => clearTimeout(timer));
}

async function beforeRun({ snapshot }) {
  if (snapshot.parentAgentId) return undefined;
  const start = known ? undefined : await reportStart(snapshot);
  return { appendContext: joined(start, await reportPrompts(snapshot)) };
}

async function afterTool({ snapshot, toolCall, input, result }) {
  const prompt = await reportPrompts(snapshot);
  const { toolCallId: id, toolName: name } = toolCall;
  const answer = ask("PostToolUse", snapshot, {
    tool_result: { id, name, input, output: result.output },
    postToolUse: { success: !result.isError },
  });
  const isShort = (JSON.stringify(result.output) ?? "").length < MIN_CHARS;
  const reply = isShort ? {} : await answer;
  const replaced = reply.result === undefined ? {} : { result: { ...result, output: reply.result } };
  return { ...replaced, appendContext: joined(prompt, reply.contextModification) };
}

async function afterRun({ snapshot, result }) {
  if (snapshot.parentAgentId) return;
  await reportPrompts(snapshot);
  await ask("TaskComplete", snapshot, { turn: { outputText: result.outputText } });
}

export default {
  name: "forebay",
  manifest: { capabilities: ["hooks"] },

  setup(_api, { session: current, workspaceInfo }) {
    session = { sessionContext: { rootSessionId: current?.sessionId }, workspaceInfo };
  },

  hooks: {
    beforeRun: (context) => inTime(beforeRun(context)),
    afterTool: (context) => inTime(afterTool(context)),
    afterRun: (context) => inTime(afterRun(context)),
  },
};
