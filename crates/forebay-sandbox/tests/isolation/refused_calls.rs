//! A system that lacks something, as far as a process can tell.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Makes the kernel refuse a system call to this thread and its children.
pub(crate) fn refuse(call: libc::c_long, error: libc::c_int) {
    refuse_by(call, error, Vec::new());
}

/// Likewise, if all of `flags` are in an argument.
#[allow(dead_code, reason = "not every test uses it")]
pub(crate) fn refuse_flags(call: libc::c_long, error: libc::c_int, argument: u8, flags: u64) {
    let operator = SeccompCmpOp::MaskedEq(flags);
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, flags);
    refuse_by(call, error, vec![SeccompRule::new(vec![condition.unwrap()]).unwrap()]);
}

/// Likewise, if one of `rules` matches; without rules always.
pub(crate) fn refuse_by(call: libc::c_long, error: libc::c_int, rules: Vec<SeccompRule>) {
    let refusal = SeccompAction::Errno(error as u32);
    let arch: TargetArch = ARCH.try_into().unwrap();
    let refused = BTreeMap::from([(call, rules)]);
    let filter = SeccompFilter::new(refused, SeccompAction::Allow, refusal, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}
