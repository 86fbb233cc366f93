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
    /// It is expanded before each prompt.
    Prompts,
    /// It loads a module where its value has a dotted name.
    Imports,
    /// It names folders or files of settings, plugins or tools that can run commands.
    Settings,
    /// It lists the folders in which programs are looked up.
    SearchPath,
    /// It changes how a shell splits words; before a command it only concerns `read`.
    Splits,
}

use Effect::{Imports, Loads, Options, Prompts, Runs, SearchPath, Settings, Splits};

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
    ("PS0", Prompts),
    ("PS1", Prompts),
    ("PS2", Prompts),
    ("PS4", Prompts),
    ("HOME", Loads),
    ("XDG_CONFIG_HOME", Loads),
    ("XDG_DATA_HOME", Settings),
    ("XDG_DATA_DIRS", Settings),
    // Its address may be a program to start: `unixexec:`.
    ("DBUS_*_ADDRESS", Loads),
    ("INPUTRC", Loads),
    // The dynamic linker and the C library
    ("LD_*", Loads),
    ("DYLD_*", Loads),
    ("GCONV_PATH", Loads),
    ("GLIBC_TUNABLES", Loads),
    ("OPENSSL_CONF", Loads),
    ("OPENSSL_ENGINES", Loads),
    ("OPENSSL_MODULES", Loads),
    ("PKCS11_MODULE_PATH", Loads),
    ("SASL_PATH", Settings),
    ("KRB5_CONFIG", Settings),
    ("GIO_EXTRA_MODULES", Settings),
    ("GTK_PATH", Settings),
    ("QT_PLUGIN_PATH", Settings),
    ("GST_PLUGIN_*PATH", Settings),
    ("MAGICK_*PATH", Settings),
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
    ("LESSEDIT", Runs),
    ("HGMERGE", Runs),
    ("HGRCPATH", Settings),
    ("CVS_SERVER", Runs),
    ("P4DIFF", Runs),
    ("P4MERGE", Runs),
    ("TIGRC_*", Settings),
    ("LG_CONFIG_FILE", Settings),
    ("GH_CONFIG_DIR", Settings),
    ("GLAB_CONFIG_DIR", Settings),
    ("GH_BROWSER", Runs),
    ("PRE_COMMIT_HOME", Settings),
    ("LEFTHOOK_BIN", Runs),
    ("LEFTHOOK_CONFIG", Settings),
    ("SSH_SK_PROVIDER", Loads),
    ("SSH_SK_HELPER", Runs),
    ("SSH_PKCS11_HELPER", Runs),
    ("GNUPGHOME", Settings),
    ("ZIP", Options),
    ("ZIPOPT", Options),
    ("MANROFFOPT", Options),
    ("BAT_OPTS", Options),
    ("BAT_CONFIG_*", Settings),
    ("FZF_DEFAULT_OPTS_FILE", Settings),
    ("FZF_*_COMMAND", Runs),
    ("FZF_*_OPTS", Options),
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
    ("PGSYSCONFDIR", Settings),
    ("MYSQL_HOME", Settings),
    ("AWS_CONFIG_FILE", Loads),
    ("AWS_SHARED_CREDENTIALS_FILE", Settings),
    ("AWS_DATA_PATH", Settings),
    ("AZURE_CONFIG_DIR", Settings),
    ("AZURE_EXTENSION_DIR", Settings),
    ("BOTO_CONFIG", Settings),
    ("CLOUDSDK_CONFIG", Settings),
    ("CLOUDSDK_PYTHON", Runs),
    ("CLOUDSDK_PYTHON_ARGS", Options),
    ("KUBECONFIG", Settings),
    ("KUBERC", Settings),
    ("KUBECTL_EXTERNAL_DIFF", Runs),
    ("KREW_ROOT", Settings),
    ("CONTAINERS_CONF*", Settings),
    ("DOCKER_CONFIG", Loads),
    ("HELM_PLUGINS", Loads),
    ("HELM_DATA_HOME", Settings),
    ("HELM_CONFIG_HOME", Settings),
    ("TF_CLI_CONFIG_FILE", Settings),
    ("TERRAGRUNT_TFPATH", Runs),
    ("TG_TF_PATH", Runs),
    ("ANSIBLE_SSH_*", Options),
    ("ANSIBLE_VAULT_PASSWORD_FILE", Runs),
    ("ANSIBLE_*_PLUGINS", Loads),
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
    ("RANLIB", Runs),
    ("STRIP", Runs),
    ("LEX", Runs),
    ("YACC", Runs),
    ("HOSTCC", Runs),
    ("CONFIG_SHELL", Runs),
    ("MAKE", Runs),
    ("CPPFLAGS", Options),
    ("CGO_*FLAGS*", Options),
    ("VALGRIND_OPTS", Options),
    ("VALGRIND_LIB", Loads),
    ("PERF_EXEC_PATH", Loads),
    ("CCACHE_PREFIX*", Runs),
    ("CCACHE_COMPILER", Runs),
    ("CCACHE_CONFIGPATH", Settings),
    // A list of cmake.
    ("CMAKE_*_LAUNCHER", Options),
    ("CMAKE_*_COMPILER", Runs),
    ("CMAKE_TOOLCHAIN_FILE", Settings),
    ("CMAKE_PREFIX_PATH", Settings),
    ("PKG_CONFIG", Runs),
    ("RUSTFLAGS", Options),
    ("CARGO_ENCODED_RUSTFLAGS", Options),
    ("RUSTDOC", Runs),
    ("RUSTFMT", Runs),
    ("RUSTC", Runs),
    ("RUSTC_WRAPPER", Runs),
    ("RUSTC_WORKSPACE_WRAPPER", Runs),
    ("CARGO_BUILD_RUSTC*", Runs),
    ("CARGO_TARGET_*_LINKER", Loads),
    ("CARGO_TARGET_*_RUNNER", Loads),
    ("CARGO_TARGET_*FLAGS", Loads),
    ("CARGO_TARGET_*_AR", Loads),
    ("CARGO_HOME", Settings),
    ("CARGO", Runs),
    ("CARGO_DOC_BROWSER", Runs),
    ("CARGO_REGISTR*", Options),
    ("CARGO_CREDENTIAL*", Options),
    ("CARGO_ALIAS*", Options),
    ("RUSTUP_HOME", Settings),
    ("RUSTDOCFLAGS", Options),
    ("GOFLAGS", Loads),
    ("GOENV", Loads),
    ("GOROOT", Loads),
    ("GOTOOLDIR", Loads),
    ("GOAUTH", Runs),
    ("GOCACHEPROG", Runs),
    ("GRADLE_USER_HOME", Settings),
    ("GRADLE_HOME", Settings),
    ("MAVEN_HOME", Settings),
    ("M2_HOME", Settings),
    ("ANT_HOME", Settings),
    ("JAVA_HOME", Settings),
    ("ANDROID_*HOME", Settings),
    ("ANDROID_SDK_ROOT", Settings),
    ("MAVEN_OPTS", Options),
    ("GRADLE_OPTS", Options),
    ("JAVA_OPTS", Options),
    ("SBT_OPTS", Options),
    ("YARN_RC_FILENAME", Loads),
    ("YARN_PLUGINS", Loads),
    ("YARN_YARN_PATH", Loads),
    ("pnpm_config_*", Loads),
    ("COREPACK_HOME", Settings),
    ("VOLTA_HOME", Settings),
    ("PYENV_ROOT", Settings),
    ("RBENV_ROOT", Settings),
    ("NODENV_ROOT", Settings),
    ("ASDF_DATA_DIR", Settings),
    ("ASDF_DIR", Settings),
    ("MISE_*_DIR", Settings),
    ("TOX_OVERRIDE", Options),
    ("PIP_CONFIG_FILE", Loads),
    ("PIP_PYTHON", Runs),
    ("*_EXECUTABLE_PATH", Runs),
    ("CHROME_BIN", Runs),
    ("PYTEST_ADDOPTS", Options),
    ("PYTEST_PLUGINS", Loads),
    ("npm_config_*", Loads),
    // Interpreters
    ("PYTHONSTARTUP", Loads),
    ("PYTHONPATH", Loads),
    ("PYTHONHOME", Loads),
    ("PYTHONBREAKPOINT", Loads),
    ("PYTHONUSERBASE", Loads),
    ("PYTHONPYCACHEPREFIX", Settings),
    ("PYTHONPLATLIBDIR", Loads),
    ("PYTHONWARNINGS", Imports),
    ("IPYTHONDIR", Settings),
    ("JUPYTER_*PATH", Settings),
    ("JUPYTER_*DIR", Settings),
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
    ("GEM_HOME", Settings),
    ("BUNDLE_GEMFILE", Loads),
    ("BUNDLE_APP_CONFIG", Settings),
    ("BUNDLE_USER_*", Settings),
    ("COMPOSER_HOME", Settings),
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
    ("R_LIBS*", Settings),
    ("JULIA_LOAD_PATH", Loads),
    ("JULIA_DEPOT_PATH", Settings),
    ("GUILE_LOAD_*PATH", Loads),
    ("TCLLIBPATH", Loads),
    ("XONSHRC", Loads),
    ("PSModulePath", Loads),
    ("STACK_ROOT", Settings),
    ("CABAL_DIR", Settings),
    ("MIX_HOME", Settings),
    ("MIX_ARCHIVES", Settings),
    ("DOTNET_STARTUP_HOOKS", Loads),
    ("CORECLR_*", Loads),
    ("ERL_*FLAGS", Loads),
    ("ERL_LIBS", Loads),
    ("ELIXIR_ERL_OPTIONS", Loads),
    // By custom
    ("*_COMMAND", Options),
    ("*_CMD", Options),
    ("*_OPTS", Options),
    ("*_WRAPPER", Options),
    ("*_LAUNCHER", Options),
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
    // npm reads its settings in any case.
    let lower_case = pattern.starts_with("npm_").then(|| name.to_ascii_lowercase());
    let name = lower_case.as_deref().unwrap_or(name);
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
        assert_eq!(effect("nPm_Config_script_shell"), Some(Loads));
        assert_eq!(effect("CARGO_HOME"), Some(Settings));
        assert_eq!(effect("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER"), Some(Loads));
        assert_eq!(effect("CARGO_TARGET_DIR"), None);
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
