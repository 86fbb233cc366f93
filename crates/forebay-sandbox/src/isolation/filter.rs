//! System calls that a run must not make, as a program for the kernel.
//!
//! What Landlock already refuses (mounting, tracing what is outside) is not repeated here. A program
//! for another architecture, 32-bit code on a 64-bit machine, is ended: its calls have other numbers.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::io;

use libc::c_long;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

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

/// Calls of the x32 interface are the same with this bit.
#[cfg(target_arch = "x86_64")]
const OTHER_INTERFACE: Option<c_long> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const OTHER_INTERFACE: Option<c_long> = None;

/// The filter of a profile; none on an architecture it cannot be made for.
pub(super) fn program(profile: Profile) -> io::Result<Option<BpfProgram>> {
    let Ok(architecture) = TargetArch::try_from(ARCH) else {
        return Ok(None);
    };
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let rules: BTreeMap<c_long, Vec<_>> = calls(profile).map(|call| (call, Vec::new())).collect();
    SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture)
        .and_then(BpfProgram::try_from)
        .map(Some)
        .map_err(io::Error::other)
}

fn calls(profile: Profile) -> impl Iterator<Item = c_long> {
    let no_network = if profile == Profile::Strict { NO_NETWORK } else { &[] };
    let calls = NEVER.iter().chain(no_network).copied();
    calls.flat_map(|call| [Some(call), OTHER_INTERFACE.map(|bit| bit | call)]).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_refuses_more() {
        let project = program(Profile::Project).unwrap().unwrap();
        let strict = program(Profile::Strict).unwrap().unwrap();
        assert!(strict.len() > project.len());
    }
}
