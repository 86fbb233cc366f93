//! Commands that run another command given as their arguments.

use super::options;
use crate::shell::Word;

/// Readings of one wrapper's options that are followed.
const MAX_CANDIDATES: usize = 16;
/// Long options without a value, of any wrapper.
const FLAGS: &[&str] = &[
    "--preserve-status",
    "--foreground",
    "--verbose",
    "--append",
    "--portability",
    "--quiet",
    "--null",
    "--no-run-if-empty",
    "--ignore-environment",
    "--map-root-user",
    "--fork",
];

/// How to find the command in a wrapper's arguments.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Short options that take a value.
    short_valued: &'static str,
    /// Long options that take their value as the next word.
    long_valued: &'static [&'static str],
    /// Number of operands before the command.
    operands: usize,
    /// Whether `NAME=value` may precede the command.
    takes_assignments: bool,
    /// Whether allow rules apply to the inner command, not only deny and ask rules.
    allow_rules_apply: bool,
    /// A sample use and the command it runs.
    #[cfg(test)]
    sample: (&'static str, &'static str),
}

macro_rules! wrappers {
    ($($name:literal $short:literal $long:tt $operands:literal $rules:tt $sample:tt;)*) => {
        /// All known wrappers.
        const WRAPPERS: &[Wrapper] = &[$(Wrapper {
            name: $name,
            short_valued: $short,
            long_valued: &$long,
            operands: $operands,
            takes_assignments: wrappers!(@takes_assignments $rules),
            allow_rules_apply: wrappers!(@allow_rules_apply $rules),
            #[cfg(test)]
            sample: $sample,
        }),*];
    };
    (@takes_assignments deny_only_after_assignments) => { true };
    (@takes_assignments $other:tt) => { false };
    (@allow_rules_apply all_rules) => { true };
    (@allow_rules_apply $other:tt) => { false };
}

// name, short options with a value, long options with a value, operands, which rules apply to the inner command
// (`all_rules`, or `deny_only`: deny and ask rules; `_after_assignments`: `NAME=value` may precede it), sample
wrappers! {
    "timeout" "ks" ["--kill-after", "--signal"] 1 all_rules ("timeout -k 5 --preserve-status 10 ls -l", "ls -l");
    "time" "fo" ["--format", "--output"] 0 all_rules ("time -p -f %e ls", "ls");
    "nice" "n" ["--adjustment"] 0 all_rules ("nice -n 5 ls", "ls");
    "nohup" "" [] 0 all_rules ("nohup ls", "ls");
    "stdbuf" "ioe" ["--input", "--output", "--error"] 0 all_rules ("stdbuf -oL -e 0 ls", "ls");
    "command" "" [] 0 all_rules ("command -p ls", "ls");
    "builtin" "" [] 0 all_rules ("builtin cd x", "cd x");
    "noglob" "" [] 0 all_rules ("noglob ls", "ls");
    "nocorrect" "" [] 0 deny_only ("nocorrect ls", "ls");
    "-" "" [] 0 deny_only ("- ls", "ls");
    "exec" "a" [] 0 deny_only ("exec -a x -c ls", "ls");
    "env" "uCSaP" ["--unset", "--chdir", "--split-string", "--argv0"] 0 deny_only_after_assignments ("env -i -u X A=1 ls", "ls");
    "sudo" "ugCDhpRrtTU" ["--user", "--group", "--host", "--prompt", "--role", "--type", "--chdir", "--chroot", "--close-from", "--other-user", "--command-timeout"] 0 deny_only_after_assignments ("sudo -n -u root A=1 ls", "ls");
    "doas" "uCa" [] 0 deny_only ("doas -u root ls", "ls");
    "pkexec" "" ["--user"] 0 deny_only ("pkexec --user root ls", "ls");
    "run0" "uD" ["--user", "--chdir"] 0 deny_only ("run0 ls", "ls");
    "gosu" "" [] 1 deny_only ("gosu root ls", "ls");
    "su-exec" "" [] 1 deny_only ("su-exec root ls", "ls");
    "setsid" "" [] 0 deny_only ("setsid -w ls", "ls");
    "ionice" "cnpPu" ["--class", "--classdata"] 0 deny_only ("ionice -c 3 ls", "ls");
    "chrt" "TPD" [] 1 deny_only ("chrt -f 10 ls", "ls");
    "taskset" "" [] 1 deny_only ("taskset -c 1 ls", "ls");
    "numactl" "CmNpi" [] 0 deny_only ("numactl -N 0 ls", "ls");
    "prlimit" "" [] 0 deny_only ("prlimit --nofile=10 ls", "ls");
    "setarch" "" [] 1 deny_only ("setarch x86_64 -R ls", "ls");
    "linux64" "" [] 0 deny_only ("linux64 ls", "ls");
    "linux32" "" [] 0 deny_only ("linux32 ls", "ls");
    "i386" "" [] 0 deny_only ("i386 ls", "ls");
    "i486" "" [] 0 deny_only ("i486 ls", "ls");
    "i586" "" [] 0 deny_only ("i586 ls", "ls");
    "i686" "" [] 0 deny_only ("i686 ls", "ls");
    "x86_64" "" [] 0 deny_only ("x86_64 ls", "ls");
    "uname26" "" [] 0 deny_only ("uname26 ls", "ls");
    "logsave" "" [] 1 deny_only ("logsave x ls", "ls");
    "ccache" "" [] 0 deny_only ("ccache ls", "ls");
    "sccache" "" [] 0 deny_only ("sccache ls", "ls");
    "distcc" "" [] 0 deny_only ("distcc ls", "ls");
    "bear" "" [] 0 deny_only ("bear ls", "ls");
    "scan-build" "" [] 0 deny_only ("scan-build ls", "ls");
    "cpulimit" "lpe" [] 0 deny_only ("cpulimit ls", "ls");
    "timelimit" "tTsS" [] 0 deny_only ("timelimit ls", "ls");
    "softlimit" "macdofpstrl" [] 0 deny_only ("softlimit ls", "ls");
    "setuidgid" "" [] 1 deny_only ("setuidgid x ls", "ls");
    "envuidgid" "" [] 1 deny_only ("envuidgid x ls", "ls");
    "dbus-launch" "" [] 0 deny_only ("dbus-launch ls", "ls");
    "ssh-agent" "" [] 0 deny_only ("ssh-agent ls", "ls");
    "faketime" "" [] 1 deny_only ("faketime x ls", "ls");
    "retry" "tdms" [] 0 deny_only ("retry ls", "ls");
    "unshare" "SGRwl" ["--setuid", "--setgid", "--root", "--wd", "--map-user", "--map-group", "--map-users", "--map-groups", "--setgroups", "--propagation", "--monotonic", "--boottime", "--load-interp"] 0 deny_only ("unshare -r ls", "ls");
    "nsenter" "tSGN" ["--target", "--setuid", "--setgid"] 0 deny_only ("nsenter -t 1 -m ls", "ls");
    "chroot" "" [] 1 deny_only ("chroot --userspec=x /mnt ls", "ls");
    "fakeroot" "lsib" [] 0 deny_only ("fakeroot ls", "ls");
    "strace" "abeEIoOpPsSuX" [] 0 deny_only ("strace -f -o log ls", "ls");
    "ltrace" "aAeDFlnopsuwx" [] 0 deny_only ("ltrace -o log ls", "ls");
    "valgrind" "" [] 0 deny_only ("valgrind --leak-check=full ls", "ls");
    "systemd-run" "pEMuHC" ["--unit", "--property", "--slice", "--setenv"] 0 deny_only ("systemd-run --user -p X=1 ls", "ls");
    "systemd-inhibit" "" ["--what", "--who", "--why", "--mode"] 0 deny_only ("systemd-inhibit --why x ls", "ls");
    "caffeinate" "tw" [] 0 deny_only ("caffeinate -i -t 5 ls", "ls");
    "dbus-run-session" "" [] 0 deny_only ("dbus-run-session -- ls", "ls");
    "xvfb-run" "enpsw" [] 0 deny_only ("xvfb-run -a ls", "ls");
    "unbuffer" "" [] 0 deny_only ("unbuffer -p ls", "ls");
    "rlwrap" "" [] 0 deny_only ("rlwrap ls", "ls");
    "torsocks" "" [] 0 deny_only ("torsocks ls", "ls");
    "proxychains" "f" [] 0 deny_only ("proxychains -f x ls", "ls");
    "firejail" "" [] 0 deny_only ("firejail --net=none ls", "ls");
    "tini" "pe" [] 0 deny_only ("tini -g -- ls", "ls");
    "dumb-init" "r" [] 0 deny_only ("dumb-init ls", "ls");
    "entr" "" [] 0 deny_only ("entr -c ls", "ls");
    "busybox" "" [] 0 deny_only ("busybox ls", "ls");
    "toybox" "" [] 0 deny_only ("toybox ls", "ls");
    "chronic" "" [] 0 deny_only ("chronic ls", "ls");
    "cgexec" "g" [] 0 deny_only ("cgexec -g cpu:x ls", "ls");
    "flock" "wE" ["--timeout", "--wait", "--conflict-exit-code"] 1 deny_only ("flock -w 5 lock ls", "ls");
    "xargs" "aEdIJLnPRsS" ["--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"] 0 deny_only ("xargs -n 1 ls", "ls");
    "watch" "nqs" ["--interval", "--equexit", "--shotsdir"] 0 deny_only ("watch -d --inter 1 ls", "ls");
    "parallel" "jNnIaS" ["--jobs", "--arg-file"] 0 deny_only ("parallel -j 4 ls", "ls");
}

impl Wrapper {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        WRAPPERS.iter().find(|wrapper| wrapper.name == name)
    }

    /// The wrapper of this name, if allow rules apply to its inner command.
    pub(super) fn transparent_to_allow(name: &str) -> Option<&'static Self> {
        Self::named(name).filter(|wrapper| wrapper.allow_rules_apply)
    }

    /// The words of the command it runs, given its arguments.
    pub(super) fn inner<'a>(&self, words: &'a [Word]) -> &'a [Word] {
        self.candidates(words).first().copied().unwrap_or_default()
    }

    /// The words of every command it may run: more than one where an option is unknown, whose value may be the next
    /// word.
    pub(super) fn candidates<'a>(&self, words: &'a [Word]) -> Vec<&'a [Word]> {
        let mut candidates = self.after_options(words.get(1..).unwrap_or_default());
        if self.takes_assignments {
            candidates = candidates.into_iter().map(after_assignments).collect();
        }
        if self.operands > 0 {
            let behind = |rest: &'a [Word]| rest.get(self.operands..).unwrap_or_default();
            candidates =
                candidates.into_iter().flat_map(|rest| self.after_options(behind(rest))).collect();
        }
        candidates.dedup_by_key(|rest| rest.len());
        candidates.truncate(MAX_CANDIDATES);
        candidates
    }

    /// The words behind the options; first those for which no unknown option has a value.
    fn after_options<'a>(&self, words: &'a [Word]) -> Vec<&'a [Word]> {
        let mut ends = Vec::new();
        let mut starts = vec![words];
        while let Some(mut rest) = starts.pop() {
            let mut behind_values = Vec::new();
            while let Some(option) = rest.first().and_then(Word::known)
                && option.starts_with('-')
                && !matches!(&*option, "-" | "--")
            {
                let takes_next = self.takes_next(&option);
                if takes_next.is_none() {
                    behind_values.push(rest.get(2..).unwrap_or_default());
                }
                let count = 1 + usize::from(takes_next == Some(true));
                rest = rest.get(count..).unwrap_or_default();
            }
            let is_end = rest.first().is_some_and(|word| word.marked() == "--");
            ends.push(if is_end { &rest[1..] } else { rest });
            if ends.len() + starts.len() >= MAX_CANDIDATES {
                break;
            }
            starts.extend(behind_values.into_iter().rev());
        }
        ends
    }

    /// Whether an option's value is the next word, if that is known.
    fn takes_next(&self, option: &str) -> Option<bool> {
        if !option.starts_with("--") {
            let valued =
                option.char_indices().skip(1).find(|(_, c)| self.short_valued.contains(*c));
            let is_last = |(at, letter): (usize, char)| at + letter.len_utf8() == option.len();
            return Some(valued.is_some_and(is_last));
        }
        match self.long_valued.iter().find_map(|valued| options::given(option, valued)) {
            Some(value) => Some(value == options::Value::Next && !option.contains('=')),
            None => (option.contains('=') || FLAGS.contains(&option)).then_some(false),
        }
    }
}

fn after_assignments(words: &[Word]) -> &[Word] {
    let is_assignment = |word: &Word| {
        let text = word.marked();
        text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_%".contains(c))
        })
    };
    let count = words.iter().take_while(|word| is_assignment(word)).count();
    &words[count..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn an_unknown_option_may_take_the_next_word() {
        for (line, expect) in [
            ("timeout --sig KILL --kill-a 5 5 ls", "ls"),
            ("timeout --signal=KILL 5 ls", "ls"),
            ("timeout --foreground 5 ls", "ls"),
            ("timeout --unknown 5 ls x", "ls x, x"),
            ("unshare --x 1 --y 2 ls", "1 --y 2 ls, 2 ls, ls"),
            ("env --argv0 x ls", "ls"),
        ] {
            let words = &shell::parse(line).commands[0].words;
            let wrapper = Wrapper::named(&words[0].marked()).unwrap();
            let found: Vec<String> = wrapper
                .candidates(words)
                .iter()
                .map(|words| words.iter().map(Word::marked).collect::<Vec<_>>().join(" "))
                .collect();
            assert_eq!(found.join(", "), expect, "{line}");
        }
    }

    #[test]
    fn rows_match_their_samples() {
        for wrapper in WRAPPERS {
            let (sample, expect) = wrapper.sample;
            // `time` is a shell keyword; quoted, it is the program.
            let script = shell::parse(&sample.replacen("time ", "\\time ", 1));
            let words = &script.commands[0].words;
            let inner: Vec<&str> =
                wrapper.inner(words).iter().map(|word| word.source.as_str()).collect();
            assert_eq!(inner.join(" "), expect, "{sample}");
        }
    }
}
