//! A change of metadata: read from the arguments of a call, and made.

use std::ffi::CString;

use rustix::fs::{
    AtFlags, CWD, Mode, Timespec, Timestamps, XattrFlags, chmodat, chownat, removexattr, setxattr,
    utimensat,
};
use rustix::io::Errno;
use rustix::thread::{Gid, Uid};

use super::caller::{Caller, TargetFile};
use super::calls::{ChangeArguments, MetadataCall, TimeFormat};

/// Limits of Linux.
const MAX_NAME_BYTES: usize = 256;
const MAX_VALUE_BYTES: usize = 64 * 1024;
/// "Unchanged" as an owner.
const NO_ID: u32 = u32::MAX;
const MICROSECONDS: i64 = 1_000_000;

/// What a call changes.
#[derive(Debug)]
pub(super) enum Change {
    Mode(Mode),
    Owner(Option<Uid>, Option<Gid>),
    Times(Timestamps),
    SetAttribute { name: CString, value: Vec<u8>, flags: XattrFlags },
    RemoveAttribute(CString),
}

impl Change {
    pub(super) fn read(
        call: &MetadataCall,
        arguments: &[u64; 6],
        caller: &Caller,
    ) -> Result<Self, Errno> {
        let argument = |at: usize| arguments.get(at).copied().unwrap_or_default();
        Ok(match call.change {
            ChangeArguments::Mode(at) => {
                Self::Mode(Mode::from_raw_mode(argument(at) as u32 & 0o7777))
            }
            ChangeArguments::Owner(at) => {
                let id = |at: usize| Some(argument(at) as u32).filter(|id| *id != NO_ID);
                Self::Owner(id(at).map(Uid::from_raw), id(at + 1).map(Gid::from_raw))
            }
            ChangeArguments::Times(at, format) => Self::Times(times(argument(at), format, caller)?),
            ChangeArguments::SetAttribute(at) => attribute(
                argument(at),
                [argument(at + 1), argument(at + 2), argument(at + 3)],
                caller,
            )?,
            ChangeArguments::SetAttributeBy(at) => {
                let [value, size_and_flags] =
                    numbers(argument(at + 1), caller)?.map(|word| word as u64);
                let value = [value, size_and_flags & 0xffff_ffff, size_and_flags >> 32];
                attribute(argument(at), value, caller)?
            }
            ChangeArguments::RemoveAttribute(at) => {
                Self::RemoveAttribute(name(argument(at), caller)?)
            }
        })
    }

    /// Changes the file, which is open without access to it.
    pub(super) fn apply(&self, file: &TargetFile) -> Result<(), Errno> {
        match self {
            // Old kernels change the mode of a link, which means nothing.
            Self::Mode(_) if file.is_link() => Err(Errno::OPNOTSUPP),
            Self::Mode(mode) => chmodat(CWD, file.link(), *mode, AtFlags::empty()),
            Self::Owner(user, group) => chownat(file, c"", *user, *group, AtFlags::EMPTY_PATH),
            Self::Times(times) => utimensat(file, c"", times, AtFlags::EMPTY_PATH),
            Self::SetAttribute { name, value, flags } => {
                setxattr(file.link(), &**name, value, *flags)
            }
            Self::RemoveAttribute(name) => removexattr(file.link(), &**name),
        }
    }
}

fn times(address: u64, format: TimeFormat, caller: &Caller) -> Result<Timestamps, Errno> {
    let time = |tv_sec, tv_nsec| Timespec { tv_sec, tv_nsec };
    let [accessed, modified] = match (address, format) {
        (0, _) => [time(0, libc::UTIME_NOW), time(0, libc::UTIME_NOW)],
        (_, TimeFormat::Seconds) => numbers::<2>(address, caller)?.map(|seconds| time(seconds, 0)),
        (_, TimeFormat::Microseconds) => {
            let [first, micros, second, more_micros] = numbers(address, caller)?;
            [time(first, nanoseconds(micros)?), time(second, nanoseconds(more_micros)?)]
        }
        (_, TimeFormat::Nanoseconds) => {
            let [first, nanos, second, more_nanos] = numbers(address, caller)?;
            [time(first, nanos), time(second, more_nanos)]
        }
    };
    Ok(Timestamps { last_access: accessed, last_modification: modified })
}

fn nanoseconds(microseconds: i64) -> Result<i64, Errno> {
    let is_valid = (0..MICROSECONDS).contains(&microseconds);
    is_valid.then_some(microseconds * 1000).ok_or(Errno::INVAL)
}

fn attribute(of_name: u64, value: [u64; 3], caller: &Caller) -> Result<Change, Errno> {
    let [address, size, flags] = value;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if size > MAX_VALUE_BYTES {
        return Err(Errno::TOOBIG);
    }
    let name = name(of_name, caller)?;
    let mut value = vec![0; size];
    caller.read_memory(address, &mut value)?;
    Ok(Change::SetAttribute { name, value, flags: XattrFlags::from_bits_retain(flags as u32) })
}

fn name(address: u64, caller: &Caller) -> Result<CString, Errno> {
    caller.read_text(address, MAX_NAME_BYTES, Errno::RANGE)
}

/// Reads numbers of 64 bits.
fn numbers<const COUNT: usize>(address: u64, caller: &Caller) -> Result<[i64; COUNT], Errno> {
    let mut bytes = vec![0; COUNT * size_of::<i64>()];
    caller.read_memory(address, &mut bytes)?;
    let mut numbers = [0; COUNT];
    for (number, word) in numbers.iter_mut().zip(bytes.as_chunks().0) {
        *number = i64::from_ne_bytes(*word);
    }
    Ok(numbers)
}
