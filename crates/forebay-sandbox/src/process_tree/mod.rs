//! The processes of a run: watches the leader, and ends all of them.

#[cfg(not(target_os = "linux"))]
mod by_group;
#[cfg(target_os = "linux")]
mod by_reaper;
#[cfg(not(target_os = "linux"))]
mod process_group;

#[cfg(not(target_os = "linux"))]
pub(crate) use self::by_group::ProcessTree;
#[cfg(target_os = "linux")]
pub(crate) use self::by_reaper::ProcessTree;
/// What forwarded signals are sent to.
#[cfg(not(target_os = "linux"))]
pub(crate) use self::process_group::ProcessGroup as SignalTarget;
#[cfg(not(target_os = "linux"))]
use self::process_group::ProcessGroup;
#[cfg(target_os = "linux")]
pub(crate) use crate::reaper::SignalSender as SignalTarget;
