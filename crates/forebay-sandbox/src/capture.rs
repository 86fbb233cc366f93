//! Reads the two outputs of a run whole, and notes which stream each byte came from.
//!
//! Two pipes have no common clock. What arrives while nothing else waits is in true order; when both
//! have bytes at the same moment, stdout's are taken first. Programs that write to both in quick
//! succession can therefore appear swapped by a few lines, as they do with any two pipes.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use forebay_domain::run::{Spans, Stream};
use rustix::io::Errno;

/// The size of one read and, where the system allows it, of each pipe.
///
/// Measured with `cat` of 200 MB: a third more throughput than 64 KiB, and 1 MiB gives nothing beyond.
const PIPE_CAPACITY: usize = 256 * 1024;

/// Where captured bytes go, in order of arrival.
///
/// An error must not lose the run: remember it on your side.
pub trait Sink {
    fn write(&mut self, stream: Stream, bytes: &[u8]);

    /// No bytes came for a while, though more may: what was held back can be let go.
    fn rest(&mut self) {}
}

/// What one read gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    Bytes(usize),
    /// Nothing for now.
    Nothing,
    /// No process can write any more.
    End,
}

/// The outputs of a run, on their way to its sink.
pub(crate) struct Capture<'a> {
    outputs: Outputs,
    buffer: Box<[u8]>,
    spans: Spans,
    sink: &'a mut dyn Sink,
}

impl<'a> Capture<'a> {
    /// Takes over the outputs of a process.
    pub(crate) fn new(
        stdout: Option<OwnedFd>,
        stderr: Option<OwnedFd>,
        sink: &'a mut dyn Sink,
    ) -> io::Result<Self> {
        let stdout = stdout.map(prepared).transpose()?;
        let stderr = stderr.map(prepared).transpose()?;
        Ok(Self {
            outputs: Outputs { stdout, stderr },
            buffer: vec![0; PIPE_CAPACITY].into_boxed_slice(),
            spans: Spans::default(),
            sink,
        })
    }

    /// Tells the sink that nothing comes for now.
    pub(crate) fn rest(&mut self) {
        self.sink.rest();
    }

    /// The outputs that can still give bytes.
    pub(crate) fn open_outputs(&self) -> impl Iterator<Item = (Stream, BorrowedFd<'_>)> {
        [(Stream::Stdout, &self.outputs.stdout), (Stream::Stderr, &self.outputs.stderr)]
            .into_iter()
            .filter_map(|(stream, output)| Some((stream, output.as_ref()?.as_fd())))
    }

    /// Whether both outputs came to their end.
    pub(crate) const fn is_complete(&self) -> bool {
        self.outputs.stdout.is_none() && self.outputs.stderr.is_none()
    }

    /// Reads once from `stream` and hands on what came.
    pub(crate) fn read(&mut self, stream: Stream) -> io::Result<Read> {
        let output = self.outputs.from(stream);
        let read = output.as_ref().map_or(Ok(Read::End), |pipe| read(pipe, &mut self.buffer))?;
        match read {
            Read::Bytes(count) => self.hand_on(stream, count),
            Read::End => *output = None,
            Read::Nothing => {}
        }
        Ok(read)
    }

    /// Takes what the pipes hold at this moment.
    ///
    /// Not more than a pipe can hold: a process that escaped the end of the run may write for ever.
    pub(crate) fn drain(&mut self) -> io::Result<()> {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let mut taken = 0;
            while taken < PIPE_CAPACITY
                && let Read::Bytes(count) = self.read(stream)?
            {
                taken += count;
            }
        }
        Ok(())
    }

    /// Closes the outputs and gives what was noted of them.
    pub(crate) fn into_spans(self) -> Spans {
        self.spans
    }

    fn hand_on(&mut self, stream: Stream, count: usize) {
        self.spans.push(stream, count as u64);
        self.sink.write(stream, &self.buffer[..count]);
    }
}

/// The reading ends of the two pipes, each until its end was seen.
struct Outputs {
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
}

impl Outputs {
    const fn from(&mut self, stream: Stream) -> &mut Option<OwnedFd> {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

fn read(pipe: &OwnedFd, buffer: &mut [u8]) -> io::Result<Read> {
    match rustix::io::read(pipe, buffer) {
        Ok(0) => Ok(Read::End),
        Ok(count) => Ok(Read::Bytes(count)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(Read::Nothing),
        Err(error) => Err(error.into()),
    }
}

/// Makes reads return at once, and the pipe large. Only our end: the child's still blocks as it expects.
fn prepared(output: OwnedFd) -> io::Result<OwnedFd> {
    rustix::io::ioctl_fionbio(&output, true)?;
    enlarge(&output);
    Ok(output)
}

#[cfg(target_os = "linux")]
fn enlarge(output: &OwnedFd) {
    // The system may refuse (a user's pipes share a limit); the pipe then works as it is.
    let _ = rustix::pipe::fcntl_setpipe_size(output, PIPE_CAPACITY);
}

#[cfg(not(target_os = "linux"))]
fn enlarge(_output: &OwnedFd) {}
