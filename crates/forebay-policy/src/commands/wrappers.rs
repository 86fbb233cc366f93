//! Commands that run another command given as their arguments.

use crate::shell::Word;

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
    assigns: bool,
    /// Whether an allow rule for the command applies through it.
    is_harmless: bool,
    /// A sample use and the command it runs.
    #[cfg(test)]
    proof: (&'static str, &'static str),
}

macro_rules! wrappers {
    ($($name:literal $short:literal $long:tt $operands:literal $flags:tt $proof:tt;)*) => {
        /// All known wrappers.
        const WRAPPERS: &[Wrapper] = &[$(Wrapper {
            name: $name,
            short_valued: $short,
            long_valued: &$long,
            operands: $operands,
            assigns: wrappers!(@assigns $flags),
            is_harmless: wrappers!(@harmless $flags),
            #[cfg(test)]
            proof: $proof,
        }),*];
    };
    (@assigns assigns) => { true };
    (@assigns $other:tt) => { false };
    (@harmless harmless) => { true };
    (@harmless $other:tt) => { false };
}

// name, short options with a value, long options with a value, operands, kind, proof
wrappers! {
    "timeout" "ks" ["--kill-after", "--signal"] 1 harmless ("timeout -k 5 --preserve-status 10 ls -l", "ls -l");
    "time" "fo" ["--format", "--output"] 0 harmless ("time -p -f %e ls", "ls");
    "nice" "n" ["--adjustment"] 0 harmless ("nice -n 5 ls", "ls");
    "nohup" "" [] 0 harmless ("nohup ls", "ls");
    "stdbuf" "ioe" ["--input", "--output", "--error"] 0 harmless ("stdbuf -oL -e 0 ls", "ls");
    "command" "" [] 0 harmless ("command -p ls", "ls");
    "builtin" "" [] 0 harmless ("builtin cd x", "cd x");
    "noglob" "" [] 0 harmless ("noglob ls", "ls");
    "nocorrect" "" [] 0 forbids ("nocorrect ls", "ls");
    "-" "" [] 0 forbids ("- ls", "ls");
    "exec" "a" [] 0 forbids ("exec -a x -c ls", "ls");
    "env" "uCS" ["--unset", "--chdir", "--split-string"] 0 assigns ("env -i -u X A=1 ls", "ls");
    "sudo" "ugCDhpRrtTU" ["--user", "--group", "--host", "--prompt", "--role", "--type", "--chdir", "--chroot", "--close-from", "--other-user", "--command-timeout"] 0 assigns ("sudo -n -u root A=1 ls", "ls");
    "doas" "uCa" [] 0 forbids ("doas -u root ls", "ls");
    "pkexec" "" ["--user"] 0 forbids ("pkexec --user root ls", "ls");
    "run0" "uD" ["--user", "--chdir"] 0 forbids ("run0 ls", "ls");
    "gosu" "" [] 1 forbids ("gosu root ls", "ls");
    "su-exec" "" [] 1 forbids ("su-exec root ls", "ls");
    "setsid" "" [] 0 forbids ("setsid -w ls", "ls");
    "ionice" "cnpPu" ["--class", "--classdata"] 0 forbids ("ionice -c 3 ls", "ls");
    "chrt" "TPD" [] 1 forbids ("chrt -f 10 ls", "ls");
    "taskset" "" [] 1 forbids ("taskset -c 1 ls", "ls");
    "numactl" "CmNpi" [] 0 forbids ("numactl -N 0 ls", "ls");
    "prlimit" "" [] 0 forbids ("prlimit --nofile=10 ls", "ls");
    "setarch" "" [] 1 forbids ("setarch x86_64 -R ls", "ls");
    "linux64" "" [] 0 forbids ("linux64 ls", "ls");
    "unshare" "SGRw" ["--setuid", "--setgid", "--root", "--wd"] 0 forbids ("unshare -r ls", "ls");
    "nsenter" "tSGN" ["--target", "--setuid", "--setgid"] 0 forbids ("nsenter -t 1 -m ls", "ls");
    "chroot" "" [] 1 forbids ("chroot --userspec=x /mnt ls", "ls");
    "fakeroot" "lsib" [] 0 forbids ("fakeroot ls", "ls");
    "strace" "abeEIoOpPsSuX" [] 0 forbids ("strace -f -o log ls", "ls");
    "ltrace" "aAeDFlnopsuwx" [] 0 forbids ("ltrace -o log ls", "ls");
    "valgrind" "" [] 0 forbids ("valgrind --leak-check=full ls", "ls");
    "systemd-run" "pEMu" ["--unit", "--property", "--slice", "--setenv"] 0 forbids ("systemd-run --user -p X=1 ls", "ls");
    "systemd-inhibit" "" ["--what", "--who", "--why", "--mode"] 0 forbids ("systemd-inhibit --why x ls", "ls");
    "caffeinate" "tw" [] 0 forbids ("caffeinate -i -t 5 ls", "ls");
    "dbus-run-session" "" [] 0 forbids ("dbus-run-session -- ls", "ls");
    "xvfb-run" "enpsw" [] 0 forbids ("xvfb-run -a ls", "ls");
    "unbuffer" "" [] 0 forbids ("unbuffer -p ls", "ls");
    "rlwrap" "" [] 0 forbids ("rlwrap ls", "ls");
    "torsocks" "" [] 0 forbids ("torsocks ls", "ls");
    "proxychains" "f" [] 0 forbids ("proxychains -f x ls", "ls");
    "firejail" "" [] 0 forbids ("firejail --net=none ls", "ls");
    "tini" "pe" [] 0 forbids ("tini -g -- ls", "ls");
    "dumb-init" "r" [] 0 forbids ("dumb-init ls", "ls");
    "entr" "" [] 0 forbids ("entr -c ls", "ls");
    "busybox" "" [] 0 forbids ("busybox ls", "ls");
    "toybox" "" [] 0 forbids ("toybox ls", "ls");
    "flock" "wE" ["--timeout", "--wait", "--conflict-exit-code"] 1 forbids ("flock -w 5 lock ls", "ls");
    "xargs" "aEdILnPs" ["--arg-file", "--delimiter", "--max-lines", "--max-args", "--max-procs", "--max-chars", "--replace"] 0 forbids ("xargs -n 1 ls", "ls");
    "parallel" "jNnIaS" ["--jobs", "--arg-file"] 0 forbids ("parallel -j 4 ls", "ls");
}

impl Wrapper {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        WRAPPERS.iter().find(|wrapper| wrapper.name == name)
    }

    /// The wrapper, if allow rules apply through it.
    pub(super) fn harmless(name: &str) -> Option<&'static Self> {
        Self::named(name).filter(|wrapper| wrapper.is_harmless)
    }

    /// The words of the command it runs, given its arguments.
    pub(super) fn inner<'a>(&self, words: &'a [Word]) -> &'a [Word] {
        let mut rest = self.after_options(words.get(1..).unwrap_or_default());
        if self.assigns {
            rest = after_assignments(rest);
        }
        if self.operands > 0 {
            rest = self.after_options(rest.get(self.operands..).unwrap_or_default());
        }
        rest
    }

    fn after_options<'a>(&self, mut words: &'a [Word]) -> &'a [Word] {
        while let Some(option) = words.first().and_then(Word::known)
            && option.starts_with('-')
            && option != "-"
        {
            if option == "--" {
                return &words[1..];
            }
            words = words.get(1 + usize::from(self.takes_next(&option))..).unwrap_or_default();
        }
        words
    }

    /// Whether an option's value is the next word.
    fn takes_next(&self, option: &str) -> bool {
        if option.starts_with("--") {
            return self.long_valued.contains(&option);
        }
        let valued = option.char_indices().skip(1).find(|(_, c)| self.short_valued.contains(*c));
        valued.is_some_and(|(at, character)| at + character.len_utf8() == option.len())
    }
}

fn after_assignments(words: &[Word]) -> &[Word] {
    let is_assignment = |word: &Word| {
        let text = word.marked();
        text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
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
    fn rows_match_their_samples() {
        for wrapper in WRAPPERS {
            let (written, expect) = wrapper.proof;
            // `time` is a shell keyword; quoted, it is the program.
            let script = shell::parse(&written.replacen("time ", "\\time ", 1));
            let words = &script.commands[0].words;
            let inner: Vec<&str> =
                wrapper.inner(words).iter().map(|word| word.source.as_str()).collect();
            assert_eq!(inner.join(" "), expect, "{written}");
        }
    }
}
