//! What is followed: the live view of one project, or of each on this machine.

use std::time::{Duration, Instant};

use forebay_app::dashboard::{LivePosition, LiveReader};
use forebay_app::{App, AppError};
use forebay_text::number;

use super::call::{Call, Outcome};

/// Between two looks at the stores.
pub(super) const PAUSE: Duration = Duration::from_millis(300);
/// Between two looks for projects that are new.
const PROJECTS_PAUSE: Duration = Duration::from_secs(3);
/// Entries and events of each project from before, among which the first calls are.
const BACKLOG: usize = 300;

/// The projects that are followed.
pub(super) struct Feed {
    app: App,
    projects: Vec<Followed>,
    /// When projects were looked for; `None` if only one is followed.
    listed: Option<Instant>,
}

struct Followed {
    app: App,
    name: String,
    reader: LiveReader,
    /// The last fault of a hook that answered; each call may have the same one.
    last_fault: Option<String>,
}

impl Followed {
    /// Follows a project from its last entries, events and hook calls on.
    fn from_last(name: String, app: App) -> Self {
        Self { app, name, reader: LiveReader::with_backlog(BACKLOG), last_fault: None }
    }

    /// Follows a project that is new: all in it is.
    fn from_first(name: String, app: App) -> Self {
        let reader = LiveReader::from_position(LivePosition::first(), BACKLOG);
        Self { app, name, reader, last_fault: None }
    }

    /// Adds what is new.
    fn read(&mut self, index: usize, news: &mut News) {
        let batch = self.reader.read(&self.app);
        let items = batch.items.iter();
        let calls = items.filter_map(|one| Call::parse(one, index, &self.name));
        let last = &mut self.last_fault;
        news.calls.extend(calls.filter(|call| {
            let is_repeated = call.outcome == Outcome::Fault && last.as_ref() == Some(&call.reason);
            if call.outcome == Outcome::Fault {
                *last = Some(call.reason.clone());
            }
            !is_repeated
        }));
        news.is_complete &= batch.is_complete;
        news.faults.extend(batch.fault.map(|fault| format!("{}: {}", self.name, fault.message)));
    }
}

/// What is new.
#[derive(Debug, Default)]
pub(super) struct News {
    /// The earliest first.
    pub(super) calls: Vec<Call>,
    /// Projects of which something cannot be read, and why.
    pub(super) faults: Vec<String>,
    /// Whether nothing more is stored.
    pub(super) is_complete: bool,
}

impl Feed {
    /// Follows the project of `app`. While its store cannot be read, that is a fault of [`Self::next`].
    pub(super) fn of_project(app: App) -> Self {
        let name = app.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let projects = vec![Followed::from_last(name, app.clone())];
        Self { app, projects, listed: None }
    }

    /// Follows every project on this machine, also those that are new.
    pub(super) fn of_all_projects(app: App) -> Result<Self, AppError> {
        let each = app.of_each_project()?.into_iter();
        let projects = each.map(|(name, app)| Followed::from_last(name, app)).collect();
        Ok(Self { app, projects, listed: Some(Instant::now()) })
    }

    /// Adds projects that got a store meanwhile: all in them is new.
    fn follow_new_projects(&mut self) -> Result<(), AppError> {
        self.listed = Some(Instant::now());
        for (name, app) in self.app.of_each_project()? {
            if !self.projects.iter().any(|known| known.app.project_id() == app.project_id()) {
                self.projects.push(Followed::from_first(name, app));
            }
        }
        Ok(())
    }

    pub(super) fn has_projects(&self) -> bool {
        self.listed.is_some()
    }

    /// What is followed: the name of the project, or how many there are.
    pub(super) fn about(&self) -> String {
        match &self.projects[..] {
            [only] if !self.has_projects() => only.name.clone(),
            projects => number::counted(projects.len() as u64, "project"),
        }
    }

    /// The apps of the projects, by their number.
    pub(super) fn apps(&self) -> Vec<App> {
        self.projects.iter().map(|project| project.app.clone()).collect()
    }

    /// Everything that was stored since the last time, up to a bound.
    pub(super) fn next(&mut self) -> News {
        let mut news = News { is_complete: true, ..News::default() };
        if self.listed.is_some_and(|listed| listed.elapsed() > PROJECTS_PAUSE)
            && let Err(error) = self.follow_new_projects()
        {
            news.faults.push(error.message);
        }
        for (index, project) in self.projects.iter_mut().enumerate() {
            project.read(index, &mut news);
        }
        news.calls.sort_by_key(|call| call.created);
        news
    }
}
