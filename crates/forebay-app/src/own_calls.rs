//! Recognizes calls of Forebay itself: their answers repeat what is stored, so they are neither captured nor found.

use forebay_policy::shell;

/// The source name of stored session snapshots.
pub(crate) const SNAPSHOT_SOURCE: &str = "session snapshot";
/// Prefixes of the tools' names.
const TOOL_PREFIXES: &[&str] = &["ctx_", "context_"];
/// Programs that print nothing worth keeping around a command of our own.
const SILENT: &[&str] = &["cd", "export", "true", "set"];

/// Whether a tool is Forebay's own, whatever its host puts before the name.
pub(crate) fn is_own_tool(name: &str) -> bool {
    let own = name.rsplit_once("__").map_or(name, |(_, own)| own);
    TOOL_PREFIXES.iter().any(|prefix| own.starts_with(prefix))
        && (own.len() == name.len() || name.contains("forebay"))
}

/// Whether a command line runs Forebay and nothing else that prints.
pub(crate) fn is_own_command(command: &str) -> bool {
    // Parsing is slow, and few commands contain the word.
    if !command.contains("forebay") {
        return false;
    }
    let script = shell::parse(command);
    let programs = script.commands.iter().filter_map(|command| command.words.first());
    let programs: Vec<&str> =
        programs.map(|word| word.source.rsplit('/').next().unwrap_or_default()).collect();
    programs.contains(&"forebay")
        && programs.iter().all(|program| *program == "forebay" || SILENT.contains(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_own_tools_and_commands() {
        for name in ["ctx_search", "mcp__forebay__ctx_get", "mcp__plugin_forebay_x__context_read"] {
            assert!(is_own_tool(name), "{name}");
        }
        for name in ["Bash", "mcp__other__ctx_get", "search"] {
            assert!(!is_own_tool(name), "{name}");
        }
        for command in ["forebay search x", "cd /a && /usr/bin/forebay get k3v9m2a1xq --raw"] {
            assert!(is_own_command(command), "{command}");
        }
        for command in ["echo forebay", "make && forebay stats", "cargo test -p forebay", ""] {
            assert!(!is_own_command(command), "{command}");
        }
    }
}
