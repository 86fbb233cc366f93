// `claude plugin test plugins/claude-code`: what the mod does with tool results, with a conversation that is compacted and
// with the tokens of requests, and that it never gets in the way.
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

describe("a conversation", () => {
  const duties = { hookSpecificOutput: { compact: true } }
  const reply = (cut?: Record<string, string>) => (call: Call) => {
    if (call.event === "ModLoaded") return JSON.stringify(duties)
    return call.event === "Compact" && cut ? JSON.stringify({ hookSpecificOutput: { cutResults: cut } }) : ""
  }

  const use = (id: string) => ({ tool_use_id: id, tool: "Bash", input: { command: `make ${id}` } })
  const answer = (text: string, ...ids: string[]) => ({ role: "assistant" as const, text, toolUses: ids.map(use), handle: text })
  const results = (...ids: string[]) => ({
    role: "user" as const, text: "", toolUses: [], handle: ids.join(),
    toolResults: ids.map(id => ({ tool_use_id: id, text: LONG, isError: false })),
  })
  const prompt = { role: "user" as const, text: "make all", toolUses: [], handle: "prompt" }
  const messages = [prompt, answer("one", "a"), answer("two", "b"), results("b"), results("a"), answer("last", "c"), results("c")]
  const api = messages.map(({ role, toolResults = [] }: any) => ({
    role, content: toolResults.map((r: any) => ({ type: "tool_result", tool_use_id: r.tool_use_id, content: r.text })),
  }))

  /** Starts a session and compacts it; resolves to what Claude Code takes, and to what Forebay was sent. */
  async function compact($: any, on: On, answer: (call: Call) => string, event = {}) {
    const calls = forebay(on, answer)
    on("env.set", () => ({ value: undefined }) as any)
    on("session.messages", () => ({ value: api }) as any)
    on("session.start", (_, e) => e as any)
    on("session.compact", () => ({ skip: "left to Claude Code" }))
    await $.session.start({ cwd: "/project", source: "startup" })
    const compacted = await $.session.compact({ trigger: "auto", messages, ...event })
    return { compacted, sent: calls.find(({ event }) => event === "Compact")?.payload }
  }

  test("is compacted by Forebay, which cuts what the model has seen", async ($, on) => {
    const { compacted, sent } = await compact($, on, reply({ a: DIGEST }))
    expect((sent?.results as any[]).map(({ tool_use_id }) => tool_use_id)).toEqual(["b", "a"])
    const [first, rebuilt, b, a, last, c] = compacted.messages
    expect([first.handle, last.handle]).toEqual(["prompt", "last"])
    expect(rebuilt).toMatchObject({ text: "one\ntwo", toolUses: [use("a"), use("b")] })
    for (const message of [rebuilt, b, a, c]) expect(message.handle).toBe(undefined)
    expect([a, b, c].map(({ toolResults: [{ text }] }) => text)).toEqual([DIGEST, LONG, LONG])
  })

  test("has each answer in one piece, also if results came while it arrived", async ($, on) => {
    const rows = [prompt, answer("one", "a"), results("a"), answer("two", "b", "d"), results("d"), answer("more", "e"), results("b"), results("e")]
    const { compacted } = await compact($, on, reply({ a: DIGEST, b: DIGEST }), { messages: [...rows, answer("last", "c"), results("c")] })
    const shape = compacted.messages.map(({ text, toolUses, toolResults = [] }: any) => {
      return [text, ...[...toolUses, ...toolResults].map(({ tool_use_id }: any) => tool_use_id)].join(" ").trim()
    })
    expect(shape).toEqual(["make all", "one a", "a", "two\nmore b d e", "d", "b", "e", "last c", "c"])
  })

  test("keeps a message whose result is more than text", async ($, on) => {
    api[3]!.content[0].content = [{ type: "text", text: LONG }, { type: "image" }]
    const { compacted } = await compact($, on, reply({ a: DIGEST }))
    expect(compacted.messages[2].handle).toBe("b")
  })

  test("is left to Claude Code if Forebay is silent or fails, or for instructions", async ($, on) => {
    let answer: (call: Call) => string = reply()
    const left = { skip: "left to Claude Code" }
    expect((await compact($, on, call => answer(call))).compacted).toEqual(left)
    for (const other of [() => "no JSON", fails]) {
      answer = other
      expect(await ($ as any).session.compact({ trigger: "auto", messages })).toEqual(left)
    }
    answer = reply({ a: DIGEST })
    expect(await ($ as any).session.compact({ trigger: "manual", messages, instructions: "herons" })).toEqual(left)
    expect((await ($ as any).session.compact({ trigger: "manual", messages })).messages).toHaveLength(6)
  })

  test("is left to Claude Code if it fills up again soon", async ($, on) => {
    await compact($, on, reply({ a: DIGEST }))
    expect(await ($ as any).session.compact({ trigger: "auto", messages })).toEqual({ skip: "left to Claude Code" })
    expect(await ($ as any).session.compact({ trigger: "precompute", messages })).not.toEqual({ skip: "left to Claude Code" })
    expect((await ($ as any).session.compact({ trigger: "auto", messages })).messages).toHaveLength(6)
  })
})

describe("a command", () => {
  const COMMAND = "make test"
  const WRAPPED = `case ${"$"}{BASH_VERSION:+bash}:$(command -v make) in bash:/*) forebay run -- '${COMMAND}';; *) ${COMMAND}\n;; esac`
  const duties = ({ event }: Call) =>
    event === "ModLoaded" ? JSON.stringify({ hookSpecificOutput: { wrapCommands: true } }) : ""

  type Claude = { reply: (call: Call) => string; judge: (command: string) => any; sandbox: object }

  /** Claude Code with the mod, allowing the command and asking about everything else. */
  function start($: any, on: On) {
    const judge = (command: string) => ({ decision: command === COMMAND ? "allow" : "ask" })
    const claude: Claude = { reply: duties, judge, sandbox: {} }
    const env: Record<string, unknown> = {}
    forebay(on, call => claude.reply(call))
    on("env.set", (_, e: any) => {
      env[e.name ?? e.key] = e.value
      return { value: undefined } as any
    })
    on("settings.read", () => ({ value: { sandbox: claude.sandbox } }) as any)
    on("tool.check", (_, e: any) => claude.judge(e.input.command))
    on("tool.call", () => ({ result: "ran" }) as any)
    return {
      claude,
      /** Lets the model call the command; resolves to the ids that hooks may wrap. */
      async run(input = {}) {
        await $.tool.call({ tool: "Bash", tool_use_id: "toolu_1", command: COMMAND, ...input })
        return env.FOREBAY_MOD_ALLOWED
      },
      /** What Claude Code decides about what a hook made of the call. */
      async verdict(command: string) {
        return (await $.tool.check({ tool: "Bash", tool_use_id: "toolu_1", input: { command } })).decision
      },
    }
  }

  test("that is allowed may be wrapped, and is judged as the model wrote it", async ($, on) => {
    const { run, verdict } = start($, on)
    expect(await run()).toBe("toolu_1")
    expect(await verdict(WRAPPED)).toBe("allow")
    for (const other of [`${WRAPPED} `, "rm -r .", WRAPPED.replace(`*) ${COMMAND}`, "*) rm -r .")]) {
      expect(await verdict(other)).toBe("ask")
    }
  })

  test("that Claude Code would ask about or deny is not wrapped", async ($, on) => {
    const { claude, run, verdict } = start($, on)
    for (const decision of ["ask", "deny"]) {
      claude.judge = () => ({ decision })
      expect(await run()).toBe(undefined)
      expect(await verdict(WRAPPED)).toBe(decision)
    }
  })

  test("in the background or in a sandbox is not wrapped", async ($, on) => {
    const { claude, run } = start($, on)
    expect(await run({ run_in_background: true })).toBe(undefined)
    claude.sandbox = { enabled: true }
    expect(await run()).toBe(undefined)
  })

  test("is judged by hooks as they see it", async ($, on) => {
    const { claude, run, verdict } = start($, on)
    await run()
    claude.judge = command => ({ decision: command === WRAPPED ? "deny" : "allow", hook: "a hook" })
    expect(await verdict(WRAPPED)).toBe("deny")
  })

  for (const [name, reply] of [["is missing", fails], ["prints something else", () => "no JSON"], ["is silent", () => ""]] as const) {
    test(`runs as it is if Forebay ${name}`, async ($, on) => {
      const { claude, run, verdict } = start($, on)
      claude.reply = reply
      expect(await run()).toBe(undefined)
      expect(await verdict(WRAPPED)).toBe("ask")
    })
  }

  test("runs as it is if Claude Code does not say whether it is allowed", async ($, on) => {
    const { claude, run, verdict } = start($, on)
    claude.judge = fails
    expect(await run()).toBe(undefined)
    claude.judge = () => ({ decision: "ask" })
    expect(await verdict(WRAPPED)).toBe("ask")
  })

  test("that is wrapped keeps its own verdict if Claude Code does not judge the original again", async ($, on) => {
    const { claude, run, verdict } = start($, on)
    await run()
    claude.judge = command => (command === WRAPPED ? { decision: "ask" } : fails())
    expect(await verdict(WRAPPED)).toBe("ask")
  })
})

describe("/forebay", () => {
  /** The user's command where `surfaces` draw; resolves to its answer, the opened panes and the command lines that ran. */
  async function run($: any, on: On, args: string, surfaces: string[], fail = false) {
    const [lines, panes]: [string[], string[]] = [[], []]
    on("session.id", () => ({ value: "session-1" }))
    on("process.run", (_, { argv, init }: any) => {
      if (fail) throw new Error("ENOENT")
      expect(init.env.CLAUDE_CODE_SESSION_ID).toBe("")
      lines.push(argv.slice(1).join(" "))
      const stdout = argv[1] === "statusline" ? "forebay: 5 tokens saved\n" : `${argv[1]} printed\n`
      return { value: { exitCode: 0, stdout, stderr: "", isStdoutTruncated: false, isStderrTruncated: false } }
    })
    on("session.surfaces", () => ({ value: surfaces }) as any)
    on("ui.open", (_, { id }: any) => {
      panes.push(id)
      return { value: undefined } as any
    })
    on("ui.invalidate", () => ({ value: undefined }) as any)
    return { answer: await $.command.run({ command: "forebay", args }), panes, lines }
  }

  test("opens a pane and leaves the conversation alone", async ($, on) => {
    const { answer, panes, lines } = await run($, on, "", ["terminal"])
    expect([answer.text, panes]).toEqual([undefined, ["forebay"]])
    expect(lines).toEqual(["statusline claude-code", "stats -C ."])
  })

  test("prints where nothing draws a pane", async ($, on) => {
    const { answer, panes } = await run($, on, "stats", [])
    expect([answer.text, panes]).toEqual(["this session: 5 tokens saved\n\nstats printed", []])
  })

  test("recalls, also words that look like options", async ($, on) => {
    const { answer, lines } = await run($, on, "recall  --all herons", [])
    expect([answer.text, lines]).toEqual(["search printed", ["search -C . -- --all herons"]])
  })

  test("lists what was stored last", async ($, on) => {
    expect((await run($, on, "last", [])).lines).toEqual(["history -C . --all --limit 10"])
  })

  test("says so if Forebay is missing", async ($, on) => {
    expect((await run($, on, "", [], true)).answer.text).toContain("forebay doctor")
  })
})

describe("the tokens of a request", () => {
  const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4, model: "large" }
  const event = { turnId: "turn-1", index: 2, model: "large", messageCount: 1, agentId: "agent-1" }
  const aborted = { ...event, answer: "", toolUses: [] }

  /** Lets Claude Code make requests that end with `results`, each a second long; resolves to what it gets of each. */
  async function steps($: any, on: On, results: unknown[], hasClock = true) {
    let result: unknown
    let time = 1_795_098_231_407
    on("clock.now", () => (hasClock ? ({ value: time } as any) : fails()))
    on("turn.step", async function* () {
      time += 1_000
      return result as any
    })
    on("session.end", (_, { sessionId }) => ({ sessionId }))
    const seen: unknown[] = []
    for (result of results) {
      const step = $.turn.step(event)
      let part = await step.next()
      while (!part.done) part = await step.next()
      seen.push(part.value)
    }
    await $.session.end({ reason: "other", sessionId: "session-1" })
    return seen
  }

  test("are reported under the request's own name", async ($, on) => {
    const calls = forebay(on, () => "")
    const result = { ...aborted, usage }
    expect(await steps($, on, [result])).toEqual([result])
    const payload = { session_id: "session-1", agent_id: "agent-1", request_id: "turn-1-2", started: 1_795_098_231_407, usage }
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ event: "ModelRequest", payload })
  })

  test("are reported without a start if Claude Code tells no time", async ($, on) => {
    const calls = forebay(on, () => "")
    const result = { ...aborted, usage }
    expect(await steps($, on, [result], false)).toEqual([result])
    expect(calls).toHaveLength(1)
    expect(calls[0]?.payload).toMatchObject({ request_id: "turn-1-2", usage })
    expect(calls[0]?.payload.started).toBe(undefined)
  })

  test("are not reported if there are none", async ($, on) => {
    const calls = forebay(on, () => "")
    expect(await steps($, on, [aborted])).toEqual([aborted])
    expect(calls).toHaveLength(0)
  })

  test("may fail to be reported, and nothing else changes", async ($, on) => {
    const session = mock.session(on)
    const calls = forebay(on, call => (call.event === "ModelRequest" ? fails() : digests(call)))
    const results = Array.from({ length: 4 }, () => ({ ...aborted, usage }))
    expect(await steps($, on, results)).toEqual(results)
    expect(calls).toHaveLength(4)
    await $.session.append(row(LONG))
    expect(session.appended().at(-1)?.message.content[0]).toMatchObject({ content: DIGEST })
  })
})
