//! Files that were read, changed or written; a file with rules in it is a rule.

use forebay_domain::{Event, EventKind};

/// Files in which people write down how to work in a project.
const RULE_FILES: &[&str] = &[
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "GEMINI.md",
    "QWEN.md",
    ".cursorrules",
    ".windsurfrules",
    "copilot-instructions.md",
    "CONTRIBUTING.md",
];
const RULE_FOLDERS: &[&str] = &[
    "/.claude/rules/",
    "/.cursor/rules/",
    "/.clinerules/",
    "/.windsurf/rules/",
    "/.kiro/steering/",
];

pub(super) fn read(kind: EventKind, paths: &[String]) -> Vec<Event> {
    paths.iter().filter(|path| !path.is_empty()).flat_map(|path| of_file(kind, path)).collect()
}

fn of_file(kind: EventKind, path: &str) -> Vec<Event> {
    let mut found = vec![Event::new(kind, path, kind.word())];
    if kind == EventKind::FileRead && holds_rules(path) {
        found.push(Event::new(EventKind::Rule, path, &format!("rules stand in {path}")));
    }
    found
}

fn holds_rules(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let name = path.rsplit('/').next().unwrap_or_default();
    RULE_FILES.contains(&name) || RULE_FOLDERS.iter().any(|folder| path.contains(folder))
}
