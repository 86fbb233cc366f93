//! The system calls that change modes, owners, times and extended attributes.

use libc::{c_long, c_uint};

/// New in Linux 6.6, 6.13 and 6.17; the numbers are the same on all architectures.
const SYS_FCHMODAT2: c_long = 452;
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_FILE_SETATTR: c_long = 469;

/// A system call that changes the metadata of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct MetadataCall {
    number: c_long,
    pub(super) target: Target,
    pub(super) change: ChangeArguments,
}

/// How the first arguments name the file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// A path; a link at its end is followed or not.
    Path { follows: bool },
    /// A descriptor.
    Descriptor,
    /// A directory and a path below it, and the position of the flags.
    Below { flags: Option<usize> },
    /// Likewise; without a path it is the descriptor itself.
    BelowOrDescriptor { flags: Option<usize> },
}

/// What the other arguments are, by the position of the first one.
#[derive(Debug, Clone, Copy)]
pub(super) enum ChangeArguments {
    Mode(usize),
    /// User and group.
    Owner(usize),
    Times(usize, TimeFormat),
    /// Name, value, size, flags.
    SetAttribute(usize),
    /// Name, and a structure of the others.
    SetAttributeBy(usize),
    RemoveAttribute(usize),
}

/// How a pointer gives two times.
#[derive(Debug, Clone, Copy)]
pub(super) enum TimeFormat {
    /// `struct utimbuf`: seconds.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "newer ones have no such call")
    )]
    Seconds,
    /// `struct timeval`.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "newer ones have no such call")
    )]
    Microseconds,
    /// `struct timespec`.
    Nanoseconds,
}

impl MetadataCall {
    pub(super) fn find(number: c_long) -> Option<&'static Self> {
        calls().find(|call| call.number == number)
    }
}

/// The numbers of the calls that are supervised.
pub(in super::super) fn supervised_calls() -> impl Iterator<Item = c_long> {
    calls().map(|call| call.number)
}

fn calls() -> impl Iterator<Item = &'static MetadataCall> {
    CALLS.iter().chain(OLD_CALLS)
}

const fn call(number: c_long, target: Target, change: ChangeArguments) -> MetadataCall {
    MetadataCall { number, target, change }
}

const FOLLOWS: Target = Target::Path { follows: true };
const FOLLOWS_NOT: Target = Target::Path { follows: false };

const CALLS: &[MetadataCall] = &[
    call(libc::SYS_fchmod, Target::Descriptor, ChangeArguments::Mode(1)),
    call(libc::SYS_fchmodat, Target::Below { flags: None }, ChangeArguments::Mode(2)),
    call(SYS_FCHMODAT2, Target::Below { flags: Some(3) }, ChangeArguments::Mode(2)),
    call(libc::SYS_fchown, Target::Descriptor, ChangeArguments::Owner(1)),
    call(libc::SYS_fchownat, Target::Below { flags: Some(4) }, ChangeArguments::Owner(2)),
    call(
        libc::SYS_utimensat,
        Target::BelowOrDescriptor { flags: Some(3) },
        ChangeArguments::Times(2, TimeFormat::Nanoseconds),
    ),
    call(libc::SYS_setxattr, FOLLOWS, ChangeArguments::SetAttribute(1)),
    call(libc::SYS_lsetxattr, FOLLOWS_NOT, ChangeArguments::SetAttribute(1)),
    call(libc::SYS_fsetxattr, Target::Descriptor, ChangeArguments::SetAttribute(1)),
    call(SYS_SETXATTRAT, Target::Below { flags: Some(2) }, ChangeArguments::SetAttributeBy(3)),
    call(libc::SYS_removexattr, FOLLOWS, ChangeArguments::RemoveAttribute(1)),
    call(libc::SYS_lremovexattr, FOLLOWS_NOT, ChangeArguments::RemoveAttribute(1)),
    call(libc::SYS_fremovexattr, Target::Descriptor, ChangeArguments::RemoveAttribute(1)),
    call(SYS_REMOVEXATTRAT, Target::Below { flags: Some(2) }, ChangeArguments::RemoveAttribute(3)),
];

/// Those that only the oldest architectures have.
#[cfg(target_arch = "x86_64")]
const OLD_CALLS: &[MetadataCall] = &[
    call(libc::SYS_chmod, FOLLOWS, ChangeArguments::Mode(1)),
    call(libc::SYS_chown, FOLLOWS, ChangeArguments::Owner(1)),
    call(libc::SYS_lchown, FOLLOWS_NOT, ChangeArguments::Owner(1)),
    call(libc::SYS_utime, FOLLOWS, ChangeArguments::Times(1, TimeFormat::Seconds)),
    call(libc::SYS_utimes, FOLLOWS, ChangeArguments::Times(1, TimeFormat::Microseconds)),
    call(
        libc::SYS_futimesat,
        Target::BelowOrDescriptor { flags: None },
        ChangeArguments::Times(2, TimeFormat::Microseconds),
    ),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: &[MetadataCall] = &[];

/// Denied where the calls above are supervised.
pub(in super::super) const DENIED_CALLS: &[c_long] = &[
    // Changes attributes without passing a filter.
    libc::SYS_io_uring_setup,
    // The new form of the requests below.
    SYS_FILE_SETATTR,
];

/// Requests that change a file or folder through a descriptor that only reads, which few programs need (`chattr`).
pub(in super::super) const DENIED_IOCTLS: &[c_uint] = &[
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x4008_7602, // FS_IOC_SETVERSION
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4080_6685, // FS_IOC_ENABLE_VERITY
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0x4004_7211, // FAT_IOCTL_SET_ATTRIBUTES
    0x5000_9401, // BTRFS_IOC_SNAP_CREATE
    0x5000_940e, // BTRFS_IOC_SUBVOL_CREATE
    0x5000_940f, // BTRFS_IOC_SNAP_DESTROY
    0x5000_9417, // BTRFS_IOC_SNAP_CREATE_V2
    0x5000_9418, // BTRFS_IOC_SUBVOL_CREATE_V2
    0x4008_941a, // BTRFS_IOC_SUBVOL_SETFLAGS
    0x5000_943f, // BTRFS_IOC_SNAP_DESTROY_V2
];
