//! `forebay keep-job`: watches one background job; started by servers and `run --background`.

use std::ffi::OsString;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use clap::Args;
use forebay_app::jobs::{self, Order};
use forebay_sandbox::{Cancel, KeeperProgram};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Common;
use super::terminal::Failure;

/// Watch one background job (started by other commands, not by hand)
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct KeepJob {}

impl KeepJob {
    pub(super) fn carry_out(self, common: &Common) -> Result<ExitCode, Failure> {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        let order = Order::read(&line)?;
        let app = common.app_for(&order.client, &order.session)?;
        let cancel = Cancel::new();
        end_on_signal(cancel.clone())?;
        if !order.is_kept() {
            end_with_the_server(cancel.clone());
        }
        jobs::keep(&app, &order, &cancel, say)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// How a server starts this, for the same folder and with the same settings.
pub(super) fn program(common: &Common) -> Option<KeeperProgram> {
    let mut arguments: Vec<OsString> = vec!["-C".into(), common.working_folder().ok()?.into()];
    arguments.extend(common.set.iter().flat_map(|set| ["--set".into(), set.into()]));
    arguments.push("keep-job".into());
    Some(KeeperProgram { program: std::env::current_exe().ok()?, arguments })
}

/// One line to whoever started this; after it nobody listens.
fn say(word: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{word}")?;
    stdout.flush()
}

fn end_on_signal(cancel: Cancel) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            cancel.cancel();
        }
    });
    Ok(())
}

/// The server holds our stdin open as long as it lives.
fn end_with_the_server(cancel: Cancel) {
    std::thread::spawn(move || {
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        cancel.cancel();
    });
}
