//! Settings, rule files, git's pointers and transcripts are read in one way.

use super::Rule;
use crate::workspace::Source;

pub(super) const READ_SAFELY: Rule = Rule {
    name: "files that others made are read by forebay_store::control_file or regular_file",
    reason: "They come with a project: a pipe or a link to a device must neither hang nor fill this program.",
    check: |codebase| Ok(codebase.rust_sources().flat_map(violations).collect()),
};

/// Where such files are read.
const READERS: &[&str] = &[
    "crates/forebay-app/src/rules/",
    "crates/forebay-app/src/agents/",
    "crates/forebay/src/config/",
    "crates/forebay/src/cli/config/",
    "crates/forebay/src/cli/rules.rs",
    "crates/forebay-app/src/hooks/",
    "crates/forebay-app/src/ingest/import/",
    "crates/forebay-app/src/ingest/walk.rs",
    "crates/forebay-app/src/ledger/",
    "crates/forebay-app/src/replay/",
    "crates/forebay-app/src/run/input_files.rs",
    "crates/forebay-app/src/settings/",
    "crates/forebay-store/src/project.rs",
    "crates/forebay-store/src/worktree.rs",
    "crates/forebay-platforms/src/",
];
/// Files that read what this program wrote itself.
const EXCEPTIONS: &[&str] =
    &["crates/forebay-app/src/agents/created_folders.rs", "crates/forebay/src/cli/config/edit.rs"];
const OTHER_WAYS: &[&str] = &["fs::read_to_string(", "fs::read(", "File::open("];

fn violations(source: &Source) -> Vec<String> {
    let is_reader = READERS.iter().any(|start| source.path.starts_with(start));
    if !is_reader || EXCEPTIONS.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let code = source.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = code.lines().enumerate();
    lines
        .filter_map(|(index, line)| {
            let way = OTHER_WAYS.iter().find(|way| line.contains(**way))?;
            Some(format!("{}:{} calls {})", source.path, index + 1, way))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Codebase;
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn finds_another_way() {
        let codebase = Codebase::with_files(&[
            (
                "crates/forebay/src/config/mod.rs",
                "fs::read(p)\n#[cfg(test)]\nmod tests {\nfs::read(p)",
            ),
            ("crates/forebay-app/src/tools/index.rs", "File::open(p)"),
            ("crates/forebay-app/src/agents/created_folders.rs", "fs::read_to_string(p)"),
        ]);
        assert_finds(
            &READ_SAFELY,
            &codebase,
            &["crates/forebay/src/config/mod.rs:1 calls fs::read()"],
        );
    }
}
