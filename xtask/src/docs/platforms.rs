//! The agent host page, from the platform tables.

use forebay_platforms::platform::{Ability, Evidence};
use forebay_platforms::setup::{Base, Level, SetupFile};
use forebay_platforms::{PLATFORMS, Platform};

use super::{GENERATED, table};

/// The abilities in the overview.
const SHOWN: &[(Ability, &str)] = &[
    (Ability::Deny, "deny"),
    (Ability::Ask, "ask"),
    (Ability::Rewrite, "rewrite a command"),
    (Ability::ReplaceOwn, "replace its results"),
    (Ability::ReplaceMcp, "replace MCP results"),
    (Ability::ContextAtStart, "guide at start"),
    (Ability::ContextAtPrompt, "context at a prompt"),
    (Ability::SeeCompaction, "see compaction"),
];

pub(super) fn page() -> String {
    let mut page = format!(
        "{GENERATED}\n\n# Agent hosts\n\nWhat Forebay's hooks can do in each of {} hosts. In a host without \
         hooks, the MCP tools work.\n\n{}",
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
    let head: Vec<&str> =
        ["host"].into_iter().chain(SHOWN.iter().map(|(_, label)| *label)).collect();
    let row = |platform: &&Platform| {
        let marks =
            SHOWN.iter().map(|(ability, _)| mark(platform.has_hooks() && platform.can(*ability)));
        [platform.name.to_owned()].into_iter().chain(marks).collect()
    };
    table(&head, &PLATFORMS.iter().map(row).collect::<Vec<_>>())
}

fn mark(can: bool) -> String {
    if can { "yes" } else { "–" }.to_owned()
}

fn section(platform: &Platform) -> String {
    let Platform { name, id, .. } = platform;
    let mut text = format!("## {name}\n\n`forebay init {id}`. {}\n", evidence(platform.evidence));
    text.push_str("\nLimits:\n\n");
    text.extend(platform.cannot.iter().map(|line| format!("- {line}\n")));
    if let Some(steps) = platform.afterwards {
        text.push_str(&format!("\nAfterwards: {steps}\n"));
    }
    let rows: Vec<Vec<String>> = platform.files.iter().map(file).collect();
    text.push_str(&format!("\n{}", table(&["level", "file"], &rows)));
    text
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

fn base(base: Base) -> String {
    match base {
        Base::Project => String::new(),
        Base::Home => "~/".to_owned(),
        Base::EnvOr(name, "") => format!("${{{name}:-~}}/"),
        Base::EnvOr(name, folder) => format!("${{{name}:-~/{folder}}}/"),
        Base::XdgConfig | Base::Config => "~/.config/".to_owned(),
        Base::AppSupport => "<settings of desktop programs>/".to_owned(),
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
            for limit in platform.cannot {
                assert!(page.contains(limit), "{}: {limit}", platform.id);
            }
        }
    }
}
