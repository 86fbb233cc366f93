//! A store for the browser: a month of work, and text that tries to break the page.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::usage;
use crate::{process, workspace};

/// A build with a long log and two failures in its middle, in colours.
const BUILD: &str = r#"#!/bin/sh
i=1
while [ $i -le 900 ]; do
  case $i in
    417) printf 'test store::tests::migrates_from_v1 ... \033[31mFAILED\033[0m\n'
         echo "  thread 'migrates_from_v1' panicked at crates/store/src/migrate.rs:88:5:"
         echo '  assertion `left == right` failed: left: 3, right: 4' ;;
    702) printf 'test hooks::denies_sudo ... \033[31mFAILED\033[0m\n'
         echo "  expected Deny, got Allow at crates/app/src/hooks.rs:51" ;;
    *)   printf 'test suite::case_%s ... \033[32mok\033[0m\n' $i ;;
  esac
  i=$((i + 1))
done
echo "test result: FAILED. 898 passed; 2 failed; 0 ignored"
exit 101
"#;

/// Markup, control and direction characters, and every terminal colour.
const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(2)><b>bold</b> \u{202e}desrever\u{2066} \
    zero\u{200b}width \u{1b}[2J\u{7} javascript:alert(3) \"><svg onload=alert(4)>";

/// An image of the repository.
const IMAGE: &str = "docs/images/dashboard-search.webp";

/// A source file with bodies that a skeleton leaves out.
const SOURCE: &str = r"//! The cart of the shop.

/// What a customer wants to buy.
pub struct Cart {
    pub items: Vec<Item>,
    discount: Option<u8>,
}

/// One kind of article.
pub struct Item {
    pub name: String,
    pub cents: u64,
    pub count: u32,
}

impl Cart {
    /// Adds an article; the same one again counts twice.
    pub fn add(&mut self, item: Item) {
        match self.items.iter_mut().find(|known| known.name == item.name) {
            Some(known) => known.count += item.count,
            None => self.items.push(item),
        }
    }

    /// What the customer pays, in cents.
    pub fn total(&self) -> u64 {
        let sum: u64 = self.items.iter().map(|item| item.cents * u64::from(item.count)).sum();
        sum - sum * u64::from(self.discount.unwrap_or(0)) / 100
    }
}
";

/// The folders of a user with a filled store.
pub(super) struct Seed {
    forebay: PathBuf,
    folder: PathBuf,
    build: String,
    json: String,
    hostile: String,
    note: String,
    image: String,
    source: String,
}

impl Seed {
    pub(super) fn plant(forebay: &Path, folder: &Path) -> Result<Self> {
        let mut seed = Self {
            forebay: forebay.to_owned(),
            folder: folder.to_owned(),
            build: String::new(),
            json: String::new(),
            hostile: String::new(),
            note: String::new(),
            image: String::new(),
            source: String::new(),
        };
        for name in ["home", "shop/.git", "shop/.claude", "shop/docs"] {
            fs::create_dir_all(folder.join(name))?;
        }
        fs::write(folder.join("shop/.git/HEAD"), "ref: refs/heads/feat/login\n")?;
        seed.write_project()?;
        process_output(seed.command().args(["index", "docs"]))?;
        usage::add_month(&seed.database()?)?;
        seed.converse()?;
        seed.remember()?;
        seed.store_hostile_text()?;
        seed.disagree()?;
        Ok(seed)
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("shop")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// The reference of the failing build.
    pub(super) fn build(&self) -> &str {
        &self.build
    }

    /// Creates a token that may read.
    pub(super) fn token(&self, name: &str) -> Result<String> {
        let created =
            process_output(self.command().args(["token", "create", name, "--rights", "read"]))?;
        let token = created.split_whitespace().find(|word| word.starts_with("fby_"));
        Ok(token.with_context(|| format!("no token: {created}"))?.to_owned())
    }

    /// A `forebay` command in the project.
    pub(super) fn command(&self) -> Command {
        let mut command = process::command(&self.forebay);
        command.current_dir(self.project()).env("FOREBAY_HOME", self.data());
        command.env("HOME", self.home()).env_remove("FOREBAY_SESSION");
        command
    }

    /// A `forebay` command of a user who has never used it.
    pub(super) fn command_in_empty_home(&self) -> Result<Command> {
        let project = self.folder.join("new/project");
        fs::create_dir_all(project.join(".git"))?;
        let mut command = self.command();
        command.current_dir(project).env("FOREBAY_HOME", self.folder.join("new/data"));
        command.env("HOME", self.folder.join("new"));
        Ok(command)
    }

    /// The pages to check: a name, the address, and what is there once it is shown.
    pub(super) fn pages(&self) -> Vec<[String; 3]> {
        let Self { build, json, hostile, note, image, source, .. } = self;
        let session = "session?key=2f1c9a40-login";
        let pages = [
            ("overview", "overview".to_owned(), ".chart svg"),
            ("live", "live".to_owned(), ".live .row"),
            ("sessions", "sessions".to_owned(), ".row"),
            ("timeline", session.to_owned(), ".event"),
            ("guide", format!("{session}&view=guide"), ".guide .sources"),
            ("stored", format!("{session}&view=stored"), ".row"),
            ("compactions", format!("{session}&view=compactions"), ".row"),
            ("search", "search?q=migrates_from_v1".to_owned(), ".row mark"),
            ("entry", format!("entry/{build}?from=410"), ".line"),
            ("digest", format!("entry/{build}?view=digest"), ".line.kept"),
            ("json", format!("entry/{json}?view=json"), ".json details"),
            ("image", format!("entry/{image}"), ".picture"),
            ("skeleton", format!("entry/{source}?view=skeleton"), ".skeleton"),
            ("formulas", "formulas".to_owned(), ".doc table"),
            ("note", format!("entry/{note}"), ".facts"),
            ("hostile", format!("entry/{hostile}"), ".line"),
            ("hostile-search", "search?q=desrever".to_owned(), ".row"),
            ("memory", "memory".to_owned(), ".note"),
            ("conflicts", "memory?view=conflicts".to_owned(), ".conflict"),
            ("sources", "memory?view=sources".to_owned(), ".row"),
            ("rules", "rules".to_owned(), "table"),
        ];
        pages
            .map(|(name, route, ready)| [name.to_owned(), format!("#/{route}"), ready.to_owned()])
            .into()
    }

    fn write_project(&self) -> Result<()> {
        let project = self.project();
        fs::write(project.join("build.sh"), BUILD)?;
        fs::write(project.join("auth.rs"), "pub fn login() {}\n")?;
        let rules = json!({ "permissions": {
            "deny": ["Bash(sudo:*)", "Read(**/.env*)"],
            "ask": ["Bash(git push:*)"],
            "allow": ["Bash(cargo test:*)", "WebFetch(domain:docs.rs)"],
        }});
        fs::write(project.join(".claude/settings.json"), rules.to_string())?;
        fs::write(
            project.join("docs/login.md"),
            "# Login\n\nThe cookie lives 14 days.\n\n## Errors\n\nEach refusal is logged.\n",
        )?;
        let orders: Vec<Value> = (0..240)
            .map(|id| json!({ "id": id, "state": (["open", "paid", "sent"][id % 3]), "customer": { "name": "Ada", "vip": id % 7 == 0 } }))
            .collect();
        fs::write(
            project.join("orders.json"),
            json!({ "total": 240, "orders": orders, "next": null }).to_string(),
        )?;
        Ok(())
    }

    /// A conversation with a compaction and two subagents, and an older one.
    fn converse(&mut self) -> Result<()> {
        let project = self.project();
        let old = Host { seed: self, session: "0b7e11d2-export" };
        old.prompt("Write the export of orders as CSV. Antworte immer auf Deutsch.")?;
        old.answer("Der Export ist fertig, die Tests laufen.")?;
        let host = Host { seed: self, session: "2f1c9a40-login" };
        host.prompt("Build the login page. Never change the public API of auth.rs.")?;
        host.answer(
            "I found two ways: (1) sessions in the database or (2) signed cookies. Which one?",
        )?;
        host.prompt("2, and the cookie lives 14 days, legal wants that")?;
        let todos = json!([
            { "content": "Write the middleware", "status": "in_progress" },
            { "content": "Test expiry", "status": "pending" },
        ]);
        host.tool("TodoWrite", &json!({ "todos": todos }), &json!({ "oldTodos": [] }))?;
        let path = project.join("auth.rs");
        host.tool("Edit", &json!({ "file_path": path }), &json!({ "filePath": path }))?;
        let agents = [
            ("a1-explore", "ls legacy/session", "The old cookie code is in legacy/cookie.rs."),
            (
                "a2-review",
                "cargo clippy",
                "auth.rs is sound; the middleware lacks a test of expiry.",
            ),
        ];
        for (agent, command, finding) in agents {
            let call = json!({ "agent_id": agent, "tool_name": "Bash", "tool_input": { "command": command } });
            host.hook("PreToolUse", call.clone())?;
            let mut failure = call;
            failure["error"] = json!(format!("Exit code 2\n{command}: No such file or directory"));
            host.hook("PostToolUseFailure", failure)?;
            host.hook(
                "SubagentStop",
                json!({ "agent_id": agent, "last_assistant_message": finding }),
            )?;
        }
        let log = process_output(self.command().args([
            "run",
            "--session",
            host.session,
            "--",
            "sh",
            "build.sh",
        ]))?;
        let build = reference(&log)?;
        host.hook("PostToolUseFailure", json!({
            "tool_name": "Bash",
            "tool_input": { "command": "cargo test login" },
            "error": "Exit code 101\nthread 'login' panicked at src/login.rs:9:5:\nassertion failed: cookie.is_valid()",
        }))?;
        let listed = process_output(self.command().args([
            "run",
            "--session",
            "2f1c9a40-login",
            "--",
            "cat",
            "orders.json",
        ]))?;
        host.answer("The middleware is half done. Next I write the expiry test.")?;
        for command in ["sudo systemctl restart shop", "git push origin feat/login"] {
            let call = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
            host.hook("PreToolUse", call)?;
        }
        host.short_call("git status --short", " M auth.rs\n")?;
        host.hook("PreCompact", json!({ "trigger": "auto" }))?;
        host.hook("SessionStart", json!({ "source": "compact" }))?;
        host.prompt("go on, and log every refused cookie")?;
        self.json = reference(&listed)?;
        self.build = build;
        Ok(())
    }

    fn remember(&mut self) -> Result<()> {
        let note = |arguments: &[&str]| process_output(self.command().arg("note").args(arguments));
        note(&["--topic", "sessions", "--kind", "decision", "Sessions are rows in the database."])?;
        let kept = note(&[
            "--topic",
            "sessions",
            "--kind",
            "decision",
            "Sessions are signed cookies; they live 14 days.",
        ])?;
        note(&[
            "--topic",
            "style",
            "--kind",
            "preference",
            "Errors are one sentence with a hint.",
        ])?;
        note(&[
            "--kind",
            "finding",
            "The staging database has 3 replicas and a lag of up to 4 s.",
        ])?;
        note(&["--kind", "todo", "Ask legal whether the consent is stored."])?;
        let kept = reference(&kept)?;
        process_output(self.command().args(["pin", &kept]))?;
        for text in ["We deploy on Mondays.", "We deploy on Fridays, after the review."] {
            note(&["--kind", "decision", text])?;
        }
        process_output(self.command().args(["index", "orders.json"]))?;
        self.note = kept;
        self.store_files()
    }

    /// An image that a command printed, and a source file.
    fn store_files(&mut self) -> Result<()> {
        fs::copy(workspace::root().join(IMAGE), self.project().join("shot.webp"))?;
        let shot = process_output(self.command().args(["run", "--", "cat", "shot.webp"]))?;
        self.image = reference(&shot)?;
        fs::write(self.project().join("cart.rs"), SOURCE)?;
        process_output(self.command().args(["index", "cart.rs"]))?;
        self.source = self.database()?.query_row(
            "SELECT ref FROM entry WHERE kind = 'source' AND title LIKE '%cart.rs'",
            (),
            |row| row.get(0),
        )?;
        Ok(())
    }

    fn store_hostile_text(&mut self) -> Result<()> {
        let colours: String = (0..16)
            .map(|n| {
                format!(
                    "\u{1b}[{};{}mcolour {n}\u{1b}[0m ",
                    if n < 8 { 30 + n } else { 82 + n },
                    40 + n % 8
                )
            })
            .collect();
        let long = "<b>long</b> ".repeat(200_000);
        let text = format!(
            "{HOSTILE}\n{colours}\n\u{1b}[1;7minverse\u{1b}[0m \u{1b}[38;5;208mextended\u{1b}[0m\n{long}\n{}\n",
            "a".repeat(3_000)
        );
        fs::write(self.project().join("hostile.txt"), text)?;
        let stored = process_output(self.command().args(["run", "--", "cat", "hostile.txt"]))?;
        self.hostile = reference(&stored)?;
        let host = Host { seed: self, session: "\u{202e}<script>alert(5)</script>" };
        host.prompt(HOSTILE)?;
        host.answer(HOSTILE)?;
        process_output(self.command().args(["note", "--topic", "<i>\u{202e}topic", HOSTILE]))?;
        Ok(())
    }

    /// The database of the project.
    pub(super) fn database_file(&self) -> Result<PathBuf> {
        let projects = fs::read_dir(self.data().join("projects"))?;
        let folders = projects.collect::<std::io::Result<Vec<_>>>()?;
        let mut stores = folders.iter().map(|folder| folder.path().join("store.db"));
        stores.find(|path| path.is_file()).context("no store was written")
    }

    fn database(&self) -> Result<Connection> {
        Ok(Connection::open(self.database_file()?)?)
    }

    /// Marks two notes as written apart, which takes two machines and a server.
    fn disagree(&self) -> Result<()> {
        let marked = self.database()?.execute(
            "INSERT INTO conflict (entry, other) SELECT one.id, other.id FROM entry AS one, entry AS other
             WHERE one.title LIKE 'We deploy on %' AND other.title LIKE 'We deploy on %' AND one.id <> other.id",
            (),
        )?;
        ensure!(marked == 2, "{marked} rows");
        Ok(())
    }
}

/// A host that reports a conversation to hooks.
struct Host<'a> {
    seed: &'a Seed,
    session: &'static str,
}

impl Host<'_> {
    fn hook(&self, event: &str, fields: Value) -> Result<()> {
        let mut payload = json!({ "session_id": self.session, "cwd": self.seed.project(), "hook_event_name": event });
        if let (Some(payload), Value::Object(fields)) = (payload.as_object_mut(), fields) {
            payload.extend(fields);
        }
        let mut hook = self.seed.command();
        hook.args(["hook", "claude-code", event]).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = hook.spawn()?;
        child
            .stdin
            .take()
            .context("the hook's stdin")?
            .write_all(payload.to_string().as_bytes())?;
        ensure!(child.wait()?.success(), "hook {event}");
        Ok(())
    }

    fn prompt(&self, text: &str) -> Result<()> {
        self.hook("UserPromptSubmit", json!({ "prompt": text }))
    }

    fn answer(&self, text: &str) -> Result<()> {
        self.hook("Stop", json!({ "last_assistant_message": text }))
    }

    /// A command whose result passes, with a name, by which its hooks belong together.
    fn short_call(&self, command: &str, stdout: &str) -> Result<()> {
        let call = json!({ "tool_use_id": "toolu_1", "tool_name": "Bash", "tool_input": { "command": command } });
        self.hook("PreToolUse", call.clone())?;
        let mut returned = call;
        returned["tool_response"] =
            json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false });
        self.hook("PostToolUse", returned)
    }

    fn tool(&self, name: &str, input: &Value, response: &Value) -> Result<()> {
        self.hook(
            "PostToolUse",
            json!({ "tool_name": name, "tool_input": input, "tool_response": response }),
        )
    }
}

/// Runs a command whose exit code is that of what it runs, and returns what it prints.
fn process_output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| process::command_line(command))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr))
}

/// Returns the first reference in a text.
fn reference(text: &str) -> Result<String> {
    let found = text.split_once("[ctx:").and_then(|(_, rest)| rest.split_once(']'));
    Ok(found.with_context(|| format!("no reference: {text}"))?.0.to_owned())
}
