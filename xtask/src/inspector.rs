//! `cargo xtask inspector`: the MCP inspector lists and calls every tool.
//!
//! The inspector is another people's client, so what it accepts other hosts accept. Its version and
//! everything it needs are pinned in `xtask/inspector/package-lock.json`.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use forebay_app::tools::TOOLS;
use serde_json::Value;
use tempfile::TempDir;

use crate::{npm, say, shell, test, workspace};

/// Have the MCP inspector list and call every tool
#[derive(Debug, Args)]
pub(crate) struct Inspector {}

/// A call with sensible arguments; `{ref}` stands for the reference of the first run, `{url}` for a page.
struct Call {
    tool: &'static str,
    arguments: &'static [&'static str],
}

/// At least one call a tool, in an order in which each finds something.
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
    pub(crate) fn carry_out(self) -> Result<()> {
        check()
    }
}

/// Checks where node and npm are; only an attended run may do without.
pub(crate) fn check_where_possible() -> Result<()> {
    if npm::is_here() {
        return check();
    }
    ensure!(!test::is_unattended(), "node and npm are needed for the inspector");
    say::loudly("SKIPPED: node and npm are not installed, so the inspector called no tool");
    Ok(())
}

fn check() -> Result<()> {
    let forgotten = forgotten(TOOLS.iter().map(|tool| tool.name));
    ensure!(forgotten.is_empty(), "no call in xtask/src/inspector.rs for {}", forgotten.join(", "));
    let stage = Stage::new()?;
    stage.check_list()?;
    let mut reference = None;
    for call in CALLS {
        let answer = stage.call(call, reference.as_deref())?;
        reference = reference.or_else(|| reference_in(&answer));
        say::line(format!("ok   {:<14} {}", call.tool, answer.lines().next().unwrap_or_default()));
    }
    Ok(())
}

/// The tools that no call names.
fn forgotten<'a>(tools: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    tools.filter(|tool| !CALLS.iter().any(|call| call.tool == *tool)).collect()
}

fn reference_in(text: &str) -> Option<String> {
    let rest = &text[text.find("[ctx:")?..];
    Some(rest[..=rest.find(']')?].to_owned())
}

/// A fresh data folder and project, and what works on them.
struct Stage {
    folder: TempDir,
    forebay: PathBuf,
    inspector: PathBuf,
    /// A page on this machine.
    page: String,
}

impl Stage {
    fn new() -> Result<Self> {
        let forebay = workspace::build_forebay("dev")?;
        let inspector = npm::install("xtask/inspector")?.join("node_modules/.bin/mcp-inspector");
        let folder = tempfile::tempdir()?;
        for name in ["data", "project", "home"] {
            fs::create_dir(folder.path().join(name))?;
        }
        Ok(Self { folder, forebay, inspector, page: serve_a_page()? })
    }

    /// The inspector names every tool of the registry and finds no fault with a schema.
    fn check_list(&self) -> Result<()> {
        let list = self.ask(&["tools/list", "--strict"])?;
        let listed: Vec<&str> = list["tools"]
            .as_array()
            .context("the inspector shows no list of tools")?
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        let expected: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        ensure!(listed == expected, "listed: {listed:?}, expected: {expected:?}");
        say::line(format!("ok   tools/list     {} tools", listed.len()));
        Ok(())
    }

    /// The text of a tool's answer, which is no error.
    fn call(&self, call: &Call, reference: Option<&str>) -> Result<String> {
        let mut arguments =
            vec!["tools/call".to_owned(), "--tool-name".to_owned(), call.tool.to_owned()];
        for argument in call.arguments {
            let filled = argument.replace("{ref}", reference.unwrap_or("{ref}"));
            let filled = filled.replace("{url}", &self.page);
            arguments.extend(["--tool-arg".to_owned(), filled]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = self.ask(&arguments).with_context(|| call.tool.to_owned())?;
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        if answer["isError"] == true || text.is_empty() {
            bail!("{}: {answer}", call.tool);
        }
        Ok(text.to_owned())
    }

    /// What the inspector prints for a method.
    fn ask(&self, method: &[&str]) -> Result<Value> {
        let folder = self.folder.path();
        let mut inspector = shell::command(&self.inspector);
        // The inspector keeps a catalogue in the home folder; it shall not be the person's own.
        inspector.env("HOME", folder.join("home")).current_dir(folder.join("project"));
        inspector.arg("--cli").arg("-e");
        inspector.arg(format!("FOREBAY_HOME={}", folder.join("data").display()));
        // Each call is a server of its own; together they are one conversation.
        for setting in ["SESSION=inspector", "TOOLS_ALL=true", "FETCH_LOOPBACK=true"] {
            inspector.args(["-e", &format!("FOREBAY_{setting}")]);
        }
        inspector.arg(&self.forebay).arg("mcp").arg("--method").args(method);
        let printed = shell::text(&mut inspector)?;
        serde_json::from_str(&printed).with_context(|| format!("not JSON: {printed}"))
    }
}

/// Serves one page for as long as this process lives; its address.
fn serve_a_page() -> Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = format!("http://{}/", listener.local_addr()?);
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut request = [0; 4096];
            // A client that goes away needs no page.
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
        assert_eq!(forgotten(TOOLS.iter().map(|tool| tool.name)), <[&str; 0]>::default());
    }

    #[test]
    fn a_tool_without_a_call_is_found() {
        assert_eq!(forgotten(["ctx_get", "ctx_new"].into_iter()), ["ctx_new"]);
    }

    #[test]
    fn the_reference_is_taken_from_an_answer() {
        let answer = "[ctx:k3v9m2a1xq] exit 0\n[ctx:aaaaaaaaaa]";
        assert_eq!(reference_in(answer).as_deref(), Some("[ctx:k3v9m2a1xq]"));
    }
}
