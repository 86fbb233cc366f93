//! `forebay demo`: a tour on real commands, in a folder of its own that is gone afterwards.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use forebay_app::{App, Call, Setup};
use forebay_store::{Home, Project};
use serde_json::{Value, json};

use super::terminal::{self, Failure};
use super::{Common, line_breaking, paint, stats, wall_clock};

/// Take a one-minute tour with real commands
#[derive(Debug, Args)]
pub(super) struct Demo {}

/// A build with a long log and two failures in its middle; any shell can run it.
const BUILD: &str = r#"#!/bin/sh
i=1
while [ $i -le 1200 ]; do
  case $i in
    417) echo "test store::tests::migrates_from_v1 ... FAILED"
         echo "  thread 'migrates_from_v1' panicked at crates/store/src/migrate.rs:88:5:"
         echo "  assertion \`left == right\` failed: left: 3, right: 4" ;;
    902) echo "test hooks::denies_sudo ... FAILED"
         echo "  expected Deny, got Allow at crates/app/src/hooks.rs:51" ;;
    *)   echo "test suite::case_$i ... ok" ;;
  esac
  i=$((i + 1))
done
echo "test result: FAILED. 1198 passed; 2 failed; 0 ignored"
exit 101
"#;

impl Demo {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let folder = tempfile::tempdir()?;
        let tour = Tour::prepare(common, folder.path())?;
        tour.welcome()?;
        let build = tour.run_build()?;
        tour.get_part(&build)?;
        tour.search()?;
        tour.note()?;
        tour.stats()?;
        tour.farewell()?;
        Ok(ExitCode::SUCCESS)
    }
}

struct Tour {
    app: App,
}

impl Tour {
    fn prepare(common: &Common, folder: &Path) -> Result<Self, Failure> {
        let project = folder.join("demo");
        fs::create_dir(&project)?;
        fs::write(project.join("build.sh"), BUILD)?;
        let mut settings = (*common.tolerant_app()?.settings).clone();
        // The tour leaves no trace, on no server either.
        settings.store.url.clear();
        let app = App::new(Setup {
            home: Home::new(folder.join("data")),
            project: Project::for_folder(&project, None),
            cwd: project,
            user_home: None,
            settings,
            environment: Vec::new(),
            session: "demo".to_owned(),
            client: "demo".to_owned(),
            clock: Arc::new(wall_clock),
            supervisor: None,
        });
        Ok(Self { app })
    }

    fn welcome(&self) -> Result<(), Failure> {
        print_painted("Forebay keeps raw output out of an agent's context.")?;
        print_painted(
            "This tour runs real commands in a temporary folder; your files are not touched.",
        )
    }

    fn run_build(&self) -> Result<String, Failure> {
        chapter("1. A command prints 1,204 lines. The agent gets the lines that matter.")?;
        type_in("forebay run -- sh build.sh")?;
        let answer =
            self.app.call("ctx_execute", json!({ "code": "sh build.sh" }), &Call::default())?;
        terminal::print_answer(&answer.text)?;
        Ok(answer.data["ref"].as_str().unwrap_or_default().to_owned())
    }

    fn get_part(&self, build: &str) -> Result<(), Failure> {
        chapter("2. Nothing is lost: any part is one call away, by lines or by pattern.")?;
        type_in(&format!("forebay get {build} --lines 415-420"))?;
        self.ask("ctx_get", json!({ "ref": build, "lines": "415-420" }))?;
        type_in(&format!("forebay get {build} --grep 'FAILED'"))?;
        self.ask("ctx_get", json!({ "ref": build, "grep": "FAILED" }))
    }

    fn search(&self) -> Result<(), Failure> {
        chapter("3. Search finds it again, even after the conversation was compacted.")?;
        type_in("forebay search which assertion failed in the migration")?;
        self.ask("ctx_search", json!({ "query": "which assertion failed in the migration", "limit": 1, "budget": 150 }))
    }

    fn note(&self) -> Result<(), Failure> {
        chapter("4. Decisions are permanent; a newer one on the same topic replaces the older.")?;
        type_in(
            "forebay note --kind decision --topic schema 'Stay on schema 3 until v1 data is converted'",
        )?;
        let text = "Stay on schema 3 until v1 data is converted";
        self.ask("ctx_annotate", json!({ "text": text, "kind": "decision", "topic": "schema" }))?;
        type_in("forebay reflect")?;
        self.ask("ctx_reflect", Value::Null)
    }

    fn stats(&self) -> Result<(), Failure> {
        chapter("5. What it saved, with every cost counted.")?;
        type_in("forebay stats")?;
        let answer = self.app.call("ctx_stats", Value::Null, &Call::default())?;
        match line_breaking::columns() {
            Some(columns) => stats::print_table(&answer.text, columns),
            None => terminal::print_answer(&answer.text),
        }
    }

    fn farewell(&self) -> Result<(), Failure> {
        chapter("Now with your own agent: set up its MCP server and hooks.")?;
        type_in("forebay init")
    }

    fn ask(&self, tool: &str, input: Value) -> Result<(), Failure> {
        terminal::print_answer(&self.app.call(tool, input, &Call::default())?.text)
    }
}

fn chapter(title: &str) -> Result<(), Failure> {
    print_painted("")?;
    terminal::print_painted(&paint::heading(title))
}

fn type_in(command: &str) -> Result<(), Failure> {
    terminal::print_painted(&format!("{} {}", paint::dimmed("$"), paint::typed(command)))
}

fn print_painted(text: &str) -> Result<(), Failure> {
    terminal::print_painted(text)
}
