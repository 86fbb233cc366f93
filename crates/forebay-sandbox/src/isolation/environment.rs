//! Inherited variables that would put code into a run which nobody asked for.
//!
//! Only what is inherited is looked at: a variable that the caller gives the run is meant. Left alone
//! are those that real set-ups need: LD_LIBRARY_PATH (CUDA, Nix, conda) only adds libraries that a
//! program asks for by name, PYTHONPATH and NODE_PATH likewise.

/// A variable, and when it is dropped.
struct Hijacker {
    name: &'static str,
    dropped: fn(&str) -> bool,
    why: &'static str,
    /// A value that is dropped.
    #[cfg_attr(not(test), expect(dead_code, reason = "a row carries its proof; tests hold it"))]
    sample: &'static str,
}

const HIJACKERS: &[Hijacker] = &[
    always("LD_PRELOAD", "the loader puts it into every program"),
    always("LD_AUDIT", "likewise"),
    always("DYLD_INSERT_LIBRARIES", "likewise on macOS"),
    always("BASH_ENV", "bash runs it before a script"),
    always("ENV", "sh runs it"),
    always("SHELLOPTS", "switches bash to tracing, with PS4 as a command"),
    always("PROMPT_COMMAND", "bash runs it"),
    always("PYTHONSTARTUP", "Python runs it"),
    always("PERL5OPT", "Perl loads modules from it"),
    always("RUBYOPT", "Ruby loads files from it"),
    always("JAVA_TOOL_OPTIONS", "Java loads agents from it"),
    always("GIT_EXTERNAL_DIFF", "git runs it"),
    always("GIT_SSH_COMMAND", "git runs it; core.sshCommand in ~/.gitconfig is the lasting way"),
    Hijacker {
        name: "NODE_OPTIONS",
        dropped: loads_code,
        why: "Node loads modules from it; other options (memory) are common and stay",
        sample: "--max-old-space-size=4096 --require /tmp/x.js",
    },
];

const fn always(name: &'static str, why: &'static str) -> Hijacker {
    Hijacker { name, dropped: |_| true, why, sample: "/tmp/x" }
}

fn loads_code(options: &str) -> bool {
    let names = options.split_whitespace().map(|option| option.split('=').next().unwrap_or(option));
    let mut names = names.map(|name| name.trim_matches('"'));
    names.any(|name| {
        matches!(name, "-r" | "--require" | "--import" | "--loader" | "--experimental-loader")
    })
}

/// The variables to drop, of those that `value` knows.
pub(crate) fn hijackers(value: impl Fn(&str) -> Option<String>) -> Vec<&'static str> {
    let dropped = HIJACKERS.iter().filter(|hijacker| {
        let found = value(hijacker.name).filter(|value| (hijacker.dropped)(value));
        found.inspect(|_| tracing::debug!(name = hijacker.name, hijacker.why, "dropped")).is_some()
    });
    dropped.map(|hijacker| hijacker.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_drops_its_sample() {
        for row in HIJACKERS {
            assert!(!row.why.is_empty());
            let dropped = hijackers(|name| (name == row.name).then(|| row.sample.to_owned()));
            assert_eq!(dropped, [row.name], "{}", row.sample);
        }
    }

    #[test]
    fn harmless_options_of_node_stay() {
        for value in ["--max-old-space-size=8192", "--no-warnings --enable-source-maps"] {
            assert!(
                hijackers(|name| (name == "NODE_OPTIONS").then(|| value.to_owned())).is_empty()
            );
        }
        assert!(loads_code("--import=/x.mjs"));
    }
}
