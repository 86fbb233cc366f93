#!/usr/bin/env python3
"""Measures what Forebay's guide gives back after a compaction or a resume. See README.md."""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
HOSTS = ("claude-code", "codex", "gemini-cli", "opencode", "copilot-cli")
RETRIEVAL = ("ctx_history", "ctx_search", "ctx_get", "ctx_reflect", "ctx_context", "ctx_files")
COMMANDS = ("history", "search", "get", "reflect", "context", "files")


class HookError(Exception):
    pass


class World:
    """A fresh HOME and project, and one scripted agent that works in it."""

    def __init__(self, forebay, session, root):
        self.forebay = forebay
        self.data = session
        self.host = session["host"]
        self.home = root / "home"
        self.project = root / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.env = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Dev",
            "GIT_AUTHOR_EMAIL": "dev@example.com",
            "GIT_COMMITTER_NAME": "Dev",
            "GIT_COMMITTER_EMAIL": "dev@example.com",
        }
        self.clock = datetime.datetime(2026, 11, 16, 8, 0, 0)
        self.count = 0
        self.keys = {"main": self.new_id("main"), "other": self.new_id("other")}
        self.current = "main"
        self.parent = {}
        self.prompts = {}
        self.agents = {}
        self.started = set()
        self.raw = []
        git = ["git", "-C", str(self.project)]
        self.shell(git + ["init", "-q", "-b", "main", "."])
        for path, content in session.get("files", {}).items():
            self.put(path, content)
        self.put(".keep", "")
        self.shell(git + ["add", "-A"])
        self.shell(git + ["commit", "-q", "-m", "start"])

    # -- small helpers
    def new_id(self, name):
        seed = hashlib.sha256((self.data["name"] + "/" + name).encode()).digest()
        if self.host == "opencode":
            return "ses_" + seed.hex()[:26]
        return str(uuid.UUID(bytes=seed[:16], version=4))

    def shell(self, command):
        subprocess.run(command, check=True, env=self.env, stdout=subprocess.DEVNULL)

    def put(self, path, content):
        target = self.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")

    def tick(self, seconds=37):
        self.clock += datetime.timedelta(seconds=seconds)
        self.count += 1

    def iso(self):
        return self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    @property
    def key(self):
        return self.keys[self.current]

    def transcript(self, key=None):
        key = key or self.key
        slug = str(self.project).replace("/", "-")
        path = {
            "claude-code": self.home / ".claude/projects" / slug / (key + ".jsonl"),
            "codex": self.home / ".codex/sessions/2026/11/16" / ("rollout-2026-11-16T08-00-00-%s.jsonl" % key),
            "gemini-cli": self.home / ".gemini/tmp/project/chats" / ("session-2026-11-16T08-00-%s.jsonl" % key[:8]),
            "copilot-cli": self.home / ".copilot/session-state" / key / "events.jsonl",
            "opencode": self.home / ".local/share/opencode" / key,
        }[self.host]
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def record(self, role, content, **more):
        """Lets the host's own transcript grow as the real client does."""
        path, key = self.transcript(), self.key
        lines = []
        if self.host == "claude-code":
            line_id = str(uuid.UUID(bytes=hashlib.sha256(("%s/%d/%s" % (key, self.count, role)).encode()).digest()[:16], version=4))
            message = {"role": role, "content": content}
            if role == "assistant":
                message.update(id="msg_%d" % self.count, type="message", model="claude-opus-5-5", stop_reason="end_turn")
                if isinstance(content, str):
                    message["content"] = [{"type": "text", "text": content}]
            line = {"parentUuid": self.parent.get(key), "isSidechain": False, "userType": "external", "cwd": str(self.project),
                    "sessionId": key, "version": "2.1.325", "gitBranch": "main", "type": role, "message": message,
                    "uuid": line_id, "timestamp": self.iso()}
            line.update(more)
            self.parent[key] = line_id
            lines.append(line)
        elif self.host == "codex" and isinstance(content, str):
            kind = "input_text" if role == "user" else "output_text"
            lines.append({"timestamp": self.iso(), "type": "response_item",
                          "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": content}]}})
        elif self.host == "copilot-cli" and isinstance(content, str):
            data = {"content": content} if role == "user" else {"messageId": "m%d" % self.count, "content": content, "toolRequests": []}
            lines.append({"type": role + ".message", "data": data, "id": "e%d" % self.count, "timestamp": self.iso(), "parentId": None})
        elif self.host == "gemini-cli" and isinstance(content, str):
            lines.append({"id": "g%d" % self.count, "timestamp": self.iso(), "type": "user" if role == "user" else "gemini", "content": content})
        if lines:
            with path.open("a", encoding="utf-8") as out:
                for line in lines:
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")

    # -- hooks
    def base(self, event):
        key, cwd = self.key, str(self.project)
        if self.host == "claude-code":
            return {"session_id": key, "transcript_path": str(self.transcript()), "cwd": cwd,
                    "prompt_id": self.prompts.get(key, key), "permission_mode": "default", "hook_event_name": event}
        if self.host == "codex":
            payload = {"session_id": key, "transcript_path": str(self.transcript()), "cwd": cwd, "hook_event_name": event,
                       "model": "gpt-5.5", "permission_mode": "default"}
            if event not in ("SessionStart", "SessionEnd"):
                payload["turn_id"] = self.prompts.get(key, key)
            return payload
        if self.host == "gemini-cli":
            return {"session_id": key, "transcript_path": str(self.transcript()), "cwd": cwd, "hook_event_name": event, "timestamp": self.iso()}
        if self.host == "opencode":
            return {"hook_event_name": event, "cwd": cwd, "worktree": cwd, "sessionID": key}
        return {"sessionId": key, "timestamp": int(self.clock.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000), "cwd": cwd}

    def hook(self, event, /, **payload):
        self.tick()
        body = self.base(event)
        body.update(payload)
        if self.host == "opencode" and event.startswith("event:"):
            body.pop("sessionID")
        env = dict(self.env)
        if self.host == "claude-code":
            env.update(CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=self.key, CLAUDE_PROJECT_DIR=str(self.project))
        elif self.host == "gemini-cli":
            env.update(GEMINI_SESSION_ID=self.key, GEMINI_PROJECT_DIR=str(self.project))
        elif self.host == "copilot-cli":
            env.update(COPILOT_CLI="1", COPILOT_PROJECT_DIR=str(self.project))
        done = subprocess.run([self.forebay, "hook", self.host, event], input=json.dumps(body, ensure_ascii=False).encode(),
                              env=env, cwd=str(self.project), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        if done.returncode:
            raise HookError("%s: exit %d: %s" % (event, done.returncode, done.stderr.decode("utf-8", "replace")[:300]))
        text = done.stdout.decode("utf-8", "replace").strip()
        self.raw.append((event, body, text))
        return text

    def context(self, text):
        """The text a host would put into the model's context from a hook's answer."""
        if not text:
            return ""
        try:
            answer = json.loads(text)
        except ValueError:
            return text
        inner = answer.get("hookSpecificOutput") or {}
        return inner.get("additionalContext") or answer.get("additionalContext") or answer.get("context") or ""

    def start(self, source):
        self.started.add(self.key)
        if self.host == "copilot-cli":
            return self.context(self.hook("sessionStart", source={"startup": "new"}.get(source, source)))
        if self.host == "opencode":
            if source == "startup":
                info = {"id": self.key, "slug": "quiet-river", "version": "1.18.33", "projectID": "global", "directory": str(self.project)}
                self.hook("event:session.created", event={"id": "evt_1", "type": "session.created", "properties": {"sessionID": self.key, "info": info}})
            return self.context(self.hook("experimental.chat.system.transform", source=source))
        more = {}
        if self.host == "claude-code" and source == "resume":
            more = {"seconds_since_last_response": 54000, "context_tokens": 48211, "prompt_cache_likely_expired": True}
        return self.context(self.hook("SessionStart", source=source, **more))

    def end(self, reason="other"):
        if self.host == "copilot-cli":
            self.hook("sessionEnd", reason="complete")
        elif self.host != "opencode":
            self.hook("SessionEnd", reason=reason)

    def compact(self, trigger="auto"):
        if self.host == "gemini-cli":
            # Gemini CLI fires no session start after a compression: the session is taken up again instead.
            self.hook("PreCompress", trigger=trigger)
            self.end("exit")
            return self.start("resume")
        if self.host == "opencode":
            self.hook("experimental.session.compacting", trigger=trigger)
            self.hook("event:session.compacted", event={"id": "evt_2", "type": "session.compacted", "properties": {"sessionID": self.key}})
            return self.start("compact")
        if self.host == "copilot-cli":
            self.hook("preCompact", trigger=trigger)
            return self.start("compact")
        more = {"custom_instructions": ""} if self.host == "claude-code" else {}
        self.hook("PreCompact", trigger=trigger, **more)
        text = self.start("compact")
        if self.host == "claude-code":
            self.record("user", "This session is being continued from a previous conversation that ran out of context. "
                        "The conversation is summarized below:\nSummary left out.", isCompactSummary=True, isVisibleInTranscriptOnly=True)
        return text

    def resume(self):
        self.end("other")
        self.tick(54000)
        return self.start("resume")

    # -- steps
    def prompt(self, text, machine=False):
        self.prompts[self.key] = str(uuid.UUID(bytes=hashlib.sha256(("%s/%d" % (self.key, self.count)).encode()).digest()[:16], version=4))
        event = {"claude-code": "UserPromptSubmit", "codex": "UserPromptSubmit", "gemini-cli": "BeforeAgent",
                 "opencode": "chat.message", "copilot-cli": "userPromptSubmitted"}[self.host]
        self.last_prompt = text
        self.hook(event, prompt=text)
        self.record("user", text, **({"isMeta": True} if machine and self.host == "claude-code" else {}))

    def answer(self, text):
        self.record("assistant", text)
        if self.host == "claude-code":
            self.hook("Stop", stop_hook_active=False, last_assistant_message=text, background_tasks=[], session_crons=[])
        elif self.host == "codex":
            self.hook("Stop", stop_hook_active=False, last_assistant_message=text)
        elif self.host == "gemini-cli":
            self.hook("AfterAgent", prompt=getattr(self, "last_prompt", ""), prompt_response=text, stop_hook_active=False)
        elif self.host == "copilot-cli":
            self.hook("agentStop", transcriptPath=str(self.transcript()), stopReason="end_turn", stop_hook_active=False)
        else:
            self.hook("event:session.idle", event={"id": "evt_3", "type": "session.idle", "properties": {"sessionID": self.key}})

    def tool(self, name, given, response, error=None, agent=None):
        """One tool call: the payload before and the payload after it. `error`: (exit code, text)."""
        use = "toolu_%s_%d" % (self.data["name"][:2], self.count)
        who = {"agent_id": agent["agent_id"], "agent_type": agent["type"]} if agent else {}
        if self.host in ("claude-code", "codex"):
            self.hook("PreToolUse", tool_name=name, tool_input=given, tool_use_id=use, **who)
            if error is not None and self.host == "claude-code":
                self.hook("PostToolUseFailure", tool_name=name, tool_input=given, tool_use_id=use,
                          error="Exit code %d\n%s" % error, is_interrupt=False, duration_ms=812, **who)
            else:
                more = {"duration_ms": 57} if self.host == "claude-code" else {}
                self.hook("PostToolUse", tool_name=name, tool_input=given, tool_response=response, tool_use_id=use, **more, **who)
            if not agent:
                self.record("assistant", [{"type": "tool_use", "id": use, "name": name, "input": given}])
                result = error[1] if error else response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
                self.record("user", [{"type": "tool_result", "tool_use_id": use, "content": result, "is_error": error is not None}])
        elif self.host == "gemini-cli":
            self.hook("BeforeTool", tool_name=name, tool_input=given)
            self.hook("AfterTool", tool_name=name, tool_input=given, tool_response=response)
        elif self.host == "opencode":
            self.hook("tool.execute.before", tool=name, callID=use, tool_name=name, tool_input=given)
            self.hook("tool.execute.after", tool=name, callID=use, tool_name=name, tool_input=given, tool_response=response)
        else:
            self.hook("preToolUse", toolName=name, toolArgs=given)
            self.hook("postToolUse", toolName=name, toolArgs=given, toolResult=response)

    def run(self, command, output, code=0, agent=None):
        if self.host == "claude-code":
            response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
            self.tool("Bash", {"command": command, "description": "Run " + command.split()[0]}, response, (code, output) if code else None, agent)
        elif self.host == "codex":
            self.tool("Bash", {"command": command}, output + "\n", agent=agent)
        elif self.host == "gemini-cli":
            lines = "Output: %s\n%sProcess Group PGID: 146" % (output, "Exit Code: %d\n" % code if code else "")
            self.tool("run_shell_command", {"command": command}, {"llmContent": "<untrusted_context>\n%s\n</untrusted_context>" % lines, "returnDisplay": output})
        elif self.host == "opencode":
            self.tool("bash", {"command": command, "description": "run"},
                      {"title": command, "metadata": {"output": output, "exit": code, "truncated": False}, "output": output})
        else:
            self.tool("bash", {"command": command, "description": "run"},
                      {"resultType": "success", "textResultForLlm": "%s\n<shellId: 0 completed with exit code %d>" % (output, code)})

    def write(self, path, content, agent=None):
        new = not (self.project / path).exists()
        self.put(path, content)
        full = str(self.project / path)
        if self.host == "claude-code":
            self.tool("Write", {"file_path": full, "content": content},
                      {"type": "create" if new else "update", "filePath": full, "content": content, "structuredPatch": [],
                       "originalFile": None if new else "", "userModified": False}, agent=agent)
        elif self.host == "codex":
            patch = "*** Begin Patch\n*** %s File: %s\n%s\n*** End Patch" % ("Add" if new else "Update", path, "\n".join("+" + line for line in content.splitlines()))
            self.tool("apply_patch", {"command": patch}, "Success. Updated the following files:\n%s %s\n" % ("A" if new else "M", path), agent=agent)
        elif self.host == "gemini-cli":
            self.tool("write_file", {"file_path": full, "content": content}, {"llmContent": "Successfully created and wrote to new file: " + full, "returnDisplay": "wrote"})
        elif self.host == "opencode":
            self.tool("write", {"filePath": full, "content": content}, {"title": path, "metadata": {"filepath": full, "exists": not new}, "output": "Wrote file successfully."})
        else:
            self.tool("create", {"path": full, "file_text": content}, {"resultType": "success", "textResultForLlm": "Created file %s" % full})

    def edit(self, path, old, new, agent=None):
        full = self.project / path
        before = full.read_text(encoding="utf-8") if full.exists() else old + "\n"
        if old not in before:
            before += old + "\n"
        self.put(path, before.replace(old, new, 1))
        if self.host == "claude-code":
            self.tool("Edit", {"file_path": str(full), "old_string": old, "new_string": new, "replace_all": False},
                      {"filePath": str(full), "oldString": old, "newString": new, "originalFile": before,
                       "structuredPatch": [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-" + old, "+" + new]}],
                       "userModified": False, "replaceAll": False}, agent=agent)
        elif self.host == "codex":
            self.tool("apply_patch", {"command": "*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch" % (path, old, new)},
                      "Success. Updated the following files:\nM %s\n" % path, agent=agent)
        elif self.host == "gemini-cli":
            self.tool("replace", {"file_path": str(full), "old_string": old, "new_string": new}, {"llmContent": "Successfully modified file: %s (1 replacements)." % full, "returnDisplay": "ok"})
        elif self.host == "opencode":
            self.tool("edit", {"filePath": str(full), "oldString": old, "newString": new}, {"title": path, "metadata": {"diff": ""}, "output": "Edit applied successfully."})
        else:
            self.tool("edit", {"path": str(full), "old_str": old, "new_str": new}, {"resultType": "success", "textResultForLlm": "File %s updated with changes." % full})

    def delete(self, path, agent=None):
        target = self.project / path
        if target.exists():
            target.unlink()
        if self.host == "codex":
            self.tool("apply_patch", {"command": "*** Begin Patch\n*** Delete File: %s\n*** End Patch" % path}, "Success. Updated the following files:\nD %s\n" % path, agent=agent)
        else:
            self.run("rm " + path, "", agent=agent)

    def branch(self, name):
        self.shell(["git", "-C", str(self.project), "checkout", "-q", "-B", name])
        self.run("git checkout -b " + name, "Switched to a new branch '%s'" % name)

    def todos(self, items):
        if self.host == "claude-code":
            todos = [{"content": text, "status": status, "activeForm": text} for status, text in items]
            self.tool("TodoWrite", {"todos": todos}, {"oldTodos": [], "newTodos": todos})
        elif self.host == "gemini-cli":
            todos = [{"description": text, "status": status} for status, text in items]
            self.tool("write_todos", {"todos": todos}, {"llmContent": "Successfully updated the todo list.", "returnDisplay": {"todos": todos}})
        elif self.host == "opencode":
            todos = [{"content": text, "status": status, "priority": "medium", "id": str(i)} for i, (status, text) in enumerate(items, 1)]
            self.tool("todowrite", {"todos": todos}, {"title": "todos", "metadata": {"todos": todos}, "output": json.dumps(todos, ensure_ascii=False)})
        elif self.host == "codex":
            plan = [{"step": text, "status": status} for status, text in items]
            self.tool("update_plan", {"plan": plan}, "Plan updated")
        else:
            marks = {"completed": "x", "in_progress": "~", "pending": " "}
            text = "\n".join("- [%s] %s" % (marks[status], text) for status, text in items)
            self.tool("update_todo", {"todos": text}, {"resultType": "success", "textResultForLlm": "TODO list updated"})

    def plan(self, text):
        """Claude Code's plan mode: the user approves the plan."""
        self.tool("ExitPlanMode", {"plan": text}, {"plan": text, "isAgent": False, "filePath": str(self.home / ".claude/plans/plan.md")})

    def subagent(self, step):
        agent = {"agent_id": "a" + hashlib.sha256((self.data["name"] + step["id"]).encode()).hexdigest()[:16], "type": step["type"], "step": step}
        self.agents[step["id"]] = agent
        if self.host not in ("claude-code", "codex"):
            return
        who = {"agent_id": agent["agent_id"], "agent_type": agent["type"]}
        name = "Agent" if self.host == "claude-code" else "spawn_agent"
        given = {"description": step["description"], "prompt": step["prompt"], "subagent_type": step["type"]}
        use = "toolu_agent_%d" % self.count
        self.hook("PreToolUse", tool_name=name, tool_input=given, tool_use_id=use)
        launched = {"isAsync": True, "status": "async_launched", "agentId": agent["agent_id"], "description": step["description"],
                    "prompt": step["prompt"], "outputFile": "/tmp/claude-1000/tasks/%s.output" % agent["agent_id"]}
        if step.get("async"):
            self.hook("PostToolUse", tool_name=name, tool_input=given, tool_response=launched, tool_use_id=use, duration_ms=31)
        self.hook("SubagentStart", **who)
        for call in step["calls"]:
            if "path" in call:
                self.write(call["path"], call.get("content", "x\n"), agent)
            else:
                self.run(call["command"], call["output"], call["exit"], agent)
        side = str(self.home / ".claude/projects/agents" / (agent["agent_id"] + ".jsonl"))
        self.hook("SubagentStop", stop_hook_active=False, last_assistant_message=step["result"], agent_transcript_path=side, **who)
        if not step.get("async"):
            response = {"status": "completed", "prompt": step["prompt"], "agentId": agent["agent_id"], "agentType": step["type"],
                        "content": [{"type": "text", "text": step["result"]}], "totalDurationMs": 41210, "totalTokens": 9120, "totalToolUseCount": len(step["calls"])}
            self.hook("PostToolUse", tool_name=name, tool_input=given, tool_response=response if self.host == "claude-code" else {"content": [{"type": "text", "text": step["result"]}]},
                      tool_use_id=use, **({"duration_ms": 41210} if self.host == "claude-code" else {}))

    def notify(self, name):
        agent = self.agents[name]
        step = agent["step"]
        self.prompt("<task-notification>\n<task-id>%s</task-id>\n<tool-use-id>toolu_agent</tool-use-id>\n<output-file>/tmp/claude-1000/tasks/%s.output</output-file>\n"
                    "<status>completed</status>\n<summary>Agent \"%s\" completed</summary>\n<result>%s</result>\n<usage><total_tokens>9120</total_tokens></usage>\n</task-notification>"
                    % (agent["agent_id"], agent["agent_id"], step["description"], step["result"]), machine=True)

    def step(self, step):
        do = step["do"]
        if do == "session":
            self.current = step["key"]
            if self.key not in self.started:
                self.start("startup")
            return
        if self.key not in self.started:
            self.start("startup")
        if do == "prompt":
            self.prompt(step["text"])
        elif do == "machine":
            self.prompt(step["text"], machine=True)
        elif do == "answer":
            self.answer(step["text"])
        elif do == "run":
            self.run(step["command"], step["output"], step.get("exit", 0))
        elif do == "write":
            self.write(step["path"], step["content"])
        elif do == "edit":
            self.edit(step["path"], step["old"], step["new"])
        elif do == "delete":
            self.delete(step["path"])
        elif do == "branch":
            self.branch(step["name"])
        elif do == "todos":
            self.todos([tuple(item) for item in step["items"]])
        elif do == "plan":
            self.plan(step["text"])
        elif do == "subagent":
            self.subagent(step)
        elif do == "notify":
            self.notify(step["id"])
        elif do == "compact":
            self.compact(step.get("trigger", "auto"))
        elif do == "resume":
            self.resume()
        elif do == "clear":
            self.end("clear")
            if step.get("new_id", True):
                self.keys[self.current] = self.new_id("%s/%d" % (self.current, self.count))
            self.start("clear")
        else:
            raise HookError("unknown step " + do)

    def play(self):
        for step in self.data["steps"]:
            self.step(step)
        self.current = "main"
        return self.resume() if self.data["end"] == "resume" else self.compact(self.data.get("trigger", "auto"))

    # -- the one named call
    def cli(self, arguments):
        done = subprocess.run([self.forebay] + arguments, env=dict(self.env, FOREBAY_SESSION=self.key), cwd=str(self.project),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return done.stdout.decode("utf-8", "replace")

    def calls(self, guide):
        found = []
        for match in re.finditer(r"\b(ctx_[a-z_]+)([ \t(][^\n]*)?", guide):
            # A line may name several calls: "ctx_reflect, ctx_history session=all".
            for name, rest in re.findall(r"\b(ctx_[a-z_]+)((?:(?!\bctx_)[^\n])*)", match.group(0)):
                if name in RETRIEVAL:
                    given = arguments_of(rest)
                    if given is not None and ("tool", name, given) not in found:
                        found.append(("tool", name, given))
        for match in re.finditer(r"\bforebay (%s)\b([^\n`]*)" % "|".join(COMMANDS), guide):
            try:
                words = shlex.split(match.group(2).strip().rstrip(".;,)"))
            except ValueError:
                continue
            if not any(re.search(r"<|…|\.\.\.", word) for word in words):
                found.append(("cli", match.group(1), words))
        return found

    def perform(self, call):
        kind, name, given = call
        if kind == "cli":
            return self.cli([name] + given)
        return self.cli(["call", "--session", self.key, name, json.dumps(given, ensure_ascii=False)])


def arguments_of(text):
    """`events=prompt limit=20`, `{"ref": "x"}` or `(ref="x")` as an object; None for placeholders."""
    text = text.strip().strip("`").strip()
    brace = re.match(r"\(?\s*(\{.*?\})", text)
    if brace:
        try:
            return json.loads(brace.group(1))
        except ValueError:
            return None
    if text.startswith("("):
        text = text[1:].split(")")[0].replace(", ", " ")
    given = {}
    for key, value in re.findall(r"\b([a-z_]+)=(\[[^\]]*\]|\"[^\"]*\"|'[^']*'|[^\s`,;)]+)", text):
        if re.search(r"…|\.\.\.|<", value):
            return None
        if value[0] in "[\"":
            try:
                given[key] = json.loads(value)
                continue
            except ValueError:
                pass
        value = value.strip("'\"").rstrip(".")
        given[key] = int(value) if value.isdigit() and key in ("limit", "budget") else value
    if "query" in given:
        given["queries"] = [given.pop("query")]
    return given


def lines_of(text):
    lines = [re.sub(r"\s+", " ", line.strip().lower()) for line in text.splitlines()]
    return [line for line in lines if line]


def has(alternatives, lines):
    window = " ".join(lines)
    return any(all(part in window for part in parts) for parts in alternatives)


def told(fact, text):
    """Whether one line or two adjacent ones tell the fact, with no correction in or next to them."""
    lines, corrected = lines_of(text), fact.get("corrected_by", [])
    for index in range(len(lines)):
        for end in (index + 1, index + 2):
            if end <= len(lines) and has(fact["match"], lines[index:end]) and not has(corrected, lines[max(index - 1, 0):end + 1]):
                return True
    return False


def anywhere(alternatives, text):
    lines = lines_of(text)
    return any(has(alternatives, lines[index:index + 2]) for index in range(len(lines)))


def measure(forebay, path):
    session = json.loads(path.read_text(encoding="utf-8"))
    root = pathlib.Path(tempfile.mkdtemp(prefix="guide-"))
    try:
        world = World(forebay, session, root)
        guide = world.play()
        calls = world.calls(guide)
        standing = [fact for fact in session["facts"] if fact["status"] == "standing"]
        best, best_call, best_found = "", None, -1
        for call in calls:
            answer = world.perform(call)
            found = sum(told(fact, guide) or told(fact, answer) for fact in standing)
            if found > best_found:
                best, best_call, best_found = answer, call, found
        rows = []
        for fact in session["facts"]:
            here = told(fact, guide)
            rows.append({"session": path.stem, "host": session["host"], "language": session.get("language", "en"), "id": fact["id"], "kind": fact["kind"],
                         "status": fact["status"], "text": fact["text"], "guide": here, "call": here or told(fact, best),
                         "uncorrected": here and not anywhere(fact.get("corrected_by", []), guide)})
        log = world.home / ".local/share/forebay/forebay.log"
        return {"name": path.stem, "guide": guide, "bytes": len(guide.encode()), "call": best_call, "answer": best, "rows": rows,
                "hooks": len(world.raw), "log": log.read_text("utf-8", "replace") if log.exists() else "", "error": None}
    except (HookError, subprocess.SubprocessError, OSError) as error:
        return {"name": path.stem, "guide": "", "bytes": 0, "call": None, "answer": "", "rows": [], "hooks": 0, "log": "", "error": str(error)}
    finally:
        shutil.rmtree(root, ignore_errors=True)


def share(part, whole):
    return "%3d/%-3d %5.1f %%" % (part, whole, 100.0 * part / whole) if whole else "  -"


def table(rows, column):
    print("\n%-18s %-18s %-18s %-18s %s" % (column, "in the guide", "with one call", "false told", "of these uncorrected"))
    for value in sorted({row[column] for row in rows}) + ["TOTAL"]:
        some = rows if value == "TOTAL" else [row for row in rows if row[column] == value]
        good = [row for row in some if row["status"] == "standing"]
        bad = [row for row in some if row["status"] != "standing"]
        print("%-18s %-18s %-18s %-18s %s" % (value, share(sum(r["guide"] for r in good), len(good)), share(sum(r["call"] for r in good), len(good)),
                                       share(sum(r["guide"] for r in bad), len(bad)), sum(r["uncorrected"] for r in bad) or ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forebay", required=True, help="path of the program")
    parser.add_argument("--split", choices=("dev", "heldout", "replacements"), default="dev")
    parser.add_argument("--dir", metavar="FOLDER", type=pathlib.Path, help="sessions of another folder")
    parser.add_argument("--json", metavar="OUT", help="write every result as JSON")
    parser.add_argument("--show", metavar="NAME", help="show one session: guide, call and every fact")
    parser.add_argument("--check", action="store_true", help="only tell whether every payload was accepted")
    parser.add_argument("--missed", action="store_true", help="list standing facts that are missing and false ones that are told")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 4)
    options = parser.parse_args()
    forebay = str(pathlib.Path(options.forebay).resolve())
    paths = sorted((options.dir or HERE / options.split).glob("*.json"))
    if options.show:
        paths = [path for path in paths if options.show in path.stem]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda path: measure(forebay, path), paths))
    failed = [result for result in results if result["error"]]
    for result in failed:
        print("FAILED %s: %s" % (result["name"], result["error"]))
    if options.check:
        empty = [result["name"] for result in results if not result["guide"] and not result["error"]]
        logged = [result["name"] for result in results if re.search(r"error|panick", result["log"], re.I)]
        print("%d sessions, %d hooks, %d failed, %d without a guide, %d with errors in the log %s"
              % (len(results), sum(r["hooks"] for r in results), len(failed), len(empty), len(logged), empty + logged))
        return 1 if failed else 0
    if options.show:
        for result in results:
            print("=== %s (%d tokens)\n%s\n--- call: %s\n%s" % (result["name"], result["bytes"] // 4, result["guide"], result["call"], result["answer"]))
            for row in result["rows"]:
                print("%s %s %-16s %-14s %s" % ("guide" if row["guide"] else "     ", "call" if row["call"] else "    ", row["status"], row["kind"], row["text"]))
        return 0
    rows = [row for result in results for row in result["rows"]]
    for column in ("kind", "status", "host", "language"):
        table(rows, column)
    sizes = [result["bytes"] / 4 for result in results]
    if sizes:
        print("\ntokens (bytes/4): mean %.0f, max %.0f; %d sessions, %d facts" % (sum(sizes) / len(sizes), max(sizes), len(results), len(rows)))
    if options.missed:
        for row in rows:
            if (row["status"] == "standing") != row["guide"]:
                print("%-26s %-15s %-12s %s%s" % (row["session"], row["status"], row["kind"], "" if row["guide"] or not row["call"] else "(call) ", row["text"]))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, ensure_ascii=False, indent=1), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
