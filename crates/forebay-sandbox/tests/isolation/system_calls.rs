//! System calls that lead around isolation, made by programs inside of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use forebay_sandbox::Profile;
use forebay_test_support::{is_ci, skip};

use crate::fixture::{Fixture, is_enforced};

/// A call as the arguments of Perl's `syscall`, which wants variables for texts.
struct Attack {
    name: &'static str,
    number: libc::c_long,
    arguments: &'static str,
    needs_root: bool,
}

const fn of_root(name: &'static str, number: libc::c_long, arguments: &'static str) -> Attack {
    Attack { name, number, arguments, needs_root: true }
}

const fn of_anybody(name: &'static str, number: libc::c_long, arguments: &'static str) -> Attack {
    Attack { name, number, arguments, needs_root: false }
}

/// Where a call would change this machine, its arguments are invalid: without isolation the kernel says so.
const ATTACKS: &[Attack] = &[
    of_anybody("open_tree", libc::SYS_open_tree, r#"-100, my $a = "/etc", 0"#),
    of_root(
        "move_mount",
        libc::SYS_move_mount,
        r#"-100, my $a = "/none", -100, my $b = "/none", 0"#,
    ),
    of_root("fsopen", libc::SYS_fsopen, r#"my $a = "tmpfs", 0"#),
    of_root("fsmount", libc::SYS_fsmount, "-1, 0, 0"),
    of_root("fspick", libc::SYS_fspick, r#"-100, my $a = "/none", 0"#),
    of_root("setns", libc::SYS_setns, "fileno(N), 0"),
    of_anybody("keyctl", libc::SYS_keyctl, "0, -3, 1"),
    of_anybody("add_key", libc::SYS_add_key, r#"my $a = "user", my $b = "x", my $c = "y", 1, -2"#),
    of_root("mount", libc::SYS_mount, r#"my $a = "none", my $b = "/none", my $c = "tmpfs", 0, 0"#),
    of_root("umount", libc::SYS_umount2, r#"my $a = "/none", 0"#),
];

impl Attack {
    /// Prints `ok`, or the number of the error.
    fn line(&self) -> String {
        let call = format!("syscall({}, {})", self.number, self.arguments);
        format!(
            "perl -e 'open(N, \"<\", \"/proc/self/ns/uts\"); print({call} < 0 ? $! + 0 : \"ok\")'"
        )
    }
}

#[test]
fn mounts_namespaces_and_keyrings_are_out_of_reach() {
    if !is_enforced() {
        return;
    }
    let refused = libc::EPERM.to_string();
    for attack in ATTACKS {
        let open = Fixture::new(Profile::Off).run(&attack.line()).succeeded();
        assert!(open != refused || attack.needs_root && !may_mount(), "{}: {open}", attack.name);
        for profile in [Profile::Project, Profile::Strict] {
            let inside = Fixture::new(profile).run(&attack.line()).succeeded();
            assert_eq!(inside, refused, "{profile} {}", attack.name);
        }
    }
}

/// Whether this process has the capability of the calls that need root.
fn may_mount() -> bool {
    const SYS_ADMIN: u32 = 21;
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let capabilities = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap();
    u64::from_str_radix(capabilities.trim(), 16).unwrap() >> SYS_ADMIN & 1 == 1
}

/// Asks for its own id by the numbers of another ABI, and ends with 0 if the kernel tells it.
const OTHER_NUMBERS: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words) {
    long id = -1;
    if (count > 1 && !strcmp(words[1], "x32")) id = syscall(0x40000000 | SYS_getpid);
    else __asm__ volatile("int $0x80" : "=a"(id) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    return id != getpid();
}
"#;

#[test]
#[expect(clippy::disallowed_methods, reason = "the compiler is no run")]
fn other_numbers_of_the_calls_are_no_way_around() {
    if !cfg!(target_arch = "x86_64") {
        return skip("this architecture has one set of numbers");
    }
    if !is_enforced() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
    fs::write(&source, OTHER_NUMBERS).unwrap();
    let compiled = Command::new("cc").arg(&source).arg("-o").arg(&program).output();
    if !compiled.is_ok_and(|compiled| compiled.status.success()) {
        return unavailable("no C compiler");
    }
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for abi in ["x32", "i386"] {
        let line = format!("{} {abi}", program.display());
        if !Fixture::new(Profile::Off).run(&line).finished.ending.is_success() {
            unavailable(&format!("this kernel has no {abi}"));
        }
        for profile in [Profile::Project, Profile::Strict] {
            let ran = Fixture::new(profile).run(&line);
            assert!(!ran.finished.ending.is_success(), "{profile} {abi}: {}", ran.text);
        }
    }
}

/// Reports what this machine lacks, which no machine of the CI has to have.
fn unavailable(reason: &str) {
    if !is_ci() {
        skip(reason);
    }
}
