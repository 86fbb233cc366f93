//! Asks whether some results are held out, so that `forebay stats` can tell whether digests pay.

use forebay_app::Reply;

use crate::cli::terminal::{self, Failure};
use crate::cli::{Common, config};

const SETTING: &str = "experiment.holdout";
const SHARE: &str = "0.1";

/// Asks at the terminal, unless the settings say so already. Without a yes the holdout stays off.
pub(super) fn offer(common: &Common) -> Result<(), Failure> {
    if !config::is_default(common, SETTING)? {
        return Ok(());
    }
    let question = "\nMeasure whether digests pay? One in ten long results then stays raw, and `forebay stats` \
                    compares both.";
    if terminal::ask(question) == Reply::Yes && config::set_for_user(common, SETTING, SHARE)? {
        terminal::print_plain(&format!(
            "One in ten results stays raw. `forebay config set {SETTING} 0` ends it.\n"
        ))?;
    }
    Ok(())
}
