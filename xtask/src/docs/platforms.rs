//! The agent platform page, from the platform tables.

use forebay_platforms::folders::BaseDir;
use forebay_platforms::platform::{Capability, Evidence, Harness};
use forebay_platforms::setup::{Level, SetupFile};
use forebay_platforms::{PLATFORMS, Platform, find};

use super::{GENERATED, table};

/// The abilities in the overview.
const SHOWN: &[(Capability, &str)] = &[
    (Capability::Deny, "deny"),
    (Capability::Ask, "ask"),
    (Capability::Rewrite, "rewrite command"),
    (Capability::ReplaceOwn, "replace own results"),
    (Capability::ReplaceMcp, "replace MCP results"),
    (Capability::ContextAtStart, "guide at start"),
    (Capability::ContextAtPrompt, "context at prompt"),
    (Capability::SeeCompaction, "see compaction"),
];

/// What `cargo xtask clients` saw of a test that fails after 20,000 lines.
const FAILING_TEST: &str = "failing test of 20,000 lines";

pub(super) fn page() -> String {
    let mut page = format!(
        "{GENERATED}\n\n# Agent platforms\n\nWhat Forebay's hooks can do on each of {} platforms. The MCP tools work on \
         all of them, also on those without hooks.\n\n{}",
        PLATFORMS.len(),
        overview()
    );
    for platform in PLATFORMS {
        page.push('\n');
        page.push_str(&section(platform));
    }
    page
}

fn overview() -> String {
    let labels = SHOWN.iter().map(|(_, label)| *label);
    let head: Vec<&str> = ["platform"].into_iter().chain(labels).chain([FAILING_TEST]).collect();
    let row = |platform: &&Platform| {
        let marks =
            SHOWN.iter().map(|(ability, _)| mark(platform.has_hooks() && platform.can(*ability)));
        let failing = platform.failing_test.unwrap_or("not tried").to_owned();
        [platform.name.to_owned()].into_iter().chain(marks).chain([failing]).collect()
    };
    table(&head, &PLATFORMS.iter().map(row).collect::<Vec<_>>())
}

fn mark(can: bool) -> String {
    if can { "yes" } else { "–" }.to_owned()
}

fn section(platform: &Platform) -> String {
    let Platform { name, id, .. } = platform;
    let mut text = format!("## {name}\n\n`forebay init {id}`. {}\n", evidence(platform.evidence));
    if !platform.harnesses.is_empty() {
        text.push_str(&format!("\n{}", harnesses(platform)));
    }
    text.push_str("\nLimits:\n\n");
    text.extend(platform.limitations.iter().map(|line| format!("- {line}\n")));
    if let Some(words) = platform.next_steps {
        text.push_str(&format!("\nAfterwards: {words}\n"));
    }
    if let Some(words) = platform.project_next_steps {
        text.push_str(&format!("\nAfter the set-up of a project: {words}\n"));
    }
    let mut rows: Vec<Vec<String>> = platform.files.iter().map(file).collect();
    // A file may get several things.
    rows.dedup();
    text.push_str(&format!("\n{}", table(&["level", "file"], &rows)));
    text
}

/// Which table describes each agent that runs in the host, and the command that sets it up.
fn harnesses(platform: &Platform) -> String {
    let row = |harness: &Harness| {
        let name = find(harness.platform).map_or(harness.platform, |other| other.name);
        let with = if harness.is_default { " (with the platform)" } else { "" };
        let command = format!("`forebay init {}:{}`{with}", platform.id, harness.name);
        vec![harness.name.to_owned(), format!("those of {name}"), command]
    };
    let rows: Vec<Vec<String>> = platform.harnesses.iter().map(row).collect();
    table(&["harness", "hooks, MCP settings and abilities", "set up by"], &rows)
}

const fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Run => "Observed in runs of the program.",
        Evidence::Package => "Read from the published program, not run.",
        Evidence::Documentation => "Read from documentation, not run.",
    }
}

fn file(file: &SetupFile) -> Vec<String> {
    let level = match file.level {
        Level::User => "user",
        Level::Project => "project",
    };
    vec![level.to_owned(), format!("`{}{}`", base(file.base), file.path)]
}

fn base(base: BaseDir) -> String {
    match base {
        BaseDir::Project => String::new(),
        BaseDir::Home => "~/".to_owned(),
        BaseDir::EnvOr(name, "") => format!("${{{name}:-~}}/"),
        BaseDir::EnvOr(name, folder) => format!("${{{name}:-~/{folder}}}/"),
        BaseDir::XdgConfig | BaseDir::Config => "~/.config/".to_owned(),
        BaseDir::AppSupport => "<application support>/".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_lists_every_host_and_its_limits() {
        let page = page();
        for platform in PLATFORMS {
            assert!(page.contains(&format!("\n## {}\n", platform.name)), "{}", platform.id);
            for words in platform.limitations {
                assert!(page.contains(words), "{}: {words}", platform.id);
            }
        }
    }
}
