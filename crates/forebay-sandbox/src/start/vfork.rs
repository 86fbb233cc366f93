//! Linux: starts a process with `clone(CLONE_VM | CLONE_VFORK)`, as `posix_spawn` does.
//!
//! The child runs in the memory of the parent, on a stack of its own, until it calls `execve`; its creator, the
//! `reaper`, sleeps until then, and so does the thread that created the reaper. A fork would copy the page tables and fault on every page that is written
//! afterwards: a third of the cost of starting `true`, and more in a server with a large heap.

use std::cell::Cell;
use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::{env, io, iter, mem, ptr};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, waitpid};

use super::{PreExec, SignalMask, StartRequest, StartedProcess, Stderr};
use crate::reaper;
use crate::spec::Stdin;

/// Ample for the few system calls of the child.
const STACK_BYTES: usize = 64 * 1024;
/// The search path if the environment has no `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";
/// Runs scripts without a shebang line.
const SHELL: &CStr = c"/bin/sh";

pub(crate) fn start(request: StartRequest<'_>) -> io::Result<StartedProcess> {
    let image = ExecImage::new(&request)?;
    let (stdin, write_stdin) = stdin(request.stdin)?;
    let (read_stdout, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (read_stderr, stderr) = stderr(request.stderr)?;
    let streams = [
        stdin.as_ref().map(AsRawFd::as_raw_fd),
        Some(stdout.as_raw_fd()),
        stderr.as_ref().map(AsRawFd::as_raw_fd),
    ];
    let mut setup =
        ChildSetup { image: &image, streams, pre_exec: &request.pre_exec, parent: None, errno: 0 };
    Ok(StartedProcess {
        processes: reaper::start(&mut setup)?,
        stdin: write_stdin,
        stdout: Some(read_stdout),
        stderr: read_stderr,
    })
}

/// Returns the child's stdin (`None`: inherited), and the end that the parent writes.
fn stdin(stdin: &Stdin) -> io::Result<(Option<OwnedFd>, Option<OwnedFd>)> {
    Ok(match stdin {
        Stdin::Closed => {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            (Some(rustix::fs::open("/dev/null", flags, Mode::empty())?), None)
        }
        Stdin::Inherit => (None, None),
        Stdin::Text(_) => {
            let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
            (Some(read), Some(write))
        }
        Stdin::Pipe(end) => (Some(end.0.as_fd().try_clone_to_owned()?), None),
    })
}

/// Returns the end that the parent reads, and the child's stderr (`None`: inherited).
fn stderr(stderr: Stderr) -> io::Result<(Option<OwnedFd>, Option<OwnedFd>)> {
    match stderr {
        Stderr::Piped => {
            let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
            Ok((Some(read), Some(write)))
        }
        Stderr::Inherited => Ok((None, None)),
    }
}

/// The arguments of `execve`.
struct ExecImage {
    cwd: CString,
    /// The paths to try, in the order of `PATH`.
    candidates: Vec<CString>,
    argv: CStringArray,
    /// `argv` after the shell, for a script without a shebang line.
    shell_argv: CStringArray,
    envp: CStringArray,
}

impl ExecImage {
    fn new(request: &StartRequest<'_>) -> io::Result<Self> {
        let argv = iter::once(&request.program).chain(request.arguments);
        let argv: Vec<CString> =
            argv.map(|text| c_string(OsStr::new(text))).collect::<io::Result<_>>()?;
        let shell_argv = iter::once(SHELL.to_owned()).chain(argv.iter().cloned()).collect();
        let envp: Vec<CString> =
            request.environment.iter().map(variable).collect::<io::Result<_>>()?;
        Ok(Self {
            cwd: c_string(request.cwd.as_os_str())?,
            candidates: candidates(request)?,
            argv: CStringArray::new(argv),
            shell_argv: CStringArray::new(shell_argv),
            envp: CStringArray::new(envp),
        })
    }
}

/// A null-terminated array of C strings, together with the strings.
struct CStringArray {
    _strings: Vec<CString>,
    pointers: Vec<Cell<*const c_char>>,
}

impl CStringArray {
    fn new(strings: Vec<CString>) -> Self {
        let pointers = strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]);
        let pointers = pointers.map(Cell::new).collect();
        Self { _strings: strings, pointers }
    }

    fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr().cast()
    }
}

fn variable((name, value): &(OsString, OsString)) -> io::Result<CString> {
    let mut text = name.clone();
    text.push("=");
    text.push(value);
    Ok(CString::new(text.into_vec())?)
}

fn candidates(request: &StartRequest<'_>) -> io::Result<Vec<CString>> {
    if request.program.contains('/') {
        return Ok(vec![c_string(OsStr::new(request.program))?]);
    }
    let path = request.environment.iter().rfind(|(name, _)| name == "PATH");
    let path = path.map_or(OsStr::new(DEFAULT_PATH), |(_, value)| value);
    env::split_paths(path)
        .map(|folder| c_string(folder.join(request.program).as_os_str()))
        .collect()
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// The stack of a child that shares this memory.
#[derive(Debug)]
pub(crate) struct ChildStack(Vec<mem::MaybeUninit<u128>>);

impl ChildStack {
    pub(crate) fn new() -> Self {
        Self(Vec::with_capacity(STACK_BYTES / size_of::<u128>()))
    }

    /// The stack grows downwards; `u128` gives it the required alignment.
    pub(crate) fn top(&mut self) -> *mut c_void {
        self.0.spare_capacity_mut().as_mut_ptr_range().end.cast()
    }
}

/// What the child needs until it executes the program.
pub(crate) struct ChildSetup<'a> {
    image: &'a ExecImage,
    /// The descriptors for stdin, stdout and stderr; `None` keeps the inherited one. They are never 0, 1 or 2
    /// themselves, because the standard library opens these at program start if they are closed.
    streams: [Option<RawFd>; 3],
    pre_exec: &'a PreExec,
    /// The reaper, once it runs.
    pub(crate) parent: Option<Pid>,
    /// Set by the child if it could not execute the program.
    errno: c_int,
}

impl ChildSetup<'_> {
    /// Creates the child, and returns when it has executed the program or failed to. Allocates nothing.
    ///
    /// All signals must be blocked, so that no handler of this process runs in the child.
    #[expect(unsafe_code, reason = "no safe API runs code in a vforked child")]
    pub(crate) fn clone_vfork(&mut self, stack: &mut ChildStack) -> Result<Pid, Errno> {
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let setup: *mut c_void = ptr::from_mut(self).cast();
        // SAFETY: the child runs `child_main` on `stack`, which only it uses. CLONE_VFORK suspends this process until
        // the child calls `execve` or exits, so `stack` and `setup` outlive its use of them.
        let pid = unsafe { libc::clone(child_main, stack.top(), flags, setup) };
        let child = Pid::from_raw(pid).filter(|_| pid > 0).ok_or_else(last_errno)?;
        if self.errno == 0 {
            return Ok(child);
        }
        // The child has exited; reap it.
        let _ = waitpid(Some(child), WaitOptions::empty());
        Err(Errno::from_raw_os_error(self.errno))
    }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INTR)
}

/// The entry point of the child.
///
/// It must neither allocate nor lock: another thread may hold the lock, and keeps running.
#[expect(unsafe_code, reason = "`clone` passes a raw pointer")]
extern "C" fn child_main(setup: *mut c_void) -> c_int {
    // SAFETY: `clone_vfork` passes a valid, exclusive `ChildSetup` and is suspended until this function ends.
    let setup = unsafe { &mut *setup.cast::<ChildSetup<'_>>() };
    let error = setup.exec();
    setup.errno = error.raw_os_error().unwrap_or(libc::EINTR);
    127
}

impl ChildSetup<'_> {
    /// Sets up the child and executes the program; returns only on failure.
    #[expect(unsafe_code, reason = "rustix's `dup2` needs an owned target descriptor")]
    fn exec(&self) -> io::Error {
        for (target, stream) in (0..).zip(self.streams) {
            // SAFETY: CLONE_FILES is not set, so the call changes only the child's descriptor table.
            if stream.is_some_and(|stream| unsafe { libc::dup2(stream, target) } < 0) {
                return io::Error::last_os_error();
            }
        }
        let enter = || rustix::process::chdir(&*self.image.cwd).map_err(io::Error::from);
        // Again after the setup: the first directory is that of the mounts before.
        if let Err(error) =
            enter().and_then(|()| self.pre_exec.run(self.parent)).and_then(|()| enter())
        {
            return error;
        }
        SignalMask::reset_handlers();
        SignalMask::unblock_all();
        self.exec_first_candidate()
    }

    /// Tries each candidate, as `execvp` does: EACCES is reported only if no later candidate runs.
    fn exec_first_candidate(&self) -> io::Error {
        let mut denied = None;
        for file in &self.image.candidates {
            let error = self.exec_file(file);
            match error.raw_os_error() {
                Some(libc::ENOENT | libc::ENOTDIR) => {}
                Some(libc::EACCES) => denied = Some(error),
                _ => return error,
            }
        }
        denied.unwrap_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))
    }

    #[expect(unsafe_code, reason = "rustix has no stable `execve`")]
    fn exec_file(&self, file: &CStr) -> io::Error {
        let ExecImage { argv, shell_argv, envp, .. } = self.image;
        let exec = |file: &CStr, argv: &CStringArray| {
            // SAFETY: `file` and all elements are C strings, and both arrays are null-terminated.
            unsafe { libc::execve(file.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
            io::Error::last_os_error()
        };
        let error = exec(file, argv);
        if error.raw_os_error() != Some(libc::ENOEXEC) {
            return error;
        }
        // The shell needs the path of the script, not the name it was called by.
        if let Some(name) = shell_argv.pointers.get(1) {
            name.set(file.as_ptr());
        }
        exec(SHELL, shell_argv)
    }
}
