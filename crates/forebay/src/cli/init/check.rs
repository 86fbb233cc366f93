//! Checks that agents reach Forebay: starts what their files name, as they do, and sends a recorded event and a tool call.
//!
//! Hooks and servers get a temporary data folder, so that nothing of the check is stored for the user.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forebay_app::agents::invocations::{Invocation, Invocations};
use forebay_app::agents::{Level, Machine, Platform};
use forebay_domain::Stream;
use forebay_platforms::platform::Probe;
use forebay_platforms::setup::ServerCommand;
use forebay_sandbox::{CancelToken, Program, RunSpec, Sink, Stdin};
use forebay_store::Home;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::config::environment;

/// Hosts give a hook ten seconds or more; a busy machine may need them.
const TIMEOUT: Duration = Duration::from_secs(20);
/// More output is not read.
const MAX_OUTPUT_BYTES: usize = 1 << 20;
/// A tool that reads only the temporary store.
const TOOL: &str = "ctx_stats";
/// The folder in recorded payloads.
const RECORDED_PROJECT: &str = "/home/user/project";
const RECORDED_HOME: &str = "/home/user";

/// What was seen of one agent.
pub(super) struct Reach {
    pub(super) agent: &'static Platform,
    /// None where the platform has no hooks, or none at this level.
    pub(super) hook: Option<Answered>,
    pub(super) tool_call: Option<Answered>,
}

/// How long the answer took, or why there was none.
pub(super) type Answered = Result<Duration, String>;

impl Reach {
    pub(super) fn is_good(&self) -> bool {
        [&self.hook, &self.tool_call].into_iter().flatten().all(Result::is_ok)
    }

    pub(super) fn as_data(&self) -> Value {
        let seen = |seen: &Option<Answered>| {
            seen.as_ref().map(|seen| match seen {
                Ok(duration) => json!({ "answered": true, "ms": millis(*duration) }),
                Err(why) => json!({ "answered": false, "why": why }),
            })
        };
        json!({ "agent": self.agent.id, "hook": seen(&self.hook), "tool_call": seen(&self.tool_call) })
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Checks agents that are set up at a level, in the folder where they would be started.
pub(super) fn check(
    machine: &Machine,
    agents: &[&'static Platform],
    level: Level,
    cwd: &Path,
) -> Vec<Reach> {
    let check_one = |agent: &&'static Platform| {
        let Invocations { hook, server } = Invocations::read(machine, agent, level);
        let hook = hook.zip(agent.probe);
        Reach {
            agent,
            hook: hook.map(|(hook, probe)| call_hook(agent, probe, hook, cwd)),
            tool_call: server.map(|server| call_tool(server, cwd)),
        }
    };
    agents
        .iter()
        .map(check_one)
        .filter(|one| one.hook.is_some() || one.tool_call.is_some())
        .collect()
}

/// Sends an event to a hook, which stores it or answers; on a fault it does neither.
fn call_hook(
    agent: &Platform,
    probe: &Probe,
    hook: Invocation<Vec<String>>,
    cwd: &Path,
) -> Answered {
    let command = hook.command.ok_or_else(|| format!("{} has no hook", hook.path.display()))?;
    let trial = Trial::new(cwd)?;
    let payload = trial.payload(probe);
    let mut variables: Vec<(String, String)> = Vec::new();
    if !agent.caller.foreign_env.is_empty() {
        // A shell inside of another agent has that one's variables.
        variables
            .extend(agent.caller.own_env.first().map(|name| ((*name).to_owned(), "1".to_owned())));
    }
    let started = Instant::now();
    let output = trial.run(command, variables, payload.into_bytes())?;
    let duration = started.elapsed();
    if let Some(lost) = hook.lost_program {
        return Err(format!("{lost} does not exist here"));
    }
    match trial.logged_fault() {
        Some(fault) => Err(fault),
        None if trial.has_stored() || output.is_answer() => Ok(duration),
        None => Err(output.fault("it neither answered nor stored the event")),
    }
}

/// Makes the handshake with a server and calls a tool.
fn call_tool(server: Invocation<ServerCommand>, cwd: &Path) -> Answered {
    let path = server.path;
    let ServerCommand { arguments, environment, cwd: own } =
        server.command.ok_or_else(|| format!("{} has no server", path.display()))?;
    if let Some(lost) = server.lost_program {
        return Err(format!("{lost} does not exist here"));
    }
    let folder = own.map_or_else(|| cwd.to_owned(), PathBuf::from);
    let trial = Trial::new(&folder)?;
    let started = Instant::now();
    let output = trial.run(arguments, environment, requests().into_bytes())?;
    let duration = started.elapsed();
    let answer = |id: u64| {
        let messages = output.stdout.lines().filter_map(|line| serde_json::from_str(line).ok());
        messages.into_iter().find(|message: &Value| message["id"] == id)
    };
    if answer(1).is_none_or(|answer| answer["result"]["serverInfo"].is_null()) {
        return Err(output.fault("no answer to `initialize`"));
    }
    match answer(2) {
        Some(called) if called["result"]["isError"] == true || called["result"].is_null() => {
            Err(format!("the tool call failed: {}", error_in(&called)))
        }
        Some(_) => Ok(duration),
        None => Err(output.fault("no answer to a tool call")),
    }
}

fn requests() -> String {
    let client = json!({ "name": "forebay-init", "version": env!("CARGO_PKG_VERSION") });
    let initialize =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": TOOL, "arguments": {} } }),
    ]
    .map(|message| format!("{message}\n"))
    .concat()
}

fn error_in(answer: &Value) -> String {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.or(answer["error"]["message"].as_str()).unwrap_or("without a reason").to_owned()
}

/// A temporary data folder for what is started.
struct Trial {
    folder: TempDir,
    cwd: PathBuf,
}

impl Trial {
    fn new(cwd: &Path) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("forebay-check-").tempdir();
        let folder = folder.map_err(|error| format!("no temporary folder: {error}"))?;
        Ok(Self { folder, cwd: cwd.to_owned() })
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A recorded payload, as if it came from here.
    fn payload(&self, probe: &Probe) -> String {
        let as_json = |path: &Path| {
            let text = Value::String(path.to_string_lossy().into_owned()).to_string();
            text.trim_matches('"').to_owned()
        };
        let payload = probe.payload.replace(RECORDED_PROJECT, &as_json(&self.cwd));
        let elsewhere = as_json(&self.folder.path().join("home"));
        payload.replace(&format!("\"{RECORDED_HOME}/"), &format!("\"{elsewhere}/"))
    }

    fn run(
        &self,
        arguments: Vec<String>,
        variables: Vec<(String, String)>,
        stdin: Vec<u8>,
    ) -> Result<Output, String> {
        let mut spec = RunSpec::new(Program::Argv(arguments), self.cwd.clone());
        // Settings of this process, such as the address of a server, are not for the check.
        let unset = environment::forebay_variables().map(|(name, _)| (name, String::new()));
        spec.env = unset.chain(variables).collect();
        spec.env.retain(|(name, _)| name != environment::HOME);
        let data = self.data().to_string_lossy().into_owned();
        spec.env.push((environment::HOME.to_owned(), data));
        spec.stdin = Stdin::Text(stdin);
        spec.timeout = TIMEOUT;
        let mut output = Output::default();
        let finished = forebay_sandbox::run(&spec, &mut output, &CancelToken::new());
        let finished = finished.map_err(|error| error.to_string())?;
        if !finished.ending.is_success() {
            output.ending = Some(finished.ending.to_string());
        }
        Ok(output)
    }

    fn has_stored(&self) -> bool {
        !Home::new(self.data()).databases().is_empty()
    }

    /// Why a hook was silent, which only the log tells.
    fn logged_fault(&self) -> Option<String> {
        let log = fs::read_to_string(Home::new(self.data()).log_file()).ok()?;
        let faults = log.lines().filter(|line| line.contains(": hook platform="));
        let (_, fault) = faults.filter_map(|line| line.split_once(" fault=")).next_back()?;
        Some(fault.to_owned())
    }
}

/// What a process wrote, and how it ended if not well.
#[derive(Default)]
struct Output {
    stdout: String,
    stderr: String,
    ending: Option<String>,
}

impl Output {
    /// Whether a hook said something; on a fault it is silent.
    fn is_answer(&self) -> bool {
        self.ending.is_none() && !self.stdout.trim().is_empty()
    }

    /// Why there was no answer.
    fn fault(&self, otherwise: &str) -> String {
        let last = self.stderr.lines().rfind(|line| !line.trim().is_empty());
        let parts = [self.ending.as_deref(), last.map(str::trim)];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        if parts.is_empty() { otherwise.to_owned() } else { parts.join(": ") }
    }
}

impl Sink for Output {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let text = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        if text.len() < MAX_OUTPUT_BYTES {
            text.push_str(&String::from_utf8_lossy(bytes));
        }
    }
}
