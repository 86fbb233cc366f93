//! `forebay token`: who may come in through the network.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use forebay_app::team::tokens::{self, Token, Wanted};
use forebay_app::{App, AppError};
use forebay_domain::rights::Rights;
use serde_json::{Value, json};

use super::Common;
use super::terminal::{self, Failure};

/// Make, list and revoke the tokens of `forebay serve`
#[derive(Debug, Args)]
pub(super) struct Tokens {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Create(Create),
    /// List the tokens; their secrets are kept nowhere
    List,
    Revoke(Revoke),
}

/// Make a token and print it, this once
#[derive(Debug, Args)]
struct Create {
    /// Who bears it
    name: String,
    /// What for: read, write, execute
    #[arg(long, default_value = "read", value_parser = rights)]
    rights: Rights,
    /// The workspace it leads to; without one, the server's own project
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,
    /// Days until it expires; without, never
    #[arg(long, value_name = "COUNT")]
    days: Option<u64>,
}

/// End a token, for good
#[derive(Debug, Args)]
struct Revoke {
    /// Its id or name
    token: String,
}

impl Tokens {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let app = common.app()?;
        match self.verb {
            Verb::Create(create) => create.carry_out(common, &app)?,
            Verb::List => list(common, &app)?,
            Verb::Revoke(revoke) => {
                let token = tokens::revoke(&app, &revoke.token)?;
                let line = format!(
                    "{} ({}) is revoked; servers know within a second\n",
                    token.id, token.name
                );
                show(common, &data(&app, &token), &line)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Create {
    fn carry_out(self, common: &Common, app: &App) -> Result<(), Failure> {
        if self.days == Some(0) {
            let hint = "give at least one day, or leave it out";
            return Err(AppError::bad_input("a token of 0 days opens nothing", hint).into());
        }
        let wanted = Wanted {
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
    let none = "no tokens; `forebay token create <name>` makes one\n".to_owned();
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
        "rights": token.rights.iter().map(forebay_domain::rights::Right::word).collect::<Vec<_>>(),
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
        None if token.is_in_force(app.now()) => "in force",
        None => "expired",
    }
}

fn rights(words: &str) -> Result<Rights, String> {
    let rights = Rights::from_words(words).map_err(|word| format!("there is no right `{word}`"))?;
    if rights == Rights::default() { Err("give at least one".to_owned()) } else { Ok(rights) }
}
