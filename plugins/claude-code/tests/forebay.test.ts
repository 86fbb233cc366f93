// `claude plugin test plugins/claude-code`: what the mod does with tool results, and that it never gets in the way.
import type { On } from "claude-code"
import { describe, expect, mock, test } from "claude-code/testing"

const LONG = "Exit code 3\n" + "x\n".repeat(5_000)
const DIGEST = "[ctx:abcdefghij] exit 3 · 5,000 lines"

type Call = { event: string; payload: Record<string, unknown> }

/** Answers calls of Forebay with `reply`; returns what it was sent. */
function forebay(on: On, reply: (call: Call) => string): Call[] {
  const calls: Call[] = []
  on("session.id", () => ({ value: "session-1" }))
  on("session.cwd", () => ({ value: "/project" }))
  on("process.run", (_, { argv, init }) => {
    const call = { event: String(argv[3]), payload: JSON.parse(init?.stdin ?? "{}") }
    calls.push(call)
    const stdout = reply(call)
    return { value: { exitCode: 0, stdout, stderr: "", isStdoutTruncated: false, isStderrTruncated: false } }
  })
  return calls
}

const digests = ({ event }: Call) =>
  event === "ToolResult" ? JSON.stringify({ hookSpecificOutput: { updatedToolOutput: DIGEST } }) : ""

const fails = () => {
  throw new Error("ENOENT")
}

/** The row with which a tool's result enters the conversation. */
function row(content: unknown, agentId?: string) {
  const block = { type: "tool_result", tool_use_id: "toolu_1", content, is_error: true }
  const message = { type: "user" as const, role: "user" as const, content: [block] }
  const uuid = "00000000-0000-4000-8000-000000000001"
  return { message, door: "tool-result" as const, origin: { kind: "tool" as const, tool: "Bash" }, uuid, agentId }
}

describe("a tool result", () => {
  test("becomes its digest and stays an error", async ($, on) => {
    const session = mock.session(on)
    mock.env(on, {})
    const calls = forebay(on, digests)
    await $.session.append(row(LONG))
    expect(session.appended().at(-1)?.message.content[0]).toMatchObject({ content: DIGEST, is_error: true })
    const { payload } = calls.find(({ event }) => event === "ToolResult")!
    expect(payload).toMatchObject({ session_id: "session-1", tool_name: "Bash", tool_response: LONG, is_error: true })
  })

  test("of a subagent names it", async ($, on) => {
    mock.session(on)
    const calls = forebay(on, digests)
    await $.session.append(row([{ type: "text", text: LONG }], "agent-1"))
    expect(calls.at(-1)?.payload).toMatchObject({ agent_id: "agent-1", tool_response: LONG })
  })

  test("that is short, replaced already or no text stays, and Forebay is not called", async ($, on) => {
    const session = mock.session(on)
    const calls = forebay(on, digests)
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "=" } }
    for (const content of ["short", `${DIGEST}\n${LONG}`, [{ type: "text", text: LONG }, image]]) {
      await $.session.append(row(content))
      expect(session.appended().at(-1)?.message.content[0]?.content).toEqual(content)
    }
    expect(calls).toHaveLength(0)
  })

  test("stays if Forebay is silent, prints something else or cannot be started", async ($, on) => {
    const session = mock.session(on)
    mock.env(on, {})
    let reply: (call: Call) => string = () => ""
    forebay(on, call => reply(call))
    for (const answer of [() => "", () => "no JSON", () => '{"hookSpecificOutput": {"updatedToolOutput": 1}}', fails]) {
      reply = answer
      await $.session.append(row(LONG))
      expect(session.appended().at(-1)?.message.content[0]?.content).toBe(LONG)
    }
  })

  test("is not offered any more after three failures in a row", async ($, on) => {
    const session = mock.session(on)
    mock.env(on, {})
    const calls = forebay(on, fails)
    for (let count = 0; count < 5; count += 1) await $.session.append(row(LONG))
    expect(calls).toHaveLength(3)
    expect(session.appended()).toHaveLength(5)
  })
})
