//! Denies system calls with a seccomp filter.
//!
//! Calls that Landlock already denies (tracing processes outside) are not repeated here. A process of
//! another architecture, such as 32-bit code on a 64-bit machine, is killed, because its call numbers differ.
//!
//! The BPF program is built by hand instead of by a library: one comparison per call is enough, but for `prlimit`, and the
//! kernel evaluates the program for every system call number when it is installed, so that a longer one slows down each start.
//!
//! Where mounts are not possible, a longer filter stops the calls that change metadata, for [`super::metadata`].

use std::io;
use std::mem::offset_of;
use std::os::fd::{FromRawFd, OwnedFd};

use libc::{c_long, c_uint, c_ulong, seccomp_data, sock_filter, sock_fprog};

use super::{Profile, metadata};

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

/// Set in the call numbers of the x32 ABI on x86-64, which hardly any kernel has and which numbers some calls differently.
const X32_SYSCALL_BIT: u32 = 0x4000_0000;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const DENY: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const UNKNOWN: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

/// A BPF program that the kernel evaluates for each system call.
#[derive(Debug)]
pub(super) struct SeccompFilter(Vec<sock_filter>);

impl SeccompFilter {
    /// Returns the filter for `profile`; `None` on an unsupported architecture.
    pub(super) fn for_profile(profile: Profile) -> Option<Self> {
        Self::new(&[], denied_syscalls(profile), std::iter::empty())
    }

    /// Returns the filter for `profile` that also stops calls which change metadata; `None` on an unsupported
    /// architecture.
    pub(super) fn supervised(profile: Profile) -> Option<Self> {
        let denied = denied_syscalls(profile).chain(metadata::DENIED_CALLS.iter().copied());
        Self::new(metadata::DENIED_IOCTLS, denied, metadata::supervised_calls())
    }

    fn new(
        denied_ioctls: &[c_uint],
        denied: impl Iterator<Item = c_long>,
        stopped: impl Iterator<Item = c_long>,
    ) -> Option<Self> {
        let mut program = vec![
            load(offset_of!(seccomp_data, arch)),
            jump_if_equal(AUDIT_ARCH?),
            returning(libc::SECCOMP_RET_KILL_PROCESS),
            load(offset_of!(seccomp_data, nr)),
        ];
        if cfg!(target_arch = "x86_64") {
            let is_x32 = statement(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, X32_SYSCALL_BIT);
            program.extend([sock_filter { jf: 1, ..is_x32 }, returning(UNKNOWN)]);
        }
        program.extend(limits_of_others());
        program.extend(requests(denied_ioctls));
        // Where to go from a comparison, by the number of instructions up to the last three.
        let (mut outcomes, mut calls) = (Vec::new(), Vec::new());
        calls.extend(denied.map(|call| (call, 1)));
        calls.extend(stopped.map(|call| (call, 2)));
        for (index, (call, outcome)) in calls.iter().enumerate() {
            let to_last = (calls.len() - index - 1) as u8;
            outcomes.push(sock_filter { jt: to_last + outcome, ..jump_if_equal(*call as u32) });
        }
        program.append(&mut outcomes);
        program.extend([ALLOW, DENY, libc::SECCOMP_RET_USER_NOTIF].map(returning));
        Some(Self(program))
    }

    /// Applies the filter to the calling thread and the program it executes. Async-signal-safe.
    pub(super) fn install(&self) -> io::Result<()> {
        self.install_with(0).map(drop)
    }

    /// Likewise, and returns the listener for stopped calls; `None` if the system does not give one. Async-signal-safe.
    #[expect(unsafe_code, reason = "the call returns a new descriptor")]
    pub(super) fn install_with_listener(&self) -> io::Result<Option<OwnedFd>> {
        // The second flag is new in Linux 5.19: a signal does not interrupt a stopped call.
        let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        let outcome = match self.install_with(flags | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
        {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => self.install_with(flags),
            outcome => outcome,
        };
        match outcome {
            // SAFETY: with this flag, the kernel returns a descriptor that nothing else owns.
            Ok(listener) => Ok(Some(unsafe { OwnedFd::from_raw_fd(listener as libc::c_int) })),
            Err(error) if super::shortage::is_shortage(&error) => Err(error),
            Err(_) => Ok(None),
        }
    }

    #[expect(unsafe_code, reason = "neither the standard library nor rustix has `seccomp`")]
    fn install_with(&self, flags: c_ulong) -> io::Result<c_long> {
        let program =
            sock_fprog { len: self.0.len() as u16, filter: self.0.as_ptr().cast_mut().cast() };
        // SAFETY: `len` is the length of the program, which outlives the call; the kernel copies it and does not
        // write to it.
        let outcome = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                std::ptr::from_ref(&program),
            )
        };
        if outcome >= 0 { Ok(outcome) } else { Err(io::Error::last_os_error()) }
    }
}

/// Denies `prlimit` for another process: a limit of zero ends it, as a signal would. A process that names itself by its id
/// is denied too.
fn limits_of_others() -> [sock_filter; 9] {
    const ALLOWED: u8 = 7;
    const DENIED: u8 = 8;
    const NEXT: u8 = 9;
    // Where to go on from an instruction, by its position.
    let to = |target: u8, from: u8| target - from - 1;
    let when_zero = |yes, no| sock_filter { jt: yes, jf: no, ..jump_if_equal(0) };
    [
        sock_filter { jt: 0, jf: to(NEXT, 0), ..jump_if_equal(libc::SYS_prlimit64 as u32) },
        // The process: this one is 0.
        load_argument(0, 0),
        when_zero(to(ALLOWED, 2), 0),
        // The new limit: without one, the call only reads.
        load_argument(2, 0),
        when_zero(0, to(DENIED, 4)),
        load_argument(2, 4),
        when_zero(0, to(DENIED, 6)),
        returning(ALLOW),
        returning(DENY),
    ]
}

/// Denies some requests of `ioctl`, the second argument; nothing for none.
fn requests(denied: &[c_uint]) -> Vec<sock_filter> {
    if denied.is_empty() {
        return Vec::new();
    }
    let count = denied.len() as u8;
    let is_other_call =
        sock_filter { jt: 0, jf: count + 3, ..jump_if_equal(libc::SYS_ioctl as u32) };
    let mut program = vec![is_other_call, load_argument(1, 0)];
    for (index, request) in (1..).zip(denied) {
        program.push(sock_filter { jt: count - index + 1, ..jump_if_equal(*request) });
    }
    program.extend([returning(ALLOW), returning(DENY)]);
    program
}

/// Loads half of an argument, the lower one at offset 0: all architectures above are little-endian.
const fn load_argument(index: usize, offset: usize) -> sock_filter {
    load(offset_of!(seccomp_data, args) + index * size_of::<u64>() + offset)
}

const fn load(at: usize) -> sock_filter {
    statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at as u32)
}

const fn returning(outcome: u32) -> sock_filter {
    statement(libc::BPF_RET, outcome)
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
                libc::BPF_JMP => {
                    let is_met = if u32::from(code) & 0xf0 == libc::BPF_JGE {
                        value >= k
                    } else {
                        value == k
                    };
                    at += usize::from(if is_met { jt } else { jf });
                }
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
                let is_denied = denied_syscalls(profile).any(|refused| refused as u32 == call);
                let expected = if is_denied { DENY } else { ALLOW };
                assert_eq!(evaluate(&filter, architecture, call), expected, "{profile} {call}");
            }
        }
    }

    #[test]
    fn stops_calls_that_change_metadata() {
        let Some(architecture) = AUDIT_ARCH else { return skip(NO_FILTER) };
        let plain = SeccompFilter::for_profile(Profile::Project).unwrap();
        let filter = SeccompFilter::supervised(Profile::Project).unwrap();
        let stopped: Vec<_> = metadata::supervised_calls().map(|call| call as u32).collect();
        for call in 0..600 {
            let expected = if stopped.contains(&call) {
                libc::SECCOMP_RET_USER_NOTIF
            } else if metadata::DENIED_CALLS.contains(&c_long::from(call)) {
                DENY
            } else {
                evaluate(&plain, architecture, call)
            };
            assert_eq!(evaluate(&filter, architecture, call), expected, "{call}");
        }
        let ioctl = |request: u64| {
            evaluate_with(&filter, architecture, libc::SYS_ioctl as u32, [3, request, 0, 0, 0, 0])
        };
        for request in metadata::DENIED_IOCTLS {
            assert_eq!(ioctl(u64::from(*request)), DENY, "{request:x}");
            // The kernel reads the lower half only.
            assert_eq!(ioctl(u64::from(*request) | 1 << 40), DENY, "{request:x}");
        }
        // Terminals, copies that share blocks, and flags that are read.
        for request in [0x5401, 0x4004_9409, 0x8008_6601, 0xc020_660b] {
            assert_eq!(ioctl(request), ALLOW, "{request:x}");
        }
    }

    /// In that ABI, 521 is `ptrace`.
    #[test]
    fn denies_the_other_numbers_of_an_architecture() {
        let Some(architecture) = AUDIT_ARCH else { return skip(NO_FILTER) };
        if !cfg!(target_arch = "x86_64") {
            return skip("this architecture has one set of numbers");
        }
        let filter = SeccompFilter::for_profile(Profile::Strict).unwrap();
        for call in [0, 1, 521, 600] {
            assert_eq!(evaluate(&filter, architecture, call | X32_SYSCALL_BIT), UNKNOWN, "{call}");
        }
    }

    #[test]
    fn denies_limits_of_other_processes() {
        let Some(architecture) = AUDIT_ARCH else { return skip(NO_FILTER) };
        let filter = SeccompFilter::for_profile(Profile::Project).unwrap();
        for (process, limit, expected) in [
            (0, 0, ALLOW),
            (0, 0x7ffc_0000_0000, ALLOW),
            (77, 0, ALLOW),
            (77, 0x7ffc_0000_0000, DENY),
            (77, 0x1000, DENY),
            // The kernel reads the lower half only.
            (1 << 32, 0x1000, ALLOW),
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
