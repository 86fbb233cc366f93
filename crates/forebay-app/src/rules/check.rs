//! Judging calls that are written down as JSON lines, without running anything.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::IpAddr;
use std::path::PathBuf;

use forebay_policy::{List, Mode, Origin, Trust, Unmatched, Verdict, host_of};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Circumstances, Environment, Input, RuleLine, compile, decide, load};
use crate::AppError;

/// One line.
#[derive(Debug, Deserialize)]
struct Line {
    id: Value,
    tool: String,
    input: Value,
    /// With these, no settings file is read.
    scopes: Option<BTreeMap<Scope, Lists>>,
    mode: Option<String>,
    cwd: Option<PathBuf>,
    root: Option<PathBuf>,
    home: Option<PathBuf>,
    trusted: Option<bool>,
    /// Addresses by host, in place of a resolver.
    resolve: Option<BTreeMap<String, Vec<IpAddr>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Scope {
    Managed,
    Cli,
    Local,
    Project,
    User,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Lists {
    deny: Vec<String>,
    ask: Vec<String>,
    allow: Vec<String>,
}

/// Judges one line and answers with one.
pub fn check_line(line: &str, here: &Environment) -> Result<String, AppError> {
    let mut deserializer = serde_json::Deserializer::from_str(line);
    let line: Line = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        AppError::bad_input(
            error.to_string(),
            "a line is {id, tool, input, scopes?, mode?, cwd?, root?, home?, trusted?, resolve?}",
        )
    })?;
    let mode = line.mode.as_deref().map(read_mode).transpose()?;
    let environment = line.environment(here);
    let input = line.call_input();
    let answered = if let Some(scopes) = &line.scopes {
        let (rules, warnings) = compile(&written(scopes));
        to_json(
            &decide(&line.tool, &input, &rules, &line.circumstances(environment, mode)),
            &warnings,
        )
    } else {
        let in_force = load(&environment)?;
        let mut around = in_force.circumstances(&environment, mode);
        around.trust = line.trusted.map_or(around.trust, given_trust);
        to_json(&decide(&line.tool, &input, &in_force.rules, &around), &in_force.warnings)
    };
    let mut answer = Map::from_iter([("id".to_owned(), line.id)]);
    answer.extend(answered);
    Ok(Value::Object(answer).to_string())
}

/// A verdict as data.
pub fn to_json(verdict: &Verdict, warnings: &[impl Display]) -> Map<String, Value> {
    let mut answer = Map::new();
    answer.insert("verdict".to_owned(), json!(verdict.decision.as_str()));
    if let Some((origin, text)) = &verdict.rule {
        answer.insert("rule".to_owned(), json!(text));
        answer.insert("scope".to_owned(), json!(origin.as_str()));
    }
    answer.insert("reason".to_owned(), json!(verdict.reason));
    if !verdict.dial.is_empty() {
        let dial: Vec<String> = verdict.dial.iter().map(IpAddr::to_string).collect();
        answer.insert("dial".to_owned(), json!(dial));
    }
    if !warnings.is_empty() {
        let lines: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        answer.insert("warnings".to_owned(), json!(lines));
    }
    answer
}

/// The host's mode by its name.
fn read_mode(name: &str) -> Result<Mode, AppError> {
    Mode::from_host_name(name).ok_or_else(|| {
        AppError::bad_input(
            format!("unknown mode `{name}`"),
            "modes: default, acceptEdits, plan, dontAsk, bypassPermissions",
        )
    })
}

impl Line {
    /// A root that is not given is the folder that is.
    fn environment(&self, here: &Environment) -> Environment {
        let cwd = self.cwd.clone().or_else(|| self.root.clone());
        let root = self.root.clone().or_else(|| self.cwd.clone());
        Environment {
            cwd: cwd.unwrap_or_else(|| here.cwd.clone()),
            root: root.unwrap_or_else(|| here.root.clone()),
            home: self.home.clone().or_else(|| here.home.clone()),
            system_root: here.system_root.clone(),
            // What this process's variables name belongs to its own user.
            variable: if self.home.is_some() { |_| None } else { here.variable },
        }
    }

    /// Rules that are given with the call were given by somebody who is trusted, unless he says no.
    fn circumstances(&self, environment: Environment, mode: Option<Mode>) -> Circumstances {
        Circumstances {
            environment,
            mode: mode.unwrap_or(Mode::Forebay(Unmatched::Run)),
            trust: given_trust(self.trusted.unwrap_or(true)),
            directories: Vec::new(),
            allows_loopback: false,
        }
    }

    /// The input is the main field alone, or an object as the host sends it.
    fn call_input(&self) -> Input {
        const MAIN: [&str; 5] = ["command", "file_path", "notebook_path", "path", "url"];
        let Value::Object(fields) = &self.input else {
            let main = plain(&self.input);
            let addresses = self.addresses(&main);
            return Input { main, addresses, ..Input::default() };
        };
        let main_field = MAIN.into_iter().find(|name| fields.contains_key(*name));
        let main = main_field.map(|name| plain(&fields[name])).unwrap_or_default();
        let others = fields.iter().filter(|(name, _)| Some(name.as_str()) != main_field);
        let env = fields.get("env").and_then(Value::as_object).into_iter().flatten();
        Input {
            addresses: self.addresses(&main),
            main,
            variables: env.map(|(name, value)| (name.clone(), plain(value))).collect(),
            parameters: others.map(|(name, value)| (name.clone(), plain(value))).collect(),
            ..Input::default()
        }
    }

    /// With `resolve` given, a host that is not in it does not resolve.
    fn addresses(&self, url: &str) -> Option<Vec<IpAddr>> {
        let resolve = self.resolve.as_ref()?;
        let host = host_of(url)?;
        let is_host = |name: &str| name.trim_end_matches('.').eq_ignore_ascii_case(&host);
        let found = resolve.iter().find(|(name, _)| is_host(name));
        Some(found.map(|(_, addresses)| addresses.clone()).unwrap_or_default())
    }
}

fn given_trust(trusted: bool) -> Trust {
    if trusted { Trust::Workspace } else { Trust::LocalFile }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn written(scopes: &BTreeMap<Scope, Lists>) -> Vec<RuleLine> {
    let mut written = Vec::new();
    for (scope, lists) in scopes {
        for (list, texts) in
            [(List::Deny, &lists.deny), (List::Ask, &lists.ask), (List::Allow, &lists.allow)]
        {
            written.extend(texts.iter().map(|text| RuleLine {
                origin: scope.origin(),
                list,
                text: text.clone(),
                file: PathBuf::new(),
            }));
        }
    }
    written
}

impl Scope {
    fn origin(self) -> Origin {
        match self {
            Self::Managed => Origin::Managed,
            Self::Cli => Origin::CommandLine,
            Self::Local => Origin::Local,
            Self::Project => Origin::Project,
            Self::User => Origin::User,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str) -> String {
        let here = Environment {
            cwd: "/nowhere/p".into(),
            root: "/nowhere/p".into(),
            home: Some("/nowhere".into()),
            system_root: None,
            variable: |_| None,
        };
        check_line(line, &here).unwrap_or_else(|error| format!("error: {}", error.message))
    }

    #[test]
    fn a_line_is_answered_with_a_line() {
        insta::assert_snapshot!(
            check(r#"{"id":1,"tool":"Bash","input":"su\"\"do ls","scopes":{"project":{"deny":["Bash(sudo:*)"]}}}"#),
            @r#"{"id":1,"verdict":"deny","rule":"Bash(sudo:*)","scope":"project","reason":"the project rule Bash(sudo:*) denies it"}"#
        );
        insta::assert_snapshot!(
            check(r#"{"id":"a","tool":"WebFetch","input":{"url":"https://X.com./","prompt":"p"},"scopes":{},"resolve":{"x.com":["10.0.0.1","1.1.1.1"]}}"#),
            @r#"{"id":"a","verdict":"allow","reason":"no rule matches it","dial":["1.1.1.1"]}"#
        );
        insta::assert_snapshot!(
            check(r#"{"id":2,"tool":"Edit","input":{"file_path":"/nowhere/p/a"},"mode":"acceptEdits","scopes":{"user":{"allow":["Write(x)"]}}}"#),
            @r#"{"id":2,"verdict":"allow","reason":"it is in a working folder","warnings":["user rule `Write(x)` is skipped: Write(path) is never consulted; write Read(path) or Edit(path)"]}"#
        );
    }

    #[test]
    fn a_bad_line_says_what_is_wrong_with_it() {
        assert!(check("{").starts_with("error: EOF"));
        assert!(
            check(r#"{"id":1,"tool":"Bash","input":"ls","mode":"x"}"#).contains("unknown mode `x`")
        );
        assert!(
            check(r#"{"id":1,"tool":"Bash","input":"ls","scopes":{"team":{}}}"#)
                .contains("unknown variant")
        );
    }
}
