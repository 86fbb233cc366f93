//! Inherited environment variables that inject code into a run.
//!
//! Only inherited variables are dropped, not those that the caller sets for the run. Variables that real
//! setups need are kept: LD_LIBRARY_PATH (CUDA, Nix, conda), PYTHONPATH and NODE_PATH only add libraries
//! that a program requests by name.

/// A variable that can inject code.
struct InjectionVariable {
    name: &'static str,
    is_dropped: fn(&str) -> bool,
    reason: &'static str,
    /// A value for which the variable is dropped.
    #[cfg_attr(not(test), expect(dead_code, reason = "checked by the tests"))]
    sample: &'static str,
}

const INJECTION_VARIABLES: &[InjectionVariable] = &[
    always("LD_PRELOAD", "the dynamic loader loads it into every program"),
    always("LD_AUDIT", "the dynamic loader loads it into every program"),
    always("DYLD_INSERT_LIBRARIES", "the macOS loader loads it into every program"),
    always("BASH_ENV", "bash runs it before a script"),
    always("ENV", "sh runs it"),
    always("SHELLOPTS", "enables tracing in bash, which expands commands in PS4"),
    always("PROMPT_COMMAND", "bash runs it"),
    always("PYTHONSTARTUP", "Python runs it"),
    always("PERL5OPT", "Perl loads modules from it"),
    always("RUBYOPT", "Ruby loads files from it"),
    always("JAVA_TOOL_OPTIONS", "Java loads agents from it"),
    always("GIT_EXTERNAL_DIFF", "git runs it"),
    always("GIT_SSH_COMMAND", "git runs it; core.sshCommand in ~/.gitconfig still works"),
    InjectionVariable {
        name: "NODE_OPTIONS",
        is_dropped: loads_code,
        reason: "Node loads modules from it; other options, such as memory limits, are common and kept",
        sample: "--max-old-space-size=4096 --require /tmp/x.js",
    },
];

const fn always(name: &'static str, reason: &'static str) -> InjectionVariable {
    InjectionVariable { name, is_dropped: |_| true, reason, sample: "/tmp/x" }
}

fn loads_code(options: &str) -> bool {
    let names = options.split_whitespace().map(|option| option.split('=').next().unwrap_or(option));
    let mut names = names.map(|name| name.trim_matches('"'));
    names.any(|name| {
        matches!(name, "-r" | "--require" | "--import" | "--loader" | "--experimental-loader")
    })
}

/// Returns the names of the variables to drop, given a lookup of their values.
pub(crate) fn injection_variables(value: impl Fn(&str) -> Option<String>) -> Vec<&'static str> {
    let dropped = INJECTION_VARIABLES
        .iter()
        .filter(|variable| value(variable.name).is_some_and(|value| (variable.is_dropped)(&value)))
        .inspect(|variable| tracing::debug!(variable.name, variable.reason, "variable dropped"));
    dropped.map(|variable| variable.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_drops_its_sample() {
        for row in INJECTION_VARIABLES {
            assert!(!row.reason.is_empty());
            let dropped =
                injection_variables(|name| (name == row.name).then(|| row.sample.to_owned()));
            assert_eq!(dropped, [row.name], "{}", row.sample);
        }
    }

    #[test]
    fn keeps_harmless_node_options() {
        for value in ["--max-old-space-size=8192", "--no-warnings --enable-source-maps"] {
            assert!(
                injection_variables(|name| (name == "NODE_OPTIONS").then(|| value.to_owned()))
                    .is_empty()
            );
        }
        assert!(loads_code("--import=/x.mjs"));
    }
}
