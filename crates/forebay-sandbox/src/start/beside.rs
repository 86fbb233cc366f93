//! Linux: the child lives in our memory, on a stack of its own, until it has become the program; the thread that
//! made it waits so long. A fork would copy the tables of all that memory, and each page that is written
//! afterwards: a third of what starting `true` costs, and more in a server that holds much.

use std::cell::Cell;
use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::{env, io, iter, mem, ptr};

use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, waitpid};

use super::{Entry, Launch, Started};
use crate::spec::Stdin;

/// What the child's few system calls take, with much to spare.
const STACK_BYTES: usize = 64 * 1024;
/// Where programs are looked for when nothing says where.
const USUAL_PATH: &str = "/bin:/usr/bin";
/// Reads scripts.
const SHELL: &CStr = c"/bin/sh";

pub(crate) fn start(launch: Launch<'_>) -> io::Result<Started> {
    let image = Image::of(&launch)?;
    let (stdin, write_stdin) = stdin(launch.stdin)?;
    let (read_stdout, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (read_stderr, stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let streams = [
        stdin.as_ref().map(AsRawFd::as_raw_fd),
        Some(stdout.as_raw_fd()),
        Some(stderr.as_raw_fd()),
    ];
    let leader = bear(&mut Newborn { image: &image, streams, entry: &launch.entry, fault: 0 })?;
    Ok(Started { leader, stdin: write_stdin, stdout: Some(read_stdout), stderr: Some(read_stderr) })
}

/// What the child reads as its stdin (none: ours), and the end that is ours to write.
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

/// The program as the kernel takes it.
struct Image {
    folder: CString,
    /// Where it may lie, in the order of PATH.
    files: Vec<CString>,
    arguments: Pointers,
    /// The same with a shell in front, for a script that does not say what reads it.
    as_script: Pointers,
    variables: Pointers,
}

impl Image {
    fn of(launch: &Launch<'_>) -> io::Result<Self> {
        let arguments = iter::once(&launch.program).chain(launch.arguments);
        let arguments: Vec<CString> =
            arguments.map(|text| c_string(OsStr::new(text))).collect::<io::Result<_>>()?;
        let as_script = iter::once(SHELL.to_owned()).chain(arguments.iter().cloned()).collect();
        let variables: Vec<CString> =
            launch.variables.iter().map(variable).collect::<io::Result<_>>()?;
        Ok(Self {
            folder: c_string(launch.folder.as_os_str())?,
            files: files(launch)?,
            arguments: Pointers::to(arguments),
            as_script: Pointers::to(as_script),
            variables: Pointers::to(variables),
        })
    }
}

/// Texts, and the list of their addresses with a null at its end.
struct Pointers {
    _texts: Vec<CString>,
    addresses: Vec<Cell<*const c_char>>,
}

impl Pointers {
    fn to(texts: Vec<CString>) -> Self {
        let addresses = texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]);
        let addresses = addresses.map(Cell::new).collect();
        Self { _texts: texts, addresses }
    }

    /// As the kernel takes them.
    fn list(&self) -> *const *const c_char {
        self.addresses.as_ptr().cast()
    }
}

fn variable((name, value): &(OsString, OsString)) -> io::Result<CString> {
    let mut text = name.clone();
    text.push("=");
    text.push(value);
    Ok(CString::new(text.into_vec())?)
}

fn files(launch: &Launch<'_>) -> io::Result<Vec<CString>> {
    if launch.program.contains('/') {
        return Ok(vec![c_string(OsStr::new(launch.program))?]);
    }
    let path = launch.variables.iter().rfind(|(name, _)| name == "PATH");
    let path = path.map_or(OsStr::new(USUAL_PATH), |(_, value)| value);
    env::split_paths(path).map(|folder| c_string(folder.join(launch.program).as_os_str())).collect()
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// The child before it is the program.
struct Newborn<'a> {
    image: &'a Image,
    /// What becomes stdin, stdout and stderr; none stays as it is. Never one of these three, for the standard
    /// library opens those that are closed when a program starts.
    streams: [Option<RawFd>; 3],
    entry: &'a Entry,
    /// Why it could not become the program.
    fault: c_int,
}

/// Makes the child, and returns when it has become the program or could not.
#[expect(
    unsafe_code,
    reason = "no safe call makes a process that can act before it becomes a program"
)]
fn bear(newborn: &mut Newborn<'_>) -> io::Result<Pid> {
    let mut stack: Vec<mem::MaybeUninit<u128>> =
        Vec::with_capacity(STACK_BYTES / size_of::<u128>());
    // SAFETY: one past the end of the stack's memory, which is aligned for any call.
    let top = unsafe { stack.as_mut_ptr().add(stack.capacity()) };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let signals = Signals::hold_back();
    // SAFETY: the child runs `become_program` on a stack that nobody else uses. This thread sleeps until it is done
    // with it and with `newborn`, and no handler of ours runs in it, for all signals are held back.
    let number = unsafe {
        libc::clone(become_program, top.cast(), flags, ptr::from_mut(newborn).cast::<c_void>())
    };
    let made = if number < 0 { Err(io::Error::last_os_error()) } else { Ok(number) };
    signals.let_through();
    let child = Pid::from_raw(made?).ok_or(io::ErrorKind::Other)?;
    if newborn.fault == 0 {
        return Ok(child);
    }
    // It has ended, and would stay as a zombie.
    let _ = waitpid(Some(child), WaitOptions::empty());
    Err(io::Error::from_raw_os_error(newborn.fault))
}

/// What the child does. It must neither allocate nor take a lock: another thread may hold it, and goes on.
#[expect(unsafe_code, reason = "the kernel's side of `bear`")]
extern "C" fn become_program(newborn: *mut c_void) -> c_int {
    // SAFETY: `bear` handed it over, and sleeps.
    let newborn = unsafe { &mut *newborn.cast::<Newborn<'_>>() };
    let fault = newborn.become_program();
    newborn.fault = fault.raw_os_error().unwrap_or(libc::EINTR);
    127
}

impl Newborn<'_> {
    /// Returns only where it could not.
    #[expect(unsafe_code, reason = "descriptors become others, and the program another")]
    fn become_program(&self) -> io::Error {
        for (place, stream) in (0..).zip(self.streams) {
            // SAFETY: a call that only touches the child's own table of descriptors.
            if stream.is_some_and(|stream| unsafe { libc::dup2(stream, place) } < 0) {
                return io::Error::last_os_error();
            }
        }
        let entered = rustix::process::chdir(&*self.image.folder).map_err(io::Error::from);
        if let Err(error) = entered.and_then(|()| self.entry.enter()) {
            return error;
        }
        Signals::forget_handlers();
        Signals::let_all_through();
        self.execute()
    }

    /// Tries each file; one that may not be run is told of only where no other can be.
    fn execute(&self) -> io::Error {
        let mut refused = None;
        for file in &self.image.files {
            let error = self.execute_file(file);
            match error.raw_os_error() {
                Some(libc::ENOENT | libc::ENOTDIR) => {}
                Some(libc::EACCES) => refused = Some(error),
                _ => return error,
            }
        }
        refused.unwrap_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))
    }

    #[expect(unsafe_code, reason = "the program becomes another")]
    fn execute_file(&self, file: &CStr) -> io::Error {
        let Image { arguments, as_script, variables, .. } = self.image;
        let execute = |file: &CStr, arguments: &Pointers| {
            // SAFETY: the lists end with a null, and their texts as well.
            unsafe { libc::execve(file.as_ptr(), arguments.list(), variables.list()) };
            io::Error::last_os_error()
        };
        let error = execute(file, arguments);
        if error.raw_os_error() != Some(libc::ENOEXEC) {
            return error;
        }
        // What it is called makes way for where it lies.
        if let Some(name) = as_script.addresses.get(1) {
            name.set(file.as_ptr());
        }
        execute(SHELL, as_script)
    }
}

/// The signals that a thread holds back.
struct Signals(libc::sigset_t);

#[expect(unsafe_code, reason = "signals are the kernel's")]
impl Signals {
    /// Holds back all; what held before is kept.
    fn hold_back() -> Self {
        let (mut all, mut before) = (Self::none(), Self::none());
        // SAFETY: both are sets that were made.
        unsafe {
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        }
        Self(before)
    }

    fn let_through(self) {
        // SAFETY: the set was made by `hold_back`.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut()) };
    }

    /// Lets the child's signals do what they usually do; one that is ignored stays so, but for SIGPIPE, which the
    /// standard library ignores. A handler of ours must never run in the child.
    fn forget_handlers() {
        for signal in 1..=libc::SIGRTMAX() {
            // SAFETY: the action is plain data; it is filled before it is read.
            unsafe {
                let mut action: libc::sigaction = mem::zeroed();
                let known = libc::sigaction(signal, ptr::null(), &raw mut action) == 0;
                let is_handled = ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction);
                if known && (is_handled || signal == libc::SIGPIPE) {
                    action.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &raw const action, ptr::null_mut());
                }
            }
        }
    }

    fn let_all_through() {
        Self(Self::none()).let_through();
    }

    fn none() -> libc::sigset_t {
        // SAFETY: a set is plain data, and made by the call.
        unsafe {
            let mut set = mem::zeroed();
            libc::sigemptyset(&raw mut set);
            set
        }
    }
}
