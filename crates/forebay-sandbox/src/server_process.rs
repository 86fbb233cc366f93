//! A program that speaks a protocol on its stdin and stdout. It and all it starts end with this process.
//!
//! It is started like a run (`spawn`, with the reaper), but without isolation, limits and timeout, and with our stderr: the
//! caller stands between it and the process that would have started it.

use std::io::{self, PipeReader, PipeWriter};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use forebay_domain::run::Ending;
use rustix::process::Signal;

use crate::isolation::Sandbox;
use crate::poll::{Source, wait};
use crate::process_tree::ProcessTree;
use crate::spawn::{SpawnOptions, spawn};
use crate::spec::{Program, RunSpec, Stdin};
use crate::start::{Processes, StartedProcess, Stderr};
use crate::{CancelToken, RunError};

/// Time between checks on systems that do not report the end of a process.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Time for killed processes to end.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// A running server.
#[derive(Debug)]
pub struct ServerProcess {
    processes: Processes,
}

/// Our ends of its streams.
#[derive(Debug)]
pub struct ServerPipes {
    pub stdin: PipeWriter,
    pub stdout: PipeReader,
}

impl ServerProcess {
    /// Starts a program with its arguments, in this environment.
    pub fn start(argv: Vec<String>, cwd: PathBuf) -> Result<(Self, ServerPipes), RunError> {
        Self::start_with(argv, Vec::new(), cwd)
    }

    /// Starts a program in this environment with these variables added.
    pub fn start_with(
        argv: Vec<String>,
        env: Vec<(String, String)>,
        cwd: PathBuf,
    ) -> Result<(Self, ServerPipes), RunError> {
        let mut spec = RunSpec::new(Program::Argv(argv), cwd);
        spec.env = env;
        spec.stdin = Stdin::Text(Vec::new());
        spec.check()?;
        let sandbox = Sandbox::new(&spec.isolation)?;
        let options = SpawnOptions { sandbox, latch: None, stderr: Stderr::Inherited };
        let StartedProcess { processes, stdin, stdout, .. } = spawn(&spec, &options)?;
        let missing = || RunError::io("connect to the server")(io::ErrorKind::BrokenPipe.into());
        let pipes = ServerPipes {
            stdin: stdin.ok_or_else(missing)?.into(),
            stdout: stdout.ok_or_else(missing)?.into(),
        };
        Ok((Self { processes }, pipes))
    }

    /// Waits for the program to exit, then ends what it has left behind. Signals that are passed to
    /// [`CancelToken::forward`] reach it meanwhile.
    pub fn wait(self, signals: &CancelToken) -> io::Result<Ending> {
        let mut tree = ProcessTree::new(self.processes, signals);
        while !tree.leader_exited() {
            wait_for_event(&tree, None)?;
            tree.poll()?;
        }
        tree.signal(Signal::KILL);
        let deadline = Instant::now() + KILL_TIMEOUT;
        while !tree.is_gone() && Instant::now() < deadline {
            wait_for_event(&tree, Some(deadline.saturating_duration_since(Instant::now())))?;
            tree.poll()?;
        }
        Ok(tree.release()?.unwrap_or(Ending::Signalled(Signal::KILL.as_raw())))
    }
}

fn wait_for_event(tree: &ProcessTree<'_>, timeout: Option<Duration>) -> io::Result<()> {
    let events = tree.events().map(|events| (Source::Processes, events));
    let timeout = if ProcessTree::REPORTS_ENDS { timeout } else { Some(CHECK_INTERVAL) };
    wait(events.as_slice(), timeout).map(drop)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    fn start(script: &str) -> (ServerProcess, ServerPipes) {
        let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
        ServerProcess::start(argv, "/".into()).unwrap()
    }

    #[test]
    fn speaks_through_pipes_and_tells_its_ending() {
        let (server, mut pipes) = start("read line; echo \"got $line\"; exit 7");
        pipes.stdin.write_all(b"this\n").unwrap();
        let mut said = String::new();
        pipes.stdout.read_to_string(&mut said).unwrap();
        assert_eq!(said, "got this\n");
        assert_eq!(server.wait(&CancelToken::new()).unwrap(), Ending::Exited(7));
    }

    #[test]
    fn nothing_that_it_started_outlives_it() {
        let (server, mut pipes) = start("sleep 1000 & setsid sleep 1000 & exit 0");
        assert_eq!(server.wait(&CancelToken::new()).unwrap(), Ending::Exited(0));
        // Both sleeps had this pipe open.
        assert_eq!(pipes.stdout.read(&mut [0]).unwrap(), 0);
    }

    #[test]
    fn forwards_signals() {
        let (server, mut pipes) = start("trap 'exit 3' TERM; echo ready; sleep 1000 & wait");
        let mut ready = [0; 6];
        pipes.stdout.read_exact(&mut ready).unwrap();
        let signals = CancelToken::new();
        signals.forward(Signal::TERM.as_raw());
        assert_eq!(server.wait(&signals).unwrap(), Ending::Exited(3));
    }

    #[test]
    fn a_missing_program_is_told() {
        let argv = vec!["/no/such/server".to_owned()];
        let error = ServerProcess::start(argv, "/".into()).unwrap_err();
        assert!(matches!(error, RunError::NotFound(_)), "{error}");
    }
}
