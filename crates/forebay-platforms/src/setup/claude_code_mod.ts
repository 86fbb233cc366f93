// Forebay's mod for Claude Code. Command hooks cannot replace the result of a failed tool call; a mod can.
//
// It hands each tool result that is still long when it enters the conversation to `forebay hook claude-code ToolResult`
// and stores the digest it gets back in its place. Command hooks do everything else. If anything fails here, Claude
// Code continues as if without the mod.
import type { EngineInterface, Register } from "claude-code"

const PROGRAM = "FOREBAY_PROGRAM"
/** A call of Forebay takes milliseconds; a call that hangs must not hold up the agent. */
const TIMEOUT_MS = 2_500
/** After this many failures in a row, Forebay is not called any more. */
const MAX_FAILURES = 3
/** A digest is not shorter than this many characters. */
const MIN_CHARS = 400
/** Where a text that a hook has replaced shows its reference. */
const HEAD_CHARS = 300
const REFERENCE = /\[ctx:[a-z0-9]{10}\]/

type Payload = Record<string, unknown>
type Block = { type: string; [field: string]: unknown }

/** The inputs of calls whose results are not there yet, by tool use id. */
const inputs = new Map<string, Payload>()
/** The commands of calls that Claude Code allows without asking, by tool use id. */
const allowed = new Map<string, string>()
/** The session that knows of the mod. */
let announced: string | undefined
/** Whether the command hook wraps commands (`hooks.whole_output`). */
let wrapsCommands = false
/** The folder in which Claude Code was started, whose project has the results. */
let project: string | undefined
let failures = 0

/** Sends an event to Forebay; resolves to its reply, or to nothing. */
async function ask($: EngineInterface, event: string, payload: Payload): Promise<Payload | undefined> {
  if (failures >= MAX_FAILURES) return undefined
  const call = { session_id: await $.session.id(), cwd: await $.session.cwd(), hook_event_name: event, ...payload }
  try {
    const env = { CLAUDECODE: "1", ...(project && { CLAUDE_PROJECT_DIR: project }) }
    const options = { stdin: JSON.stringify(call), env, timeoutMs: TIMEOUT_MS }
    const { stdout } = await $.process.run([PROGRAM, "hook", "claude-code", event], options)
    failures = 0
    return stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput
  } catch {
    failures += 1
    if (failures === MAX_FAILURES) await withdraw($)
    return undefined
  }
}

/** Tells the command hooks of this session that failed results are replaced here. */
async function announce($: EngineInterface): Promise<void> {
  const session = await $.session.id()
  if (session === announced) return
  announced = session
  await $.env.set("FOREBAY_MOD", session)
  const reply = await ask($, "ModLoaded", {})
  wrapsCommands = reply?.wrapCommands === true
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

export const register: Register = on => {
  on("session.start", async ($, e, next) => {
    project = e.cwd
    const started = await next(e)
    await announce($)
    return started
  })

  on("tool.call", async ($, e, next) => {
    await announce($)
    const { tool, tool_use_id, agentId, ...input } = e
    if (tool_use_id !== undefined) inputs.set(tool_use_id, input)
    if (wrapsCommands && e.tool === "Bash" && tool_use_id !== undefined && !e.run_in_background) {
      await offerToWrap($, tool_use_id, e.command)
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
}
