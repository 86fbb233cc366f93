//! The terminal, and the threads that read for it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::execute;
use forebay_app::{App, AppError};
use jiff::tz::TimeZone;
use ratatui::DefaultTerminal;
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::details::{Details, Unfolded};
use super::feed::{Feed, News, PAUSE};
use super::state::{Effect, Watch};
use super::view;
use crate::cli::terminal::Failure;
use crate::config::environment;

/// How long to wait for a key before looking at what the threads have read.
const TICK: Duration = Duration::from_millis(50);
/// Set to anything, it asks programs not to use colours (no-color.org).
const NO_COLOR: &str = "NO_COLOR";

/// What the threads report.
enum Report {
    News { news: News, apps: Vec<App> },
    Loaded { project: usize, reference: String, details: Result<Details, String> },
    Unfolded { project: usize, reference: String, unfolded: Result<Unfolded, String> },
}

/// A text to read.
enum Request {
    Load { app: App, project: usize, reference: String },
    Unfold { app: App, project: usize, reference: String, first: u64 },
}

/// Shows the view until the user quits.
pub(super) fn show(feed: Feed) -> Result<(), Failure> {
    let mut watch = Watch::new(
        feed.about(),
        feed.has_projects(),
        TimeZone::system(),
        environment::read(NO_COLOR).is_none(),
    );
    let ending = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register(signal, Arc::clone(&ending))?;
    }
    let (reports, received) = mpsc::channel();
    let (requests, requested) = mpsc::channel();
    // Ends the thread that follows when it is dropped.
    let (_end, ended) = mpsc::channel();
    let (of_follower, of_loader) = (EndOnDrop(Arc::clone(&ending)), EndOnDrop(Arc::clone(&ending)));
    let reports_of_loader = reports.clone();
    thread::spawn(move || follow(feed, &reports, &ended, &of_follower));
    thread::spawn(move || load(&requested, &reports_of_loader, &of_loader));
    let terminal = ratatui::try_init()?;
    let mut screen = Screen { terminal, requests, apps: Vec::new() };
    Ok(screen.run(&mut watch, &received, &ending)?)
}

/// Ends the view with the thread that has it: a panic must not leave a view that shows nothing new.
struct EndOnDrop(Arc<AtomicBool>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reports what is new until the view ends.
fn follow(mut feed: Feed, reports: &Sender<Report>, ended: &Receiver<()>, _: &EndOnDrop) {
    let mut known = 0;
    loop {
        let news = feed.next();
        let is_complete = news.is_complete;
        let apps = feed.apps().split_off(known);
        known += apps.len();
        if reports.send(Report::News { news, apps }).is_err() {
            return;
        }
        let pause = if is_complete { PAUSE } else { Duration::ZERO };
        if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

/// Reads what was requested last.
fn load(requested: &Receiver<Request>, reports: &Sender<Report>, _: &EndOnDrop) {
    while let Ok(mut request) = requested.recv() {
        while let Ok(newer) = requested.try_recv() {
            request = newer;
        }
        if reports.send(request.answer()).is_err() {
            return;
        }
    }
}

impl Request {
    fn answer(self) -> Report {
        let message = |error: AppError| error.message;
        match self {
            Self::Load { app, project, reference } => {
                let details = Details::load(&app, project, &reference).map_err(message);
                Report::Loaded { project, reference, details }
            }
            Self::Unfold { app, project, reference, first } => {
                let unfolded = Unfolded::load(&app, &reference, first).map_err(message);
                Report::Unfolded { project, reference, unfolded }
            }
        }
    }
}

struct Screen {
    terminal: DefaultTerminal,
    requests: Sender<Request>,
    /// By the number of their project.
    apps: Vec<App>,
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

impl Screen {
    fn run(
        &mut self,
        watch: &mut Watch,
        received: &Receiver<Report>,
        ending: &AtomicBool,
    ) -> io::Result<()> {
        let mut is_drawn = false;
        while !ending.load(Ordering::Relaxed) {
            if !is_drawn {
                self.terminal.draw(|frame| view::draw(frame, watch))?;
            }
            is_drawn = true;
            if event::poll(TICK)? {
                is_drawn = false;
                let effect = match event::read()? {
                    Event::Key(key) if key.kind != KeyEventKind::Release => watch.press(key),
                    _ => None,
                };
                if effect == Some(Effect::Quit) {
                    return Ok(());
                }
                self.apply(effect)?;
            }
            for report in received.try_iter() {
                is_drawn = false;
                let effect = self.take(watch, report);
                self.apply(effect)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, watch: &mut Watch, report: Report) -> Option<Effect> {
        match report {
            Report::News { news, apps } => {
                self.apps.extend(apps);
                watch.fault = news.faults.into_iter().next();
                return watch.add(news.calls);
            }
            Report::Loaded { project, reference, details } => {
                watch.loaded(project, &reference, details);
            }
            Report::Unfolded { project, reference, unfolded } => match unfolded {
                Ok(unfolded) => watch.unfolded(project, &reference, unfolded),
                Err(message) => watch.message = Some(message),
            },
        }
        None
    }

    fn apply(&mut self, effect: Option<Effect>) -> io::Result<()> {
        match effect {
            Some(Effect::Load { project, reference }) => {
                let app = self.apps[project].clone();
                self.request(Request::Load { app, project, reference });
            }
            Some(Effect::Unfold { project, reference, first }) => {
                let app = self.apps[project].clone();
                self.request(Request::Unfold { app, project, reference, first });
            }
            Some(Effect::Copy(text)) => {
                execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))?;
            }
            Some(Effect::Suspend) => self.suspend()?,
            Some(Effect::Quit) | None => {}
        }
        Ok(())
    }

    /// A loader that is gone ends the view.
    fn request(&self, request: Request) {
        let _ = self.requests.send(request);
    }

    /// Gives the terminal back until the user goes on with this program.
    fn suspend(&mut self) -> io::Result<()> {
        ratatui::restore();
        kill_process(getpid(), Signal::TSTP)?;
        self.terminal = ratatui::try_init()?;
        self.terminal.clear()
    }
}
