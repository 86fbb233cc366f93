//! Denies system calls with a seccomp filter.
//!
//! Calls that Landlock already denies (tracing processes outside) are not repeated here. A process of
//! another architecture, such as 32-bit code on a 64-bit machine, is killed, because its call numbers differ.
//!
//! The BPF program is built by hand instead of by a library: one comparison per call is enough, but for `prlimit`, and the
//! kernel evaluates the program for every system call number when it is installed, so that a longer one slows down each start.

use std::io;
use std::mem::offset_of;

use libc::{c_long, seccomp_data, sock_filter, sock_fprog};

use super::Profile;

/// Denied under every profile; most of them need root anyway.
const ALWAYS_DENIED: &[c_long] = &[
    // Load another kernel, or code into this one.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    // Opens files without a path, which bypasses Landlock.
    libc::SYS_open_by_handle_at,
    // Change the mounts that isolation consists of. Landlock denies some of these calls only.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    // The kernel keyrings contain secrets of this user.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Common in exploits, and not needed by builds.
    libc::SYS_userfaultfd,
    // Change the state of the machine.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// New in Linux 6.15; the number is the same on all architectures.
const OPEN_TREE_ATTR: c_long = 467;

/// Also denied without network access.
const DENIED_WITHOUT_NETWORK: &[c_long] = &[
    // All families: a Unix socket may lead to a daemon with network access (docker). `socketpair` is
    // another call and works.
    libc::SYS_socket,
    // Creates sockets without passing this filter.
    libc::SYS_io_uring_setup,
    // Observe other processes.
    libc::SYS_perf_event_open,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
];

/// `AUDIT_ARCH_*` of this architecture; `None` if its call numbers were not verified.
const AUDIT_ARCH: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xC000_003E)
} else if cfg!(target_arch = "aarch64") {
    Some(0xC000_00B7)
} else if cfg!(target_arch = "riscv64") {
    Some(0xC000_00F3)
} else {
    None
};

/// Set in the call numbers of the x32 ABI on x86-64.
const X32_SYSCALL_BIT: u32 = if cfg!(target_arch = "x86_64") { 0x4000_0000 } else { 0 };

/// A BPF program that the kernel evaluates for each system call.
#[derive(Debug)]
pub(super) struct SeccompFilter(Vec<sock_filter>);

impl SeccompFilter {
    /// Returns the filter for `profile`; `None` on an unsupported architecture.
    pub(super) fn for_profile(profile: Profile) -> Option<Self> {
        let calls: Vec<u32> = denied_syscalls(profile).map(|call| call as u32).collect();
        let mut program = vec![
            statement(
                libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
                offset_of!(seccomp_data, arch) as u32,
            ),
            jump_if_equal(AUDIT_ARCH?),
            statement(libc::BPF_RET, libc::SECCOMP_RET_KILL_PROCESS),
            statement(
                libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
                offset_of!(seccomp_data, nr) as u32,
            ),
            statement(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, !X32_SYSCALL_BIT),
        ];
        program.extend(limits_of_others());
        for (index, call) in calls.iter().enumerate() {
            let to_denial = (calls.len() - index) as u8;
            program.push(sock_filter { jt: to_denial, ..jump_if_equal(*call) });
        }
        program.push(statement(libc::BPF_RET, libc::SECCOMP_RET_ALLOW));
        program.push(statement(libc::BPF_RET, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32));
        Some(Self(program))
    }

    /// Applies the filter to the calling thread and the program it executes. Async-signal-safe.
    #[expect(unsafe_code, reason = "neither the standard library nor rustix has `seccomp`")]
    pub(super) fn install(&self) -> io::Result<()> {
        let program =
            sock_fprog { len: self.0.len() as u16, filter: self.0.as_ptr().cast_mut().cast() };
        // SAFETY: `len` is the length of the program, which outlives the call; the kernel copies it and does not
        // write to it.
        let outcome = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                0,
                std::ptr::from_ref(&program),
            )
        };
        if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Denies `prlimit` for another process: a limit of zero ends it, as a signal would. A process that names itself by its id
/// is denied too.
fn limits_of_others() -> [sock_filter; 9] {
    const ALLOW: u8 = 7;
    const DENY: u8 = 8;
    const NEXT: u8 = 9;
    // Where to go on from an instruction, by its position.
    let to = |target: u8, from: u8| target - from - 1;
    let when_zero = |yes, no| sock_filter { jt: yes, jf: no, ..jump_if_equal(0) };
    [
        sock_filter { jt: 0, jf: to(NEXT, 0), ..jump_if_equal(libc::SYS_prlimit64 as u32) },
        // The process: this one is 0.
        load_argument(0, 0),
        when_zero(to(ALLOW, 2), 0),
        // The new limit: without one, the call only reads.
        load_argument(2, 0),
        when_zero(0, to(DENY, 4)),
        load_argument(2, 4),
        when_zero(0, to(DENY, 6)),
        statement(libc::BPF_RET, libc::SECCOMP_RET_ALLOW),
        statement(libc::BPF_RET, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
    ]
}

/// Loads half of an argument, the lower one at offset 0: all architectures above are little-endian.
const fn load_argument(index: usize, offset: usize) -> sock_filter {
    let at = offset_of!(seccomp_data, args) + index * size_of::<u64>() + offset;
    statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at as u32)
}

const fn statement(code: u32, value: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k: value }
}

const fn jump_if_equal(value: u32) -> sock_filter {
    let compare = statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value);
    sock_filter { jt: 1, ..compare }
}

fn denied_syscalls(profile: Profile) -> impl Iterator<Item = c_long> {
    let no_network = if profile == Profile::Strict { DENIED_WITHOUT_NETWORK } else { &[] };
    ALWAYS_DENIED.iter().chain(no_network).copied()
}

#[cfg(test)]
mod tests {
    use forebay_test_support::skip;

    use super::*;

    const NO_FILTER: &str = "there is no seccomp filter for this architecture";

    /// Evaluates a filter as the kernel does.
    fn evaluate(filter: &SeccompFilter, architecture: u32, call: u32) -> u32 {
        evaluate_with(filter, architecture, call, [0; 6])
    }

    fn evaluate_with(
        filter: &SeccompFilter,
        architecture: u32,
        call: u32,
        arguments: [u64; 6],
    ) -> u32 {
        let argument = |at: u32| {
            let at = at as usize - offset_of!(seccomp_data, args);
            (arguments[at / 8] >> (8 * (at % 8))) as u32
        };
        let (mut value, mut at) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = filter.0[at];
            at += 1;
            match u32::from(code) & 0x07 {
                libc::BPF_LD if k == 0 => value = call,
                libc::BPF_LD if k == 4 => value = architecture,
                libc::BPF_LD => value = argument(k),
                libc::BPF_ALU => value &= k,
                libc::BPF_JMP => at += usize::from(if value == k { jt } else { jf }),
                _ => return k,
            }
        }
    }

    #[test]
    fn denies_exactly_the_listed_calls() {
        let Some(architecture) = AUDIT_ARCH else { return skip(NO_FILTER) };
        for profile in [Profile::Project, Profile::Strict] {
            let filter = SeccompFilter::for_profile(profile).unwrap();
            for call in 0..600 {
                let expected = if denied_syscalls(profile).any(|refused| refused as u32 == call) {
                    libc::SECCOMP_RET_ERRNO | libc::EPERM as u32
                } else {
                    libc::SECCOMP_RET_ALLOW
                };
                assert_eq!(evaluate(&filter, architecture, call), expected, "{profile} {call}");
                let over_x32 = call | X32_SYSCALL_BIT;
                assert_eq!(evaluate(&filter, architecture, over_x32), expected, "{profile} {call}");
            }
        }
    }

    #[test]
    fn denies_limits_of_other_processes() {
        let Some(architecture) = AUDIT_ARCH else { return skip(NO_FILTER) };
        let filter = SeccompFilter::for_profile(Profile::Project).unwrap();
        let denied = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
        for (process, limit, expected) in [
            (0, 0, libc::SECCOMP_RET_ALLOW),
            (0, 0x7ffc_0000_0000, libc::SECCOMP_RET_ALLOW),
            (77, 0, libc::SECCOMP_RET_ALLOW),
            (77, 0x7ffc_0000_0000, denied),
            (77, 0x1000, denied),
            // The kernel reads the lower half only.
            (1 << 32, 0x1000, libc::SECCOMP_RET_ALLOW),
        ] {
            let arguments = [process, 7, limit, 0, 0, 0];
            let call = libc::SYS_prlimit64 as u32;
            let outcome = evaluate_with(&filter, architecture, call, arguments);
            assert_eq!(outcome, expected, "{process} {limit}");
        }
    }

    #[test]
    fn kills_code_of_another_architecture() {
        let Some(filter) = SeccompFilter::for_profile(Profile::Project) else {
            return skip(NO_FILTER);
        };
        assert_eq!(evaluate(&filter, 0x4000_0003, 1), libc::SECCOMP_RET_KILL_PROCESS);
    }

    #[test]
    fn strict_denies_more() {
        assert!(
            denied_syscalls(Profile::Strict).count() > denied_syscalls(Profile::Project).count()
        );
    }
}
