//! What the rules say about a call that a host is about to make.

use forebay_domain::hook::{ToolAction, ToolCall};
use forebay_policy::{Decision, Mode, Unmatched, Verdict};
use forebay_store::Project;

use super::load::load_readable;
use super::permit::{environment, held_since, hold, in_force};
use super::session_rules::Record;
use super::{Environment, InForce, Input, decide};
use crate::{App, AppError};

/// What a rule of the user's says no to, or wants to be asked about.
pub(crate) enum Objection {
    Deny(String),
    Ask(String),
}

/// The strongest objection of a rule; what no rule mentions is the host's to decide.
///
/// A file of rules that cannot be read is logged, and the others count.
pub(crate) fn before_a_tool(app: &App, call: &ToolCall) -> Result<Option<Objection>, AppError> {
    let inputs = inputs(call);
    if inputs.is_empty() {
        return Ok(None);
    }
    let around = environment(app);
    let own = objection_in(&inputs, &around, Record::for_app(app).as_ref())?;
    let Some(project) = entered_project(app) else { return Ok(own) };
    let record = Record::in_project(app, Some(&project.id));
    let inside = Environment { root: project.root, ..around };
    Ok(stronger(own, objection_in(&inputs, &inside, record.as_ref())?))
}

/// The project inside of the app's that it works in: a nested repository, whose rules count as well.
fn entered_project(app: &App) -> Option<Project> {
    let around = app.stores.project()?;
    let entered = Project::for_folder(&app.cwd, app.user_home.as_deref())?;
    let is_inside = entered.root != around.root && entered.root.starts_with(&around.root);
    is_inside.then_some(entered)
}

fn objection_in(
    inputs: &[(String, Input)],
    around: &Environment,
    record: Option<&Record>,
) -> Result<Option<Objection>, AppError> {
    let (mut in_force, faults) = load_readable(around)?;
    hold(&mut in_force, None, record);
    for fault in &faults {
        tracing::warn!(%fault, "ignoring a rule file that cannot be read");
    }
    Ok(objection(inputs, around, &in_force))
}

fn stronger(one: Option<Objection>, other: Option<Objection>) -> Option<Objection> {
    match (one, other) {
        (Some(Objection::Ask(_)) | None, Some(stronger @ Objection::Deny(_))) => Some(stronger),
        (one, other) => one.or(other),
    }
}

/// The same in a process that serves many calls: rules are read again only if a file has changed.
pub(crate) fn before_a_call(app: &App, call: &ToolCall) -> Result<Option<Objection>, AppError> {
    match in_force(app) {
        Ok(in_force) => Ok(objection(&inputs(call), &environment(app), &in_force)),
        // Says which file is at fault, and asks the others.
        Err(_) => before_a_tool(app, call),
    }
}

fn objection(
    inputs: &[(String, Input)],
    around: &Environment,
    in_force: &InForce,
) -> Option<Objection> {
    if in_force.written.is_empty() {
        return None;
    }
    let around = in_force.circumstances(around, Some(Mode::Forebay(Unmatched::Run)));
    let verdicts = inputs.iter().map(|(tool, input)| {
        let mut verdict = decide(tool, input, &in_force.rules, &around);
        verdict.reason.push_str(&held_since(&verdict, in_force));
        verdict
    });
    strongest(verdicts)
}

fn strongest(verdicts: impl Iterator<Item = Verdict>) -> Option<Objection> {
    let mut asked = None;
    for verdict in verdicts.filter(|verdict| verdict.rule.is_some()) {
        match verdict.decision {
            Decision::Deny => return Some(Objection::Deny(verdict.reason)),
            Decision::Ask => drop(asked.get_or_insert(verdict.reason)),
            Decision::Allow => {}
        }
    }
    asked.map(Objection::Ask)
}

/// The call in the words of the rules: one input for each thing it touches.
fn inputs(call: &ToolCall) -> Vec<(String, Input)> {
    let each = |tool: &str, mains: &[String]| -> Vec<(String, Input)> {
        mains.iter().map(|main| (tool.to_owned(), input(main))).collect()
    };
    match &call.action {
        ToolAction::Shell { command } => each("Bash", std::slice::from_ref(command)),
        ToolAction::Read { paths } => each("Read", paths),
        ToolAction::Edit { paths } => each("Edit", paths),
        ToolAction::Write { paths } => each("Write", paths),
        // A search shows what stands in the files below its path.
        ToolAction::Search { path: Some(path), .. } => each("Read", std::slice::from_ref(path)),
        ToolAction::Fetch { urls } if urls.is_empty() => {
            vec![("WebFetch".to_owned(), Input::default())]
        }
        ToolAction::Fetch { urls } => each("WebFetch", urls),
        ToolAction::WebSearch { .. } => vec![("WebSearch".to_owned(), Input::default())],
        ToolAction::Mcp { server: Some(server), tool } => {
            vec![(format!("mcp__{server}__{tool}"), Input::default())]
        }
        ToolAction::Todo { .. } | ToolAction::Plan { .. } => Vec::new(),
        _ => vec![(call.name.clone(), Input::default())],
    }
}

fn input(main: &str) -> Input {
    Input { main: main.to_owned(), ..Input::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(action: ToolAction, expect: &[(&str, &str)]) {
        let call = ToolCall {
            name: "own".to_owned(),
            id: None,
            action,
            description: None,
            is_partial: false,
        };
        let inputs = inputs(&call);
        let told: Vec<(&str, &str)> =
            inputs.iter().map(|(tool, input)| (tool.as_str(), input.main.as_str())).collect();
        assert_eq!(told, expect);
    }

    #[test]
    fn a_call_is_judged_for_each_thing_it_touches() {
        check(ToolAction::Shell { command: "ls".into() }, &[("Bash", "ls")]);
        let paths = vec!["a".to_owned(), "b".to_owned()];
        check(ToolAction::Edit { paths }, &[("Edit", "a"), ("Edit", "b")]);
        check(
            ToolAction::Mcp { server: Some("gh".into()), tool: "push".into() },
            &[("mcp__gh__push", "")],
        );
        check(
            ToolAction::Search { pattern: "x".into(), path: Some(".env".into()) },
            &[("Read", ".env")],
        );
        check(ToolAction::Todo { items: Vec::new() }, &[]);
        check(ToolAction::Skill { name: "x".into() }, &[("own", "")]);
    }
}
