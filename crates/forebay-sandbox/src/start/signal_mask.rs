//! Signal masks and handlers of a child between its creation and `execve`.

use std::{mem, ptr};

/// A saved signal mask of this thread.
pub(crate) struct SignalMask(libc::sigset_t);

#[expect(unsafe_code, reason = "neither the standard library nor rustix has signal masks")]
impl SignalMask {
    /// Blocks all signals and returns the previous mask.
    pub(crate) fn block_all() -> Self {
        let (mut all, mut previous) = (Self::empty(), Self::empty());
        // SAFETY: both arguments are initialized signal sets.
        unsafe {
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut previous);
        }
        Self(previous)
    }

    pub(crate) fn restore(self) {
        // SAFETY: the set is initialized; the previous mask may be null.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut()) };
    }

    /// Resets signal handlers to the default, since a handler of this process must not run in the child.
    ///
    /// Ignored signals stay ignored, except SIGPIPE, which the standard library ignores.
    pub(super) fn reset_handlers() {
        for signal in 1..=libc::SIGRTMAX() {
            // SAFETY: all zeros is a valid `sigaction`, and the first call overwrites it. CLONE_SIGHAND is not
            // set, so the second call changes only the child's handlers.
            unsafe {
                let mut action: libc::sigaction = mem::zeroed();
                let is_known = libc::sigaction(signal, ptr::null(), &raw mut action) == 0;
                let is_handled = ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction);
                if is_known && (is_handled || signal == libc::SIGPIPE) {
                    action.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &raw const action, ptr::null_mut());
                }
            }
        }
    }

    /// Stops ignoring SIGCHLD, which would make the kernel reap children on its own.
    pub(crate) fn reset_child_signal() {
        // SAFETY: `signal` takes no pointer; it changes only the handlers of the calling process.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    }

    pub(super) fn unblock_all() {
        Self(Self::empty()).restore();
    }

    fn empty() -> libc::sigset_t {
        // SAFETY: all zeros is a valid `sigset_t`, which `sigemptyset` initializes.
        unsafe {
            let mut set = mem::zeroed();
            libc::sigemptyset(&raw mut set);
            set
        }
    }
}
