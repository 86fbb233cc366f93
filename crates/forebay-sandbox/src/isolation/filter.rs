//! System calls that a run must not make, as a program for the kernel.
//!
//! What Landlock already refuses (mounting, tracing what is outside) is not repeated here. A program
//! for another architecture, 32-bit code on a 64-bit machine, is ended: its calls have other numbers.
//!
//! The program is written here and not by a library: one comparison for each call is all it takes, and the
//! kernel runs a program as often as there are calls before it takes it over. A longer one is felt at each start.

use std::io;
use std::mem::offset_of;

use libc::{c_long, seccomp_data, sock_filter, sock_fprog};

use super::Profile;

/// Never a program's business; most of them only root could make at all.
const NEVER: &[c_long] = &[
    // Another kernel, or code in this one.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    // Opens files without a path, and so past Landlock.
    libc::SYS_open_by_handle_at,
    // The kernel's keyrings hold this user's secrets.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // A favourite of exploits that no build needs.
    libc::SYS_userfaultfd,
    // The machine's own state.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Refused beside those where there is no network.
const NO_NETWORK: &[c_long] = &[
    // Of every family: a unix socket may lead to a daemon that has a network (docker). Pairs of
    // connected sockets are made by another call and work.
    libc::SYS_socket,
    // Would make sockets past this filter.
    libc::SYS_io_uring_setup,
    // Tell about other processes, or look into them.
    libc::SYS_perf_event_open,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
];

/// What the kernel calls this architecture; none where the numbers of calls were not looked at.
const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xC000_003E)
} else if cfg!(target_arch = "aarch64") {
    Some(0xC000_00B7)
} else if cfg!(target_arch = "riscv64") {
    Some(0xC000_00F3)
} else {
    None
};

/// Calls of the x32 interface are the same with this bit, on one architecture.
const OTHER_INTERFACE: u32 = if cfg!(target_arch = "x86_64") { 0x4000_0000 } else { 0 };

/// A program that the kernel asks about each call.
#[derive(Debug)]
pub(super) struct Filter(Vec<sock_filter>);

impl Filter {
    /// The filter of a profile; none on an architecture it cannot be made for.
    pub(super) fn of(profile: Profile) -> Option<Self> {
        let calls: Vec<u32> = calls(profile).map(|call| call as u32).collect();
        let mut program = vec![
            step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset_of!(seccomp_data, arch) as u32),
            skip_one_if(ARCHITECTURE?),
            step(libc::BPF_RET, libc::SECCOMP_RET_KILL_PROCESS),
            step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset_of!(seccomp_data, nr) as u32),
            step(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, !OTHER_INTERFACE),
        ];
        for (index, call) in calls.iter().enumerate() {
            let to_the_refusal = (calls.len() - index) as u8;
            program.push(sock_filter { jt: to_the_refusal, ..skip_one_if(*call) });
        }
        program.push(step(libc::BPF_RET, libc::SECCOMP_RET_ALLOW));
        program.push(step(libc::BPF_RET, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32));
        Some(Self(program))
    }

    /// Holds the calling thread, and what it becomes, to it; between fork and exec.
    #[expect(unsafe_code, reason = "neither the standard library nor rustix has `seccomp`")]
    pub(super) fn hold_self(&self) -> io::Result<()> {
        let program =
            sock_fprog { len: self.0.len() as u16, filter: self.0.as_ptr().cast_mut().cast() };
        // SAFETY: the kernel copies the program, whose length is told, and does not write to it.
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

const fn step(code: u32, value: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k: value }
}

const fn skip_one_if(value: u32) -> sock_filter {
    let compare = step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value);
    sock_filter { jt: 1, ..compare }
}

fn calls(profile: Profile) -> impl Iterator<Item = c_long> {
    let no_network = if profile == Profile::Strict { NO_NETWORK } else { &[] };
    NEVER.iter().chain(no_network).copied()
}

#[cfg(test)]
mod tests {
    use forebay_test_support::skip;

    use super::*;

    const NO_FILTER: &str = "there is no seccomp filter for this architecture";

    /// Follows a program as the kernel does.
    fn answer(filter: &Filter, architecture: u32, call: u32) -> u32 {
        let (mut value, mut at) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = filter.0[at];
            at += 1;
            match u32::from(code) & 0x07 {
                libc::BPF_LD if k == 0 => value = call,
                libc::BPF_LD => value = architecture,
                libc::BPF_ALU => value &= k,
                libc::BPF_JMP => at += usize::from(if value == k { jt } else { jf }),
                _ => return k,
            }
        }
    }

    #[test]
    fn each_refused_call_and_no_other_is_refused() {
        let Some(architecture) = ARCHITECTURE else { return skip(NO_FILTER) };
        for profile in [Profile::Project, Profile::Strict] {
            let filter = Filter::of(profile).unwrap();
            for call in 0..600 {
                let expected = if calls(profile).any(|refused| refused as u32 == call) {
                    libc::SECCOMP_RET_ERRNO | libc::EPERM as u32
                } else {
                    libc::SECCOMP_RET_ALLOW
                };
                assert_eq!(answer(&filter, architecture, call), expected, "{profile} {call}");
                let over_x32 = call | OTHER_INTERFACE;
                assert_eq!(answer(&filter, architecture, over_x32), expected, "{profile} {call}");
            }
        }
    }

    #[test]
    fn code_of_another_architecture_is_ended() {
        let Some(filter) = Filter::of(Profile::Project) else { return skip(NO_FILTER) };
        assert_eq!(answer(&filter, 0x4000_0003, 1), libc::SECCOMP_RET_KILL_PROCESS);
    }

    #[test]
    fn strict_refuses_more() {
        assert!(calls(Profile::Strict).count() > calls(Profile::Project).count());
    }
}
