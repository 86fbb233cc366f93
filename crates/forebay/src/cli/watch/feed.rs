//! What is followed: the live view of one project, or of each on this machine.

use std::time::{Duration, Instant};

use forebay_app::dashboard::{self, LivePosition, LiveReader};
use forebay_app::{App, AppError};
use forebay_text::number;

use super::call::Call;

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
    /// `None` until its store could be read.
    reader: Option<LiveReader>,
}

impl Followed {
    /// Returns what is new, and whether nothing more is stored.
    fn read(&mut self, index: usize) -> Result<(Vec<Call>, bool), AppError> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => self.reader.insert(start(&self.app)?),
        };
        let before = reader.position();
        let items = reader.read(&self.app)?;
        let calls = items.iter().filter_map(|one| Call::parse(one, index, &self.name)).collect();
        Ok((calls, reader.position() == before))
    }
}

/// Reads a project from its last entries and events on.
fn start(app: &App) -> Result<LiveReader, AppError> {
    Ok(LiveReader::new(dashboard::live_position(app, BACKLOG)?))
}

/// What is new.
#[derive(Debug, Default)]
pub(super) struct News {
    /// The earliest first.
    pub(super) calls: Vec<Call>,
    /// Projects whose store cannot be read, and why.
    pub(super) faults: Vec<String>,
    /// Whether nothing more is stored.
    pub(super) is_complete: bool,
}

impl Feed {
    /// Follows the project of `app`.
    pub(super) fn of_project(app: App) -> Result<Self, AppError> {
        let name = app.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let reader = Some(start(&app)?);
        let projects = vec![Followed { app: app.clone(), name, reader }];
        Ok(Self { app, projects, listed: None })
    }

    /// Follows every project on this machine, also those that are new. One whose store cannot be read is a fault of
    /// [`Self::next`] until it can.
    pub(super) fn of_all_projects(app: App) -> Result<Self, AppError> {
        let each = app.of_each_project()?.into_iter();
        let projects = each.map(|(name, app)| Followed { app, name, reader: None }).collect();
        Ok(Self { app, projects, listed: Some(Instant::now()) })
    }

    /// Adds projects that got a store meanwhile: all in them is new.
    fn follow_new_projects(&mut self) -> Result<(), AppError> {
        self.listed = Some(Instant::now());
        for (name, app) in self.app.of_each_project()? {
            if !self.projects.iter().any(|known| known.app.project_id() == app.project_id()) {
                let reader = Some(LiveReader::new(LivePosition::default()));
                self.projects.push(Followed { app, name, reader });
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
            match project.read(index) {
                Ok((calls, is_complete)) => {
                    news.is_complete &= is_complete;
                    news.calls.extend(calls);
                }
                Err(error) => news.faults.push(format!("{}: {}", project.name, error.message)),
            }
        }
        news.calls.sort_by_key(|call| call.created);
        news
    }
}
