//! `cargo xtask inspector`: the MCP inspector lists and calls every tool, prompt and kind of resource.
//!
//! The inspector is an independent client: other hosts accept what it accepts. Its version and its dependencies
//! are pinned in `xtask/inspector/package-lock.json`.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use forebay_app::prompts::PROMPTS;
use forebay_app::tools::TOOLS;
use serde_json::Value;
use tempfile::TempDir;

use crate::test::Skips;
use crate::{console, npm, process, workspace};

/// List and call every tool, prompt and resource with the MCP inspector
#[derive(Debug, Args)]
pub(crate) struct Inspector {}

/// A tool call; `{ref}` is replaced by the reference of the first run, `{url}` by a page's address.
struct Call {
    tool: &'static str,
    arguments: &'static [&'static str],
}

/// At least one call per tool, in an order that gives each call data to work on.
const CALLS: &[Call] = &[
    Call {
        tool: "ctx_execute",
        arguments: &["code=seq 1 3000; echo warning: kept >&2", "budget=120"],
    },
    Call {
        tool: "ctx_execute_file",
        arguments: &[r#"path=["/etc/hosts"]"#, "code=wc -c <\"$FILE_PATH\"", "language=sh"],
    },
    Call {
        tool: "ctx_batch_execute",
        arguments: &[
            r#"commands=[{"label":"one","code":"echo first"},{"code":"echo second"}]"#,
            r#"queries=["second"]"#,
        ],
    },
    Call { tool: "ctx_job", arguments: &[] },
    Call { tool: "ctx_get", arguments: &["ref={ref}", "lines=2990-"] },
    Call { tool: "ctx_annotate", arguments: &["text=The inspector reads {ref}", "kind=decision"] },
    Call { tool: "ctx_context", arguments: &["limit=8", "compact=true"] },
    Call { tool: "ctx_index", arguments: &["text=inspector notes", "source=inspector"] },
    Call { tool: "ctx_fetch_and_index", arguments: &["urls={url}"] },
    Call { tool: "ctx_search", arguments: &[r#"queries=["inspector", "warning"]"#, "limit=3"] },
    Call { tool: "ctx_history", arguments: &["session=all"] },
    Call { tool: "ctx_reflect", arguments: &[] },
    Call { tool: "ctx_import", arguments: &[] },
    Call { tool: "ctx_purge", arguments: &[r#"refs=["{ref}"]"#] },
    Call { tool: "ctx_stats", arguments: &[] },
    Call { tool: "ctx_doctor", arguments: &[] },
    Call { tool: "ctx_upgrade", arguments: &[] },
    Call {
        tool: "context_write",
        arguments: &["path=sample.py", "content=def sample():\n    pass\n"],
    },
    Call { tool: "context_read", arguments: &["path=sample.py"] },
    Call { tool: "context_peek", arguments: &[r#"paths=["."]"#, "budget=100"] },
    Call {
        tool: "context_edit",
        arguments: &["path=sample.py", "old_string=pass", "new_string=return 1"],
    },
    Call { tool: "context_status", arguments: &[] },
    Call { tool: "context_forget", arguments: &["path=sample.py"] },
];

impl Inspector {
    pub(crate) fn run(self) -> Result<()> {
        check()
    }
}

/// Checks if node and npm are installed; records a skip otherwise.
pub(crate) fn check_if_available(skips: &mut Skips) -> Result<()> {
    if npm::is_installed() {
        return check();
    }
    skips.add("inspector", "node and npm are not installed")
}

fn check() -> Result<()> {
    let missing = tools_without_call(TOOLS.iter().map(|tool| tool.name));
    ensure!(missing.is_empty(), "no call in xtask/src/inspector.rs for {}", missing.join(", "));
    let session = Session::new()?;
    session.check_list()?;
    let mut reference = None;
    for call in CALLS {
        let answer = session.call(call, reference.as_deref())?;
        if reference.is_none() {
            reference = find_reference(&answer);
            session.check_resources()?;
        }
        console::line(format!(
            "ok   {:<14} {}",
            call.tool,
            answer.lines().next().unwrap_or_default()
        ));
    }
    session.check_prompts()
}

/// Returns the tools that no call names.
fn tools_without_call<'a>(tools: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    tools.filter(|tool| !CALLS.iter().any(|call| call.tool == *tool)).collect()
}

/// Returns the first `[ctx:...]` of an answer.
fn find_reference(text: &str) -> Option<String> {
    let rest = &text[text.find("[ctx:")?..];
    Some(rest[..=rest.find(']')?].to_owned())
}

/// The inspector with an empty data folder and project.
struct Session {
    folder: TempDir,
    forebay: PathBuf,
    inspector: PathBuf,
    /// The address of a page on loopback.
    page_url: String,
}

impl Session {
    fn new() -> Result<Self> {
        let forebay = workspace::build_forebay("dev")?;
        let inspector = npm::install("xtask/inspector")?.join("node_modules/.bin/mcp-inspector");
        let folder = tempfile::tempdir()?;
        for name in ["data", "project", "home"] {
            fs::create_dir(folder.path().join(name))?;
        }
        Ok(Self { folder, forebay, inspector, page_url: serve_page()? })
    }

    /// Checks that the inspector lists every tool of the registry and accepts its schema.
    fn check_list(&self) -> Result<()> {
        let list = self.run(&["tools/list", "--strict"])?;
        let listed: Vec<&str> = list["tools"]
            .as_array()
            .context("the inspector lists no tools")?
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        let expected: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        ensure!(listed == expected, "listed: {listed:?}, expected: {expected:?}");
        console::line(format!("ok   tools/list     {} tools", listed.len()));
        Ok(())
    }

    /// Reads the newest entry, whole and in part, as the list and the template name it.
    fn check_resources(&self) -> Result<()> {
        let templates = self.run(&["resources/templates/list"])?;
        let template =
            templates["resourceTemplates"][0]["uriTemplate"].as_str().unwrap_or_default();
        ensure!(template.starts_with("forebay://entry/{id}{?lines"), "{templates}");
        let list = self.run(&["resources/list"])?;
        let uri = list["resources"][0]["uri"].as_str().context("no resource is listed")?;
        let lines = format!("{uri}?lines=2999-");
        for (uri, expect) in [(uri, "of 3,001"), (&lines, "2999")] {
            let read = self.run(&["resources/read", "--uri", uri])?;
            let text = read["contents"][0]["text"].as_str().unwrap_or_default();
            ensure!(text.contains(expect), "{uri}: {read}");
            console::line(format!("ok   resources/read {uri}"));
        }
        Ok(())
    }

    /// Gets every prompt.
    fn check_prompts(&self) -> Result<()> {
        let list = self.run(&["prompts/list"])?;
        let listed: Vec<&str> = list["prompts"]
            .as_array()
            .context("the inspector lists no prompts")?
            .iter()
            .filter_map(|prompt| prompt["name"].as_str())
            .collect();
        let expected: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        ensure!(listed == expected, "listed: {listed:?}, expected: {expected:?}");
        for name in listed {
            let mut get = vec!["prompts/get", "--prompt-name", name];
            if name == "recall" {
                get.extend(["--prompt-args", "query=inspector"]);
            }
            let got = self.run(&get)?;
            ensure!(got["messages"][0]["content"]["text"].is_string(), "{name}: {got}");
            console::line(format!("ok   prompts/get    {name}"));
        }
        Ok(())
    }

    /// Calls a tool and returns the text of its answer, which must not be an error.
    fn call(&self, call: &Call, reference: Option<&str>) -> Result<String> {
        let mut arguments =
            vec!["tools/call".to_owned(), "--tool-name".to_owned(), call.tool.to_owned()];
        for argument in call.arguments {
            let filled = argument.replace("{ref}", reference.unwrap_or("{ref}"));
            let filled = filled.replace("{url}", &self.page_url);
            arguments.extend(["--tool-arg".to_owned(), filled]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = self.run(&arguments).with_context(|| call.tool.to_owned())?;
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        if answer["isError"] == true || text.is_empty() {
            bail!("{}: {answer}", call.tool);
        }
        Ok(text.to_owned())
    }

    /// Runs the inspector with a method and returns what it prints.
    fn run(&self, method: &[&str]) -> Result<Value> {
        let folder = self.folder.path();
        let mut inspector = process::command(&self.inspector);
        // The inspector writes a catalogue to the home folder; keep it out of the user's.
        inspector.env("HOME", folder.join("home")).current_dir(folder.join("project"));
        inspector.arg("--cli").arg("-e");
        inspector.arg(format!("FOREBAY_HOME={}", folder.join("data").display()));
        // Each call starts a server; the session id makes them one conversation.
        for setting in ["SESSION=inspector", "TOOLS_ALL=true", "FETCH_LOOPBACK=true"] {
            inspector.args(["-e", &format!("FOREBAY_{setting}")]);
        }
        inspector.arg(&self.forebay).arg("mcp").arg("--method").args(method);
        let printed = process::stdout_text(&mut inspector)?;
        serde_json::from_str(&printed).with_context(|| format!("not JSON: {printed}"))
    }
}

/// Serves one page until the process ends; returns its address.
fn serve_page() -> Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = format!("http://{}/", listener.local_addr()?);
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut request = [0; 4096];
            // The client may have disconnected.
            let _ = client.read(&mut request).and_then(|_| client.write_all(PAGE.as_bytes()));
        }
    });
    Ok(address)
}

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 15\r\n\
                    Connection: close\r\n\r\ninspector page\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_called() {
        assert_eq!(tools_without_call(TOOLS.iter().map(|tool| tool.name)), <[&str; 0]>::default());
    }

    #[test]
    fn finds_tool_without_a_call() {
        assert_eq!(tools_without_call(["ctx_get", "ctx_new"].into_iter()), ["ctx_new"]);
    }

    #[test]
    fn finds_the_first_reference() {
        let answer = "[ctx:k3v9m2a1xq] exit 0\n[ctx:aaaaaaaaaa]";
        assert_eq!(find_reference(answer).as_deref(), Some("[ctx:k3v9m2a1xq]"));
    }
}
