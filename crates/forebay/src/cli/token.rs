//! `forebay token`: API tokens of `forebay serve` and `forebay gateway`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use forebay_app::team::tokens::{self, NewToken, Token};
use forebay_app::{App, AppError};
use forebay_domain::rights::Grants;
use serde_json::{Value, json};

use super::Common;
use super::terminal::{self, Failure};

/// Create, list and revoke tokens of `forebay serve` and `forebay gateway`
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
    /// Rights: read, write, execute; for a server of `forebay gateway`, as NAME:read
    ///
    /// A token with rights for servers can use these servers only; one without can use all of them. There, read is for tools
    /// that say they only read, write for those that say they only add, execute for all.
    #[arg(long, default_value = "read", value_parser = grants)]
    rights: Grants,
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
            grants: self.rights,
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
        token.grants.to_string(),
        workspace
    )
}

fn data(app: &App, token: &Token) -> Value {
    json!({
        "id": token.id,
        "name": token.name,
        "rights": token.grants.to_string().split(',').collect::<Vec<_>>(),
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

fn grants(words: &str) -> Result<Grants, String> {
    let grants = Grants::parse(words).map_err(|word| format!("unknown right `{word}`"))?;
    if grants.is_empty() { Err("give at least one right".to_owned()) } else { Ok(grants) }
}
