//! `forebay search`: finds what was stored, by its words.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::AppError;
use forebay_app::search::Reach;
use forebay_app::tools::search::Input;
use forebay_domain::{Hit, Timestamp, query};
use serde::Deserialize;
use serde_json::{Value, json};

use super::terminal::Failure;
use super::{Common, input};

/// Find past output, notes and indexed sources
#[derive(Debug, Args)]
pub(super) struct Search {
    /// Words that stand in what you look for
    #[arg(required_unless_present = "queries", value_name = "QUERY")]
    query: Vec<String>,
    /// Hits for a query
    #[arg(short = 'n', long)]
    limit: Option<u64>,
    /// How far to look: session, branch, ticket (or one: ABC-12), project, all
    #[arg(long)]
    scope: Option<String>,
    /// Only entries of this kind
    #[arg(long, value_parser = ["run", "note", "source", "page", "capture", "turn"])]
    kind: Option<String>,
    /// Only sources that match this glob
    #[arg(long, value_name = "GLOB")]
    source: Option<String>,
    /// Only what is at most this old, or not older than this day: 2d, 36h, 2026-01-31
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    after: Option<String>,
    /// Only what is older than this, or from before this day
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    before: Option<String>,
    /// What comes first
    #[arg(long, value_parser = ["relevance", "newest", "oldest"])]
    sort: Option<String>,
    /// Tokens the answer may have
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// Answer many queries: a file of {"qid","query"} lines, - for stdin; prints {"qid","results"} lines
    #[arg(long, value_name = "FILE", requires = "json", conflicts_with = "query")]
    queries: Option<PathBuf>,
}

impl Search {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        match &self.queries {
            Some(file) => self.answer_file(common, file),
            None => common.ask(
                "ctx_search",
                json!({
                    "queries": [self.asked(&self.query.join(" "))],
                    "limit": self.limit,
                    "scope": self.scope,
                    "kind": self.kind,
                    "source": self.source,
                    "sort": self.sort,
                    "budget": self.budget,
                }),
            ),
        }
    }

    fn answer_file(&self, common: &Common, file: &Path) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        let input = Input {
            queries: vec!["each line".to_owned()],
            limit: self.limit,
            scope: self.scope.clone(),
            kind: self.kind.clone(),
            source: self.source.clone(),
            sort: self.sort.clone(),
            budget: None,
        };
        let reach = Reach::new(&app, input.limits()?)?;
        let mut stdout = io::stdout().lock();
        for (number, line) in input::open(file)?.lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let asked = parse(&line, number + 1)?;
            let found = reach.find_documents(&self.asked(&asked.query))?;
            let results: Vec<Value> = found.iter().map(result).collect();
            writeln!(stdout, "{}", json!({ "qid": asked.qid, "results": results }))?;
        }
        stdout.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Search {
    /// The query with the moments it is limited to, as a query says them.
    fn asked(&self, query: &str) -> String {
        let after = self.after.iter().map(|when| format!(" after:{when}"));
        let before = self.before.iter().map(|when| format!(" before:{when}"));
        query.to_owned() + &after.chain(before).collect::<String>()
    }
}

/// A date or an age, as it was written.
fn moment(when: &str) -> Result<String, String> {
    query::parse_time(when, Timestamp::default())
        .map(|_| when.to_owned())
        .ok_or_else(|| "neither an age (2d, 36h, 3w) nor a date (2026-01-31)".to_owned())
}

#[derive(Deserialize)]
struct Asked {
    qid: Value,
    query: String,
}

fn parse(line: &str, number: usize) -> Result<Asked, AppError> {
    serde_json::from_str(line).map_err(|error| {
        AppError::bad_input(
            format!("line {number} of the queries: {error}"),
            "each line is a JSON object with `qid` and `query`",
        )
    })
}

/// A document by the name it was indexed under, or by its reference.
fn result(hit: &Hit) -> Value {
    let id = hit.key.as_deref().unwrap_or_else(|| hit.reference.as_str());
    json!({ "id": id, "score": hit.score })
}
