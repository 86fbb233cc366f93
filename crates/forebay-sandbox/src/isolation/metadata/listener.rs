//! Notifications of system calls that the kernel has stopped (`seccomp_unotify(2)`).

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use libc::c_long;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

/// Room for structures that the kernel may extend, in units of their alignment.
const WORDS: usize = 64;
/// `SECCOMP_IOCTL_NOTIF_ID_VALID` with the direction that all kernels know.
const ID_VALID: libc::Ioctl = 0x8008_2102;

/// Whether this system has notifications of a size that we know.
#[expect(unsafe_code, reason = "neither the standard library nor rustix has `seccomp`")]
pub(super) fn is_supported() -> bool {
    let mut sizes =
        libc::seccomp_notif_sizes { seccomp_notif: 0, seccomp_notif_resp: 0, seccomp_data: 0 };
    // SAFETY: the kernel writes the structure, which outlives the call.
    let outcome = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_NOTIF_SIZES, 0, &raw mut sizes)
    };
    let fits = |size: u16| usize::from(size) <= WORDS * size_of::<u64>();
    outcome == 0 && fits(sizes.seccomp_notif) && fits(sizes.seccomp_notif_resp)
}

/// A system call that waits for an answer.
#[derive(Debug)]
pub(super) struct StoppedCall {
    pub(super) id: u64,
    pub(super) thread: u32,
    pub(super) number: c_long,
    pub(super) arguments: [u64; 6],
}

/// Where the stopped calls of a process and its children arrive.
#[derive(Debug)]
pub(super) struct Listener(OwnedFd);

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Listener {
    /// Returns the next call. ENOENT: its caller is gone.
    #[expect(unsafe_code, reason = "rustix has no request for notifications")]
    pub(super) fn receive(&self) -> Result<StoppedCall, Errno> {
        // The kernel requires zeros.
        let mut room = [0_u64; WORDS];
        // SAFETY: `is_supported` has compared the size of what the kernel writes.
        check(unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, room.as_mut_ptr())
        })?;
        // SAFETY: the structure is shorter than the room, has its alignment, and consists of numbers.
        let notification = unsafe { room.as_ptr().cast::<libc::seccomp_notif>().read() };
        Ok(StoppedCall {
            id: notification.id,
            thread: notification.pid,
            number: notification.data.nr.into(),
            arguments: notification.data.args,
        })
    }

    /// Fails if the caller is gone.
    #[expect(unsafe_code, reason = "rustix has no request for notifications")]
    pub(super) fn check(&self, id: u64) -> Result<(), Errno> {
        // SAFETY: the kernel reads the number, which outlives the call.
        check(unsafe { libc::ioctl(self.0.as_raw_fd(), ID_VALID, &raw const id) })
    }

    /// Ends a call with an outcome.
    #[expect(unsafe_code, reason = "rustix has no request for notifications")]
    pub(super) fn answer(&self, id: u64, outcome: Result<(), Errno>) -> Result<(), Errno> {
        let error = outcome.map_or_else(|error| -error.raw_os_error(), |()| 0);
        let response = libc::seccomp_notif_resp { id, val: 0, error, flags: 0 };
        let mut room = [0_u64; WORDS];
        // SAFETY: the structure is shorter than the room and has its alignment.
        unsafe { room.as_mut_ptr().cast::<libc::seccomp_notif_resp>().write(response) };
        // SAFETY: `is_supported` has compared the size of what the kernel reads.
        match check(unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, room.as_mut_ptr())
        }) {
            // The caller is gone, or makes the call again after a signal.
            Err(Errno::NOENT) => Ok(()),
            outcome => outcome,
        }
    }
}

fn check(outcome: libc::c_int) -> Result<(), Errno> {
    if outcome >= 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL))
}

/// Takes the listener from a child to its parent.
#[derive(Debug)]
pub(super) struct Channel {
    child: OwnedFd,
    parent: OwnedFd,
}

impl Channel {
    pub(super) fn new() -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC;
        let (child, parent) = socketpair(AddressFamily::UNIX, SocketType::DGRAM, flags, None)?;
        Ok(Self { child, parent })
    }

    /// Async-signal-safe.
    pub(super) fn send(&self, listener: &OwnedFd) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut rights = SendAncillaryBuffer::new(&mut space);
        let files = [listener.as_fd()];
        rights.push(SendAncillaryMessage::ScmRights(&files));
        sendmsg(&self.child, &[IoSlice::new(b"+")], &mut rights, SendFlags::empty())?;
        Ok(())
    }

    /// Returns what was sent last: a start that failed has sent one, too.
    pub(super) fn receive(&self) -> io::Result<Option<Listener>> {
        let mut last = None;
        loop {
            match self.receive_one() {
                Ok(Some(listener)) => last = Some(Listener(listener)),
                Ok(None) | Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(last),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn receive_one(&self) -> Result<Option<OwnedFd>, Errno> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut rights = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        recvmsg(&self.parent, &mut [IoSliceMut::new(&mut byte)], &mut rights, flags)?;
        let files = rights.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => Some(files),
            _ => None,
        });
        Ok(files.flatten().last())
    }
}
