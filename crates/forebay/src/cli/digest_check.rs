//! `forebay digest --check`: tests each recognizer of the settings on its sample, and each reported digest.

use std::process::ExitCode;

use forebay_app::AppError;
use forebay_app::digest_samples::Samples;
use forebay_app::settings::recognizers::Verdict;
use serde_json::{Value, json};

use super::Common;
use super::terminal::{self, Failure};

/// Prints the result of each; fails if one does not meet its expectations.
pub(super) fn run(tokens: Option<u64>, common: &Common) -> Result<ExitCode, Failure> {
    let app = common.app()?;
    let settings = &app.settings;
    let mut verdicts = settings.recognizers.check(tokens.unwrap_or(settings.digest.budget));
    verdicts.extend(Samples::for_app(&app).check(&app, tokens)?);
    if common.json {
        terminal::print_json(&verdicts.iter().map(data).collect())?;
    } else if verdicts.is_empty() {
        terminal::print_plain(
            "no recognizers are defined; [recognizers.<name>] in .forebay.toml defines one\n\
             no digest was reported; forebay ui --write does that\n",
        )?;
    } else {
        terminal::print_plain(&table(&verdicts))?;
    }
    let all_good = verdicts.iter().all(|verdict| verdict.checked.errors.is_empty());
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Deletes the sample of a reported digest.
pub(super) fn forget(reference: &str, common: &Common) -> Result<ExitCode, Failure> {
    if !Samples::for_app(&*common.app()?).delete(reference)? {
        let hint = "forebay digest --check lists the samples";
        return Err(AppError::not_found("no digest of this entry was reported", hint).into());
    }
    if common.json {
        terminal::print_json(&json!({ "deleted": true }))?;
    } else {
        terminal::print_plain("the sample is deleted\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One line a recognizer and failure, followed by the digests that differ.
fn table(verdicts: &[Verdict]) -> String {
    let width = verdicts.iter().map(|verdict| verdict.name.len()).max().unwrap_or_default();
    let rows: String = verdicts.iter().map(|verdict| row(verdict, width)).collect();
    let wrong = verdicts.iter().filter(|verdict| !verdict.checked.errors.is_empty());
    let shown = wrong.filter(|verdict| !verdict.checked.digest.is_empty()).map(|verdict| {
        format!(
            "\ndigest of the sample of {}:\n{}\n",
            verdict.name,
            indented(&verdict.checked.digest)
        )
    });
    rows + &shown.collect::<String>()
}

fn row(Verdict { name, checked }: &Verdict, width: usize) -> String {
    if checked.errors.is_empty() {
        let unmatched = match checked.unmatched.as_slice() {
            [] => String::new(),
            keys => format!(", but no line of its sample matches {}", keys.join(", ")),
        };
        return format!("{name:<width$}  ok{unmatched}\n");
    }
    checked.errors.iter().map(|fault| format!("{name:<width$}  fails: {fault}\n")).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn data(Verdict { name, checked }: &Verdict) -> Value {
    json!({
        "name": name,
        "ok": checked.errors.is_empty(),
        "faults": checked.errors,
        "untried": checked.unmatched,
        "digest": checked.digest,
    })
}
