//! The platforms page, from the platform tables.

use forebay_platforms::platform::{Ability, Evidence};
use forebay_platforms::setup::{Base, Level, SetupFile};
use forebay_platforms::{PLATFORMS, Platform};

use super::{GENERATED, table};

/// Columns of the overview.
const SHOWN: &[(Ability, &str)] = &[
    (Ability::Deny, "deny"),
    (Ability::Ask, "ask"),
    (Ability::Rewrite, "rewrite command"),
    (Ability::ReplaceOwn, "replace own results"),
    (Ability::ReplaceMcp, "replace MCP results"),
    (Ability::ContextAtStart, "guide at start"),
    (Ability::ContextAtPrompt, "context at prompt"),
    (Ability::SeeCompaction, "see compaction"),
];

pub(super) fn page() -> String {
    let mut page = format!(
        "{GENERATED}\n\n# Agent platforms\n\nWhat Forebay's hooks can do on each of {} platforms. The MCP tools work on all of \
         them, also on those without hooks.\n\n{}",
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
        ["platform"].into_iter().chain(SHOWN.iter().map(|(_, words)| *words)).collect();
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
    if let Some(words) = platform.afterwards {
        text.push_str(&format!("\nAfterwards: {words}\n"));
    }
    let rows: Vec<Vec<String>> = platform.files.iter().map(file).collect();
    text.push_str(&format!("\n{}", table(&["level", "file"], &rows)));
    text
}

const fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Run => "Tested with the released program.",
        Evidence::Package => "Derived from the published package; not run.",
        Evidence::Documentation => "Derived from its documentation; not run.",
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
        Base::AppSupport => "<application support>/".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_every_platform_with_its_limits() {
        let page = page();
        for platform in PLATFORMS {
            assert!(page.contains(&format!("\n## {}\n", platform.name)), "{}", platform.id);
            for words in platform.cannot {
                assert!(page.contains(words), "{}: {words}", platform.id);
            }
        }
    }
}
