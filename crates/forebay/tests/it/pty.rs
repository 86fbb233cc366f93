//! A terminal with a program in it: keys go to the program, and what it draws is read as a terminal shows it.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::env::{HANG_TIMEOUT, wait_until};

/// A terminal.
pub(crate) struct Terminal {
    child: Child,
    master: File,
    drawn: Arc<Mutex<Drawn>>,
}

/// What was drawn: as bytes, and as it looks.
struct Drawn {
    bytes: Vec<u8>,
    screen: vt100::Parser,
}

impl Terminal {
    /// Starts a command in a terminal of this size.
    pub(crate) fn open(mut command: Command, rows: u16, columns: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        resize(&master, rows, columns);
        let name = ptsname(&master, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let slave = rustix::fs::open(name, flags, Mode::empty()).unwrap();
        let end = || Stdio::from(slave.try_clone().unwrap());
        command.env("TERM", "xterm-256color").stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().unwrap();
        drop(command);
        drop(slave);
        let screen = vt100::Parser::new(cells(rows), cells(columns), 0);
        let drawn = Arc::new(Mutex::new(Drawn { bytes: Vec::new(), screen }));
        let master = File::from(master);
        let (mut reader, shared) = (master.try_clone().unwrap(), Arc::clone(&drawn));
        std::thread::spawn(move || {
            let mut buffer = [0; 4_096];
            // Once the program has ended, reading fails.
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let mut drawn = shared.lock().unwrap();
                drawn.bytes.extend(&buffer[..count]);
                drawn.screen.process(&buffer[..count]);
            }
        });
        Self { child, master, drawn }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the screen has a text.
    #[track_caller]
    pub(crate) fn waits_for(&self, text: &str) {
        let is_shown = wait_until(HANG_TIMEOUT, || self.screen().contains(text));
        assert!(is_shown, "no {text:?} in\n{}", self.screen());
    }

    /// Waits until the screen has a text no more.
    #[track_caller]
    pub(crate) fn waits_until_gone(&self, text: &str) {
        let is_gone = wait_until(HANG_TIMEOUT, || !self.screen().contains(text));
        assert!(is_gone, "{text:?} is still in\n{}", self.screen());
    }

    /// What the screen shows.
    pub(crate) fn screen(&self) -> String {
        self.drawn.lock().unwrap().screen.screen().contents()
    }

    /// Whether the program has the screen for itself.
    pub(crate) fn is_alternate(&self) -> bool {
        self.drawn.lock().unwrap().screen.screen().alternate_screen()
    }

    /// Everything that was drawn.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.drawn.lock().unwrap().bytes.clone()
    }

    /// Changes the size as a user does.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        self.drawn.lock().unwrap().screen.screen_mut().set_size(cells(rows), cells(columns));
        resize(&self.master, rows, columns);
        self.signal(Signal::WINCH);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(process, signal).unwrap();
    }

    /// Waits until the program has ended.
    #[track_caller]
    pub(crate) fn ends(&mut self) -> ExitStatus {
        let has_ended = wait_until(HANG_TIMEOUT, || self.child.try_wait().unwrap().is_some());
        assert!(has_ended, "it goes on:\n{}", self.screen());
        // The rest of what it drew is still on its way.
        wait_until(Duration::from_secs(1), || Arc::strong_count(&self.drawn) == 1);
        self.child.wait().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn resize(terminal: impl rustix::fd::AsFd, rows: u16, columns: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}
