//! Variables that change what a program does: by their value being run, or by code that it loads.

use super::inner::base_name;
use crate::shell::{Assignment, Command, Piece, Word};

/// What a variable does to the programs that see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Its value is run as a command, and judged as one.
    Runs,
    /// It has options of a program, which may name a command.
    Options,
    /// It makes programs load code, options or settings that rules do not see.
    Loads,
    /// It lists the folders in which programs are looked up.
    SearchPath,
    /// It changes how a shell splits words; before a command it only concerns `read`.
    Splits,
}

use Effect::{Loads, Options, Runs, SearchPath, Splits};

/// Every variable with an effect; a final `*` stands for any ending. The first match counts.
const VARIABLES: &[(&str, Effect)] = &[
    ("PATH", SearchPath),
    ("IFS", Splits),
    // Shells
    ("BASH_ENV", Loads),
    ("ENV", Loads),
    ("BASH_FUNC_*", Loads),
    ("BASH_LOADABLES_PATH", Loads),
    ("SHELLOPTS", Loads),
    ("BASHOPTS", Loads),
    ("ZDOTDIR", Loads),
    ("FPATH", Loads),
    ("PROMPT_COMMAND", Runs),
    ("PS4", Runs),
    ("HOME", Loads),
    ("XDG_CONFIG_HOME", Loads),
    ("INPUTRC", Loads),
    // The dynamic linker and the C library
    ("LD_*", Loads),
    ("DYLD_*", Loads),
    ("GCONV_PATH", Loads),
    ("GLIBC_TUNABLES", Loads),
    ("OPENSSL_CONF", Loads),
    ("OPENSSL_ENGINES", Loads),
    ("OPENSSL_MODULES", Loads),
    // Git
    ("GIT_SSH_COMMAND", Runs),
    ("GIT_SSH", Runs),
    ("GIT_PROXY_COMMAND", Runs),
    ("GIT_PAGER", Runs),
    ("GIT_EDITOR", Runs),
    ("GIT_SEQUENCE_EDITOR", Runs),
    ("GIT_EXTERNAL_DIFF", Runs),
    ("GIT_ASKPASS", Runs),
    ("GIT_CONFIG*", Loads),
    ("GIT_EXEC_PATH", Loads),
    ("GIT_TEMPLATE_DIR", Loads),
    ("GIT_DIR", Loads),
    ("GIT_COMMON_DIR", Loads),
    ("GIT_ALTERNATE_OBJECT_DIRECTORIES", Loads),
    // Programs that other programs start
    ("*PAGER", Runs),
    ("*EDITOR", Runs),
    ("*ASKPASS", Runs),
    ("MANOPT", Options),
    ("LESS", Options),
    ("MORE", Options),
    ("FZF_DEFAULT_OPTS", Options),
    ("RSYNC_RSH", Runs),
    ("RSYNC_*", Options),
    ("VISUAL", Runs),
    ("BROWSER", Runs),
    ("LESSOPEN", Runs),
    ("LESSCLOSE", Runs),
    ("SVN_SSH", Runs),
    ("CVS_RSH", Runs),
    ("FZF_DEFAULT_COMMAND", Runs),
    ("TAR_OPTIONS", Loads),
    ("RIPGREP_CONFIG_PATH", Loads),
    ("VIMINIT", Loads),
    ("EXINIT", Loads),
    ("SCREENRC", Loads),
    ("FCEDIT", Runs),
    ("SHELL", Runs),
    ("LESSKEY*", Loads),
    ("PSQLRC", Loads),
    ("CURL_HOME", Loads),
    ("WGETRC", Loads),
    ("VIMRUNTIME", Loads),
    ("EMACSLOADPATH", Loads),
    ("XDG_CONFIG_DIRS", Loads),
    ("AWS_CONFIG_FILE", Loads),
    ("DOCKER_CONFIG", Loads),
    ("HELM_PLUGINS", Loads),
    ("ANSIBLE_CONFIG", Loads),
    ("ANSIBLE_LIBRARY", Loads),
    // Builds
    ("MAKEFLAGS", Loads),
    ("GNUMAKEFLAGS", Loads),
    ("MFLAGS", Loads),
    ("MAKEFILES", Loads),
    ("CC", Runs),
    ("CXX", Runs),
    ("CPP", Runs),
    ("FC", Runs),
    ("LD", Runs),
    ("AR", Runs),
    ("CFLAGS", Options),
    ("CXXFLAGS", Options),
    ("LDFLAGS", Options),
    ("COMPILER_PATH", Loads),
    ("GCC_EXEC_PREFIX", Loads),
    ("CMAKE_*_LAUNCHER", Runs),
    ("CMAKE_*_COMPILER", Runs),
    ("PKG_CONFIG", Runs),
    ("RUSTFLAGS", Options),
    ("CARGO_ENCODED_RUSTFLAGS", Options),
    ("RUSTDOC", Runs),
    ("RUSTFMT", Runs),
    ("RUSTC", Runs),
    ("RUSTC_WRAPPER", Runs),
    ("RUSTC_WORKSPACE_WRAPPER", Runs),
    ("CARGO_BUILD_RUSTC*", Runs),
    ("CARGO_TARGET_*", Loads),
    ("GOFLAGS", Loads),
    ("GOENV", Loads),
    ("GOROOT", Loads),
    ("MAVEN_OPTS", Options),
    ("GRADLE_OPTS", Options),
    ("JAVA_OPTS", Options),
    ("SBT_OPTS", Options),
    ("YARN_RC_FILENAME", Loads),
    ("YARN_PLUGINS", Loads),
    ("PIP_CONFIG_FILE", Loads),
    ("PYTEST_ADDOPTS", Options),
    ("PYTEST_PLUGINS", Loads),
    ("NPM_CONFIG_*", Loads),
    ("npm_config_*", Loads),
    // Interpreters
    ("PYTHONSTARTUP", Loads),
    ("PYTHONPATH", Loads),
    ("PYTHONHOME", Loads),
    ("PYTHONBREAKPOINT", Loads),
    ("PYTHONUSERBASE", Loads),
    ("NODE_OPTIONS", Loads),
    ("NODE_PATH", Loads),
    ("NODE_REPL_EXTERNAL_MODULE", Loads),
    ("BUN_OPTIONS", Loads),
    ("PERL5OPT", Loads),
    ("PERL5LIB", Loads),
    ("PERL5DB", Loads),
    ("PERLLIB", Loads),
    ("RUBYOPT", Loads),
    ("RUBYLIB", Loads),
    ("GEM_PATH", Loads),
    ("BUNDLE_GEMFILE", Loads),
    ("JAVA_TOOL_OPTIONS", Loads),
    ("JDK_JAVA_OPTIONS", Loads),
    ("_JAVA_OPTIONS", Loads),
    ("CLASSPATH", Loads),
    ("LUA_INIT*", Loads),
    ("LUA_PATH*", Loads),
    ("LUA_CPATH*", Loads),
    ("PHPRC", Loads),
    ("PHP_INI_SCAN_DIR", Loads),
    ("R_PROFILE*", Loads),
    ("R_ENVIRON*", Loads),
    ("JULIA_LOAD_PATH", Loads),
    ("DOTNET_STARTUP_HOOKS", Loads),
    ("CORECLR_*", Loads),
    ("ERL_*FLAGS", Loads),
    ("ERL_LIBS", Loads),
    ("ELIXIR_ERL_OPTIONS", Loads),
];

/// Commands whose `NAME=value` words are assignments for what they run or for later commands.
const ASSIGNING: &[&str] = &[
    "export",
    "declare",
    "typeset",
    "readonly",
    "local",
    "env",
    "genv",
    "sudo",
    "doas",
    "systemd-run",
    "set",
    "setenv",
];
/// Builtins that set the variables they name.
const SETTING: &[&str] =
    &["export", "declare", "typeset", "read", "printf", "mapfile", "readarray", "getopts", "unset"];

/// The effect of a variable.
pub(crate) fn effect(name: &str) -> Option<Effect> {
    VARIABLES.iter().find(|(pattern, _)| is_named(pattern, name)).map(|(_, effect)| *effect)
}

fn is_named(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => pattern == name,
    }
}

/// Every assignment that a command makes, before it, in its words or by naming a variable.
pub(crate) fn assignments(command: &Command) -> Vec<Assignment> {
    let mut made = command.assignments.clone();
    let Some(name) = command.words.first().map(base_name) else { return made };
    let rest = &command.words[1..];
    if ASSIGNING.contains(&&*name) {
        made.extend(rest.iter().filter_map(assignment));
        made.extend(separated_assignment(&name, rest));
    }
    if SETTING.contains(&&*name) {
        let named = rest.iter().filter_map(Word::known).filter(|word| effect(word).is_some());
        made.extend(named.map(|name| Assignment { name, value: Word::unknown() }));
    }
    made
}

/// Whether a command may change a variable of the shell.
pub(crate) fn sets(command: &Command, name: &str) -> bool {
    let is_named = |word: &Word| word.marked() == name;
    let first = command.words.first().map(base_name).unwrap_or_default();
    assignments(command).iter().any(|each| each.name == name)
        || (name == "PWD" && matches!(&*first, "cd" | "pushd" | "popd"))
        || (SETTING.contains(&&*first) && command.words[1..].iter().any(is_named))
}

/// `NAME=value`, also behind an option such as `-EPATH=x` or `--setenv=PATH=x`.
fn assignment(word: &Word) -> Option<Assignment> {
    let text = word.marked();
    let text = text.strip_prefix("--setenv=").or_else(|| text.strip_prefix("-E")).unwrap_or(&text);
    let (name, _) = text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_%".contains(c));
    is_name.then(|| Assignment { name: name.to_owned(), value: value_of(name, word) })
}

/// `set -x NAME value` of fish, `setenv NAME value` of csh.
fn separated_assignment(command: &str, words: &[Word]) -> Option<Assignment> {
    if !matches!(command, "set" | "setenv") {
        return None;
    }
    let at = words.iter().position(|word| effect(&word.marked()).is_some())?;
    let value = words.get(at + 1).cloned().unwrap_or_else(Word::unknown);
    Some(Assignment { name: words[at].marked(), value })
}

/// The part of a word behind `name=` or `name+=`.
fn value_of(name: &str, word: &Word) -> Word {
    let mut value = Word { source: word.source.clone(), ..Word::default() };
    let mut is_value = false;
    for piece in &word.pieces {
        match piece {
            other if is_value => value.push(other.clone()),
            Piece::Text(text) => {
                let behind = text.split_once(name).map(|(_, rest)| rest.trim_start_matches('+'));
                if let Some(rest) = behind.and_then(|rest| rest.strip_prefix('=')) {
                    is_value = true;
                    value.push(Piece::Text(rest.to_owned()));
                }
            }
            _ => {}
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn names_match_whole_or_by_their_ends() {
        assert_eq!(effect("LD_PRELOAD"), Some(Loads));
        assert_eq!(effect("GIT_CONFIG_COUNT"), Some(Loads));
        assert_eq!(effect("ERL_AFLAGS"), Some(Loads));
        assert_eq!(effect("GIT_SSH_COMMAND"), Some(Runs));
        assert_eq!(effect("PATHS"), None);
        assert_eq!(effect("LANG"), None);
    }

    #[test]
    fn assignments_are_found_wherever_a_command_makes_them() {
        for (line, expect) in [
            ("PATH=x ls", "PATH=x"),
            ("export PATH=x:$PATH", "PATH=x:…"),
            ("declare -x ENV=x", "ENV=x"),
            ("env -i ENV=x ls", "ENV=x"),
            ("systemd-run --setenv=ENV=x ls", "ENV=x"),
            ("read PATH", "PATH=…"),
            ("printf -v PATH x", "PATH=…"),
            ("set -x PATH x", "PATH=x"),
            ("echo PATH=x", ""),
        ] {
            let script = shell::parse(line);
            let told: Vec<String> = assignments(&script.commands[0])
                .iter()
                .map(|each| format!("{}={}", each.name, each.value.marked()))
                .collect();
            let told = told.join(" ").replace(crate::wildcard::HOLE, "…");
            assert_eq!(told, expect, "{line}");
        }
    }
}
