//! `forebay doctor`: health check.

mod fix;

use std::mem::ManuallyDrop;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use forebay_app::{App, Call, Salvaged};
use serde_json::json;

use super::progress;
use super::terminal::{self, Failure};
use super::{Common, project_root};

/// Check that everything works on this machine
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
pub(super) struct Doctor {
    /// Mend set-ups of agents: lost programs, missing or incomplete files, modes; shows every change and asks
    #[arg(long, conflicts_with_all = ["repair", "deep"])]
    fix: bool,
    /// With --fix, mend without asking
    #[arg(short, long, requires = "fix")]
    yes: bool,
    /// Move a damaged store aside under a new name and start a new one; nothing is deleted
    #[arg(long)]
    repair: bool,
    /// Read every entry; if something is damaged, save what is whole to a new file (with --repair: in its place)
    #[arg(long)]
    deep: bool,
}

/// Where the findings of the checks start.
const FINDING_COLUMN: usize = 19;
/// Indentation of the continued lines of what a deep check found.
const DETAIL_INDENT: usize = 4;

impl Doctor {
    pub(super) fn run(self, common: &Common) -> Result<ExitCode, Failure> {
        let mended = if self.fix { Some(fix::run(common, self.yes)?) } else { None };
        let program = super::running_program().ok().map(Arc::new);
        let app = ManuallyDrop::into_inner(common.tolerant_app()?).watching(program);
        let (_, fault) = common.valid_config(&project_root(&common.working_folder()?))?;
        if self.deep {
            return self.check_deeply(common, &app);
        }
        if self.repair {
            terminal::print_answer(&app.repair()?)?;
        }
        let mut answer = app.call("ctx_doctor", json!({}), &Call::default())?;
        if let Some(fix::Mended(mended)) = mended {
            answer.data["mended"] = mended;
        }
        let healthy = answer.data["healthy"].as_bool().unwrap_or_default();
        common.show_wrapped(&answer, FINDING_COLUMN)?;
        Ok(if healthy && fault.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn check_deeply(self, common: &Common, app: &App) -> Result<ExitCode, Failure> {
        let salvaged = if self.repair { Salvaged::InPlace } else { Salvaged::Beside };
        let bar = progress::steps("reading", "entries");
        let answer = app.deep_check(salvaged, &mut |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        });
        bar.finish_and_clear();
        let answer = answer?;
        common.show_wrapped(&answer, DETAIL_INDENT)?;
        let healthy = answer.data["healthy"].as_bool().unwrap_or_default();
        Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
