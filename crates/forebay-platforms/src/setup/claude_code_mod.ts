// Forebay's mod for Claude Code does what command hooks cannot: replace the result of a failed tool call, compact a
// conversation without a model, report the tokens of each request to the model, and show `/forebay` to the user.
//
// It hands each tool result that is still long when it enters the conversation to `forebay hook claude-code ToolResult`
// and stores the digest it gets back in its place. Command hooks do everything else. If anything fails here, Claude
// Code continues as if without the mod.
import type { EngineInterface, Register, SessionCompactInput, SessionMessage, ToolUseSummary } from "claude-code"

const PROGRAM = "FOREBAY_PROGRAM"
/** Forebay answers in milliseconds. If it hangs, a tool call waits for it twice at most, and never more than 3 seconds. */
const TIMEOUT_MS = 1_400
/** A compaction waits for it once; a report of tokens runs beside everything else. */
const LONG_TIMEOUT_MS = 2_500
/** A conversation that Forebay compacted must grow by more messages before it does so again. */
const MIN_NEW_MESSAGES = 20
/** After this many failures in a row, Forebay is not called any more. */
const MAX_FAILURES = 3
/** A digest is not shorter than this many characters. */
const MIN_CHARS = 400
/** Where a text that a hook has replaced shows its reference. */
const HEAD_CHARS = 300
const REFERENCE = /\[ctx:[a-z0-9]{10}\]/

/** The command for the user, and its pane. */
const COMMAND = "forebay"
const COMMAND_HELP = "What Forebay saved; recall <words>: search; last: what was stored last"
/** A person waits for it. */
const VIEW_TIMEOUT_MS = 10_000

type Payload = Record<string, unknown>
/** Texts by tool use id. */
type Texts = Record<string, string>
type Block = { type: string; [field: string]: unknown }

/** The inputs of calls whose results are not there yet, by tool use id. */
const inputs = new Map<string, Payload>()
/** The commands of calls that Claude Code allows without asking, by tool use id. */
const allowed = new Map<string, string>()
/** The session that knows of the mod. */
let announced: string | undefined
/** Whether the command hook wraps commands (`hooks.whole_output`). */
let wrapsCommands = false
/** Whether Forebay compacts conversations (`hooks.compact`). */
let compacts = false
/** How many messages Forebay's last compaction left, by agent. */
const compacted = new Map<string | undefined, number>()
/** Reports of tokens that run. */
const reports = new Set<Promise<void>>()
/** The folder in which Claude Code was started, whose project has the results. */
let project: string | undefined
let failures = 0
/** What `/forebay` shows. */
let view = ""

/** Sends an event to Forebay; resolves to what it prints. */
async function send($: EngineInterface, event: string, payload: Payload, timeoutMs: number): Promise<string> {
  const call = { session_id: await $.session.id(), cwd: await $.session.cwd(), hook_event_name: event, ...payload }
  const env = { CLAUDECODE: "1", ...(project && { CLAUDE_PROJECT_DIR: project }) }
  const options = { stdin: JSON.stringify(call), env, timeoutMs }
  const { stdout } = await $.process.run([PROGRAM, "hook", "claude-code", event], options)
  return stdout
}

/** Sends an event to Forebay; resolves to its reply, or to nothing. */
async function ask(
  $: EngineInterface,
  event: string,
  payload: Payload,
  timeoutMs = TIMEOUT_MS,
): Promise<Payload | undefined> {
  if (failures >= MAX_FAILURES) return undefined
  try {
    const stdout = await send($, event, payload, timeoutMs)
    failures = 0
    return stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput
  } catch {
    failures += 1
    if (failures === MAX_FAILURES) await withdraw($)
    return undefined
  }
}

/** The time in milliseconds since 1970, if Claude Code tells it. */
async function now($: EngineInterface): Promise<number | undefined> {
  try {
    return await $.clock.now()
  } catch {
    return undefined
  }
}

/** Reports the tokens of a request in the background. That the report fails says nothing about other calls. */
function report($: EngineInterface, payload: Payload): void {
  if (failures >= MAX_FAILURES) return
  const sent = send($, "ModelRequest", payload, LONG_TIMEOUT_MS)
  const done: Promise<void> = sent.then(() => {}, () => {}).finally(() => reports.delete(done))
  reports.add(done)
}

/** Runs Forebay for the user; resolves to what it prints. Without a session, nothing counts as read by the model. */
async function print($: EngineInterface, words: string[], stdin = ""): Promise<string> {
  const env = { CLAUDE_CODE_SESSION_ID: "", FOREBAY_SESSION: "" }
  const { stdout, stderr } = await $.process.run([PROGRAM, ...words], { stdin, env, timeoutMs: VIEW_TIMEOUT_MS })
  return (stdout || stderr).trim()
}

/** The answer to `/forebay`. */
async function viewOf($: EngineInterface, args: string): Promise<string> {
  const [verb, ...words] = args.trim().split(/\s+/)
  const here = ["-C", project ?? "."]
  if (verb === "recall") return print($, ["search", ...here, "--", words.join(" ")])
  if (verb === "last") return print($, ["history", ...here, "--all", "--limit", "10"])
  const session = { session_id: await $.session.id(), workspace: { project_dir: project } }
  const line = await print($, ["statusline", "claude-code"], JSON.stringify(session))
  return [line.replace("forebay:", "this session:"), await print($, ["stats", ...here])].join("\n\n").trim()
}

/** Tells the command hooks of this session that failed results are replaced here. */
async function announce($: EngineInterface): Promise<void> {
  const session = await $.session.id()
  if (session === announced) return
  announced = session
  await $.env.set("FOREBAY_MOD", session)
  const reply = await ask($, "ModLoaded", {})
  wrapsCommands = reply?.wrapCommands === true
  compacts = reply?.compact === true
}

/** Leaves failed results to the command hooks again: they are stored there, though not replaced. */
async function withdraw($: EngineInterface): Promise<undefined> {
  await $.env.set("FOREBAY_MOD", undefined)
}

/** Lets the command hook wrap a command that Claude Code allows without asking, except in its sandbox. */
async function offerToWrap($: EngineInterface, id: string, command: string): Promise<void> {
  const sandbox = (await $.settings.read({ key: "sandbox" })) as { enabled?: boolean } | undefined
  const { decision } = await $.tool.check({ tool: "Bash", input: { command } })
  if (sandbox?.enabled || decision !== "allow") return
  allowed.set(id, command)
  await $.env.set("FOREBAY_MOD_ALLOWED", [...allowed.keys()].join(" "))
}

/** Whether a command is what the command hook makes of another one. */
function isWrapOf(wrapped: unknown, command: string): boolean {
  const isOurs = typeof wrapped === "string" && wrapped.startsWith("case ${BASH_VERSION:+bash}")
  return isOurs && wrapped.endsWith(`;; *) ${command}\n;; esac`)
}

/** The text of a tool result; nothing if it has other parts, such as an image. */
function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return undefined
  const isText = content.every(part => part?.type === "text" && typeof part.text === "string")
  return isText ? content.map(part => part.text).join("\n") : undefined
}

/** The digest of a tool result; nothing if the result stays. */
async function digestOf($: EngineInterface, block: Block, tool: string, agent?: string): Promise<string | undefined> {
  const id = String(block.tool_use_id)
  const input = inputs.get(id)
  inputs.delete(id)
  allowed.delete(id)
  const text = textOf(block.content)
  if (text === undefined || text.length < MIN_CHARS || REFERENCE.test(text.slice(0, HEAD_CHARS))) return undefined
  const call = { tool_name: tool, tool_input: input ?? {}, tool_use_id: id, agent_id: agent }
  const reply = await ask($, "ToolResult", { ...call, tool_response: text, is_error: block.is_error === true })
  return typeof reply?.updatedToolOutput === "string" ? reply.updatedToolOutput : undefined
}

/** The ids of the calls whose results are nothing but text. */
async function textResults($: EngineInterface, agentId?: string): Promise<Set<string>> {
  const messages = await $.session.messages({ as: "api", agentId })
  if ("deny" in messages) return new Set()
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : (content as Block[])))
  const results = blocks.filter(({ type, content }) => type === "tool_result" && textOf(content) !== undefined)
  return new Set(results.map(({ tool_use_id }) => String(tool_use_id)))
}

/** The last run of the assistant, if it made calls: the model has not seen their results, and needs its thinking. */
function lastCalls(runs: readonly SessionMessage[][]): SessionMessage[] | undefined {
  const last = runs.findLast(([first]) => first?.role === "assistant")
  return last?.some(({ toolUses }) => toolUses.length > 0) ? last : undefined
}

/** The size of a message in bytes. */
function bytesOf({ text, toolUses, toolResults = [] }: SessionMessage): number {
  const texts = [text, ...toolUses.map(({ input }) => JSON.stringify(input)), ...toolResults.map(({ text }) => text)]
  return new TextEncoder().encode(texts.join("")).length
}

/**
 * The message that these rows of the assistant are to the model, without its thinking.
 *
 * A row that is kept with its `handle` would bring back the original results when the session is resumed.
 */
function rebuiltAnswer(rows: readonly SessionMessage[]): SessionMessage[] {
  const text = rows.map(({ text }) => text).filter(Boolean).join("\n")
  const uses = rows.flatMap(({ toolUses }) => toolUses)
  const toolUses = uses.map(({ tool_use_id, tool, input }) => ({ tool_use_id, tool, input }))
  return text === "" && toolUses.length === 0 ? [] : [{ role: "assistant", text, toolUses }]
}

/** A message of the user with other texts for its tool results; it stays if they are more than text. */
function rebuiltResults(message: SessionMessage, cut: Texts, isText: Set<string>): SessionMessage {
  const { role, text, toolUses, toolResults = [] } = message
  if (toolResults.length === 0 || !toolResults.every(({ tool_use_id }) => isText.has(tool_use_id))) return message
  const results = toolResults.map(({ tool_use_id, isError, text }) => {
    return { tool_use_id, isError, text: cut[tool_use_id] ?? text }
  })
  return { role, text, toolUses, toolResults: results }
}

/** The long results of these calls, as Forebay expects them. */
function longResults(messages: readonly SessionMessage[], calls: ToolUseSummary[], isText: Set<string>): Payload[] {
  const byId = new Map(calls.map(call => [call.tool_use_id, call]))
  const results = messages.flatMap(({ toolResults = [] }) => toolResults)
  return results.flatMap(({ tool_use_id, text, isError }) => {
    const call = byId.get(tool_use_id)
    if (call === undefined || text.length < MIN_CHARS || !isText.has(tool_use_id)) return []
    return [{ tool_name: call.tool, tool_input: call.input, tool_use_id, tool_response: text, is_error: isError }]
  })
}

/**
 * The messages in runs of one role, in the order that the model's provider asks for: an answer, then its results.
 *
 * Claude Code runs the first calls of an answer while the rest of it still arrives, so results may stand between the rows
 * of one answer. A row belongs to the answer before it if a result of that answer is still to come.
 */
function runsOf(messages: readonly SessionMessage[]): SessionMessage[][] {
  const resultAt = new Map(
    messages.flatMap(({ toolResults = [] }, at) => toolResults.map(({ tool_use_id }) => [tool_use_id, at] as const)),
  )
  const runs: SessionMessage[][] = []
  let answer: SessionMessage[] = []
  messages.forEach((message, at) => {
    const calls = message.role === "assistant" ? answer.flatMap(({ toolUses }) => toolUses) : []
    const isOfAnswer = calls.some(({ tool_use_id }) => (resultAt.get(tool_use_id) ?? -1) > at)
    const last = runs.at(-1)
    const run = isOfAnswer ? answer : last?.[0]?.role === message.role ? last : undefined
    if (run === undefined) runs.push([message])
    else run.push(message)
    if (message.role === "assistant") answer = run ?? runs.at(-1) ?? []
  })
  return runs
}

/** Whether Forebay compacts this conversation. Claude Code does if it filled up again soon, or to follow instructions. */
function isOurs({ messages, agentId, instructions }: SessionCompactInput): boolean {
  const grown = messages.length - (compacted.get(agentId) ?? -Infinity)
  return compacts && !instructions && grown > MIN_NEW_MESSAGES
}

/** The compacted conversation; nothing if Claude Code is to compact it. */
async function compact($: EngineInterface, e: SessionCompactInput): Promise<SessionMessage[] | undefined> {
  const { messages, agentId, trigger } = e
  const isText = await textResults($, agentId)
  const runs = runsOf(messages)
  const last = lastCalls(runs)
  const seen = runs.flatMap(run => (run === last ? [] : run.flatMap(({ toolUses }) => toolUses)))
  const results = longResults(messages, seen, isText)
  const conversation_bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0)
  const conversation = { agent_id: agentId, trigger, conversation_bytes, results }
  const reply = await ask($, "Compact", conversation, LONG_TIMEOUT_MS)
  if (reply?.cutResults === undefined) return undefined
  const cut = reply.cutResults as Texts
  return runs.flatMap(run => {
    if (run[0]?.role === "user") return run.map(message => rebuiltResults(message, cut, isText))
    return run === last ? run : rebuiltAnswer(run)
  })
}

export const register: Register = on => {
  on("session.start", async ($, e, next) => {
    project = e.cwd
    const started = await next(e)
    await announce($)
    await $.command.register({ name: COMMAND, description: COMMAND_HELP, immediate: true }).catch(() => {})
    return started
  })

  on("turn.step", async function* ($, e, next) {
    // All results that the request contains are there. Those of its own calls may come before it ends.
    const started = await now($)
    const step = yield* next(e)
    const { turnId, index, agentId } = e
    if (step?.usage) report($, { agent_id: agentId, request_id: `${turnId}-${index}`, started, usage: step.usage })
    return step
  })

  on("session.end", async ($, e, next) => {
    await Promise.all(reports)
    return next(e)
  })

  on("tool.call", async ($, e, next) => {
    await announce($)
    const { tool, tool_use_id, agentId, ...input } = e
    if (tool_use_id !== undefined) inputs.set(tool_use_id, input)
    if (wrapsCommands && e.tool === "Bash" && tool_use_id !== undefined && !e.run_in_background) {
      await offerToWrap($, tool_use_id, e.command).catch(() => {})
    }
    return next(e)
  })

  on("tool.check", { tool: "Bash" }, async ($, e, next) => {
    const verdict = await next(e)
    const command = e.tool_use_id === undefined ? undefined : allowed.get(e.tool_use_id)
    const input = e.input as { command?: unknown }
    // What a hook decided about the call stands.
    if (command === undefined || verdict.hook !== undefined || !isWrapOf(input.command, command)) return verdict
    return $.tool.check({ tool: "Bash", input: { ...input, command } })
  })

  on("command.run", { command: COMMAND }, async ($, e) => {
    view = await viewOf($, e.args).catch(() => "Forebay did not answer; `forebay doctor` says why.")
    const surfaces = await $.session.surfaces()
    if (surfaces.length === 0) return { text: view }
    await $.ui.open({ id: COMMAND, title: "Forebay" })
    $.ui.invalidate("ui.render")
    // A text would enter the conversation; the pane does not.
    return {}
  })

  on("ui.render", { component: "Pane", requestId: COMMAND }, async ($, e) => {
    const { Box, Text } = $.ui.resolve(e)
    return Box({ flexDirection: "column", children: view.split("\n").map(line => Text({ children: line || " " })) })
  })

  on("session.append", { door: "tool-result" }, async ($, e, next) => {
    const tool = "tool" in e.origin ? e.origin.tool : ""
    const replaced = await Promise.all(
      e.message.content.map(async block => {
        if (block.type !== "tool_result") return block
        const digest = await digestOf($, block, tool, e.agentId).catch(() => withdraw($))
        return digest === undefined ? block : { ...block, content: digest }
      }),
    )
    return next({ ...e, message: { ...e.message, content: replaced } })
  })

  on("session.compact", async ($, e, next) => {
    if (!isOurs(e)) {
      if (e.trigger !== "precompute") compacted.delete(e.agentId)
      return next(e)
    }
    // Forebay needs no time to prepare.
    if (e.trigger === "precompute") return { skip: "Forebay compacts when it is time" }
    const messages = await compact($, e).catch(() => undefined)
    if (messages === undefined) return next(e)
    compacted.set(e.agentId, messages.length)
    return { messages }
  })
}
