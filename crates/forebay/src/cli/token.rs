//! `forebay token`: API tokens of `forebay serve`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use forebay_app::team::tokens::{self, NewToken, Token};
use forebay_app::{App, AppError};
use forebay_domain::rights::Rights;
use serde_json::{Value, json};

use super::Common;
use super::terminal::{self, Failure};

/// Create, list and revoke tokens of `forebay serve`
#[derive(Debug, Args)]
pub(super) struct Tokens {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Create(Create),
    /// List tokens; their secrets are not stored
    List,
    Revoke(Revoke),
}

/// Create a token and print it once
#[derive(Debug, Args)]
struct Create {
    /// Name of the bearer
    name: String,
    /// Rights: read, write, execute
    #[arg(long, default_value = "read", value_parser = rights)]
    rights: Rights,
    /// Workspace [default: the server's own project]
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,
    /// Days until it expires [default: never]
    #[arg(long, value_name = "COUNT")]
    days: Option<u64>,
}

/// Revoke a token
#[derive(Debug, Args)]
struct Revoke {
    /// Its id or name
    token: String,
}

impl Tokens {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        match self.verb {
            Verb::Create(create) => create.run(common, &app)?,
            Verb::List => list(common, &app)?,
            Verb::Revoke(revoke) => {
                let token = tokens::revoke(&app, &revoke.token)?;
                let line = format!(
                    "{} ({}) revoked; servers apply it within a second\n",
                    token.id, token.name
                );
                show(common, &data(&app, &token), &line)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Create {
    fn run(self, common: &Common, app: &App) -> Result<(), Failure> {
        if self.days == Some(0) {
            let hint = "give at least one day, or omit the option";
            return Err(AppError::bad_input("a token cannot expire after 0 days", hint).into());
        }
        let wanted = NewToken {
            name: self.name,
            rights: self.rights,
            workspace: self.workspace,
            days: self.days,
        };
        let (token, text) = tokens::create(app, wanted)?;
        let mut told = data(app, &token);
        told["token"] = Value::String(text.clone());
        show(common, &told, &format!("{text}\n"))
    }
}

fn list(common: &Common, app: &App) -> Result<(), Failure> {
    let tokens = tokens::list(app)?;
    let data: Vec<Value> = tokens.iter().map(|token| data(app, token)).collect();
    let lines: String = tokens.iter().map(|token| line(app, token)).collect();
    let none = "no tokens; create one with `forebay token create <name>`\n".to_owned();
    show(common, &Value::Array(data), &if tokens.is_empty() { none } else { lines })
}

fn show(common: &Common, data: &Value, text: &str) -> Result<(), Failure> {
    if common.json { terminal::print_json(data) } else { terminal::print_plain(text) }
}

fn line(app: &App, token: &Token) -> String {
    let workspace = token.workspace.as_deref().unwrap_or("-");
    let state = state(app, token);
    format!(
        "{}  {:<10} {:<16} {:<18} {}\n",
        token.id,
        state,
        token.name,
        token.rights.to_string(),
        workspace
    )
}

fn data(app: &App, token: &Token) -> Value {
    json!({
        "id": token.id,
        "name": token.name,
        "rights": token.rights.iter().map(forebay_domain::rights::Right::as_str).collect::<Vec<_>>(),
        "workspace": token.workspace,
        "state": state(app, token),
        "created_ms": token.created.0,
        "expires_ms": token.expires.map(|at| at.0),
        "revoked_ms": token.revoked.map(|at| at.0),
    })
}

fn state(app: &App, token: &Token) -> &'static str {
    match token.revoked {
        Some(_) => "revoked",
        None if token.is_valid(app.now()) => "in force",
        None => "expired",
    }
}

fn rights(words: &str) -> Result<Rights, String> {
    let rights = Rights::parse(words).map_err(|word| format!("unknown right `{word}`"))?;
    if rights == Rights::default() { Err("give at least one right".to_owned()) } else { Ok(rights) }
}
