//! The permission rules in force here, and what they say about a call.

mod check;
mod fetch_gate;
mod hook;
pub(crate) mod isolation;
mod links;
mod load;
mod objections;
mod permit;
mod rule_files;
mod session_rules;
#[cfg(test)]
mod test_env;
mod unreachable;

use std::path::{Path, PathBuf};

use forebay_policy::{
    Action, Call, CallContext, Denials, Execution, List, Mode, Origin, Paths, Rules, Sibling,
    Trust, Verdict, Warning, judge,
};

pub use self::check::{check_line, to_json};
pub(crate) use self::fetch_gate::FetchGate;
pub(crate) use self::hook::{Objection, before_a_call, before_a_tool};
pub(crate) use self::links::real_path;
pub use self::load::{Caution, InForce, RuleLine, load, trust_host};
pub(crate) use self::objections::{Outcome, record as record_objection};
pub(crate) use self::permit::{
    Act, Permissions, Readable, RunAct, environment, files_of, holds_rules, in_force, permit,
    permit_under, readable, start_session, summary, unreachable,
};
pub use self::session_rules::{SessionRules, forget_sessions, project_of_session};
pub use self::unreachable::Unreachable;

/// Where a call happens.
#[derive(Debug, Clone)]
pub struct Environment {
    pub cwd: PathBuf,
    /// The project's root.
    pub root: PathBuf,
    pub home: Option<PathBuf>,
    /// The root of the file system, below which hosts keep managed settings; `None` to ignore them.
    pub system_root: Option<PathBuf>,
    /// Looks up a folder in an environment variable; hosts have variables that move their files.
    pub variable: fn(&str) -> Option<PathBuf>,
}

impl Environment {
    pub const SYSTEM_ROOT: &'static str = "/";

    /// A variable of this process.
    pub fn variable(name: &str) -> Option<PathBuf> {
        std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }
}

/// What is asked about a call beside its rules.
#[derive(Debug, Clone)]
pub struct Circumstances {
    pub environment: Environment,
    pub mode: Mode,
    pub trust: Trust,
    pub directories: Vec<String>,
    pub allows_loopback: bool,
}

/// What deny rules name on this machine's disk.
pub fn unreachable_by(rules: &Rules, around: &Circumstances) -> Unreachable {
    with_context(around, |context| Unreachable::by(&Denials::new(rules, context)))
}

/// Judges a call under rules and circumstances; symlinks are followed on this machine's disk.
pub fn decide(tool: &str, input: &Input, rules: &Rules, around: &Circumstances) -> Verdict {
    with_context(around, |context| decide_in(context, tool, input, rules, around))
}

fn with_context<T>(around: &Circumstances, ask: impl FnOnce(&CallContext<'_>) -> T) -> T {
    let (cwd, root) = (text(&around.environment.cwd), text(&around.environment.root));
    let home = around.environment.home.as_deref().map(text);
    ask(&CallContext {
        cwd: &cwd,
        root: &root,
        home: home.as_deref(),
        directories: &around.directories,
        trust: around.trust,
        mode: around.mode,
        ignores_case: cfg!(target_os = "macos"),
        allows_loopback: around.allows_loopback,
        real_path: &links::follow,
    })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn decide_in(
    context: &CallContext<'_>,
    tool: &str,
    input: &Input,
    rules: &Rules,
    around: &Circumstances,
) -> Verdict {
    let main = input.main.as_str();
    let paths = Paths {
        given: main.to_owned(),
        resolved: links::follow(&text(&around.environment.cwd.join(main))),
    };
    let action = match tool {
        "Bash" => Action::Execute(Execution {
            command: main,
            variables: &input.variables,
            stdin: input.stdin.as_deref(),
            code: input.code.as_deref(),
            siblings: &input.siblings,
        }),
        "Read" => Action::Read(&paths),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => Action::Edit(&paths),
        "WebFetch" => Action::Fetch { url: main, resolved: input.addresses.as_deref() },
        _ => Action::Other,
    };
    judge(&Call { tool, action, parameters: &input.parameters }, rules, context)
}

/// A call's input, whatever the tool calls its fields.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The command, the path or the URL.
    pub main: String,
    /// Variables that a command gets besides its own environment.
    pub variables: Vec<(String, String)>,
    /// The command's standard input.
    pub stdin: Option<String>,
    /// Code of another language than the shell's, which the command runs.
    pub code: Option<String>,
    /// The other commands of the call.
    pub siblings: Vec<Sibling>,
    /// All other fields.
    pub parameters: Vec<(String, String)>,
    /// What the URL's host resolves to, once known.
    pub addresses: Option<Vec<std::net::IpAddr>>,
}

fn compile(written: &[RuleLine]) -> (Rules, Vec<Warning>) {
    let rows: Vec<(Origin, List, &str)> =
        written.iter().map(|each| (each.origin, each.list, each.text.as_str())).collect();
    Rules::compile(rows)
}
