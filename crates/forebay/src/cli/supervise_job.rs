//! `forebay supervise-job`: supervises one background job; started by servers and `run --background`.

use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use clap::Args;
use forebay_app::run::jobs::{self, Order};
use forebay_sandbox::CancelToken;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Common;
use super::terminal::Failure;

/// Supervise one background job (internal)
#[derive(Debug, Args)]
// A server that was started before an upgrade still uses the old name.
#[command(hide = true, alias = "keep-job")]
pub(super) struct SuperviseJob {}

pub(super) const NAME: &str = "supervise-job";

impl SuperviseJob {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        let order = Order::parse(&line)?;
        let app = common.app_for(&order.client, &order.session)?;
        let cancel = CancelToken::new();
        cancel_on_signal(cancel.clone())?;
        if !order.is_kept() {
            cancel_when_server_exits(cancel.clone());
        }
        jobs::supervise(&app, &order, &cancel, report)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Reports one line to the parent process, which then stops reading.
fn report(word: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{word}")?;
    stdout.flush()
}

fn cancel_on_signal(cancel: CancelToken) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            cancel.cancel();
        }
    });
    Ok(())
}

/// The server keeps our stdin open as long as it lives.
fn cancel_when_server_exits(cancel: CancelToken) {
    std::thread::spawn(move || {
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        cancel.cancel();
    });
}
