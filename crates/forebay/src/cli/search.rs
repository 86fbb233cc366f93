//! `forebay search`: searches stored entries.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use forebay_app::AppError;
use forebay_app::search::Searcher;
use forebay_app::tools::search::Input;
use forebay_domain::{Hit, Timestamp, query};
use serde::Deserialize;
use serde_json::{Value, json};

use super::terminal::Failure;
use super::{Common, input};

/// Find past output, notes and indexed sources
#[derive(Debug, Args)]
pub(super) struct Search {
    /// Words, "exact phrases", -excluded words, filters like kind:note
    #[arg(required_unless_present = "queries", value_name = "QUERY")]
    query: Vec<String>,
    /// Maximum number of hits
    #[arg(short = 'n', long)]
    limit: Option<u64>,
    /// Scope: session, branch, ticket (or a key: ABC-12), project, all
    #[arg(long)]
    scope: Option<String>,
    /// Only entries of this kind
    #[arg(long, value_parser = ["run", "note", "source", "page", "capture", "turn"])]
    kind: Option<String>,
    /// Only sources that match this glob
    #[arg(long, value_name = "GLOB")]
    source: Option<String>,
    /// Only entries newer than this age or date: 2d, 36h, 2026-01-31
    #[arg(long, value_name = "WHEN", value_parser = parse_age_or_date)]
    after: Option<String>,
    /// Only entries older than this age or date
    #[arg(long, value_name = "WHEN", value_parser = parse_age_or_date)]
    before: Option<String>,
    /// Sort order
    #[arg(long, value_parser = ["relevance", "newest", "oldest"])]
    sort: Option<String>,
    /// Token budget of the answer
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// Answer many queries: a file of {"qid","query"} lines, - for stdin; prints {"qid","results"} lines
    #[arg(long, value_name = "FILE", requires = "json", conflicts_with = "query")]
    queries: Option<PathBuf>,
}

impl Search {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        match &self.queries {
            Some(file) => self.answer_file(common, file),
            None => common.call_reader(
                "ctx_search",
                json!({
                    "queries": [self.with_filters(&self.query.join(" "))],
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
        let app = common.tolerant_app()?;
        let input = Input {
            queries: vec!["each line".to_owned()],
            limit: self.limit,
            scope: self.scope.clone(),
            kind: self.kind.clone(),
            source: self.source.clone(),
            sort: self.sort.clone(),
            budget: None,
        };
        let searcher = Searcher::new(&app, input.options()?)?;
        let mut stdout = io::stdout().lock();
        for (number, line) in input::open(file)?.lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let with_filters = parse(&line, number + 1)?;
            let found = searcher.find_documents(&self.with_filters(&with_filters.query))?;
            let results: Vec<Value> = found.iter().map(result).collect();
            writeln!(stdout, "{}", json!({ "qid": with_filters.qid, "results": results }))?;
        }
        stdout.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Search {
    /// The query with its time limits as filters.
    fn with_filters(&self, query: &str) -> String {
        let after = self.after.iter().map(|when| format!(" after:{when}"));
        let before = self.before.iter().map(|when| format!(" before:{when}"));
        query.to_owned() + &after.chain(before).collect::<String>()
    }
}

/// Validates a date or an age.
fn parse_age_or_date(when: &str) -> Result<String, String> {
    query::parse_time(when, Timestamp::default())
        .map(|_| when.to_owned())
        .ok_or_else(|| "neither an age (2d, 36h, 3w) nor a date (2026-01-31)".to_owned())
}

#[derive(Deserialize)]
struct QueryLine {
    qid: Value,
    query: String,
}

fn parse(line: &str, number: usize) -> Result<QueryLine, AppError> {
    serde_json::from_str(line).map_err(|error| {
        AppError::bad_input(
            format!("line {number} of the queries: {error}"),
            "each line is a JSON object with `qid` and `query`",
        )
    })
}

/// A document by its source name, or by its reference.
fn result(hit: &Hit) -> Value {
    let id = hit.key.as_deref().unwrap_or_else(|| hit.reference.as_str());
    json!({ "id": id, "score": hit.score })
}
